"""Intervals that claims are judged by: of a mean, of a paired difference, of a ratio of means.

All are two-sided 95 % intervals from Student's t over independent replications.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from multihop.measures import stats


@dataclass(frozen=True)
class Interval:
    """A figure with its 95 % interval; the ends are infinite where the runs do not bound it."""

    value: float
    low: float
    high: float
    n: int

    @property
    def half(self) -> float:
        """Half the width."""
        return (self.high - self.low) / 2


def of_mean(values: Sequence[float]) -> Interval:
    """Mean of independent replications; one replication has no interval, runs without a figure are left out."""
    known = stats.estimate(values)
    if known.n < 2:
        return Interval(known.mean, -math.inf, math.inf, known.n)
    return Interval(known.mean, known.low, known.high, known.n)


def of_difference(a: Sequence[float], b: Sequence[float]) -> Interval:
    """Mean of a - b over runs with the same numbers (common random numbers outside the network)."""
    a, b = _pairs(a, b)
    return of_mean([x - y for x, y in zip(a, b, strict=True)])


def surely_greater(pairs: Sequence[tuple[Sequence[float], Sequence[float]]]) -> list[int]:
    """In which of the pairs is a surely greater than b? The 5 % of error are shared by all of them (Bonferroni), half
    of it on this side: where nothing differs, one such list in 40 is not empty."""
    from scipy.special import stdtrit  # not scipy.stats.t: importing that takes two seconds

    places = []
    for place, (a, b) in enumerate(pairs):
        found = of_difference(a, b)
        if found.n < 2:
            continue
        widened = found.half / stats.t_quantile(found.n - 1) * float(stdtrit(found.n - 1, 1 - 0.025 / len(pairs)))
        if found.value - widened > 0:
            places.append(place)
    return places


def of_ratio(a: Sequence[float], b: Sequence[float]) -> Interval:
    """Ratio of the means of two non-negative figures, by Fieller's theorem over paired runs.

    The interval is the set of ratios k for which the runs do not reject mean(a - k b) = 0, so that "the ratio
    is above k" and "a - k b is above zero" are one statement, and starved flows (b near zero) do no harm: the
    interval is then open towards infinity.
    """
    a, b = _pairs(a, b)
    n = len(a)
    mean_a, mean_b = (float(np.mean(a)), float(np.mean(b))) if n else (math.nan, math.nan)
    ratio = mean_a / mean_b if mean_b > 0 else (math.inf if mean_a > 0 else math.nan)
    if n < 2:
        return Interval(ratio, 0.0, math.inf, n)
    t2 = stats.t_quantile(n - 1) ** 2 / n
    (var_a, cov), (_, var_b) = (np.cov(np.asarray(a, float), np.asarray(b, float), ddof=1) * t2).tolist()
    # ratios k that are not rejected: qa k^2 - 2 qb k + qc <= 0
    qa, qb, qc = mean_b**2 - var_b, mean_a * mean_b - cov, mean_a**2 - var_a
    disc = qb * qb - qa * qc
    if mean_b == 0 and var_b == 0:
        return Interval(ratio, math.inf if qc > 0 else 0.0, math.inf, n)
    if disc < 0 or qa == 0:
        return Interval(ratio, 0.0, math.inf, n)
    one, two = sorted([(qb - math.sqrt(disc)) / qa, (qb + math.sqrt(disc)) / qa])
    if qa > 0:
        return Interval(ratio, max(one, 0.0), max(two, 0.0), n)
    # b is not surely above zero: what is rejected lies between the roots, ratios below zero cannot be
    return Interval(ratio, max(two, 0.0) if one < 0 else 0.0, math.inf, n)


def more_runs(interval: Interval, distance: float) -> int | None:
    """How many runs more would about bring the interval's half width below `distance` from the bound."""
    if interval.n < 2 or distance <= 0 or not math.isfinite(interval.half):
        return None
    wanted = interval.n * (interval.half / distance) ** 2
    return max(1, math.ceil(wanted - interval.n)) if wanted < 1e5 else None


def _pairs(a: Sequence[float], b: Sequence[float]) -> tuple[list[float], list[float]]:
    """The runs in which both have a figure; those beyond the end of the shorter one have no partner."""
    both = [(x, y) for x, y in zip(a, b, strict=False) if not (math.isnan(x) or math.isnan(y))]
    return [x for x, _ in both], [y for _, y in both]
