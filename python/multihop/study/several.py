"""Several studies, run one after the other: `multihop reproduce all` is all papers.

A study that was stopped goes on from the runs in the store, and so do several.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

from multihop import _engine
from multihop.errors import InputError
from multihop.running.run import Interrupted, State, processors
from multihop.store.store import Store
from multihop.text import plural

from .library import find, names
from .outcome import SCHEMA, Outcome, reproduce, tasks_of
from .remaining import Remaining
from .select import Selection, select, split

ALL = "all"
"""Stands for all papers among the shipped studies."""


TALLY = ("must hold", "should hold", "do not hold", "open", "hold with others too")
"""What `Outcomes.tally` counts."""


class Audience(Protocol):
    """What shows the progress of several studies."""

    def warn(self, message: str) -> None:
        """Something that the user should know before the runs begin."""

    def update(self, finished: int, runs: int, stored: int, left_s: float, workers: int) -> None:
        """So many of all runs are there, so many of them were before; the rest takes about so long [s]."""


@dataclass(frozen=True, repr=False)
class Outcomes:
    """Several studies that were run, with a verdict on each claim of each."""

    each: tuple[Outcome, ...]
    quick: bool
    wall_s: float

    def __iter__(self) -> Iterator[Outcome]:
        return iter(self.each)

    def __len__(self) -> int:
        return len(self.each)

    def __getitem__(self, name: str) -> Outcome:
        """The outcome of a study by its name, like `seok` or `seok/fig5`; raises KeyError."""
        for outcome in self.each:
            if outcome.label == name:
                return outcome
        raise KeyError(name)

    def __repr__(self) -> str:
        return f"<Outcomes of {', '.join(outcome.label for outcome in self.each)}: {plural(self.runs, 'run')}>"

    @property
    def runs(self) -> int:
        """How many runs the verdicts rest on."""
        return sum(outcome.runs for outcome in self.each)

    @property
    def stored(self) -> int:
        """How many of them were in the store already."""
        return sum(outcome.stored for outcome in self.each)

    def counts(self) -> dict[str, dict[str, int]]:
        """By tier: how many hold, do not hold, are open, are held by a test, over all studies."""
        found: dict[str, dict[str, int]] = {}
        for outcome in self.each:
            for tier, counts in outcome.counts().items():
                of = found.setdefault(tier, dict.fromkeys(counts, 0))
                for word, n in counts.items():
                    of[word] += n
        return found

    def tally(self) -> list[list[str]]:
        """A row for each study, and one for all: its name, and the counts of `TALLY`."""
        rows = [[outcome.label, *_tallied(outcome.counts(), len(outcome.tells_nothing()))] for outcome in self.each]
        marked = sum(len(outcome.tells_nothing()) for outcome in self.each)
        return [*rows, ["all", *_tallied(self.counts(), marked)]]

    def document(self, *, points: bool = False) -> dict[str, Any]:
        """The public JSON document: schema 1. Each of `studies` is what one study alone gives."""
        return {
            "schema": SCHEMA,
            "quick": self.quick,
            "engine": {"version": _engine.VERSION, "build": _engine.BUILD},
            "runs": self.runs,
            "from_store": self.stored,
            "wall_s": self.wall_s,
            "counts": self.counts(),
            "studies": [outcome.document(points=points) for outcome in self.each],
        }


def _tallied(counts: dict[str, dict[str, int]], marked: int) -> list[str]:
    found = []
    for tier in ("must", "should"):
        of = counts.get(tier)
        found.append(f"{of['holds'] + of['tested']} of {sum(of.values())}" if of else "")
    judged = [counts[tier] for tier in ("must", "should") if tier in counts]
    return [*found, *(str(sum(of[word] for of in judged)) for word in ("fails", "open")), str(marked)]


def selections(wanted: Sequence[str]) -> list[Selection]:
    """What is meant by names like `seok/fig5`, or `all`; raises InputError or StudyError.

    `all` is every shipped study of a paper. What is named twice is run once.
    """
    if not wanted:
        raise InputError("no study is named; `multihop list studies` shows the names")
    every: list[str] = []
    for name in wanted:
        every += papers() if name == ALL else [name]
    found = [_selected(name) for name in dict.fromkeys(every)]
    labels = [selection.label for selection in found]
    for selection in found:
        if labels.count(selection.label) > 1:
            files = [f"`{s.study.asked}`" for s in found if s.label == selection.label]
            raise InputError(f"{' and '.join(files)} are both named {selection.label}: run one after the other")
    return found


def papers() -> list[str]:
    """Names of the shipped studies that judge what a paper claims."""
    return [name for name in names() if any(claim.counted and claim.tier != "info" for claim in find(name).claims)]


def _selected(name: str) -> Selection:
    study, part = split(name)
    return select(find(study), part)


def reproduce_all(
    wanted: Sequence[Selection],
    *,
    quick: bool = False,
    fresh: bool = False,
    threads: int | None = None,
    store: Store | None = None,
    watch: Audience | None = None,
) -> Outcomes:
    """Runs the studies and judges their claims; raises what `reproduce` raises."""
    return _Course(wanted, quick, fresh, threads, store or Store.open(), watch).run()


class _Course:
    """Several studies under way."""

    def __init__(
        self,
        wanted: Sequence[Selection],
        quick: bool,
        fresh: bool,
        threads: int | None,
        store: Store,
        watch: Audience | None,
    ) -> None:
        self._wanted, self._quick, self._fresh, self._threads = wanted, quick, fresh, threads
        self._store, self._watch = store, watch
        self._at_once = threads or processors()
        tasks = [tasks_of(selection, quick) for selection in wanted]
        self._remaining = Remaining(tasks)
        self._left = [1.0] * len(wanted)
        """Which share of each study's missing runs is still to be made."""
        self._sizes = [sum(len(task.runs) for task in own) for own in tasks]
        """Runs of each study; those that two of its readings share count once as soon as it begins."""
        self._now, self._stored = 0, 0
        """Place of the study that runs; runs of those before it that were in the store."""

    def run(self) -> Outcomes:
        """Runs one study after the other; raises Interrupted."""
        begun = time.monotonic()
        self._remaining.look(self._store, self._threads, fresh=self._fresh)
        found: list[Outcome] = []
        for place, selection in enumerate(self._wanted):
            self._now = place
            try:
                outcome = self._reproduce(selection)
            except Interrupted as stop:
                later, before = sum(self._sizes[place + 1 :]), sum(outcome.runs for outcome in found)
                raise Interrupted(stop.records, stop.missing + later, stop.signal, before=before) from None
            self._left[place] = 0.0
            found.append(replace(outcome, stored=self._found(outcome.stored)))
            self._stored += found[-1].stored
        return Outcomes(tuple(found), self._quick, time.monotonic() - begun)

    def _reproduce(self, selection: Selection) -> Outcome:
        return reproduce(
            selection.study,
            selection.part,
            quick=self._quick,
            fresh=self._fresh,
            threads=self._threads,
            store=self._store,
            watch=self,
            kept=self._remaining.learn,
        )

    def _found(self, stored: int) -> int:
        """How many runs of this study were in the store before this call, which made the first of each experiment."""
        return stored if self._fresh else max(0, stored - self._remaining.made(self._now))

    def warn(self, message: str) -> None:
        """A warning of the engine, with the study that it is about."""
        if self._watch:
            self._watch.warn(f"{self._wanted[self._now].label}: {message}")

    def begin(self, runs: int, simulated_s: float) -> None:
        """A study begins: how many runs it has is known now."""
        del simulated_s
        self._sizes[self._now] = runs

    def update(self, state: State) -> None:
        """How far the studies are while one of them runs."""
        if self._watch is None:
            return
        here = self._sizes[self._now]
        self._left[self._now] = (here - state.finished) / max(1, here - state.stored)
        finished = sum(self._sizes[: self._now]) + state.finished
        left_s = self._remaining.seconds(self._left) / self._at_once
        self._watch.update(finished, sum(self._sizes), self._stored + self._found(state.stored), left_s, 0)
