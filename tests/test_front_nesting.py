"""Documents that are nested deeper than anything that can be said: refused in a sentence, and at once."""

from __future__ import annotations

from pathlib import Path

import pytest

import multihop
from conftest import Cli
from multihop.errors import InputError

DEEP = {
    "lists": "x = " + "[" * 200_000,
    "tables": "x = " + "{a=" * 200_000,
    "keys": "a" + ".a" * 200_000 + " = 1",
    "heads": "[a" + ".a" * 200_000 + "]",
}
"""Ways to nest in TOML."""


@pytest.mark.parametrize("text", DEEP.values(), ids=DEEP)
def test_toml_that_is_nested_too_deep_is_refused_at_once(text: str, here: Path, cli: Cli) -> None:
    (here / "deep.toml").write_text(f'topology = {{ kind = "chain", hops = 1 }}\n{text}\n', encoding="utf-8")
    for command in (["check", "deep.toml"], ["run", "deep.toml"], ["run", "deep.toml", "--set", "flow.1.to=0"]):
        done = cli(*command)
        assert done.code == 2
        assert "deep.toml:2:" in done.err
        assert "nested more than 32 deep" in done.err
        assert len(done.err) < 500


def test_a_study_and_a_technique_that_are_nested_too_deep_are_refused(here: Path, cli: Cli) -> None:
    (here / "deep.toml").write_text(DEEP["keys"], encoding="utf-8")
    for command in (["reproduce", "deep.toml"], ["run", "chain-1hop", "-t", "deep.toml"]):
        done = cli(*command)
        assert done.code == 2
        assert "nested more than 32 deep" in done.err


def test_dicts_that_are_nested_too_deep_are_refused() -> None:
    deep: dict[str, object] = {}
    for _ in range(100_000):
        deep = {"a": deep}
    with pytest.raises(InputError, match="nested so deep"):
        multihop.load({"topology": {"kind": deep}})
    circle: dict[str, object] = {}
    circle["a"] = circle
    with pytest.raises(InputError, match="nor hold themselves"):
        multihop.load({"topology": {"kind": circle}})
