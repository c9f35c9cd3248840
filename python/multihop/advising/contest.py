"""Which candidate is best: sequential halving on paired runs, with early stopping, within a budget.

All candidates get a few runs, the better half goes on with twice as many, and so on (Karnin, Koren & Somekh, ICML
2013). Runs share their random streams with the baseline, so differences are taken run by run. After the first round
what lies beside the best is tried too, and pairs of the best. A candidate that is surely worse than the leader is out
at once, and the contest ends when the rest are as good as the leader (racing; Maron & Moore, NIPS 1993). The winner is
confirmed elsewhere, on runs that selected nothing.

Weighed: optuna, scikit-optimize, nevergrad and ax look for minima over continuous spaces, one candidate at a time, or
prune a learning curve; MABWiser and SMPyBandits want to earn while they learn. None of them knows of pairs of runs.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from multihop.measures.stats import Estimate
from multihop.record.record import Records

from .candidates import Candidate
from .score import Runs, Score

FIRST_RUNS = 3
"""Runs of each candidate in the first round."""
MOST_ROUNDS = 4
WORTH = 0.02
"""A gain below this is not worth a change, however sure it is; nor is it worth a second change beside the first."""


@dataclass
class Entrant:
    """A candidate and how it has done so far."""

    candidate: Candidate
    runs: Runs = ()
    """Its runs."""
    gain: Estimate = field(default_factory=lambda: Estimate(-math.inf, math.nan, 0))
    """Against the baseline, as a logarithm."""
    idle: bool = False
    """Whether it changed nothing in any run."""

    @property
    def better(self) -> bool:
        """Whether it did better than the baseline on average."""
        return not self.idle and self.gain.mean > 0


@dataclass
class Contest:
    """Candidates under way to the best one."""

    entrants: list[Entrant]
    score: Score
    run: Callable[[Sequence[Candidate], int], list[Records]]
    """Makes so many runs of the baseline and of each candidate, the baseline first."""
    grow: Callable[[Sequence[Candidate]], list[Candidate]]
    """What to try besides, by those that are better than the baseline, the best first."""
    fits: Callable[[int], bool]
    """Whether so many runs more fit into the budget."""
    short: bool = False
    """Whether the budget ended it early."""
    baseline: Runs = ()
    """The longest runs of the baseline."""

    def winner(self) -> Entrant | None:
        """The candidate that does best; None if none does better than the baseline."""
        runs = FIRST_RUNS
        better = self._round(self._fitting(self.entrants, runs), runs)
        grown = [Entrant(candidate) for candidate in self.grow([e.candidate for e in better])] if better else []
        grown = self._fitting(grown, runs)
        self.entrants += grown
        left = self._without_losers([*better, *self._round(grown, runs)])
        for _ in range(MOST_ROUNDS - 1):
            left = left[: math.ceil(len(left) / 2)]
            if self._settled(left):
                break
            if not self._fits(left, 2 * runs):
                break
            runs *= 2
            left = self._without_losers(self._round(left, runs))
        return self._simplest(left[0]) if left else None

    def _fits(self, entrants: Sequence[Entrant], runs: int) -> bool:
        missing = [runs - len(self.baseline), *(runs - len(entrant.runs) for entrant in entrants)]
        fits = self.fits(sum(max(0, n) for n in missing))
        self.short = self.short or not fits
        return fits

    def _fitting(self, entrants: list[Entrant], runs: int) -> list[Entrant]:
        """The first of them, as many as the budget has room for."""
        fitting = list(entrants)
        while fitting and not self._fits(fitting, runs):
            fitting.pop()
        return fitting

    def _round(self, entrants: Sequence[Entrant], runs: int) -> list[Entrant]:
        """Gives each so many runs; those that did better than the baseline, the best first."""
        if not entrants:
            return []
        baseline, *others = (records.runs for records in self.run([e.candidate for e in entrants], runs))
        if len(baseline) > len(self.baseline):
            self.baseline = baseline
        for entrant, made in zip(entrants, others, strict=True):
            entrant.runs = made
            entrant.gain = self.score.gain(baseline, made)
            entrant.idle = self.score.same(baseline, made)
        return sorted((e for e in entrants if e.better), key=lambda e: -e.gain.mean)

    def _without_losers(self, entrants: list[Entrant]) -> list[Entrant]:
        """The best first, and those that are not surely worse than it."""
        ranked = sorted(entrants, key=lambda e: -e.gain.mean)
        return [e for e in ranked if e is ranked[0] or not self.above(ranked[0], e).low > 0]

    def above(self, one: Entrant, other: Entrant) -> Estimate:
        """How much better one is than another, on the runs that both have."""
        n = min(len(one.runs), len(other.runs))
        return self.score.gain(other.runs[:n], one.runs[:n])

    def _settled(self, left: Sequence[Entrant]) -> bool:
        """Whether it hardly matters which of them wins."""
        if len(left) < 2:
            return True
        return all(self.above(left[0], other).high < WORTH / 2 for other in left[1:])

    def _simplest(self, winner: Entrant) -> Entrant:
        """A part of the winner, if the rest of it adds next to nothing."""
        whole = {*winner.candidate.techniques}
        parts = [e for e in self.entrants if e.better and {*e.candidate.techniques} < whole]
        enough = [e for e in parts if self.above(winner, e).mean < WORTH]
        return max(enough, key=lambda e: e.gain.mean, default=winner)
