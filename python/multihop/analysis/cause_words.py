"""What a link says of the packets that it lost: in words, for the MAC of IEEE 802.11 and for the slotted link."""

from __future__ import annotations

from dataclasses import dataclass

_AWAY = "nothing disturbed its frames and nothing answered, as if the neighbour were away"

CAUSES = {
    "contention (rts)": "the MAC sent RTS up to its retry limit and got no answer, because other stations were sending",
    "contention (data)": "the MAC sent the data frame up to its retry limit and got no ACK, because other stations "
    "were sending",
    "nobody there": f"the MAC gave up: {_AWAY}",
    "neighbour dozing": "the MAC gave up: its neighbour's radio was dozing",
    "bit errors": "the MAC gave up: bit errors hit most of its attempts",
    "fading": "the MAC gave up: most of its attempts faded, a frame or its answer",
    "jamming": "the MAC gave up: most of its attempts were jammed, a frame or its answer",
    "link loss": "the MAC gave up: the link lost most of its attempts, as its `loss` says",
    "retry-limit-rts": "the MAC gave up: its RTS stayed unanswered",
    "retry-limit-data": "the MAC gave up: its data frame stayed unacknowledged",
    "queue full": "the interface queue had no room (congestion)",
    "queue full forced": "the interface queue had no room, and had said so before the forced RTS (congestion)",
    "early drop": "active queue management dropped it before the queue was full (congestion)",
    "link broken": "it waited in the interface queue for a neighbour that was gone by then",
    "no route": "there was no route to the destination",
    "route buffer full": "too many packets waited for a route",
    "route timeout": "it waited too long for a route",
    "address unresolved": "its neighbour's link-layer address stayed unknown, or another packet took its place",
    "expired": "the hop limit ran out",
    "lifetime over": "it had been on slotted links for as long as a packet may live, waiting to be sent or for its "
    "echo",
    "node down": "the node went down with the packet in its memory",
    "proxy overflow": "a proxy on the way had no room",
    "malformed": "its bytes are no valid message of the protocol that they name",
    "unclaimed": "nothing at the destination was waiting for it",
}
"""What each cause of a drop means."""

_SLOTTED = {
    "contention (data)": "the slotted link gave up: after the last retransmission no echo had come, because other "
    "stations were sending",
    "nobody there": f"the slotted link gave up: {_AWAY}",
    "bit errors": "the slotted link gave up: bit errors hit most of its frames or their echoes",
    "fading": "the slotted link gave up: most of its frames or their echoes faded",
    "jamming": "the slotted link gave up: most of its frames or their echoes were jammed",
    "link loss": "the slotted link gave up: the link lost most of its frames or their echoes, as its `loss` says",
    "retry-limit-data": "the slotted link gave up: after the last retransmission no echo had come",
    "queue full": "the link had no room (congestion)",
}


@dataclass(frozen=True, slots=True)
class LinkWords:
    """How to speak of one kind of link."""

    causes: dict[str, str]
    """What each cause of a drop means."""
    duplicate: str
    """How a second copy comes about."""
    unkilled: str
    """Why no station is known that disturbed a packet lost in contention."""
    beaten: str
    """What contention is, said of a loss that TCP noticed."""

    def meaning(self, cause: str) -> str:
        """What a cause of a drop means; the cause itself if that is not known."""
        return self.causes.get(cause) or self.causes.get(cause.replace("-", " "), cause)


MAC = LinkWords(
    CAUSES,
    "a MAC acknowledgement was lost, or an agent kept a copy",
    "no station can be named: mostly the receiver kept silent because its medium was reserved",
    "it was contention: the MAC got no answer because neighbours were sending",
)
SLOTTED = LinkWords(
    {**CAUSES, **_SLOTTED},
    "an echo was lost, or an agent kept a copy",
    "no station can be named: mostly the receiver had the packet and did not send it on in the slot of the echo",
    "it was contention: frames or their echoes collided with others",
)
