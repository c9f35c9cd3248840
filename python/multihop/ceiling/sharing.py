"""What flows can get together whose hops share the air, before anything runs.

A set of hops in which no two can succeed at a time is busy for at most all of the time. So the exchanges of all flows
over its hops fit into one second, beside the back-offs of each station in it. Payload is lost to nothing else here,
which makes the sum an upper bound.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from multihop.ceiling.reach import Hop, Reach, Way
from multihop.text import kilobits, listing, plural

MOST_HOPS = 400
"""So many hops, the busiest, are looked at: each pair of them is compared."""
MOST_SEEDS = 40
"""From so many hops on, the busiest, a set that excludes each other is gathered."""
MOST_NAMES = 5
"""So many flows are named, the rest is counted."""


@dataclass(frozen=True, slots=True)
class Sharing:
    """Flows whose hops share the air."""

    flows: tuple[str, ...]
    """Their names."""
    around: str
    """The node that most of these hops touch."""
    hops: tuple[Hop, ...]
    """Hops of data and acknowledgements. One of them at a time can succeed."""
    together_bps: float
    """Goodput of all of them together that no run exceeds [bit/s]."""
    each_bps: float
    """What it leaves each of them in equal parts [bit/s]."""
    routed: bool = False
    """Whether a routing protocol may choose other paths."""

    def words(self) -> str:
        """In one sentence or two."""
        named = [*self.flows[:MOST_NAMES]]
        if len(self.flows) > MOST_NAMES:
            named.append(f"{len(self.flows) - MOST_NAMES} more")
        most, each = f"{kilobits(self.together_bps)} kbit/s", f"{kilobits(self.each_bps)} kbit/s"
        begin = "On shortest paths, flows" if self.routed else "Flows"
        return (
            f"{begin} {listing(named)} share the air around {self.around}: together they get at most about {most} at "
            f"any time. In equal parts that is about {each} or less for each of the {plural(len(self.flows), 'flow')}."
        )


@dataclass(slots=True)
class _Load:
    """What one packet of a flow costs in a set of hops."""

    flow: str
    payload: float
    """Bits."""
    cap: float
    """The most that its application sends [bit/s]."""
    busy: float
    """Exchanges [s]."""
    backoff: Mapping[str, float]
    """Mean back-offs of each station [s]."""

    def cost(self, station: str) -> float:
        """Time of a packet, with the back-offs of this station."""
        return self.busy + self.backoff.get(station, 0.0)


def sharings(reach: Reach, ways: Sequence[Way]) -> list[Sharing]:
    """The groups of flows that share the air, each flow in one of them: where equal parts are smallest first.

    Of a slotted link nothing is said, nothing of flows that have no path, and nothing where nodes move.
    """
    if reach.moves:
        return []
    left = {str(way.flow["id"]): way for way in ways if way.path and not way.slots}
    found: list[Sharing] = []
    while len(left) > 1:
        groups = [_sharing(reach, hops, left) for hops in _sets(reach, left)]
        several = [group for group in groups if group and len(group.flows) > 1]
        if not several:
            break
        worst = min(several, key=lambda group: group.each_bps)
        if worst.together_bps >= 0.999 * sum(
            min(left[flow].ceiling_bps, left[flow].offered_bps) for flow in worst.flows
        ):
            break  # what each may have alone fits beside the others
        found.append(worst)
        left = {flow: way for flow, way in left.items() if flow not in worst.flows}
    return found


def _sets(reach: Reach, ways: Mapping[str, Way]) -> list[tuple[Hop, ...]]:
    """Sets of hops in which one at a time can succeed, gathered around the busiest."""
    load: dict[Hop, float] = defaultdict(float)
    for way in ways.values():
        for hop, exchange in way.exchanges.items():
            load[hop] += exchange.busy_s
    busiest = sorted(load, key=lambda hop: (-load[hop], hop))[:MOST_HOPS]
    found: dict[tuple[Hop, ...], None] = {}
    for seed in busiest[:MOST_SEEDS]:
        gathered = [seed]
        gathered += [hop for hop in busiest if hop != seed and reach.excludes(hop, seed)]
        chosen: list[Hop] = []
        for hop in gathered:
            if all(reach.excludes(hop, other) for other in chosen):
                chosen.append(hop)
        found[tuple(sorted(chosen))] = None
    return list(found)


def _sharing(reach: Reach, hops: Sequence[Hop], ways: Mapping[str, Way]) -> Sharing | None:
    inside = set(hops)
    loads = []
    touched: dict[str, int] = defaultdict(int)
    for flow, way in ways.items():
        mine = {hop: exchange for hop, exchange in way.exchanges.items() if hop in inside}
        if not mine:
            continue
        backoff: dict[str, float] = defaultdict(float)
        for hop, exchange in mine.items():
            backoff[hop[0]] += exchange.backoff_s
            touched[hop[0]] += 1
            touched[hop[1]] += 1
        busy = sum(exchange.busy_s for exchange in mine.values())
        loads.append(_Load(flow, 8.0 * way.payload, way.offered_bps, busy, backoff))
    if not loads:
        return None
    stations = sorted({station for load in loads for station in load.backoff})
    most = min(_most(loads, station) for station in stations)
    each = min(1 / sum(load.cost(station) / load.payload for load in loads) for station in stations)
    around = max(touched, key=lambda node: (touched[node], node in stations))
    routed = reach.info["values"]["routing.kind"]["value"] != "static"
    return Sharing(tuple(load.flow for load in loads), around, tuple(hops), most, each, routed)


def _most(loads: Sequence[_Load], station: str) -> float:
    """The largest sum of goodputs whose exchanges, with the back-offs of this station, fit into a second [bit/s]."""
    left, sum_ = 1.0, 0.0
    for load in sorted(loads, key=lambda load: load.cost(station) / load.payload):
        rate = min(load.cap, left * load.payload / load.cost(station))
        sum_ += rate
        left -= rate * load.cost(station) / load.payload
    return sum_
