"""Values of a resolved scenario as numbers: what a flow has of its own comes before what all have."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from multihop import _engine

_KINDS = _engine.units()
SECONDS: Mapping[str, float] = _KINDS["time"]
BYTES: Mapping[str, float] = _KINDS["size"]
UNITS: Mapping[str, float] = {unit: worth for kind in _KINDS.values() for unit, worth in kind.items()}
"""Those of all values that can be compared, each in the unit of its kind that counts 1."""


def value_for(scenario: Mapping[str, Any], flow: str, key: str) -> Any:
    """What `key` says of a flow, by its own `flow.N.KEY` or by the section's; None where the scenario has neither."""
    values = scenario["values"]
    ids = [str(one["id"]) for one in scenario["flows"]]
    own = values.get(f"flow.{ids.index(flow)}.{key}") if flow in ids else None
    entry = own or values.get(key)
    return None if entry is None else entry["value"]


def number(value: object, units: Mapping[str, float]) -> float:
    """A value such as `1.46 kB` or `500 ms` in the unit that counts 1; a bare number is in that unit already.

    Raises ValueError if it is no number, or has another unit.
    """
    amount, _, unit = str(value).partition(" ")
    if unit and unit not in units:
        raise ValueError(f"`{value}` has none of the units {', '.join(units)}")
    return float(amount) * (units[unit] if unit else 1.0)
