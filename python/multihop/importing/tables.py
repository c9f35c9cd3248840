"""Tables of nodes and of links, as spreadsheets and databases export them (CSV)."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Sequence

from multihop.errors import InputError
from multihop.scenario import nearest

from . import account as out
from .network import Place, like_degrees
from .quality import head, loss_of_etx, losses, media, number
from .sketch import Sketch

__all__ = ["loss_of_etx", "read"]

NAMES = ("name", "hostname", "node", "node_name", "nodename", "title", "label", "id", "node_id", "nodeid", "mac", "ip")
"""Columns or properties that name a node, the first one first."""
KEYS = ("id", "node_id", "nodeid", "mac", "address", "ip", "ipaddress", "ip_address", "fid")
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
METRES = {"m": 1.0, "metres": 1.0, "meters": 1.0, "km": 1000.0, "ft": 0.3048, "feet": 0.3048}
"""Units that the head of a column may give."""
COORDINATE = re.compile(r"\s*([-+−]?\d{1,10}(?:[.,]\d*)?(?:e[-+]?\d{1,2})?)\s*°?\s*([NSEWO]?)\s*", re.IGNORECASE)

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
            )
    sketch.account.unused(key for key in heads if key not in {*ends, *used, medium})


def _nodes(rows: Sequence[tuple[int, Row]], heads: Sequence[str], known: dict[str, str], sketch: Sketch) -> None:
    lat, lon, x, y = (
        next((known[n] for n in names if n in known), None) for names in (LATITUDE, LONGITUDE, ACROSS, UP)
    )
    across, up, geographic = (lon, lat, True) if lat and lon else (x, y, False)
    if across is None or up is None:
        raise InputError(
            f"a table of nodes needs columns `lat` and `lon`, or `x` and `y` in metres; it has: "
            f"{out.tidy(', '.join(heads))}{nearest('lat', heads[:50])}; a table of links needs `from` and `to`"
        )
    name = next((known[key] for key in NAMES if key in known), None)
    keys = [known[key] for key in KEYS if key in known and known[key] != name]
    places = [_place(row, across, up, geographic) for _, row in rows]
    if not geographic and not (head(across)[1] in METRES or head(across)[0].endswith("_m")):
        geographic = like_degrees([place for place in places if isinstance(place, tuple)])
        if geographic:
            sketch.account.assume(f"`{across}` and `{up}` are longitude and latitude (`x_m` and `y_m` would be metres)")
            places = [_on_earth(place) if isinstance(place, tuple) else place for place in places]
    sketch.plane.add(not geographic)
    for number_, ((line, row), place) in enumerate(zip(rows, places, strict=True), 1):
        called = str(row.get(name) or "").strip() if name else str(number_)
        if isinstance(place, str):
            sketch.unreadable(f"line {line}: {place}")
        elif place is None:
            sketch.account.leave_out(out.NO_PLACE, called or f"line {line}")
        else:
            sketch.node(called, [row.get(key) for key in keys], place)
    sketch.account.unused(key for key in heads if key not in {name, across, up, *keys})


def _place(row: Row, across: str, up: str, geographic: bool) -> Place | str | None:
    """Where a row's node is; None if that is not said, and what is wrong if it is."""
    cells = [str(row.get(key) or "").strip() for key in (across, up)]
    if not any(cells):
        return None
    found = []
    for key, cell in zip((across, up), cells, strict=True):
        part = coordinate(cell)
        if part is None:
            return f"`{key}` must be a number, not `{cell}`"
        found.append(part * METRES.get(head(key)[1], 1.0))
    place = found[0], found[1]
    return _on_earth(place) if geographic else place if max(map(abs, place)) < 1e9 else "no place on Earth"


def _on_earth(place: Place) -> Place | str | None:
    return on_earth(place) if place != (0.0, 0.0) else None


def on_earth(place: Place) -> Place | str:
    """The place, or what is wrong with it."""
    if -180 <= place[0] <= 180 and -90 <= place[1] <= 90:
        return place
    return f"{place[1]:g}, {place[0]:g} is no latitude and longitude (swapped?)"


def coordinate(value: object) -> float | None:
    """A coordinate: a number, perhaps with a degree sign and a letter of the compass."""
    found = COORDINATE.fullmatch(str(value)[:60])
    if not found:
        return number(value)
    known = float(found[1].replace("−", "-").replace(",", "."))
    return -known if found[2].upper() in ("S", "W") else known


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
        raise InputError("expected a table with a line of heads and a line for each node or link")
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
