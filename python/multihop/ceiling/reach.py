"""What is known of a network before it runs: which node hears which, paths, hidden stations, and ceilings.

Paths are those that static routes take. Of another routing protocol they are the shortest ones by hops, and what it
finds may be longer.
"""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from multihop import _engine
from multihop.ceiling.hasty import Hasty, of_flows
from multihop.ceiling.paths import METRICS, Route
from multihop.ceiling.slot_ceiling import Slots
from multihop.measures.summary import place_of
from multihop.scenario.quantity import UNITS, number
from multihop.text import kilobits, plural

NEVER = 0.999
"""A link that loses more of the frames than this delivers nothing: of a hundred packets that are sent seven times each,
not one gets through."""
WORTH_A_WORD = 0.05
"""Share of frames that a link must lose to be named among what limits a flow."""
Hop = tuple[str, str]
"""A link that is used: sender and receiver."""


DSSS_BPS = (1e6, 2e6, 5.5e6, 11e6)
"""Rates of 802.11b, among which rate control chooses [bit/s]."""


@dataclass(frozen=True, slots=True)
class Noise:
    """What noise alone does to the data frames of a link."""

    rate_bps: float
    """Rate at which they go, the slowest where it is chosen frame by frame [bit/s]."""
    losses: Mapping[str, float]
    """Probability that one is damaged, by bytes of its packet."""
    carries_bps: float | None
    """The fastest rate of DSSS at which hardly any is [bit/s]; none if there is no such rate."""


@dataclass(frozen=True, slots=True)
class Link:
    """What one node hears of another."""

    sender: str
    receiver: str
    decodable: bool
    """Whether a lone frame is received."""
    sensed: bool
    """Whether the listener is kept from sending meanwhile."""
    margin_db: float
    """Power over the receive threshold [dB]."""
    loss: float
    """Probability that a frame is received wrong, of what is known beforehand."""
    noise: Noise | None = None
    """What noise alone does to its data frames; none if it damages none."""
    etx: float = 1.0
    """Transmissions that a frame needs on average, by the losses of both directions (De Couto et al., MobiCom 2003)."""
    channels: tuple[int, ...] = ()
    """Channels that both have radios on, first the one on which the sender sends; none where all radios share one."""
    rate_bps: float | None = None
    """Where a rule chooses rates: the one at which the link brings packets of 1500 bytes over best [bit/s]."""
    mode: str | None = None
    """What frames are sent with, by name: `MCS 7, 2 streams` or `54 Mb/s`; where it is chosen, at `rate_bps`."""

    def loses(self, packet: int) -> float:
        """Probability that a data frame with a packet of so many bytes is received wrong."""
        spared = 1 - self.noise.losses[str(packet)] if self.noise else 1.0
        return 1 - (1 - self.loss) * spared


@dataclass(frozen=True, slots=True)
class Exchange:
    """What one packet of a flow takes of a hop, or its share of an acknowledgement of the way back."""

    busy_s: float
    """How long the exchange has the medium, or its share of one that several packets have together [s]."""
    backoff_s: float
    """Mean back-off of the sender [s]."""
    rate_bps: float
    """Rate of the data frame: of those that rate control may choose the one that brings most over [bit/s]."""


@dataclass(frozen=True, slots=True)
class Way:
    """What the frame times and the places of the nodes allow one flow that has the air to itself."""

    flow: Mapping[str, Any]
    path: tuple[str, ...]
    """Its nodes, both ends among them; empty if the destination cannot be reached."""
    shared: tuple[Hop, ...]
    """The longest part of the path whose hops share the air: one of them sends at a time."""
    ceiling_bps: float
    """Goodput that is left to it if it has the air to itself and loses nothing [bit/s]: the payload over the times of
    the exchanges (frames, gaps) that bring a packet and its acknowledgement over the shared hops, and the mean
    back-offs of the station that sends most often; over a slotted link over the slots that they take of the busiest
    node. 0 where a link of the path never delivers, or the path is longer than a packet may go."""
    hidden: tuple[tuple[Hop, str], ...]
    """Hops of the path with stations on it that disturb the receiver and are not sensed by the sender."""
    worst: Link | None = None
    """The link of the path that loses most."""
    loss: float = 0.0
    """Share of the frames with its packets that this link loses."""
    slots: Slots | None = None
    """What a packet takes over a slotted link."""
    wired: tuple[Hop, ...] = ()
    """Hops of the path over wires."""
    hop_limit: int = 255
    """Hops that a packet may go."""
    taken: Route | None = None
    """Its path and what it costs; none if there is no path."""
    other: Route | None = None
    """The path by the other metric of static routes, if that is another one."""
    exchanges: Mapping[Hop, Exchange] = field(default_factory=dict)
    """What a packet takes of each hop by radio, its acknowledgement of the way back; nothing over a slotted link."""
    payload: int = 0
    """Payload of a packet [bytes]."""
    chosen: bool = False
    """Whether rate control chooses the rate of each data frame."""
    offered_bps: float = math.inf
    """What its application sends at most [bit/s]; infinite if it always has data."""
    on_disks: bool = False
    """Whether signals are all equally strong, wherever the nodes stand."""

    @property
    def stuck(self) -> str:
        """Which link of the path never delivers its packets, why and what would help; nothing if all do."""
        link = self.worst
        if link is None or link.noise is None or self.loss < NEVER:
            return ""
        rate, carries = link.noise.rate_bps, link.noise.carries_bps
        slow = ""
        if carries is not None and carries < rate:
            slow = f"data frames at {carries / 1e6:g} Mb/s, "
            if carries in DSSS_BPS:
                slow = f"a `mac.data-rate` of {carries / 1e6:g} Mb/s, a rate chosen frame by frame (`-t arf`), "
        # On disks all signals arrive at the threshold.
        stronger = "a higher `air.receive-threshold`" if self.on_disks else "shorter hops or more `air.tx-power`"
        return (
            f"the link from {link.sender} to {link.receiver} never delivers: at {rate / 1e6:g} Mb/s noise damages "
            f"{_nearly_all(self.loss)} of its data frames; {slow}{stronger} would help"
        )

    @property
    def rates(self) -> list[float | None]:
        """Of each hop the rate at which it brings most over [bit/s]; none over a wire or a slotted link."""
        hops = itertools.pairwise(self.path)
        return [self.exchanges[hop].rate_bps if hop in self.exchanges else None for hop in hops]

    @property
    def expires(self) -> bool:
        """Whether its path is longer than a packet may go."""
        return self.hops > self.hop_limit

    @property
    def hops(self) -> int:
        """Number of hops; 0 if there is no path."""
        return max(0, len(self.path) - 1)

    def words(self) -> str:
        """What limits the flow, in one sentence, and in another which path the other metric would take."""
        return f"{self._limit()}{self._choice()}"

    def _choice(self) -> str:
        if self.taken is None or self.other is None:
            return ""
        taken, other = METRICS[self.taken.metric], METRICS[self.other.metric]
        return (
            f" By {taken} it goes {self.taken.words()}; by {other} (`routing.static.metric` = "
            f'"{self.other.metric}") it would go {self.other.words()}.'
        )

    def _limit(self) -> str:
        flow, last = self.flow, self.path[-1] if self.path else ""
        name = f"Flow {flow['id']} ({flow['from']} to {flow['to']})"
        if not self.path:
            return f"{name} has no path: no chain of links leads there."
        if self.stuck:
            return f"{name} gets nothing: {self.stuck}."
        if self.expires:
            return (
                f"{name} gets nothing: its path has {self.hops} hops, and `routing.hop-limit` is {self.hop_limit}. Its "
                "packets expire on the way."
            )
        sends = f"; it sends {kilobits(self.offered_bps)}" if self.offered_bps < self.ceiling_bps else ""
        most = f"it can get at most about {kilobits(self.ceiling_bps)} kbit/s, if it is alone{sends}."
        if self.slots:
            hops = "one hop" if self.hops == 1 else f"{self.hops} hops"
            return f"{name} has {hops}: {self.slots.words()}. So {most}{self._lossy()}{self._unheard()}"
        if self.hops == 1:
            wire = ", over a wire" if self.wired else self._rate()
            return f"{name} has one hop{wire}: {most}{self._lossy()}"
        if not self.shared:
            return f"{name} has {self.hops} hops, all over wires. So {most}"
        begin, end = self.shared[0][0], self.shared[-1][1]
        whole = (begin, end) == (self.path[0], last)
        where = "They" if whole else f"The {len(self.shared)} hops from {begin} to {end}"
        air = (
            f"{where} share the air: only one can send at a time." if len(self.shared) > 1 else "No two share the air."
        )
        over = "a wire" if len(self.wired) == 1 else "wires"
        wires = f", {len(self.wired)} of them over {over}" if self.wired else ""
        return f"{name} has {self.hops} hops{wires}{self._rate()}. {air} So {most}{self._lossy()}{self._unheard()}"

    def _rate(self) -> str:
        """At what rate its slowest hop carries frames, where rate control chooses."""
        rates = [rate for rate in self.rates if rate is not None]
        if not self.chosen or not rates:
            return ""
        slowest = min(rates)
        at = f"at {slowest / 1e6:.4g} Mb/s"
        if self.hops == 1:
            return f" {at}"
        if slowest == max(rates):
            return f" {at} each"
        return f", the slowest {at}: {' to '.join(self._hop_at(slowest))}"

    def _hop_at(self, rate: float) -> Hop:
        return next(hop for hop, at in zip(itertools.pairwise(self.path), self.rates, strict=True) if at == rate)

    def _unheard(self) -> str:
        """Which stations disturb it unheard, if any."""
        unheard = sorted({station for _, station in self.hidden})
        them = "it" if len(unheard) == 1 else "them"
        count = plural(len(unheard), "station")
        told = f" Hidden terminals: {count} on this path can disturb a receiver although the sender cannot hear {them}."
        return told if unheard else ""

    def _lossy(self) -> str:
        """What its worst link takes from that, if it is worth a word."""
        link = self.worst
        if link is None or self.loss < WORTH_A_WORD:
            return ""
        where = f"the link from {link.sender} to {link.receiver}"
        return f" Losses come on top: {where} loses {self.loss * 100:.0f} % of frames."


class Reach:
    """Which node hears which, as a run begins."""

    def __init__(self, resolved: _engine.Resolved, run: int = 1) -> None:
        told: dict[str, Any] = json.loads(resolved.hearing(run))
        self.info: dict[str, Any] = json.loads(resolved.json())
        """The resolved scenario."""
        self.places: dict[str, tuple[float, float]] = {n["name"]: (n["x"], n["y"]) for n in told["nodes"]}
        """Where each node is [m]."""
        self.metric: str = told["metric"]
        """By what paths are the best: `hops` or `etx`."""
        self.traces: dict[str, list[tuple[float, float]]] = {n["name"]: n["trace"] for n in told["nodes"] if n["trace"]}
        """Where each node that moves passes during the run [m], in order of time."""
        self.placed: bool = told["placed"]
        """Whether places mean anything: not where links are listed."""
        self.range_m: float | None = told["range_m"]
        """How far a lone frame is decoded, shadowing and fading aside [m]."""
        self.links = {(link["from"], link["to"]): _link(link) for link in told["links"]}
        """What each hears of each other, by sender and receiver."""
        self.wires: list[dict[str, Any]] = told["wires"]
        """Wired links: `from`, `to`; `rate_bps`, `delay_s` and `loss` of each direction."""
        self._parts: list[list[str]] = told["parts"]
        self._exchanges = {flow["id"]: flow for flow in told["flows"]}

    @property
    def moves(self) -> bool:
        """Whether nodes move: then all that is said here is of the first instant."""
        values = self.info["values"]
        models = (said["value"] for key, said in values.items() if key.endswith("mobility.kind"))
        return any(model != "static" for model in models) or any(".waypoint." in key for key in values)

    @cached_property
    def neighbours(self) -> dict[str, list[str]]:
        """The nodes that decode what a node sends, shorter names first, as static routes prefer them."""
        found: dict[str, list[str]] = {name: [] for name in self.places}
        for (sender, receiver), link in self.links.items():
            if link.decodable:
                found[sender].append(receiver)
        return {name: sorted(heard, key=_order) for name, heard in found.items()}

    def senses(self, listener: str, sender: str) -> bool:
        """Whether a node is kept from sending while another sends."""
        return sender in self._sensed[listener]

    @cached_property
    def _sensed(self) -> dict[str, set[str]]:
        """The nodes that each node senses."""
        found: dict[str, set[str]] = {name: set() for name in self.places}
        for (sender, receiver), link in self.links.items():
            if link.sensed or link.decodable:
                found[receiver].add(sender)
        return found

    def parts(self) -> list[list[str]]:
        """The connected parts of the network, the largest first."""
        return self._parts

    def hidden_pairs(self) -> list[tuple[str, str]]:
        """A sender and a station that it does not sense, though that one disturbs a neighbour of it."""
        pairs = set()
        for sender, receivers in self.neighbours.items():
            for receiver in receivers:
                used = self.links[sender, receiver].channels[:1]
                unheard = self._sensed[receiver] - self._sensed[sender] - {sender}
                disturbing = (it for it in unheard if set(used) <= set(self.links[it, receiver].channels))
                pairs |= {_pair(sender, station) for station in disturbing}
        return sorted(pairs, key=lambda pair: (_order(pair[0]), _order(pair[1])))

    def ways(self) -> list[Way]:
        """What is known of each flow beforehand."""
        return [self._way(flow) for flow in self.info["flows"]]

    def _way(self, flow: Mapping[str, Any]) -> Way:
        times = self._exchanges[flow["id"]]
        told = times["way"]
        path = tuple(told["path"])
        shared = tuple((sender, receiver) for sender, receiver in told["shared"])
        hidden = tuple(((sender, receiver), station) for sender, receiver, station in told["hidden"])
        packet = times["packet_bytes"]
        wired = tuple((sender, receiver) for sender, receiver in told["wired"])
        links = [self.links[hop] for hop in itertools.pairwise(path) if hop not in wired]
        worst = max(links, key=lambda link: link.loses(packet), default=None)
        loss = worst.loses(packet) if worst else 0.0
        slots = _slots(told["slots"], times["answers"]) if told["slots"] else None
        taken = Route(self.metric, path, told["etx"]) if path else None
        other = Route(**{**told["other"], "path": tuple(told["other"]["path"])}) if told["other"] else None
        limit = int(self.info["values"]["routing.hop-limit"]["value"])
        ceiling = told["ceiling_bps"]
        payload = int(times["payload_bytes"])
        taking = {(it["from"], it["to"]): _exchange(it) for it in told["exchanges"]}
        known = flow, path, shared, ceiling, hidden, worst, loss, slots, wired, limit, taken, other
        chosen = self.info["values"].get("mac.rate-control", {}).get("value", "fixed") != "fixed"
        model, placed = (self.info["values"].get(key, {}).get("value") for key in ("air.propagation", "topology.kind"))
        disks = model == "disk" and placed != "links"
        offered = self._offered(flow)
        way = Way(*known, exchanges=taking, payload=payload, chosen=chosen, offered_bps=offered, on_disks=disks)
        return replace(way, ceiling_bps=0.0) if way.stuck or way.expires else way

    def _offered(self, flow: Mapping[str, Any]) -> float:
        place = place_of(str(flow["id"]), self.info["flows"])
        said: dict[str, Any] = self.info["values"].get(f"flow.{place}.rate") or {}
        return math.inf if said.get("value") is None else number(said["value"], UNITS)

    def hasty(self) -> list[Hasty]:
        """Hops whose sender has a CoDel with a target below the time of one packet."""
        return of_flows(self._exchanges.values())

    def stuck(self) -> list[str]:
        """The links that never deliver the packets of flows, why and what would help, each once."""
        found = {(way.worst.sender, way.worst.receiver): way.stuck for way in self.ways() if way.worst and way.stuck}
        return list(found.values())

    def excludes(self, one: Hop, other: Hop) -> bool:
        """Whether two hops are on one channel, and share a node or the sender of one keeps the other's from sending."""
        channel = self.channel(one)
        if channel != self.channel(other):
            return False
        return bool({*one} & {*other}) or any(
            self.senses(listener, sender) and self.meet(listener, sender, channel)
            for listener, sender in ((one[0], other[0]), (other[0], one[0]))
        )

    def channel(self, hop: Hop) -> int | None:
        """The channel on which a hop's sender sends to its receiver, if channels are told apart."""
        link = self.links.get(hop)
        return link.channels[0] if link and link.channels else None

    def meet(self, listener: str, sender: str, channel: int | None) -> bool:
        """Whether two nodes that hear each other do so on this channel."""
        link = self.links.get((sender, listener))
        return channel is None or link is None or channel in link.channels


def _slots(told: Mapping[str, Any], answers: float) -> Slots:
    return Slots(told["count"], told["slot_s"], answers > 0, told["where"])


def _exchange(told: Mapping[str, Any]) -> Exchange:
    return Exchange(told["s"], told["backoff_s"], told["rate_bps"])


def _link(told: Mapping[str, Any]) -> Link:
    noise = Noise(**told["noise"]) if told["noise"] else None
    heard = told["from"], told["to"], told["decodable"], told["sensed"], told["margin_db"], told["loss"]
    return Link(*heard, noise, told["etx"], tuple(told.get("channels", ())), told.get("rate_bps"), told.get("mode"))


def _nearly_all(loss: float) -> str:
    """A share that is all but for a few."""
    return "all" if loss > 1 - 1e-6 else f"{100 * loss:.4g} %"


def _order(name: str) -> tuple[int, str]:
    return len(name), name


def _pair(one: str, other: str) -> tuple[str, str]:
    return (one, other) if _order(one) < _order(other) else (other, one)
