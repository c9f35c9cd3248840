"""Which flows an imported network gets: downloads from a gateway to nodes near, halfway and far."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from multihop.errors import InputError
from multihop.scenario.scenario import nearest
from multihop.text import plural

from .account import tidy
from .network import Described, Place

GATEWAY = re.compile(r"gateway|\bgw\b|uplink", re.IGNORECASE)
"""Names of nodes that others download from."""

Ends = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Flows:
    """Flows, and the node that downloads come from."""

    ends: list[Ends]
    gateway: str = ""
    """The node that was taken; empty where flows were named."""
    because: str = ""
    """Why it was."""

    def words(self) -> str:
        """Which node was taken for a gateway, in one sentence; nothing if none had to be."""
        if not self.gateway:
            return ""
        return f"Downloads come from {self.gateway}: {self.because}; `--gateway NODE` takes another."


class Neighbours(ABC):
    """Which nodes hear each other, without a table of all pairs."""

    def __init__(self, names: Sequence[str]) -> None:
        self.names = names
        self.number = {name: i for i, name in enumerate(names)}

    @abstractmethod
    def heard(self, i: int, among: bytearray) -> Sequence[int]:
        """The nodes that hear a node, of those that are marked with 1."""

    @abstractmethod
    def unheard(self) -> str:
        """What it comes from if no node hears another."""

    def hops(self, start: str) -> dict[str, int]:
        """Hops to all nodes that can be reached, the nearest first."""
        return {self.names[i]: hops for i, hops in self._hops(self.number[start], bytearray([1]) * len(self.names))}

    def degree(self, name: str) -> int:
        """How many nodes hear a node."""
        return len(self.heard(self.number[name], bytearray([1]) * len(self.names)))

    def largest(self) -> list[str]:
        """The nodes of the largest part, the first of several."""
        left = bytearray([1]) * len(self.names)
        best: list[int] = []
        for i in range(len(self.names)):
            if left[i]:
                best = max(best, [j for j, _ in self._hops(i, left)], key=len)
        return [self.names[i] for i in best]

    def _hops(self, start: int, left: bytearray) -> list[tuple[int, int]]:
        """Nodes and hops to them, over nodes that are left; none of them is left afterwards."""
        left[start] = 0
        found, edge, hops = [(start, 0)], [start], 0
        while edge:
            hops += 1
            beyond = []
            for here in edge:
                for there in self.heard(here, left):
                    left[there] = 0
                    beyond.append(there)
            found += [(there, hops) for there in beyond]
            edge = beyond
        return found


class Linked(Neighbours):
    """By links that work in the direction given."""

    def __init__(self, names: Sequence[str], links: Iterable[Ends], reading: str) -> None:
        super().__init__(names)
        self._reading = reading
        self._links: list[list[int]] = [[] for _ in names]
        for a, b in links:
            self._links[self.number[a]].append(self.number[b])

    def heard(self, i: int, among: bytearray) -> Sequence[int]:
        return [j for j in dict.fromkeys(self._links[i]) if among[j]]

    def unheard(self) -> str:
        return self._reading


class InRange(Neighbours):
    """Nodes that stand no further apart than a range [m], and are on one channel."""

    def __init__(
        self,
        names: Sequence[str],
        places: Sequence[Place],
        range_m: float,
        channels: Mapping[str, Sequence[int]] | None = None,
    ) -> None:
        import numpy as np

        super().__init__(names)
        self._channel = np.array([((channels or {}).get(name) or [0])[0] for name in names])
        self._x, self._y = (np.array([place[i] for place in places]) for i in (0, 1))
        self._range = range_m

    def heard(self, i: int, among: bytearray) -> Sequence[int]:
        import numpy as np

        near = np.hypot(self._x - self._x[i], self._y - self._y[i]) <= self._range
        near &= self._channel == self._channel[i]
        near[i] = False
        found: list[int] = np.flatnonzero(near & np.frombuffer(among, dtype=bool)).tolist()
        return found

    def unheard(self) -> str:
        import numpy as np

        steps = range(len(self.names) - 1)
        if len(set(self._channel.tolist())) > 1:
            return f"no two nodes within {self._range:g} m of each other are on one channel"
        apart = (np.hypot(self._x[i + 1 :] - self._x[i], self._y[i + 1 :] - self._y[i]).min() for i in steps)
        return f"the nearest two stand {min(apart):.0f} m apart, and the range is {self._range:g} m (`--range` sets it)"


def chosen(network: Described, neighbours: Neighbours, flows: Sequence[str], gateway: str | None, many: int) -> Flows:
    """The flows that were named, else downloads from a gateway to `many` nodes."""
    if flows:
        return Flows([_ends(flow, network) for flow in flows])
    if gateway is not None:
        start, because = _node(gateway, network, "--gateway"), "it was named"
    else:
        start, because = _gateway(network, neighbours)
    hops = neighbours.hops(start)
    ordered = sorted((name for name in hops if hops[name]), key=lambda name: (hops[name], name))
    if not ordered:
        raise InputError(f"no node hears {start}: name another with `--gateway`")
    many = min(many, len(ordered))
    return Flows([(start, ordered[(i + 1) * len(ordered) // many - 1]) for i in range(many)], start, because)


def _gateway(network: Described, neighbours: Neighbours) -> tuple[str, str]:
    part = neighbours.largest()
    if len(part) < 2:
        raise InputError(f"no node of it hears another: {neighbours.unheard()}")
    inside = set(part)
    told = [name for name in network.gateways if name in inside]
    if told:
        others = f" ({plural(len(told), 'node is', 'nodes are')} one)" if len(told) > 1 else ""
        return told[0], f"the file calls it a gateway{others}"
    called = [name for name in part if GATEWAY.search(name)]
    if called:
        return called[0], "its name says so"
    degrees = {name: neighbours.degree(name) for name in part}
    most = max(part, key=degrees.__getitem__)
    return most, f"no node is called a gateway, and it has most neighbours ({degrees[most]})"


def _ends(flow: str, network: Described) -> Ends:
    parts = [part.strip() for part in flow.split(":")]
    names = [site.name for site in network.sites]
    if len(parts) != 2 or not all(parts):
        # names may hold colons, as addresses do
        begins = (name for name in [*names, *network.known_as] if flow.startswith(f"{name}:"))
        parts = next(([name, flow[len(name) + 1 :]] for name in begins), parts)
    if len(parts) != 2:
        raise InputError(f"a flow is written FROM:TO, and `{tidy(flow)}` is not")
    first, last = (_node(part, network, f"flow {flow}") for part in parts)
    return first, last


def _node(name: str, network: Described, where: str) -> str:
    names = {site.name for site in network.sites}
    found = name if name in names else network.called(name)
    if found is None:
        raise InputError(f"{where}: there is no node `{tidy(name)}`{nearest(name, names)}")
    return found
