"""The acceptance rules of claims: data in the study file, one function each.

| rule | written | holds when the 95 % interval of |
|---|---|---|
| range | `{ range = [0.1, 0.2] }` | the figure lies inside |
| below, above | `{ below = 0.04 }` | the figure lies on that side |
| ratio | `{ ratio = [0.85, 1.15] }`, `{ ratio-above = 3 }`, `{ ratio-below = 0.15 }` | figure / `against` lies inside |
| order | `{ order = "greater" }`, `{ order = "less" }` | figure - `against` excludes zero on that side |
| rank | `{ rank-below = -0.8 }` | Spearman's rank correlation of the figure with the order of its points lies below |
| monotone | `{ monotone = "falling", noise = 0.05 }` | each next / previous lies below 1 + noise (or above 1 - noise) |
| exact | `{ exact = "2 Mbps" }` | (no interval) the parameter of the resolved scenario equals it |
| at-least | `{ at-least = 2000 }` | (no interval) the parameter is no smaller |
| zero | `{ zero = true }` | every run counts none |
| not-judged | `{ not-judged = "needs snoop" }` | never: the claim stays open with that reason |
"""

from __future__ import annotations

import itertools
import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

from msgspec import Meta

from .entry import Entry, EntryError, Many
from .interval import Interval, more_runs, of_difference, of_mean, of_ratio

#: Rules that compare with `against`.
PAIRED = ("ratio", "order")

#: A value of a sweep axis or of a parameter, as it stands in the study file.
Coordinate = str | int | float
Pair = tuple[float, float]


class Rule(Entry, frozen=True, kw_only=True, omit_defaults=True):
    """An acceptance rule: exactly one of the kinds above, with its numbers."""

    range: Pair | None = None
    below: float | None = None
    above: float | None = None
    ratio: Pair | None = None
    ratio_above: float | None = None
    ratio_below: float | None = None
    order: Literal["greater", "less"] | None = None
    monotone: Literal["falling", "rising"] | None = None
    rank_below: float | None = None
    noise: Annotated[float, Meta(ge=0)] = 0.0
    exact: Coordinate | Many[Coordinate] | None = None
    at_least: float | None = None
    zero: bool | None = None
    not_judged: str | None = None

    def __post_init__(self) -> None:
        if not self.is_asked():
            return
        if self.zero is False:
            raise EntryError("`zero = true` is expected, not `zero = false`", "zero")
        given = [kind for kind in KINDS if getattr(self, kind) is not None]
        if len(given) != 1:
            raise EntryError(f"one rule is expected, of {', '.join(KINDS).replace('_', '-')}; there are {len(given)}")
        if self.low is not None and self.high is not None and self.low >= self.high:
            raise EntryError(f"an empty band: {self.low:g} to {self.high:g}")

    def is_asked(self) -> bool:
        """Whether a rule is expected at all."""
        return True

    @property
    def kind(self) -> str:
        """`range` for all bands of a figure, `ratio` for all of a ratio, else the kind as written."""
        written = next(kind for kind in KINDS if getattr(self, kind) is not None)
        return {"below": "range", "above": "range"}.get(written, written.removesuffix("_above").removesuffix("_below"))

    @property
    def low(self) -> float | None:
        """Lower end of the band; None if it has none."""
        if self.monotone == "rising":
            return 1 - self.noise
        if self.order == "greater":
            return 0.0
        pair = self.range or self.ratio
        return (
            pair[0] if pair else next((x for x in (self.above, self.ratio_above, self.at_least) if x is not None), None)
        )

    @property
    def high(self) -> float | None:
        """Upper end of the band; None if it has none."""
        if self.monotone == "falling":
            return 1 + self.noise
        if self.order == "less" or self.zero:
            return 0.0
        pair = self.range or self.ratio
        below = (self.below, self.ratio_below, self.rank_below)
        return pair[1] if pair else next((x for x in below if x is not None), None)

    def contains(self, figure: float) -> bool:
        """Whether a figure lies in the band."""
        return (self.low is None or self.low <= figure) and (self.high is None or figure <= self.high)

    @property
    def expected(self) -> tuple[Coordinate, ...]:
        """What an `exact` rule expects."""
        if self.exact is None:
            return ()
        return self.exact if isinstance(self.exact, tuple) else (self.exact,)


KINDS = (
    "range",
    "below",
    "above",
    "ratio",
    "ratio_above",
    "ratio_below",
    "order",
    "rank_below",
    "monotone",
    "exact",
    "at_least",
    "zero",
    "not_judged",
)


@dataclass(frozen=True)
class Outcome:
    """What one rule says of one figure. `margin` is how far the interval's nearest end is inside the band,
    measured in the size of the band's ends so that rules with different units can be ranked."""

    holds: bool | None
    interval: Interval
    margin: float
    note: str = ""


def judge_sample(rule: Rule, values: Sequence[float], against: Sequence[float] | None = None) -> Outcome:
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


def judge_steps(rule: Rule, samples: Sequence[Sequence[float]]) -> list[Outcome]:
    """Judge a `monotone` rule: one outcome for each step from a point to the next."""
    return [in_band(rule, of_ratio(b, a)) for a, b in itertools.pairwise(samples)]


def judge_ranks(rule: Rule, samples: Sequence[Sequence[float]]) -> Outcome:
    """Judge a `rank` rule: the rank correlation of each run with the order of the points, and their interval."""
    return in_band(rule, of_mean([_rank_correlation(run) for run in zip(*samples, strict=True)]))


def _rank_correlation(values: Sequence[float]) -> float:
    """Spearman's, with the order in which they stand; 0 where all are equal."""
    ranks = [(sum(x < v for x in values) + sum(x <= v for x in values)) / 2 for v in values]
    return 0.0 if len(set(ranks)) == 1 else statistics.correlation(range(len(ranks)), ranks)


def in_band(rule: Rule, interval: Interval) -> Outcome:
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
        return Outcome(False, interval, margin, f"should be {_band(rule)}")
    return Outcome(None, interval, margin, _reaches_beyond(rule, interval, low, high))


def _reaches_beyond(rule: Rule, interval: Interval, low: float, high: float) -> str:
    if interval.n < 2:
        return "more runs: one run has no interval"
    distance = min(abs(interval.value - low), abs(interval.value - high))
    more = more_runs(interval, distance)
    about = f" (about {more} more)" if more is not None else ""
    return f"the interval reaches beyond {_band(rule)}; more runs may settle it{about}"


def _zero(values: Sequence[float]) -> Outcome:
    interval = of_mean(values)
    if not values:
        return Outcome(None, interval, -math.inf, "no figure: nothing was measured")
    seen = sum(values)
    if seen > 0:
        return Outcome(False, interval, -seen, f"{seen:g} seen in {len(values)} runs")
    return Outcome(True, interval, 0.0)


def _band(rule: Rule) -> str:
    names = {"ratio": "ratio", "monotone": "step ratio", "rank": "rank correlation", "order": "difference"}
    what = f"a {names[rule.kind]} " if rule.kind in names else ""
    if rule.low is None:
        return f"{what}below {rule.high:g}"
    if rule.high is None:
        return f"{what}above {rule.low:g}"
    return f"{what}{rule.low:g} to {rule.high:g}"


def band(rule: Rule) -> str:
    """The rule in words, for tables: `0.0988 to 0.445`, `ratio above 3`, `falling`."""
    if rule.kind in ("exact", "not_judged"):
        return rule.not_judged or " or ".join(str(v) for v in rule.expected)
    if rule.kind == "at_least":
        return f"at least {rule.low:g}"
    if rule.kind == "zero":
        return "none"
    if rule.kind == "order":
        return "greater" if rule.low is not None else "less"
    return _band(rule).removeprefix("a ")


def _gap(a: float, b: float) -> float:
    """a - b, where an infinite bound is never near."""
    return math.inf if a == math.inf or b == -math.inf else a - b
