"""Where a row of a table says that a node is."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from .network import Place, like_degrees
from .quality import head, number
from .sketch import Sketch

LATITUDE = ("lat", "latitude", "breite", "latitud", "y_lat", "gps_lat", "geo_lat", "location.latitude")
LONGITUDE = (
    *("lon", "lng", "long", "longitude", "laenge", "longitud", "x_lon", "gps_lon", "geo_lon"),
    "location.longitude",
)
ACROSS = ("x", "x_m", "easting", "east")
UP = ("y", "y_m", "northing", "north")
POINT = ("wkt", "geometry", "geom", "the_geom")
"""Columns with a point as databases write it: `POINT (8.2 47.4)`, longitude first."""
METRES = {"m": 1.0, "metres": 1.0, "meters": 1.0, "km": 1000.0, "ft": 0.3048, "feet": 0.3048}
"""Units that the head of a column may give."""
DEGREES = re.compile(r"\s*([-+−]?\d{1,10}(?:[.,]\d*)?(?:e[-+]?\d{1,2})?)\s*°?\s*([NSEWO]?)\s*", re.IGNORECASE)
SEXAGESIMAL = re.compile(
    r"\s*([NSEWO]?)\s*(\d{1,3})\s*[°d:]\s*(\d{1,2})\s*['′m:]\s*(?:(\d{1,2}(?:[.,]\d{1,6})?)\s*(?:[\"″s]|'')?)?\s*([NSEWO]?)\s*",
    re.IGNORECASE,
)
"""Degrees, minutes and seconds."""
WKT = re.compile(r"\s*POINT\s*(?:Z|M|ZM)?\s*\(\s*([-+\d.e]{1,30})\s+([-+\d.e]{1,30})[^)]{0,60}\)\s*", re.IGNORECASE)

Row = Mapping[str, object]


def columns(known: Mapping[str, str]) -> tuple[str, ...] | None:
    """The columns that say where nodes are, across and up, or one of points; None if there are none."""
    lat, lon, x, y, point = (
        next((known[name] for name in names if name in known), None)
        for names in (LATITUDE, LONGITUDE, ACROSS, UP, POINT)
    )
    if lat and lon:
        return lon, lat
    if x and y:
        return x, y
    return (point,) if point else None


def places(rows: Sequence[Row], columns: tuple[str, ...], sketch: Sketch) -> list[Place | str | None]:
    """Where each row's node is; None if that is not said, and what is wrong if it is."""
    if len(columns) == 1:
        sketch.plane.add(False)
        return [_point(row, columns[0]) for row in rows]
    name, unit = head(columns[0])
    geographic = name in LONGITUDE
    found = [_place(row, columns) for row in rows]
    if not geographic and unit not in METRES and not name.endswith("_m"):
        geographic = like_degrees([place for place in found if isinstance(place, tuple)])
        if geographic:
            words = " and ".join(f"`{column}`" for column in columns)
            sketch.account.assume(f"{words} are longitude and latitude (`x_m` and `y_m` would be metres)")
    sketch.plane.add(not geographic)
    if not geographic:
        return found
    return [_on_earth(place) if isinstance(place, tuple) else place for place in found]


def on_earth(place: Place) -> Place | str:
    """The place, or what is wrong with it."""
    if -180 <= place[0] <= 180 and -90 <= place[1] <= 90:
        return place
    return f"{place[1]:g}, {place[0]:g} is no latitude and longitude (swapped?)"


def coordinate(value: object) -> float | None:
    """A coordinate: a number, or degrees with their sign, minutes, seconds and a letter of the compass."""
    text = str(value)
    if len(text) > 60:
        return None
    if found := DEGREES.fullmatch(text):
        known = float(found[1].replace("−", "-").replace(",", "."))
        return -known if found[2].upper() in ("S", "W") else known
    if found := SEXAGESIMAL.fullmatch(text):
        before, degrees, minutes, seconds, after = found.groups()
        known = int(degrees) + int(minutes) / 60 + float((seconds or "0").replace(",", ".")) / 3600
        return -known if (before or after).upper() in ("S", "W") else known
    return number(value)


def _place(row: Row, columns: Sequence[str]) -> Place | str | None:
    cells = [str(row.get(key) or "").strip() for key in columns]
    if not any(cells):
        return None
    found = []
    for key, cell in zip(columns, cells, strict=True):
        part = coordinate(cell)
        if part is None or abs(part) > 1e9:
            return f"`{key}` must be a number, not `{cell}`"
        found.append(part * METRES.get(head(key)[1], 1.0))
    return found[0], found[1]


def _point(row: Row, column: str) -> Place | str | None:
    cell = str(row.get(column) or "").strip()
    if not cell:
        return None
    found = WKT.fullmatch(cell[:200])
    parts = [number(part) for part in found.groups()] if found else []
    if len(parts) != 2 or parts[0] is None or parts[1] is None:
        return f"`{column}` must be like `POINT (8.2 47.4)`"
    return _on_earth((parts[0], parts[1]))


def _on_earth(place: Place) -> Place | str | None:
    """The same; 0, 0 is where a receiver is that does not know."""
    return on_earth(place) if place != (0.0, 0.0) else None
