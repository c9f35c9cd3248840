"""What a TCP loss event was in truth: congestion, contention, the channel, routing, or no loss at all."""

from __future__ import annotations

CHANNEL = ("bit errors", "fading", "jamming", "link loss")
"""What the channel does to frames, beside other signals."""
KINDS = ("congestion", "contention", *CHANNEL, "lifetime", "routing", "lost acknowledgement", "no loss", "other")
"""What a TCP loss event can have been in truth."""


def kind_of(truth: str) -> str:
    """What a truth amounts to: congestion is a full queue, or one that drops before it is."""
    known = {
        "queue": "congestion",
        "early drop": "congestion",
        "proxy overflow": "congestion",
        "contention": "contention",
        **{kind: kind for kind in CHANNEL},
        "no route": "routing",
        "nobody": "routing",
        "route": "routing",
        "node": "routing",
        "link broken": "routing",
        "address unresolved": "routing",
        "expired": "routing",
        "lifetime": "lifetime",
        "ack lost": "lost acknowledgement",
        "delayed": "no loss",
        "delivered": "no loss",
    }
    return next((kind for begin, kind in known.items() if truth.startswith(begin)), "other")
