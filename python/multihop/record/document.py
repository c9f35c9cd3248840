"""The documents that `--json` prints: schema 1, which only ever gains fields.

`docs/reference/json.md` describes them, `schema/*.json` states them; tests hold real output against both.
"""

from __future__ import annotations

import json
import math
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from multihop import _engine
from multihop.measures.figures import FLOW, NODE, RUN, properties

if TYPE_CHECKING:
    from multihop.record.comparison import Comparison
    from multihop.record.record import Records

SCHEMA = 1
"""Version of all documents."""


def run_document(records: Records) -> dict[str, Any]:
    """What `multihop run --json` prints."""
    return {
        **head(),
        "record": records.id,
        "name": records.name,
        "techniques": records.techniques,
        "runs_from_store": records.store_hits,
        "scenario": records.scenario,
        "runs": records.runs,
        "summary": records.summary(),
    }


def compare_document(comparison: Comparison) -> dict[str, Any]:
    """What `multihop compare --json` prints."""
    return {
        **head(),
        "name": comparison.baseline.name,
        "baseline": comparison.baseline.label,
        "techniques": [arm.label for arm in comparison.arms],
        "run_numbers": comparison.runs,
        "runs_from_store": sum(arm.store_hits for arm in comparison.arms),
        "comparisons": [row.json() for row in comparison.rows()],
        "arms": [
            {
                "record": arm.id,
                "technique": arm.label,
                "techniques": arm.techniques,
                "scenario": arm.scenario,
                "runs": arm.runs,
                "summary": arm.summary(),
            }
            for arm in comparison.arms
        ],
    }


def list_document(kind: str, items: list[dict[str, Any]]) -> dict[str, Any]:
    """What `multihop list KIND --json` prints."""
    return {**head(), "kind": kind, kind: items}


def dumps(document: dict[str, Any], *, ascii_only: bool = False) -> str:
    """A document as text: strict JSON, null where a number is not known; other letters escaped if need be."""
    return json.dumps(_strict(document), indent=1, allow_nan=False, ensure_ascii=ascii_only)


def json_schema(document: str) -> dict[str, Any]:
    """The JSON Schema of a document: `run`, `compare`, `explain`, `list`, `reproduce` or `reproduce-all`.

    Where `schema/*.json` has a property like `$flow`, the figures of a flow stand, each as the engine states it; where
    it has `$flow of runs`, their estimates over runs.
    """
    text = files("multihop").joinpath("schema", f"{document}.json").read_text(encoding="utf-8")
    found: dict[str, Any] = json.loads(text)
    for part in (found, *found.get("$defs", {}).values()):
        _fill(part)
    return found


def _fill(part: dict[str, Any]) -> None:
    """Puts the figures in the places of a schema that are marked."""
    whole: dict[str, Any] = {}
    for name, field in part.get("properties", {}).items():
        figures = {"$flow": FLOW, "$node": NODE, "$run": RUN}.get(name.removesuffix(" of runs"))
        if figures is None:
            whole[name] = field
            continue
        stated = properties(figures)
        if name.endswith(" of runs"):
            stated = {key: {"$ref": "#/$defs/estimate", "description": stated[key]["description"]} for key in stated}
        whole |= stated
        part["required"] = list(dict.fromkeys([*part.get("required", ()), *stated]))
    if whole:
        part["properties"] = whole


def head() -> dict[str, Any]:
    """What every document begins with."""
    return {"schema": SCHEMA, "version": _engine.VERSION, "build": _engine.BUILD}


def _strict(item: Any) -> Any:
    if isinstance(item, float) and not math.isfinite(item):
        return None
    if isinstance(item, dict):
        return {key: _strict(value) for key, value in item.items()}
    if isinstance(item, list | tuple):
        return [_strict(value) for value in item]
    return item
