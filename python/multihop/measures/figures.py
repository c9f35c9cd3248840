"""The figures of runs: each stated once, by the engine, and read here by all that compare, show or describe them.

A figure belongs to a flow, a node or a run. `FLOW`, `NODE` and `RUN` hold them by name, in the order in which they are
shown. Two of the run are not the engine's: they are made here of its flows.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from multihop import _engine

Schema = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure of a flow, a node or a run."""

    of: Literal["flow", "node", "run"]
    """What it belongs to."""
    name: str
    """As in the public document, with its unit; `group.part` stands in an object."""
    title: str
    """How people call it."""
    meaning: str
    """What it means, in one line."""
    unit: str = ""
    """The unit that people read it in."""
    scale: float = 1.0
    """What one of that unit is in the unit of the document."""
    kind: Literal["count", "real", "perhaps"] = "real"
    """Whether it is a count, a quantity, or a quantity that may not be known."""
    together: Literal["sum", "mean", "max"] = "sum"
    """How those of several flows or nodes become one."""
    more_is_better: bool | None = None
    """Which direction is the better one; None: it tells what was done, not how well."""
    transports: Sequence[str] = ()
    """The transports whose flows have it; none: those of all."""
    places: Mapping[str, int] = field(default_factory=dict)
    """Where it stands without being asked for: `run`, `report`, `compare`. Of `run`, a number above 0 says that a
    narrow terminal goes without, the highest first; of `compare`, it is the rank."""

    @property
    def head(self) -> str:
        """Title and unit, for the head of a column."""
        return f"{self.title} {self.unit}".strip()

    @property
    def column(self) -> str:
        """Its name in tables, where nothing is nested."""
        return self.name.replace(".", "_")

    @property
    def metric(self) -> str:
        """Its name in studies: without its unit, which a metric says beside it."""
        return _UNIT.sub("", self.column).replace("_", "-")

    def read(self, entry: Mapping[str, Any]) -> float | None:
        """Its value in a flow, a node or a run of the public document; None if there is none."""
        found: Any = entry
        for part in self.name.split("."):
            found = found.get(part) if isinstance(found, Mapping) else None
        return None if found is None else float(found)

    def combine(self, values: Iterable[float | None]) -> float:
        """One figure of several; NaN if none is known."""
        known = [value for value in values if value is not None]
        if not known:
            return math.nan
        if self.together == "mean":
            return sum(known) / len(known)
        return sum(known) if self.together == "sum" else max(known)

    def schema(self) -> Schema:
        """What JSON Schema says of its value."""
        if self.kind == "count":
            return {"type": "integer", "minimum": 0, "description": self.meaning}
        return {"type": ["number", "null"] if self.kind == "perhaps" else "number", "description": self.meaning}


_UNIT = re.compile("_(s|bps|bytes|bits|packets)$")


def _engines(of: str) -> dict[str, Figure]:
    found = [Figure(**entry) for entry in json.loads(_engine.figures()) if entry["of"] == of]
    return {figure.name: figure for figure in found}


FLOW = _engines("flow")
"""Figures of a flow."""
NODE = _engines("node")
"""Figures of a node."""
RUN = _engines("run")
"""Figures of a run, as the engine tells them."""
DERIVED = {
    figure.name: figure
    for figure in (
        Figure(
            "run",
            "jain",
            "Jain's index",
            "Jain's fairness index of the goodputs of the flows of one kind: of the kind that has most.",
            more_is_better=True,
            places={"compare": 2},
        ),
        Figure("run", "dropped", "packets dropped", "Packets dropped.", more_is_better=False, places={"compare": 8}),
    )
}
"""Figures of a run that `multihop.measures.summary` makes of the flows and the ledger."""


def everywhere() -> dict[str, Figure]:
    """All figures that a whole run has: those of its flows together, and its own."""
    return {**FLOW, **DERIVED, **{name: figure for name, figure in RUN.items() if name not in FLOW}}


def shown(place: str) -> list[Figure]:
    """The figures of flows and of runs that stand at a place without being asked for."""
    return [figure for figure in everywhere().values() if place in figure.places]


def properties(figures: Mapping[str, Figure]) -> dict[str, Schema]:
    """The properties of a JSON Schema, one for each figure or group of figures."""
    found: dict[str, Schema] = {}
    for figure in figures.values():
        group, _, part = figure.name.rpartition(".")
        if not group:
            found[part] = figure.schema()
            continue
        empty = {"type": "object", "description": f"The figures `{group}`, by part.", "properties": {}, "required": []}
        inside = found.setdefault(group, empty)
        inside["properties"][part] = figure.schema()
        inside["required"].append(part)
    return found
