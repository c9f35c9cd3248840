"""Values of a resolved scenario as numbers: what a flow has of its own comes before what all have."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

SECONDS = {"s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9, "min": 60.0, "h": 3600.0}
BYTES = {"B": 1.0, "kB": 1e3, "MB": 1e6, "GB": 1e9, "TB": 1e12}
_OTHERS = {
    "bps": 1.0,
    "kbps": 1e3,
    "Mbps": 1e6,
    "Gbps": 1e9,
    "m": 1.0,
    "km": 1e3,
    "cm": 1e-2,
    "m/s": 1.0,
    "W": 1.0,
    "mW": 1e-3,
    "J": 1.0,
    "kJ": 1e3,
    "dB": 1.0,
}
UNITS = {**SECONDS, **BYTES, **_OTHERS}
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
