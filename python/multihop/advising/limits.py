"""What limits each flow: what the air allows it, where and why its packets are lost, and what TCP takes losses for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from multihop.analysis.causes import CAUSES
from multihop.analysis.stories import Story, explain
from multihop.ceiling.reach import Reach, Way
from multihop.ceiling.sharing import Sharing, sharings
from multihop.record.record import Records
from multihop.scenario.quantity import UNITS, number
from multihop.text import kilobits, plural

WORTH = 0.005
"""Share of the packets that must be lost to a cause for it to be named."""
NEAR = 0.9
"""From this share of its ceiling on a flow has what the air allows."""
STARVES = 0.2
"""Below this share of the mean of all flows a flow starves."""


@dataclass(frozen=True, slots=True)
class Limit:
    """What limits one flow."""

    flow: str
    ends: str
    goodput_bps: float
    ceiling_bps: float
    """The most that the air allows it if it is alone [bit/s]; 0 if it has no path, or if nodes move."""
    cause: str
    """To what most of its packets are lost; empty if hardly any are."""
    share: float
    """Share of its packets that are lost."""
    node: str
    """Where most of these are lost."""
    hidden: float
    """Share of the packets lost to contention for which a hidden station was sending."""
    starves: bool = False
    """Whether it gets far less than the other flows."""
    sated: bool = False
    """Whether it gets all that its application sends."""
    shared: Sharing | None = None
    """The flows with which it shares the air."""
    path: bool = True
    """Whether there is a path at the beginning."""

    @property
    def against(self) -> str:
        """The class of the losses; empty if hardly anything is lost."""
        return CAUSES[self.cause].group if self.cause in CAUSES else ""

    def json(self) -> dict[str, Any]:
        """As in `limits[]` of the document."""
        return {
            "flow": self.flow,
            "words": self.words(),
            "cause": self.cause or None,
            "node": self.node or None,
            "lost_share": self.share,
            "starves": self.starves,
            "goodput_bps": self.goodput_bps,
            "ceiling_bps": self.ceiling_bps or None,
        }

    def words(self) -> str:
        """One or two sentences."""
        most = f" of at most {kilobits(self.ceiling_bps)}" if self.ceiling_bps else ""
        begin = f"Flow {self.flow} ({self.ends}) gets {kilobits(self.goodput_bps)}{most} kbit/s"
        said = f"{begin}{', far less than the others' if self.starves else ''}. {self._why()}"
        return said.strip()

    def _why(self) -> str:
        if not self.path:
            return "It has no path: no chain of links leads there."
        if self.cause:
            lost = f"{_percent(self.share)} of its packets are lost"
            return f"{lost}, most to {self.cause} at node {self.node}{self._whom()}."
        if self.sated:
            return "That is all that its application sends."
        if self.ceiling_bps and self.goodput_bps >= NEAR * self.ceiling_bps:
            return "That is what the air allows."
        if self.shared:
            return f"It shares the air around {self.shared.around} with {plural(len(self.shared.flows) - 1, 'flow')}."
        return "Hardly any packet is lost: it waits for the air and for its ACKs."

    def _whom(self) -> str:
        return f", {_percent(self.hidden)} of these while a hidden station sends" if self.hidden > 0 else ""


@dataclass(frozen=True, slots=True)
class Limits:
    """What limits a network."""

    flows: tuple[Limit, ...]
    """Each flow, the worst off first."""
    believed: str
    """What TCP takes its losses for, and what they are; empty if it sees none."""

    @property
    def against(self) -> list[str]:
        """Classes of the losses that there are."""
        return [*dict.fromkeys(limit.against for limit in self.flows if limit.against)]


def limits(records: Records, reach: Reach) -> Limits:
    """What limits each flow of the baseline's runs, the worst off first."""
    ways = reach.ways()
    by_flow = {str(way.flow["id"]): way for way in ways}
    groups = {flow: group for group in sharings(reach, ways) for flow in group.flows}
    stories = explain(records)
    mean = sum(story.goodput_bps for story in stories) / max(1, len(stories))
    found = [_limit(story, by_flow.get(story.id), groups.get(story.id), reach, mean) for story in stories]
    return Limits(tuple(sorted(found, key=lambda limit: limit.goodput_bps)), _believed(stories))


def _limit(story: Story, way: Way | None, group: Sharing | None, reach: Reach, mean_bps: float) -> Limit:
    causes: Counter[str] = Counter()
    for death in story.deaths:
        causes[death.cause] += death.n
    cause, n = causes.most_common(1)[0] if causes else ("", 0)
    made = max(1, story.measured["created"] + story.measured["in_network_before"])
    named = n / made >= WORTH
    places: Counter[str] = Counter()
    hidden = killed = 0
    for death in story.deaths:
        if death.cause == cause:
            places[death.node] += death.n
            hidden += sum(killer.n for killer in death.killers if killer.hidden)
            killed += death.n
    known = way is not None and not reach.moves
    return Limit(
        flow=story.id,
        ends=f"{story.flow['from']} to {story.flow['to']}",
        goodput_bps=story.goodput_bps,
        ceiling_bps=way.ceiling_bps if known and way else 0.0,
        cause=cause if named else "",
        share=min(1.0, sum(causes.values()) / made),
        node=places.most_common(1)[0][0] if named else "",
        hidden=hidden / killed if named and cause.startswith("contention") else 0.0,
        starves=story.goodput_bps < STARVES * mean_bps,
        sated=_sated(story, reach),
        shared=group,
        path=not known or bool(way and way.path),
    )


def _sated(story: Story, reach: Reach) -> bool:
    """Whether a flow of constant rate gets what it sends."""
    entry = reach.info["values"].get(f"flow.{_place(story.id, reach)}.rate")
    try:
        rate = number(entry["value"], UNITS) if entry else 0.0
    except ValueError:
        rate = 0.0
    return rate > 0 and story.goodput_bps >= 0.98 * rate


def _place(flow: str, reach: Reach) -> int:
    return [str(one["id"]) for one in reach.info["flows"]].index(flow)


def _believed(stories: Sequence[Story]) -> str:
    kinds: Counter[str] = Counter()
    for story in stories:
        for loss in story.losses:
            kinds[loss.kind] += loss.n
    total = sum(kinds.values())
    if not total:
        return ""
    kind, n = kinds.most_common(1)[0]
    told = {
        "no loss": "no loss, the segment or its ACK was only late",
        "late repair": "of segments whose repair was under way",
        "lost acknowledgement": "lost ACKs only",
        "routing": "lost because the path was broken",
    }.get(kind, kind)
    right = ", and rightly" if kind == "congestion" else ""
    which = "all" if n == total else _percent(n / total)
    return f"TCP took {plural(total, 'loss', 'losses')} for congestion{right}: {which} were {told}."


def _percent(share: float) -> str:
    return f"{100 * share:.2g} %" if share < 0.995 else "all"
