"""Keys of a scenario, from the engine's JSON Schema: which there are, what they mean, which values they take."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from multihop import _engine

Schema = dict[str, Any]
PROBE = 'topology = { kind = "chain", hops = 1, spacing = "200 m" }\n'
"""The smallest scenario."""


@cache
def schema() -> Schema:
    """The JSON Schema of a scenario file."""
    found: Schema = json.loads(_engine.schema())
    return found


@cache
def defaults() -> Schema:
    """What the smallest scenario resolves to."""
    found: Schema = json.loads(_engine.resolve(PROBE, "probe", [], []).json())
    return found


def every() -> list[str]:
    """All keys that a file may have, but for those of lists."""
    return [*dict.fromkeys(_possible())]


def called(name: str) -> list[str]:
    """The keys that are meant: one by its path, or all whose last part it is."""
    known = every()
    return [name] if name in known else [path for path in known if path.rpartition(".")[2] == name]


def about(path: str) -> str:
    """What a key means, in its first sentence."""
    return meaning(path).partition(". ")[0].rstrip(".")


def meaning(path: str) -> str:
    """What a key means, in one line."""
    said = (str(part.get("description", "")) for part in at(path))
    return " ".join(next(filter(None, said), "").split())


def default_of(path: str) -> str:
    """The value of a key where nothing sets it, as it is written after `=`; empty if it has none."""
    entry = defaults()["values"].get(path)
    return "" if entry is None or isinstance(entry["value"], list | dict) else plain(entry["value"])


def choices(path: str) -> dict[str, str]:
    """The words that a key may take, with what they mean; none if it takes other values."""
    found: dict[str, str] = {}
    for part in at(path):
        whole = _target(part)
        for one in whole.get("oneOf", ()):
            if "const" in one:
                found.setdefault(plain(one["const"]), " ".join(str(one.get("description", "")).split()))
        for word in whole.get("enum", ()):
            found.setdefault(str(word), "")
        if whole.get("type") == "boolean":
            found |= {word: found.get(word, "") for word in ("true", "false")}
        if "const" in whole:
            found.setdefault(str(whole["const"]), "")
    return found


def examples(path: str) -> list[str]:
    """Values that the schema gives as examples."""
    return [plain(value) for part in at(path) for value in _target(part).get("examples", ())]


def of_section(name: str) -> dict[str, str]:
    """The keys of a section with the first sentence of what each means; none if there is no such section."""
    return {path: about(path) for path in every() if path.startswith(f"{name}.")}


def stranger(tree: Mapping[str, Any]) -> tuple[str, list[str]] | None:
    """The first key of a tree that no scenario has, with those that could stand there; None if all are known."""
    return _stranger(tree, [schema()], "")


def _stranger(tree: Mapping[str, Any], parts: list[Schema], where: str) -> tuple[str, list[str]] | None:
    known: dict[str, list[Schema]] = {}
    for part in parts:
        for key, inner in _properties(part):
            known.setdefault(key, []).append(inner)
    if not known:
        return None
    for key, value in tree.items():
        if key not in known:
            return f"{where}{key}", [*known]
        entries = (_target(part).get("items") for part in known[key])
        inside = [one for one in entries if isinstance(one, dict)] if isinstance(value, list) else known[key]
        for item in value if isinstance(value, list) else [value]:
            if isinstance(item, Mapping) and (found := _stranger(item, inside, f"{where}{key}.")):
                return found
    return None


def at(path: str) -> list[Schema]:
    """The definitions of a key; several where kinds share it. Entries of lists are passed by their names."""
    parts = [schema()]
    for name in path.split("."):
        inner = [value for part in parts for key, value in _properties(part) if key == name]
        lists = [_target(part).get("items") for part in parts]
        parts = inner or [one for one in lists if isinstance(one, dict)]
    return parts


def plain(value: Any) -> str:
    """A value as it needs no quotes in a shell: units stand without a space before them."""
    if isinstance(value, bool):
        return str(value).lower()
    return re.sub(r"^([0-9.e+-]+) (\S+)$", r"\1\2", value) if isinstance(value, str) else f"{value:g}"


def _possible() -> Iterator[str]:
    for key, part in _properties(schema()):
        inner = [*_properties(part)]
        if inner:
            yield from (f"{key}.{rest}" for rest in _possible_in(part))
        elif part.get("type") != "array":
            yield key


def _possible_in(part: Schema) -> Iterator[str]:
    for key, inner in _properties(part):
        if key == "kind" or not [*_properties(inner)]:
            if inner.get("type") != "array":
                yield key
        else:
            yield from (f"{key}.{rest}" for rest in _possible_in(inner))


def _properties(part: Schema) -> Iterator[tuple[str, Schema]]:
    """The keys of a section with their definitions, of all its kinds."""
    whole = _target(part)
    for variant in (whole, *whole.get("oneOf", ())):
        yield from variant.get("properties", {}).items()


def _target(part: Schema) -> Schema:
    """What a definition refers to; what may be left out, as it is where it is not."""
    for one in part.get("anyOf", ()):
        if one.get("type") != "null":
            return _target(one)
    if "$ref" in part:
        found: Schema = schema()["$defs"][part["$ref"].removeprefix("#/$defs/")]
        return found
    return part
