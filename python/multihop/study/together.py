"""Figures that several points make together: the best of them, their mean; and a figure over another.

| key of a measure | one figure a run | what for |
|---|---|---|
| `best = "AXIS"` | runs 1, 3, 5 … choose the point with the largest mean, runs 2, 4 … are its figures | a fair best |
| `luckiest = "AXIS"` | the largest of all points, in each run by itself | what a search on single runs reports |
| `mean = "AXIS"` | the mean over the points | |
| `each = "AXIS"` | none: one figure a point, the mean of its runs | points drawn at random, as patterns of traffic |

The largest of many noisy figures is too large on average; figures of runs that did not choose it are not.

`per` makes a ratio of means, not a mean of ratios, which a run with next to nothing below the line would decide. Its
figures of single runs are the jackknife's pseudo-values (Miller, *Biometrika* 61, 1974), so that their mean and their
t-interval are those of the ratio; with `mean` and `each` a ratio is taken at each point. `minus` is taken away run by
run.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import repeat

from .measure import Measure

Sample = list[float]
#: Reads the figures of a single point.
Reader = Callable[[Measure], Sample]


def sample(measure: Measure, read: Reader) -> Sample:
    """The figures of a measure in the order of run numbers; NaN where a run has none."""
    if measure.how in ("mean", "each"):
        seconds = repeat(None) if measure.per is None else measure.per.members or repeat(measure.per)
        lines = [_per(read(one), other, read) for one, other in zip(measure.members, seconds, strict=False)]
        own = [mean(line) for line in (lines if measure.how == "each" else zip(*lines, strict=True))]
    else:
        own = _per(_one(measure, read), measure.per, read)
    if measure.minus is None:
        return own
    return [a - b for a, b in zip(own, sample(measure.minus, read), strict=True)]


def _per(own: Sample, second: Measure | None, read: Reader) -> Sample:
    return own if second is None else ratio(own, _one(second, read))


def _one(measure: Measure, read: Reader) -> Sample:
    """The figures of a measure, or the chosen of its members, before anything is held against them."""
    if not measure.how:
        return read(measure)
    lines = [read(member) for member in measure.members]
    return luckiest(lines) if measure.how == "luckiest" else best(lines)


def best(lines: Sequence[Sample]) -> Sample:
    """Of several points the one that is best on every other run, on the runs between."""
    if len(lines) == 1:
        return lines[0]
    chosen = max(lines, key=lambda line: mean(line[::2]))
    return [value if place % 2 else math.nan for place, value in enumerate(chosen)]


def luckiest(lines: Sequence[Sample]) -> Sample:
    """In each run the largest figure of several points."""
    return [max(run) for run in zip(*lines, strict=True)]


def ratio(a: Sample, b: Sample) -> Sample:
    """Pseudo-values of mean(a) / mean(b) over the runs in which both have a figure."""
    known = [not (math.isnan(x) or math.isnan(y)) for x, y in zip(a, b, strict=True)]
    pairs = [(x, y) for x, y, both in zip(a, b, known, strict=True) if both]
    n, over, under = len(pairs), sum(x for x, _ in pairs), sum(y for _, y in pairs)
    if n == 0 or under <= 0:
        return [math.nan] * len(a)
    made = iter(
        n * over / under - (n - 1) * (over - x) / (under - y) if n > 1 and under > y else over / under for x, y in pairs
    )
    return [next(made) if both else math.nan for both in known]


def mean(values: Sequence[float]) -> float:
    """The mean of what is known; NaN if nothing is."""
    known = [value for value in values if not math.isnan(value)]
    return sum(known) / len(known) if known else math.nan
