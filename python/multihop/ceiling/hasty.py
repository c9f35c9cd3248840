"""Hops where CoDel's target is below the time that one packet takes: there it drops what waits for one other packet."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from multihop.text import plural

ENOUGH = 2
"""A target of so many times of a packet leaves room for one that waits."""


@dataclass(frozen=True, slots=True)
class Hasty:
    """A hop of a flow whose sender has too small a target."""

    flow: str
    sender: str
    receiver: str
    packet_s: float
    """What one packet takes of the hop: the exchange with its mean back-off, or its time on a wire [s]."""
    target_s: float
    """The target of the sender's CoDel [s]."""


def words(hops: Iterable[Hasty]) -> list[str]:
    """A sentence for each target, with the hop where a packet takes longest."""
    by_target: dict[float, list[Hasty]] = {}
    for hop in hops:
        by_target.setdefault(hop.target_s, []).append(hop)
    return [_words(target, found) for target, found in sorted(by_target.items())]


def _words(target: float, found: list[Hasty]) -> str:
    worst = max(found, key=lambda hop: hop.packet_s)
    others = len({(hop.sender, hop.receiver) for hop in found}) - 1
    more = f", and more than {_ms(target)} over {plural(others, 'other hop')}" if others else ""
    return (
        f"CoDel's target is {_ms(target)} (`queue.codel.target`), and one packet takes longer than that: "
        f"{_ms(worst.packet_s)} over the hop from {worst.sender} to {worst.receiver} (flow {worst.flow}){more}. "
        "CoDel then drops packets that have waited for one other, and goodput falls. The target must be longer than "
        f"one packet takes (RFC 8289, section 4.4): {_ms(ENOUGH * worst.packet_s)} leaves room for one that waits."
    )


def of_flows(told: Iterable[Mapping[str, Any]]) -> list[Hasty]:
    """What the engine says of the ways of flows."""
    return [
        Hasty(str(flow["id"]), hop["from"], hop["to"], hop["s"], hop["target_s"])
        for flow in told
        for hop in flow["way"]["hasty"]
    ]


def _ms(seconds: float) -> str:
    return f"{1e3 * seconds:.3g} ms"
