"""What a packet of a flow takes of a slotted link (`link.kind = "frn"`), in words; the engine counts the slots."""

from __future__ import annotations

from dataclasses import dataclass

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
