"""Maps of Gluon and Freifunk, and graphs of the same shape: meshviewer.json, nodes.json, graph.json, node-link JSON."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from multihop.errors import InputError

from .account import NO_EARTH, tidy
from .coordinates import coordinate, on_earth
from .network import Place
from .quality import Row, losses, number
from .sketch import Sketch

Tree = Mapping[str, Any]
NAMES = ("hostname", "name", "label", "title", "node", "node_id", "id", "address", "mac")
KEYS = ("node_id", "id", "name", "hostname", "mac", "address", "network", "ip")
"""What links may call a node by."""
PLACES = ("location", "position", "geo", "coordinates", "pos", "gps")
ENDS = ("source", "target")
MEDIA = ("type", "medium", "link_type", "interface")
STATE = ("flags", "status", "is_online", "online", "is_gateway", "gateway", "nodeinfo")


def nodes_json(tree: Tree, sketch: Sketch) -> None:
    """`nodes.json` (version 1 and 2) and lists of nodes of the same shape; it has no links."""
    sketch.kinds["nodes.json"] = None
    _nodes(_entries(tree["nodes"]), sketch)


def node_link(tree: Tree, sketch: Sketch) -> None:
    """Nodes and links between them, by identifiers or by numbers: meshviewer, graph.json, d3, networkx."""
    links = tree.get("links", tree.get("edges"))
    entries = _entries(tree.get("nodes"))
    mesh = any(isinstance(n, Mapping) and ("is_online" in n or "hostname" in n) for n in entries[:50])
    sketch.kinds["meshviewer.json" if mesh else "node-link JSON"] = None
    tokens = _nodes(entries, sketch)
    known = set(tokens)
    rows = [link for link in _entries(links) if isinstance(link, Mapping)]
    found, used = losses([_qualities(link) for link in rows], sketch.account)
    for i, (link, loss) in enumerate(zip(rows, found, strict=True), 1):
        ends = [_end(link.get(key), tokens, known) for key in ENDS]
        if isinstance(loss, str):
            sketch.unreadable(f"link {i}: {loss}", link=True)
        else:
            over = "vpn" if link.get("vpn") is True else next((link[k] for k in MEDIA if link.get(k)), None)
            where = f"link {i}"
            radio = sketch.radios.hear(link, where)
            sketch.link((ends[0], ends[1]), loss, over=over, closed=bool(tokens), where=where, radio=radio)
        sketch.account.unused(
            key for key in link if key not in {*ENDS, *MEDIA, "vpn", "tq", *used, *sketch.radios.used}
        )


def batadv(tree: Tree, sketch: Sketch) -> None:
    """`graph.json` of ffmap: links by numbers, their `tq` is 255 over the transmit quality in version 1."""
    graph = tree["batadv"]
    if not isinstance(graph, Mapping):
        raise InputError("its `batadv` has no nodes and links")
    node_link(graph, sketch)
    del sketch.kinds["node-link JSON"]
    sketch.kinds["graph.json"] = None


def _nodes(entries: Sequence[object], sketch: Sketch) -> list[str]:
    """The nodes; what links may call each of them, by its number."""
    sketch.plane.add(False)
    tokens = []
    for i, raw in enumerate(entries):
        entry: Tree = raw if isinstance(raw, Mapping) else {"id": raw}
        info: Tree = entry["nodeinfo"] if isinstance(entry.get("nodeinfo"), Mapping) else entry
        told = {**entry, **info}
        keys = [told[key] for key in KEYS[:2] if _said(told.get(key))] + _addresses(told)
        name = next((str(told[key]) for key in NAMES if _said(told.get(key))), "")
        tokens.append(str(keys[0] if keys else name or i))
        if not _flag(entry, ("is_online", "online"), True):
            sketch.offline(name, keys)
            continue
        sketch.node(
            name or tokens[-1],
            keys or [tokens[-1]],
            node_place(told, name, sketch),
            gateway=_flag(entry, ("is_gateway", "gateway"), False),
            radio=sketch.radios.hear(told, f"node {tidy(name or tokens[-1], 40)}"),
        )
        known = {*NAMES, *KEYS, *PLACES, *STATE, *sketch.radios.used, "lat", "lon", "lng", "x", "y"}
        sketch.account.unused(key for key in told if key not in known)
    return tokens


def _addresses(told: Tree) -> list[object]:
    """The addresses of a node's interfaces, as Gluon tells them."""
    network = told.get("network")
    found = [told.get("mac")]
    if isinstance(network, Mapping):
        found.append(network.get("mac"))
        mesh = network.get("mesh")
        for group in mesh.values() if isinstance(mesh, Mapping) else ():
            interfaces = group.get("interfaces") if isinstance(group, Mapping) else None
            for some in interfaces.values() if isinstance(interfaces, Mapping) else ():
                found += some if isinstance(some, list) else []
    return [one for one in found if isinstance(one, str)]


def node_place(told: Tree, name: str, sketch: Sketch) -> Place | None:
    """Where a node is, in any of the ways in which maps say it."""
    place = next((told[key] for key in PLACES if isinstance(told.get(key), Mapping | list)), told)
    if isinstance(place, list):
        parts = [number(part) for part in place[:2]][::-1]
    else:
        parts = [
            next((coordinate(place[key]) for key in keys if _said(place.get(key))), None)
            for keys in (("longitude", "lon", "lng", "long"), ("latitude", "lat"))
        ]
    if len(parts) < 2 or parts[0] is None or parts[1] is None or parts == [0.0, 0.0]:
        return None
    at = on_earth((parts[0], parts[1]))
    if isinstance(at, str):
        sketch.account.leave_out(NO_EARTH, f"{name}: {at}")
        return None
    return at


def _flag(entry: Tree, names: Iterable[str], usual: bool) -> bool:
    """A flag of a node, wherever it stands."""
    for part in (entry, entry.get("flags"), entry.get("status")):
        for name in names:
            if isinstance(part, Mapping) and isinstance(part.get(name), bool):
                return bool(part[name])
    return usual


def _end(end: object, tokens: Sequence[str], known: set[str]) -> object:
    """What an end of a link names: an identifier, a number of the list of nodes, or the node itself."""
    if isinstance(end, Mapping):
        end = next((end[key] for key in KEYS if _said(end.get(key))), None)
    if isinstance(end, int) and str(end) not in known and 0 <= end < len(tokens):
        return tokens[end]
    return end


def _qualities(link: Tree) -> Row:
    """A link's figures; those of `tq` above 1, and of ffmap's `quality`, are 1 over the transmit quality."""
    found = {key: value for key, value in link.items() if isinstance(value, int | float | str) and key not in MEDIA}
    both = str(link.get("quality", "")).split(",")
    if len(both) == 2 and all((number(one) or 0) >= 1 for one in both):
        found.pop("quality")
        found["source_tq"], found["target_tq"] = (1 / (number(one) or 1) for one in both)
    tq = number(link.get("tq"))
    if tq is not None and "bidirect" in link and 0 < tq <= 20:
        found.pop("tq")
        found["source_tq"] = 1 / tq if tq > 1 else tq
    return found


def _entries(nodes: object) -> list[Any]:
    """The entries of a list, or of a table by identifier."""
    if isinstance(nodes, Mapping):
        return [{"id": key, **value} if isinstance(value, Mapping) else {"id": key} for key, value in nodes.items()]
    return nodes if isinstance(nodes, list) else []


def _said(value: object) -> bool:
    return isinstance(value, str | int | float) and str(value).strip() != ""
