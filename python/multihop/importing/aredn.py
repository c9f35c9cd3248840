"""`sysinfo.json` of AREDN's firmware: a node, where it is, and its links with their qualities."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .freifunk import node_place
from .quality import losses
from .sketch import Sketch

Tree = Mapping[str, Any]
USED = {"node", "lat", "lon", "link_info", "lqm", "interfaces", "location", "meshrf"}
LINK = {"hostname", "linkType", "type", "linkQuality", "neighborLinkQuality", "rx_quality", "tx_quality"}
DOMAIN = ".local.mesh"


def sysinfo(tree: Tree, sketch: Sketch) -> None:
    """One node and its links: RF is radio, DTD a cable, TUN and WIREGUARD tunnels.

    Links are those of `link_info` (what the routing daemon tells), else of `lqm` (what the link quality manager tells).
    """
    sketch.kinds["AREDN's sysinfo.json"] = None
    sketch.plane.add(False)
    name = _host(tree.get("node"))
    interfaces = [one for one in tree.get("interfaces") or () if isinstance(one, Mapping)]
    keys = [one[key] for one in interfaces for key in ("ip", "mac") if one.get(key) not in (None, "", "none")]
    radio = tree.get("meshrf")
    radio = radio if isinstance(radio, Mapping) else {}
    place = node_place(tree, name, sketch)
    heard = sketch.radios.hear(radio, f"node {name}")
    sketch.node(name, [_key(name), *keys], place, again=True, radio=heard)
    links = _links(tree)
    figures = [_figures(link) for link in links]
    found, _ = losses(figures, sketch.account)
    for link, loss in zip(links, found, strict=True):
        other = _host(link.get("hostname") or link["address"])
        sketch.node(other, [_key(other), link["address"]], again=True)
        if isinstance(loss, str):
            sketch.unreadable(f"{name}–{other}: {loss}", link=True)
        else:
            over = link.get("linkType") or link.get("type") or "radio"
            sketch.link((_key(name), _key(other)), loss, over=over)
        sketch.account.unused(key for key in link if key not in LINK and key != "address")
    sketch.account.unused(key for key in tree if key not in USED)


def several(trees: Sequence[object], sketch: Sketch) -> None:
    """Many of them, as collectors keep them."""
    for tree in trees:
        data = tree.get("data", tree) if isinstance(tree, Mapping) else None
        if isinstance(data, Mapping) and "node" in data:
            sysinfo(data, sketch)


def _links(tree: Tree) -> list[dict[str, Any]]:
    """The links with the address of the other end."""
    told = tree.get("link_info")
    if not told:
        manager = tree.get("lqm")
        info = manager.get("info", manager) if isinstance(manager, Mapping) else {}
        told = info.get("trackers") if isinstance(info, Mapping) else None
    pairs = told.items() if isinstance(told, Mapping) else ()
    return [{"address": str(address), **link} for address, link in pairs if isinstance(link, Mapping)]


def _figures(link: Tree) -> dict[str, object]:
    """Shares of frames that arrive: of the neighbour's here (LQ), and of ours there (NLQ); of `lqm` in percent."""
    if "linkQuality" in link or "neighborLinkQuality" in link:
        return {"lq": link.get("linkQuality"), "nlq": link.get("neighborLinkQuality")}
    return {"lq_percent": link.get("rx_quality"), "nlq_percent": link.get("tx_quality")}


def _host(name: object) -> str:
    """A host's name without its domain and without the prefix of an interface."""
    host = str(name or "").strip().removesuffix(DOMAIN).removesuffix(".")
    for prefix in ("dtdlink.", "mid1.", "mid2.", "mid3.", "xlink."):
        host = host.removeprefix(prefix)
    return host


def _key(name: str) -> str:
    """Names of hosts are alike in any case."""
    return name.lower()
