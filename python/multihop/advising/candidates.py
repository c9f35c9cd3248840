"""What can be tried: techniques that change something here, by who can set them, and how a real device is told."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from multihop import _engine
from multihop.errors import InputError, ScenarioError
from multihop.scenario.scenario import Scenario, label

CAN = ("router", "host", "both", "all")
"""What the user can set: the routers, the hosts, both, or anything that multihop has."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """Something that can be set, or several such things together."""

    techniques: tuple[str, ...]
    where: str
    """What is set: `router`, `host`, both, or `multihop` for what no device has today."""
    device: str
    """How a device that runs OpenWrt or Linux is told."""

    @property
    def label(self) -> str:
        """`rts-off+small-window:4`."""
        return label(self.techniques)

    def with_(self, other: Candidate) -> Candidate:
        """Both together."""
        where = self.where if self.where == other.where else "router and host"
        return Candidate((*self.techniques, *other.techniques), where, f"{self.device}; {other.device}")


KNOBS = (
    Candidate(("rts-on",), "router", "uci set wireless.radio0.rts=1; uci commit; wifi"),
    Candidate(("rts-off",), "router", "uci delete wireless.radio0.rts; uci commit; wifi"),
    *(Candidate((f"retries:{n}",), "router", f"iw phy phy0 set retry short {n} long {n}") for n in (4, 10, 14)),
    *(Candidate((f"queue:{n}",), "router", f"ip link set wlan0 txqueuelen {n}") for n in (10, 25, 100)),
    *(
        Candidate((f"data-rate:{rate} Mbps",), "router", f"iw dev wlan0 set bitrates legacy-2.4 {rate}")
        for rate in ("1", "2", "5.5", "11")
    ),
    Candidate(("drr",), "router", "tc qdisc replace dev wlan0 root drr"),
    Candidate(("red-ecn",), "router", "tc qdisc replace dev wlan0 root red … ecn"),
    *(Candidate((f"small-window:{n}",), "host", f"ip route change … window of {n} segments") for n in (2, 4, 8)),
    Candidate(("sack",), "host", "sysctl net.ipv4.tcp_sack=1"),
    Candidate(("delayed-ack",), "host", "the default of Linux; turn quick ACKs off"),
)
"""What an operator of OpenWrt routers and Linux hosts can set."""
ELSEWHERE = ("none", "placebo", "frn", "frn-calm", "arp")
"""Techniques that are no cure, or another network."""


def candidates(
    scenario: Scenario, techniques: Sequence[str], settings: Sequence[str], seed: int | None, can: str
) -> list[Candidate]:
    """What can be tried over what is there, each once; raises InputError for an unknown `can`, ScenarioError."""
    if can not in CAN:
        raise InputError(f"--can: {', '.join(CAN)} are expected, not `{can}`")
    seen = {scenario.resolve(techniques, settings, seed).hash}
    found = []
    for knob in _knobs(can):
        try:
            resolved = scenario.resolve([*techniques, *knob.techniques], settings, seed)
            resolved.ready()
        except (ScenarioError, InputError, _engine.ScenarioError):
            continue  # it does not go with this network
        if resolved.hash not in seen and _acts(resolved, knob.techniques):
            seen.add(resolved.hash)
            found.append(knob)
    return found


def together(
    one: Candidate, other: Candidate, scenario: Scenario, techniques: Sequence[str], settings: Sequence[str]
) -> Candidate | None:
    """Both at once, if they set different keys and go together."""
    keys = [_keys(scenario, techniques, settings, c.techniques) for c in (one, other)]
    if keys[0] & keys[1]:
        return None
    both = one.with_(other)
    try:
        scenario.resolve([*techniques, *both.techniques], settings).ready()
    except (ScenarioError, InputError, _engine.ScenarioError):
        return None
    return both


def _knobs(can: str) -> Iterator[Candidate]:
    yield from (knob for knob in KNOBS if can in ("both", "all", knob.where))
    if can == "all":
        known = {knob.techniques[0].partition(":")[0] for knob in KNOBS}
        for name in sorted(_engine.shipped("techniques")):
            if name not in known and name not in ELSEWHERE:
                yield Candidate((name,), "multihop", "not in routers of today: a change of code")


def _keys(scenario: Scenario, techniques: Sequence[str], settings: Sequence[str], added: Sequence[str]) -> set[str]:
    """The keys that techniques set."""
    values = json.loads(scenario.resolve([*techniques, *added], settings).json())["values"]
    return {key for key, entry in values.items() if entry["from"] in [f"technique {name}" for name in added]}


def _acts(resolved: _engine.Resolved, techniques: Sequence[str]) -> bool:
    """Whether something that the technique sets can matter: nothing of TCP does where no flow runs over it."""
    info = json.loads(resolved.json())
    if any(flow["transport"] == "tcp" for flow in info["flows"]):
        return True
    names = [f"technique {name}" for name in techniques]
    keys = [key for key, entry in info["values"].items() if entry["from"] in names]
    return any(not key.startswith(("tcp.", "shim.", "agent.")) for key in keys)
