"""How often each technique acted, and which of them cannot act for what another put in its place."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from multihop.measures.notation import count
from multihop.measures.stats import estimate
from multihop.record.record import Records
from multihop.text import listing, plural

OF_TCP = ("tcp.", "shim.", "rates.", "agent.")
"""What begins so is of TCP, its shims, the rates of its packets and the agents on its path."""
SIGNALS = "signals."
"""Counters that begin so are about sources of TCP; no source of datagrams gets a notice."""
OF_ALL = ("tcp.segment", "tcp.data-header")
"""Keys among them that other transports heed too."""
MOST_KEYS = 3
"""So many keys are named, the rest is counted."""


def acted(arms: Iterable[Records]) -> list[tuple[str, bool]]:
    """A sentence about each technique that is counted or cannot act, and whether it needs a look; one among others,
    or in one arm of several, is said of that arm.

    The counters begin after the warm-up: what a technique did in it is not known.
    """
    said = []
    for arm in arms:
        warm_up = arm.scenario["measure"]["from_s"] > 0
        why = powerless(arm.scenario)
        counted = {t["name"]: t["counter"] for t in arm.scenario["techniques"]}
        for name, counter in counted.items():
            who = name if arm.label == name else f"{name} in {arm.label}"
            if name in why:
                said.append((f"{who} {why[name]}", True))
            n = estimate(t["acted"] for run in arm.runs for t in run["techniques"] if t["name"] == name)
            if not counter or (name in why and not n.mean > 0):
                continue
            if not n.n:
                said.append((f"{who} cannot act: nothing in this network counts {counter}", True))
            elif n.mean == 0:
                when = "was not used in the measured time" if warm_up else "was never used"
                said.append((f"{who} {when} ({counter} is 0)", True))
            else:
                said.append((f"{who} was used {plural(float(count(n.mean)), 'time')} a run ({counter})", False))
    return said


def powerless(info: Mapping[str, Any]) -> dict[str, str]:
    """Techniques that cannot act, wholly or in part, for what they set is of TCP and no flow runs over it; with what
    to say of each. `info` is the resolved scenario."""
    if any(flow["transport"] == "tcp" for flow in info["flows"]):
        return {}
    values = info["values"]
    atp = any(flow["transport"] == "atp" for flow in info["flows"])
    replaced, idle = (", which ATP replaces", OF_TCP) if atp else ("", (*OF_TCP, SIGNALS))
    found = {}
    for name in (t["name"] for t in info["techniques"]):
        keys = [key for key, said in values.items() if said["from"] == f"technique {name}"]
        vain = [key for key in keys if key.startswith(idle) and key not in OF_ALL]
        if vain:
            more = len(vain) - MOST_KEYS
            named = [f"`{key}`" for key in vain[:MOST_KEYS]] + ([plural(more, "more key")] if more > 0 else [])
            can = "cannot act" if vain == keys else "acts in part only"
            found[name] = f"{can}: no flow runs over TCP{replaced}, and it sets {listing(named)}"
    return found
