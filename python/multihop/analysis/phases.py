"""What BBR did in the measured time: the share of it that each of its phases took."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from multihop import _engine
from multihop.scenario.quantity import value_for

if TYPE_CHECKING:
    from multihop.record.record import Record


@dataclass(frozen=True)
class Phase:
    """A phase of a window rule."""

    name: str
    meaning: str
    """What the rule does in it, in one sentence."""
    begins: bool
    """Whether the rule leaves it once it knows the path."""


PHASES = {rule["window"]: [Phase(**phase) for phase in rule["phases"]] for rule in json.loads(_engine.phases())}
"""The phases of each window rule that has some, as numbered in the series `path` from 1 on."""
BEGINNING = {phase.name for phases in PHASES.values() for phase in phases if phase.begins}
"""Names of the phases that a sender leaves once it knows the path."""
LONG = 0.25
"""Share of the measured time from which on they are no beginning any more."""


def of(record: Record, flow: str) -> list[str]:
    """The names of the phases of a flow's window rule, in the order of their numbers; empty where there are none, or no
    series tells."""
    phases = PHASES.get(str(value_for(record.scenario, flow, "tcp.window")), [])
    return [phase.name for phase in phases] if "path" in record.series_names else []


def shares(records: Sequence[Record], flow: str) -> dict[str, float]:
    """The share of each phase in the measured time, in the order of their numbers; empty where there are none, or no
    series tells."""
    names = of(records[0], flow)
    if not names or any("path" not in record.series_names for record in records):
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
