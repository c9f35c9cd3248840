"""Claims: what a paper says, how it is judged, and what a gain needs besides its figure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, Literal

from msgspec import Meta, structs

from .entry import Entry, EntryError, Many, keys_of, suggest, within
from .measure import Known, Measure, Measures, Positive, experiment_of
from .predicates import Coordinate, Rule

Tier = Literal["must", "should", "info"]
TIERS: tuple[Tier, ...] = ("must", "should", "info")

#: A test by its file and its name: `crates/sim/tests/suite/contention.rs::a_tcp_ack_dies`.
TEST = re.compile(r"[\w/.-]+\.(rs|py)::\w+")


class Check(Entry, frozen=True, kw_only=True):
    """One thing to test: a rule over measures (or over a key of the resolved scenarios of some experiments)."""

    accept: Rule
    value: Measures = Measures()
    against: Measures = Measures()
    parameter: str = ""
    of: Many[str] = ()
    #: at how many of its points it need not hold
    misses: Annotated[int, Meta(ge=0)] = 0

    def __post_init__(self) -> None:
        kind = self.accept.kind
        if self.parameter:
            if not self.of:
                raise EntryError("`of` is missing: which parameter's experiments?")
        elif not self.value and kind != "not_judged":
            raise EntryError("`value` is missing: what is judged?")
        if self.against and len(self.against) not in (1, len(self.value)):
            raise EntryError(
                f"`value` stands for {len(self.value)} measures, `against` for {len(self.against)}", "against"
            )
        if kind in ("ratio", "order") and not self.against:
            raise EntryError(f"`accept = {{ {kind} = ... }}` needs `against`", "accept")

    def check(self, known: Known) -> None:
        """Raises EntryError for a key of an experiment that is not run."""
        for name in self.of:
            experiment_of(name, known)

    def pairs(self) -> Iterator[tuple[Measure, Measure | None]]:
        """Each measure with what it is held against."""
        for index, measure in enumerate(self.value):
            rival = self.against[index if len(self.against) > 1 else 0] if self.against else None
            yield measure, rival

    def compares_techniques(self) -> bool:
        """Whether its figure is a ratio of one technique to another."""
        for measure, rival in self.pairs():
            held = measure.per if self.accept.kind == "range" else rival if self.accept.kind == "ratio" else None
            if held is not None and set(held.techniques) - set(measure.techniques):
                return True
        return False

    def changed(self, change: Mapping[str, tuple[str, str]]) -> Check:
        """The check with other techniques (and experiments) in the place of some."""
        sides = {"value": self.value, "against": self.against}
        return structs.replace(self, **{k: Measures(m.changed(change) for m in its) for k, its in sides.items()})


def _inherited(raw: Any) -> Any:
    """A check where `against` takes over from `value` what it does not state; `""` takes a key away."""
    if not isinstance(raw, Mapping):
        return raw
    made = dict(raw)
    if isinstance(raw.get("value"), Mapping) and isinstance(raw.get("against"), Mapping):
        made["against"] = {k: v for k, v in {**raw["value"], **raw["against"]}.items() if v != ""}
    if isinstance(raw.get("of"), str):
        made["of"] = [raw["of"]]
    return made


def _as_listed(raw: Any, checks: Sequence[Any]) -> list[Any]:
    """The checks of the list: one that names no figure looks at those of the claim's own checks."""
    found: list[Any] = []
    for entry in raw if isinstance(raw, list) else [raw]:
        own = [check for check in checks if isinstance(check, Mapping)]
        if not own or not isinstance(entry, Mapping) or "value" in entry:
            found.append(entry)
            continue
        found += [{**{key: check[key] for key in ("value", "against") if key in check}, **entry} for check in own]
    return found


class Placebo(Entry, frozen=True, kw_only=True):
    """What stands in for the technique to see whether it is the technique that gains: one for each of several."""

    technique: Many[str]
    of: str = ""


class Gain(Entry, frozen=True, kw_only=True):
    """What a gain claim needs besides its figure: cause present, technique acted, placebo idle."""

    cause: Measures
    acted: Measures
    placebo: Placebo
    at_least: Positive = 20


class Claim(Entry, frozen=True, kw_only=True):
    """One statement of the paper with the rule by which it is judged."""

    id: str
    tier: Tier
    where: str
    text: str
    paper: Coordinate
    unit: str = ""
    reason: str = ""
    #: what runs are asked; empty if `tests` alone hold the claim
    check: Many[Check] = ()
    #: tests of the repository that hold the rule to the paper: `FILE::NAME`
    tests: Many[str] = ()
    #: how many of the checks must hold
    enough: Literal["all", "one"] = "all"
    counted: bool = True
    #: what must have happened at least 20 times at every point, else the claim is open
    cause: Measures = Measures()
    gain: Gain | None = None
    #: why the band is not that of the list of claims, if it is not
    changed: str = ""
    #: the checks that the list of claims asks for, if they are others: judged beside, and not counted
    listed: Many[Check] = ()
    #: what is known about a miss, said only if the claim does not hold
    when_not: str = ""

    def __post_init__(self) -> None:
        if not all(map(TEST.fullmatch, self.tests)):
            raise EntryError(f"`tests` must be a list of `FILE::NAME`, not {list(self.tests)!r}", "tests")
        if not self.check and (self.gain or self.cause or self.listed):
            raise EntryError("no run is asked: `gain`, `cause` and `listed` need a check with `accept`")
        if self.gain is None:
            return
        if len(self.techniques) != len(self.gain.placebo.technique):
            words = f"the claim looks at {', '.join(self.techniques)}: as many placebos are expected"
            raise EntryError(
                words if len(self.techniques) > 1 else "a claim with `gain` looks at one technique", "gain"
            )
        if any(check.compares_techniques() and check.accept.contains(1.0) for check in self.check):
            raise EntryError("the band of a gain claim must not contain a ratio of 1 (no gain)", "accept")

    def refuse_unknown(self, known: Known) -> None:
        """Raises EntryError for experiments that are not there, and for a placebo that is not run."""
        for index, check in enumerate(self.check):
            with within("check", index):
                check.check(known)
        for index, check in enumerate(self.listed):
            with within("listed", index):
                check.check(known)
        for check in self.with_placebo():
            for measure in [one for many in check.value + check.against for one in many.plain()]:
                experiment = experiment_of(measure.experiment, known, "gain")
                if any(value not in experiment.axes.get(key, ()) for key, value in measure.where.items()):
                    raise EntryError(f"the placebo is not run at {measure.label} by `{experiment.name}`", "gain")

    @property
    def techniques(self) -> tuple[str, ...]:
        """The techniques that the claim is about."""
        return tuple(dict.fromkeys(name for check in self.check for one in check.value for name in one.techniques))

    @property
    def baseline(self) -> str:
        """The technique that a gain is held against."""
        return str(self.gain.cause[0].where["technique"]) if self.gain else ""

    def with_placebo(self) -> tuple[Check, ...]:
        """Its checks with the placebo in the technique's place."""
        if self.gain is None:
            return ()
        placebo = self.gain.placebo
        change = {name: (idle, placebo.of) for name, idle in zip(self.techniques, placebo.technique, strict=True)}
        return tuple(check.changed(change) for check in self.check)

    def measures(self) -> Iterator[Measure]:
        """All figures that its verdict needs."""
        for check in (*self.check, *self.with_placebo(), *self.listed):
            yield from check.value + check.against
        yield from self.cause
        if self.gain is not None:
            yield from self.gain.cause + self.gain.acted
            for check in self.check:
                yield from (measure.under(self.baseline) for measure in check.value)


def folded(raw: Any, known: Known) -> Any:
    """A claim as its class reads it: a single check may be written flat; causes and actions take over where the claim
    looks. Raises EntryError."""
    if not isinstance(raw, Mapping):
        return raw
    flat = {key: raw[key] for key in keys_of(Check) if key in raw}
    made = {key: value for key, value in raw.items() if key not in flat}
    if "accept" not in flat and (flat or "check" not in raw) and not (raw.get("tests") and not flat):
        unknown = next((key for key in made if suggest(key, ["accept"]).startswith("did")), "")
        raise EntryError(f"`accept` is missing: how is this claim judged?{f' (not `{unknown}`)' if unknown else ''}")
    more = raw.get("check", [])
    if not isinstance(more, list) or not all(isinstance(check, Mapping) for check in more):
        raise EntryError("`check` must be a list of tables", "check")
    # first: a mistake there is the one to tell, and others follow from it
    made = {"check": [*([flat] if flat else []), *more], **made}
    if "listed" in raw:
        made["listed"] = [_inherited(check) for check in _as_listed(raw["listed"], made["check"])]
    made["check"] = [_inherited(check) for check in made["check"]]
    first: Mapping[str, Any] = next((c["value"] for c in made["check"] if isinstance(c.get("value"), Mapping)), {})
    experiment = known.get(str(first.get("of")))
    if experiment is None:
        return made
    place = {k: v for k, v in first.items() if k in experiment.axes or k == "of"}
    if isinstance(raw.get("cause"), Mapping):
        made["cause"] = {**place, **raw["cause"]}
    if isinstance(raw.get("gain"), Mapping):
        gain = made["gain"] = dict(raw["gain"])
        for key, base in (("cause", place), ("acted", {"metric": "acted", **place})):
            if isinstance(gain.get(key), Mapping):
                gain[key] = {**base, **gain[key]}
        placebo = gain.get("placebo")
        if isinstance(placebo, Mapping) and isinstance(placebo.get("technique"), str):
            of = known.get(str(placebo.get("of", "")), experiment)
            gain["placebo"] = {**placebo, "technique": of.listed("technique", placebo["technique"])}
    return made
