"""What helps while typing: the schema that editors read, and the completion of settings and flows in three shells."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any
from urllib.parse import urlparse

import jsonschema
import pytest

import multihop
from conftest import Cli
from multihop import _engine
from multihop.scenario.editor import schema_line, with_schema

MULTIHOP = [sys.executable, "-c", "from multihop.cli import main; main()"]
SMALL = 'topology = { kind = "chain", hops = 1, spacing = "200 m" }\n'


@pytest.fixture(scope="module")
def schema() -> dict[str, Any]:
    """The file that the first line of a starter names."""
    path = Path(urlparse(schema_line().removeprefix("#:schema ").strip()).path)
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    jsonschema.Draft7Validator.check_schema(found)
    return found


def faults(schema: dict[str, Any], text: str) -> list[str]:
    return [error.message for error in jsonschema.Draft7Validator(schema).iter_errors(tomllib.loads(text))]


def test_a_starter_names_the_schema_wherever_it_is_written(cli: Cli, here: Path, schema: dict[str, Any]) -> None:
    assert cli("new", "some/where/mine").code == 0
    text = (here / "some" / "where" / "mine.toml").read_text(encoding="utf-8")
    assert text.startswith(schema_line())
    assert faults(schema, text) == []
    assert cli("new", "copy", "--from", "some/where/mine.toml").code == 0
    assert (here / "copy.toml").read_text(encoding="utf-8") == text  # the line is there once
    assert with_schema("#:schema old.json\na = 1\n") == f"{schema_line()}a = 1\n"


def test_every_shipped_scenario_and_example_fits(schema: dict[str, Any]) -> None:
    texts = dict(_engine.shipped("scenarios"))
    read = {path.name: path.read_text() for path in (Path(__file__).parents[1] / "examples").glob("*.toml")}
    texts |= {name: text for name, text in read.items() if "[[command]]" not in text}  # commands are no scenario
    assert {name: found for name, text in texts.items() if (found := faults(schema, text))} == {}


@pytest.mark.parametrize(
    "text",
    [
        "run.duration = 3",
        'run.duration = "3"',
        "tcp.windw = 8",
        'mac.kind = "dfc"',
        'mac.slottime = "20 us"',
        'flow = [{ to = "1" }]',
        'air.bit-error-rate = "few"',
        'routing.kind = "ospf"',
    ],
)
def test_what_the_engine_refuses_an_editor_marks(schema: dict[str, Any], text: str) -> None:
    flow = "" if text.startswith("flow") else 'flow = [{ from = "0", to = "1" }]\n'
    with pytest.raises(multihop.ScenarioError):
        multihop.scenario.scenario.Scenario("x", f"{text}\n{SMALL}{flow}", "x.toml").resolve()
    assert faults(schema, f"{text}\n{SMALL}{flow}")


def test_every_key_is_described_and_every_quantity_has_its_unit(schema: dict[str, Any]) -> None:
    definitions = schema["definitions"].items()
    units = {f"#/definitions/{name}" for name, part in definitions if "with its unit" in part.get("description", "")}
    keys = quantities = 0
    parts: list[Any] = [schema]
    while parts:
        part = parts.pop()
        if isinstance(part, list):
            parts += part
        elif isinstance(part, dict):
            parts += part.values()
            for name, key in part.get("properties", {}).items() if "type" in part else ():
                keys += 1
                assert "description" in key or "const" in key, name
                if {"$ref": key.get("allOf", [{}])[0].get("$ref")} in [{"$ref": unit} for unit in units]:
                    quantities += 1
                    assert "with its unit" in key["description"], name
    assert keys > 300
    assert quantities > 50


def bash(*words: str) -> list[str]:
    """What bash is answered: it hands over words that end at `=` and `:`, a line each, and the place of the last."""
    asked = {"_MULTIHOP_COMPLETE": "complete_bash", "COMP_WORDS": "\n".join(words), "COMP_CWORD": str(len(words) - 1)}
    return answer(asked)


def answer(asked: dict[str, str]) -> list[str]:
    done = subprocess.run(MULTIHOP, env={**os.environ, **asked}, capture_output=True, text=True, check=False)
    assert done.stderr == ""
    return done.stdout.split("\n")


@pytest.mark.parametrize(
    ("words", "there", "gone"),
    [
        (["tcp.max-w"], ["tcp.max-window=20"], []),  # a key that is whole is shown with what it is now
        (["tcp.max"], ["tcp.max-window", "tcp.max-rto"], ["tcp.min-rto"]),
        (["tcp.max-window", "="], ["20"], []),
        (["tcp.window", "=", "ren"], ["reno"], ["newreno"]),
        (["tcp.window", "="], ["reno", "tahoe", "newreno"], []),
        (["mac.backoff-freeze", "=", "f"], [], ["true"]),
        (["flow.1."], ["flow.1.from", "flow.1.to"], []),
        (["flow.1.to", "=", ""], [], []),
        (["flow.1.to", "="], ["3", "0"], ["7"]),
        (["air.range"], ["air.range=250m"], ["air.range=250 m"]),  # no space: a shell would end the word there
        (["nothing.like-this"], [], []),
    ],
)
def test_settings_are_completed_in_bash(tiny: str, words: list[str], there: list[str], gone: list[str]) -> None:
    found = bash("multihop", "run", tiny, "--set", *words)
    assert {*there} <= {*found}
    assert not {*gone} & {*found}


def test_the_last_piece_of_a_technique_is_completed_in_bash() -> None:
    assert "persistent-queue" not in bash("multihop", "run", "chain", "-t", "small-window", ":", "8+pers")
    assert "8+persistent-queue" in bash("multihop", "run", "chain", "-t", "small-window", ":", "8+pers")


def test_settings_are_completed_in_zsh_and_fish(tiny: str) -> None:
    line = {"_TYPER_COMPLETE_ARGS": f"multihop compare {tiny} --set air.capture-"}
    assert answer({"_MULTIHOP_COMPLETE": "complete_zsh", **line})
    words = {"_TYPER_COMPLETE_ARGS": f"multihop compare {tiny} --set flow.2.fr"}
    assert '"flow.2.from=3":"as it is now"' in "".join(answer({"_MULTIHOP_COMPLETE": "complete_zsh", **words}))
    fish = {"_MULTIHOP_COMPLETE": "complete_fish", "_TYPER_COMPLETE_FISH_ACTION": "get-args", **words}
    assert "flow.2.from=3\tas it is now" in answer(fish)


def test_a_broken_scenario_is_no_trouble_at_a_tab(here: Path) -> None:
    (here / "broken.toml").write_text("run.duration = [")
    assert "tcp.max-window=20" in bash("multihop", "run", "broken.toml", "--set", "tcp.max-w")


def test_flows_are_completed_from_the_record(cli: Cli, here: Path) -> None:
    assert cli("new", "mine").code == 0
    assert bash("multihop", "explain", "--flow", "") == ["", ""]
    assert cli("run", "mine.toml", "-n", "1", "--set", "run.duration=12 s", "--set", "measure.window=[]").code == 0
    assert bash("multihop", "explain", "--flow", "")[:3] == ["download", "photos", "call"]
    record = multihop.records().id[:8]
    assert bash("multihop", "plot", record, "cwnd", "-f", "ph")[0] == "photos"
