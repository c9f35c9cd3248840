"""What `check` says: a map in letters, which node hears which, the path of each flow and what limits it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.text import Text

from multihop.ceiling import hasty
from multihop.ceiling.reach import Reach, Way
from multihop.ceiling.rts import RtsWorth
from multihop.ceiling.sharing import sharings
from multihop.errors import InputError
from multihop.measures.notation import NOTHING, seconds
from multihop.out.acted import powerless
from multihop.out.fit import Column, Fitting, Line
from multihop.record.document import head
from multihop.scenario.places import warnings
from multihop.scenario.scenario import nearest
from multihop.scenario.wifi import model_words
from multihop.text import kilobits, listing, plural, span

TABLES: dict[str, tuple[tuple[str, ...], str]] = {
    "flows": (("id", "from", "to", "hops", "path", "ceiling_bps", "words"), "flows"),
    "links": (("from", "to", "decodable", "sensed", "loss", "rate_bps"), "links"),
    "hidden": (("sender", "disturber"), "hidden_pairs"),
}
"""What `--csv` prints: columns, and where the document has the rows."""
MOST_ROWS = 30
"""So many nodes and flows are listed; `--json` and `--csv` have all."""
MOST_NAMES = 8
"""So many nodes or pairs are named in a cell or sentence, the rest is counted."""
LINES_HIGH = 16
"""Height of the map [lines]."""
NO_ROOM = "The map has no room here: --map FILE draws it, or a wider terminal."
"""In its place, where it would be too narrow, or narrow and half of its nodes without a name."""
NARROW = 2 * LINES_HIGH
"""Fewer columns are few."""
LETTER = 0.5
"""Width of a letter, in heights of a line."""


class LetterMap:
    """The nodes where they stand, as far as letters can say it: a `*` and the name, where there is room for it."""

    def __init__(self, reach: Reach) -> None:
        self._places = reach.places

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        wide = min(options.max_width, 100)
        xs, ys = zip(*self._places.values(), strict=True)
        width, height = max(xs) - min(xs) or 1.0, max(ys) - min(ys)
        columns = wide - 1 - max(map(len, self._places))
        if columns < LINES_HIGH:
            yield Text(NO_ROOM, style="dim")
            return
        lines = max(1, min(LINES_HIGH, round(columns * LETTER * height / width) + 1))
        grid = [[" "] * wide for _ in range(lines)]
        marks = {
            name: (
                round((lines - 1) * (max(ys) - y) / (height or 1.0)),
                round((columns - 1) * (x - min(xs)) / width),
            )
            for name, (x, y) in self._places.items()
        }
        for row, column in marks.values():
            grid[row][column] = "*"
        named = 0
        for name, (row, column) in marks.items():
            free = grid[row][column + 1 : column + 1 + len(name) + 1]
            if all(letter == " " for letter in free):
                grid[row][column + 1 : column + 1 + len(name)] = name
                named += 1
        if columns < NARROW and 2 * named <= len(marks):
            yield Text(NO_ROOM, style="dim")
            return
        for letters in grid:
            yield Text("".join(letters).rstrip() or " ")


def check_view(name: str, reach: Reach, rts: RtsWorth | None = None) -> Group:
    """All that `check` says; `rts` is what RTS/CTS is worth, where that is worth a word."""
    info = reach.info
    title = Text(name, style="bold")
    if info.get("summary"):
        title.append(f"  {info['summary']}", style="not bold dim")
    measured = info["measure"]
    title.append(
        f"\n{plural(len(reach.places), 'node')}, {plural(len(info['flows']), 'flow')}; "
        f"{seconds(info['duration_s'])}, measured {span(measured['from_s'], measured['to_s'])}; seed {info['seed']}",
        style="not bold",
    )
    vain = [f"{technique} {why}" for technique, why in powerless(info).items()]
    said = (*warnings(info), *vain, *reach.stuck(), *hasty.words(reach.hasty()))
    warned = [Text(f"warning: {warning}", style="yellow") for warning in said]
    parts: list[RenderableType] = [title, Text(model_words(info)), *warned, Text("")]
    if reach.placed and len(reach.places) > 1:
        parts += [LetterMap(reach), Text("")]
    ways = reach.ways()
    parts += [Text(line) for line in network_words(reach)]
    parts += [Text(""), _hearing(reach), Text("")]
    if ways:
        parts += [_ways(ways), Text(""), *(Text(f"• {way.words()}") for way in ways[:MOST_ROWS])]
    parts += [Text(f"• {group.words()}") for group in sharings(reach, ways)]
    if rts:
        parts += [Text(f"• {' '.join(rts.words())}")]
    return Group(*parts)


def network_words(reach: Reach) -> list[str]:
    """The network in sentences."""
    links = [link for link in reach.links.values() if link.decodable]
    both = sum((link.receiver, link.sender) in reach.links for link in links)
    parts = reach.parts()
    known = reach.placed and reach.range_m is not None
    how = f" Without interference a frame is decoded up to {reach.range_m:.4g} m away." if known else ""
    lines = [f"{plural(len(links) - both // 2, 'link')} between {plural(len(reach.places), 'node')}.{how}"]
    if reach.wires:
        told = [_wire(wire) for wire in reach.wires]
        lines.append(f"{plural(len(told), 'wired link')}: {_names(told, '; ')}.")
    if len(parts) > 1:
        others = ", ".join(_names(part) for part in parts[1:][:MOST_NAMES])
        lines.append(f"The network has {len(parts)} parts that do not hear each other: beside the largest, {others}.")
    hidden = reach.hidden_pairs()
    if hidden:
        told = [f"{a} and {b}" for a, b in hidden]
        lines.append(
            f"{plural(len(hidden), 'hidden pair')} (a station that the sender does not sense disturbs its receiver): "
            f"{_names(told, '; ')}."
        )
    else:
        lines.append("No hidden pairs: every sender senses each node that disturbs its neighbours.")
    if reach.moves:
        lines.append("Nodes move: links, hidden pairs, paths and ceilings are those at 0 s.")
    if events := reach.info["events"]:
        first = seconds(min(float(event["at_s"]) for event in events))
        lines.append(f"Events from {first} on: links, hidden pairs, paths and ceilings are those without them.")
    return lines


def _wire(wire: Mapping[str, Any]) -> str:
    """A wired link in words."""
    lost = f" (loses {wire['loss'] * 100:g} % of data packets)" if wire["loss"] else ""
    speed = f"{wire['rate_bps'] / 1e6:g} Mb/s and a delay of {wire['delay_s'] * 1e3:g} ms"
    return f"{wire['from']} to {wire['to']} with {speed}{lost}"


def check_document(name: str, reach: Reach, rts: RtsWorth | None = None) -> dict[str, Any]:
    """What `check --json` prints."""
    ways = reach.ways()
    return {
        **head(),
        "name": name,
        "model": model_words(reach.info),
        "scenario": reach.info,
        "range_m": reach.range_m,
        "parts": reach.parts(),
        "links": [
            {
                "from": x.sender,
                "to": x.receiver,
                "decodable": x.decodable,
                "sensed": x.sensed,
                "loss": x.loss,
                "rate_bps": x.rate_bps,
            }
            for x in reach.links.values()
        ],
        "wires": reach.wires,
        "hidden_pairs": [list(pair) for pair in reach.hidden_pairs()],
        "flows": [
            {
                "id": way.flow["id"],
                "path": list(way.path),
                "hops": way.hops,
                "metric": reach.metric,
                "etx": way.taken.etx if way.taken else None,
                "other": {"metric": way.other.metric, "path": list(way.other.path), "etx": way.other.etx}
                if way.other
                else None,
                "shared": [list(hop) for hop in way.shared],
                "rates_bps": way.rates,
                "ceiling_bps": way.ceiling_bps,
                "words": way.words(),
            }
            for way in ways
        ],
        "shared": [
            {
                "flows": list(group.flows),
                "around": group.around,
                "hops": [list(hop) for hop in group.hops],
                "together_bps": group.together_bps,
                "each_bps": group.each_bps,
                "words": group.words(),
            }
            for group in sharings(reach, ways)
        ],
        "rts": rts
        and {
            "on": rts.on,
            "other_ceilings_bps": [way.ceiling_bps for way in rts.other],
            "disturbed_hops": rts.hidden,
            "compare": rts.compare,
            "words": " ".join(rts.words()),
        },
    }


def check_rows(table: str, reach: Reach) -> tuple[tuple[str, ...], list[list[object]]]:
    """A table of what `check` finds, with its heads; raises InputError for one that there is not."""
    document = check_document("", reach)
    if table not in TABLES:
        raise InputError(f"there is no table `{table}`{nearest(table, TABLES)}; there are: {', '.join(TABLES)}")
    heads, of = TABLES[table]
    rows = [dict(zip(heads, pair, strict=True)) for pair in document[of]] if table == "hidden" else document[of]
    flows = {str(flow["id"]): flow for flow in reach.info["flows"]}
    found = [{**flows.get(str(row.get("id")), {}), **row} for row in rows]
    return tuple(heads), [[_cell(row[head]) for head in heads] for row in found]


def _cell(value: object) -> object:
    """A value of a table: lists as words."""
    return " ".join(str(word) for word in value) if isinstance(value, list) else value


def _hearing(reach: Reach) -> Fitting:
    columns = [
        Column("node", words=True),
        Column("is heard by", words=True),
        Column("neighbours"),
        Column("only senses", rank=1),
    ]
    lines = []
    for name in list(reach.places)[:MOST_ROWS]:
        heard = reach.neighbours[name]
        sensed = sum(reach.senses(name, other) for other in reach.places if other != name)
        decoded = sum(name in reach.neighbours[other] and reach.senses(name, other) for other in reach.places)
        lines.append(Line([name, _names(heard, ", ") or NOTHING, str(len(heard)), str(sensed - decoded)]))
    if len(reach.places) > MOST_ROWS:
        lines.append(Line([plural(len(reach.places) - MOST_ROWS, "more node"), "--json has all", "", ""]))
    return Fitting(columns, lines)


def _ways(ways: Sequence[Way]) -> Fitting:
    columns = [
        Column("flow", words=True),
        Column("from → to", words=True),
        Column("hops"),
        Column("path", words=True, rank=1),
        Column("one at a time", rank=2),
        Column("ceiling kbit/s"),
    ]
    lines = []
    for way in ways[:MOST_ROWS]:
        flow = way.flow
        path = " ".join(way.path) if len(way.path) <= MOST_NAMES else f"{' '.join(way.path[:MOST_NAMES])} …"
        figures = [str(way.hops or NOTHING), path or "none", str(len(way.shared) or NOTHING)]
        ceiling = f"{kilobits(way.ceiling_bps)}" if way.path else NOTHING
        lines.append(Line([str(flow["id"]), f"{flow['from']} → {flow['to']}", *figures, ceiling]))
    if len(ways) > MOST_ROWS:
        lines.append(Line([plural(len(ways) - MOST_ROWS, "more flow"), "--json has all", "", "", "", ""]))
    return Fitting(columns, lines)


def _names(names: Sequence[str], between: str = "") -> str:
    """Some names, and how many more there are."""
    shown = list(names[:MOST_NAMES])
    if len(names) > MOST_NAMES:
        shown.append(f"{len(names) - MOST_NAMES} more")
    return between.join(shown) if between else listing(shown)
