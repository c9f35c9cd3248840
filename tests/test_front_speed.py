"""What commands that only answer a question load: a test of imports, not of seconds."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

HEAVY = ("pandas", "scipy", "pyarrow", "matplotlib", "jinja2", "numpy", "msgspec", "pydantic")
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
    ["run", "--help"],
    ["remove", "--help"],
    ["export", "--help"],
    ["list", "techniques"],
    ["list", "words", "--csv"],
)
ASK = """
import contextlib, sys
from multihop.cli import main
with contextlib.suppress(SystemExit):
    main({words!r})
sys.stderr.write("LOADED " + " ".join(m for m in {heavy!r} if m in sys.modules))
"""


def loaded(words: list[str], allowed: tuple[str, ...] = (), **environment: str) -> set[str]:
    code = ASK.format(words=words, heavy=HEAVY)
    env = {**os.environ, **environment}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, env=env)
    assert "LOADED" in done.stderr, done.stderr[-500:]
    return {*done.stderr.rpartition("LOADED")[2].split()} - {*allowed}


@pytest.mark.parametrize(
    "words",
    [
        ["--help"],
        ["remove", "--help"],
        ["export", "--help"],
        ["run", "--help"],
        ["list", "techniques"],
        ["list", "words", "--csv"],
    ],
)
def test_answers_load_no_library_for_numbers(words: list[str]) -> None:
    assert loaded(words) - {"pydantic"} == set()  # which typer itself may load


@pytest.mark.parametrize("words", TABS)
def test_a_tab_loads_none_either(words: str) -> None:
    place = str(len(words.split(" ")) - 1)
    found = loaded([], _MULTIHOP_COMPLETE="complete_bash", COMP_WORDS=words, COMP_CWORD=place)
    assert found - {"pydantic"} == set()


def test_a_check_draws_and_computes_nothing() -> None:
    assert loaded(["check", "chain"]) & {"pandas", "scipy", "pyarrow", "matplotlib", "jinja2"} == set()
