"""Which record a command takes as the latest: two terminals may work in one folder."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import msgspec
import pytest

import multihop
from conftest import Cli
from multihop.files.manifest import FORMAT, Latest, opened, sealed
from multihop.out.latest import age
from multihop.store.store import Store


@pytest.mark.parametrize("command", [("explain",), ("plot", "goodput"), ("plot", "map"), ("report",)])
def test_the_latest_is_named_with_age_and_command(cli: Cli, tiny: str, command: tuple[str, ...]) -> None:
    assert cli("run", tiny, "--runs", "2", "--set", "tcp.max-window=4").code == 0
    [mine] = Store.open().find()
    line = (
        f"The latest record is {mine.id[:12]} (none), made just now by: "
        "multihop run tiny.toml --runs 2 --set tcp.max-window=4"
    )
    assert line in cli(*command).out.splitlines()
    # another terminal is faster
    assert cli("compare", tiny, "-t", "none,drr", "--runs", "2").code == 0
    first, second = Store.open().find()
    line = (
        f"The latest records are {first.id[:12]} (none) and {second.id[:12]} (drr), made just now by: multihop compare"
    )
    assert line in cli(*command).out
    # who names a record knows which
    named = (command[0], mine.id[:8], *command[1:])
    assert "The latest" not in cli(*named).out


def test_documents_stay_documents(cli: Cli, tiny: str) -> None:
    assert cli("run", tiny, "--runs", "1").code == 0
    for form in (("--json",), ("--csv", "flows")):
        assert "latest" not in cli("explain", *form).out


def test_a_program_has_no_command(cli: Cli, tiny: str) -> None:
    multihop.load(tiny).run(runs=1)
    [last] = Store.open().find()
    assert cli("explain").out.splitlines()[-1] == f"The latest record is {last.id[:12]} (none), made just now"


def test_a_store_of_an_earlier_version_says_what_it_knows(cli: Cli, tiny: str) -> None:
    assert cli("run", tiny, "--runs", "1").code == 0
    file = Store.open().root / "latest.json"
    before = Latest(format=FORMAT, sets=opened(file, Latest).sets)
    assert b"made" not in sealed(before)  # as that version wrote it
    file.write_bytes(sealed(before))
    [last] = Store.open().find()
    assert cli("explain").out.splitlines()[-1] == f"The latest record is {last.id[:12]} (none)."
    told = msgspec.structs.replace(before, made="2026-01-01T00:00:00+00:00", command="multihop run [red]chain")
    file.write_bytes(sealed(told))
    assert "days ago by: multihop run [red]chain" in cli("explain").out


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(-5, "just now"), (59, "just now"), (61, "1 minute ago"), (7300, "2 hours ago"), (3 * 86400 + 5, "3 days ago")],
)
def test_ages(seconds: int, words: str) -> None:
    assert age(datetime.now(UTC) - timedelta(seconds=seconds)) == words
