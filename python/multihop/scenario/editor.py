"""The JSON Schema by which editors complete and check scenario files, and the line of a file that names it.

It is the engine's schema, as editors read it: draft 7, which has no other key beside a reference; quantities with
their units in words; and without a `kind`, what any kind has, for the profile may say which it is.
"""

from __future__ import annotations

import json
import re
from importlib.resources import files
from pathlib import Path
from typing import Any

from multihop import _engine

FILE = "schema/scenario.json"
"""Where the package has it."""
DIRECTIVE = "#:schema "
"""How the first line of a TOML file names its schema; editors with Taplo (Even Better TOML) read it."""

Schema = dict[str, Any]


def scenario_schema() -> Schema:
    """The schema of scenario files for editors."""
    whole: Schema = json.loads(_engine.schema())
    quantities = {f"#/$defs/{name}": part for name, part in whole["$defs"].items() if "examples" in part}
    found: Schema = _for_editors(whole, quantities)
    return {**found, "$schema": "http://json-schema.org/draft-07/schema#", "title": "multihop scenario"}


def schema_line() -> str:
    """The first line of a scenario that is written here: it names the schema of this installation."""
    path = Path(str(files("multihop").joinpath(FILE))).resolve()
    return f"{DIRECTIVE}{path.as_uri()}\n"


def with_schema(text: str) -> str:
    """A scenario's text with that first line, in the place of another such line."""
    return schema_line() + re.sub(rf"\A{DIRECTIVE}.*\n", "", text)


def _for_editors(part: Any, quantities: dict[str, Schema]) -> Any:
    if isinstance(part, list):
        return [_for_editors(item, quantities) for item in part]
    if not isinstance(part, dict):
        return part
    found = {_renamed(key): _for_editors(value, quantities) for key, value in part.items()}
    if found.get("default", "") is None:  # TOML has no null
        del found["default"]
    if _kinds(part):
        found["anyOf"] = [_without_kind(variant) for variant in found.pop("oneOf")]
    present = [one for one in part.get("anyOf", ()) if one.get("type") != "null"]
    if "anyOf" in part and len(present) == 1:  # what may be left out
        return _for_editors({**{k: v for k, v in part.items() if k != "anyOf"}, **present[0]}, quantities)
    if isinstance(part.get("$ref"), str):
        quantity = quantities.get(part["$ref"])
        said = [part.get("description"), _unit(quantity) if quantity else None]
        reference = {"$ref": found.pop("$ref").replace("#/$defs/", "#/definitions/")}
        found = {**found, "description": " ".join(filter(None, said))} if any(said) else found
        return {**found, "allOf": [reference]} if found else reference
    return found


def _renamed(key: str) -> str:
    return "definitions" if key == "$defs" else key


def _kinds(part: Schema) -> bool:
    """Whether it is a section with variants by its `kind`."""
    variants = part.get("oneOf", ())
    return bool(variants) and all("const" in v.get("properties", {}).get("kind", {}) for v in variants)


def _without_kind(variant: Schema) -> Schema:
    """The variant. `kind` may be left out: a layer below may have said it."""
    required = [key for key in variant.get("required", ()) if key != "kind"]
    return {**{key: value for key, value in variant.items() if key != "required"}, "required": required}


def _unit(quantity: Schema) -> str:
    """The unit of a quantity in words, like `A time with its unit (ns, s, ms), like "20 us".`"""
    [units] = re.findall(r"\(([^()\[\]]*)\) \*\$$", quantity["pattern"]) or [""]
    words = str(quantity["description"])
    example = json.dumps(quantity["examples"][0], ensure_ascii=False)
    known = f" ({units.replace('|', ', ')})" if units else ""
    return f"{words[0].upper()}{words[1:]}{known}, like {example}."
