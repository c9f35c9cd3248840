"""Statistics over independent runs.

Means carry 95 % t-intervals; two techniques are compared on the differences of runs that share their random
streams (common random numbers), never on two separate means. Sources: Law, *Simulation Modeling and Analysis*,
chapters 9 to 11; R. Jain, D. Chiu, W. Hawe, *A quantitative measure of fairness*, DEC-TR-301, 1984.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

LEVEL = 0.95
"""Confidence level of every interval."""

MATTERS = 0.01
"""The smallest effect of interest, as a share of the baseline: less hardly matters, however sure it is."""

MOST_RUNS = 10_000
"""Beyond this many runs a comparison is said to need more than that, instead of a number."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean over runs and what is known of it."""

    mean: float
    """Mean over the runs that have a value; NaN if none has."""
    half: float
    """Half the width of the 95 % t-interval; NaN with fewer than two values."""
    n: int
    """How many runs have a value."""

    @property
    def low(self) -> float:
        """Lower end of the interval."""
        return self.mean - self.half

    @property
    def high(self) -> float:
        """Upper end of the interval."""
        return self.mean + self.half

    def json(self) -> dict[str, Any]:
        """`{"mean", "ci95": [low, high], "n"}`; null where nothing is known."""
        interval = None if math.isnan(self.half) else [self.low, self.high]
        return {"mean": None if math.isnan(self.mean) else self.mean, "ci95": interval, "n": self.n}


@dataclass(frozen=True, slots=True)
class Paired:
    """The difference between two techniques, run by run."""

    difference: Estimate
    """Mean of (other - baseline) and its interval."""
    correlation: float
    """Correlation achieved between the two, in -1..1; NaN if either is constant. It says what pairing was worth."""
    more_runs: int | None
    """Runs to add before the interval excludes zero if mean and spread stay; 0 if it does, None if out of reach."""

    def relative(self, baseline: Estimate) -> Estimate | None:
        """The difference as a share of the baseline's mean (taken as exact); None if that is zero or unknown."""
        d, base = self.difference, abs(baseline.mean)
        return Estimate(d.mean / base, d.half / base, d.n) if base > 0 else None

    @property
    def p_value(self) -> float:
        """How likely a mean this far from zero is by chance alone (two-sided paired t-test), in 0..1; NaN if fewer than
        two runs have both."""
        d = self.difference
        if d.n < 2:
            return math.nan
        if d.half == 0:
            return 1.0 if d.mean == 0 else 0.0
        return p_of(abs(d.mean) / d.half * t_quantile(d.n - 1), d.n - 1)

    @property
    def verdict(self) -> str:
        """`higher`, `lower`, `equal` (the same in every run) or `open`."""
        if self.difference.n > 1 and self.difference.half == 0 and self.difference.mean == 0:
            return "equal"
        if self.difference.low > 0:
            return "higher"
        if self.difference.high < 0:
            return "lower"
        return "open"


def estimate(values: Iterable[float | None]) -> Estimate:
    """Mean and 95 % t-interval; runs without a value (None or NaN) are left out and `n` says so."""
    known = np.array([x for x in values if x is not None and not math.isnan(x)], dtype=float)
    n = int(known.size)
    if n == 0:
        return Estimate(math.nan, math.nan, 0)
    mean = float(known.mean())
    if n == 1:
        return Estimate(mean, math.nan, 1)
    return Estimate(mean, t_quantile(n - 1) * float(known.std(ddof=1)) / math.sqrt(n), n)


def paired(baseline: Sequence[float | None], other: Sequence[float | None]) -> Paired:
    """Compares two techniques over the runs that both have; position i of both is the same run.

    Raises ValueError if the lengths differ: then they are not pairs.
    """
    pairs = [
        (a, b)
        for a, b in zip(baseline, other, strict=True)
        if a is not None and b is not None and not (math.isnan(a) or math.isnan(b))
    ]
    first = np.array([a for a, _ in pairs], dtype=float)
    second = np.array([b for _, b in pairs], dtype=float)
    differences = second - first
    return Paired(estimate(differences.tolist()), correlation(first, second), more_runs(differences))


def correlation(first: Sequence[float] | np.ndarray, second: Sequence[float] | np.ndarray) -> float:
    """Pearson's correlation; NaN with fewer than two values or if either side does not vary."""
    a, b = np.asarray(first, dtype=float), np.asarray(second, dtype=float)
    if a.size < 2:
        return math.nan
    da, db = a - a.mean(), b - b.mean()
    # scaled first: the squares of very small deviations would vanish
    largest_a, largest_b = float(np.abs(da).max()), float(np.abs(db).max())
    if largest_a <= 1e-12 * float(np.abs(a).max()) or largest_b <= 1e-12 * float(np.abs(b).max()):
        return math.nan
    da, db = da / largest_a, db / largest_b
    r = float((da * db).sum() / math.sqrt(float((da * da).sum()) * float((db * db).sum())))
    return max(-1.0, min(1.0, r))


def more_runs(differences: Sequence[float] | np.ndarray) -> int | None:
    """How many more runs settle an open comparison, if the mean difference and its spread stay what they are.

    0 if the interval already excludes zero (or all differences are equal), None if not even `MOST_RUNS` would do.
    """
    d = np.asarray(differences, dtype=float)
    n = int(d.size)
    if n < 2:
        return None
    mean, spread = abs(float(d.mean())), float(d.std(ddof=1))
    if spread == 0 or mean > t_quantile(n - 1) * spread / math.sqrt(n):
        return 0

    def settled(runs: int) -> bool:
        return mean > t_quantile(runs - 1) * spread / math.sqrt(runs)

    if not settled(MOST_RUNS):
        return None
    low, high = n, MOST_RUNS
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if settled(middle) else (middle, high)
    return high - n


def jain(shares: Iterable[float]) -> float:
    """Jain's fairness index (sum x)^2 / (n * sum x^2): 1 if all get the same, 1/n if one gets all.

    NaN if none gets any.
    """
    x = np.array(list(shares), dtype=float)
    largest = float(x.max()) if x.size else 0.0
    if largest <= 0:
        return math.nan
    x = x / largest
    return float(x.sum() ** 2 / (x.size * (x * x).sum()))


def quantile(values: Iterable[float | None], q: float) -> float:
    """The q-quantile (0..1) with linear interpolation (Hyndman and Fan's type 7); NaN without values."""
    known = [x for x in values if x is not None and not math.isnan(x)]
    return float(np.quantile(known, q)) if known else math.nan


def holm(p_values: Sequence[float]) -> list[float]:
    """The p-values adjusted so that those of at most 0.05 hold a false one with a probability of at most 5 %, however
    they depend on each other; NaN stays and is not counted.

    S. Holm, *A simple sequentially rejective multiple test procedure*, Scand. J. Statist. 6, 1979.
    """
    adjusted, largest = list(p_values), 0.0
    ranked = sorted((p, i) for i, p in enumerate(p_values) if not math.isnan(p))
    for place, (p, i) in enumerate(ranked):
        largest = max(largest, min(1.0, (len(ranked) - place) * p))
        adjusted[i] = largest
    return adjusted


def p_of(t: float, freedom: int) -> float:
    """Two-sided p-value of a t-statistic of at least 0 with so many degrees of freedom."""
    from scipy.special import stdtr  # not scipy.stats: importing that takes two seconds

    return float(2 * stdtr(freedom, -t))


def t_quantile(freedom: int) -> float:
    """Two-sided 95 % quantile of Student's t with so many degrees of freedom."""
    known = _QUANTILES.get(freedom)
    if known is None:
        from scipy.special import stdtrit  # not scipy.stats.t: see `p_of`

        known = _QUANTILES[freedom] = float(stdtrit(freedom, 0.5 + LEVEL / 2))
    return known


_QUANTILES: dict[int, float] = {}
