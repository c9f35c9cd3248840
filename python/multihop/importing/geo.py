"""Features on a map, from GeoJSON, KML or GPX: points are nodes, lines are links."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from multihop.errors import InputError

from . import account as out
from .account import tidy
from .coordinates import on_earth
from .network import Place
from .quality import head, losses, media, number
from .sketch import Sketch
from .tables import ENDS, KEYS, NAMES

GRID = 1e-6
"""Lines end at points that lie on the same cell of so many degrees, 0.1 m."""

Tree = Mapping[str, Any]


def geojson(tree: Tree, sketch: Sketch) -> None:
    """A FeatureCollection."""
    sketch.kinds["GeoJSON"] = None
    features(tree.get("features") or (), sketch)


def features(found: Iterable[object], sketch: Sketch) -> None:
    """Points are nodes; lines are links of the nodes that their properties name, else of those that they end at."""
    sketch.plane.add(False)
    names: dict[tuple[int, int], str] = {}
    lines = []
    points = 0
    for index, feature in enumerate(found, 1):
        geometry, properties = _parts(feature)
        kind, places = geometry.get("type"), geometry.get("coordinates")
        if kind == "Point":
            points += 1
            _point(index, feature, properties, places, names, sketch)
        elif kind in ("LineString", "MultiLineString"):
            lines.append((index, properties, places))
        else:
            sketch.account.leave_out(out.OTHER_SHAPE, str(kind or "no geometry"))
    _lines(lines, names, points > 0, sketch)
    if not points and not lines:
        raise InputError("there is no point in it, and points are the nodes")


def _point(
    index: int, feature: object, properties: Tree, place: object, names: dict[tuple[int, int], str], sketch: Sketch
) -> None:
    identity = feature.get("id") if isinstance(feature, Mapping) else None
    by_head = {head(str(key))[0]: key for key in properties}
    name_key = next((by_head[n] for n in NAMES if n in by_head and str(properties[by_head[n]] or "").strip()), None)
    name = str(properties[name_key] if name_key else identity if identity is not None else index)
    at = _place(place)
    if isinstance(at, str):
        sketch.unreadable(f"feature {index} ({tidy(name, 40)}): {at}")
        return
    keys = [by_head[key] for key in KEYS if key in by_head]
    radio = sketch.radios.hear(properties, f"feature {index}")
    sketch.node(name, [identity, *(properties[key] for key in keys)], at, radio=radio)
    names.setdefault(_cell(at), name)
    sketch.account.unused(key for key in properties if key not in {name_key, *keys, *sketch.radios.used})


def _lines(
    lines: Sequence[tuple[int, Tree, object]], names: Mapping[tuple[int, int], str], closed: bool, sketch: Sketch
) -> None:
    rows = [
        {str(k): v for k, v in properties.items() if not isinstance(v, Mapping | list)} for _, properties, _ in lines
    ]
    found, used = losses(rows, sketch.account)
    medium = media(rows)
    for (index, _, places), row, loss in zip(lines, rows, found, strict=True):
        known = {head(key)[0]: key for key in row}
        pair = next(((known[a], known[b]) for a, b in ENDS if a in known and b in known), None)
        where = f"feature {index}"
        ends: tuple[object, object] = (row[pair[0]], row[pair[1]]) if pair else _ends(places, names)
        if isinstance(loss, str):
            sketch.unreadable(f"{where}: {loss}", link=True)
        else:
            over = row.get(medium) if medium else None
            radio = sketch.radios.hear(row, where)
            sketch.link(ends, loss, over=over, closed=closed, where=where, radio=radio)
        known_keys = {*(pair or ()), *used, *sketch.radios.used, medium, "name", "id"}
        sketch.account.unused(key for key in row if key not in known_keys)


def _ends(places: object, names: Mapping[tuple[int, int], str]) -> tuple[object, object]:
    """The nodes at the ends of a line."""
    if not isinstance(places, list) or len(places) < 2:
        return None, None
    if isinstance(places[0], list) and places[0] and isinstance(places[0][0], list):  # of several lines the ends
        places = [places[0][0], places[-1][-1] if isinstance(places[-1], list) and places[-1] else None]
    ends = [_place(places[0]), _place(places[-1])]
    found = [names.get(_cell(end)) if isinstance(end, tuple) else None for end in ends]
    return found[0], found[1]


def _place(place: object) -> Place | str:
    """A place, or what is wrong with it."""
    parts = [number(part) for part in place[:2]] if isinstance(place, list) else []
    if len(parts) < 2 or parts[0] is None or parts[1] is None:
        return "a point needs two numbers, longitude and latitude"
    return on_earth((parts[0], parts[1]))


def _parts(feature: object) -> tuple[Tree, Tree]:
    found = [feature.get(key) if isinstance(feature, Mapping) else None for key in ("geometry", "properties")]
    geometry, properties = (part if isinstance(part, Mapping) else {} for part in found)
    return geometry, properties


def _cell(place: Place) -> tuple[int, int]:
    return round(place[0] / GRID), round(place[1] / GRID)
