"""MPDUs: how many of each link were lost at their receiver and why, and how long later ones were held back."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from multihop.analysis.interference import DEAF, HIDDEN, SENSED, UNKNOWN, Killer, killers
from multihop.text import plural

if TYPE_CHECKING:
    from multihop.record.record import Record, Records

CATEGORIES = ("voice", "video", "best-effort", "background")
"""The access categories, the one that goes first first."""
SUMS = ("frames", "mpdus", "packets", "lost", "delivered", "given_up", "delay_s", "held", "held_s", "released")
"""The numbers of a row."""


@dataclass(frozen=True, slots=True)
class Mpdus:
    """The MPDUs of one access category from one node to another on one channel."""

    sender: str
    receiver: str
    channel: int
    category: str
    frames: int
    """Data frames that ended at the receiver."""
    mpdus: int
    """MPDUs in them."""
    packets: int
    """Packets in these: of an A-MSDU several."""
    lost: int
    """Those of them that did not come through."""
    delivered: int
    """Packets that the receiver acknowledged."""
    given_up: int
    """Packets that the sender gave up."""
    delay_s: float
    """Times from the queue to the acknowledgement, summed over these packets [s]."""
    held: int
    """MPDUs that waited in the reordering buffer for one before them."""
    held_s: float
    """Their waits, summed [s]."""
    released: int
    """Those of them that the release timer let go."""
    lost_by: dict[str, int]
    """The lost ones by what they died of."""
    killers: tuple[Killer, ...]
    """The stations that interfered with them, most first."""
    expected_bps: float | None = None
    """What rate control expected of the link at the end, mean of the runs [bit/s]; None without statistics."""

    def hidden(self, *, hidden: bool) -> int:
        """MPDUs that met another station which the sender cannot sense, or can."""
        return sum(k.n for k in self.killers if k.hidden == hidden and k.by != self.receiver)

    @property
    def deaf(self) -> int:
        """MPDUs that met a receiver which was sending itself."""
        return sum(k.n for k in self.killers if k.by == self.receiver)

    @property
    def delay_mean_s(self) -> float | None:
        """Mean time of a packet from the queue to its acknowledgement [s]."""
        return self.delay_s / self.delivered if self.delivered else None

    @property
    def held_mean_s(self) -> float | None:
        """Mean wait of those that waited [s]."""
        return self.held_s / self.held if self.held else None

    def json(self) -> dict[str, Any]:
        """As in `mpdus[]` of the public document."""
        is_ = {"from": self.sender, "to": self.receiver, "channel": self.channel, "category": self.category}
        by = [{"by": k.by, "hidden": k.hidden, "n": k.n} for k in self.killers]
        sums = {name: getattr(self, name) for name in SUMS}
        return {**is_, **sums, "expected_bps": self.expected_bps, "lost_by": self.lost_by, "killers": by}


def mpdus(records: Records, run: int | None = None) -> list[Mpdus]:
    """Those of each link and category, over all runs or one; the links that lost most first."""
    return summed([record for record in records if run in (None, record.run)])


def summed(records: Sequence[Record]) -> list[Mpdus]:
    """Those of some runs together."""
    found: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
    for row in (row for record in records for row in record.data.get("mpdus") or ()):
        found.setdefault((row["from"], row["to"], row["channel"], row["category"]), []).append(row)
    links = [_together(key, rows) for key, rows in found.items()]
    return sorted(links, key=lambda x: (-x.lost, x.sender, x.receiver, x.channel, CATEGORIES.index(x.category)))


def by_category(links: Sequence[Mpdus]) -> list[Mpdus]:
    """All links together, by category; those that carried nothing are left out."""
    rows = [(category, [x.json() for x in links if x.category == category]) for category in CATEGORIES]
    return [_together(("", "", 0, category), of) for category, of in rows if of]


def _together(key: tuple[Any, ...], rows: Sequence[dict[str, Any]]) -> Mpdus:
    by = Counter[str]()
    for row in rows:
        by.update(row["lost_by"])
    told = killers([Killer(**killer) for killer in row["killers"]] for row in rows)
    is_ = dict(zip(("sender", "receiver", "channel", "category"), key, strict=True))
    # Stores of earlier versions have MPDUs of one packet each.
    sums = {name: sum(row.get(name, row["mpdus"]) for row in rows) for name in SUMS}
    fields: dict[str, Any] = {**is_, **sums, "lost_by": dict(sorted(by.items())), "killers": told}
    expected = [row["expected_bps"] for row in rows if row.get("expected_bps") is not None]
    return Mpdus(**fields, expected_bps=sum(expected) / len(expected) if expected else None)


def words(links: Sequence[Mpdus]) -> str:
    """Of what MPDUs died and how long others waited for them, in sentences; empty if there was no data frame."""
    sent = sum(x.mpdus for x in links)
    if not sent:
        return ""
    frames, packets, lost = (sum(getattr(x, name) for x in links) for name in ("frames", "packets", "lost"))
    said = [
        f"{plural(frames, 'data frame')} carried {plural(sent, 'MPDU')} to their receivers, "
        f"{sent / frames:.3g} a frame{_packed(packets, sent)}.",
        f"{lost or 'None'}{f' ({_percent(lost, sent)})' if lost else ''} of them were lost there{':' if lost else '.'}",
    ]
    if lost:
        said.append("; ".join(_deaths(links, lost)) + ".")
    held = sum(x.held for x in links)
    if held:
        mean = sum(x.held_s for x in links) / held
        released = sum(x.released for x in links)
        said.append(
            f"{plural(held, 'MPDU')} waited in reordering buffers for an earlier one that was missing, "
            f"{_ms(mean)} on average."
        )
        if released:
            said.append(f"The release timer passed {released} of them on without it.")
    for x in by_category(links) if len({link.category for link in links}) > 1 else ():
        said.append(_category(x))
    return " ".join(said)


def _packed(packets: int, mpdus: int) -> str:
    """How many packets an MPDU had, if some had several."""
    return f", with {packets / mpdus:.3g} packets an MPDU" if packets > mpdus else ""


def _deaths(links: Sequence[Mpdus], lost: int) -> list[str]:
    fates = [
        (sum(x.hidden(hidden=True) for x in links), HIDDEN),
        (sum(x.hidden(hidden=False) for x in links), SENSED),
        (sum(x.deaf for x in links), DEAF),
    ]
    met = sum(n for n, _ in fates)
    interference = sum(x.lost_by.get("interference", 0) for x in links)
    fates.append((interference - met, UNKNOWN))
    others: Counter[str] = Counter()
    for x in links:
        others.update({cause: n for cause, n in x.lost_by.items() if cause != "interference"})
    fates += [(n, f"were lost to {cause}") for cause, n in others.items()]
    return [f"{n} ({_percent(n, lost)}) {what}" for n, what in sorted(fates, key=lambda fate: -fate[0]) if n]


def _category(x: Mpdus) -> str:
    """One category in a sentence."""
    name = x.category.replace("-", " ")
    given = (
        f"{plural(x.given_up, 'packet') if x.given_up else 'no packet'} {'were' if x.given_up > 1 else 'was'} given up"
    )
    waited = (
        "" if x.delay_mean_s is None else f" A packet took {_ms(x.delay_mean_s)} from the queue to its acknowledgement."
    )
    return f"Of {name}, {_percent(x.lost, x.mpdus)} of the MPDUs were lost, and {given}.{waited}"


def _percent(n: float, of: float) -> str:
    return f"{100 * n / of:.2g} %" if of and 100 * n / of < 10 else f"{100 * n / of:.0f} %" if of else "0 %"


def _ms(seconds: float) -> str:
    return f"{1e3 * seconds:.3g} ms"
