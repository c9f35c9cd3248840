"""Tab completion of `--set PATH=VALUE` and of flows: what the scenario on the command line has, and may have."""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Iterator
from typing import Any

import typer

from multihop import _engine
from multihop.home import store_folder
from multihop.places import by_name

PROBE = 'topology = { kind = "chain", hops = 1, spacing = "200 m" }\n'
"""Stands in for a scenario that is not named yet, or has a mistake in it."""
ENDS = re.compile(r"flow\..+\.(from|to)")
"""Keys whose value is a node."""

Schema = dict[str, Any]


def assignments(ctx: typer.Context, incomplete: str) -> Iterator[tuple[str, str]]:
    """Keys with what they mean; the values of a key once it is whole, its present value first."""
    known, schema = _resolved(_first(ctx, "scenario") or ""), json.loads(_engine.schema())
    flows = [str(flow["id"]) for flow in known["flows"]]
    present = {by_name(path, flows): entry["value"] for path, entry in known["values"].items()}
    path, equals, _ = incomplete.partition("=")
    keys = [*present, *(key for key in _possible(schema, "") if key not in present)]
    found = [key for key in keys if key.startswith(path)] if not equals else [path]
    for key in found if len(found) > 1 else ():
        yield key, _about(schema, key)
    for key in found if len(found) == 1 else ():
        words = _values(schema, key, present.get(key), [str(node["name"]) for node in known["nodes"]])
        for value, about in words.items():
            if f"{key}={value}".startswith(incomplete):
                yield f"{key}={value}", about


def flows(ctx: typer.Context, incomplete: str) -> Iterator[str]:
    """Flows of the record on the command line, or of the latest."""
    said = _first(ctx, "record", "words")
    with contextlib.suppress(OSError, ValueError, KeyError, IndexError, StopIteration):
        root = store_folder()
        sets = sorted((root / "sets").glob(f"{said}*.json")) if said else []
        last = sets[0].stem if sets else json.loads((root / "latest.json").read_text())["sets"][0]
        run = json.loads((root / "sets" / f"{last}.json").read_text(encoding="utf-8"))["runs"][0]
        document = json.loads((root / "records" / run / "run.json").read_text(encoding="utf-8"))
        yield from (str(f["id"]) for f in document["flows"] if str(f["id"]).startswith(incomplete))


def _first(ctx: typer.Context, *names: str) -> str | None:
    """The first argument on the command line: where an option has no value yet, nobody has named it."""
    for said in (*(ctx.params.get(name) for name in names), ctx.args):
        words = [said] if isinstance(said, str) else [*(said or ())]
        if words and not words[0].startswith("-"):
            return str(words[0])
    return None


def _resolved(scenario: str) -> Schema:
    """The resolved scenario that is named, or the smallest one."""
    from multihop.scenario import load

    for text, name in ((scenario, scenario), (PROBE, "probe")):
        with contextlib.suppress(Exception):  # a mistake in it is said when it runs, not at a TAB
            whole = load(text).text if text == scenario else text
            found: Schema = json.loads(_engine.resolve(whole, name, [], []).json())
            return found
    return {"values": {}, "flows": [], "nodes": []}


def default_of(key: str) -> str:
    """The value of a key where nothing sets it, as it is written after `=`; empty if it has none."""
    entry = _resolved("")["values"].get(key)
    return "" if entry is None or isinstance(entry["value"], list | dict) else _plain(entry["value"])


def _possible(schema: Schema, prefix: str) -> Iterator[str]:
    """All keys that a file may have, but for those of lists."""
    for key, part in _properties(schema, schema):
        inner = [*_properties(part, schema)]
        if inner:
            yield from (f"{prefix}{key}.{rest}" for rest in _possible_in(part, schema))
        elif part.get("type") != "array":
            yield f"{prefix}{key}"


def _possible_in(part: Schema, schema: Schema) -> Iterator[str]:
    for key, inner in _properties(part, schema):
        if key == "kind" or not [*_properties(inner, schema)]:
            if inner.get("type") != "array":
                yield key
        else:
            yield from (f"{key}.{rest}" for rest in _possible_in(inner, schema))


def _properties(part: Schema, schema: Schema) -> Iterator[tuple[str, Schema]]:
    """The keys of a section with their definitions, of all its kinds."""
    whole = _target(part, schema)
    for variant in (whole, *whole.get("oneOf", ())):
        yield from variant.get("properties", {}).items()


def _target(part: Schema, schema: Schema) -> Schema:
    """What a definition refers to; what may be left out, as it is where it is not."""
    for one in part.get("anyOf", ()):
        if one.get("type") != "null":
            return _target(one, schema)
    if "$ref" in part:
        found: Schema = schema["$defs"][part["$ref"].removeprefix("#/$defs/")]
        return found
    return part


def _at(schema: Schema, path: str) -> list[Schema]:
    """The definitions of a key; several where kinds share it. Entries of lists are passed by their names."""
    parts = [schema]
    for name in path.split("."):
        inner = [value for part in parts for key, value in _properties(part, schema) if key == name]
        lists = [_target(part, schema).get("items") for part in parts]
        parts = inner or [one for one in lists if isinstance(one, dict)]
    return parts


def _about(schema: Schema, path: str) -> str:
    """What a key means, in its first sentence."""
    said = [str(part.get("description", "")) for part in _at(schema, path)]
    return " ".join(next(filter(None, said), "").split()).partition(". ")[0].rstrip(".")


def _values(schema: Schema, path: str, present: Any, nodes: list[str]) -> dict[str, str]:
    """Values that a key may take with what they mean: its present one, then words to choose from."""
    found = {} if present is None or isinstance(present, list | dict) else {_plain(present): "as it is now"}
    for part in _at(schema, path):
        whole = _target(part, schema)
        for one in whole.get("oneOf", ()):
            if "const" in one:
                found.setdefault(str(one["const"]), " ".join(str(one.get("description", "")).split()))
        for word in whole.get("enum", ()):
            found.setdefault(str(word), "")
        if whole.get("type") == "boolean":
            found |= {word: found.get(word, "") for word in ("true", "false")}
        if "const" in whole:
            found.setdefault(str(whole["const"]), "")
        for example in whole.get("examples", ()) if present is None else ():
            found.setdefault(_plain(example), "for example")
    if ENDS.fullmatch(path):
        found |= {name: found.get(name, "a node") for name in nodes}
    return found


def _plain(value: Any) -> str:
    """A value as it needs no quotes in a shell: units stand without a space before them."""
    if isinstance(value, bool):
        return str(value).lower()
    return re.sub(r"^([0-9.e+-]+) (\S+)$", r"\1\2", value) if isinstance(value, str) else f"{value:g}"
