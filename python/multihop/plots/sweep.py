"""Pictures of a sweep: lines over a key, a heat map over two, distributions over runs, one figure against another.

Keys that a picture does not place become panels; a picture takes two keys in its panel and one over the panels.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from multihop.errors import InputError
from multihop.measures.figures import Figure
from multihop.measures.stats import estimate
from multihop.sweeping.result import Sweep
from multihop.text import plural, printable

from .cells import Asked, figure_called, show, view_of
from .style import COLOURS, INK, MARKERS, PAPER, canvas, legend_below, panels, styled

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Picture

LINES = ("-", "--", "-.", ":")


def draw_sweep(kind: str, sweep: Sweep, asked: Asked) -> Picture:
    """Draws a picture of a sweep; raises InputError for what it does not have."""
    with styled():
        return SWEEP_KINDS[kind](sweep, asked)


def lines(sweep: Sweep, asked: Asked) -> Picture:
    """A figure over a key: mean and 95 % interval, a line for each value of another key."""
    view = view_of(sweep, asked, places=2)
    figure = figure_called(asked.y)
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
    view = view_of(sweep, asked, places=2, rows=True)
    figure = figure_called(asked.y)
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
        axes.set_xticks(range(len(across)), [show(v) for v in across])
        axes.set_yticks(range(len(down)), [show(v) for v in down])
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
    view = view_of(sweep, asked, places=1)
    figure = figure_called(asked.y)
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
    view = view_of(sweep, Asked(None, asked.y, asked.by, asked.facet, asked.at), places=1, pooled=True)
    first, second = figure_called(asked.x or "delay_mean_s"), figure_called(asked.y)
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


def _demand_no_baseline(asked: Asked) -> None:
    if asked.against is not None:
        raise InputError("--against goes with `lines` and `heat`")


def _label(figure: Figure) -> str:
    return f"{figure.title} [{figure.unit}]" if figure.unit else figure.title


def _drawn(figure: Figure, asked: Asked) -> str:
    """What is on the axis."""
    return _label(figure) if asked.against is None else f"{figure.title}, against {printable(asked.against)} [%]"


def _ticks(axes: Axes, values: Sequence[Any], *, numeric: bool) -> None:
    if not numeric:
        axes.set_xticks(range(len(values)), [show(v) for v in values])
        return
    low, high = min(values), max(values)
    if low > 0 and high / low >= 50 and len(values) > 2:
        axes.set_xscale("log")


SWEEP_KINDS = {"lines": lines, "heat": heat, "ecdf": ecdf, "pareto": pareto}
