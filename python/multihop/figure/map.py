"""The map of a network: nodes, links with their delivery, the path of each flow, load and drops of each node."""

from __future__ import annotations

import itertools
import math
import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from multihop.reach import Reach
from multihop.text import plural, printable

from .style import COLOURS, FAINT, INK, PAPER, canvas, head, styled

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from multihop.record import Records

MOST_LINKS = 1500
"""Beyond so many links none is drawn: the range of one node is."""
NAME_PT = 6.5
"""Size of names [pt]."""
LINE_STYLES = ("-", "--", ":", "-.")
MANY = 25
"""More nodes than this have a wider figure."""
CORNERS = ((1, 1), (-1, 1), (1, -1), (-1, -1))
"""Where a name may stand: to the right (1) or left of its node, above (1) or below."""
ROOM = 0.07
"""Free space around the nodes, as a share of the network's larger side."""

Box = tuple[float, float, float, float]
"""Left, low, right and high."""


def draw_map(reach: Reach, title: str, records: Records | None = None) -> Figure:
    """The map of a scenario as it begins; of runs, with what the nodes sent and dropped in the measured time."""
    places = reach.places if reach.placed else _circle(list(reach.places))
    with styled():
        figure, grid = canvas(_width(places), _height(reach, places))
        axes = grid[0][0]
        _links(axes, reach, places)
        _paths(axes, reach, places)
        _nodes(axes, reach, places, records)
        _frame(axes, reach, places)
        head(figure, axes, f"{title} (places, links and paths at 0 s)" if reach.moves else title)
        handles, labels = axes.get_legend_handles_labels()
        if handles:
            figure.legend(handles, labels, loc="outside lower center", ncols=2)
    return figure


def _links(axes: Axes, reach: Reach, places: Mapping[str, tuple[float, float]]) -> None:
    """Who decodes whom; dotted where only one does; with the share of frames delivered where the scenario says it."""
    heard = [link for link in reach.links.values() if link.decodable]
    drawn = set()
    for link in heard if len(heard) <= MOST_LINKS else ():
        ends = frozenset((link.sender, link.receiver))
        back = reach.links.get((link.receiver, link.sender))
        one_way = back is None or not back.decodable
        if ends in drawn:
            continue
        drawn.add(ends)
        (x0, y0), (x1, y1) = places[link.sender], places[link.receiver]
        axes.plot([x0, x1], [y0, y1], color=FAINT, linewidth=1.1, linestyle=":" if one_way else "-", zorder=1)
        worse = max(link.loss, back.loss if back else 0.0)
        if worse > 0:
            where = (x0 + 0.5 * (x1 - x0), y0 + 0.5 * (y1 - y0))
            box = {"facecolor": PAPER, "edgecolor": "none", "pad": 0.6}
            share = f"{100 * (1 - worse):.0f} %"
            axes.annotate(share, where, fontsize=6.5, ha="center", va="center", bbox=box, zorder=4)


def _paths(axes: Axes, reach: Reach, places: Mapping[str, tuple[float, float]]) -> None:
    """The path of each flow, beside each other where they share a link."""
    used: Counter[frozenset[str]] = Counter()
    shift = 0.008 * max(_extent(places))
    ways = [way for way in reach.ways() if way.path]
    for index, way in enumerate(ways[: len(COLOURS)]):
        hops = plural(way.hops, "hop")
        label = printable(f"flow {way.flow['id']}: {way.flow['from']} → {way.flow['to']}, {hops}")
        for hop in itertools.pairwise(way.path):
            (x0, y0), (x1, y1) = places[hop[0]], places[hop[1]]
            length = math.hypot(x1 - x0, y1 - y0) or 1.0
            beside = shift * used[frozenset(hop)]
            # the side is that of the link, not of the direction, so that paths both ways do not meet
            side = 1 if hop[0] < hop[1] else -1
            dx, dy = -(y1 - y0) / length * beside * side, (x1 - x0) / length * beside * side
            used[frozenset(hop)] += 1
            axes.plot(
                [x0 + dx, x1 + dx],
                [y0 + dy, y1 + dy],
                color=COLOURS[index],
                linestyle=LINE_STYLES[index % len(LINE_STYLES)],
                linewidth=2.0,
                label=label,
                zorder=2,
            )
            label = "_"
            middle = (x0 + 0.62 * (x1 - x0) + dx, y0 + 0.62 * (y1 - y0) + dy)
            before = (x0 + 0.55 * (x1 - x0) + dx, y0 + 0.55 * (y1 - y0) + dy)
            arrow = {"arrowstyle": "-|>", "color": COLOURS[index], "linewidth": 1.2}
            axes.annotate("", middle, before, arrowprops=arrow, zorder=2)
    if (more := len(ways) - len(COLOURS)) > 0:
        axes.plot([], [], " ", label=f"and {plural(more, 'more flow')}, not drawn")


def _nodes(axes: Axes, reach: Reach, places: Mapping[str, tuple[float, float]], records: Records | None) -> None:
    ends = {str(flow[end]) for flow in reach.info["flows"] for end in ("from", "to")}
    load, drops = _load(records) if records else ({}, {})
    most = max(load.values(), default=0.0) or 1.0
    xs, ys = zip(*places.values(), strict=True)
    sizes = [14 + 110 * load.get(name, 0.0) / most if records else 34 for name in places]
    axes.scatter(xs, ys, sizes, color=[INK if name in ends else COLOURS[7] for name in places], zorder=3)
    dying = [name for name in places if drops.get(name)]
    worst = max(drops.values(), default=0.0)
    rings = [50 + 260 * drops[name] / worst for name in dying]
    if dying:
        axes.scatter(
            [places[n][0] for n in dying],
            [places[n][1] for n in dying],
            rings,
            facecolors="none",
            edgecolors=COLOURS[0],
            linewidths=1.4,
            zorder=3,
        )
        ring: dict[str, Any] = {"facecolors": "none", "edgecolors": COLOURS[0], "linewidths": 1.4}
        axes.scatter([], [], 70, label=f"ring: packets dropped there, up to {worst:.4g} a run", **ring)
    if records:
        axes.scatter([], [], 60, color=COLOURS[7], label=f"dot: time spent sending, up to {most:.3g} s")
    on_paths = {name for way in reach.ways() for name in way.path}
    ranked = sorted(places, key=lambda name: (name not in ends, name not in on_paths))
    around = {**dict(zip(places, sizes, strict=True)), **dict(zip(dying, rings, strict=True))}
    _names(axes, places, ranked, ends, {name: 0.5 * math.sqrt(area) for name, area in around.items()})


def _names(
    axes: Axes,
    places: Mapping[str, tuple[float, float]],
    ranked: Sequence[str],
    bold: set[str],
    radius: Mapping[str, float],
) -> None:
    """The names of nodes beside their dots and rings, of which the radius is given [pt]; the most important first, as
    far as there is room beside those before. At the upper right, or at the first corner where no other ring is."""
    a_point = 1.1 * _extent(places)[0] / ((_width(places) - 0.8) * 72)
    circles = {name: _square(place, radius[name] * a_point) for name, place in places.items()}
    taken: list[Box] = []
    for name in ranked:
        (x, y), words = places[name], printable(name)
        away = math.sqrt(0.5) * radius[name] + 1.2
        wide, high = _letters(words) * NAME_PT * 0.62 * a_point, NAME_PT * a_point
        boxes: dict[tuple[int, int], Box] = {}
        for right, up in CORNERS:
            left = x + away * a_point if right > 0 else x - away * a_point - wide
            low = y + away * a_point if up > 0 else y - away * a_point - high
            boxes[right, up] = (left, low, left + wide, low + high)
        beside = [corner for corner, box in boxes.items() if not any(_overlap(box, other) for other in taken)]
        near = [circle for other, circle in circles.items() if other != name]
        free = [corner for corner in beside if not any(_overlap(boxes[corner], circle) for circle in near)]
        if not beside:
            continue
        right, up = (free or beside)[0]
        taken.append(boxes[right, up])
        sides: dict[str, Any] = {"ha": "left" if right > 0 else "right", "va": "baseline" if up > 0 else "top"}
        look = {"fontsize": NAME_PT, "fontweight": "bold" if name in bold else "normal", "zorder": 5, **sides}
        axes.annotate(words, (x, y), (right * away, up * away), textcoords="offset points", **look)


def _overlap(one: Box, other: Box) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def _square(place: tuple[float, float], radius: float) -> Box:
    """The square around a circle."""
    return (place[0] - radius, place[1] - radius, place[0] + radius, place[1] + radius)


def _letters(words: str) -> int:
    """How many letters of usual width the words are as wide as: those of East Asia are twice as wide."""
    return sum(2 if unicodedata.east_asian_width(letter) in "WF" else 1 for letter in words)


def _frame(axes: Axes, reach: Reach, places: Mapping[str, tuple[float, float]]) -> None:
    if reach.placed:
        axes.set(xlabel="x [m]", ylabel="y [m]", aspect="equal")
    else:
        axes.set(xticks=[], yticks=[], aspect="equal")
        axes.set_xlabel("links are listed: places mean nothing")
        axes.spines[["left", "bottom"]].set_visible(False)
    width, height = _extent(places)
    room = ROOM * max(width, height)
    xs, ys = zip(*places.values(), strict=True)
    axes.set_xlim(min(xs) - room, max(xs) + room)
    low, high = min(ys) - room, max(ys) + room
    if reach.range_m and reach.placed:  # a scale that says what a hop can be
        y = low - 0.8 * room
        left = min(xs)
        axes.plot([left, left + reach.range_m], [y, y], color=INK, linewidth=1.4, solid_capstyle="butt")
        axes.annotate(f"receive range {reach.range_m:.0f} m", (left, y), (0, 3), textcoords="offset points", fontsize=7)
        axes.set_xlim(min(xs) - room, max(*xs, left + reach.range_m) + room)
        low = y - 0.5 * room
    axes.set_ylim(low, high)
    axes.grid(visible=False)


def _width(places: Mapping[str, tuple[float, float]]) -> float:
    """Width of the figure [in]."""
    return 6.4 if len(places) <= MANY else 8.6


def _height(reach: Reach, places: Mapping[str, tuple[float, float]]) -> float:
    """Height of the figure [in]: axes as high as equal scales make them, title, labels and legend."""
    width, height = _extent(places)
    room = ROOM * max(width, height)
    high = (height + (3.3 if reach.range_m else 2) * room) / (width + 2 * room)
    legend = 0.2 * (1 + min(len(COLOURS) + 1, len(reach.info["flows"])))
    return min(9.0, (_width(places) - 0.8) * high + 1.1 + legend)


def _extent(places: Mapping[str, tuple[float, float]]) -> tuple[float, float]:
    xs, ys = zip(*places.values(), strict=True)
    return max(xs) - min(xs) or 1.0, max(ys) - min(ys)


def _circle(names: Sequence[str]) -> dict[str, tuple[float, float]]:
    """Places on a circle for nodes that have none."""
    turn = 2 * math.pi / max(1, len(names))
    return {name: (math.sin(turn * i), math.cos(turn * i)) for i, name in enumerate(names)}


def _load(records: Records) -> tuple[dict[str, float], dict[str, float]]:
    """Time spent sending [s] and packets dropped by each node, mean over runs."""
    sent, dropped = Counter[str](), Counter[str]()
    for run in records.runs:
        for node in run["nodes"]:
            sent[str(node["name"])] += node["airtime_tx_s"]
        for drop in run["drops"]:
            dropped[str(drop["node"])] += drop["n"]
    n = len(records)
    return {k: v / n for k, v in sent.items()}, {k: v / n for k, v in dropped.items()}
