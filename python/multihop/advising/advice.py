"""What `advise` answers: what limits a network, what to do first, what it costs, what does not help, and how surely."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from typing import Any

from multihop.measures.stats import Estimate
from multihop.record.comparison import Comparison, Row, better
from multihop.record.document import head
from multihop.scenario.scenario import label

from .candidates import Candidate, Left
from .contest import WORTH
from .limits import Limits
from .score import percent

COSTS = ("jain", "delay_mean_s", "energy_j", "energy_per_bit_j", "dropped")
"""Figures that a change may cost or improve besides: fairness, delay, energy, losses."""


@dataclass(frozen=True)
class Found:
    """A candidate that did best in the search, confirmed on fresh runs."""

    candidate: Candidate
    gain: Estimate
    """More goodput of the typical flow than what there is gives, as a logarithm, on runs that selected nothing."""
    comparison: Comparison
    """These runs of both."""
    seed: int
    """Seed of these runs."""

    @property
    def helps(self) -> bool:
        """Whether it is surely better, and by enough to matter."""
        return self.gain.low > 0 and self.gain.mean >= WORTH

    @property
    def runs(self) -> int:
        """How many fresh runs of each there are."""
        return len(self.comparison.runs)

    @property
    def interval(self) -> tuple[float, float, float]:
        """Gain with the ends of its 95 % interval [%]."""
        return percent(self.gain.mean), percent(self.gain.low), percent(self.gain.high)

    def changes(self) -> list[Row]:
        """What surely changes besides goodput: fairness, delay, energy, losses; and flows that get less."""
        comparison, arm = self.comparison, self.comparison.arms[1]
        flows = [str(flow["id"]) for flow in comparison.baseline.runs[0]["flows"]]
        rows = [comparison.row(arm, name) for name in COSTS if name != "jain" or len(flows) > 1]
        if len(flows) > 1:
            each = [comparison.row(arm, comparison.headline(flow), flow) for flow in flows]
            rows += sorted((row for row in each if better(row) is False), key=lambda row: row.pair.difference.mean)
        return [row for row in rows if row.adjusted_verdict in ("higher", "lower") and row.matters]

    def json(self) -> dict[str, Any]:
        """As `advice` and `new_software` of the document."""
        mean, low, high = self.interval
        return {
            "techniques": list(self.candidate.techniques),
            "where": self.candidate.where,
            "devices": [{"where": part.where, "command": part.device} for part in self.candidate.parts],
            "settings": self.candidate.settings,
            "helps": self.helps,
            "gain_percent": {"mean": mean, "ci95": [low, high]},
            "runs": self.runs,
            "seed": self.seed,
            "changes": [row.json() for row in self.changes()],
        }


@dataclass(frozen=True, slots=True)
class Tried:
    """A candidate that was not chosen."""

    candidate: Candidate
    gain: Estimate
    """In the runs that it had, as a logarithm."""
    idle: bool
    """Whether it changed nothing in any run."""
    runs: int
    why: str
    """Why it is no advice."""

    def json(self) -> dict[str, Any]:
        """As in `tried[]` of the document."""
        known = self.gain.half == self.gain.half  # not NaN
        ends = [percent(self.gain.low), percent(self.gain.high)] if known else None
        return {
            "techniques": list(self.candidate.techniques),
            "gain_percent": {"mean": percent(self.gain.mean), "ci95": ends},
            "runs": self.runs,
            "idle": self.idle,
            "why": self.why,
        }


@dataclass(frozen=True)
class Advice:
    """What to do, and how sure that is."""

    scenario: str
    techniques: tuple[str, ...]
    """What is in use already."""
    settings: tuple[str, ...]
    limits: Limits
    found: Found | None
    """What did best of all that can be set today; None if nothing did better than what there is."""
    beyond: Found | None
    """The same of what needs new software, if that was asked for, and if it is confirmed to do better still."""
    tried: tuple[Tried, ...]
    """The others, the best first."""
    left: tuple[Left, ...]
    """What was not tried."""
    can: str | None
    budget: str
    """`3 min`."""
    spent: int
    """Runs that were looked at."""
    seconds: float
    """Wall time that it took [s]."""
    short: bool
    """Whether the budget ended the search early."""

    @property
    def helps(self) -> bool:
        """Whether something that can be set today is confirmed to help."""
        return self.found is not None and self.found.helps

    @property
    def interval(self) -> tuple[float, float, float] | None:
        """Gain of the best that was found with the ends of its 95 % interval, on fresh runs [%]."""
        return self.found.interval if self.found else None

    def command(self, found: Found) -> str:
        """A `compare` that repeats the confirmation."""
        arms = f"{label(self.techniques)},{label((*self.techniques, *found.candidate.techniques))}"
        words = ["multihop", "compare", self.scenario, "-t", arms, "-n", str(found.runs), "--seed", str(found.seed)]
        words += [word for setting in self.settings for word in ("--set", setting)]
        return shlex.join(words)

    def json(self) -> dict[str, Any]:
        """The document of `advise --json` (schema 1)."""
        return {
            **head(),
            "name": self.scenario,
            "techniques": list(self.techniques),
            "settings": list(self.settings),
            "can": self.can,
            "limits": [limit.json() for limit in self.limits.flows],
            "believed": self.limits.believed or None,
            "helps": self.helps,
            "advice": self._document(self.found),
            "new_software": self._document(self.beyond),
            "tried": [tried.json() for tried in self.tried],
            "not_tried": [{"technique": left.label, "why": left.why} for left in self.left],
            "runs": self.spent,
            "short": self.short,
        }

    def _document(self, found: Found | None) -> dict[str, Any] | None:
        return None if found is None else {**found.json(), "command": self.command(found)}
