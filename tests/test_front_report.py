"""The report on a desk and on a phone, in a real browser."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

import multihop
from conftest import TINY, Cli
from multihop.out.answer import headline, ranked
from multihop.record.comparison import Comparison
from multihop.report.records import records_page
from small_study import SMALL

BROWSER = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
MEASURE = """<script>
window.addEventListener("load", () => {
  const apart = ".scroll, pre, svg, details:not([open])";
  const wide = [...document.querySelectorAll("body *")].filter(e => !e.closest(apart))
    .filter(e => e.getBoundingClientRect().right > window.innerWidth + 1).map(e => e.tagName);
  document.title = `wide=${document.documentElement.scrollWidth} of ${window.innerWidth} ${wide.slice(0, 5)}`;
});
</script>"""


COMPARED = "none,drr,small-window:2,persistent-queue+delayed-ack"


@pytest.fixture(scope="module")
def drawn(tmp_path_factory: pytest.TempPathFactory) -> tuple[Comparison, str]:
    """A few techniques, run and drawn once."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path_factory.mktemp("drawn"))
        patch.delenv("MULTIHOP_HOME", raising=False)
        Path("tiny.toml").write_text(TINY, encoding="utf-8")
        comparison = multihop.load("tiny.toml").compare(COMPARED, runs=3)
        return comparison, records_page(comparison.arms)


@pytest.fixture
def page(drawn: tuple[Comparison, str]) -> str:
    return drawn[1]


def test_every_row_of_the_comparison_has_figure_and_technique(page: str) -> None:
    table = re.search(r"<summary>comparison.*?</table>", page, re.DOTALL)
    assert table
    rows = [re.findall(r"<td[^>]*>(.*?)</td>", row) for row in table[0].split("<tr>")[2:]]
    assert len(rows) > 12
    assert all(row[0] and row[1] for row in rows)
    assert len({(row[0], row[1]) for row in rows}) == len(rows)


def test_the_answer_comes_first_then_pictures_then_folded_tables(drawn: tuple[Comparison, str]) -> None:
    comparison, page = drawn
    places = [page.index(words) for words in ('class="answer"', ' id="figure-map-1"', ' id="figure-goodput-1"')]
    places += [page.index(f' id="figure-{kind}-1"') for kind in ("drops", "cwnd")]
    places += [page.index("<summary>comparison")]
    assert places == sorted(places)
    assert f'<p class="answer">{headline(comparison)}.</p>' in page
    assert f"<ul><li>{ranked(comparison)[0].label} against none: " in page
    outside = re.sub(r"<details.*</details>", "", page, flags=re.DOTALL)
    assert "<table" not in outside
    assert "<svg" in page[: page.index("<summary>comparison")]


def test_links_at_the_top_lead_to_every_figure(page: str) -> None:
    links = re.findall(r'href="#([^"]+)"', page[page.index("<nav>") : page.index("</nav>")])
    assert len(links) == len(set(links))
    figures = re.findall(r'<h3 id="(figure-[^"]+)"', page)
    assert len(figures) >= 6
    assert set(figures) <= set(links)
    assert all(f' id="{link}"' in page for link in links)


def test_one_technique_has_its_flows_in_sight(tiny: str) -> None:
    records = multihop.load(tiny).run(runs=3)
    page = records_page([records])
    mean = sum(records.values("goodput_bps")) / 3e3
    told = re.search(r'<p class="answer">Goodput of all 2 flows together: ([0-9.]+)', page)
    assert told
    assert float(told[1]) == pytest.approx(mean, rel=0.01)
    assert "<details open><summary>none: its flows" in page


TEN = "none,drr,persistent-queue,delayed-ack,small-window:2,small-window:4+drr,sack,reno,tahoe+small-segment,tcp-dcr"
CUT = """
[[event]]
at = "2 s"
kind = "link-down"
from = "1"
to = "2"
[[event]]
at = "3 s"
kind = "link-up"
from = "1"
to = "2"
"""


@pytest.fixture
def ten(tiny: str) -> str:
    return records_page(multihop.load(tiny).compare(TEN, runs=3).arms)


@pytest.fixture
def pages(page: str, ten: str, cli: Cli, tiny: str, here: Path) -> dict[str, str]:
    """Every kind of report page: a few techniques; ten; every event of TCP and of the network; a study."""
    (here / "cut.toml").write_text(Path(tiny).read_text(encoding="utf-8") + CUT, encoding="utf-8")
    (here / "small.toml").write_text(SMALL, encoding="utf-8")
    assert cli("reproduce", "small.toml", "--quick", "--out", "study").code == 0
    events = multihop.load("cut.toml").run(runs=1, set={"measure.events": 100000, "measure.sample": "0.1 s"})
    return {
        "few": page,
        "ten": ten,
        "events": records_page([events]),
        "study": (here / "study" / "report.html").read_text(encoding="utf-8"),
    }


def test_a_report_of_ten_techniques_names_each_in_every_row(ten: str) -> None:
    table = re.search(r"<summary>comparison.*?</table>", ten, re.DOTALL)
    assert table
    rows = [re.findall(r"<td[^>]*>(.*?)</td>", row) for row in table[0].split("<tr>")[2:]]
    names = {row[1] for row in rows}
    assert names == {*TEN.split(",")}
    assert len({(row[0], row[1]) for row in rows}) == len(rows) == len(names) * len({row[0] for row in rows})


@pytest.mark.skipif(BROWSER is None, reason="no browser")
def test_nothing_scrolls_sideways(pages: dict[str, str], here: Path) -> None:
    """On a phone of 390 points, for which a page is laid out in a frame (no window of Chromium is so narrow), and on a
    desk.
    """
    for name, page in pages.items():
        (here / f"{name}.html").write_text(page.replace("</body>", f"{MEASURE}</body>"), encoding="utf-8")
        frame = f'<iframe src="{name}.html" width="390" height="3000" onload="setTimeout(() => {{ document.title = '
        frame += 'this.contentDocument.title }, 300)"></iframe>'
        (here / f"{name}-phone.html").write_text(f"<!doctype html><body>{frame}</body>", encoding="utf-8")
        for file, width in ((f"{name}-phone.html", 500), (f"{name}.html", 1200)):
            wide, available, what = _measured(here / file, width)
            assert wide <= available, (file, what)


def _measured(file: Path, width: int) -> tuple[int, int, str]:
    """How wide a page is, how much room it has, and what stands out."""
    assert BROWSER
    command = [BROWSER, "--headless", "--no-sandbox", "--disable-gpu", "--allow-file-access-from-files"]
    command += [f"--window-size={width},2000", "--virtual-time-budget=4000", "--dump-dom", file.as_uri()]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    found = re.search(r"wide=(\d+) of (\d+)([^<]*)<", done.stdout)
    assert found, done.stdout[:500] + done.stderr[-500:]
    return int(found[1]), int(found[2]), found[3]
