"""What commands that only answer a question load: a test of imports, not of seconds."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from conftest import Cli

HEAVY = (
    *("pandas", "scipy", "pyarrow", "matplotlib", "jinja2", "numpy", "pydantic"),
    *("markdown_it", "pygments", "typer.rich_utils"),
)
PRINTS = ("rich.console", "rich.table")
"""What draws tables, which a shell that asks for words does not need."""
TABS = (
    "multihop run chain -t pers",
    "multihop run ch",
    "multihop list ",
    "multihop run chain --set tcp.max-w",
    "multihop remove ",
    "multihop explain --flow ",
)
ANSWERS = (
    ["--help"],
    ["--version"],
    ["run", "--help"],
    ["remove", "--help"],
    ["export", "--help"],
    ["list", "techniques"],
    ["list", "records"],
    ["list", "words", "--csv"],
    ["run", "chain", "--runs", "many"],
)
ASK = """
import contextlib, sys
from multihop.cli import main
with contextlib.suppress(SystemExit):
    main({words!r})
sys.stderr.write("LOADED " + " ".join(m for m in {heavy!r} if m in sys.modules))
"""


def loaded(words: list[str], **environment: str) -> set[str]:
    code = ASK.format(words=words, heavy=HEAVY + PRINTS)
    env = {**os.environ, **environment}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, env=env)
    assert "LOADED" in done.stderr, done.stderr[-500:]
    return {*done.stderr.rpartition("LOADED")[2].split()}


@pytest.mark.parametrize("words", ANSWERS, ids=" ".join)
def test_answers_load_neither_numbers_nor_what_only_the_library_of_options_wants(words: list[str]) -> None:
    assert loaded(words) - {*PRINTS} == set()


@pytest.mark.parametrize("words", TABS)
def test_a_tab_loads_none_either(words: str) -> None:
    place = str(len(words.split(" ")) - 1)
    found = loaded([], _MULTIHOP_COMPLETE="complete_bash", COMP_WORDS=words, COMP_CWORD=place)
    assert found == set()


def test_a_check_draws_and_computes_nothing() -> None:
    assert loaded(["check", "chain"]) & {"pandas", "scipy", "pyarrow", "matplotlib", "jinja2"} == set()


def test_a_run_loads_what_stores_it_and_no_more(here: Path, tiny: str) -> None:
    """pyarrow would load pandas for itself."""
    assert loaded(["run", tiny, "--runs", "1"]) & {*HEAVY} == {"numpy", "pyarrow"}
    assert loaded(["run", tiny, "--runs", "1"]) & {*HEAVY} == {"numpy"}


def test_a_run_that_is_asked_for_a_table_has_pandas_all_the_same(cli: Cli, tiny: str) -> None:
    code = "from multihop.cli import main; main({!r})"
    words = ["run", tiny, "--runs", "2", "--fresh", "--csv", "flows"]
    done = subprocess.run([sys.executable, "-c", code.format(words)], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == cli(*words[:4], "--csv", "flows").out


def test_an_explanation_needs_no_frames(cli: Cli, tiny: str) -> None:
    assert cli("run", tiny, "--runs", "2").code == 0
    assert loaded(["explain"]) & {*HEAVY} == {"numpy"}


@pytest.mark.parametrize(
    "words", [["nothing-such"], ["cwnd", "--flow", "nobody"], ["cwnd", "--run", "9"], ["goodput", "--flow", "nobody"]]
)
def test_a_figure_that_is_not_there_is_said_before_anything_draws(cli: Cli, tiny: str, words: list[str]) -> None:
    assert cli("run", tiny, "--runs", "1").code == 0
    done = cli("plot", *words)
    assert (done.code, done.out, len(done.err.splitlines())) == (2, "", 1)
    assert loaded(["plot", *words]) & {"matplotlib", "scipy"} == set()
