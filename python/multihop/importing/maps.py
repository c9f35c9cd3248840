"""KML and GPX: placemarks, waypoints and tracks, as features.

The XML parser of the standard library reads on event by event: nothing nests in memory, and what a document type could
define (entities that grow) is refused before it begins.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from xml.parsers import expat

from multihop.errors import InputError

from .quality import number

DEEPEST = 64
"""Elements within elements; maps have ten."""
MARKS = ("placemark", "wpt", "rtept", "trk")
"""Elements that are nodes or links."""


def features(data: bytes) -> tuple[str, list[dict[str, Any]], int]:
    """What kind of file it is, its features, and how many points of tracks are not used."""
    reader = _Reader()
    parser = expat.ParserCreate(namespace_separator=" ")
    parser.buffer_text = True
    parser.StartElementHandler = reader.start
    parser.EndElementHandler = reader.end
    parser.CharacterDataHandler = reader.text
    parser.StartDoctypeDeclHandler = _no_types
    try:
        parser.Parse(data, True)
    except expat.ExpatError as e:
        raise InputError(f"line {e.lineno}: not valid XML: {expat.ErrorString(e.code)}") from None
    except InputError:
        raise
    except (LookupError, ValueError):
        raise InputError("not valid XML: its encoding is unknown") from None
    return reader.root, reader.found, reader.unused_points


class _FirstError(Exception):
    """Ends the parsing at the first element, and carries its name."""


def root(data: bytes) -> str:
    """The name of the outermost element of an XML document; empty if it has none."""

    def first(name: str, _: object) -> None:
        raise _FirstError(_local(name))

    parser = expat.ParserCreate(namespace_separator=" ")
    parser.StartElementHandler = first
    try:
        parser.Parse(data[:65536], False)
    except _FirstError as e:
        return str(e)
    except (expat.ExpatError, LookupError, ValueError):
        pass
    return ""


def _no_types(*_: object) -> None:
    raise InputError("it defines a document type, which no map needs; remove the `<!DOCTYPE …>`")


def _local(name: str) -> str:
    return name.rpartition(" ")[2].lower()


class _Reader:
    """Placemarks of KML; waypoints, points of routes and tracks of GPX. A track is a node at its first point."""

    def __init__(self) -> None:
        self.root = ""
        self.found: list[dict[str, Any]] = []
        self.unused_points = 0
        self._path: list[str] = []
        self._words: list[str] = []
        self._open: dict[str, Any] = {}
        """What is being read; empty outside of it."""
        self._field = ""

    def start(self, name: str, attributes: dict[str, str]) -> None:
        name = _local(name)
        self.root = self.root or name
        self._path.append(name)
        if len(self._path) > DEEPEST:
            raise InputError(f"its elements nest more than {DEEPEST} deep, which no map does")
        self._words = []
        if name in MARKS:
            self._open = {"properties": {}, "geometry": {}}
        if name in ("wpt", "rtept", "trkpt"):
            self._point([attributes.get("lon"), attributes.get("lat")])
        elif name in ("data", "simpledata"):
            self._field = attributes.get("name", "")

    def text(self, words: str) -> None:
        self._words.append(words)

    def end(self, name: str) -> None:
        name = _local(name)
        self._path.pop()
        said = "".join(self._words).strip()
        self._words = []
        if name in MARKS and self._open:
            if name != "trk" or self._open["geometry"]:
                self.found.append(self._open)
            self._open = {}
        elif self._open and said:
            self._said(name, said)

    def _said(self, name: str, said: str) -> None:
        inside = self._path[-1] if self._path else ""
        if name == "coordinates" and inside == "point":
            self._point(said.split(",")[:2])
        elif name == "coordinates" and inside == "linestring":
            ends = (said.split(None, 1)[0], said.rsplit(None, 1)[-1])
            self._open["geometry"] = {
                "type": "LineString",
                "coordinates": [_numbers(end.split(",")[:2]) for end in ends],
            }
        elif name == "coord" and inside == "track":
            self._point(said.split()[:2])
        elif name in ("value", "simpledata") and self._field:
            self._open["properties"][self._field] = said
        elif inside in MARKS:
            self._open["properties"][name] = said

    def _point(self, place: Sequence[object]) -> None:
        """Where the node is; of a track only the first point says it."""
        if self._open.get("geometry"):
            self.unused_points += 1
        elif self._open:
            self._open["geometry"] = {"type": "Point", "coordinates": _numbers(place)}


def _numbers(place: Sequence[object]) -> list[float | None]:
    return [number(part) for part in place]
