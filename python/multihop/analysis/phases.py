"""What BBR did in the measured time: the share of it that each of its phases took."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from multihop.scenario.quantity import value_for

if TYPE_CHECKING:
    from multihop.record.record import Record

PHASES = {
    "bbr": ("STARTUP", "DRAIN", "PROBE_BW", "PROBE_RTT"),
    "bbr-draft": ("STARTUP", "DRAIN", "DOWN", "CRUISE", "REFILL", "UP", "PROBE_RTT"),
}
"""Names of the phases of a window rule, as numbered in the series `path` from 1 on."""
BEGINNING = {"STARTUP", "DRAIN"}
"""Phases that a sender leaves once it knows the path."""
LONG = 0.25
"""Share of the measured time from which on they are no beginning any more."""


def shares(records: Sequence[Record], flow: str) -> dict[str, float]:
    """The share of each phase in the measured time, in the order of their numbers; empty where there are none, or no
    series tells."""
    names = PHASES.get(str(value_for(records[0].scenario, flow, "tcp.window")))
    if names is None or any("path" not in record.series_names for record in records):
        return {}
    span, counts = records[0].scenario["measure"], dict.fromkeys(names, 0)
    for record in records:
        path = record.series("path")
        measured = (path["flow"] == flow) & path["time_s"].between(span["from_s"], span["to_s"])
        for number in path["phase"][measured].astype(int):
            if 1 <= number <= len(names):
                counts[names[number - 1]] += 1
    total = sum(counts.values())
    return {name: n / total for name, n in counts.items() if n}


def words(found: Mapping[str, float]) -> str:
    """The shares in a sentence, the largest first, and a second one if the path was never known; empty without any."""
    if not found:
        return ""
    ranked = sorted(found.items(), key=lambda item: -item[1])
    (first, most), *others = ranked
    parts = [f"{_percent(most)} of the time in {first}", *(f"{_percent(share)} in {name}" for name, share in others)]
    listed = parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"
    said = f"BBR spent {listed}."
    if sum(found.get(name, 0.0) for name in BEGINNING) > LONG:
        said += " It takes long to find the rate of the path, or finds it anew after timeouts."
    return said


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %" if share >= 0.005 else "below 1 %"
