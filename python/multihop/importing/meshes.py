"""What mesh routers and their maps tell: meshviewer, nodes.json, batman-adv, OLSR, Babel, NetJSON."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from multihop.errors import InputError

from .network import Described, Site, Wire, named
from .tables import loss_of_etx, of_wires

Tree = Mapping[str, Any]

HERE = "here"
"""The router that a dump of its own neighbours comes from, if it does not say its name."""


def meshviewer(tree: Tree, file: str) -> Described:
    """`meshviewer.json`: nodes with `location`, links with `source_tq` and `target_tq` from 0 to 1."""
    known = {str(n.get("node_id")): n for n in tree["nodes"] if n.get("is_online", True)}
    names = dict(zip(known, named(str(n.get("hostname") or key) for key, n in known.items()), strict=True))
    sites = [Site(names[key], _location(node.get("location"))) for key, node in known.items()]
    wires = []
    for link in tree.get("links") or ():
        ends = names.get(str(link.get("source"))), names.get(str(link.get("target")))
        if ends[0] is None or ends[1] is None or str(link.get("type", "wifi")).startswith(("vpn", "tunnel")):
            continue  # what goes over the internet is no radio link
        there, back = (_share(link.get(key), file) for key in ("source_tq", "target_tq"))
        wires += [Wire(ends[0], ends[1], 1 - there), Wire(ends[1], ends[0], 1 - back)]
    gateways = [names[key] for key, node in known.items() if node.get("is_gateway")]
    return Described(sites, wires, True, gateways, len(tree["nodes"]) - len(known))


def nodes_json(tree: Tree, file: str) -> Described:
    """`nodes.json` (version 1 and 2): nodes with their `nodeinfo`; it has no links."""
    entries = tree["nodes"].values() if isinstance(tree["nodes"], Mapping) else tree["nodes"]
    online = [n for n in entries if (n.get("flags") or {}).get("online", True) and n.get("nodeinfo")]
    infos = [n["nodeinfo"] for n in online]
    names = named(str(i.get("hostname") or i.get("node_id")) for i in infos)
    sites = [Site(name, _location(i.get("location"))) for name, i in zip(names, infos, strict=True)]
    gateways = [name for name, n in zip(names, online, strict=True) if (n.get("flags") or {}).get("gateway")]
    if not sites:
        raise InputError(f"{file}: no node in it is online")
    return Described(sites, [], True, gateways, len(list(entries)) - len(online))


def batman_vis(tree: Tree, file: str) -> Described:
    """`batadv-vis -f jsondoc`: of each router its neighbours, with `metric`, 255 over the transmit quality."""
    wires = []
    for router in tree["vis"]:
        for neighbour in router.get("neighbors") or ():
            metric = _positive(neighbour.get("metric"), "metric", file)
            wires.append(Wire(str(neighbour["router"]), str(neighbour["neighbor"]), 1 - min(1.0, 1 / metric)))
    return of_wires(wires)


def batman_originators(text: str, file: str) -> Described:
    """`batctl o`: the best next hop to each originator; those that are their own next hop are neighbours."""
    mac = r"((?:[0-9a-f]{2}:){5}[0-9a-f]{2})"
    wires = []
    for match in re.finditer(rf"(?m)^\s*\*?\s*{mac}\s+[\d.]+s\s+\((\s*\d+)\)\s+{mac}", text):
        if match[1] == match[3]:
            loss = 1 - min(255, int(match[2])) / 255
            wires += [Wire(HERE, match[1], loss), Wire(match[1], HERE, loss)]
    if not wires:
        raise InputError(f"{file}: no line of it is a neighbour as `batctl o` prints one")
    return of_wires(wires)


def olsr(tree: Tree, file: str) -> Described:
    """OLSR's jsoninfo `/topology`: `lastHopIP`, `destinationIP`, and the qualities of the link both ways."""
    wires: dict[tuple[str, str], Wire] = {}
    for entry in tree["topology"]:
        ends = str(entry["lastHopIP"]), str(entry["destinationIP"])
        there, back = (_share(entry.get(key, 1.0), file) for key in ("linkQuality", "neighborLinkQuality"))
        wires.setdefault(ends, Wire(*ends, 1 - back))
        wires.setdefault(ends[::-1], Wire(*ends[::-1], 1 - there))
    return of_wires(wires.values())


def olsr_text(text: str, file: str) -> Described:
    """OLSR's txtinfo: the table `Topology`, destination, last hop, quality, the neighbour's quality."""
    table = re.search(r"(?ms)^Table: Topology\n[^\n]*\n(.*?)(?:\n\n|\Z)", text)
    rows = [line.split() for line in (table[1] if table else "").splitlines() if line.strip()]
    if not rows:
        raise InputError(f"{file}: it has no `Table: Topology` with links in it")
    entries = [
        {"destinationIP": r[0], "lastHopIP": r[1], "linkQuality": r[2], "neighborLinkQuality": r[3]}
        for r in rows
        if len(r) >= 4
    ]
    return olsr({"topology": entries}, file)


def babel(text: str, file: str) -> Described:
    """The `dump` of babeld: this router's neighbours with their costs; 256 is a link without loss (RFC 8966, A.2.2)."""
    wires = []
    mine = re.search(r"(?m)^my-id (\S+)|^add self \S+ id (\S+)", text)
    here = (mine[1] or mine[2]) if mine else HERE
    for match in re.finditer(r"(?m)^add neighbour \S+ address (\S+).*?\brxcost (\d+) txcost (\d+)", text):
        there, back = (256 / max(256, int(match[i])) for i in (3, 2))
        wires += [Wire(here, match[1], 1 - there), Wire(match[1], here, 1 - back)]
    if not wires:
        raise InputError(f"{file}: no line of it begins with `add neighbour`")
    return of_wires([w for w in wires if w.loss < 0.99])  # a cost of 65535 is no link


def netjson(tree: Tree, file: str) -> Described:
    """NetJSON's NetworkGraph, with `cost` as ETX; of Babel, over 256."""
    unit = 256 if str(tree.get("protocol", "")).lower() == "babel" else 1
    labels = {str(n["id"]): str(n.get("label") or n["id"]) for n in tree.get("nodes") or ()}
    wires = []
    for link in tree["links"]:
        ends = [labels.get(str(link[end]), str(link[end])) for end in ("source", "target")]
        loss = loss_of_etx(_positive(link.get("cost", unit), "cost", file) / unit)
        wires += [Wire(ends[0], ends[1], loss), Wire(ends[1], ends[0], loss)]
    return of_wires(wires)


def _location(place: object) -> tuple[float, float] | None:
    if not isinstance(place, Mapping):
        return None
    latitude, longitude = place.get("latitude"), place.get("longitude")
    known = isinstance(latitude, int | float) and isinstance(longitude, int | float)
    return (float(longitude), float(latitude)) if known else None  # type: ignore[arg-type]  # both are numbers


def _share(value: object, file: str) -> float:
    share = _float(value)
    if share is None or not 0 <= share <= 1:
        raise InputError(f"{file}: a link's quality must lie between 0 and 1, and `{value}` does not")
    return share


def _positive(value: object, key: str, file: str) -> float:
    number = _float(value)
    if number is None or number <= 0:
        raise InputError(f"{file}: a link's `{key}` must be a number above 0, and `{value}` is none")
    return number


def _float(value: object) -> float | None:
    try:
        return float(value)  # type: ignore[arg-type]  # whatever a file has there
    except (TypeError, ValueError):
        return None
