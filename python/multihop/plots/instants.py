"""What the scenario lets happen at an instant: a line through the picture, and its name above it."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from multihop.text import printable

from .fonts import families
from .style import INK, PAPER

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from multihop.record.record import Records

MOST_WORDS = 8
"""Instants that are named; more are only marked."""
WORD_PT = 6.5
"""Size of the names [pt]."""
ROW_PT = 9.0
"""Height of a row of names [pt]."""
GAP_PT = 4.0
"""Space between two names in a row [pt]."""
MARGIN = 0.75
"""What a panel loses to the scale at its left, at most [in]."""
LINE: dict[str, Any] = {"color": INK, "linewidth": 0.7, "linestyle": ":"}


def marked(axes: Axes, arm: Records, span: tuple[float, float], width: float) -> float:
    """A line at each instant of the time shown at which something happens, with what it is above the axes of a panel
    that is so wide [in]; returns the height that the names take [pt]."""
    low, high = span
    events = {at: what for at, what in _events(arm).items() if low <= at <= high}
    for at in events:
        axes.axvline(at, **LINE)
    if len(events) > MOST_WORDS:
        return 0.0
    wide = (width - MARGIN) * 72
    rows: list[list[tuple[float, float]]] = []
    names: list[tuple[float, str, str, float]] = []
    # the last first: a name lies to the right of its line, and those above it have theirs further left
    for at in sorted(events, reverse=True):
        place = (at - low) / (high - low) * wide
        side, box, words = _beside(axes, ", ".join(events[at]), place, wide)
        row = next((i for i, row in enumerate(rows) if not any(_touch(box, other) for other in row)), len(rows))
        if row == len(rows):
            rows.append([])
        rows[row].append(box)
        names.insert(0, (at, words, side, 2 + ROW_PT * row))
    for name in names:
        _write(axes, *name)
    return ROW_PT * len(rows)


def _write(axes: Axes, at: float, words: str, side: str, up: float) -> None:
    """A name so high [pt] above the axes, to the left or right of its line, which goes up to it."""
    way: dict[str, Any] = {"xycoords": ("data", "axes fraction"), "textcoords": "offset points"}
    arrow = {"arrowstyle": "-", "shrinkA": 0, "shrinkB": 0, **LINE}
    axes.annotate("", (at, 1), (0, up + WORD_PT), arrowprops=arrow, zorder=3, **way)
    paper = {"facecolor": PAPER, "edgecolor": "none", "pad": 0.5}
    look: dict[str, Any] = {"fontsize": WORD_PT, "family": families(words), "bbox": paper, "zorder": 5}
    axes.annotate(words, (at, 1), (2 if side == "left" else -2, up), ha=side, va="bottom", **look, **way)


def _events(arm: Records) -> dict[float, list[str]]:
    """What happens at each instant [s]; of both directions of a link, the first tells."""
    names = [str(node["name"]) for node in arm.scenario["nodes"]]
    found: dict[float, list[str]] = {}
    for event in arm.scenario.get("events", ()):
        at, what = float(event["at_s"]), str(event["what"])
        if _back(what, names) not in found.setdefault(at, []) and what not in found[at]:
            found[at].append(what)
    return {at: [printable(what) for what in whats] for at, whats in found.items()}


def _back(what: str, names: Sequence[str]) -> str:
    """The same of the other direction, if it is of a link."""
    link = what.removeprefix("link ")
    if link == what:
        return ""
    ends = ((a, b) for a in names if link.startswith(f"{a}-") for b in names if link.startswith(f"{a}-{b} "))
    return next((f"link {b}-{a} {link.removeprefix(f'{a}-{b} ')}" for a, b in ends), "")


def _beside(axes: Axes, words: str, place: float, wide: float) -> tuple[str, tuple[float, float], str]:
    """On which side of its line a name has room, from where to where it goes [pt], and as much of it as there is room
    for."""
    text = axes.text(0, 0, words, fontsize=WORD_PT, family=families(words))
    # letters are up to a tenth wider at other resolutions
    length = 1.1 * text.get_window_extent().width * 72 / axes.figure.dpi + 2
    text.remove()
    left, right = place, wide - place
    room = max(left, right)
    if length > room:
        words = textwrap.shorten(words, max(4, int(len(words) * room / length) - 2), placeholder=" …")
        length = room
    return ("left", (place, place + length), words) if length <= right else ("right", (place - length, place), words)


def _touch(one: tuple[float, float], other: tuple[float, float]) -> bool:
    return one[0] < other[1] + GAP_PT and other[0] < one[1] + GAP_PT
