"""What has finished is kept while others run, and what was lost meanwhile is made once more."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import multihop
from conftest import Cli
from multihop import study
from multihop.record.record import Records
from multihop.running import shelf
from multihop.running.run import Task, execute
from multihop.study import outcome
from small_study import SMALL

PROGRAM = "from multihop.cli import main; main()"


def test_runs_wait_until_the_first_is_stored(tiny: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Loading what stores them may take long: the engine has all processors."""
    load, put, keep = shelf._load, shelf.Shelf.put, shelf.Shelf._keep
    finished: list[int] = []
    before_the_first: list[int] = []

    def slowly() -> None:
        time.sleep(1.0)
        load()

    def putting(self: shelf.Shelf, *arguments: object) -> None:
        finished.append(1)
        put(self, *arguments)  # type: ignore[arg-type]

    def keeping(self: shelf.Shelf, *arguments: object) -> None:
        keep(self, *arguments)  # type: ignore[arg-type]
        before_the_first.append(len(finished))

    monkeypatch.setattr(shelf, "_load", slowly)
    monkeypatch.setattr(shelf.Shelf, "put", putting)
    monkeypatch.setattr(shelf.Shelf, "_keep", keeping)
    assert len(multihop.load(tiny).run(runs=60, threads=1)) == 60
    assert min(before_the_first) < 10
    assert len(finished) == 60


def test_storing_loads_no_pandas(tiny: str) -> None:
    code = f"import sys, multihop; multihop.load({tiny!r}).run(runs=2); print('pandas' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


def test_a_killed_study_has_kept_what_had_finished(here: Path) -> None:
    """Killed as soon as four records are there; the next start takes them from the store."""
    (here / "small.toml").write_text(SMALL, encoding="utf-8")
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, "reproduce", "small.toml"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    records = here / ".multihop" / "records"
    end = time.monotonic() + 120
    while process.poll() is None and time.monotonic() < end:
        if records.is_dir() and len([*records.iterdir()]) >= 4:
            break
        time.sleep(0.005)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    kept = len([*records.iterdir()])
    assert kept >= 4
    found = study.reproduce(study.find("small.toml"))
    assert (found.stored, found.runs) == (kept, 48)


@pytest.mark.parametrize("gone", ["run.json", "scenario.json", "record"])
def test_a_record_that_goes_while_a_study_is_judged_is_made_again(
    here: Path, monkeypatch: pytest.MonkeyPatch, gone: str
) -> None:
    (here / "small.toml").write_text(SMALL, encoding="utf-8")
    whole = study.reproduce(study.find("small.toml"), quick=True)
    real, calls = execute, list[int]()

    def losing(tasks: list[Task], **options: object) -> list[Records]:
        found = real(tasks, **options)  # type: ignore[arg-type]
        calls.append(len(tasks))
        if len(calls) == 1:
            for records in found:  # as by `multihop remove` beside it
                path = records[0].path
                if gone == "record":
                    shutil.rmtree(path)
                else:
                    (path / gone).unlink()
        return found

    monkeypatch.setattr(outcome, "execute", losing)
    again = study.reproduce(study.find("small.toml"), quick=True)

    def told(found: study.Outcome) -> dict[str, object]:
        return {**found.document(points=True), "wall_s": None, "from_store": None}

    assert json.dumps(told(again)) == json.dumps(told(whole))
    assert len(calls) > 1
    assert set(calls[1:]) == {1}


def test_progress_is_shown_beside_a_document(cli: Cli, tiny: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from multihop.out import progress

    monkeypatch.setattr(progress, "PATIENCE_S", 0.0)
    monkeypatch.setattr(progress, "LINE_S", 0.0)
    for command in (
        ("run", tiny, "--runs", "3", "--json"),
        ("run", tiny, "--runs", "4", "--csv", "flows"),
        ("compare", tiny, "-t", "none,drr", "--runs", "2", "--json"),
    ):
        done = cli(*command)
        assert done.code == 0
        assert "% simulated" in done.err
        assert "% simulated" not in done.out
        if "--json" in command:
            json.loads(done.out)
