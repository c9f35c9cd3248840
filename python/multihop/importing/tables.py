"""Tables of nodes and of links, as spreadsheets and databases export them (CSV)."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Sequence

from multihop.errors import InputError
from multihop.scenario.scenario import nearest

from . import account as out
from . import coordinates
from .quality import head, loss_of_etx, losses, media, number
from .sketch import Sketch

__all__ = ["loss_of_etx", "read"]

NAMES = (
    *("name", "hostname", "node", "node_name", "nodename", "site_name", "site", "callsign", "router", "title", "label"),
    *("id", "node_id", "nodeid", "node_number", "number", "mac", "ip"),
)
"""Columns or properties that name a node, the first one first."""
KEYS = (
    *("id", "node_id", "nodeid", "node_number", "number", "nn", "slug", "mac", "address", "ip", "ipaddress"),
    *("ip_address", "fid"),
)
"""Columns or properties by which links may name it too."""
LATITUDE = ("lat", "latitude", "breite", "latitud", "y_lat", "gps_lat", "geo_lat", "location.latitude")
LONGITUDE = (
    "lon",
    "lng",
    "long",
    "longitude",
    "laenge",
    "longitud",
    "x_lon",
    "gps_lon",
    "geo_lon",
    "location.longitude",
)
ACROSS = ("x", "x_m", "easting", "east")
UP = ("y", "y_m", "northing", "north")
ENDS = (
    *(("from", "to"), ("source", "target"), ("src", "dst"), ("a", "b"), ("node1", "node2"), ("node_a", "node_b")),
    *(("node_1", "node_2"), ("from_node", "to_node"), ("from_name", "to_name"), ("source_name", "target_name")),
    *(("local_ip", "remote_ip"), ("local", "remote"), ("last_hop_ip", "dest._ip"), ("lasthopip", "destinationip")),
    *(("sender", "receiver"), ("site_a", "site_b"), ("end_a", "end_b"), ("node", "neighbor"), ("node", "neighbour")),
    *(("source", "destination"), ("router", "neighbor")),
)
"""Pairs of columns that name the ends of a link."""
MOST_ROWS = 100_000
"""More rows describe no network that can be simulated."""

Row = dict[str, object]


def read(text: str, sketch: Sketch) -> None:
    """A table: of links if two columns name their ends, else of nodes."""
    heads, rows = _table(text, sketch)
    known = {head(key)[0]: key for key in reversed(heads)}
    ends = next(((known[a], known[b]) for a, b in ENDS if a in known and b in known), None)
    if ends:
        sketch.kinds["a table of links"] = None
        _links(rows, heads, ends, sketch)
    else:
        sketch.kinds["a table of nodes"] = None
        _nodes(rows, heads, known, sketch)


def _links(rows: Sequence[tuple[int, Row]], heads: Sequence[str], ends: tuple[str, str], sketch: Sketch) -> None:
    found, used = losses([row for _, row in rows], sketch.account)
    medium = media([row for _, row in rows])
    for (line, row), loss in zip(rows, found, strict=True):
        if isinstance(loss, str):
            sketch.unreadable(f"line {line}: {loss}, not `{_shown(row, loss)}`", link=True)
        else:
            sketch.link(
                (row.get(ends[0]), row.get(ends[1])),
                loss,
                over=row.get(medium) if medium else None,
                where=f"line {line}",
                radio=sketch.radios.hear(row, f"line {line}"),
            )
    sketch.account.unused(key for key in heads if key not in {*ends, *used, *sketch.radios.used, medium})


def _nodes(rows: Sequence[tuple[int, Row]], heads: Sequence[str], known: dict[str, str], sketch: Sketch) -> None:
    columns = coordinates.columns(known)
    if columns is None:
        raise InputError(
            f"a table of nodes needs columns `lat` and `lon`, or `x` and `y` in metres; it has: "
            f"{out.tidy(', '.join(heads))}{nearest('lat', heads[:50])}; a table of links needs `from` and `to`"
        )
    places = coordinates.places([row for _, row in rows], columns, sketch)
    name = next((known[key] for key in NAMES if key in known), None)
    keys = [known[key] for key in KEYS if key in known and known[key] != name]
    for number_, ((line, row), place) in enumerate(zip(rows, places, strict=True), 1):
        called = str(row.get(name) or "").strip() if name else str(number_)
        if isinstance(place, str):
            sketch.unreadable(f"line {line}: {place}")
        elif place is None:
            sketch.account.leave_out(out.NO_PLACE, called or f"line {line}")
        else:
            radio = sketch.radios.hear(row, f"line {line}")
            sketch.node(called, [row.get(key) for key in keys], place, radio=radio)
    sketch.account.unused(key for key in heads if key not in {name, *columns, *keys, *sketch.radios.used})


def _table(text: str, sketch: Sketch) -> tuple[list[str], list[tuple[int, Row]]]:
    """The heads and the rows with their lines; comments (`#`) and empty lines are passed over."""
    lines = _lines(text, sketch)
    first = next(lines, None)
    while first and first[1][0].lstrip().startswith("#") and len([c for c in first[1] if c.strip()]) < 2:
        first = next(lines, None)
    heads = [cell.strip().lstrip("#").strip() for cell in first[1]] if first else []
    rows: list[tuple[int, Row]] = []
    for line, cells in lines:
        if cells[0].lstrip().startswith("#"):
            continue
        if len(cells) > len(heads) and any(cell.strip() for cell in cells[len(heads) :]):
            sketch.unreadable(f"line {line}: it has {len(cells)} cells, and the heads are {len(heads)}")
            continue
        rows.append((line, dict(zip(heads, cells, strict=False))))
        if len(rows) > MOST_ROWS:
            raise InputError(f"it has more than {MOST_ROWS} rows: cut it down to the nodes and links of one network")
    if len(heads) < 2 or not rows:
        left_out = sketch.account.left_out()
        raise InputError(
            "expected a table with a line of heads and a line for each node or link"
            f"{'; left out: ' + left_out if left_out else ''}"
        )
    if value := next((head for head in heads if number(head) is not None), ""):
        raise InputError(
            f"the first line must name the columns, and `{out.tidy(value)}` is a number: add a line like "
            "`from,to,loss` or `name,lat,lon`"
        )
    if not heads[0] and {str(row.get("")).strip() for _, row in rows} <= set(heads):
        raise InputError("this is a matrix of nodes: write a table with a line for each link, `from,to,loss`")
    return heads, rows


def _lines(text: str, sketch: Sketch) -> Iterator[tuple[int, list[str]]]:
    """The lines of a table that have anything, with their numbers."""
    if "\n" not in text:
        text = text.replace("\r", "\n")
    sample = next(
        (line for line in text[:50_000].splitlines() if line.strip() and not re.match(r"\s*#[^,;\t|]*$", line)), ""
    )
    between = max(",;\t|", key=sample.count)
    one_by_one = (found[0] for found in re.finditer(r"[^\n]*\n|[^\n]+$", text))
    reader = csv.reader(one_by_one, delimiter=between, skipinitialspace=True)
    while True:
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as e:
            sketch.unreadable(f"line {reader.line_num}: {e}")
            continue
        if any(cell.strip() for cell in cells):
            yield reader.line_num, cells


def _shown(row: Row, problem: str) -> object:
    """The cell that a problem is about."""
    key = problem.partition("`")[2].partition("`")[0]
    return row.get(key)
