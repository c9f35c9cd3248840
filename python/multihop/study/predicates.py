"""The acceptance rules of claims: data in the study file, one function each.

| rule | written | holds when the 95 % interval of |
|---|---|---|
| range | `{ range = [0.1, 0.2] }` | the figure lies inside |
| below, above | `{ below = 0.04 }` | the figure lies on that side |
| ratio | `{ ratio = [0.85, 1.15] }`, `{ ratio-above = 3 }`, `{ ratio-below = 0.15 }` | figure / `against` lies inside |
| order | `{ order = "greater" }`, `{ order = "less" }` | figure - `against` excludes zero on that side |
| monotone | `{ monotone = "falling", noise = 0.05 }` | each next / previous lies below 1 + noise (or above 1 - noise) |
| exact | `{ exact = "2 Mbps" }` | (no interval) the parameter of the resolved scenario equals it |
| at-least | `{ at-least = 2000 }` | (no interval) the parameter is no smaller |
| zero | `{ zero = true }` | every run counts none |
| not-judged | `{ not-judged = "needs snoop" }` | never: the claim stays open with that reason |
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from .interval import Interval, more_runs, of_difference, of_mean, of_ratio
from .model import Predicate
from .reader import Reader

#: Rules that compare with `against`.
PAIRED = ("ratio", "order")


@dataclass(frozen=True)
class Outcome:
    """What one rule says of one figure. `margin` is how far the interval's nearest end is inside the band,
    measured in the size of the band's ends so that rules with different units can be ranked."""

    holds: bool | None
    interval: Interval
    margin: float
    note: str = ""


def read_predicate(entry: Reader) -> Predicate:
    """The rule in an `accept` table: exactly one of the kinds above."""
    made = _read(entry)
    entry.done()
    if made.low is not None and made.high is not None and made.low >= made.high:
        raise entry.fail(f"an empty band: {made.low} to {made.high}")
    return made


def _read(entry: Reader) -> Predicate:
    for key, read in _KINDS.items():
        if entry.has(key):
            return read(entry, key)
    entry.done()
    raise entry.fail(f"no rule: one of {', '.join(_KINDS)} is expected")


def _within(entry: Reader, key: str) -> Predicate:
    values = entry.need(key, list)
    if len(values) != 2 or not all(isinstance(v, int | float) for v in values):
        raise entry.fail(f"`{key}` must be two numbers, like [0.5, 2]")
    return Predicate(key, float(values[0]), float(values[1]))


def _order(entry: Reader, key: str) -> Predicate:
    return _one_of(entry, key, {"greater": Predicate(key, low=0.0), "less": Predicate(key, high=0.0)})


def _monotone(entry: Reader, key: str) -> Predicate:
    noise = entry.take("noise", float, 0.0)
    return _one_of(entry, key, {"falling": Predicate(key, high=1 + noise), "rising": Predicate(key, low=1 - noise)})


def _exact(entry: Reader, key: str) -> Predicate:
    value: object = entry.need(key, object)
    values = value if isinstance(value, list) else [value]
    known = tuple(v for v in values if isinstance(v, str | int | float))
    if not known or len(known) < len(values):
        raise entry.fail(f"`{key}` must be a value or a list of values")
    return Predicate(key, expected=known)


def _zero_rule(entry: Reader, key: str) -> Predicate:
    if not entry.need(key, bool):
        raise entry.fail(f"`{key}` can only be true")
    return Predicate(key, high=0.0)


def _one_of(entry: Reader, key: str, known: dict[str, Predicate]) -> Predicate:
    word = entry.need(key, str)
    if word not in known:
        raise entry.fail(f"`{key}` must be one of {', '.join(known)}, not `{word}`")
    return known[word]


_KINDS: dict[str, Callable[[Reader, str], Predicate]] = {
    "range": _within,
    "below": lambda entry, key: Predicate("range", high=entry.need(key, float)),
    "above": lambda entry, key: Predicate("range", low=entry.need(key, float)),
    "ratio": _within,
    "ratio-above": lambda entry, key: Predicate("ratio", low=entry.need(key, float)),
    "ratio-below": lambda entry, key: Predicate("ratio", high=entry.need(key, float)),
    "order": _order,
    "monotone": _monotone,
    "exact": _exact,
    "at-least": lambda entry, key: Predicate(key, low=entry.need(key, float)),
    "zero": _zero_rule,
    "not-judged": lambda entry, key: Predicate(key, text=entry.need(key, str)),
}


def judge_sample(rule: Predicate, values: Sequence[float], against: Sequence[float] | None = None) -> Outcome:
    """Judge the figures of all runs at one point (paired by run with `against`, for ratio and order)."""
    if rule.kind == "zero":
        return _zero(values)
    if rule.kind in PAIRED:
        if against is None:
            raise ValueError(f"`{rule.kind}` compares two figures")
        interval = of_ratio(values, against) if rule.kind == "ratio" else of_difference(values, against)
    else:
        interval = of_mean(values)
    return in_band(rule, interval)


def judge_steps(rule: Predicate, samples: Sequence[Sequence[float]]) -> list[Outcome]:
    """Judge a `monotone` rule: one outcome for each step from a point to the next."""
    return [in_band(rule, of_ratio(b, a)) for a, b in itertools.pairwise(samples)]


def in_band(rule: Predicate, interval: Interval) -> Outcome:
    """Inside: holds. Wholly outside: does not. Straddling: open, with how many runs more might settle it."""
    low = -math.inf if rule.low is None else rule.low
    high = math.inf if rule.high is None else rule.high
    if interval.n == 0 or math.isnan(interval.value):
        return Outcome(None, interval, -math.inf, "no figure: nothing was measured")
    scale = max(abs(b) for b in (rule.low, rule.high, interval.half) if b is not None and math.isfinite(b)) or 1.0
    margin = min(_gap(interval.low, low), _gap(high, interval.high)) / scale
    if margin > 0:
        return Outcome(True, interval, margin)
    # an interval without width that touches an end is not inside, and no more runs will move it
    if interval.high < low or interval.low > high or interval.half == 0:
        return Outcome(False, interval, margin, f"outside {_band(rule)}")
    return Outcome(None, interval, margin, _straddles(rule, interval, low, high))


def _straddles(rule: Predicate, interval: Interval, low: float, high: float) -> str:
    if interval.n < 2:
        return "more runs: one run has no interval"
    distance = min(abs(interval.value - low), abs(interval.value - high))
    more = more_runs(interval, distance)
    about = f" (about {more} more)" if more is not None else ""
    return f"more runs{about}: the interval straddles {_band(rule)}"


def _zero(values: Sequence[float]) -> Outcome:
    interval = of_mean(values)
    if not values:
        return Outcome(None, interval, -math.inf, "no figure: nothing was measured")
    seen = sum(values)
    if seen > 0:
        return Outcome(False, interval, -seen, f"{seen:g} seen in {len(values)} runs")
    return Outcome(True, interval, 0.0)


def _band(rule: Predicate) -> str:
    what = {"ratio": "a ratio ", "monotone": "a step ratio ", "order": "a difference "}.get(rule.kind, "")
    if rule.low is None:
        return f"{what}below {rule.high:g}"
    if rule.high is None:
        return f"{what}above {rule.low:g}"
    return f"{what}{rule.low:g} to {rule.high:g}"


def band(rule: Predicate) -> str:
    """The rule in words, for tables: `0.0988 to 0.445`, `ratio above 3`, `falling`."""
    if rule.kind in ("exact", "not-judged"):
        return rule.text or " or ".join(str(v) for v in rule.expected)
    if rule.kind == "at-least":
        return f"at least {rule.low:g}"
    if rule.kind == "zero":
        return "none"
    if rule.kind == "order":
        return "greater" if rule.low is not None else "less"
    return _band(rule).removeprefix("a ")


def _gap(a: float, b: float) -> float:
    """a - b, where an infinite bound is never near."""
    return math.inf if a == math.inf or b == -math.inf else a - b
