"""What the runs of a study gave, addressed by experiment, axes and technique."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from multihop.text import setting as show

from . import together
from .entry import StudyError
from .measure import Experiment, Measure, Point
from .metrics import evaluate
from .predicates import Coordinate
from .view import MetricError, RunView


@dataclass(frozen=True)
class Cell:
    """All runs at one point, and the scenario that they ran (`Resolved.json`)."""

    point: Point
    scenario: Mapping[str, Any]
    runs: Sequence[RunView]


class Results:
    """The cells of all experiments that were run."""

    def __init__(self, cells: Sequence[Cell]) -> None:
        self._cells = {_key(cell.point): cell for cell in cells}
        self._known: dict[Any, list[float]] = {}

    def __iter__(self) -> Iterator[Cell]:
        return iter(self._cells.values())

    def has(self, experiment: str) -> bool:
        """Was this experiment run?"""
        return any(cell.point.experiment == experiment for cell in self)

    def covers(self, measure: Measure) -> bool:
        """Were the points that it is read at run? A part of a study needs not all of them."""
        return all(self._at(one.experiment, one.where) is not None for one in measure.plain())

    def cell(self, experiment: str, where: Mapping[str, Coordinate]) -> Cell:
        """The cell at a point given by axes and technique."""
        cell = self._at(experiment, where)
        if cell is None:
            raise StudyError(f"experiment `{experiment}` was not run at {dict(where)}")
        return cell

    def _at(self, experiment: str, where: Mapping[str, Coordinate]) -> Cell | None:
        coordinates = frozenset((key, value) for key, value in where.items() if key != "technique")
        return self._cells.get((experiment, where.get("technique"), coordinates))

    def sample(self, measure: Measure) -> list[float]:
        """The measure's figure in every run, in the order of run numbers; NaN where a run has none."""
        return together.sample(measure, self._read)

    def _read(self, measure: Measure) -> list[float]:
        """The figures of a single point: claims, readings and figures ask for the same ones again and again."""
        cell = self.cell(measure.experiment, measure.where)
        key = (cell.point, measure.metric, frozenset(measure.arguments.items()))
        if key not in self._known:
            try:
                self._known[key] = [evaluate(measure.metric, run, measure.arguments) for run in cell.runs]
            except MetricError as error:
                raise StudyError(f"{cell.point.label}: {measure.metric}: {error}") from None
        return self._known[key]


def _key(point: Point) -> tuple[str, Coordinate | None, frozenset[tuple[str, Coordinate]]]:
    return point.experiment, point.technique, frozenset(point.coordinates)


def points(experiment: Experiment) -> list[Point]:
    """All points of an experiment's sweep, axes outermost first, techniques innermost."""
    lists = [[(name, value) for value in values] for name, values in experiment.sweep.items()]
    return [
        Point(experiment.name, technique, combination)
        for combination in itertools.product(*lists)
        for technique in experiment.techniques
    ]


def places_of(scenario: str) -> set[str]:
    """Names of the axes that a scenario's text has places for: `$hops`."""
    return set(_PLACE.findall(scenario))


def scenario_at(experiment: Experiment, point: Point) -> str:
    """The scenario's text at a point: each `$axis` replaced by its value there, or by the text beside that value."""
    values = dict(point.coordinates)
    values |= experiment.texts(values)
    return _PLACE.sub(lambda place: show(values[place[1]]), experiment.scenario)


_PLACE = re.compile(r"\$([a-z][a-z0-9-]*)")
