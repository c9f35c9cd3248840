"""The best paths over links by hops or by ETX, as the engine's static routes take them."""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

METRICS = {"hops": "hops", "etx": "ETX"}
"""The metrics of static routes, as sentences call them."""
PARTS = 1_000_000
"""What a hop without losses counts: sums of whole numbers are the same in any order, as in the engine."""
Cost = tuple[int, int]
"""How far a node is from a destination: the metric in parts, then hops."""


@dataclass(frozen=True, slots=True)
class Route:
    """The best path of a flow by one metric."""

    metric: str
    """`hops` or `etx`."""
    path: tuple[str, ...]
    """Its nodes, both ends among them."""
    etx: float
    """Transmissions that its links need on average for one frame."""

    def words(self) -> str:
        """The path and what it costs."""
        return f"{' '.join(self.path)}, ETX {self.etx:.4g}"


class Paths:
    """The links that decode in both directions, as acknowledgements of the MAC need them."""

    def __init__(self, etx: Mapping[tuple[str, str], float]) -> None:
        """Over links with these ETX, by sender and receiver (De Couto et al., MobiCom 2003)."""
        self._etx = {hop: round(value * PARTS) for hop, value in etx.items() if hop[::-1] in etx}
        self._neighbours: dict[str, list[str]] = {}
        for sender, receiver in self._etx:
            self._neighbours.setdefault(sender, []).append(receiver)
        for names in self._neighbours.values():
            names.sort(key=lambda name: (len(name), name))

    @property
    def lossy(self) -> bool:
        """Whether some link loses frames, so that the metrics may differ."""
        return any(etx != PARTS for etx in self._etx.values())

    def best(self, source: str, destination: str, metric: str) -> Route | None:
        """The best path by a metric; none if there is no path.

        Of equally good ones that with fewer hops, then that whose next hop has the first name.
        """
        costs = self._costs(destination, metric)
        if source not in costs:
            return None
        path = [source]
        while (here := path[-1]) != destination:
            near = (name for name in self._neighbours[here] if name in costs)
            path.append(next(name for name in near if self._beyond(costs[name], (here, name), metric) == costs[here]))
        return Route(metric, tuple(path), self.etx(path))

    def etx(self, path: Sequence[str]) -> float:
        """Transmissions that the links of a path need on average for one frame."""
        return sum(self._etx[hop] for hop in itertools.pairwise(path)) / PARTS

    def _beyond(self, cost: Cost, hop: tuple[str, str], metric: str) -> Cost:
        """How far the sender of a hop is from a destination, if its receiver is at this distance."""
        return cost[0] + (self._etx[hop] if metric == "etx" else PARTS), cost[1] + 1

    def _costs(self, destination: str, metric: str) -> dict[str, Cost]:
        found: dict[str, Cost] = {}
        open_: list[tuple[Cost, str]] = [((0, 0), destination)]
        while open_:
            cost, here = heapq.heappop(open_)
            if here in found:
                continue
            found[here] = cost
            for there in self._neighbours.get(here, ()):
                if there not in found:
                    heapq.heappush(open_, (self._beyond(cost, (there, here), metric), there))
        return found
