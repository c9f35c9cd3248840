"""The drops of a flow: the node and the cause of each, and the node that interfered."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from multihop.analysis.interference import Killer, killers

if TYPE_CHECKING:
    from multihop.record.record import Record


@dataclass(frozen=True, slots=True)
class Death:
    """Packets of one flow and kind that were dropped for one cause at one node."""

    cause: str
    node: str
    kind: str
    """`tcp-data`, `tcp-ack`, `udp`, `signal` or `transport`."""
    n: int
    first_s: float
    last_s: float
    when: tuple[int, ...]
    """Number in each part of the measured time."""
    killers: tuple[Killer, ...] = ()
    """The stations that interfered with their last attempts, most first."""

    @property
    def killed(self) -> str:
        """`6 hidden 80 %`: the station that interfered most, and its part; empty if none did."""
        if not self.killers:
            return ""
        worst = self.killers[0]
        return f"{worst.by}{' hidden' if worst.hidden else ''} {100 * worst.n / self.n:.0f} %"

    def json(self) -> dict[str, Any]:
        """As in `deaths[]` of the public document."""
        row = {name: getattr(self, name) for name in ("cause", "node", "kind", "n", "first_s", "last_s", "when")}
        return {**row, "killers": [asdict(killer) for killer in self.killers]}


def deaths_of(records: Sequence[Record], flow: str) -> list[Death]:
    """Where the packets of a flow were dropped over the runs, most first."""
    found: dict[tuple[str, str, str], Death] = {}
    for drop in (drop for record in records for drop in record.data["drops"] if drop["flow"] == flow):
        place = (str(drop["cause"]), str(drop["node"]), str(drop["kind"]))
        by = tuple(Killer(**killer) for killer in drop.get("killers", ()))
        more = Death(*place, drop["n"], drop["first_s"], drop["last_s"], tuple(drop["when"]), by)
        found[place] = _together(found[place], more) if place in found else more
    return sorted(found.values(), key=lambda d: (-d.n, d.cause, d.node, d.kind))


def _together(a: Death, b: Death) -> Death:
    when = tuple(x + y for x, y in zip(a.when, b.when, strict=True))
    span = min(a.first_s, b.first_s), max(a.last_s, b.last_s)
    return Death(a.cause, a.node, a.kind, a.n + b.n, *span, when, killers([a.killers, b.killers]))
