"""By what settings are compared: the geometric mean of what the flows get.

Twice as much for one flow counts as much as for another (proportional fairness; Kelly, Maulloo & Tan, J. Oper. Res.
Soc. 49, 1998). So a cure for a flow that starves counts, and one that feeds the strong by starving the weak does not.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from multihop.measures.stats import Estimate, t_quantile
from multihop.measures.summary import COMPLETION, is_file

FLOOR = 0.01
"""Share of the mean goodput that is added to each of several flows: one that gets nothing does not make all else
worthless."""
LEAST_BPS = 1.0
"""What is added at least [bit/s]."""

Runs = Sequence[Mapping[str, Any]]


def goodputs(run: Mapping[str, Any], duration_s: float) -> list[float]:
    """What each flow of a run gets [bit/s]: of a file, its bytes over the time that it took."""
    found = []
    for flow in run["flows"]:
        if is_file(flow):
            took = flow.get(COMPLETION) or duration_s
            found.append(8 * float(flow["delivered_bytes"]) / max(took, 1e-9))
        else:
            found.append(float(flow["goodput_bps"]))
    return found


class Score:
    """Measures gains, on the scale of one baseline."""

    def __init__(self, baseline: Runs, duration_s: float) -> None:
        self._duration_s = duration_s
        every = self._of(baseline)
        several = every.shape[1] > 1
        self._floor = max(LEAST_BPS, FLOOR * float(every.mean()) if several else 0.0)

    def gain(self, baseline: Runs, other: Runs) -> Estimate:
        """How much more the typical flow gets on average, as a logarithm; position i of both is the same run.

        Of each flow the ratio of its means over the runs is taken, and of all flows the geometric mean. The interval is
        a t-interval with the standard error of the jackknife over runs, so that it knows of the pairing.
        """
        x, y = self._of(baseline) + self._floor, self._of(other) + self._floor
        n = len(x)
        gain = float(np.log(y.mean(0) / x.mean(0)).mean())
        if n < 2:
            return Estimate(gain, math.nan, n)
        without = np.log((y.sum(0) - y) / (x.sum(0) - x)).mean(1)
        error = math.sqrt((n - 1) / n * float(((without - without.mean()) ** 2).sum()))
        return Estimate(gain, t_quantile(n - 1) * error, n)

    def same(self, baseline: Runs, other: Runs) -> bool:
        """Whether every flow gets the same in every run."""
        return bool(np.array_equal(self._of(baseline), self._of(other)))

    def _of(self, runs: Runs) -> np.ndarray:
        return np.array([goodputs(run, self._duration_s) for run in runs], dtype=float)


def percent(logarithm: float) -> float:
    """A difference of logarithms as a gain in percent."""
    return 100 * math.expm1(logarithm)
