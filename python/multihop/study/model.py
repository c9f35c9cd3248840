"""A whole study, and the other readings of it that are shown beside."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from .claim import Claim
from .drawing import FigureSpec, PaperTable
from .entry import Entry, EntryError, Many, suggest
from .measure import Experiment, Known, experiment_of
from .metrics import metrics


class Paper(Entry, frozen=True, kw_only=True):
    """The publication that a study regenerates."""

    authors: str = ""
    title: str = ""
    venue: str = ""
    year: int | None = None


class Watched(Entry, frozen=True, kw_only=True):
    """A counter that is shown beside a reading: in how many runs it counted."""

    metric: str
    label: str
    counter: str = ""


class Reading(Entry, frozen=True, kw_only=True):
    """The study in another light, shown beside it and not judged: other settings, or other techniques in the places
    of some."""

    name: str
    title: str
    text: str = ""
    #: settings over every experiment: its runs are made again with them
    set: Many[str] = ()
    #: two techniques that change places in every claim that holds; needs no runs
    swap: Many[str] = ()
    #: a technique, and the placebo that takes its place in every claim that holds; needs no runs
    instead: Many[str] = ()
    #: what is looked at; all if empty
    experiments: Many[str] = ()
    claims: Many[str] = ()
    watch: Watched | None = None

    def __post_init__(self) -> None:
        for key, names in (("swap", self.swap), ("instead", self.instead)):
            if names and len(names) != 2:
                raise EntryError(f"two techniques are expected, not {list(names)!r}", key)
        if sum(map(bool, (self.set, self.swap, self.instead))) != 1:
            raise EntryError("one of `set`, `swap` and `instead` is expected")

    def check(self, known: Known) -> None:
        """Raises EntryError for a reading of what is not run or not measured."""
        for name in self.experiments:
            experiment_of(name, known, "experiments")
        if self.watch is not None and self.watch.metric not in metrics():
            raise EntryError(f"no metric `{self.watch.metric}`: {suggest(self.watch.metric, metrics())}", "watch")

    @property
    def places(self) -> dict[str, tuple[str, str]]:
        """Which technique stands where another stood, for `Check.changed`; empty if the reading has runs of its own."""
        if self.instead:
            return {self.instead[0]: (self.instead[1], "")}
        return {one: (other, "") for one, other in zip(self.swap, reversed(self.swap), strict=True)}

    def looks_at(self, claim: Claim) -> bool:
        """Whether the claim has a verdict in this light."""
        names = {measure.experiment for check in claim.check for measure in check.value}
        return (
            bool(names)
            and claim.counted
            and claim.tier != "info"
            and (not self.claims or claim.id in self.claims)
            and (not self.experiments or names <= set(self.experiments))
        )


def places_in_words(reading: Reading) -> str:
    """`drr and persistent-queue swapped`, `placebo in the place of drr`."""
    if reading.instead:
        return f"{reading.instead[1]} in the place of {reading.instead[0]}"
    return f"{' and '.join(reading.swap)} swapped"


@dataclass(frozen=True)
class Study:
    """A whole study: its file with its parts."""

    name: str
    title: str
    summary: str
    paper: Paper
    #: how messages name the file
    file: str
    experiments: Mapping[str, Experiment]
    claims: tuple[Claim, ...]
    tables: tuple[PaperTable, ...]
    figures: tuple[FigureSpec, ...]
    readings: tuple[Reading, ...] = ()
    notes: tuple[str, ...] = ()
    #: how it was asked for: a shipped name or a path
    asked: str = ""

    @property
    def parts(self) -> tuple[str, ...]:
        """What can be asked for alone: `fig3`, `table1`, ... in the order of the file."""
        return tuple(dict.fromkeys([*(f.name for f in self.figures), *(t.name for t in self.tables)]))
