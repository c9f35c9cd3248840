"""The gains of settings that were tried, each with its interval: what is advised, on fresh runs, stands first."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from multihop.advising.score import percent

from .style import COLOURS, INK, canvas

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from multihop.advising.advice import Advice, Found
    from multihop.measures.stats import Estimate

MOST = 24
"""So many settings are drawn."""
TIMES = 3.0
"""From so many times the goodput on, factors are drawn instead of percent."""
WIDEST = 2.0
"""Intervals are drawn up to so far from their mean, as a logarithm: three runs may say nothing at all."""


def gains(advice: Advice) -> Figure:
    """A line for each setting that changes something: a dot at its gain, a bar from end to end of its interval."""
    rows = [(f"{found.candidate.label} (fresh runs)", found.gain, True) for found in _confirmed(advice)]
    rows += [(tried.candidate.label, tried.gain, False) for tried in advice.tried if not tried.idle]
    rows = rows[:MOST]
    figure, grid = canvas(7.5, 0.8 + 0.24 * len(rows))
    axes = grid[0][0]
    times = max((gain.mean for _, gain, _ in rows), default=0.0) > math.log(TIMES)
    for line, (_, gain, fresh) in enumerate(rows):
        colour, mark = (COLOURS[0], "D") if fresh else (COLOURS[1], "o")
        low, mean, high = (math.exp(x) if times else percent(x) for x in _ends(gain))
        axes.plot([low, high], [line, line], color=colour, linewidth=1.6 if fresh else 1.0)
        axes.plot([mean], [line], mark, color=colour)
    axes.axvline(1 if times else 0, color=INK, linewidth=0.8)
    axes.set(ylim=(len(rows) - 0.4, -0.6), xlabel="goodput, times that without it" if times else "gain in goodput, %")
    if times:
        axes.set_xscale("log")
        for axis in (axes.xaxis.set_major_formatter, axes.xaxis.set_minor_formatter):
            axis(lambda x, _: f"{x:g}" if f"{x:g}".strip("0.")[:1] in ("1", "2", "5") else "")
    axes.set_yticks(range(len(rows)), [name for name, _, _ in rows], fontsize=8)
    axes.grid(visible=True, axis="x")
    axes.grid(visible=False, axis="y")
    return figure


def _confirmed(advice: Advice) -> list[Found]:
    return [found for found in (advice.found, advice.beyond) if found]


def _ends(gain: Estimate) -> tuple[float, float, float]:
    """Lower end, mean and upper end as logarithms, of intervals that are not endless; the mean alone without one."""
    half = 0.0 if math.isnan(gain.half) else gain.half
    return max(gain.mean - half, gain.mean - WIDEST), gain.mean, min(gain.mean + half, gain.mean + WIDEST)
