"""Reports: one file, nothing loaded from outside, everything in it."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

import multihop
from conftest import Cli
from multihop.measures.notation import figure, interval
from multihop.report.records import records_page

LOSSY = {"air.bit-error-rate": "5e-5"}


class Outside(HTMLParser):
    """Collects whatever a page would load."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self.ids: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name in ("src", "href", "xlink:href", "action", "data") and value and not value.startswith("#"):
                self.found.append(f"{tag} {name}={value}")
            if name == "id" and value:
                self.ids.append(value)
        if tag in ("script", "iframe", "object", "embed", "link", "img"):
            self.found.append(tag)


def parsed(page: str) -> Outside:
    parser = Outside()
    parser.feed(page)
    return parser


def test_the_report_loads_nothing_and_has_all(tiny: str) -> None:
    comparison = multihop.load(tiny).compare(["none", "persistent-queue"], runs=2, set=LOSSY)
    page = records_page(comparison.arms)
    assert parsed(page).found == []
    assert not re.search(r"url\((?!#)", page)
    assert "@import" not in page
    for word in ("persistent-queue", "prefers-color-scheme", "it balances in every run", "fingerprint", "<svg"):
        assert word in page
    assert "queue.on-give-up" in page


def test_ids_of_figures_do_not_meet(tiny: str) -> None:
    page = records_page([multihop.load(tiny).run(runs=2, set=LOSSY)])
    ids = parsed(page).ids
    assert len(ids) == len(set(ids))


def test_what_users_name_is_escaped(here: Path, tiny: str) -> None:
    text = (here / tiny).read_text().replace("three hops", "<b>three</b> hops & more")
    (here / "odd.toml").write_text(text)
    page = records_page([multihop.load("odd.toml").run(runs=1)])
    assert "<b>three</b>" not in page
    assert "&lt;b&gt;three&lt;/b&gt; hops &amp; more" in page


def test_sets_of_different_scenarios_stand_apart(tiny: str) -> None:
    scenario = multihop.load(tiny)
    sets = [scenario.run(runs=2), scenario.run(runs=2, set=LOSSY), scenario.run(runs=2, techniques=["drr"])]
    page = records_page(sets)
    assert page.count('<h2 id="scenario-') == 2
    assert "drr against none" in page


def test_the_command_writes_it(cli: Cli, tiny: str, here: Path) -> None:
    multihop.load(tiny).run(runs=2)
    done = cli("report", "--out", "deep/report.html")
    assert done.code == 0, done.err
    assert (here / "deep" / "report.html").read_text().startswith("<!doctype html>")
    assert "file://" in done.out


def test_without_records_there_is_no_report(cli: Cli) -> None:
    done = cli("report")
    assert done.code == 2
    assert "there is no record" in done.err


def test_numbers() -> None:
    assert figure(0.24713) == "0.2471"
    assert figure(None) == "–"
    assert figure(float("inf")) == "–"
    assert interval((0.2, None)) == "[0.2, ∞]"
    assert interval(None) == ""
