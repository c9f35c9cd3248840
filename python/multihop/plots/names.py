"""Where the names of a map stand: beside their nodes, off other names, and off lines as far as there is room."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from multihop.text import printable

from .style import PAPER

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

SIDES = ((1, 1), (1, -1), (-1, 1), (-1, -1), (1, 0), (-1, 0), (0, 1), (0, -1))
"""Where a name may stand: to the right (1) or left of its node, above (1) or below; the first are preferred."""
PER_LINE, PER_LINK, PER_NODE, PER_SIDE = 3.0, 0.5, 60.0, 0.6
"""What it costs to stand on a path or a link [for each pt of it], on another node, and at the next of the sides."""
ROUNDS = 3
"""How often each name may move once the others stand."""

Place = tuple[float, float]
Box = tuple[float, float, float, float]
"""Left, low, right and high."""


def place_names(
    axes: Axes,
    places: Mapping[str, Place],
    ranked: Sequence[str],
    radius: Mapping[str, float],
    lines: Mapping[float, Sequence[tuple[Place, Place]]],
    *,
    size: float,
    a_point: float,
    bold: set[str],
) -> None:
    """Writes the names of nodes beside their dots and rings; those for which there is no room are left out, the last of
    `ranked` first.

    `radius`: of the dot or ring [pt]; `lines`: by what it costs to stand on them, see `PER_LINE`; `size`: of the
    letters [pt]; `a_point`: what a point is in the map's units.
    """
    walls = [(cost, np.asarray(found, float).reshape(-1, 4) / a_point) for cost, found in lines.items() if found]
    spots = {name: (x / a_point, y / a_point) for name, (x, y) in places.items()}
    centres = np.array([spots[name] for name in ranked])
    rings = np.array([radius[name] for name in ranked])
    boxes, costs = {}, {}
    for index, name in enumerate(ranked):
        boxes[name] = [_box(spots[name], radius[name], side, name, size) for side in SIDES]
        others = np.arange(len(ranked)) != index
        costs[name] = [
            PER_SIDE * rank + PER_NODE * _touched(box, centres[others], rings[others]) + _crossed(box, walls)
            for rank, box in enumerate(boxes[name])
        ]
    chosen: dict[str, int] = {}
    for _ in range(ROUNDS):
        before = dict(chosen)
        for name in ranked:
            taken = [boxes[other][side] for other, side in chosen.items() if other != name]
            free = [side for side, box in enumerate(boxes[name]) if not any(_overlap(box, other) for other in taken)]
            chosen.pop(name, None)
            if free:
                chosen[name] = min(free, key=costs[name].__getitem__)
        if chosen == before:
            break
    for name, side in chosen.items():
        _write(axes, name, places[name], radius[name], SIDES[side], size=size, bold=name in bold)


def _write(
    axes: Axes, name: str, place: Place, radius: float, side: tuple[int, int], *, size: float, bold: bool
) -> None:
    right, up = side
    away = _away(radius, side)
    # lines below it are pale: a halo of strokes around the letters would make an SVG five times as large
    paper = {"facecolor": PAPER, "edgecolor": "none", "pad": 0.2, "alpha": 0.7}
    look: dict[str, Any] = {"fontsize": size, "fontweight": "bold" if bold else "normal", "zorder": 2.5, "bbox": paper}
    look |= {"ha": ("right", "center", "left")[right + 1], "va": ("top", "center", "baseline")[up + 1]}
    axes.annotate(printable(name), place, (right * away, up * away), textcoords="offset points", **look)


def _away(radius: float, side: tuple[int, int]) -> float:
    """How far a name is from the middle of its node, across and up [pt]."""
    return (math.sqrt(0.5) if all(side) else 1.0) * radius + 1.6


def _box(spot: Place, radius: float, side: tuple[int, int], name: str, size: float) -> Box:
    """What a name takes at a side [pt]."""
    (x, y), (right, up), away = spot, side, _away(radius, side)
    wide, high = _letters(printable(name)) * size * 0.62, size
    left = x + right * away - (1 - right) / 2 * wide
    low = y + up * away - (1 - up) / 2 * high
    return left, low, left + wide, low + high


def _touched(box: Box, centres: NDArray[np.float64], rings: NDArray[np.float64]) -> int:
    """How many circles reach into a box."""
    nearest = np.clip(centres, box[:2], box[2:])
    return int((np.hypot(*(nearest - centres).T) < rings + 0.5).sum())


def _crossed(box: Box, walls: Sequence[tuple[float, NDArray[np.float64]]]) -> float:
    """What it costs that lines run through a box: their length in it (Liang & Barsky, 1984)."""
    cost = 0.0
    for per_point, ends in walls:
        start, way = ends[:, :2], ends[:, 2:] - ends[:, :2]
        with np.errstate(divide="ignore", invalid="ignore"):
            enter, leave = (box[:2] - start) / way, (box[2:] - start) / way
        low, high = np.minimum(enter, leave), np.maximum(enter, leave)
        inside = (start >= box[:2]) & (start <= box[2:])
        still = way == 0  # a line along one axis is within the box's other sides, or not at all
        low = np.where(still, np.where(inside, -np.inf, np.inf), low)
        high = np.where(still, np.where(inside, np.inf, -np.inf), high)
        share = np.minimum(high.min(axis=1), 1) - np.maximum(low.max(axis=1), 0)
        cost += per_point * float((np.clip(share, 0, None) * np.hypot(*way.T)).sum())
    return cost


def _overlap(one: Box, other: Box) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def _letters(words: str) -> int:
    """How many letters of usual width the words are as wide as: those of East Asia are twice as wide."""
    return sum(2 if unicodedata.east_asian_width(letter) in "WF" else 1 for letter in words)
