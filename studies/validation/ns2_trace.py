"""Read an ns-2 wireless trace (old format, with event and DSDV lines) into the counts a run is compared by.

Every count is taken between the start and the stop of the transfer. A packet's fate at a node is read
from what the node itself logs: its RTS, the CTS it heard, its data frame, the ACK it heard, or the drop
with reason `RET` (retry limit; preceded by a `RET` of the RTS itself when the RTS was what failed).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

PLCP_BYTES = 24  # ns-2 adds the PLCP preamble and header to the traced size of a frame handed to the radio
CONTROL = {"RTS": "rts", "CTS": "cts", "ACK": "mac_ack"}
PAYLOAD = {"tcp": "tcp_data", "ack": "tcp_ack", "cbr": "cbr"}
BROADCAST = "ffffffff"
UNREACHABLE = "250"  # DSDV's infinite metric in ns-2
MESSAGES = {"(REQUEST)": "rreq", "(REPLY)": "rrep", "(ERROR)": "rerr", "(HELLO)": "hello"}


@dataclass
class Trace:
    """Counts of one run; `start` and `stop` in simulated seconds bound what is counted, rates are in bit/s."""

    start: float
    stop: float
    data_rate: float = 2e6
    basic_rate: float = 1e6
    plcp_rate: float = 1e6
    frames: Counter[str] = field(default_factory=Counter)
    airtime_s: Counter[str] = field(default_factory=Counter)
    node_frames: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    rts_heard: int = 0
    cts_heard: int = 0
    ack_heard: int = 0
    collided: Counter[str] = field(default_factory=Counter)
    given_up: Counter[str] = field(default_factory=Counter)
    node_given_up: Counter[str] = field(default_factory=Counter)
    drops: Counter[str] = field(default_factory=Counter)
    rts_attempts: Counter[int] = field(default_factory=Counter)
    events: Counter[str] = field(default_factory=Counter)
    route_losses: int = 0
    route_waits: int = 0
    converged_s: float = 0.0
    dsdv_messages: Counter[str] = field(default_factory=Counter)
    searching_messages: Counter[str] = field(default_factory=Counter)
    dsdv_sizes: list[int] = field(default_factory=list)
    rtt_sum: float = 0.0
    rtt_n: int = 0
    first_ack_s: float | None = None
    results: dict[str, dict[str, float]] = field(default_factory=lambda: defaultdict(dict))
    _attempts: Counter[str] = field(default_factory=Counter)
    _rts_dropped: set[str] = field(default_factory=set)
    _known: set[tuple[str, str]] = field(default_factory=set)
    _sent: dict[tuple[str, int], float | None] = field(default_factory=dict)
    _held: Counter[str] = field(default_factory=Counter)
    _held_since: dict[str, float] = field(default_factory=dict)
    held_s: Counter[str] = field(default_factory=Counter)
    _battery_before: dict[str, float] = field(default_factory=dict)
    _battery: dict[str, float] = field(default_factory=dict)

    def read(self, lines: Iterable[str]) -> Trace:
        """Take every line; returns itself."""
        for line in lines:
            kind = line[:1]
            if kind in "srfD" and line[1:2] == " ":
                self._packet(kind, line.split(None, 10), line)
            elif kind == "V":
                self._dsdv(line.split())
            elif line.startswith("N -t "):
                self._energy(line.split())
            elif line.startswith("E "):
                part = line.split()
                if self.start <= float(part[1]) <= self.stop:
                    self.events[part[5]] += 1
            elif line.startswith("flow "):
                _, index, key, value = line.split()
                self.results[index][key] = float(value)
        for node in list(self._held):
            self._hold(node, self.stop, 0)
        return self

    def occupancy(self) -> dict[str, float]:
        """Mean number of packets in a node's interface queue and MAC together."""
        return {node: held / (self.stop - self.start) for node, held in sorted(self.held_s.items())}

    def energy(self) -> dict[str, float]:
        """What each node's battery lost between start and stop [J]; empty without an energy model."""
        return {node: self._battery_before[node] - left for node, left in self._battery.items()}

    def _energy(self, part: list[str]) -> None:
        time, node, left = float(part[2]), part[4], float(part[6])
        if time < self.start:
            self._battery_before[node] = left
        if time <= self.stop:
            self._battery[node] = left

    def _packet(self, kind: str, part: list[str], line: str) -> None:
        time, node, level = float(part[1]), part[2].strip("_"), part[3]
        if not self.start <= time <= self.stop:
            return
        if level == "AGT":
            self._agent(kind, time, line.split())
        elif kind == "D" and level != "MAC":
            self.drops[f"{level} {part[4]} {part[6]}"] += 1
            if level == "IFQ" and part[6] in PAYLOAD:
                self._hold(node, time, -1)
        elif level == "RTR":
            self._route(kind, time, node, part)
            if part[6] == "DSR" and kind in "sf":
                self._dsr(kind, line)
            if part[6] == "AODV" and kind in "sf":
                self._aodv(kind, line)
        elif kind == "s":
            self._transmit(node, part)
        elif kind == "r":
            self._hear(time, node, part[6])
        else:
            self._mac_drop(time, node, part[4], part[6])

    def _route(self, kind: str, time: float, node: str, part: list[str]) -> None:
        if kind in "sf" and part[6] in PAYLOAD:
            self._hold(node, time, +1)
        elif kind == "s" and part[6] == "message":
            self.dsdv_messages[node] += 1
            self.dsdv_sizes.append(int(part[7]))

    def _dsr(self, kind: str, line: str) -> None:
        """A message of DSR, by what it carries: `[request? id] [reply? ...] [errors? ...]` end the line."""
        request, reply, error = (part.split()[0] == "1" for part in line.split("[")[-3:])
        way = "own" if kind == "s" else "forwarded"
        for name, there in (("rreq", request), ("rrep", reply), ("rerr", error and not request)):
            self.searching_messages[f"{name}_{way}"] += there
        self.searching_messages[f"rreq_with_rerr_{way}"] += request and error

    def _aodv(self, kind: str, line: str) -> None:
        # The first relay counts a request's hops as 2; replies and errors that a node makes itself are `s`.
        what = MESSAGES[line.rstrip().rsplit(None, 1)[1]]
        own = "[0x2 1 " in line if what == "rreq" else kind == "s"
        self.searching_messages[f"{what}_{'own' if own else 'forwarded'}"] += 1

    def _transmit(self, node: str, part: list[str]) -> None:
        size, to = int(part[7]), part[9]
        name = CONTROL.get(part[6])
        if name is None:
            name = "broadcast" if to == BROADCAST else PAYLOAD.get(part[6], "other")
        rate = self.data_rate if name in PAYLOAD.values() or name == "other" else self.basic_rate
        self.frames[name] += 1
        self.airtime_s[name] += 8 * PLCP_BYTES / self.plcp_rate + 8 * (size - PLCP_BYTES) / rate
        self.node_frames[node][name] += 1
        if name == "rts":
            self._attempts[node] += 1

    def _hear(self, time: float, node: str, what: str) -> None:
        if what == "RTS":
            self.rts_heard += 1
        elif what == "CTS":
            self.cts_heard += 1
        elif what == "ACK":
            self.ack_heard += 1
            self.rts_attempts[self._attempts.pop(node, 0)] += 1
            self._hold(node, time, -1)

    def _mac_drop(self, time: float, node: str, reason: str, what: str) -> None:
        if reason == "COL":
            self.collided[what] += 1
        elif reason != "RET":
            self.drops[f"MAC {reason} {what}"] += 1
        elif what == "RTS":
            self._rts_dropped.add(node)
        else:
            limit = "rts" if node in self._rts_dropped else "data"
            self._rts_dropped.discard(node)
            self.given_up[f"{limit}_{PAYLOAD.get(what, 'other')}"] += 1
            self.node_given_up[node] += 1
            self.rts_attempts[-self._attempts.pop(node, 0)] += 1  # negative: given up after that many
            if what in PAYLOAD:
                self._hold(node, time, -1)

    def _hold(self, node: str, time: float, change: int) -> None:
        since = self._held_since.get(node, self.start)
        self.held_s[node] += self._held[node] * (time - since)
        self._held[node] = max(0, self._held[node] + change)
        self._held_since[node] = time

    def _agent(self, kind: str, time: float, part: list[str]) -> None:
        if part[6] == "tcp" and kind == "s":
            key = (f"{part[13]} {part[14]}".strip("["), int(part[17].strip("[")))
            self._sent[key] = None if key in self._sent else time  # Karn: a repeated segment gives no sample
        elif part[6] == "ack" and kind == "r":
            key = (f"{part[14]} {part[13].strip('[')}", int(part[17].strip("[")))
            sent = self._sent.get(key)
            if self.first_ack_s is None:
                self.first_ack_s = time
            if sent is not None:
                self.rtt_sum += time - sent
                self.rtt_n += 1
                self._sent[key] = None

    def _dsdv(self, part: list[str]) -> None:
        time = float(part[1])
        if part[0] == "VTO" and part[3] == "marking":
            self.route_losses += self.start <= time <= self.stop
        elif part[0] == "VBP":
            self.route_waits += self.start <= time <= self.stop
        elif part[0] in ("VSD", "VSU"):
            node = part[2].strip("_")
            destination, metric = part[3].strip("(").split(",")[:2]
            if metric.split("->")[1] != UNREACHABLE and (node, destination) not in self._known:
                self._known.add((node, destination))
                self.converged_s = max(self.converged_s, time)

    @property
    def pairs_routed(self) -> int:
        """Ordered pairs of nodes that had a route at some time."""
        return len(self._known)
