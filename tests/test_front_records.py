"""Records after their runs: listed by one kind of id, exported into a store of their own."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import multihop
from conftest import Cli
from multihop.cli import complete
from multihop.errors import InputError, RecordError
from multihop.store.store import Store


@pytest.fixture
def three(cli: Cli, tiny: str) -> list[str]:
    """Ids of three records, the newest first: 3 runs of none, 2 of drr, 2 of none."""
    assert cli("compare", tiny, "-t", "none,drr", "-n", "2").code == 0
    assert cli("run", tiny, "-n", "3").code == 0
    ids = Store.open().ids()
    assert len(ids) == 3
    return ids


def test_the_records_of_a_comparison_are_named_with_their_techniques(cli: Cli, tiny: str) -> None:
    said = cli("compare", tiny, "-t", "none,drr", "-n", "2").out
    first, second = multihop.Store.open().find()
    assert f"records {first.id[:12]} (none), {second.id[:12]} (drr)." in said


def test_a_record_leaves_with_the_runs_that_are_its_own(cli: Cli, three: list[str]) -> None:
    whole, drr, part = three
    done = cli("remove", whole[:8])
    assert done.code == 0
    assert done.out.startswith(f"record {whole[:12]} (tiny.toml, none: 3 runs) is removed\n1 run and ")
    store = Store.open()
    assert store.ids() == [drr, part]
    assert len(store.keys()) == 4  # run 3 alone belonged to nothing else
    assert [records.id for records in store.find()] == [drr]  # the newest that is left is the latest
    assert len(store.find(part[:8])[0]) == 2
    assert cli("remove", drr, part).code == 0
    assert (store.ids(), store.keys()) == ([], [])
    assert not list((Path(".multihop") / "tmp").iterdir())
    assert cli("explain").code == 2


def test_all_are_removed_and_runs_of_no_record_too(cli: Cli, three: list[str], here: Path) -> None:
    for file in (here / ".multihop" / "sets").iterdir():
        file.write_text("{}")  # damaged: nobody knows any more whose the runs are
    assert len(Store.open().keys()) == 5
    assert cli("remove", three[1][:6]).out.startswith(f"record {three[1][:12]} is removed\n0 runs")
    assert cli("remove", "--all").code == 0
    assert (Store.open().ids(), Store.open().keys()) == ([], [])


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("remove",), "either records are named, or --all"),
        (("remove", "--all", "abcd"), "either records are named, or --all"),
        (("remove", "zzzz"), "there is no record `zzzz`"),
        (("remove", "a"), "there is no record `a`"),
        (("export", "zzzz", "--out", "new"), "there is no record `zzzz`"),
        (("explain", "chain"), "`chain` is a scenario; give an id"),
        (("export",), "--out"),
        (("export", "--out", "tiny.toml"), "--out"),
        (("export", "--out", ".multihop"), "exists already"),
    ],
)
def test_what_cannot_be_done_is_said_and_removes_nothing(
    cli: Cli, three: list[str], arguments: tuple[str, ...], words: str
) -> None:
    done = cli(*arguments)
    assert (done.code, done.out, len(done.err.splitlines())) == (2, "", 1)
    assert words in done.err
    assert Store.open().ids() == three
    assert not Path("new").exists()


def test_an_export_is_a_store_that_commands_take(cli: Cli, three: list[str], here: Path) -> None:
    done = cli("export", three[0], three[1], "--out", "sent")
    assert done.code == 0
    assert f"record {three[1][:12]} (tiny.toml, drr) is in sent" in done.out
    shown = cli("explain", three[0], "--json").out
    (here / ".multihop").rename(here / "gone")
    assert [records.id for records in Store(Path("sent")).find()] == three[:2]
    assert len(Store(Path("sent")).keys()) == 5
    told = json.loads(cli("explain", "sent", "--json").out)
    assert told["flows"] == json.loads(shown)["flows"]
    assert cli("plot", "sent", "goodput").code == 0
    assert cli("report", "sent").code == 0


def test_an_export_of_a_damaged_record_is_refused(cli: Cli, three: list[str], here: Path) -> None:
    run = multihop.records(three[0])[0].path / "flows.parquet"
    run.write_bytes(run.read_bytes()[:-1])
    done = cli("export", three[0], "--out", "sent")
    assert (done.code, len(done.err.splitlines())) == (2, 1)
    assert "damaged" in done.err


def test_the_same_from_python(three: list[str]) -> None:
    table = multihop.list_records()
    assert [*table.columns] == ["record", "scenario", "technique", "runs", "made"]
    assert [*table["record"]] == three
    assert [*table["technique"]] == ["none", "drr", "none"]
    assert [*table["runs"]] == [3, 2, 2]
    [copied] = multihop.export_records("out", three[1])
    assert copied.label == "drr"
    assert multihop.records("out").id == three[1]
    with pytest.raises(InputError, match="exists already"):
        multihop.export_records("out")
    removed = multihop.remove_records(three[0], three[1][:6])
    assert (len(removed.records), removed.runs) == (2, 3)
    assert removed.freed > 0
    with pytest.raises(InputError, match="no record is named"):
        multihop.remove_records()
    for call in (multihop.remove_records, lambda ids: multihop.export_records("else", ids)):
        with pytest.raises(InputError, match=r"ids in a list are given as `\*ids`; this is a list"):
            call(three[:2])  # type: ignore[arg-type]  # as people try it
    with pytest.raises(RecordError, match="there is no record"):
        multihop.remove_records(three[0])


def test_ids_are_completed_with_what_they_are(three: list[str]) -> None:
    assert [*complete.records(three[1][:5])] == [(three[1][:12], "tiny.toml, drr, 2 runs")]
