"""The `dump` of babeld: its own interfaces and its neighbours with their costs (RFC 8966, A.2.2)."""

from __future__ import annotations

import re

from multihop.errors import InputError

from .sketch import Sketch

OWN = re.compile(r"(?m)^my-id (\S{1,80})|^add self \S{1,80} id (\S{1,80})")
INTERFACE = re.compile(r"(?m)^add interface (\S{1,40}) up true(.{0,200})")
NEIGHBOUR = re.compile(
    r"(?m)^add neighbour \S{1,80} address (\S{1,80})(?: if (\S{1,40}))?.{0,200}?\brxcost (\d{1,9}) txcost (\d{1,9})"
)
WITHOUT_LOSS = 256
"""Cost of a wireless link without loss."""
WIRED = 96
"""Cost of a cable."""
INFINITE = 65535
"""Cost of no link."""
USED = ("address", "if", "rxcost", "txcost", "cost", "reach", "ureach")


def dump(text: str, sketch: Sketch) -> None:
    """This router's neighbours: `txcost` is the cost of the way there, `rxcost` of the way back."""
    sketch.kinds["babeld's dump"] = None
    own = OWN.search(text)
    name = (own[1] or own[2]) if own else ""
    addresses = [one for found in INTERFACE.finditer(text) for one in re.findall(r"ipv[46] (\S+)", found[2])]
    here = sketch.here(*filter(None, [name]), *addresses, name=name)
    count = 0
    for line in text.splitlines():
        if line.startswith("add neighbour") and not NEIGHBOUR.match(line):
            sketch.unreadable(line, link=True)
    for address, interface, rx, tx in NEIGHBOUR.findall(text):
        count += 1
        there, back = (
            1 - WITHOUT_LOSS / max(WITHOUT_LOSS, int(cost)) if int(cost) < INFINITE else 1.0 for cost in (tx, rx)
        )
        over = interface or None
        if WIRED in (int(rx), int(tx)):
            over = "cable"
        sketch.link((here, address), (there, back), over=over)
    if not count:
        raise InputError("no line of it begins with `add neighbour`")
    sketch.account.unused(word for word in ("rtt", "rttcost") if f" {word} " in text)
