"""NetJSON's NetworkGraph: nodes with their addresses, links with a `cost` of the metric that it names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .account import tidy
from .freifunk import node_place
from .quality import SCALES, etx_scale, loss_of_etx, number
from .sketch import Sketch

Tree = Mapping[str, Any]
USED = {"source", "target", "cost", "type", "properties"}


def graph(tree: Tree, sketch: Sketch) -> None:
    """A graph; `cost` is ETX, over 256 of Babel, over 1024 of OLSR where no figure could be ETX."""
    protocol, metric = (str(tree.get(key) or "").lower() for key in ("protocol", "metric"))
    sketch.kinds["NetJSON"] = None
    sketch.plane.add(False)
    labels = {}
    for node in _list(tree.get("nodes")):
        addresses = node.get("local_addresses")
        keys = [node.get("id"), *(addresses if isinstance(addresses, list) else [])]
        properties = _properties(node)
        name = str(node.get("label") or node.get("id") or "")
        labels[str(node.get("id"))] = name
        radio = sketch.radios.hear(properties, f"node {tidy(name, 40)}")
        sketch.node(name, keys, node_place({**properties, **node}, name, sketch), radio=radio)
        known = {"location", "lat", "lon", "latitude", "longitude", *sketch.radios.used}
        sketch.account.unused(key for key in properties if key not in known)
    links = [link for link in tree["links"] if isinstance(link, Mapping)]
    costs = [number(link.get("cost")) for link in links]
    by = _scale([c for c in costs if c is not None], protocol, metric, sketch)
    for i, (link, cost) in enumerate(zip(links, costs, strict=True), 1):
        ends = link.get("source"), link.get("target")
        if (cost is None or cost <= 0) and link.get("cost") is not None:
            sketch.unreadable(
                f"link {i}: a link's `cost` must be a number above 0, not `{link.get('cost')}`", link=True
            )
            continue
        loss = None if cost is None or by is None else loss_of_etx(cost / by)
        properties = _properties(link)
        over = next((part.get(k) for part in (link, properties) for k in ("type", "interface") if part.get(k)), None)
        radio = sketch.radios.hear({**properties, **link}, f"link {i}")
        sketch.link(ends, (loss, loss), over=over, radio=radio)
        sketch.account.unused(key for key in {**link, **properties} if key not in {*USED, *sketch.radios.used})


def collection(tree: Tree, sketch: Sketch) -> None:
    """A NetworkCollection: its graphs."""
    for one in tree["collection"]:
        if isinstance(one, Mapping) and one.get("type") == "NetworkGraph":
            graph(one, sketch)


def _scale(costs: list[float], protocol: str, metric: str, sketch: Sketch) -> float | None:
    """What costs are divided by to be ETX; None where they are something else."""
    if metric and "etx" not in metric and not any(name in protocol for name in SCALES):
        sketch.account.unused([f"cost ({metric})"])
        return None
    if "olsrv2" in protocol or "olsrd2" in protocol or "ff_dat" in metric:
        sketch.account.unused([f"cost ({metric or protocol})"])
        return None
    by = SCALES["babel"] if "babel" in protocol else etx_scale(costs, protocol)
    if by != 1:
        sketch.account.assume(f"`cost` is ETX times {by:g}")
    return by


def _properties(told: Tree) -> Tree:
    found = told.get("properties")
    return found if isinstance(found, Mapping) else {}


def _list(value: object) -> list[Any]:
    return [one for one in value if isinstance(one, Mapping)] if isinstance(value, list) else []
