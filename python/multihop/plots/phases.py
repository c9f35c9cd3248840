"""The phases of a sender that measures its path, as a strip above its window."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Any

from multihop.analysis.phases import PHASES, of

from .choice import Choice
from .style import COLOURS, FAINT, INK, PAPER

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from multihop.record.record import Record

STRIP = 0.07
"""Height of the strip, as a share of the panel."""
GAP = 0.02
"""Room between it and what the panel shows."""
ROOM = 1 - STRIP - GAP
"""The share of the panel that is left below it."""
LOOKS = (
    (COLOURS[4], "----"),
    (COLOURS[3], "////"),
    (PAPER, ""),
    (COLOURS[5], "\\\\\\\\"),
    (PAPER, "...."),
    (FAINT, "oooo"),
    (COLOURS[2], "xxxx"),
    (COLOURS[0], "++++"),
)
"""Colour and hatch of one phase each."""
NAMES = tuple(dict.fromkeys(phase.name for rule in PHASES.values() for phase in rule))
"""Each phase of all rules: one that two rules have looks the same in both."""


def spans(record: Record, flow: str, choice: Choice) -> dict[str, list[tuple[float, float]]]:
    """When each phase began and how long it lasted, as it was sampled, in the time to show [s]; in the order of their
    numbers, and empty where there are none."""
    names = of(record, flow)
    if not names:
        return {}
    path = record.series("path")
    path = path[(path["flow"] == flow) & path["phase"].between(1, len(names))]
    low, high = choice.span or (0.0, float(record.scenario["duration_s"]))
    samples = list(zip(path["time_s"].astype(float), path["phase"].astype(int), strict=True))
    stretches = [(next(same)[0], number) for number, same in groupby(samples, key=lambda sample: sample[1])]
    ends = [*(begin for begin, _ in stretches[1:]), float(record.scenario["duration_s"])]
    found: dict[str, list[tuple[float, float]]] = {name: [] for name in names}
    for (begin, number), end in zip(stretches, ends, strict=False):
        first, last = max(begin, low), min(end, high)
        if first < last:
            found[names[number - 1]].append((first, last - first))
    return {name: when for name, when in found.items() if when}


def strip(axes: Axes, record: Record, flow: str, choice: Choice) -> bool:
    """Draws them along the upper edge of a panel; says whether there are any."""
    found = spans(record, flow, choice)
    for (colour, hatch), name in zip(LOOKS, NAMES, strict=True):
        if name in found:
            look: dict[str, Any] = {"facecolor": colour, "hatch": hatch, "edgecolor": INK, "linewidth": 0.3}
            whole = axes.get_xaxis_transform()
            axes.broken_barh(found[name], (1 - STRIP, STRIP), transform=whole, label=name, zorder=2.5, **look)
    return bool(found)
