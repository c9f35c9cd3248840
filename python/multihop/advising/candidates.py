"""What can be tried: settings that change something here, by where they are set; and what is not tried, and why."""

from __future__ import annotations

import itertools
import json
import re
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

from multihop import _engine
from multihop.errors import InputError, ScenarioError
from multihop.running.plan import Arm, Task
from multihop.scenario.quantity import BYTES, number
from multihop.scenario.scenario import label, nearest

from .knobs import BOTH, HOST, KNOBS, ROUTER, Knob

CAN = ("router", "host", "both")
"""What the user can change, with new software too."""
PARTNERS = 3
"""The best so many families are tried in pairs."""
ELSEWHERE = ("none", "placebo", "arp")
"""Techniques that are no cure."""
OF_HOSTS = ("tcp.", "shim.", "atp.", "signals.", "acks.")
"""Keys of the transport, which lives in hosts."""


@dataclass(frozen=True, slots=True)
class Part:
    """One technique of a candidate."""

    spec: str
    """`retries:14`."""
    where: str
    """`router`, `host`, or `router and host`."""
    device: str
    """How a device is told."""
    keys: tuple[tuple[str, Any], ...]
    """Keys of the scenario that it sets, with their values."""
    knob: Knob | None = None
    """None for what no device of today has."""

    @property
    def family(self) -> str:
        """The technique without its parameter."""
        return self.spec.partition(":")[0]

    @property
    def value(self) -> str:
        """The parameter as the knob's ladder has it."""
        return self.spec.partition(":")[2]


@dataclass(frozen=True, slots=True)
class Candidate:
    """Something that can be set, or several such things together."""

    parts: tuple[Part, ...]

    @property
    def techniques(self) -> tuple[str, ...]:
        """As `compare -t` takes them."""
        return tuple(part.spec for part in self.parts)

    @property
    def label(self) -> str:
        """`rts-off+small-window:4`."""
        return label(self.techniques)

    @property
    def family(self) -> str:
        """The techniques without their parameters."""
        return label([part.family for part in self.parts])

    @property
    def where(self) -> str:
        """`router`, `host`, or `router and host`."""
        places = {place for part in self.parts for place in part.where.split(" and ")}
        return " and ".join(place for place in (ROUTER, HOST) if place in places)

    @property
    def today(self) -> bool:
        """Whether devices of today can be told so."""
        return all(part.knob for part in self.parts)

    @property
    def settings(self) -> list[str]:
        """`--set` options that do the same."""
        return [f"{key}={_toml(value)}" for part in self.parts for key, value in part.keys]

    def with_(self, other: Candidate) -> Candidate:
        """Both together."""
        return Candidate((*self.parts, *other.parts))


@dataclass(frozen=True, slots=True)
class Left:
    """Something that is not tried."""

    label: str
    why: str


@dataclass
class Options:
    """What can be tried over what there is."""

    task: Task
    """What there is."""
    facts: Facts
    today: list[Candidate] = field(default_factory=list)
    new: list[Candidate] = field(default_factory=list)
    """What needs new software."""
    left: list[Left] = field(default_factory=list)

    def grow(self, ranked: Sequence[Candidate]) -> list[Candidate]:
        """What is worth a try after the first round; these of it are better than nothing, the best first.

        These are the values beside the best of each family, and the best of each family in pairs.
        """
        best = [c for i, c in enumerate(ranked) if c.family not in {other.family for other in ranked[:i]}][:PARTNERS]
        found = [made for one in best for made in self._beside(one)]
        for one, other in itertools.combinations(best, 2):
            if (both := self.together(one, other)) is not None:
                found.append(both)
        return found

    def together(self, one: Candidate, other: Candidate) -> Candidate | None:
        """Both at once, if they set different keys and go together."""
        keys = [{key for part in c.parts for key, _ in part.keys} for c in (one, other)]
        both = one.with_(other)
        return both if not keys[0] & keys[1] and _ready(added(self.task, both.techniques)) else None

    def _beside(self, one: Candidate) -> Iterator[Candidate]:
        [part, *others] = one.parts
        if others or part.knob is None:
            return
        known = {c.label for c in self.today}
        for value in part.knob.beside(part.value):
            made = self.facts.candidate(part.knob, value)
            if isinstance(made, Candidate) and made.label not in known:
                self.today.append(made)
                yield made


def options(task: Task, can: str | None, *, moving: bool, against: Sequence[str] = ()) -> Options:
    """What can be tried; what is good `against` the losses that there are comes first.

    `can` is None for what can be set today, or one of `CAN`: what may also get new software. Raises InputError for
    another one, ScenarioError.
    """
    if can is not None and can not in CAN:
        raise InputError(f"--can: {', '.join(CAN[:-1])} or {CAN[-1]} is expected, not `{can}`{nearest(can, CAN)}")
    facts = Facts(task, moving=moving)
    found = Options(task, facts)
    places = (ROUTER, HOST) if can in (None, "both") else (can,)
    knobs = sorted(KNOBS, key=lambda knob: not {*knob.against} & {*against})
    for knob in knobs:
        if {*knob.where.split(" and ")} <= {*places}:
            for value in knob.begin:
                _sort(facts.candidate(knob, value), found.today, found.left)
    if can is not None:
        for name in _new():
            _sort(facts.new(name, places), found.new, found.left)
    return found


def _sort(made: Candidate | Left | None, tried: list[Candidate], left: list[Left]) -> None:
    if isinstance(made, Candidate):
        tried.append(made)
    elif made is not None:
        left.append(made)


def _new() -> list[str]:
    known = {knob.technique for knob in KNOBS}
    return [name for name in sorted(_engine.shipped("techniques")) if name not in known and name not in ELSEWHERE]


def added(task: Task, techniques: Sequence[str], **changes: Any) -> Task:
    """The task with techniques besides its own."""
    return replace(task, techniques=(*task.techniques, *techniques), **changes)


class Facts:
    """What must be known of a scenario to say whether a technique can act."""

    def __init__(self, task: Task, *, moving: bool) -> None:
        arm = Arm.of(task)
        self._task, self._moving = task, moving
        self._values: dict[str, Any] = {key: entry["value"] for key, entry in arm.info["values"].items()}
        self._origins = {key: str(entry["from"]) for key, entry in arm.info["values"].items()}
        self._tcp = any(flow["transport"] == "tcp" for flow in arm.info["flows"])
        self._warnings = {*arm.info["warnings"]}
        self._seen = {arm.resolved.hash: "it is set so already"}

    def candidate(self, knob: Knob, value: str = "") -> Candidate | Left:
        """A knob at a value, or why it is not tried."""
        spec = knob.spec(value)
        if why := self._useless(knob):
            return Left(knob.technique, why)
        made = self._part(spec)
        if isinstance(made, Left):
            return made
        amount = float(value or 0)
        device = knob.device.format(value=value, octets=round(amount * self._segment()), ms=round(1000 * amount))
        return Candidate((replace(made, where=knob.where, device=device, knob=knob),))

    def new(self, name: str, places: Sequence[str]) -> Candidate | Left | None:
        """A technique that needs new software; None if it needs it elsewhere."""
        keys = _keys_of(name)
        if any(key.startswith("frn.") for key in keys) or name.startswith("frn"):
            return None  # another link, not a cure of this one
        hosts = [key.startswith(OF_HOSTS) for key in keys]
        where = HOST if all(hosts) else ROUTER if not any(hosts) else BOTH
        if not {*where.split(" and ")} <= {*places}:
            return None
        made = self._part(name)
        if isinstance(made, Left):
            return made
        signals = "; relays must send its signals" if any(key.startswith("signals.") for key in keys) else ""
        device = f"new software in the {where.replace(' and ', 's and ')}s: no device of today has it{signals}"
        return Candidate((replace(made, where=where, device=device),))

    def _part(self, spec: str) -> Part | Left:
        task = added(self._task, [spec])
        try:
            arm = Arm.of(task)
        except (ScenarioError, InputError) as e:
            return Left(spec, _first(str(e)))
        keys = [
            (key, entry["value"])
            for key, entry in arm.info["values"].items()
            if entry["from"] == f"technique {spec}" and self._values.get(key) != entry["value"]
        ]
        if same := self._seen.get(arm.resolved.hash):
            return Left(spec, same)
        if not self._tcp and all(key.startswith(OF_HOSTS) or key.startswith("agent") for key, _ in keys):
            return Left(spec, "no flow runs over TCP")
        if vain := [w for w in arm.info["warnings"] if w not in self._warnings and spec.partition(":")[0] in w]:
            return Left(spec, _first(str(vain[0])))
        self._seen[arm.resolved.hash] = f"it is the same as {spec}"
        return Part(spec, "", "", tuple(keys))

    def _useless(self, knob: Knob) -> str:
        """Why a knob cannot say anything here; empty if it can."""
        if knob.technique in ("data-rate", "arf") and (why := self._of_rates()):
            return why
        if knob.technique in ("dsdv", "aodv") and not self._moving:
            return "nodes and links stay as they are, so paths do too"
        return ""

    def _of_rates(self) -> str:
        """Why a run cannot say which rate is best; empty if it can: where a slower one carries farther."""
        values = self._values
        if not self._said("mac.data-rate"):
            return "the scenario does not say at which `mac.data-rate` its radios send"
        if any(values.get(key) for key in ("air.bit-error-rate", "air.packet-error-rate")):
            return "the scenario's bit errors are the same at all rates"
        curve = values.get("air.reception") == "sinr" and values.get("air.error-curve") == "dsss"
        if not curve and not values.get("air.noise-errors"):
            return "in the scenario's air every rate carries equally far: set `air.noise-errors`"
        return ""

    def _said(self, key: str) -> bool:
        """Whether the user says a value: not a profile, nor a default."""
        return not self._origins.get(key, "default").startswith(("default", "profile"))

    def _segment(self) -> float:
        """Payload of a full segment [B]."""
        return number(self._values.get("tcp.segment", "1460 B"), BYTES)


@cache
def _keys_of(name: str) -> tuple[str, ...]:
    """The keys that a shipped technique sets, by its file."""

    def flat(tree: dict[str, Any], path: str = "") -> Iterator[str]:
        for key, value in tree.items():
            if isinstance(value, dict):
                yield from flat(value, f"{path}{key}.")
            else:
                yield f"{path}{key}"

    return tuple(flat(tomllib.loads(_engine.shipped("techniques")[name]).get("set", {})))


def _ready(task: Task) -> bool:
    try:
        Arm.of(task)
    except (ScenarioError, InputError):
        return False
    return True


def _first(said: str) -> str:
    """The first sentence of a message, without the place that it begins with."""
    said = re.sub(r"^\S+:(\d+:)*\s+", "", said.partition("\n")[0])
    return re.split(r"[.;] ", said, maxsplit=1)[0].rstrip(".")


def _toml(value: Any) -> str:
    return json.dumps(value) if isinstance(value, str | bool | int | float) else str(value)
