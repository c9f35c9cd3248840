"""Which kind of description a file is, and what several of them together describe."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from multihop.errors import InputError, reason
from multihop.scenario.cards import Wifi

from . import aredn, babel, batman, freifunk, geo, kinds, maps, netjson, olsr, tables
from .account import tidy
from .cables import Cables
from .network import Described
from .sketch import Sketch

KNOWN = (
    "a table of nodes or links (CSV), GeoJSON, KML, GPX; networks: meshviewer.json, nodes.json, graph.json, node-link "
    "JSON, NetJSON; what routers print: AREDN's sysinfo.json, `batadv-vis`, `batctl o` or `n`, OLSR's jsoninfo, "
    "txtinfo or dot, babeld's dump"
)
"""What can be read."""
BATCTL = "[B.A.T.M.A.N."
"""What batctl's output begins with."""
MOST_BYTES = 32 * 1024 * 1024
"""A longer file describes no network of at most 10 001 nodes."""
MOST_VALUES = 800_000
"""So many values in JSON take 100 MB of memory at most."""


def read(path: Path) -> Described:
    """The network that a file describes; raises InputError with the file and the place of what is wrong."""
    return read_all([path])


def read_all(paths: Sequence[Path], cables: Cables = Cables.LEAVE_OUT, wifi: Wifi | None = None) -> Described:
    """The network that several files describe together: nodes of one address, or of one name in two files, are one.

    Its radios are of `wifi`; without it, of what the files say.
    """
    sketch = Sketch(cables, wifi)
    for path in paths:
        sketch.begin(path.stem if len(paths) > 1 else None)
        data = _bytes(path)
        try:
            _read(data, sketch)
        except InputError as e:
            raise InputError(f"{path}: {e}") from None
    files = paths[0] if len(paths) == 1 else f"{paths[0]} and {len(paths) - 1} more"
    if len(sketch.plane) > 1:
        sketch.account.assume("places in metres and in degrees do not go together")
    try:
        return sketch.described()
    except InputError as e:
        raise InputError(f"{files}: {e}") from None


def _bytes(path: Path) -> bytes:
    data = b""
    try:
        with path.open("rb") as file:
            while len(data) <= MOST_BYTES and (more := file.read(1 << 20)):
                data += more
    except FileNotFoundError:
        raise InputError(f"there is no file {path}") from None
    except (OSError, ValueError) as e:
        why = reason(e) if isinstance(e, OSError) else "its name is none that a file can have"
        raise InputError(f"{path} cannot be read: {why}") from None
    if len(data) > MOST_BYTES:
        raise InputError(
            f"{path} is longer than {MOST_BYTES >> 20} MB: cut it down to the nodes and links of one network"
        )
    return data


def _read(data: bytes, sketch: Sketch) -> None:
    if other := kinds.of_bytes(data):
        raise InputError(f"this is {other}; what can be read: {KNOWN}")
    if data.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] == b"<":
        _xml(data, sketch)
        return
    text = _decoded(data, sketch)
    del data
    try:
        if text.lstrip()[:1] in ("{", "[") and not text.lstrip().startswith(BATCTL):
            _json(text, sketch)
        else:
            _text(text, sketch)
    except (KeyError, TypeError, AttributeError) as e:
        what = f"`{tidy(str(e.args[0]))}` is missing" if isinstance(e, KeyError) else "it is not built as it should be"
        raise InputError(f"{what}; what can be read: {KNOWN}") from None


def _decoded(data: bytes, sketch: Sketch) -> str:
    """The text: in UTF-8, in UTF-16 with its mark, else in the usual encoding of the West (Windows-1252)."""
    for encoding in ("utf-16",) if data[:2] in (b"\xff\xfe", b"\xfe\xff") else ("utf-8-sig",):
        try:
            return data.decode(encoding)
        except UnicodeDecodeError:
            sketch.account.assume("the text is in Latin-1 (Windows-1252)")
    return data.decode("cp1252", errors="replace")


def _xml(data: bytes, sketch: Sketch) -> None:
    kind = maps.root(data)
    if kind not in ("kml", "gpx"):
        raise InputError(f"this is {kinds.of_xml(data)}; what can be read: {KNOWN}")
    _, found, unused = maps.features(data)
    sketch.kinds[kind.upper()] = None
    if unused:
        sketch.account.assume(f"a track is a node at its first point ({unused} further points are not used)")
    geo.features(found, sketch)


def _json(text: str, sketch: Sketch) -> None:
    if text.count(",") + text.count("[") + text.count("{") > MOST_VALUES:
        raise InputError(f"it has more than {MOST_VALUES} values: cut it down to the nodes and links of one network")
    try:
        tree: Any = json.loads(text, parse_int=_int, parse_constant=lambda _: None)
    except RecursionError:
        raise InputError("its brackets nest too deep for a network") from None
    except ValueError as e:
        if text.lstrip().startswith("{") and "\n{" in text:
            batman.vis_lines(text, sketch)
            return
        if other := kinds.of_text(text):
            raise InputError(f"this is {other}; what can be read: {KNOWN}") from None
        raise InputError(f"not valid JSON: {e}") from None
    if isinstance(tree, list):
        _list(tree, sketch)
    else:
        _object(tree, sketch)


def _int(digits: str) -> int | float:
    return int(digits) if len(digits) < 16 else float(digits)


def _list(tree: list[Any], sketch: Sketch) -> None:
    """JSON that is a list: of routers, of links, of features."""
    first = tree[0] if tree and isinstance(tree[0], Mapping) else {}
    rows = [one for one in tree if isinstance(one, Mapping)]
    if "orig_address" in first or "neigh_address" in first:
        batman.originators(rows, sketch)
    elif "link_info" in first or "data" in first or "node_details" in first:
        aredn.several(rows, sketch)
    elif "lastHopIP" in first:
        olsr.jsoninfo({"topology": rows}, sketch)
    elif first.get("type") == "Feature":
        geo.geojson({"features": rows}, sketch)
    elif "source" in first and "target" in first:
        freifunk.node_link({"links": rows}, sketch)
    elif {"nodeinfo", "lat", "latitude", "location", "hostname"} & first.keys():
        freifunk.nodes_json({"nodes": rows}, sketch)
    else:
        keys = ", ".join(f"`{tidy(key, 30)}`" for key in list(first)[:8])
        raise InputError(f"this JSON (a list{f' of objects with {keys}' if keys else ''}) is not one of: {KNOWN}")


def _object(tree: Mapping[str, Any], sketch: Sketch) -> None:
    for keys, reader in OBJECTS:
        if all(key in tree for key in keys):
            reader(tree, sketch)
            return
    named = ", ".join(f"`{tidy(key, 30)}`" for key in list(tree)[:8]) or "no keys"
    raise InputError(f"this JSON (with {named}) is not one of: {KNOWN}")


def _typed(tree: Mapping[str, Any], sketch: Sketch) -> None:
    """Of JSON that names its type."""
    readers = {"FeatureCollection": geo.geojson, "NetworkGraph": netjson.graph, "NetworkCollection": netjson.collection}
    if tree["type"] not in readers:
        raise InputError(f"this JSON (of the type `{tidy(str(tree['type']), 30)}`) is not one of: {KNOWN}")
    readers[tree["type"]](tree, sketch)


def _graph(tree: Mapping[str, Any], sketch: Sketch) -> None:
    """Links without nodes beside them: of OLSR's jsoninfo, or of a graph."""
    links = tree["links"]
    first = links[0] if isinstance(links, list) and links and isinstance(links[0], Mapping) else {}
    (olsr.jsoninfo if "localIP" in first else freifunk.node_link)(tree, sketch)


OBJECTS: tuple[tuple[tuple[str, ...], Callable[[Mapping[str, Any], Sketch], None]], ...] = (
    (("type",), _typed),
    (("vis",), batman.vis),
    (("batadv",), freifunk.batadv),
    (("nodeInfo",), lambda tree, sketch: aredn.several(tree["nodeInfo"], sketch)),
    *(((("node", key), aredn.sysinfo)) for key in ("link_info", "node_details", "meshrf", "api_version", "lqm")),
    (("nodes", "links"), freifunk.node_link),
    (("nodes", "edges"), freifunk.node_link),
    (("topology",), olsr.jsoninfo),
    (("mid",), olsr.jsoninfo),
    (("links",), _graph),
    (("edges",), freifunk.node_link),
    (("nodes",), freifunk.nodes_json),
    *(((key,), lambda tree, sketch: batman.vis_lines(json.dumps(tree), sketch)) for key in ("router", "primary")),
)
"""Which keys tell what JSON is, the first that it has."""


def _text(text: str, sketch: Sketch) -> None:
    start = text[:20000]
    if "Table: " in start and ("Topology" in text or "Links" in text):
        olsr.txtinfo(text, sketch)
    elif "add neighbour" in text:
        babel.dump(text, sketch)
    elif BATCTL in start or "Originator" in start or "last-seen" in start:
        batman.table(text, sketch)
    elif start.lstrip().lower().startswith(("digraph", "strict digraph", "graph {")):
        olsr.dot(text, sketch)
    elif other := kinds.of_text(text):
        raise InputError(f"this is {other}; what can be read: {KNOWN}")
    else:
        tables.read(text, sketch)
