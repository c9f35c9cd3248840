"""Real output against the JSON Schemas and the reference page."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from referencing import Registry, Resource

from conftest import Cli
from multihop.out.reference import page, schemas
from multihop.record.document import dumps, json_schema

COMMANDS = {
    "check": ("check", "tiny.toml"),
    "run": ("run", "tiny.toml", "-n", "2"),
    "compare": ("compare", "tiny.toml", "--techniques", "none,drr", "-n", "2"),
    "list": ("list", "techniques"),
    "explain": ("explain",),
    "advise": ("advise", "tiny.toml", "--budget-runs", "120", "--can", "both"),
    "reproduce": ("reproduce", "small.toml", "--quick"),
    "reproduce-all": ("reproduce", "small.toml", "other.toml", "--quick"),
}
STUDY = """
[study]
name = "small"
title = "Two queues"

[[experiment]]
name = "paths"
techniques = ["drr", "persistent-queue"]
runs = 2
sweep.hops = [2, 3]
scenario = '''
run.duration = "3 s"
topology = { kind = "chain", hops = $hops, spacing = "200 m" }
[[flow]]
kind = "bulk"
from = "0"
to = "$hops"
'''

[[claim]]
id = "A"
tier = "must"
where = "Fig 1"
text = "The queue gains."
paper = 1.5
unit = "Mbit/s"
value = { metric = "goodput", of = "paths", flow = "1", technique = "persistent-queue", hops = 3 }
against = { technique = "drr" }
accept = { ratio-above = 1 }

[[claim]]
id = "B"
tier = "info"
where = "Table 1"
text = "It has its parameters."
paper = "two hops"
value = { metric = "goodput", of = "paths", flow = "1", technique = "drr", hops = 2 }
accept = { not-judged = "the paper gives no number" }
"""


def validator(document: str) -> jsonschema.Draft202012Validator:
    registry: Registry[Any] = Registry().with_resources(
        (str(schema["$id"]), Resource.from_contents(schema)) for schema in schemas().values()
    )
    return jsonschema.Draft202012Validator(json_schema(document), registry=registry)


@pytest.mark.parametrize("name", sorted(schemas()))
def test_the_schemas_are_schemas(name: str) -> None:
    jsonschema.Draft202012Validator.check_schema(json_schema(name))


@pytest.fixture
def small(tiny: str, cli: Cli) -> None:
    """What all commands need: a scenario, a study, and a record of a comparison."""
    Path("small.toml").write_text(STUDY, encoding="utf-8")
    Path("other.toml").write_text(STUDY.replace('"small"', '"other"'), encoding="utf-8")
    cli(*COMMANDS["compare"])


@pytest.mark.parametrize("name", COMMANDS)
@pytest.mark.usefixtures("small")
def test_real_output_is_as_described(cli: Cli, name: str) -> None:
    document = json.loads(cli(*COMMANDS[name], "--json").out)
    validator(name).validate(document)


@pytest.mark.parametrize("name", COMMANDS)
@pytest.mark.usefixtures("small")
def test_a_document_without_a_field_is_refused(cli: Cli, name: str) -> None:
    document = json.loads(cli(*COMMANDS[name], "--json").out)
    for field in json_schema(name)["required"]:
        with pytest.raises(jsonschema.ValidationError):
            validator(name).validate({k: v for k, v in document.items() if k != field})


def test_nothing_is_said_that_is_not_described(cli: Cli, tiny: str) -> None:
    """Every field of a run stands in the schema."""
    run = json.loads(cli(*COMMANDS["run"], "--json").out)["runs"][0]
    parts = json_schema("run")["$defs"]
    known = {name: set(parts[name]["properties"]) for name in ("run", "flow", "node", "ledger", "window")}
    assert set(run) <= known["run"]
    assert set(run["flows"][0]) <= known["flow"]
    assert set(run["nodes"][0]) <= known["node"]
    assert set(run["ledger"]) <= known["ledger"]
    assert set(run["flows"][0]["windows"][0]) <= known["window"]


@pytest.mark.usefixtures("small")
def test_nothing_is_explained_that_is_not_described(cli: Cli) -> None:
    """Every field of `explain` and `reproduce` stands in their schemas."""
    explained = json.loads(cli(*COMMANDS["explain"], "--json").out)
    _described("explain", explained)
    _described("advise", json.loads(cli(*COMMANDS["advise"], "--json").out))
    _described("check", json.loads(cli(*COMMANDS["check"], "--json").out))
    reproduced = json.loads(cli(*COMMANDS["reproduce"], "--json").out)
    _described("reproduce", reproduced)
    _described("reproduce-all", json.loads(cli(*COMMANDS["reproduce-all"], "--json").out))
    assert explained["flows"][0]["deaths"]
    assert reproduced["claims"][0]["points"]


def _described(name: str, document: dict[str, Any]) -> None:
    """The document is valid even if its schema allows no field that it does not name."""

    def closed(part: Any) -> Any:
        if isinstance(part, list):
            return [closed(item) for item in part]
        if not isinstance(part, dict):
            return part
        inner = {key: closed(value) for key, value in part.items()}
        return (
            inner | {"additionalProperties": False} if part.get("type") == "object" and "properties" in part else inner
        )

    registry: Registry[Any] = Registry().with_resources(
        (str(schema["$id"]), Resource.from_contents(closed(schema))) for schema in schemas().values()
    )
    jsonschema.Draft202012Validator(closed(json_schema(name)), registry=registry).validate(document)


def test_the_page_is_written_from_the_schemas() -> None:
    written = Path(__file__).parent.parent / "docs" / "reference" / "json.md"
    assert written.read_text(encoding="utf-8") == page(), (
        "run `python -m multihop.out.reference > docs/reference/json.md`"
    )


def test_documents_are_strict_json() -> None:
    text = dumps({"a": float("nan"), "b": [float("inf"), 1.5], "c": ("ü",)})
    assert json.loads(text, parse_constant=pytest.fail) == {"a": None, "b": [None, 1.5], "c": ["ü"]}
