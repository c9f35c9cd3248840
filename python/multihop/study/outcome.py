"""Running a study and judging it: from a selection to verdicts and the public document."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from multihop import _engine
from multihop.run import Task, execute
from multihop.scenario import Scenario, specs

from .judge import Verdict, judge
from .model import TIERS, Study
from .results import Cell, Results, scenario_at
from .select import Selection, select

if TYPE_CHECKING:
    from multihop.record import Records
    from multihop.run import Watcher
    from multihop.store import Store

SCHEMA = 1
"""Version of the document that `multihop reproduce --json` prints; it only ever gains fields."""


@dataclass(frozen=True)
class Outcome:
    """A study that was run, with a verdict on each selected claim."""

    selection: Selection
    results: Results
    verdicts: tuple[Verdict, ...]
    quick: bool
    runs: int
    stored: int
    wall_s: float

    @property
    def study(self) -> Study:
        """The study."""
        return self.selection.study

    @property
    def judged(self) -> list[Verdict]:
        """The verdicts that count: no parameters, and nothing of tier `info`."""
        return [v for v in self.verdicts if v.claim.counted and v.claim.tier != "info"]

    def verdict(self, claim: str) -> Verdict | None:
        """The verdict on a claim by its id."""
        return next((v for v in self.verdicts if v.claim.id == claim), None)

    def counts(self) -> dict[str, dict[str, int]]:
        """By tier: how many hold, do not hold, are open; parameters apart."""
        found: dict[str, dict[str, int]] = {}
        for verdict in self.verdicts:
            tier = verdict.claim.tier if verdict.claim.counted else "parameters"
            found.setdefault(tier, {"holds": 0, "fails": 0, "open": 0})[_word(verdict.holds)] += 1
        order = [*TIERS, "parameters"]
        return {tier: found[tier] for tier in order if tier in found}

    def document(self) -> dict[str, Any]:
        """The public JSON document: schema 1."""
        return {
            "schema": SCHEMA,
            "study": self.study.name,
            "part": self.selection.part or None,
            "quick": self.quick,
            "engine": {"version": _engine.VERSION, "build": _engine.BUILD},
            "runs": self.runs,
            "from_store": self.stored,
            "wall_s": self.wall_s,
            "counts": self.counts(),
            "claims": [claim_document(verdict) for verdict in self.verdicts],
        }


def reproduce(
    study: Study,
    part: str = "",
    *,
    quick: bool = False,
    fresh: bool = False,
    threads: int | None = None,
    store: Store | None = None,
    watch: Watcher | None = None,
) -> Outcome:
    """Run what the selected part needs, all in one batch, and judge its claims.

    Runs that the store already has are not run again unless `fresh`.
    """
    selection, begun = select(study, part), time.monotonic()
    wanted = selection.points()
    tasks = []
    for point in wanted:
        experiment = study.experiments[point.experiment]
        count = min(experiment.runs, experiment.quick.runs) if quick else experiment.runs
        numbers = tuple(range(experiment.first_run, experiment.first_run + count))
        scenario = Scenario(f"{study.name}/{experiment.name}", scenario_at(experiment, point), experiment.source)
        sets = experiment.quick.sets if quick else ()
        tasks.append(Task(scenario, tuple(specs(point.technique)), sets, None, numbers))
    # a study is not what `multihop plot` or `report` mean by the latest record
    records = execute(tasks, store=store, fresh=fresh, threads=threads, watch=watch, register=False)
    results = Results([Cell(p, r.scenario, list(r)) for p, r in zip(wanted, records, strict=True)])
    verdicts = tuple(judge(claim, results) for claim in selection.claims)
    return Outcome(
        selection,
        results,
        verdicts,
        quick,
        _total(records),
        sum(r.store_hits for r in records),
        time.monotonic() - begun,
    )


def claim_document(verdict: Verdict) -> dict[str, Any]:
    """One element of `claims[]`."""
    claim, ci95 = verdict.claim, verdict.ci95
    return {
        "id": claim.id,
        "tier": claim.tier,
        "counted": claim.counted,
        "where": claim.where,
        "text": claim.text,
        "unit": claim.unit,
        "paper": claim.paper,
        "ours": verdict.ours,
        "ours_unit": verdict.unit,
        "ci95": None if ci95 is None else list(ci95),
        "band": verdict.rule,
        "holds": verdict.holds,
        "reason": verdict.reason,
        "changed": claim.changed or None,
        "points": [
            {
                "at": f.label,
                "ours": _or_none(f.outcome.interval.value),
                "ci95": [_or_none(f.outcome.interval.low), _or_none(f.outcome.interval.high)],
                "runs": f.n,
                "band": f.band,
                "holds": f.outcome.holds,
            }
            for f in verdict.findings
        ],
    }


def tally(verdicts: Sequence[Verdict]) -> Counter[str]:
    """How many hold, fail and are open."""
    return Counter(_word(v.holds) for v in verdicts)


def _word(holds: bool | None) -> str:
    return {True: "holds", False: "fails", None: "open"}[holds]


def _or_none(value: float) -> float | None:
    return value if abs(value) < float("inf") else None


def _total(records: Sequence[Records]) -> int:
    return sum(len(r) for r in records)
