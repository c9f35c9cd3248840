"""The map of a network: nodes, links with their delivery, the path of each flow, load and drops of each node."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from multihop.ceiling.reach import Link, Reach, Way
from multihop.text import plural, printable

from .fonts import quiet
from .link_labels import Said
from .names import PER_LINE, PER_LINK, place_names
from .style import COLOURS, FAINT, INK, PAPER, canvas, head, styled

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from multihop.record.record import Records

MOST_LINKS = 1500
"""Beyond so many links none is drawn: the range of one node is."""
NAME_PT, SMALL_PT = 8.0, 6.5
"""Size of names [pt]; in a network of many nodes."""
LINE_STYLES = ("-", "--", ":", "-.")
MANY = 25
"""More nodes than this have a wider figure."""
CROWDED = 60
"""More nodes than this have small names."""
ROOM_PT = 24.0
"""Free space around the nodes, for names and rings [pt]."""
BESIDE_PT = 2.6
"""Between the paths of two flows over one link [pt]."""
FLATTEST = 0.16
"""The lower side of the map is at least this share of the longer one."""
HIGHEST = 7.2
"""Height of the map at most [in]."""
LEAST_WIDTH = 4.5
"""Width that title and legend need [in]."""

SLOW_TO_FAST = ((0.8, 0.88), (2.4, 0.62))
"""Width [pt] and grey (1 is white) of the slowest and of the fastest link, where a rule chooses rates."""

LONG_LABEL = 52
"""Letters of a label in the legend beyond which there is no room for two columns."""
MOST_TRACES = 30
"""So many nodes that move have their way drawn."""

Place = tuple[float, float]
Stroke = tuple[Place, Place]


@dataclass(frozen=True)
class Sheet:
    """What the map is of: the nodes' places, and a frame around all that is drawn [m]."""

    places: Mapping[str, Place]
    xs: tuple[float, float]
    ys: tuple[float, float]

    @property
    def inches(self) -> float:
        """Width of the figure."""
        return 6.4 if len(self.places) <= MANY else 7.6

    @property
    def a_point(self) -> float:
        """What a point is on the map [m], where the map is as wide as the figure allows or as high."""
        width, height = (self.xs[1] - self.xs[0]) or 1.0, self.ys[1] - self.ys[0]
        across = width / ((self.inches - 0.9) * 72 - 2 * ROOM_PT)
        return max(across, height / (HIGHEST * 72 - 2 * ROOM_PT))


def draw_map(reach: Reach, title: str, records: Records | None = None) -> Figure:
    """The map of a scenario as it begins; of runs, with what the nodes sent and dropped in the measured time."""
    sheet = _sheet(reach)
    with styled():
        figure, grid = canvas(sheet.inches, 9.0)
        axes = grid[0][0]
        _traces(axes, reach)
        rates, said = _Rates.of(_heard(reach)), Said.of(_heard(reach), len(reach.info["flows"]))
        links = _links(axes, reach, sheet.places, rates)
        paths = _paths(axes, reach, sheet)
        labels = said.draw(axes, sheet.places, sheet.a_point)
        rates.legend(axes)
        said.legend(axes)
        _nodes(axes, reach, sheet, records, {PER_LINE: [*paths, *labels], PER_LINK: links})
        above = _frame(axes, reach, sheet)
        head(figure, axes, f"{title} (places, links and paths at 0 s)" if reach.moves else title, above=above)
        handles, labels = axes.get_legend_handles_labels()
        if handles:
            columns = 1 if max(map(len, labels)) > LONG_LABEL else 2
            figure.legend(handles, labels, loc="outside lower center", ncols=columns)
        _crop(figure, axes)
    return figure


def _sheet(reach: Reach) -> Sheet:
    """Nodes that have no places stand on a circle; what moves needs room for its way."""
    places = reach.places if reach.placed else _circle(list(reach.places))
    ways = itertools.chain(places.values(), *list(reach.traces.values())[:MOST_TRACES])
    xs, ys = zip(*ways, strict=True)
    least = FLATTEST * max(max(xs) - min(xs), max(ys) - min(ys))
    return Sheet(places, _wider(xs, least), _wider(ys, least))


def _wider(values: Sequence[float], least: float) -> tuple[float, float]:
    """From the least to the greatest value, with as much beyond both as makes it so long."""
    low, high = min(values), max(values)
    more = max(0.0, least - (high - low)) / 2
    return low - more, high + more


def _crop(figure: Figure, axes: Axes) -> None:
    """Makes the figure as high, or as wide, as axes of equal scales fill it."""
    (left, right), (low, high) = axes.get_xlim(), axes.get_ylim()
    ratio = (high - low) / (right - left)
    axes.set_aspect("auto")  # of axes that shrink in their place, the room around them would be measured wrong
    with quiet():
        figure.draw_without_rendering()
    axes.set_aspect("equal")
    room, (wide, tall) = axes.get_position(original=True), figure.get_size_inches()
    across, up = room.width * wide, min(room.width * wide * ratio, HIGHEST)
    figure.set_figheight(tall - room.height * tall + up)
    figure.set_figwidth(max(LEAST_WIDTH, wide - across + up / ratio))


def _traces(axes: Axes, reach: Reach) -> None:
    """Where nodes that move pass, thin and pale, with a mark where each ends."""
    for name, trace in list(reach.traces.items())[:MOST_TRACES]:
        xs, ys = zip(*trace, strict=True)
        colour = COLOURS[list(reach.places).index(name) % len(COLOURS)]
        axes.plot(xs, ys, color=colour, linewidth=0.7, alpha=0.55, zorder=0.9)
        axes.plot(xs[-1], ys[-1], ".", color=colour, markersize=3, zorder=0.9)
    if reach.traces:
        left = len(reach.traces) - MOST_TRACES
        label = "thin: way of a node that moves" + (f" ({left} more not drawn)" if left > 0 else "")
        axes.plot([], [], color=INK, linewidth=0.7, alpha=0.55, marker=".", markersize=3, label=label)


def _heard(reach: Reach) -> list[Link]:
    """The links that are drawn: none where there are too many."""
    heard = [link for link in reach.links.values() if link.decodable]
    return heard if len(heard) <= MOST_LINKS else []


def _links(axes: Axes, reach: Reach, places: Mapping[str, Place], rates: _Rates) -> list[Stroke]:
    """Which node decodes which; dotted where only one does; with the share of frames that the scenario delivers.
    Returns the lines drawn."""
    strokes = _wires(axes, reach, places)
    drawn = set()
    for link in _heard(reach):
        ends = frozenset((link.sender, link.receiver))
        back = reach.links.get((link.receiver, link.sender))
        one_way = back is None or not back.decodable
        if ends in drawn:
            continue
        drawn.add(ends)
        (x0, y0), (x1, y1) = places[link.sender], places[link.receiver]
        strokes.append(((x0, y0), (x1, y1)))
        axes.plot([x0, x1], [y0, y1], linestyle=":" if one_way else "-", zorder=1, **rates.look(link, back))
        worse = max(link.loss, back.loss if back else 0.0)
        if worse > 0:
            where = (x0 + 0.5 * (x1 - x0), y0 + 0.5 * (y1 - y0))
            box = {"facecolor": PAPER, "edgecolor": "none", "pad": 0.6}
            share = f"{100 * (1 - worse):.0f} %"
            axes.annotate(share, where, fontsize=SMALL_PT, ha="center", va="center", bbox=box, zorder=4)
    return strokes


PLAIN: dict[str, Any] = {"color": FAINT, "linewidth": 1.1}
"""The line of a link."""


@dataclass(frozen=True, slots=True)
class _Rates:
    """The slowest and the fastest rate of the links where a rule chooses rates [bit/s]; 0 where none does."""

    slowest: float
    fastest: float

    @classmethod
    def of(cls, links: Sequence[Link]) -> _Rates:
        rates = [link.rate_bps for link in links if link.rate_bps]
        return cls(min(rates, default=0.0), max(rates, default=0.0))

    def look(self, link: Link, back: Link | None) -> dict[str, Any]:
        """The wider and darker a line is, the faster is the slower direction of its link."""
        rates = [way.rate_bps for way in (link, back) if way and way.rate_bps]
        return self._at(min(rates)) if rates else PLAIN

    def _at(self, rate: float) -> dict[str, Any]:
        (thin, pale), (wide, dark) = SLOW_TO_FAST
        span = math.log(self.fastest / self.slowest)
        share = math.log(rate / self.slowest) / span if span else 1.0
        return {"color": str(pale + share * (dark - pale)), "linewidth": thin + share * (wide - thin)}

    def legend(self, axes: Axes) -> None:
        ends = {"slowest": self.slowest, "fastest": self.fastest}
        for name, rate in ends.items() if self.slowest < self.fastest else ():
            axes.plot([], [], label=f"{name} link: {rate / 1e6:.4g} Mb/s", **self._at(rate))


def _wires(axes: Axes, reach: Reach, places: Mapping[str, Place]) -> list[Stroke]:
    """The wired links, dashed; returns the lines drawn."""
    strokes = [(places[str(wire["from"])], places[str(wire["to"])]) for wire in reach.wires]
    for index, ((x0, y0), (x1, y1)) in enumerate(strokes):
        label = "_" if index else "dashed: wired link"
        axes.plot([x0, x1], [y0, y1], color=INK, linewidth=1.1, linestyle=(0, (5, 3)), zorder=1.1, label=label)
    return strokes


def _paths(axes: Axes, reach: Reach, sheet: Sheet) -> list[Stroke]:
    """The path of each flow, beside each other where they share a link; returns the lines drawn."""
    used: Counter[frozenset[str]] = Counter()
    shift, strokes, places = BESIDE_PT * sheet.a_point, list[Stroke](), sheet.places
    ways = [way for way in reach.ways() if way.path]
    for index, way in enumerate(ways[: len(COLOURS)]):
        hops = plural(way.hops, "hop")
        label = printable(f"flow {way.flow['id']}: {way.flow['from']} → {way.flow['to']}, {hops}{_rate(way)}")
        for hop in itertools.pairwise(way.path):
            (x0, y0), (x1, y1) = places[hop[0]], places[hop[1]]
            length = math.hypot(x1 - x0, y1 - y0) or 1.0
            beside = shift * used[frozenset(hop)]
            # the side is that of the link, not of the direction, so that paths both ways do not meet
            side = 1 if hop[0] < hop[1] else -1
            dx, dy = -(y1 - y0) / length * beside * side, (x1 - x0) / length * beside * side
            used[frozenset(hop)] += 1
            strokes.append(((x0 + dx, y0 + dy), (x1 + dx, y1 + dy)))
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
    return strokes


def _rate(way: Way) -> str:
    """At what rate the slowest hop of a path carries frames, where a rule chooses it."""
    rates = [rate for rate in way.rates if rate is not None]
    if not way.chosen or not rates:
        return ""
    return f" at {min(rates) / 1e6:.4g} Mb/s{' or more' if min(rates) < max(rates) else ''}"


def _nodes(
    axes: Axes,
    reach: Reach,
    sheet: Sheet,
    records: Records | None,
    lines: Mapping[float, Sequence[Stroke]],
) -> None:
    """Dots, rings and names; the names keep off the lines."""
    places = sheet.places
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
    radius = {name: 0.5 * math.sqrt(area) for name, area in around.items()}
    size = NAME_PT if len(places) <= CROWDED else SMALL_PT
    place_names(axes, places, ranked, radius, lines, size=size, a_point=sheet.a_point, bold=ends)


def _frame(axes: Axes, reach: Reach, sheet: Sheet) -> float:
    """Axes and, above them, a scale that says what a hop can be; returns how high that is [pt]."""
    if reach.placed:
        axes.set(xlabel="x [m]", ylabel="y [m]", aspect="equal")
    else:
        axes.set(xticks=[], yticks=[], aspect="equal")
        axes.set_xlabel("links are listed: places mean nothing")
        axes.spines[["left", "bottom"]].set_visible(False)
    room = ROOM_PT * sheet.a_point
    (left, right), (low, high) = sheet.xs, sheet.ys
    axes.set(xlim=(left - room, right + room), ylim=(low - room, high + room))
    axes.grid(visible=False)
    if not (reach.range_m and reach.placed):
        return 0.0
    share = reach.range_m / (right - left + 2 * room)
    words = f"receive range {reach.range_m:.0f} m"
    if share > 1:
        words += ", more than this map is wide"
    else:
        look: dict[str, Any] = {"color": INK, "linewidth": 1.4, "solid_capstyle": "butt", "clip_on": False}
        axes.plot([1 - share, 1], [1, 1], transform=axes.transAxes, **look)
    axes.annotate(words, (1, 1), (0, 3), "axes fraction", "offset points", ha="right", fontsize=7)
    return 12.0


def _circle(names: Sequence[str]) -> dict[str, Place]:
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
