"""Running a study and judging it: from a selection to verdicts and the public document."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from multihop import _engine
from multihop.errors import RecordError
from multihop.record.record import Record, Records, different
from multihop.running.run import Task, execute
from multihop.scenario.scenario import Scenario, specs
from multihop.text import plural

from .claim import TIERS, Claim
from .judge import Verdict, figures_hold, judge
from .measure import Point
from .metrics import evaluate
from .model import Reading, Study, places_in_words
from .results import Cell, Results, scenario_at
from .select import Selection, select
from .view import Lean

if TYPE_CHECKING:
    import pandas as pd

    from multihop.running.run import Watcher
    from multihop.store.store import Store

Execute = Callable[[Sequence[Task]], list[Records]]
"""Runs tasks, or finds them in the store."""
SCHEMA = 1
"""Version of the document that `multihop reproduce --json` prints; it only ever gains fields."""


@dataclass(frozen=True)
class Watch:
    """In how many runs of one technique a watched counter counted, and how much in all."""

    technique: str
    runs: int
    of: int
    total: float


@dataclass(frozen=True)
class Beside:
    """The study in another light: verdicts that are shown beside those that count."""

    reading: Reading
    verdicts: Mapping[str, Verdict]
    #: how many runs were made for it
    runs: int = 0
    watched: tuple[Watch, ...] = ()

    def counts(self) -> dict[str, dict[str, int]]:
        """By tier: how many hold, do not hold, are open."""
        return count_by_tier(self.verdicts.values())


@dataclass(frozen=True, repr=False)
class Outcome:
    """A study that was run, with a verdict on each selected claim."""

    selection: Selection
    results: Results
    verdicts: tuple[Verdict, ...]
    quick: bool
    runs: int
    stored: int
    wall_s: float
    beside: tuple[Beside, ...] = ()

    @property
    def study(self) -> Study:
        """The study."""
        return self.selection.study

    @property
    def label(self) -> str:
        """The study and its part: `ohzahata/fig3`."""
        return self.selection.label

    @property
    def judged(self) -> list[Verdict]:
        """The verdicts that count: no parameters, and nothing of tier `info`."""
        return [v for v in self.verdicts if v.claim.counted and v.claim.tier != "info"]

    def verdict(self, claim: str) -> Verdict | None:
        """The verdict on a claim by its id."""
        return next((v for v in self.verdicts if v.claim.id == claim), None)

    def counts(self) -> dict[str, dict[str, int]]:
        """By tier: how many hold, do not hold, are open; parameters apart."""
        return count_by_tier(self.verdicts)

    @property
    def columns_beside(self) -> list[Beside]:
        """The readings that look at more than a few claims: tables give them a column."""
        return [beside for beside in self.beside if not beside.reading.claims]

    def columns_for(self, verdicts: Iterable[Verdict]) -> list[Beside]:
        """Those of them that say something of one of these claims."""
        shown = {verdict.claim.id for verdict in verdicts}
        return [beside for beside in self.columns_beside if not shown.isdisjoint(beside.verdicts)]

    def also_hold(self, beside: Beside) -> list[str]:
        """Ids of the claims that count and hold, and hold in that light too."""
        found = {v.claim.id for v in self.judged if v.holds}
        return [claim for claim, verdict in beside.verdicts.items() if verdict.holds and claim in found]

    def tells_nothing(self) -> dict[str, list[str]]:
        """Claims that hold with other techniques in the places of their own too, and the readings that show it."""
        found: dict[str, list[str]] = {}
        for beside in self.beside:
            for claim in self.also_hold(beside) if beside.reading.places else ():
                found.setdefault(claim, []).append(beside.reading.name)
        return found

    def tells_nothing_in_words(self) -> dict[str, list[str]]:
        """The same, each reading in words: `drr and persistent-queue swapped`."""
        words = {b.reading.name: places_in_words(b.reading) for b in self.beside if b.reading.places}
        return {claim: [words[name] for name in names] for claim, names in self.tells_nothing().items()}

    def repeats(self) -> dict[str, str]:
        """Claims that count and have the very figures of one before them: they look at the same runs once more."""
        seen: dict[tuple[object, ...], str] = {}
        found = {}
        for verdict in self.judged:
            key = tuple((f.n, f.unit, f.outcome.interval) for f in verdict.findings)
            # figures without any spread, as those of rules, are equal by chance
            if any(math.isfinite(f.outcome.interval.half) and f.outcome.interval.half > 0 for f in verdict.findings):
                earlier = seen.setdefault(key, verdict.claim.id)
                if earlier != verdict.claim.id:
                    found[verdict.claim.id] = earlier
        return found

    def counts_by_list(self) -> dict[str, dict[str, int]]:
        """The counts, each claim judged by the band of the list of claims where the study's own is another."""
        return count_by_tier(v.listed or v for v in self.verdicts)

    def changed_by(self, beside: Beside) -> list[tuple[Verdict, Verdict]]:
        """The verdicts that are others in that light, each with the one there."""
        found = ((verdict, beside.verdicts.get(verdict.claim.id)) for verdict in self.judged)
        return [(verdict, other) for verdict, other in found if other is not None and other.holds is not verdict.holds]

    def points(self) -> pd.DataFrame:
        """What was measured at every point: a row for each experiment, value of each axis, technique and metric, with
        the mean of its runs and the 95 % interval."""
        from .points import table

        return table(self)

    def __repr__(self) -> str:
        return f"<Outcome {self.label}: {plural(len(self.verdicts), 'claim')}, {plural(self.runs, 'run')}>"

    def document(self, *, points: bool = False) -> dict[str, Any]:
        """The public JSON document: schema 1. With `points`, or of a study without claims, it has all points too."""
        from .points import document as of_points

        also, again = self.tells_nothing(), self.repeats()
        claims = [self._claim(verdict) for verdict in self.verdicts]
        for claim in claims:
            claim |= {"also_holds": also.get(claim["id"], []), "repeats": again.get(claim["id"])}
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
            "counts_by_list": self.counts_by_list(),
            "readings": [self._reading(beside) for beside in self.beside],
            "claims": claims,
            **({"points": of_points(self)} if points or not self.study.claims else {}),
        }

    def _reading(self, beside: Beside) -> dict[str, Any]:
        return {
            "name": beside.reading.name,
            "title": beside.reading.title,
            "runs": beside.runs,
            "counts": beside.counts(),
            "also_hold": self.also_hold(beside),
            "watched": [
                {"technique": w.technique, "runs": w.runs, "of": w.of, "total": w.total} for w in beside.watched
            ],
        }

    def _claim(self, verdict: Verdict) -> dict[str, Any]:
        found = claim_document(verdict)
        found["listed"] = verdict.listed and _judged(verdict.listed)
        readings = {b.reading.name: b.verdicts.get(verdict.claim.id) for b in self.beside}
        found["readings"] = {
            name: {key: value for key, value in claim_document(other).items() if key in READING_KEYS}
            for name, other in readings.items()
            if other is not None
        }
        return found


def reproduce(
    study: Study,
    part: str = "",
    *,
    quick: bool = False,
    fresh: bool = False,
    threads: int | None = None,
    store: Store | None = None,
    watch: Watcher | None = None,
    kept: Callable[[Record], None] | None = None,
) -> Outcome:
    """Run what the selected part needs, all in one batch, and judge its claims.

    Runs that the store already has are not run again unless `fresh`. `kept` gets each run that was made.
    """
    selection, begun = select(study, part), time.monotonic()
    wanted = selection.points()
    again = [(reading, selection.points_of(reading)) for reading in study.readings]
    tasks = tasks_of(selection, quick)
    # a study is not what `multihop plot` or `report` mean by the latest record
    records = execute(
        tasks, store=store, fresh=fresh, threads=threads, watch=watch, register=False, lean=True, kept=kept
    )
    once_more = partial(execute, store=store, threads=threads, register=False, lean=True)
    cells = iter(zip(tasks, records, strict=True))
    results = _results(wanted, cells, once_more)
    verdicts = tuple(judge(claim, results) for claim in selection.claims)
    beside = []
    for reading, points in again:
        if seen := selection.seen_by(reading):
            beside.append(_read_again(reading, seen, verdicts, results, _results(points, cells, once_more)))
    return Outcome(
        selection,
        results,
        verdicts,
        quick,
        *different(records),
        time.monotonic() - begun,
        tuple(beside),
    )


def tasks_of(selection: Selection, quick: bool) -> list[Task]:
    """The runs of all points that are wanted, then those of each reading."""
    study = selection.study
    tasks = [task_of(study, point, quick) for point in selection.points()]
    for reading in study.readings:
        again = selection.points_of(reading)
        tasks += [task_of(study, point, quick, reading.set, reading.name) for point in again]
    return tasks


def task_of(study: Study, point: Point, quick: bool, sets: Sequence[str] = (), variant: str = "") -> Task:
    """The runs of a point, under the settings of a reading."""
    experiment = study.experiments[point.experiment]
    count = min(experiment.runs, experiment.quick.runs) if quick else experiment.runs
    numbers = tuple(range(experiment.first_run, experiment.first_run + count))
    scenario = Scenario(f"{study.name}/{experiment.name}", scenario_at(experiment, point), study.file)
    shorter = experiment.quick.set if quick else ()
    every = (*experiment.set, *shorter, *sets)
    return Task(scenario, tuple(specs(point.technique)), every, None, numbers, variant=variant)


def _results(points: Sequence[Point], made: Iterator[tuple[Task, Records]], execute_once: Execute) -> Results:
    cells = []
    for point, (task, records) in zip(points, made):  # noqa: B905
        again = partial(_made_again, task, execute_once)
        try:
            scenario = records[0].lean().scenario
        except RecordError:
            scenario = again(records[0]).scenario
        cells.append(Cell(point, scenario, [Lean(run, scenario, again) for run in records]))
    return Results(cells)


def _made_again(task: Task, execute_once: Execute, record: Record) -> Record:
    """A run of a point, made once more because its record cannot be read."""
    [records] = execute_once([replace(task, runs=(record.run,))])
    return records[0]


def _read_again(
    reading: Reading, claims: Sequence[Claim], verdicts: Sequence[Verdict], results: Results, again: Results
) -> Beside:
    """The verdicts in another light. Of swapped techniques only the figures are asked: what caused them and what acted
    would be beside the point."""
    places = reading.places
    if not places:
        runs = sum(len(cell.runs) for cell in again)
        return Beside(reading, {claim.id: judge(claim, again) for claim in claims}, runs, _watched(reading, again))
    found = {v.claim.id: v for v in verdicts}
    swapped = {}
    for claim in claims:
        checks = [check.changed(places) for check in claim.check]
        if checks == list(claim.check):
            continue  # it is about neither
        run = all(results.covers(measure) for check in checks for measure in check.value + check.against)
        if run and found[claim.id].holds:
            holds = figures_hold(claim, checks, results)
            swapped[claim.id] = Verdict(claim, holds, f"figures with {places_in_words(reading)}")
    return Beside(reading, swapped)


def _watched(reading: Reading, again: Results) -> tuple[Watch, ...]:
    """How often the watched counter counted, by technique."""
    if reading.watch is None:
        return ()
    figures: dict[str, list[float]] = {}
    for cell in again:
        arguments = {"counter": reading.watch.counter}
        seen = [evaluate(reading.watch.metric, run, arguments) for run in cell.runs]
        figures.setdefault(cell.point.technique, []).extend(seen)
    return tuple(Watch(name, sum(x > 0 for x in seen), len(seen), sum(seen)) for name, seen in figures.items())


def count_by_tier(verdicts: Iterable[Verdict]) -> dict[str, dict[str, int]]:
    """By tier: how many hold, do not hold, are open, are held by a test; parameters apart."""
    found: dict[str, dict[str, int]] = {}
    for verdict in verdicts:
        tier = verdict.claim.tier if verdict.claim.counted else "parameters"
        found.setdefault(tier, {"holds": 0, "fails": 0, "open": 0, "tested": 0})[_counted_as(verdict)] += 1
    order = [*TIERS, "parameters"]
    return {tier: found[tier] for tier in order if tier in found}


#: What of a claim another light shows.
READING_KEYS = ("ours", "ours_unit", "ci95", "holds", "reason")


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
        "tests": list(claim.tests),
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


def _judged(verdict: Verdict) -> dict[str, Any]:
    """A verdict by another band."""
    found = claim_document(verdict)
    return {key: found[key] for key in (*READING_KEYS, "band")}


def _counted_as(verdict: Verdict) -> str:
    return "tested" if verdict.by_test else {True: "holds", False: "fails", None: "open"}[verdict.holds]


def _or_none(value: float) -> float | None:
    return value if abs(value) < float("inf") else None
