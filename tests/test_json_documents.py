"""Real output against the JSON Schemas and the reference page."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from referencing import Registry, Resource

from conftest import Cli
from multihop.document import dumps, json_schema
from multihop.out.reference import page, schemas

COMMANDS = {
    "run": ("run", "tiny.toml", "-n", "2"),
    "compare": ("compare", "tiny.toml", "--techniques", "none,drr", "-n", "2"),
    "list": ("list", "techniques"),
}


def validator(document: str) -> jsonschema.Draft202012Validator:
    registry: Registry[Any] = Registry().with_resources(
        (str(schema["$id"]), Resource.from_contents(schema)) for schema in schemas().values()
    )
    return jsonschema.Draft202012Validator(json_schema(document), registry=registry)


@pytest.mark.parametrize("name", sorted(schemas()))
def test_the_schemas_are_schemas(name: str) -> None:
    jsonschema.Draft202012Validator.check_schema(json_schema(name))


@pytest.mark.parametrize("name", COMMANDS)
def test_real_output_is_as_described(cli: Cli, tiny: str, name: str) -> None:
    document = json.loads(cli(*COMMANDS[name], "--json").out)
    validator(name).validate(document)


@pytest.mark.parametrize("name", COMMANDS)
def test_a_document_without_a_field_is_refused(cli: Cli, tiny: str, name: str) -> None:
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


def test_the_page_is_written_from_the_schemas() -> None:
    written = Path(__file__).parent.parent / "docs" / "reference" / "json.md"
    assert written.read_text(encoding="utf-8") == page(), (
        "run `python -m multihop.out.reference > docs/reference/json.md`"
    )


def test_documents_are_strict_json() -> None:
    text = dumps({"a": float("nan"), "b": [float("inf"), 1.5], "c": ("ü",)})
    assert json.loads(text, parse_constant=pytest.fail) == {"a": None, "b": [None, 1.5], "c": ["ü"]}
