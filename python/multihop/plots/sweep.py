"""Pictures of a sweep: lines over a key, a heat map over two, distributions over runs, one figure against another.

Keys that a picture does not place become panels; a picture takes two keys in its panel and one over the panels.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from multihop.errors import InputError
from multihop.measures.figures import Figure, everywhere
from multihop.measures.stats import Estimate, estimate
from multihop.scenario.scenario import nearest
from multihop.sweeping.result import Column, Sweep
from multihop.text import plural, printable

from .style import COLOURS, INK, MARKERS, PAPER, canvas, legend_below, panels, styled

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Picture

TECHNIQUE = "technique"
MOST_PANELS = 12
"""More panels than this are too small to read."""
LINES = ("-", "--", "-.", ":")


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
class _Cell:
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
class _View:
    """The cells of a sweep, and which key does what."""

    cells: list[_Cell]
    levels: dict[str, list[Any]]
    """The values of each key that varies, and of `technique`, in the order of the sweep."""
    heads: dict[str, str]
    name: str
    x: str = ""
    by: str = ""
    facet: str = ""

    def panels(self) -> list[tuple[str, list[_Cell]]]:
        """Cells by the value of the facet, with the title of the panel."""
        if not self.facet:
            return [("", self.cells)]
        return [
            (f"{self.facet} {_show(v)}", [c for c in self.cells if c.where[self.facet] == v])
            for v in self.levels[self.facet]
        ]

    def series(self, cells: Sequence[_Cell]) -> list[tuple[str, list[_Cell]]]:
        """Cells by the value of `by`, with the label of the line."""
        if not self.by:
            return [("", list(cells))]
        before = "" if self.by == TECHNIQUE else f"{self.by} "
        return [(before + _show(v), [c for c in cells if c.where[self.by] == v]) for v in self.levels[self.by]]


def draw_sweep(kind: str, sweep: Sweep, asked: Asked) -> Picture:
    """Draws a picture of a sweep; raises InputError for what it does not have."""
    with styled():
        return SWEEP_KINDS[kind](sweep, asked)


def lines(sweep: Sweep, asked: Asked) -> Picture:
    """A figure over a key: mean and 95 % interval, a line for each value of another key."""
    view = _view(sweep, asked, places=2)
    figure = _figure(asked.y)
    if not view.x:
        raise InputError("`lines` needs a key with several values; this sweep has one point")
    numeric = all(isinstance(value, int | float) for value in view.levels[view.x])
    places = {value: float(value) if numeric else float(i) for i, value in enumerate(view.levels[view.x])}
    shown = view.panels()
    canvas_, grid = panels(len(shown), 5.2, 2.9)
    for axes, (title, cells) in zip(grid, shown, strict=True):
        for index, (label, some) in enumerate(view.series(cells)):
            found = [(places[c.where[view.x]], c.shown(asked, figure)) for c in some]
            found = sorted(((x, e) for x, e in found if not math.isnan(e.mean)), key=lambda pair: pair[0])
            if not found:
                continue
            half = [0.0 if math.isnan(e.half) else e.half for _, e in found]
            axes.errorbar(
                [x for x, _ in found],
                [e.mean for _, e in found],
                yerr=half,
                label=printable(label) or None,
                color=COLOURS[index % len(COLOURS)],
                marker=MARKERS[index % len(MARKERS)],
                linestyle=LINES[index // len(COLOURS) % len(LINES)],
                capsize=2,
            )
        axes.set(xlabel=view.heads[view.x], ylabel=_drawn(figure, asked))
        if asked.against is None:
            axes.set_ylim(bottom=0)
        else:
            axes.axhline(0, color=INK, linewidth=0.8)
        _ticks(axes, view.levels[view.x], numeric=numeric)
        axes.set_title(printable(title))
    runs = sorted({len(records) for records in sweep.records})
    many = plural(runs[-1], "run") if runs[0] == runs[-1] else f"{runs[0]} to {runs[-1]} runs"
    canvas_.suptitle(
        printable(f"{view.name}: mean{' gain' if asked.against else ''} and 95 % interval of {many}"), x=0.02, ha="left"
    )
    if view.by:
        legend_below(canvas_, grid[0], columns=3)
    return canvas_


def heat(sweep: Sweep, asked: Asked) -> Picture:
    """A figure over two keys as colour, the mean written into each field."""
    view = _view(sweep, asked, places=2, rows=True)
    figure = _figure(asked.y)
    if not view.by or not view.x:
        raise InputError("`heat` needs two keys with several values: give --x and --by, or draw `lines`")
    across, down = view.levels[view.x], view.levels[view.by]
    shown = view.panels()
    means = []
    for _, cells in shown:
        field_ = np.full((len(down), len(across)), np.nan)
        for cell in cells:
            place = down.index(cell.where[view.by]), across.index(cell.where[view.x])
            field_[place] = cell.shown(asked, figure).mean
        means.append(field_)
    known = np.concatenate([m[~np.isnan(m)] for m in means])
    if not known.size:
        raise InputError(f"no run of this sweep has the figure `{figure.name}`")
    low, high = float(known.min()), float(known.max())
    if asked.against is not None:  # gains and losses of the same size are as dark
        high = float(np.abs(known).max())
        low = -high
    columns_ = min(len(shown), 3)
    rows = -(-len(shown) // columns_)
    width = 1.2 + 0.62 * len(across)
    made, grid = canvas(1.0 + width * columns_, 0.9 + (0.7 + 0.36 * len(down)) * rows, rows, columns_)
    for axes in grid.flat[len(shown) :]:
        axes.set_visible(False)
    for axes, (title, _), field_ in zip(grid.flat, shown, means, strict=False):
        axes.imshow(
            field_,
            origin="lower",
            aspect="auto",
            cmap="cividis" if asked.against is None else "PuOr",
            vmin=low,
            vmax=high,
        )
        for (j, i), mean in np.ndenumerate(field_):
            if not math.isnan(mean):
                place_ = (mean - low) / (high - low) if high > low else 1.0
                dark = place_ < 0.5 if asked.against is None else abs(place_ - 0.5) > 0.35
                ink = PAPER if dark else INK
                axes.text(i, j, f"{mean:.3g}", ha="center", va="center", fontsize=7, color=ink)
        axes.set_xticks(range(len(across)), [_show(v) for v in across])
        axes.set_yticks(range(len(down)), [_show(v) for v in down])
        axes.set(xlabel=view.heads[view.x], ylabel=view.heads[view.by], title=printable(title))
        axes.grid(visible=False)
    made.colorbar(grid.flat[0].images[0], ax=grid, label=_drawn(figure, asked))
    made.suptitle(
        printable(f"{view.name}: mean {'of all runs' if asked.against is None else 'gain'}"), x=0.02, ha="left"
    )
    return made


def ecdf(sweep: Sweep, asked: Asked) -> Picture:
    """How a figure spreads over the runs: the share of runs that have at most so much."""
    _demand_no_baseline(asked)
    view = _view(sweep, asked, places=1)
    figure = _figure(asked.y)
    shown = view.panels()
    made, grid = panels(len(shown), 5.2, 2.9)
    for axes, (title, cells) in zip(grid, shown, strict=True):
        for index, (label, some) in enumerate(view.series(cells)):
            values = np.sort(np.concatenate([c.values(figure) for c in some]))
            values = values[~np.isnan(values)]
            if values.size:
                axes.ecdf(
                    values,
                    label=printable(label) or None,
                    color=COLOURS[index % len(COLOURS)],
                    linestyle=LINES[index % len(LINES)],
                )
        axes.set(xlabel=_label(figure), ylabel="share of runs", ylim=(0, 1.02), title=printable(title))
    made.suptitle(printable(f"{view.name}: all runs"), x=0.02, ha="left")
    if view.by:
        legend_below(made, grid[0], columns=3)
    return made


def pareto(sweep: Sweep, asked: Asked) -> Picture:
    """Two figures against each other, a mark for each point; the best compromises are ringed and joined."""
    _demand_no_baseline(asked)
    view = _view(sweep, Asked(None, asked.y, asked.by, asked.facet, asked.at), places=1, pooled=True)
    first, second = _figure(asked.x or "delay_mean_s"), _figure(asked.y)
    if first.name == second.name:
        raise InputError("`pareto` holds two figures against each other: give --x another figure than --y")
    shown = view.panels()
    made, grid = panels(len(shown), 5.2, 3.2)
    for axes, (title, cells) in zip(grid, shown, strict=True):
        best: list[tuple[float, float]] = []
        for index, (label, some) in enumerate(view.series(cells)):
            pairs = [tuple(estimate(c.values(f)) for f in (first, second)) for c in some]
            pairs = [(a, b) for a, b in pairs if not math.isnan(a.mean + b.mean)]
            if not pairs:
                continue
            axes.errorbar(
                [a.mean for a, _ in pairs],
                [b.mean for _, b in pairs],
                xerr=[np.nan_to_num(a.half) for a, _ in pairs],
                yerr=[np.nan_to_num(b.half) for _, b in pairs],
                linestyle="none",
                marker=MARKERS[index % len(MARKERS)],
                color=COLOURS[index % len(COLOURS)],
                label=printable(label) or None,
                elinewidth=0.8,
            )
            best += [(a.mean, b.mean) for a, b in pairs]
        front = sorted(_front(best, more=(bool(first.more_is_better), second.more_is_better is not False)))
        axes.plot(
            *zip(*front, strict=True) if front else ([], []),
            color=INK,
            linewidth=0.8,
            marker="o",
            markersize=11,
            markerfacecolor="none",
            label="best compromises",
        )
        axes.set(xlabel=_label(first), ylabel=_label(second), title=printable(title))
    made.suptitle(printable(f"{view.name}: means and 95 % intervals"), x=0.02, ha="left")
    legend_below(made, grid[0], columns=3)
    return made


def _front(points: Sequence[tuple[float, float]], more: tuple[bool, bool]) -> list[tuple[float, float]]:
    """The points that no other one beats in both figures."""
    signs = [1.0 if wanted else -1.0 for wanted in more]

    def beats(a: tuple[float, float], b: tuple[float, float]) -> bool:
        gains = [sign * (x - y) for sign, x, y in zip(signs, a, b, strict=True)]
        return min(gains) >= 0 and max(gains) > 0

    return [p for p in points if not any(beats(other, p) for other in points)]


def _view(sweep: Sweep, asked: Asked, places: int, *, rows: bool = False, pooled: bool = False) -> _View:
    """Gives each key that varies a place: `x` and `by` inside a panel, the facet over the panels.

    A `pooled` picture shows all points side by side, so keys may be without a place.
    """
    keys = sweep.columns()
    table = sweep.table()
    parts = zip(sweep.values, sweep.records, sweep.by_cell(table), _gains(sweep, asked, table), strict=True)
    cells = [
        _Cell({**{c.key: c.of[v] for c, v in zip(keys, values, strict=True)}, TECHNIQUE: records.label}, rows, gain)
        for values, records, rows, gain in parts
        if len(records) and records.label != asked.against
    ]
    cells = _chosen(cells, asked.at, keys)
    names = [*(c.key for c in keys), TECHNIQUE]
    every = {name: list(dict.fromkeys(c.where[name] for c in cells)) for name in names}
    heads = {**{c.key: c.head for c in keys}, TECHNIQUE: "technique"}
    view = _View(cells, every, heads, sweep.scenario)
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
            f"`--at {order[0]}={_show(every[order[0]][0])}`"
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
    gains = sweep.gains(asked.against, _figure(asked.y).name, table)
    return [Estimate(100 * gain.mean, 100 * gain.half, gain.n) if gain else None for gain in gains]


def _demand_no_baseline(asked: Asked) -> None:
    if asked.against is not None:
        raise InputError("--against goes with `lines` and `heat`")


def _apart(cells: Sequence[_Cell], names: Sequence[str], placed: Sequence[str]) -> list[str]:
    """The names without those that change together with one before them: joined keys are one axis."""
    found: list[str] = []
    for name in names:
        others = [other for other in (*placed, *found) if other in cells[0].where and TECHNIQUE not in (name, other)]
        if not any(_together(cells, name, other) for other in others):
            found.append(name)
    return found


def _together(cells: Sequence[_Cell], one: str, other: str) -> bool:
    """Whether each value of one key stands with a single value of the other, and the other way round."""
    pairs = {(cell.where[one], cell.where[other]) for cell in cells}
    return len(pairs) == len({a for a, _ in pairs}) == len({b for _, b in pairs})


def _chosen(cells: list[_Cell], at: Sequence[str], keys: Sequence[Column]) -> list[_Cell]:
    for text in at:
        key, equals, value = text.partition("=")
        if not equals or key not in (*(c.key for c in keys), TECHNIQUE):
            known = [*(c.key for c in keys), TECHNIQUE]
            raise InputError(f"--at {text}: KEY=VALUE is expected, with one of the keys {', '.join(known)}")
        left = [c for c in cells if value in (str(c.where[key]), _show(c.where[key]))]
        if not left:
            values = ", ".join(dict.fromkeys(_show(c.where[key]) for c in cells))
            raise InputError(f"--at {text}: the sweep has no such value; it has: {values}")
        cells = left
    return cells


def _figure(name: str | None) -> Figure:
    known = everywhere()
    wanted = name or "goodput_bps"
    found = next((f for f in known.values() if wanted in (f.name, f.metric, f.column)), None)
    if found is None:
        raise InputError(f"there is no figure `{wanted}`{nearest(wanted, known)}")
    return found


def _label(figure: Figure) -> str:
    return f"{figure.title} [{figure.unit}]" if figure.unit else figure.title


def _drawn(figure: Figure, asked: Asked) -> str:
    """What is on the axis."""
    return _label(figure) if asked.against is None else f"{figure.title}, against {printable(asked.against)} [%]"


def _ticks(axes: Axes, values: Sequence[Any], *, numeric: bool) -> None:
    if not numeric:
        axes.set_xticks(range(len(values)), [_show(v) for v in values])
        return
    low, high = min(values), max(values)
    if low > 0 and high / low >= 50 and len(values) > 2:
        axes.set_xscale("log")


def _show(value: Any) -> str:
    return f"{value:g}" if isinstance(value, int | float) else str(value)


SWEEP_KINDS = {"lines": lines, "heat": heat, "ecdf": ecdf, "pareto": pareto}
