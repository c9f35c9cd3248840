"""Which candidate is best: sequential halving on paired runs, within a budget of processor time.

All candidates get a few runs, the better half goes on with twice as many, and so on (Karnin, Koren & Somekh, ICML
2013). Runs share their random streams with the baseline, so differences are taken run by run. After the first round
the best are also tried together. The winner is confirmed elsewhere, on runs that selected nothing.

Weighed: `SuccessiveHalvingPruner` of optuna and `scikit-optimize`. Both look at one candidate at a time and cannot
use the pairing; the rule itself is a dozen lines.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from multihop.measures.stats import Paired
from multihop.record.record import Records

from .candidates import Candidate
from .score import Score

FIRST_RUNS = 3
"""Runs of each candidate in the first round."""
PARTNERS = 3
"""The best so many are tried in pairs."""
MOST_ROUNDS = 4


@dataclass
class Entrant:
    """A candidate and how it has done so far."""

    candidate: Candidate
    pair: Paired | None = None
    """Its difference to the baseline in the last round that it took part in."""
    runs: int = 0
    fell: int = 0
    """The round after which it was out; 0 if it never was."""

    @property
    def gain(self) -> float:
        """Mean difference of the score."""
        return self.pair.difference.mean if self.pair else -math.inf

    @property
    def idle(self) -> bool:
        """Whether it changed nothing in any run."""
        return self.pair is not None and self.pair.verdict == "equal"


@dataclass
class Contest:
    """Candidates under way to the best one."""

    entrants: list[Entrant]
    score: Score
    run: Callable[[Sequence[Candidate], int], list[Records]]
    """Makes so many runs of the baseline and of each candidate, the baseline first."""
    join: Callable[[Candidate, Candidate], Candidate | None]
    affordable: Callable[[int], bool]
    """Whether so many runs more fit into the budget."""
    short: bool = field(default=False)
    """Whether the budget ended it early."""

    def winner(self) -> Entrant | None:
        """The candidate that does best; None if none does better than the baseline."""
        left, runs = list(self.entrants), FIRST_RUNS
        for turn in range(1, MOST_ROUNDS + 1):
            if not left or not self._afford(len(left) + 1, runs):
                break
            self._round(left, runs)
            for entrant in left:
                entrant.fell = turn if entrant.idle or entrant.gain <= 0 else 0
            left = sorted((e for e in left if not e.fell), key=lambda e: -e.gain)
            if turn == 1:
                left += self._pairs(left)
                if turn == 1 and len(left) > 1 and self._afford(len(left) + 1, runs):
                    fresh = [e for e in left if e.pair is None]
                    if fresh:
                        self._round(fresh, runs)
                    left = sorted((e for e in left if e.gain > 0), key=lambda e: -e.gain)
            if len(left) <= 1:
                break
            keep = math.ceil(len(left) / 2)
            for entrant in left[keep:]:
                entrant.fell = turn
            left, runs = left[:keep], runs * 2
        done = [e for e in self.entrants if e.pair and not e.fell]
        return max(done, key=lambda e: (e.runs, e.gain), default=None)

    def _afford(self, arms: int, runs: int) -> bool:
        fits = self.affordable(arms * runs)
        self.short = self.short or not fits
        return fits

    def _round(self, entrants: Sequence[Entrant], runs: int) -> None:
        baseline, *others = self.run([e.candidate for e in entrants], runs)
        for entrant, records in zip(entrants, others, strict=True):
            entrant.pair, entrant.runs = self.score.pairs(baseline.runs, records.runs), runs

    def _pairs(self, ranked: Sequence[Entrant]) -> list[Entrant]:
        """The best few in pairs, as new entrants."""
        found = []
        for one, other in itertools.combinations([e.candidate for e in ranked[:PARTNERS]], 2):
            if (both := self.join(one, other)) is not None:
                found.append(Entrant(both))
        self.entrants += found
        return found
