"""How many slots of a slotted link a packet of a flow takes at least, for a flow that has the air to itself.

A node does one thing a slot: it sends a frame, or receives one. So each packet takes of a relay three slots: one to
receive it, one to send it on, and one to hear the next node send it on, which is its acknowledgement; what comes
meanwhile from elsewhere is lost. Of either end it takes two: the source sends and hears the echo, the destination
receives and answers with an FRN ACK. An acknowledgement of TCP is a packet of its own on the way back and takes as
much. In combined frames one is beside a data packet, so that a relay needs three slots for both; only what an end
sends to a relay or hears from it goes alone.
A source begins with a new packet every `hold-off` slots at most.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

END, RELAY, HOLD_OFF = "end", "relay", "hold-off"


@dataclass(frozen=True, slots=True)
class Slots:
    """What one packet takes."""

    count: float
    """Slots between one packet and the next, at least, its share of an acknowledgement included."""
    length_s: float
    """Length of a slot [s]."""
    answered: bool
    """Whether acknowledgements of the other end go back."""
    where: str
    """What takes that long: an end, a relay, or the hold-off."""

    def words(self) -> str:
        """The rule as it binds this flow, in a few words."""
        what = "a packet and its acknowledgement take" if self.answered else "a packet takes"
        slots = f"{self.count:.3g} slots of {self.length_s * 1e3:.4g} ms"
        if self.where == HOLD_OFF:
            return f"its source begins with a packet every {slots}"
        return f"{what} {slots} of {'a relay' if self.where == RELAY else 'either end'}"


def least_slots(told: Mapping[str, Any], answers: float, path: Sequence[str], relays: Sequence[str]) -> Slots:
    """The least that a packet and so many answers take, along this path and by whatever way through these relays."""
    whole = told["whole"]
    combined = told["combined"] and len(path) > 2
    # What is given up without ever being repeated need not be heard again.
    awaited = told["awaited"]
    found = [(float(told["hold_off"]), HOLD_OFF)]
    if not awaited or combined:
        found.append((2 + answers, END))
    else:
        found.append((2 + 2 * answers, END))
    for relay in relays:
        place = path.index(relay)
        ends = (place == 1) + (place == len(path) - 2)
        if combined:
            slots = 2 + answers if whole or not awaited else 3 + ends * answers
        else:
            slots = 3 + 3 * answers if awaited else max(3, 2 + 2 * answers)
        found.append((slots, RELAY))
    count, where = max(found, key=lambda it: it[0])
    return Slots(count, told["slot_s"], answers > 0, where)
