"""Several studies with one command: one report, nothing made twice, and a time that is foreseen from finished runs."""

from __future__ import annotations

import csv
import io
import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

import pytest

import multihop
from conftest import Cli
from multihop.errors import InputError
from multihop.store.store import Store
from multihop.study.outcome import Outcome, tasks_of
from multihop.study.remaining import Remaining
from multihop.study.several import papers, reproduce_all, selections
from small_study import CLAIM, READINGS, SMALL, TABLE
from test_docs import program

PROGRAM = "from multihop.cli import main; main()"
HOLDS = (
    CLAIM.replace('id = "A"', 'id = "B"').partition("[claim.gain]")[0].replace("ratio-above = 2", "ratio-above = 0.1")
)
"""A claim that says nothing: any queue holds it."""


@pytest.fixture
def two(here: Path) -> list[str]:
    """Two studies of the same experiment with other run lengths, as files in the working folder."""
    text = SMALL + CLAIM + HOLDS + READINGS + TABLE
    other = text.replace('name = "small"', 'name = "other"').replace('duration = "6 s"', 'duration = "7 s"')
    (here / "small.toml").write_text(text, encoding="utf-8")
    (here / "other.toml").write_text(other, encoding="utf-8")
    return ["small.toml", "other.toml"]


def test_all_is_every_study_of_a_paper() -> None:
    assert papers() == ["hamadani", "ohzahata", "seok", "sridhara", "yuki"]
    assert [selection.label for selection in selections(["all"])] == papers()
    assert [s.label for s in selections(["seok/fig5", "all", "seok/fig5"])] == ["seok/fig5", *papers()]


def test_one_report_and_one_of_each_study(cli: Cli, here: Path, two: list[str]) -> None:
    done = cli("reproduce", *two, "--quick", "--out", "made")
    assert done.code == 0
    page = (here / "made" / "report.html").read_text(encoding="utf-8")
    for name in ("small", "other"):
        assert f'<h2 id="{name}">' in page
        assert f'<h3 id="{name}-fig1">' in page
        assert f'id="{name}-fig1-' in page  # what a picture finds by id is its own
        assert (here / "made" / name / "report.html").is_file()
        assert (here / "made" / name / "fig1.png").is_file()
    assert page.count("too with drr and persistent-queue swapped") == 2 * 2  # among all claims, and below its figure
    assert "small B: with drr and persistent-queue swapped" in done.out
    assert [line.split()[:4] for line in done.out.splitlines() if line.startswith(("small ", "all "))][:2] == [
        ["small", "1", "of", "2"],
        ["all", "2", "of", "4"],
    ]


def test_the_page_of_the_site_has_every_claim(here: Path, two: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    papers_page = program("papers")
    for name in ("PAGE", "IMAGES", "KEPT"):
        monkeypatch.setattr(papers_page, name, here / name.lower())
    papers_page.main([*two, "--quick"])
    page = (here / "page").read_text(encoding="utf-8")
    assert page.count("(`A`)") == page.count("(`B`)") == page.count("(`T-f1-late`)") == 2
    assert page.count("**holds; too with drr and persistent-queue swapped**") == 2
    assert "| small | 1 of 2 |" in page
    assert {path.name for path in (here / "images").iterdir()} == {"small-fig1.svg", "other-fig1.svg"}


def test_the_outputs_for_programs_name_the_study(cli: Cli, two: list[str]) -> None:
    document = json.loads(cli("reproduce", *two, "--quick", "--json").out)
    alone = json.loads(cli("reproduce", two[1], "--quick", "--json").out)
    assert [of["study"] for of in document["studies"]] == ["small", "other"]
    assert document["studies"][1]["claims"] == alone["claims"]
    assert (document["runs"], document["from_store"]) == (96, 0)
    assert alone["from_store"] == 48
    rows = list(csv.DictReader(io.StringIO(cli("reproduce", *two, "--quick", "--csv").out)))
    assert {row["study"] for row in rows} == {"small", "other"}
    assert [row["verdict"] for row in rows if row["claim"] == "B"] == ["holds", "holds"]


def test_python_gives_each_outcome_by_name(two: list[str]) -> None:
    outcomes = multihop.reproduce([two[0], "other.toml/fig1"], quick=True, out="made")
    assert [outcome.label for outcome in outcomes] == ["small", "other/fig1"]
    verdict = outcomes["other/fig1"].verdict("B")
    assert verdict is not None
    assert verdict.holds
    assert (outcomes.stored, len(outcomes), Path("made/report.html").is_file()) == (0, 2, True)
    assert multihop.reproduce([two[0]], quick=True).stored == 48
    alone = multihop.reproduce(two[0], quick=True)
    assert isinstance(alone, Outcome)
    with pytest.raises(KeyError):
        outcomes["seok"]


def test_killed_studies_go_on_where_they_were(here: Path, two: list[str]) -> None:
    """Killed when one study has finished and the other has begun: the next start takes all that from the store."""
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, "reproduce", *two, "--threads", "1"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    records = here / ".multihop" / "records"
    end = time.monotonic() + 300
    while process.poll() is None and time.monotonic() < end:
        if records.is_dir() and len([*records.iterdir()]) >= 70:
            break
        time.sleep(0.005)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    kept = len([*records.iterdir()])
    assert 70 <= kept < 128
    again = multihop.reproduce(two)
    assert (again.stored, again.runs) == (kept, 128)
    assert again["small"].stored == again["small"].runs == 64


@dataclass
class Audience:
    """Remembers what it is told."""

    said: list[tuple[int, int, int, float]] = field(default_factory=list)

    def warn(self, message: str) -> None:
        raise AssertionError(message)

    def update(self, finished: int, runs: int, stored: int, left_s: float, workers: int) -> None:
        assert workers == 0
        self.said.append((finished, runs, stored, left_s))


def test_the_time_left_is_foreseen_from_finished_runs(two: list[str]) -> None:
    watch = Audience()
    reproduce_all(selections(two), threads=1, watch=watch)
    first, last = watch.said[0], watch.said[-1]
    assert first[1] == last[1] == 128
    assert first[0] <= 2  # the first run of each study's only experiment
    assert {stored for _, _, stored, _ in watch.said} == {0}
    assert first[0] < last[0] <= 128
    walls = [Store.open().one(key)[0].manifest.wall_s for key in Store.open().keys()]  # noqa: SIM118 - no dict
    for finished, runs, _, left_s in (first, last):
        assert (runs - finished - 2) * min(walls) <= left_s <= (runs - finished + 2) * max(walls)
    again = Audience()
    reproduce_all(selections(two), threads=1, watch=again)
    assert again.said[0][3] == 0  # nothing is left to be made
    assert all(finished == stored for finished, _, stored, _ in again.said)
    assert again.said[-1][2] > 64


def test_only_what_the_store_lacks_is_left(two: list[str]) -> None:
    """One of two studies is in the store: what is left is the other's runs, at what its first one took."""
    multihop.reproduce(two[0])
    tasks = [tasks_of(selection, False) for selection in selections(two)]
    remaining = Remaining(tasks)
    remaining.look(Store.open(), 1, fresh=False)
    assert [remaining.made(0), remaining.made(1)] == [0, 1]
    records = [Store.open().one(key)[0] for key in Store.open().keys()]  # noqa: SIM118 - a store is no dict
    [cost] = [r.manifest.wall_s for r in records if r.manifest.scenario.name == "other/paths"]
    assert remaining.seconds([1.0, 1.0]) == pytest.approx(64 * cost)
    assert remaining.seconds([1.0, 0.5]) == pytest.approx(remaining.seconds([1.0, 1.0]) / 2)
    assert remaining.seconds([1.0, 0.0]) == 0


def test_what_cannot_run_is_said_before_anything_runs(cli: Cli, here: Path, two: list[str]) -> None:
    (here / "copy.toml").write_text((here / "small.toml").read_text(encoding="utf-8"), encoding="utf-8")
    for names, words in (
        ((two[0], "copy.toml"), "`small.toml` and `copy.toml` are both named small"),
        ((two[0], "seok/fig99"), "has no part `fig99`"),
        ((two[0], "al"), "there is no study `al`"),
        (("all/fig5",), "there is no study `all`"),
    ):
        done = cli("reproduce", *names, "--quick")
        assert (done.code, done.out) == (2, "")
        assert words in done.err
    assert not (here / ".multihop").exists()
    with pytest.raises(InputError, match="no study is named"):
        multihop.reproduce([])
    (here / "made" / "other").mkdir(parents=True)
    (here / "made" / "other" / "fig1.png").write_text("mine", encoding="utf-8")
    done = cli("reproduce", *two, "--quick", "--out", "made")
    assert done.code == 2
    assert not (here / "made" / "report.html").exists()
