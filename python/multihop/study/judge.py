"""Judging claims: a claim holds only if every one of its checks does, and a gain must be explained besides.

A technique's gain counts only if what it cures was there (at least 20 such losses in the baseline), if the
technique acted (by its own counter, at least 20 times), and if a placebo in its place neither holds the claim nor
gains over the baseline. A claim whose cause was not seen at a point is open: runs without it say nothing.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from msgspec import structs

from multihop.scenario.quantity import UNITS, number
from multihop.text import listing, plural
from multihop.text import setting as show

from .claim import Check, Claim, Gain
from .interval import Interval, of_difference, of_mean, surely_greater
from .measure import Measure
from .predicates import PAIRED, Outcome, band, judge_ranks, judge_sample, judge_steps
from .results import Results


@dataclass(frozen=True)
class Finding:
    """The outcome of one check at one point. `unit` is that of our figure: a rule may look at a ratio."""

    label: str
    outcome: Outcome
    band: str
    n: int
    unit: str = ""

    @property
    def ci95(self) -> tuple[float | None, float | None] | None:
        """The 95 % interval of our figure; an end is None where the runs do not bound it."""
        if self.n < 2:
            return None
        return _finite(self.outcome.interval.low), _finite(self.outcome.interval.high)


@dataclass(frozen=True)
class Verdict:
    """What became of a claim: holds (True), does not (False), or is open (None), and why."""

    claim: Claim
    holds: bool | None
    reason: str
    findings: tuple[Finding, ...] = ()
    #: what a parameter claim found in the resolved scenario
    parameter: str = ""
    #: those of them that decide: of the best check, if one is enough, and without the misses that a check allows
    deciders: tuple[Finding, ...] = ()
    #: by the band of the list of claims, where the study's own is another
    listed: Verdict | None = None

    @property
    def word(self) -> str:
        """`holds`, `does not hold`, `open`, or `held by a test`."""
        if self.by_test:
            return "held by a test"
        return {True: "holds", False: "does not hold", None: "open"}[self.holds]

    @property
    def by_test(self) -> bool:
        """Whether no run is asked, and tests of the repository hold the rule."""
        return bool(self.claim.tests) and not self.claim.check

    @property
    def deciding(self) -> Finding | None:
        """The finding that decided: one that fails, else one that is open, else the tightest that holds."""
        ranked = sorted(self.deciders or self.findings, key=_rank)
        return ranked[0] if ranked else None

    @property
    def ours(self) -> float | str | None:
        """Our figure at the deciding point; None if there is none or it is not finite."""
        if self.parameter:
            return self.parameter
        found = self.deciding
        return _finite(found.outcome.interval.value) if found else None

    @property
    def ci95(self) -> tuple[float | None, float | None] | None:
        """Its 95 % interval; an end is None where the runs do not bound it."""
        found = self.deciding
        return found.ci95 if found else None

    @property
    def unit(self) -> str:
        """The unit of `ours`."""
        found = self.deciding
        return found.unit if found else ""

    @property
    def rule(self) -> str:
        """The band in words."""
        found = self.deciding
        if found:
            return found.band
        return band(self.claim.check[0].accept) if self.claim.check else ""


def judge(claim: Claim, results: Results) -> Verdict:
    """Judge one claim by the runs; and by the list's own band beside, where that is another."""
    verdict = _judge(claim, results)
    if claim.tests and claim.check:
        verdict = replace(verdict, reason=f"{verdict.reason}; held by {_tests(claim)} too")
    if not claim.listed:
        return verdict
    cause = claim.cause or (claim.gain.cause if claim.gain else ())
    bare = {"check": claim.listed, "listed": (), "cause": cause, "gain": None, "when_not": ""}
    return replace(verdict, listed=_judge(structs.replace(claim, **bare), results))


def _judge(claim: Claim, results: Results) -> Verdict:
    if not claim.check:
        return Verdict(claim, None, f"held by {_tests(claim)}")
    found: list[list[Finding]] = []
    for check in claim.check:
        if check.parameter:
            return _judge_parameter(claim, check, results)
        if check.accept.kind == "not_judged":
            return Verdict(claim, None, check.accept.not_judged or "", _shown(check, results))
        found.append(_judge_check(check, results))
    verdict = _together(claim, found)
    verdict = replace(verdict, reason=_words(verdict))
    if claim.gain is not None and verdict.holds is not False:
        verdict = _judge_gain(verdict, claim, claim.gain, results)
    if verdict.holds is False and claim.gain is not None:
        sign = "sign only: " if _gains(claim, verdict) else ""
        verdict = _open_if_null(replace(verdict, reason=sign + verdict.reason), claim.gain, results)
    if claim.cause:
        verdict = _judge_cause(verdict, claim.cause, results)
    if verdict.holds is False and claim.when_not:
        verdict = replace(verdict, reason=f"{verdict.reason}. Reason: {claim.when_not}")
    return verdict


def _together(claim: Claim, found: Sequence[Sequence[Finding]]) -> Verdict:
    """What the checks say together: all must hold, or one."""
    findings = tuple(finding for check in found for finding in check)
    of_each = []
    for check, its in zip(claim.check, found, strict=True):
        deciders = sorted(its, key=_rank)[min(check.misses, len(its) - 1) :] if check.misses else list(its)
        of_each.append((all_hold([f.outcome.holds for f in deciders]), deciders))
    if claim.enough == "all":
        every = tuple(finding for _, deciders in of_each for finding in deciders)
        return Verdict(claim, all_hold([holds for holds, _ in of_each]), "", findings, deciders=every)
    holds, deciders = min(of_each, key=lambda one: (True, None, False).index(one[0]))
    return Verdict(claim, holds, "", findings, deciders=tuple(deciders))


def _gains(claim: Claim, verdict: Verdict) -> bool:
    """Whether every ratio to another technique is surely on the claimed side of 1: the sign is right."""
    if not all(check.compares_techniques() for check in claim.check):
        return False
    intervals = [finding.outcome.interval for finding in verdict.deciders or verdict.findings]
    if all((check.accept.low or 0.0) >= 1 for check in claim.check):
        return all(interval.low > 1 for interval in intervals)
    less = all(check.accept.high is not None and check.accept.high <= 1 for check in claim.check)
    return less and all(interval.high < 1 for interval in intervals)


def figures_hold(claim: Claim, checks: Sequence[Check], results: Results) -> bool | None:
    """Do the figures alone hold, without cause and gain? For checks with other techniques in their places."""
    return _together(claim, [_judge_check(check, results) for check in checks]).holds


def all_hold(outcomes: Sequence[bool | None]) -> bool | None:
    """False if one is false, else None if one is open, else True."""
    if any(outcome is False for outcome in outcomes):
        return False
    return True if outcomes and all(outcomes) else None


def _judge_check(check: Check, results: Results) -> list[Finding]:
    words = band(check.accept)
    if check.accept.kind == "monotone":
        samples = [results.sample(measure) for measure in check.value]
        outcomes = judge_steps(check.accept, samples)
        labels = [f"{b.label} over {b.difference(a)}" for a, b in itertools.pairwise(check.value)]
        return [Finding(la, o, words, o.interval.n, "ratio") for la, o in zip(labels, outcomes, strict=True)]
    if check.accept.kind == "rank":
        samples = [results.sample(measure) for measure in check.value]
        label = f"{check.value[0].label} to {check.value[0].difference(check.value[-1])}"
        return [Finding(label, judge_ranks(check.accept, samples), words, len(samples[0]))]
    findings = []
    for measure, rival in check.pairs():
        sample, other, label = results.sample(measure), None, measure.label
        if rival is not None:
            other = results.sample(rival)
            label = f"{label} against {measure.difference(rival)}"
        unit = "ratio" if check.accept.kind == "ratio" else measure.unit
        outcome = judge_sample(check.accept, sample, other)
        findings.append(Finding(label, outcome, words, outcome.interval.n, unit))
    return findings


def _shown(check: Check, results: Results) -> tuple[Finding, ...]:
    """Figures of a claim that is not judged, for a reader who wants to see them all the same."""
    found = []
    for measure in check.value:
        if results.has(measure.experiment):
            sample = results.sample(measure)
            found.append(Finding(measure.label, Outcome(None, of_mean(sample), 0.0), "not judged", len(sample)))
    return tuple(found)


def _judge_cause(verdict: Verdict, cause: Sequence[Measure], results: Results, at_least: int = 20) -> Verdict:
    """What is claimed to be the cause must have been there, at every point."""
    counts = [(sum(results.sample(measure)), measure) for measure in cause]
    fewest, where = min(counts, key=lambda found: found[0])
    if fewest >= at_least:
        at = f", as {where.label}" if len(counts) > 1 else ""
        return replace(verdict, reason=f"{verdict.reason}; cause ({where.metric}) at least {fewest:.10g} times{at}")
    short = [count for count, _ in counts if count < at_least]
    words = f"cause ({where.metric}) fewer than {at_least} times at {len(short)} of {len(counts)} points"
    return replace(verdict, holds=None, reason=f"null: cause absent: {words}, as {where.label}")


def _judge_gain(verdict: Verdict, claim: Claim, gain: Gain, results: Results) -> Verdict:
    """Cause, action and placebo: each that is missing opens the claim, whatever its figure says."""
    said, missing = [], []
    for name, measures in (("cause counted", gain.cause), ("technique used", gain.acted)):
        fewest = min(sum(results.sample(measure)) for measure in measures)
        said.append(f"{name} {fewest:.10g} times")
        if fewest < gain.at_least:
            null = "null: cause absent, " if measures is gain.cause else ""
            missing.append(f"{null}{name} only {fewest:.10g} times (at least {gain.at_least} are needed)")
    if figures_hold(claim, claim.with_placebo(), results):
        missing.append("a placebo in its place holds too")
    elif words := _placebo_gains(claim, results):
        missing.append(f"a placebo in its place gains too, {words}")
    else:
        said.append("placebo shows none")
    if missing:
        return replace(verdict, holds=None, reason="; ".join([verdict.reason, *missing]))
    return replace(verdict, reason="; ".join([verdict.reason, *said]))


def _open_if_null(verdict: Verdict, gain: Gain, results: Results) -> Verdict:
    """Where nothing was there to be cured, that nothing was gained says nothing of the cure."""
    fewest = min(sum(results.sample(measure)) for measure in gain.cause)
    if fewest >= gain.at_least:
        return verdict
    return replace(verdict, holds=None, reason=f"{verdict.reason}; null: cause absent ({fewest:.10g} times)")


def _placebo_gains(claim: Claim, results: Results) -> str:
    """At how many of its figures a placebo gains, and how much: it does where one is surely greater than the
    baseline's; less, where less is claimed."""
    pairs, labels = [], []
    for check, idle in zip(claim.check, claim.with_placebo(), strict=True):
        rule = check.accept
        less = rule.kind in PAIRED and rule.low is None
        for (measure, rival), placebo in zip(check.pairs(), idle.value, strict=True):
            ours = results.sample(placebo)
            if measure.per is not None:
                base = [1.0] * len(ours)
            elif rival is not None and set(rival.techniques) - set(measure.techniques):
                base = results.sample(rival)
            else:
                base = results.sample(measure.under(claim.baseline))
            pairs.append((base, ours) if less else (ours, base))
            labels.append(f"{of_difference(ours, base).value:+.3g} {placebo.unit} at {placebo.label}")
    found = surely_greater(pairs)
    return f"at {len(found)} of {plural(len(pairs), 'figure')}, as {labels[found[0]]}" if found else ""


def _judge_parameter(claim: Claim, check: Check, results: Results) -> Verdict:
    """Are the values of the resolved scenarios those that the paper states, in each experiment of those that count?"""
    found: dict[str, list[Any]] = {}
    for cell in results:
        if cell.point.experiment in check.of:
            values = found.setdefault(cell.point.experiment, [])
            values += [value for value in parameters(cell.scenario, check.parameter) if value not in values]
    if not found:
        return Verdict(claim, None, "not run")
    rule, every = check.accept, list(dict.fromkeys(v for values in found.values() for v in values))
    text = ", ".join(show(v) for v in every)
    if rule.kind == "at_least":
        try:
            holds = all(v is not None and number(v, UNITS) >= (rule.low or 0.0) for v in every)
        except ValueError:
            return Verdict(claim, None, f"`{check.parameter}` is {text}: no quantity that may be too small")
    else:
        expected = sorted(map(_key, rule.expected))
        holds = all(sorted(map(_key, values)) == expected for values in found.values())
    where = f" in {listing(found)}" if len(check.of) > 1 else ""
    reason = f"`{check.parameter}` is {text}{where}" + ("" if holds else f", not {band(rule)}")
    return Verdict(claim, holds, reason, parameter=text)


def parameters(scenario: Mapping[str, Any], path: str) -> list[Any]:
    """A key of the resolved scenario, `flows` for `FROM-TO START..STOP` of each flow, or each value of a key of a list:
    `event.*.rate`."""
    if path == "flows":
        return ["; ".join(f"{f['from']}-{f['to']} {f['start_s']:g}..{f['stop_s']:g}" for f in scenario["flows"])]
    if "*" not in path:
        entry = scenario["values"].get(path)
        return [None if entry is None else entry["value"]]
    wanted = re.compile(re.escape(path).replace(r"\*", "[0-9]+"))
    values = [entry["value"] for key, entry in scenario["values"].items() if wanted.fullmatch(key)]
    return list(dict.fromkeys(values)) or [None]


def _key(value: object) -> str:
    return f"{float(value):.12g}" if isinstance(value, int | float) else str(value)


def _rank(finding: Finding) -> tuple[int, float]:
    order = {False: 0, None: 1, True: 2}[finding.outcome.holds]
    return order, finding.outcome.margin


def _words(verdict: Verdict) -> str:
    found = verdict.deciding
    if found is None:
        return "nothing was measured"
    n = len(verdict.findings)
    count = sum(1 for f in verdict.findings if f.outcome.holds is verdict.holds)
    if verdict.holds:
        which = f"all {n}" if count == n else f"{count} of {n}"
        at = f" at {which} points, closest to its limit: {found.label}" if n > 1 else ""
        return f"{found.band}{at}"
    at = f" at {count} of {n} points, for example {found.label}" if n > 1 else ""
    missed = ", and is not" if at and found.outcome.note.startswith("should be ") else ""
    return f"{found.outcome.note}{missed}{at}"


def _tests(claim: Claim) -> str:
    return f"{'a test' if len(claim.tests) == 1 else 'tests'}, {listing(claim.tests)}"


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


__all__ = ["Finding", "Interval", "Verdict", "all_hold", "figures_hold", "judge", "parameters"]
