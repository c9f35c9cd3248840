"""What fits a screen of 60, 80 or 124 columns: whole, named, and with a word on what is not shown."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path

import pytest
from rich.console import Console

import multihop
from conftest import Cli
from multihop.out.fit import Column, Fitting, Line
from multihop.out.progress import Bar
from multihop.running.run import State
from test_json_documents import STUDY

LONG = "none,persistent-queue,persistent-queue+delayed-ack,persistent-queue+small-window:2"


def shown(table: Fitting, width: int) -> list[str]:
    console = Console(width=width, file=io.StringIO(), highlight=False)
    console.print(table)
    assert isinstance(console.file, io.StringIO)
    return [line.rstrip() for line in console.file.getvalue().splitlines()]


TABLE = Fitting(
    [Column("who", words=True), Column("goodput kbit/s"), Column("least", rank=2), Column("less", rank=1)],
    [Line(["persistent-queue", "100.0 ± 2.0", "1234567", "7654321"])],
)


@pytest.mark.parametrize(("width", "there", "gone"), [(80, "least less", ""), (45, "less", "least"), (33, "", "least")])
def test_the_least_columns_go_first_and_are_named(width: int, there: str, gone: str) -> None:
    lines = shown(TABLE, width)
    table, note = " ".join(lines[:3]), " ".join(lines[3:])
    assert all(word in table.split() for word in there.split())
    assert ("no room for" in note) == bool(gone)
    assert gone in note
    assert "100.0 ± 2.0" in table
    assert max(map(len, lines)) <= width


def test_names_break_before_a_number_is_cut() -> None:
    text = "\n".join(shown(Fitting([Column("who", words=True), Column("n")], [Line(["x" * 40, "12345678"])]), 24))
    assert "12345678" in text
    assert text.count("x") == 40


def test_where_nothing_else_fits_each_number_is_named() -> None:
    columns = [Column("flow", words=True), *(Column(f"figure {i}") for i in range(6))]
    lines = shown(Fitting(columns, [Line(["web", *(f"{i}000.0 ± 1.0" for i in range(6))])]), 40)
    assert lines[0] == "flow web"
    assert lines[1:] == [f"  figure {i}: {i}000.0 ± 1.0" for i in range(6)]


@pytest.mark.parametrize("width", [60, 80, 124])
def test_commands_fit_and_no_two_rows_have_the_same_name(
    cli: Cli, tiny: str, width: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))  # which counts in a pipe
    said = cli("compare", tiny, "-t", LONG, "-n", "2").out
    tables = said[: said.index(" runs came from")].rpartition("\n")[0]
    assert max(map(len, tables.splitlines())) <= width
    assert "…" not in tables
    whole = re.sub(r"\s", "", tables)
    for name in LONG.split(","):
        assert name in whole
    assert "kbit/s" in tables
    run = cli("run", tiny, "-n", "2").out
    assert max(map(len, run[: run.index("ledger")].splitlines())) <= width
    assert cli("explain").code == 0


def test_a_map_without_room_for_a_name_says_so(cli: Cli, here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    for letters, room in ((3, True), (20, False), (30, False)):
        names = [f"{end:x<{letters}}" for end in "ab"]
        nodes = ", ".join(
            f'{{ name = "{name}", x = "{place} m" }}' for name, place in zip(names, (0, 100), strict=True)
        )
        (here / "two.toml").write_text(
            f'run.duration = "2 s"\ntopology = {{ kind = "explicit", node = [{nodes}] }}\n'
            f'[[flow]]\nfrom = "{names[0]}"\nto = "{names[1]}"\n'
        )
        said = cli("check", "two.toml").out
        assert ("*a" in said) is room
        assert ("The map has no room here" in said) is not room


def test_a_terminal_that_says_nothing_is_wide(cli: Cli, tiny: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    assert "no room" not in cli("run", tiny, "-n", "2").out
    monkeypatch.setenv("COLUMNS", "wide")
    assert "no room" not in cli("run", tiny, "-n", "2").out


def test_ten_techniques_stay_apart(tiny: str, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    names = ["none", *(f"small-window:{n}" for n in range(1, 10))]
    said = cli("compare", tiny, "-t", ",".join(names), "-n", "1").out
    drops = said[said.index("packets dropped a run") :]
    assert max(map(len, said[: said.index(" runs came from")].rpartition("\n")[0].splitlines())) <= 80
    assert all(name in drops for name in names)
    assert multihop.records() is not None


@pytest.mark.parametrize("width", [60, 80, 124])
def test_the_claims_of_a_study_fit_too(cli: Cli, here: Path, width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    (here / "small.toml").write_text(STUDY, encoding="utf-8")
    said = cli("reproduce", "small.toml", "--quick").out
    tables = said[: said.index("of 8 runs")].rsplit("\n", 1)[0]
    assert max(map(len, tables.splitlines())) <= width
    assert "…" not in tables
    joined = re.sub(r"\s+", " ", tables)
    for words in ("1.5", "open", "not judged", "ratio"):
        assert words in joined
    assert "two hops" in joined or re.search("no room for: [^;]*paper", joined)


def test_lists_checks_and_claims_are_printed_as_csv(cli: Cli, tiny: str, here: Path) -> None:
    def table(*arguments: str) -> list[dict[str, str]]:
        return [*csv.DictReader(io.StringIO(cli(*arguments).out))]

    for kind in ("techniques", "scenarios", "profiles", "studies", "sweeps", "words"):
        names = [item["name"] for item in json.loads(cli("list", kind, "--json").out)[kind]]
        assert [next(iter(row.values())) for row in table("list", kind, "--csv")] == names
    assert cli("list", "records").out == "There are no records yet: `multihop run SCENARIO` makes one.\n"
    cli("run", tiny, "-n", "2")
    assert [row["record"] for row in table("list", "records", "--csv")] == [multihop.records().id]
    document = json.loads(cli("check", tiny, "--json").out)
    assert [float(row["ceiling_bps"]) for row in table("check", tiny, "--csv", "flows")] == [
        flow["ceiling_bps"] for flow in document["flows"]
    ]
    assert len(table("check", tiny, "--csv", "links")) == len(document["links"])
    assert [[*row.values()] for row in table("check", tiny, "--csv", "hidden")] == document["hidden_pairs"]
    assert "did you mean `links`?" in cli("check", tiny, "--csv", "link").err
    (here / "small.toml").write_text(STUDY, encoding="utf-8")
    claims = table("reproduce", "small.toml", "--quick", "--csv")
    assert [(row["claim"], row["verdict"]) for row in claims] == [("A", "open"), ("B", "not judged")]
    assert "reaches beyond" in claims[0]["reason"]


def test_where_no_bar_can_be_drawn_a_line_says_now_and_then_how_far_the_runs_are(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    seconds = iter([0.0, 10.0, 31.0, 40.0, 62.0])
    monkeypatch.setattr("multihop.out.progress.time.monotonic", lambda: next(seconds))
    with Bar() as bar:
        bar.begin(8, 800.0)
        for finished in (1, 3, 4, 6):
            bar.update(State(finished=finished, stored=1, simulated_s=100.0 * (finished - 1)))
    said = capfd.readouterr().err.splitlines()
    assert said == [
        "3 of 8 runs, 1 from the store; 38 % simulated after 31 s",
        "6 of 8 runs, 1 from the store; 75 % simulated after 62 s",
    ]
