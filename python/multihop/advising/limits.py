"""What limits each flow: what the air allows it, and where and why its packets die."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from multihop.analysis.stories import Story, explain
from multihop.ceiling.reach import Reach, Way
from multihop.record.record import Records

CONTENTION = "contention"
WORTH = 0.005
"""Share of the packets that must die of a cause for it to be named."""
NEAR = 0.9
"""From this share of its ceiling on a flow has what the air allows."""


@dataclass(frozen=True, slots=True)
class Limit:
    """What limits one flow."""

    flow: str
    ends: str
    goodput_bps: float
    ceiling_bps: float
    """The most that the air allows it if it is alone [bit/s]; 0 if it has no path, or if nodes move."""
    hops: int
    cause: str
    """Of what most of its packets die; empty if hardly any do."""
    share: float
    """Share of its packets that die."""
    node: str
    """Where most of these die."""
    hidden: float
    """Share of the packets lost to contention that a hidden station killed."""

    def words(self) -> str:
        """One or two sentences."""
        said = f"Flow {self.flow} ({self.ends}) gets {self.goodput_bps / 1e3:.4g} kbit/s"
        if self.ceiling_bps:
            said += f" of at most {self.ceiling_bps / 1e3:.4g} if it were alone"
        said += "."
        if self.cause:
            said += f" {100 * self.share:.2g} % of its packets die, most of {self.cause} at node {self.node}"
            said += f"; hidden stations kill {100 * self.hidden:.0f} % of these." if self.hidden > 0 else "."
        elif self.ceiling_bps and self.goodput_bps >= NEAR * self.ceiling_bps:
            said += " It has what the air allows."
        return said


def limits(records: Records, reach: Reach) -> list[Limit]:
    """What limits each flow of the baseline's runs."""
    ways = {str(way.flow["id"]): way for way in reach.ways()}
    return [_limit(story, ways.get(story.id), moves=reach.moves) for story in explain(records)]


def _limit(story: Story, way: Way | None, *, moves: bool) -> Limit:
    made = max(1, story.measured["created"])
    causes: Counter[str] = Counter()
    for death in story.deaths:
        causes[death.cause] += death.n
    cause, n = causes.most_common(1)[0] if causes else ("", 0)
    dead = sum(causes.values())
    places: Counter[str] = Counter()
    hidden = killed = 0
    for death in story.deaths:
        if death.cause == cause:
            places[death.node] += death.n
            hidden += sum(k.n for k in death.killers if k.hidden)
            killed += death.n
    named = n / made >= WORTH
    known = way is not None and not moves
    return Limit(
        flow=story.id,
        ends=f"{story.flow['from']} to {story.flow['to']}",
        goodput_bps=story.goodput_bps,
        ceiling_bps=way.ceiling_bps if known and way else 0.0,
        hops=way.hops if known and way else 0,
        cause=cause if named else "",
        share=dead / made,
        node=places.most_common(1)[0][0] if named else "",
        hidden=hidden / killed if named and cause.startswith(CONTENTION) and killed else 0.0,
    )
