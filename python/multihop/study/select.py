"""What of a study is wanted (`ohzahata/fig3`), and which points must be run for it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from .model import Claim, Coordinate, FigureSpec, Measure, PaperTable, Point, Study, StudyError
from .reader import suggest
from .results import points


@dataclass(frozen=True)
class Selection:
    """The claims, figures and tables that are wanted."""

    study: Study
    part: str
    claims: tuple[Claim, ...]
    figures: tuple[FigureSpec, ...]
    tables: tuple[PaperTable, ...]

    def points(self) -> list[Point]:
        """The points that they need, in the order of the study; a whole study needs all of its sweeps."""
        every = [point for experiment in self.study.experiments.values() for point in points(experiment)]
        if not self.part:
            return every
        wanted = list(_needs(self))
        return [p for p in every if any(_covers(experiment, where, p) for experiment, where in wanted)]


def split(name: str) -> tuple[str, str]:
    """`ohzahata/fig3` is the study and its part; a path to a file has no part unless one follows `.toml/`."""
    head, slash, part = name.rpartition("/")
    if slash and (head.endswith(".toml") or "/" not in head) and not name.endswith(".toml"):
        return head, part
    return name, ""


def select(study: Study, part: str) -> Selection:
    """The whole study (empty part), or what belongs to one figure or table."""
    if not part:
        return Selection(study, "", study.claims, study.figures, study.tables)
    if part not in study.parts:
        raise StudyError(f"the study {study.name} has no part `{part}`: {suggest(part, study.parts)}")
    return Selection(
        study,
        part,
        tuple(c for c in study.claims if part in parts_of(c.where)),
        tuple(f for f in study.figures if f.name == part),
        tuple(t for t in study.tables if t.name == part),
    )


def parts_of(where: str) -> list[str]:
    """`Fig 10 / Table 1` belongs to fig10 and table1, `Tables 3-4` to table3 and table4."""
    found = []
    for word, first, last in re.findall(r"(Fig|Table)s?\.? (\d+)(?:-(\d+))?", where):
        found += [f"{word.lower()}{n}" for n in range(int(first), int(last or first) + 1)]
    return found


def _needs(selection: Selection) -> Iterator[tuple[str, Mapping[str, Coordinate]]]:
    for claim in selection.claims:
        for check in claim.checks:
            if check.parameter:
                yield check.experiment, {}
            yield from _places(check.values + check.against)
        if claim.gain is not None:
            yield from _places(claim.gain.cause + claim.gain.acted + claim.gain.placebo)
    for figure in selection.figures:
        for series in figure.series:
            yield figure.experiment, series.where
    for table in selection.tables:
        yield table.experiment, table.where


def _places(measures: tuple[Measure, ...]) -> Iterator[tuple[str, Mapping[str, Coordinate]]]:
    for measure in measures:
        yield measure.experiment, measure.where


def _covers(experiment: str, where: Mapping[str, Coordinate], point: Point) -> bool:
    has = {**dict(point.coordinates), "technique": point.technique}
    return point.experiment == experiment and all(has.get(key) == value for key, value in where.items())
