"""The cells of a sweep as a picture shows them: which key gets which place, and what is asked for."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from multihop.errors import InputError
from multihop.measures.figures import Figure, everywhere
from multihop.measures.stats import Estimate, estimate
from multihop.scenario.scenario import nearest
from multihop.sweeping.result import Column, Sweep

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd

TECHNIQUE = "technique"
MOST_PANELS = 12
"""More panels than this are too small to read."""


@dataclass(frozen=True)
class Asked:
    """What the user wants to see; what is left out is chosen."""

    x: str | None = None
    """A key; of `pareto` a figure."""
    y: str | None = None
    """A figure; of `heat` it gives the colour."""
    by: str | None = None
    """A key, or `technique`: a line for each value; of `heat` the rows."""
    facet: str | None = None
    """A key, or `technique`: a panel for each value."""
    at: Sequence[str] = ()
    """`KEY=VALUE`: points with this value only."""
    against: str | None = None
    """A technique: what the others gain over it at the same point is drawn, paired run by run."""


@dataclass(frozen=True)
class Cell:
    """A point of the sweep under one technique."""

    where: dict[str, Any]
    rows: pd.DataFrame
    """Its rows of the table."""
    gain: Estimate | None = None
    """What it gains in the figure over the technique that it is held against, in percent."""

    def shown(self, asked: Asked, figure: Figure) -> Estimate:
        """What is drawn of it: the figure in the unit that people read, or the gain."""
        if asked.against is None:
            return estimate(self.values(figure))
        return self.gain or Estimate(math.nan, math.nan, 0)

    def values(self, figure: Figure) -> np.ndarray:
        """One number a run, in the unit that people read."""
        return self.rows[figure.column].to_numpy(dtype=float) / figure.scale


@dataclass
class View:
    """The cells of a sweep, and which key does what."""

    cells: list[Cell]
    levels: dict[str, list[Any]]
    """The values of each key that varies, and of `technique`, in the order of the sweep."""
    heads: dict[str, str]
    name: str
    x: str = ""
    by: str = ""
    facet: str = ""

    def panels(self) -> list[tuple[str, list[Cell]]]:
        """Cells by the value of the facet, with the title of the panel."""
        if not self.facet:
            return [("", self.cells)]
        return [
            (f"{self.facet} {show(v)}", [c for c in self.cells if c.where[self.facet] == v])
            for v in self.levels[self.facet]
        ]

    def series(self, cells: Sequence[Cell]) -> list[tuple[str, list[Cell]]]:
        """Cells by the value of `by`, with the label of the line."""
        if not self.by:
            return [("", list(cells))]
        before = "" if self.by == TECHNIQUE else f"{self.by} "
        return [(before + show(v), [c for c in cells if c.where[self.by] == v]) for v in self.levels[self.by]]


def view_of(sweep: Sweep, asked: Asked, places: int, *, rows: bool = False, pooled: bool = False) -> View:
    """Gives each key that varies a place: `x` and `by` inside a panel, the facet over the panels.

    A `pooled` picture shows all points side by side, so keys may be without a place.
    """
    keys = sweep.columns()
    table = sweep.table()
    parts = zip(sweep.values, sweep.records, sweep.by_cell(table), _gains(sweep, asked, table), strict=True)
    cells = [
        Cell({**{c.key: c.of[v] for c, v in zip(keys, values, strict=True)}, TECHNIQUE: records.label}, rows, gain)
        for values, records, rows, gain in parts
        if len(records) and records.label != asked.against
    ]
    cells = _chosen(cells, asked.at, keys)
    names = [*(c.key for c in keys), TECHNIQUE]
    every = {name: list(dict.fromkeys(c.where[name] for c in cells)) for name in names}
    heads = {**{c.key: c.head for c in keys}, TECHNIQUE: "technique"}
    view = View(cells, every, heads, sweep.scenario)
    placed = [name for name in (asked.x, asked.by, asked.facet) if name is not None and name in every]
    free = _apart(cells, [name for name in names if len(every[name]) > 1 and name not in placed], placed)
    for place, name in (("x", asked.x), ("by", asked.by), ("facet", asked.facet)):
        if name is not None:
            if name not in names:
                raise InputError(
                    f"--{place}: the sweep has no key `{name}`{nearest(name, names)}; it has: {', '.join(names)}"
                )
            setattr(view, place, name)
    order = sorted(free, key=lambda name: name == TECHNIQUE)  # keys first
    if places == 2 and not view.x and order:
        view.x = next((n for n in order if all(isinstance(v, int | float) for v in every[n])), order[0])
        order.remove(view.x)
    prefer = [n for n in order if n != TECHNIQUE] if rows else [n for n in order if n == TECHNIQUE]
    if not view.by and order:
        view.by = (prefer or order)[0]
        order.remove(view.by)
    if not view.facet and order and not pooled:
        view.facet = order.pop(0)
    if order and not pooled:
        raise InputError(
            f"this picture has no place for {', '.join(f'`{n}`' for n in order)}: pick one value with "
            f"`--at {order[0]}={show(every[order[0]][0])}`"
        )
    if view.facet and len(every[view.facet]) > MOST_PANELS:
        raise InputError(
            f"`{view.facet}` would make {len(every[view.facet])} panels; at most {MOST_PANELS} can be read: use it as "
            "--x or --by, or pick values with --at"
        )
    return view


def _gains(sweep: Sweep, asked: Asked, table: pd.DataFrame) -> list[Estimate | None]:
    """For each cell its gain over the technique that was asked for, in percent; raises InputError."""
    if asked.against is None:
        return [None] * len(sweep.records)
    names = sweep.techniques()
    if asked.against not in names:
        raise InputError(
            f"--against: the sweep has no technique `{asked.against}`{nearest(asked.against, names)}; it has: "
            + ", ".join(names)
        )
    if len(names) == 1:
        raise InputError(f"--against: the sweep has no technique beside `{asked.against}`")
    gains = sweep.gains(asked.against, figure_called(asked.y).name, table)
    return [Estimate(100 * gain.mean, 100 * gain.half, gain.n) if gain else None for gain in gains]


def _apart(cells: Sequence[Cell], names: Sequence[str], placed: Sequence[str]) -> list[str]:
    """The names without those that change together with one before them: joined keys are one axis."""
    found: list[str] = []
    for name in names:
        others = [other for other in (*placed, *found) if other in cells[0].where and TECHNIQUE not in (name, other)]
        if not any(_together(cells, name, other) for other in others):
            found.append(name)
    return found


def _together(cells: Sequence[Cell], one: str, other: str) -> bool:
    """Whether each value of one key stands with a single value of the other, and the other way round."""
    pairs = {(cell.where[one], cell.where[other]) for cell in cells}
    return len(pairs) == len({a for a, _ in pairs}) == len({b for _, b in pairs})


def _chosen(cells: list[Cell], at: Sequence[str], keys: Sequence[Column]) -> list[Cell]:
    for text in at:
        key, equals, value = text.partition("=")
        if not equals or key not in (*(c.key for c in keys), TECHNIQUE):
            known = [*(c.key for c in keys), TECHNIQUE]
            raise InputError(f"--at {text}: KEY=VALUE is expected, with one of the keys {', '.join(known)}")
        left = [c for c in cells if value in (str(c.where[key]), show(c.where[key]))]
        if not left:
            values = ", ".join(dict.fromkeys(show(c.where[key]) for c in cells))
            raise InputError(f"--at {text}: the sweep has no such value; it has: {values}")
        cells = left
    return cells


def figure_called(name: str | None) -> Figure:
    """The figure of that name, goodput without one; raises InputError."""
    known = everywhere()
    wanted = name or "goodput_bps"
    found = next((f for f in known.values() if wanted in (f.name, f.metric, f.column)), None)
    if found is None:
        raise InputError(f"there is no figure `{wanted}`{nearest(wanted, known)}")
    return found


def show(value: Any) -> str:
    """A value of a key as people read it."""
    return f"{value:g}" if isinstance(value, int | float) else str(value)
