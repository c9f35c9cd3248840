"""`--until FIGURE:WIDTH`: runs are added, point by point, until the 95 % interval of a figure is that narrow.

The rule is sequential: after each batch the runs that the interval needs are estimated from its present width, and at
most a fifth is added before the next look. So a point ends with at most a fifth more runs than it needs. Looking again
and again makes intervals slightly too narrow (Law, *Simulation Modeling and Analysis*, section 9.4.1).
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

from multihop.errors import InputError
from multihop.measures.figures import everywhere
from multihop.measures.stats import estimate, t_quantile
from multihop.scenario.scenario import nearest

LEAST_RUNS = 5
"""Runs before the first look: fewer say too little of the spread."""
MOST_RUNS = 1000
"""Runs of a point, unless the user sets another bound."""
SHORT = {"goodput": "goodput_bps", "rtt": "rtt_mean_s", "delay": "delay_mean_s", "energy": "energy_j"}
"""Names that people use for figures."""


@dataclass(frozen=True, slots=True)
class Until:
    """How narrow the interval of a figure must be."""

    figure: str
    """A figure of a whole run."""
    share: float
    """Half the width of the interval, as a share of the mean."""
    most: int = MOST_RUNS
    """Runs of a point at most."""

    def next(self, values: Sequence[float], runs: int) -> int:
        """How many runs the point should have now: `runs` if it is done."""
        found = estimate(values[:runs])
        if runs >= self.most or (found.n == 0 and runs >= LEAST_RUNS):
            return runs
        if found.n < 2:
            return min(self.most, max(LEAST_RUNS, runs + 1))
        if found.half <= self.share * abs(found.mean):
            return runs
        spread = found.half * math.sqrt(found.n) / t_quantile(found.n - 1)
        wanted = abs(found.mean) * self.share
        needed = math.ceil((t_quantile(found.n - 1) * spread / wanted) ** 2) if wanted > 0 else self.most
        return min(self.most, max(runs + 1, min(needed, runs + runs // 5)))


def until(text: str, most: int = MOST_RUNS) -> Until:
    """Reads `goodput:2%`; raises InputError."""
    found = re.fullmatch(r"\s*([A-Za-z0-9_.-]+)\s*:\s*(\d+\.?\d*)\s*%\s*", text)
    if not found:
        raise InputError(f"--until: a figure and a width in percent are expected, like `goodput:2%`, not `{text}`")
    name, share = found[1].replace("-", "_"), float(found[2]) / 100
    known = everywhere()
    figure = next(
        (f for f in (name, SHORT.get(name, ""), *(f for f in known if known[f].metric == found[1])) if f in known), ""
    )
    if not figure:
        raise InputError(f"--until: there is no figure `{found[1]}`{nearest(name, [*known, *SHORT])}")
    if not 0 < share < 1:
        raise InputError(f"--until: the width must lie between 0 % and 100 %, not {found[2]} %")
    if most < LEAST_RUNS:
        raise InputError(f"--most must be at least {LEAST_RUNS}, not {most}")
    return Until(figure, share, most)
