"""Advice on a scenario: look at it, try what can be set, confirm the best on runs that selected nothing."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from multihop.ceiling.reach import Reach
from multihop.errors import InputError
from multihop.measures.stats import Estimate, Paired
from multihop.record.comparison import Comparison
from multihop.record.record import Records
from multihop.running.plan import Arm, Task
from multihop.running.run import execute, processors
from multihop.scenario.scenario import Scenario, specs
from multihop.store.store import Store

from .candidates import Candidate, candidates, together
from .contest import FIRST_RUNS, Contest, Entrant
from .limits import Limit, limits
from .score import Score, percent

FRESH = 1001
"""Number of the first run that confirms: those that selected are far below."""
LEAST, MOST = 8, 40
"""Runs that confirm."""
SHARE = 0.65
"""Share of the budget that goes to the search; the rest confirms."""
WORTH = 0.02
"""A gain below this is not worth a change, however sure it is."""
COSTS = ("jain", "delay_mean_s", "energy_j", "dropped")
"""Figures that a change may cost."""


class Audience(Protocol):
    """What shows progress."""

    def step(self, text: str) -> None:
        """What is being done now."""


@dataclass(frozen=True, slots=True)
class Tried:
    """A candidate that was not chosen."""

    candidate: Candidate
    gain: float
    """Mean gain in the runs that it had, as a logarithm."""
    idle: bool
    """Whether it changed nothing in any run."""
    runs: int


@dataclass(frozen=True)
class Advice:
    """What to do, and how sure that is."""

    scenario: str
    techniques: tuple[str, ...]
    """What is in use already."""
    limits: tuple[Limit, ...]
    choice: Candidate | None
    """What did best in the search; None if nothing did better than what there is."""
    gain: Paired | None
    """The choice against what there is on fresh runs, as a difference of logarithms."""
    comparison: Comparison | None
    """The fresh runs of both."""
    tried: tuple[Tried, ...]
    """The others, the best first."""
    seconds: float
    """Wall time that it took [s]."""
    short: bool
    """Whether the budget ended the search early."""
    settings: tuple[str, ...] = ()
    seed: int | None = None

    @property
    def helps(self) -> bool:
        """Whether the choice is confirmed: surely better, and by enough to matter."""
        return self.gain is not None and self.gain.difference.low > 0 and self.gain.difference.mean >= WORTH

    @property
    def interval(self) -> tuple[float, float, float]:
        """Gain in percent with its 95 % interval, on fresh runs."""
        found: Estimate = self.gain.difference if self.gain else Estimate(float("nan"), float("nan"), 0)
        return percent(found.mean), percent(found.low), percent(found.high)

    def command(self) -> str:
        """A `compare` that repeats the confirmation's question."""
        if self.choice is None:
            return ""
        base, other = "+".join(self.techniques) or "none", "+".join((*self.techniques, *self.choice.techniques))
        quoted = f'"{base},{other}"' if " " in other else f"{base},{other}"
        sets = "".join(f' --set "{setting}"' for setting in self.settings)
        seed = f" --seed {self.seed}" if self.seed is not None else ""
        runs = len(self.comparison.runs) if self.comparison else 10
        return f"multihop compare {self.scenario} -t {quoted} -n {runs}{sets}{seed}"

    def json(self) -> dict[str, Any]:
        """The document of `advise --json` (schema 1)."""
        mean, low, high = self.interval
        return {
            "schema": 1,
            "scenario": self.scenario,
            "techniques": list(self.techniques),
            "limits": [{"flow": x.flow, "words": x.words(), "cause": x.cause or None} for x in self.limits],
            "advice": list(self.choice.techniques) if self.choice and self.helps else None,
            "best": list(self.choice.techniques) if self.choice else None,
            "gain_percent": None if self.gain is None else {"mean": mean, "ci95": [low, high]},
            "runs": len(self.comparison.runs) if self.comparison else 0,
            "costs": [row.json() for row in self.costs()],
            "tried": [
                {"techniques": list(t.candidate.techniques), "gain_percent": percent(t.gain), "runs": t.runs}
                for t in self.tried
            ],
            "command": self.command() or None,
        }

    def costs(self) -> list[Any]:
        """What changes beside: fairness, delay, energy, packets dropped; and each flow's headline."""
        if self.comparison is None:
            return []
        arm = self.comparison.arms[1]
        flows = [str(flow["id"]) for flow in self.comparison.baseline.runs[0]["flows"]]
        figures = [name for name in COSTS if name != "jain" or len(flows) > 1]
        rows = [self.comparison.row(arm, "goodput_bps"), *(self.comparison.row(arm, name) for name in figures)]
        return [row for row in rows if row.baseline.n and row.other.n]


def advise(
    scenario: Scenario,
    *,
    techniques: Sequence[str] = (),
    settings: Sequence[str] = (),
    seed: int | None = None,
    minutes: float = 3.0,
    can: str = "both",
    threads: int | None = None,
    store: Store | None = None,
    watch: Audience | None = None,
) -> Advice:
    """Looks for what helps a scenario, in so many minutes; raises InputError, ScenarioError, StoreError, RunError."""
    if not 0 < minutes <= 24 * 60:
        raise InputError(f"--minutes must lie above 0 and be at most {24 * 60}, not {minutes:g}")
    base = tuple(specs(techniques))
    return _Search(scenario, base, tuple(settings), seed, minutes, threads, store or Store.open(), watch).advise(can)


class _Search:
    """One search under way."""

    def __init__(
        self,
        scenario: Scenario,
        base: tuple[str, ...],
        settings: tuple[str, ...],
        seed: int | None,
        minutes: float,
        threads: int | None,
        store: Store,
        watch: Audience | None,
    ) -> None:
        self._scenario, self._base, self._settings, self._seed = scenario, base, settings, seed
        self._threads, self._store, self._watch = threads, store, watch
        self._at_once = threads or processors()
        self._start, self._end = time.monotonic(), time.monotonic() + 60 * minutes
        self._run_s = 0.0

    def advise(self, can: str) -> Advice:
        """The advice."""
        self._say("looking at what there is")
        arm = Arm.of(self._task((), range(1, FIRST_RUNS + 1)))
        if not arm.info["flows"]:
            raise InputError(f"{self._scenario.name} has no flow: there is nothing to advise on")
        duration = arm.info["measure"]["to_s"] - arm.info["measure"]["from_s"]
        [baseline] = self._execute([arm.task])
        self._run_s = sum(r.manifest.wall_s for r in baseline) / len(baseline)
        found = limits(baseline, Reach(arm.resolved))
        options = candidates(self._scenario, self._base, self._settings, self._seed, can)
        score = Score(baseline.runs, duration)
        contest = Contest([Entrant(c) for c in options], score, self._run, self._join, self._affordable)
        self._say(f"trying {len(options)} settings")
        best = contest.winner() if options else None
        gain, comparison = self._confirm(best.candidate, score) if best else (None, None)
        tried = [
            Tried(e.candidate, e.gain, e.idle, e.runs) for e in contest.entrants if e is not best and e.pair is not None
        ]
        return Advice(
            self._scenario.name,
            self._base,
            tuple(found),
            best.candidate if best else None,
            gain,
            comparison,
            tuple(sorted(tried, key=lambda t: -t.gain)),
            time.monotonic() - self._start,
            contest.short,
            self._settings,
            self._seed,
        )

    def _confirm(self, candidate: Candidate, score: Score) -> tuple[Paired, Comparison]:
        """Baseline and candidate on runs that selected nothing."""
        left = max(0.0, self._end - time.monotonic())
        runs = int(left * self._at_once / (2 * self._run_s)) if self._run_s > 0 else MOST
        runs = max(LEAST, min(MOST, runs))
        self._say(f"confirming {candidate.label} with {runs} fresh runs")
        numbers = range(FRESH, FRESH + runs)
        arms = self._execute([self._task((), numbers), self._task(candidate.techniques, numbers)])
        return score.pairs(arms[0].runs, arms[1].runs), Comparison(arms)

    def _run(self, chosen: Sequence[Candidate], runs: int) -> list[Records]:
        numbers = range(1, runs + 1)
        found = self._execute([self._task((), numbers), *(self._task(c.techniques, numbers) for c in chosen)])
        seconds = [r.manifest.wall_s for records in found for r in records]
        self._run_s = sum(seconds) / len(seconds)
        return found

    def _join(self, one: Candidate, other: Candidate) -> Candidate | None:
        return together(one, other, self._scenario, self._base, self._settings)

    def _affordable(self, runs: int) -> bool:
        search_end = self._start + SHARE * (self._end - self._start)
        return time.monotonic() + runs * self._run_s / self._at_once <= search_end

    def _task(self, added: Sequence[str], numbers: Sequence[int]) -> Task:
        return Task(self._scenario, (*self._base, *added), self._settings, self._seed, numbers)

    def _execute(self, tasks: Sequence[Task]) -> list[Records]:
        return execute(tasks, store=self._store, threads=self._threads, register=False)

    def _say(self, text: str) -> None:
        if self._watch:
            self._watch.step(text)
