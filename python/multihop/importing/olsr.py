"""What OLSR's daemon tells: jsoninfo, txtinfo, and graphs for Graphviz (olsrd's dot_draw, `batadv-vis -f dot`)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from multihop.errors import InputError

from .batman import MAC
from .network import Losses
from .quality import loss_of_etx, losses, number
from .sketch import Sketch

Tree = Mapping[str, Any]
DEFAULT = ("0.0.0.0/0", "0.0.0.0", "0.0.0.0/0.0.0.0", "::/0", "::", "2000::/3")  # noqa: S104  # no address to bind
"""Networks that only a gateway to the internet announces."""
USED = {
    *(
        "lastHopIP",
        "destinationIP",
        "localIP",
        "remoteIP",
        "linkQuality",
        "neighborLinkQuality",
        "tcEdgeCost",
        "linkCost",
    ),
    *("olsrInterface", "ifName"),
}
QUALITIES = ("linkQuality", "neighborLinkQuality")
COST_ONE = 1024.0
"""Cost of a link without loss in olsrd."""
EDGE = re.compile(r'\s*"?([^"\s]{1,100})"?\s*(->|--)\s*"?([^"\s\[]{1,100})"?\s*(?:\[(.{0,400})\])?')
"""A statement of a graph for Graphviz that is an edge, with its attributes."""
LABEL = re.compile(r'label\s{0,9}=\s{0,9}"?([^",\]]{1,40})"?')


def jsoninfo(tree: Tree, sketch: Sketch) -> None:
    """jsoninfo's `/topology`, `/links` or `/all`: the qualities of links both ways, `mid` names a node's addresses."""
    sketch.kinds["OLSR's topology"] = None
    for entry in _list(tree.get("mid")):
        main = entry.get("main", entry.get("ipAddress"))
        aliases = [_address(one) for one in _list(entry.get("aliases"))]
        sketch.same([_address(main), *aliases])
    entries = [*_list(tree.get("topology")), *_list(tree.get("links"))]
    _edges(entries, sketch)
    for entry in _list(tree.get("hna")):
        if str(entry.get("destination")) in DEFAULT:
            sketch.gateway(entry.get("gateway"))


def txtinfo(text: str, sketch: Sketch) -> None:
    """txtinfo's tables: Topology and Links (destination, last hop, LQ, NLQ), MID, HNA."""
    sketch.kinds["OLSR's topology"] = None
    tables = dict(_tables(text))
    for row in tables.get("MID", ()):
        sketch.same([one for cell in row for one in re.split(r"[;,]", cell)])
    entries = []
    for name, ends in (("Topology", ("destinationIP", "lastHopIP")), ("Links", ("localIP", "remoteIP"))):
        skip = 3 if name == "Links" else 2
        for row in tables.get(name, ()):
            if len(row) < skip + 2:
                sketch.unreadable(f"table {name}: `{' '.join(row)}`", link=True)
                continue
            told = dict(zip(("linkQuality", "neighborLinkQuality"), row[skip : skip + 2], strict=True))
            entries.append({ends[0]: row[0], ends[1]: row[1], **told})
    if not entries:
        raise InputError("it has no `Table: Topology` with links in it")
    _edges(entries, sketch)
    for row in tables.get("HNA", ()):
        if row[0] in DEFAULT and len(row) > 1:
            sketch.gateway(row[1])


def dot(text: str, sketch: Sketch) -> None:
    """A graph for Graphviz whose edges are labelled: ETX by olsrd, 255 over the transmit quality by batadv-vis."""
    sketch.kinds["a graph for Graphviz"] = None
    for cluster in text.split("subgraph")[1:]:
        sketch.same(re.findall(MAC, cluster.partition("{")[2].partition("}")[0]))
    found = 0
    for statement in re.split(r"[;\n{}]", text):
        edge = EDGE.match(statement.strip()[:1000]) if "->" in statement or "--" in statement else None
        if edge is None:
            continue
        one, arrow, other, told = edge.groups()
        label = LABEL.search(told or "")
        word = label[1].strip() if label else ""
        if other in DEFAULT:
            sketch.gateway(one)
        elif word.upper() in ("HNA", "TT"):
            sketch.account.unused([word])
        else:
            found += 1
            _labelled((one, other), word, arrow, sketch)
    if not found:
        raise InputError('it has no edges like `"a" -> "b" [label="1.00"]`')


def _labelled(ends: tuple[str, str], word: str, arrow: str, sketch: Sketch) -> None:
    cost = number(word)
    if word.upper().startswith("INF"):
        sketch.link(ends, (1.0, 1.0))
    elif cost is None or cost <= 0:
        sketch.account.unused([f"label {word}"] if word else ())
        sketch.link(ends)
    elif re.fullmatch(MAC, ends[0]):
        sketch.link(ends, (1 - min(1.0, 1 / cost), None))
    else:
        loss = loss_of_etx(cost)
        sketch.link(ends, (loss, None if arrow == "->" else loss))


def _edges(entries: Iterable[Any], sketch: Sketch) -> None:
    rows = [entry for entry in entries if isinstance(entry, Mapping)]
    found, used = losses([{key: row.get(key) for key in QUALITIES} for row in rows], sketch.account)
    for row, told in zip(rows, found, strict=True):
        last, destination = (_first(row, keys) for keys in (("lastHopIP", "localIP"), ("destinationIP", "remoteIP")))
        loss = told if used else _by_cost(row)
        if last is None or destination is None:
            sketch.unreadable(f"`{'lastHopIP' if last is None else 'destinationIP'}` is missing", link=True)
        elif isinstance(loss, str):
            sketch.unreadable(f"{last}: {loss}", link=True)
        else:
            sketch.link((last, destination), loss, over=_first(row, ("olsrInterface", "ifName")))
        sketch.account.unused(key for key in row if key not in USED)


def _by_cost(row: Tree) -> Losses:
    """The losses where the daemon tells no qualities: the cost is ETX, times 1024 in newer versions."""
    cost = number(_first(row, ("tcEdgeCost", "linkCost", "ETX", "etx")))
    if not cost:
        return None, None
    loss = loss_of_etx(cost / COST_ONE if cost >= COST_ONE else cost)
    return loss, loss


def _tables(text: str) -> Iterable[tuple[str, list[list[str]]]]:
    for part in re.split(r"(?m)^Table: *", text)[1:]:
        lines = part.splitlines()
        rows = [line.split() for line in lines[2:] if line.strip()]
        yield lines[0].strip() if lines else "", rows


def _first(row: Tree, keys: Iterable[str]) -> Any:
    return next((row[key] for key in keys if row.get(key) is not None), None)


def _address(told: object) -> object:
    return told.get("ipAddress") if isinstance(told, Mapping) else told


def _list(value: object) -> list[Any]:
    return [one for one in value if isinstance(one, Mapping | str)] if isinstance(value, list) else []
