"""Interference: which link loses frames to which station, and whether its sender can hear that one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from multihop.record.record import Record, Records

HIDDEN = "overlapped with a frame of a station hidden from the sender"
SENSED = "overlapped with a frame of a station that the sender could sense"
DEAF = "came while the receiver was sending"
UNKNOWN = "overlapped with a signal of unknown origin"
"""How interference destroys a frame at its receiver."""


@dataclass(frozen=True, slots=True)
class Spoilt:
    """Frames of one link that met transmissions of one station and were lost."""

    sender: str
    receiver: str
    frame: str
    """`rts` or `data`, or what answers them: `cts`, `ack`."""
    by: str | None
    """The interferer; the addressee itself if it was sending, None if it is not known."""
    n: int
    hidden: int
    """Of how many the interferer was out of the carrier sense of the lost frame's sender."""

    def json(self) -> dict[str, Any]:
        """As in `interference[]` of the public document."""
        row = asdict(self)
        return {"from": row.pop("sender"), "to": row.pop("receiver"), **row}


@dataclass(frozen=True, slots=True)
class Killer:
    """The station whose transmissions met most of the last attempts of packets that were then given up."""

    by: str
    hidden: bool
    """Whether the sender that gave them up could not sense it."""
    n: int
    """Packets."""


def killers(rows: Iterable[Sequence[Killer]]) -> tuple[Killer, ...]:
    """The sum of several lists of killers, most first."""
    n = Counter[tuple[str, bool]]()
    for killer in (killer for row in rows for killer in row):
        n[killer.by, killer.hidden] += killer.n
    found = [Killer(*key, count) for key, count in n.items()]
    return tuple(sorted(found, key=lambda x: (-x.n, x.by, x.hidden)))


def interference(records: Records, run: int | None = None) -> list[Spoilt]:
    """All of it, over all runs or one, most first."""
    return summed([record for record in records if run in (None, record.run)])


def recorded(records: Records) -> bool:
    """Whether any of the runs has recorded the interferers."""
    return any(record.data.get("interference") is not None for record in records)


def summed(records: Sequence[Record]) -> list[Spoilt]:
    """All of it over some runs, most first."""
    lost, hidden = Counter[tuple[str, str, str, str | None]](), Counter[tuple[str, str, str, str | None]]()
    for row in (row for record in records for row in record.data.get("interference") or ()):
        key = (str(row["from"]), str(row["to"]), str(row["frame"]), row["by"])
        lost[key] += row["n"]
        hidden[key] += row["hidden"]
    found = [Spoilt(*key, n, hidden[key]) for key, n in lost.items()]
    return sorted(found, key=lambda x: (-x.n, x.sender, x.receiver, x.frame, x.by or ""))


def words(found: Sequence[Spoilt]) -> str:
    """The sum of it in one sentence; empty if nothing was lost so."""
    total = sum(x.n for x in found)
    if not total:
        return ""
    own = sum(x.n for x in found if x.by in (x.sender, x.receiver))
    hidden = sum(x.hidden for x in found)
    unknown = sum(x.n for x in found if x.by is None)
    parts = [
        (hidden, HIDDEN),
        (total - hidden - own - unknown, SENSED),
        (own, DEAF),
        (unknown, UNKNOWN),
    ]
    said = "; ".join(f"{n} ({100 * n / total:.0f} %) {what}" for n, what in parts if n)
    return f"Interference destroyed {total} {'frame' if total == 1 else 'frames'} at their receivers: {said}."
