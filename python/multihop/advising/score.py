"""By what settings are compared: the geometric mean of what the flows get.

Twice as much for one flow counts as much as for another (proportional fairness; Kelly, Maulloo & Tan, 1998). So a cure
for a flow that starves counts, and one that feeds the strong by starving the weak does not. A hundredth of the mean
goodput is added to each, so that a flow that gets nothing does not make everything else worthless.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from multihop.measures.stats import Paired, paired
from multihop.measures.summary import COMPLETION, is_file

FLOOR = 0.01
"""Share of the mean goodput that is added to each flow."""


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
    """Scores of runs, on the scale of one baseline."""

    def __init__(self, baseline: Sequence[Mapping[str, Any]], duration_s: float) -> None:
        every = [g for run in baseline for g in goodputs(run, duration_s)]
        self._duration_s = duration_s
        self._floor = FLOOR * sum(every) / len(every) if any(every) else 1.0

    def __call__(self, run: Mapping[str, Any]) -> float:
        """The mean logarithm of what the flows get."""
        found = [math.log(g + self._floor) for g in goodputs(run, self._duration_s)]
        return sum(found) / len(found)

    def pairs(self, baseline: Sequence[Mapping[str, Any]], other: Sequence[Mapping[str, Any]]) -> Paired:
        """The difference of the logarithms, run by run."""
        return paired([self(run) for run in baseline], [self(run) for run in other])


def percent(logarithm: float) -> float:
    """A difference of logarithms as a gain in percent."""
    return 100 * math.expm1(logarithm)
