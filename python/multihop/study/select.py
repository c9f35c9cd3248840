"""What of a study is wanted (`ohzahata/fig3`), and which points must be run for it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from multihop.scenario.scenario import nearest

from .claim import Claim
from .drawing import OF_MEASURES, FigureSpec, PaperTable
from .entry import StudyError
from .measure import Point
from .model import Reading, Study
from .predicates import Coordinate
from .results import points

#: An experiment, and the axes that are fixed in it.
Need = tuple[str, Mapping[str, Coordinate]]


@dataclass(frozen=True)
class Selection:
    """The claims, figures and tables that are wanted."""

    study: Study
    part: str
    claims: tuple[Claim, ...]
    figures: tuple[FigureSpec, ...]
    tables: tuple[PaperTable, ...]

    @property
    def label(self) -> str:
        """The study and its part: `ohzahata/fig3`."""
        return f"{self.study.name}/{self.part}" if self.part else self.study.name

    @property
    def folder(self) -> str:
        """The label as the name of a folder: `ohzahata-fig3`."""
        return self.label.replace("/", "-")

    def points(self) -> list[Point]:
        """The points that they need, in the order of the study; a whole study needs all of its sweeps."""
        return self._every() if not self.part else self._covered(list(_needs(self)))

    def seen_by(self, reading: Reading) -> list[Claim]:
        """The claims that a reading looks at."""
        return [claim for claim in self.claims if reading.looks_at(claim)]

    def points_of(self, reading: Reading) -> list[Point]:
        """The points that a reading runs again: those that its claims need."""
        if not reading.set:
            return []
        return self._covered([need for claim in self.seen_by(reading) for need in _needs_of(claim)])

    def _every(self) -> list[Point]:
        return [point for experiment in self.study.experiments.values() for point in points(experiment)]

    def _covered(self, wanted: list[Need]) -> list[Point]:
        wheres: dict[str, set[frozenset[tuple[str, Coordinate]]]] = {}
        for experiment, where in wanted:
            wheres.setdefault(experiment, set()).add(frozenset(where.items()))
        return [p for p in self._every() if any(_at(p) >= where for where in wheres.get(p.experiment, ()))]


def split(name: str) -> tuple[str, str]:
    """`ohzahata/fig3` is the study and its part; a path to a file has no part unless one follows `.toml/`."""
    head, slash, part = name.rpartition("/")
    if slash and part and (head.endswith(".toml") or "/" not in head) and not name.endswith(".toml"):
        return head, part
    return name, ""


def select(study: Study, part: str) -> Selection:
    """The whole study (empty part), or what belongs to one figure or table."""
    if not part:
        return Selection(study, "", study.claims, study.figures, study.tables)
    if part not in study.parts:
        parts = f"its parts: {', '.join(study.parts)}" if study.parts else "it has no parts"
        raise StudyError(f"the study {study.name} has no part `{part}`{nearest(part, study.parts)}; {parts}")
    return Selection(
        study,
        part,
        tuple(c for c in study.claims if belongs(c.where, part)),
        tuple(f for f in study.figures if f.name == part),
        tuple(t for t in study.tables if t.name == part),
    )


def belongs(where: str, part: str) -> bool:
    """Whether what is said there is of that figure or table: by its number, or by its name."""
    return where == part or part in parts_of(where)


def parts_of(where: str) -> list[str]:
    """`Fig 10 / Table 1` belongs to fig10 and table1, `Tables 3-4` to table3 and table4."""
    found = []
    for word, first, last in re.findall(r"(Fig|Table)s?\.? (\d+)(?:-(\d+))?", where):
        found += [f"{word.lower()}{n}" for n in range(int(first), int(last or first) + 1)]
    return found


def _needs(selection: Selection) -> Iterator[Need]:
    for claim in selection.claims:
        yield from _needs_of(claim)
    for figure in selection.figures:
        for series in figure.series:
            if figure.kind in OF_MEASURES:
                for _, measure in figure.points(series, selection.study.experiments):
                    yield from ((one.experiment, one.where) for one in measure.plain())
            else:
                yield figure.source(series), series.where
    for table in selection.tables:
        yield table.of, table.at


def _needs_of(claim: Claim) -> Iterator[Need]:
    for check in claim.check:
        for experiment in check.of:
            yield experiment, {}
    for measure in claim.measures():
        for one in measure.plain():
            yield one.experiment, one.where


def _at(point: Point) -> frozenset[tuple[str, Coordinate]]:
    """All that a need may ask of a point."""
    return frozenset([*point.coordinates, ("technique", point.technique)])
