"""The search for advice: look at what there is, try what can be set, confirm the best on runs that selected nothing."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from multihop.ceiling.reach import Reach
from multihop.measures.stats import t_quantile
from multihop.record.comparison import Comparison
from multihop.record.record import Records
from multihop.running.plan import Arm, Task
from multihop.running.run import execute, processors
from multihop.scenario.scenario import Scenario, specs
from multihop.store.store import Store

from .advice import Advice, Found, Tried
from .budget import Budget
from .candidates import Candidate, Options, added, options
from .contest import FIRST_RUNS, WORTH, Contest, Entrant
from .limits import limits
from .reasons import why
from .score import Score

FRESH = 1000
"""The runs that confirm have a seed that is higher by this: other draws of the same network."""
LEAST, MOST = 10, 60
"""Runs that confirm."""
SEARCH, MORE = 0.4, 0.7
"""Shares of the budget after which the search among settings of today ends if new software is tried too, and after
which all search ends. The rest confirms."""
NARROW = 0.1
"""So wide, as a share of the gain, the interval shall be to either side."""


class Audience(Protocol):
    """What shows progress."""

    def step(self, text: str) -> None:
        """What is being done now."""


@dataclass
class Maker:
    """Makes runs of one scenario within a budget."""

    task: Task
    """What there is."""
    budget: Budget
    store: Store
    threads: int | None

    def make(self, tasks: Sequence[Task]) -> list[Records]:
        """The runs of some tasks."""
        found = execute(tasks, store=self.store, threads=self.threads, register=False)
        self.budget.spend(found)
        return found

    def first(self, chosen: Sequence[Candidate], runs: int) -> list[Records]:
        """So many runs of what there is and of each candidate, for the search."""
        return self._of(chosen, runs, self.task.seed)

    def fresh(self, chosen: Sequence[Candidate], runs: int, seed: int) -> list[Records]:
        """The same with another seed."""
        return self._of(chosen, runs, seed)

    def _of(self, chosen: Sequence[Candidate], runs: int, seed: int | None) -> list[Records]:
        numbers = range(1, runs + 1)
        return self.make([added(self.task, c.techniques, runs=numbers, seed=seed) for c in (Candidate(()), *chosen)])


def advise(
    scenario: Scenario,
    *,
    techniques: Sequence[str] = (),
    settings: Sequence[str] = (),
    seed: int | None = None,
    minutes: float = 3.0,
    budget_runs: int | None = None,
    can: str | None = None,
    threads: int | None = None,
    store: Store | None = None,
    watch: Audience | None = None,
) -> Advice:
    """Looks for what helps a scenario, in so many minutes or runs.

    With `budget_runs` the answer is the same each time. Raises InputError, ScenarioError, StoreError or RunError.
    """
    budget = Budget(minutes, budget_runs, threads or processors())
    task = Task(scenario, tuple(specs(techniques)), tuple(settings), seed, range(1, FIRST_RUNS + 1))
    arm = Arm.of(task)
    return _Search(Maker(task, budget, store or Store.open(), threads), arm, watch).advise(can)


class _Search:
    """One search under way."""

    def __init__(self, maker: Maker, arm: Arm, watch: Audience | None) -> None:
        self._maker, self._budget, self._arm, self._watch = maker, maker.budget, arm, watch

    def advise(self, can: str | None) -> Advice:
        """The advice."""
        task, info = self._maker.task, self._arm.info
        reach = Reach(self._arm.resolved)
        changing = reach.moves or any(key.startswith("event.") for key in info["values"])
        options(task, can, moving=changing)  # what is asked for is looked at before anything runs
        self._say("looking at what there is")
        [baseline] = self._maker.make([task])
        told = limits(baseline, reach)
        open_ = options(task, can, moving=changing, against=told.against)
        score = Score(baseline.runs, info["measure"]["to_s"] - info["measure"]["from_s"])
        settings = self._contest(open_.today, open_, score, SEARCH if open_.new else MORE)
        best = self._winner(settings, "settings")
        software = self._contest(open_.new, open_, score, MORE)
        newest = self._winner(software, "techniques that need new software")
        found, beyond = self._confirm(best, newest, score)
        tried = [
            Tried(e.candidate, e.gain, e.idle, len(e.runs), why(e, contest.baseline))
            for contest in (settings, software)
            for e in contest.entrants
            if e.runs and e not in (best, newest)
        ]
        return Advice(
            scenario=task.scenario.name,
            techniques=task.techniques,
            settings=task.sets,
            limits=told,
            found=found,
            beyond=beyond,
            tried=tuple(sorted(tried, key=lambda t: -t.gain.mean)),
            left=tuple(open_.left),
            can=can,
            budget=self._budget.words,
            spent=self._budget.spent,
            seconds=self._budget.elapsed_s,
            short=settings.short or software.short,
        )

    def _contest(self, chosen: Sequence[Candidate], open_: Options, score: Score, share: float) -> Contest:
        entrants = [Entrant(candidate) for candidate in chosen]
        fits = lambda runs: runs <= self._budget.left(share)  # noqa: E731
        return Contest(entrants, score, self._maker.first, open_.grow, fits)

    def _winner(self, contest: Contest, what: str) -> Entrant | None:
        if not contest.entrants:
            return None
        self._say(f"trying {len(contest.entrants)} {what}")
        return contest.winner()

    def _confirm(self, best: Entrant | None, newest: Entrant | None, score: Score) -> tuple[Found | None, Found | None]:
        """What did best of either kind on fresh runs; new software only where it is surely the better one."""
        chosen = [entrant for entrant in (best, newest) if entrant]
        if not chosen:
            return None, None
        runs = self._runs(chosen)
        names = " and ".join(entrant.candidate.label for entrant in chosen)
        self._say(f"confirming {names} with {runs} fresh runs")
        seed = int(self._arm.info["seed"]) + FRESH
        baseline, *others = self._maker.fresh([entrant.candidate for entrant in chosen], runs, seed)
        made = {
            entrant.candidate.label: Found(
                entrant.candidate, score.gain(baseline.runs, other.runs), Comparison([baseline, other]), seed
            )
            for entrant, other in zip(chosen, others, strict=True)
        }
        found = made.get(best.candidate.label) if best else None
        beyond = made.get(newest.candidate.label) if newest else None
        if beyond and found and found.helps:
            arms = found.comparison.arms[1], beyond.comparison.arms[1]
            if score.gain(arms[0].runs, arms[1].runs).low <= WORTH:
                beyond = None
        return found, beyond if beyond and beyond.helps else None

    def _runs(self, chosen: Sequence[Entrant]) -> int:
        """As many as the spread in the search asks for, and the budget has room for."""
        wanted = max(_enough(entrant) for entrant in chosen)
        room = self._budget.left() // (1 + len(chosen))
        return max(LEAST, min(wanted, MOST, room))

    def _say(self, text: str) -> None:
        if self._watch:
            self._watch.step(text)


def _enough(entrant: Entrant) -> int:
    """Runs after which the interval is narrow enough, by the spread in the search."""
    gain = entrant.gain
    spread = gain.half * math.sqrt(gain.n) / t_quantile(gain.n - 1)
    wanted = max(WORTH / 2, NARROW * abs(gain.mean))
    return math.ceil((2 * spread / wanted) ** 2)
