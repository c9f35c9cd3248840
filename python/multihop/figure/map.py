"""The map of a network: nodes, links with their delivery, the path of each flow, load and drops of each node."""

from __future__ import annotations

import itertools
import math
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
ROOM = 0.07
"""Free space around the nodes, as a share of the network's larger side."""


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


def _nodes(axes: Axes, reach: Reach, places: Mapping[str, tuple[float, float]], records: Records | None) -> None:
    ends = {str(flow[end]) for flow in reach.info["flows"] for end in ("from", "to")}
    load, drops = _load(records) if records else ({}, {})
    most = max(load.values(), default=0.0) or 1.0
    xs, ys = zip(*places.values(), strict=True)
    sizes = [14 + 110 * load.get(name, 0.0) / most if records else 34 for name in places]
    axes.scatter(xs, ys, sizes, color=[INK if name in ends else COLOURS[7] for name in places], zorder=3)
    dying = [name for name in places if drops.get(name)]
    if dying:
        worst = max(drops.values())
        rings = [50 + 260 * drops[name] / worst for name in dying]
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
    _names(axes, places, sorted(places, key=lambda name: (name not in ends, name not in on_paths)), ends)


def _names(axes: Axes, places: Mapping[str, tuple[float, float]], ranked: Sequence[str], bold: set[str]) -> None:
    """The names of nodes, the most important first, as far as there is room beside those before."""
    a_point = 1.1 * _extent(places)[0] / ((_width(places) - 0.8) * 72)
    taken: list[tuple[float, float, float, float]] = []
    for name in ranked:
        (x, y), wide = places[name], len(name) * NAME_PT * 0.62 * a_point
        box = (x + 4 * a_point, y + 3 * a_point, x + 4 * a_point + wide, y + (3 + NAME_PT) * a_point)
        if any(box[0] < o[2] and o[0] < box[2] and box[1] < o[3] and o[1] < box[3] for o in taken):
            continue
        taken.append(box)
        weight = "bold" if name in bold else "normal"
        words = printable(name)
        axes.annotate(words, (x, y), (4, 3), textcoords="offset points", fontsize=NAME_PT, fontweight=weight, zorder=5)


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
    legend = 0.2 * (1 + min(len(COLOURS), len(reach.info["flows"])))
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
