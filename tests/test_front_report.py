"""The report on a desk and on a phone, in a real browser."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

import multihop
from multihop.report.records import records_page

BROWSER = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
MEASURE = """<script>
window.addEventListener("load", () => {
  const apart = ".scroll, pre, svg, details:not([open])";
  const wide = [...document.querySelectorAll("body *")].filter(e => !e.closest(apart))
    .filter(e => e.getBoundingClientRect().right > window.innerWidth + 1).map(e => e.tagName);
  document.title = `wide=${document.documentElement.scrollWidth} of ${window.innerWidth} ${wide.slice(0, 5)}`;
});
</script>"""


@pytest.fixture
def page(tiny: str) -> str:
    return records_page(
        multihop.load(tiny).compare("none,drr,small-window:2,persistent-queue+delayed-ack", runs=3).arms
    )


def test_every_row_of_the_comparison_has_figure_and_technique(page: str) -> None:
    table = re.search(r"<h3>Comparison</h3>.*?</table>", page, re.DOTALL)
    assert table
    rows = [re.findall(r"<td[^>]*>(.*?)</td>", row) for row in table[0].split("<tr>")[2:]]
    assert len(rows) > 12
    assert all(row[0] and row[1] for row in rows)
    assert len({(row[0], row[1]) for row in rows}) == len(rows)


def test_tables_come_before_pictures(page: str) -> None:
    assert page.index("<h3>Comparison</h3>") < page.index("<figure>")


@pytest.mark.skipif(BROWSER is None, reason="no browser")
@pytest.mark.parametrize("width", [500, 1200])  # no window of Chromium is narrower than 500
def test_nothing_scrolls_sideways(page: str, here: Path, width: int) -> None:
    assert BROWSER
    # a phone of 390 points: the page is laid out in a frame of that width
    (here / "report.html").write_text(page.replace("</body>", f"{MEASURE}</body>"), encoding="utf-8")
    frame = '<iframe src="report.html" width="390" height="3000" onload="setTimeout(() => { document.title = '
    frame += 'this.contentDocument.title }, 300)"></iframe>'
    (here / "phone.html").write_text(f"<!doctype html><body>{frame}</body>", encoding="utf-8")
    file = here / ("phone.html" if width == 500 else "report.html")
    command = [BROWSER, "--headless", "--no-sandbox", "--disable-gpu", "--allow-file-access-from-files"]
    command += [f"--window-size={width},2000", "--virtual-time-budget=4000", "--dump-dom", file.as_uri()]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    found = re.search(r"wide=(\d+) of (\d+)([^<]*)<", done.stdout)
    assert found, done.stdout[:500] + done.stderr[-500:]
    assert int(found[1]) <= int(found[2]), found[3]
