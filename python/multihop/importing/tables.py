"""Node lists and link tables: CSV and GeoJSON."""

from __future__ import annotations

import csv
import math
from collections.abc import Iterable, Mapping
from io import StringIO
from typing import Any

from multihop.errors import InputError
from multihop.scenario import nearest

from .network import Described, Site, Wire, named

NAMES = ("name", "hostname", "node", "id", "node_id", "title")
"""Columns or properties that name a node, the first one first."""
PLACES = {"lat": ("lat", "latitude", "y_lat"), "lon": ("lon", "lng", "long", "longitude")}
PLANE = {"x": ("x", "x_m"), "y": ("y", "y_m")}
ENDS = (("from", "to"), ("source", "target"), ("a", "b"), ("node1", "node2"))
"""Pairs of columns that name the ends of a link."""
LEAST_SNR_DB = 10.0
"""A link with less signal over noise than this is none [dB]: what DSSS at 11 Mbit/s needs."""


def nodes_csv(text: str, file: str) -> Described:
    """A table of nodes: a name, and latitude and longitude [degrees] or x and y [m]."""
    rows = _rows(text, file)
    heads = list(rows[0])
    lat, lon = (_column(heads, PLACES[key]) for key in ("lat", "lon"))
    x, y = (_column(heads, PLANE[key]) for key in ("x", "y"))
    geographic = lat is not None and lon is not None
    across, up = (lon, lat) if geographic else (x, y)
    if across is None or up is None:
        raise InputError(
            f"{file}: a table of nodes needs columns `lat` and `lon`, or `x` and `y` in metres; it has: "
            f"{', '.join(heads)}{nearest('lat', heads)}; a table of links needs `from` and `to`"
        )
    who = _column(heads, NAMES)
    names = named(str(row[who]) if who else str(i) for i, row in enumerate(rows, 1))
    sites = [
        Site(name, (_number(row, across, file, line), _number(row, up, file, line)))
        for line, (name, row) in enumerate(zip(names, rows, strict=True), 2)
    ]
    return Described(_placed(sites, file) if geographic else sites, geographic=geographic)


def links_csv(text: str, file: str) -> Described:
    """A table of links: `from`, `to`, and `loss`, `delivery` (0 to 1), `etx`, `tq` (0 to 255) or `snr` [dB]."""
    rows = _rows(text, file)
    heads = {head.lower(): head for head in rows[0]}
    ends = next(((heads[a], heads[b]) for a, b in ENDS if a in heads and b in heads), None)
    if ends is None:
        raise InputError(f"{file}: a table of links needs columns `from` and `to`; it has: {', '.join(heads.values())}")
    wires = []
    for line, row in enumerate(rows, 2):
        loss = _loss(row, heads, file, line)
        if loss < 1:
            wires.append(Wire(str(row[ends[0]]).strip(), str(row[ends[1]]).strip(), loss))
    return of_wires(wires)


def geojson(tree: Mapping[str, Any], file: str) -> Described:
    """A FeatureCollection: points are nodes; lines whose properties name two nodes are links."""
    points, wires = [], []
    for index, feature in enumerate(tree.get("features") or (), 1):
        geometry, properties = feature.get("geometry") or {}, feature.get("properties") or {}
        if geometry.get("type") == "Point":
            place = geometry.get("coordinates")
            if not isinstance(place, list) or len(place) < 2 or not all(_real(x) for x in place[:2]):
                raise InputError(f"{file}: feature {index}: a point needs two numbers, longitude and latitude")
            points.append((_name(properties, feature.get("id"), index), (float(place[0]), float(place[1]))))
        elif geometry.get("type") == "LineString":
            ends = next(((str(properties[a]), str(properties[b])) for a, b in ENDS if a in properties), None)
            if ends is not None:
                wires.append(Wire(*ends, _loss(properties, {k.lower(): k for k in properties}, file, index)))
    if not points:
        raise InputError(f"{file}: there is no point in this GeoJSON, and points are the nodes")
    names = named(name for name, _ in points)
    sites = [Site(name, place) for name, (_, place) in zip(names, points, strict=True)]
    return Described(_placed(sites, file), wires, geographic=True)


def of_wires(wires: Iterable[Wire]) -> Described:
    """A network of links alone: the nodes are those that they name."""
    found = list(wires)
    names = dict.fromkeys(end for wire in found for end in (wire.sender, wire.receiver))
    return Described([Site(name) for name in names], found)


def loss_of_etx(etx: float) -> float:
    """The loss of each direction of a link that needs ETX transmissions a frame (De Couto et al. 2003)."""
    return 0.0 if etx <= 1 else 1 - 1 / math.sqrt(etx)


def _placed(sites: list[Site], file: str) -> list[Site]:
    for site in sites:
        if site.at and not (-180 <= site.at[0] <= 180 and -90 <= site.at[1] <= 90):
            raise InputError(f"{file}: node {site.name}: {site.at[1]:g}, {site.at[0]:g} is no latitude and longitude")
    return sites


def _loss(row: Mapping[str, Any], heads: Mapping[str, str], file: str, line: int) -> float:
    """The loss of a link from whatever says it; 1 for a link that is none."""
    for key, told in (
        ("loss", lambda x: x),
        ("delivery", lambda x: 1 - x),
        ("etx", loss_of_etx),
        ("tq", lambda x: 1 - x / 255),
        ("snr", lambda x: 0.0 if x >= LEAST_SNR_DB else 1.0),
    ):
        if key in heads and str(row[heads[key]] or "").strip():
            loss = told(_number(row, heads[key], file, line))
            if not 0 <= loss <= 1:
                raise InputError(f"{file}: line {line}: `{heads[key]}` makes a loss of {loss:.3g}, and that is none")
            return float(loss)
    return 0.0


def _rows(text: str, file: str) -> list[dict[str, str]]:
    try:
        dialect = csv.Sniffer().sniff(text[:4096], ",;\t")
    except csv.Error:
        dialect = csv.excel
    rows = [row for row in csv.DictReader(StringIO(text), dialect=dialect) if any((v or "") for v in row.values())]
    if not rows or None in rows[0]:
        raise InputError(f"{file}: expected a table with a line of heads and a line for each node or link")
    return rows


def _column(heads: Iterable[str], known: Iterable[str]) -> str | None:
    by_name = {head.strip().lower(): head for head in heads}
    return next((by_name[name] for name in known if name in by_name), None)


def _number(row: Mapping[str, Any], key: str, file: str, line: int) -> float:
    said = str(row[key]).strip().replace(",", ".")
    try:
        number = float(said.removesuffix("%")) / (100 if said.endswith("%") else 1)
    except (TypeError, ValueError):
        number = math.nan
    if not math.isfinite(number):
        raise InputError(f"{file}: line {line}: `{key}` must be a number, not `{row[key]}`")
    return number


def _name(properties: Mapping[str, Any], identity: object, index: int) -> str:
    known = next((properties[key] for key in NAMES if properties.get(key) not in (None, "")), identity)
    return str(index if known is None else known)


def _real(x: object) -> bool:
    return isinstance(x, int | float) and not isinstance(x, bool) and math.isfinite(x)
