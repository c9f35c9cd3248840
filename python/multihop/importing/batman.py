"""What B.A.T.M.A.N. advanced tells: `batadv-vis` in all its formats but dot, `batctl o` and `batctl n`."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from multihop.errors import InputError

from .quality import number
from .sketch import Sketch

MAC = r"(?:[0-9a-fA-F]{2}:){5}[0-9a-fA-F]{2}"
OWN = re.compile(rf"MainIF/MAC: [^/\s]+/({MAC}|\S+)")
ORIGINATOR = re.compile(
    r"(?:\*[ \t]*)?(\S{1,80})[ \t]+[\d.]{1,12}s[ \t]+\([ \t]*([\d.]{1,12})\)[ \t]+"
    r"(\S{1,80})[ \t]+\[[ \t]*([^\s\]]{1,40})\]"
)
"""Originator, quality, next hop, interface; names stand in place of addresses where a bat-hosts file has them."""
NEIGHBOUR_IV = re.compile(r"(\S{1,40})[ \t]+(\S{1,80})[ \t]+[\d.]{1,12}s")
NEIGHBOUR_V = re.compile(r"(\S{1,80})[ \t]+[\d.]{1,12}s[ \t]+\([ \t]*([\d.]{1,12})\)[ \t]+\[[ \t]*([^\s\]]{1,40})\]")
LONGEST_LINE = 400
"""No line of batctl is longer [characters]."""

Tree = Mapping[str, Any]


def vis(tree: Tree, sketch: Sketch) -> None:
    """`batadv-vis -f jsondoc`: of each router its neighbours, with `metric`, 255 over the transmit quality."""
    sketch.kinds["batadv-vis"] = None
    for router in tree["vis"]:
        sketch.same([router.get("primary"), *_list(router.get("secondary"))])
        for neighbour in _list(router.get("neighbors")):
            _vis_link(neighbour, neighbour.get("metric"), sketch)
        sketch.account.unused(key for key in router if key not in ("primary", "secondary", "neighbors"))


def vis_lines(text: str, sketch: Sketch) -> None:
    """`batadv-vis -f json`: an object in each line."""
    sketch.kinds["batadv-vis"] = None
    for line, words in enumerate(text.splitlines(), 1):
        try:
            told = json.loads(words) if words.strip() else {}
        except (ValueError, RecursionError):
            told = None
        if not isinstance(told, dict):
            sketch.unreadable(f"line {line}: not valid JSON")
        elif "secondary" in told:
            sketch.same([told.get("of"), told["secondary"]])
        elif "neighbor" in told:
            _vis_link(told, told.get("label", told.get("metric")), sketch)
        elif "primary" in told:
            sketch.same([told["primary"]])
        else:
            sketch.account.unused(told)


def _vis_link(told: Tree, metric: object, sketch: Sketch) -> None:
    quality = number(metric)
    ends = told.get("router"), told.get("neighbor")
    if quality is None or quality <= 0:
        sketch.unreadable(f"{ends[0]}: `metric` must be a number above 0, not `{metric}`", link=True)
    else:
        sketch.link(ends, (1 - min(1.0, 1 / quality), None))


def table(text: str, sketch: Sketch) -> None:
    """`batctl o` and `batctl n`: this router's neighbours; of originators those that are their own next hop."""
    sketch.kinds["batctl's table"] = None
    own = OWN.search(text[:2000])
    here = sketch.here(own[1]) if own else sketch.here()
    lossless = "BATMAN_V" in text[:2000]
    found: dict[str, tuple[float | None, str]] = {}
    for number_, raw in enumerate(text.splitlines(), 1):
        line = raw.strip()[:LONGEST_LINE]
        if originator := ORIGINATOR.match(line):
            name, quality, hop, interface = originator.groups()
            if name == hop:
                found.setdefault(name, (None if lossless or "." in quality else _loss(quality), interface))
        elif neighbour := NEIGHBOUR_V.match(line):
            found.setdefault(neighbour[1], (None, neighbour[3]))
            lossless = True
        elif old := NEIGHBOUR_IV.fullmatch(line):
            found.setdefault(old[2], (None, old[1]))
        elif line and "last-seen" not in line and not line.startswith("[B.A.T.M.A.N."):
            sketch.unreadable(f"line {number_}: {line}")
    if not found:
        raise InputError("no line of it is a neighbour as `batctl o` or `batctl n` prints one")
    if lossless:
        sketch.account.unused(["throughput"])
    for name, (loss, interface) in found.items():
        sketch.link((here, name), (loss, loss), over=interface)


def originators(tree: list[Any], sketch: Sketch) -> None:
    """`batctl oj` and `batctl nj`: the same in JSON."""
    sketch.kinds["batctl's table"] = None
    here = sketch.here()
    for entry in tree:
        name = entry.get("orig_address", entry.get("neigh_address"))
        if entry.get("neigh_address") == name:
            tq = number(entry.get("tq"))
            loss = None if tq is None else 1 - min(255.0, max(0.0, tq)) / 255
            sketch.link((here, name), (loss, loss), over=entry.get("hard_ifname"))
        sketch.account.unused(
            key for key in entry if key not in ("orig_address", "neigh_address", "tq", "hard_ifname", "best")
        )


def _loss(quality: str) -> float:
    """Loss of a transmit quality of 255 at most."""
    return 1 - min(255.0, number(quality) or 0.0) / 255


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []
