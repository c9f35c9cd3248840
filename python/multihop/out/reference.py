"""The reference page of the JSON documents, written from their schemas.

`python -m multihop.out.reference > docs/reference/json.md` writes it anew; a test holds the page against the schemas.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from importlib.resources import files
from typing import Any

from multihop.record.document import json_schema

HEAD = """# JSON documents

`multihop check`, `run`, `compare`, `list`, `explain` and `reproduce` print one JSON document on standard output with
`--json`, and nothing else there: progress, warnings and errors go to standard error. The exit code is 0, or 2 for bad
input: then there is no document. It is 130 if Ctrl-C stopped it: then the document holds the runs that had finished.

All documents carry `"schema": 1`. Schema 1 only ever gains fields: a program that ignores what it does not know keeps
working. All figures are in SI units, and their unit is the end of their name: `_s` seconds, `_bps` bit/s, `_bytes`
bytes. A figure that is not known is `null`. The documents are strict JSON, without `NaN`.

The JSON Schemas stand in the package: `multihop.record.document.json_schema("run")` and so on.

```sh
multihop run chain --json | jq '.summary.goodput_bps'
multihop compare chain -t none,drr --json | jq '.comparisons[] | select(.figure == "goodput_bps")'
```
"""
ORDER = ("check", "run", "compare", "advise", "explain", "list", "reproduce", "reproduce-all")
"""Documents in the order of the page; those that have a schema are described."""
TABLE = "| field | type | meaning |\n|---|---|---|"

Schema = dict[str, Any]


def page() -> str:
    """The page as Markdown."""
    parts = [HEAD]
    for name, schema in schemas().items():
        parts.append(f"## multihop {name.replace('-', ' ')}\n\n{schema['description']}\n\n{_table(schema, schema)}\n")
        for part, definition in schema.get("$defs", {}).items():
            if "properties" in definition:
                head = f"### {_title(name, part)}\n\n{definition['description']}"
                parts.append(f"{head}\n\n{_table(definition, schema)}\n")
    return "\n".join(parts)


def schemas() -> dict[str, Schema]:
    """The schemas that the package has, by document."""
    folder = files("multihop").joinpath("schema")
    return {name: json_schema(name) for name in ORDER if folder.joinpath(f"{name}.json").is_file()}


def _table(part: Schema, document: Schema) -> str:
    return "\n".join([TABLE, *_rows(part, document, "")])


def _rows(part: Schema, document: Schema, prefix: str) -> Iterator[str]:
    required = part.get("required", ())
    for name, field in part["properties"].items():
        absent = "" if name in required else " May be absent."
        yield f"| `{prefix}{name}` | {_type(field, document)} | {_meaning(field, document)}{absent} |"
        for inner, mark in (
            (field, "."),
            (field.get("items", {}), "[]."),
            (field.get("additionalProperties", {}), ".*."),
        ):
            if isinstance(inner, dict) and "properties" in inner:
                yield from _rows(inner, document, f"{prefix}{name}{mark}")


def _type(field: Schema, document: Schema) -> str:
    kind = field.get("type", "any")
    if "$ref" in field:
        name, part = _target(field["$ref"], document)
        title = _title(name, part) if part else f"multihop {name}"
        return f"[{title}](#{title.replace(' ', '-')})"
    if "const" in field:
        return f"{field['const']}"
    if "enum" in field:
        return ", ".join(f"`{value}`" for value in field["enum"])
    if "anyOf" in field:
        return " or ".join(_type(choice, document) for choice in field["anyOf"])
    if isinstance(kind, list):
        return " or ".join(kind)
    if kind == "array":
        return f"list of {_type(field['items'], document)}"
    if kind == "object" and isinstance(field.get("additionalProperties"), dict) and "properties" not in field:
        return f"object: name to {_type(field['additionalProperties'], document)}"
    return str(kind)


def _meaning(field: Schema, document: Schema) -> str:
    if "description" in field or "$ref" not in field:
        return str(field.get("description", ""))
    name, part = _target(field["$ref"], document)
    return str(schemas()[name]["$defs"][part]["description"])


def _target(reference: str, document: Schema) -> tuple[str, str]:
    """Document and definition that a reference like `run.json#/$defs/flow` points to."""
    file, _, path = reference.partition("#/$defs/")
    return (file or str(document["$id"]).removeprefix("multihop/")).removesuffix(".json"), path


def _title(document: str, part: str) -> str:
    """Title of a definition: definitions of `run` are shared, those of others carry the document's name."""
    words = part.replace("_", " ")
    return words if document == "run" else f"{document} {words}"


if __name__ == "__main__":
    sys.stdout.write(page())
