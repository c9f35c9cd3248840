"""A study file, read and checked: every claim names an experiment, a metric and points that exist.

The format is described in `docs/reference/study.md`. Nothing is run here and nothing is guessed: what does
not fit is a `StudyError` that names the file, the line and the entry.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from multihop import _engine
from multihop.scenario.trees import INVALID, tree

from .claim import Claim, folded
from .drawing import FigureSpec, PaperTable, Series
from .entry import Entry, EntryError, Many, Places, StudyError, keys_of, suggest
from .measure import Experiment, Known, measuring
from .model import Paper, Reading, Study
from .results import places_of

#: Gives the text of a part that `include` names.
Opener = Callable[[str], str]


class Head(Entry, frozen=True, kw_only=True):
    """The `[study]` table."""

    name: str
    title: str
    summary: str = ""
    paper: Paper = Paper()
    include: Many[str] = ()
    notes: Many[str] = ()


class Front(Entry, frozen=True, kw_only=True):
    """What only the first file of a study has."""

    study: Head
    experiment: Many[Experiment]
    reading: Many[Reading] = ()

    def __post_init__(self) -> None:
        if not self.experiment:
            raise EntryError("a study needs at least one [[experiment]]", "experiment")
        for experiment in self.experiment:
            places = places_of(experiment.scenario)
            if "technique" in experiment.sweep:
                raise EntryError("`technique` is not an axis: the list `techniques` names them")
            for name in experiment.places - places:
                raise EntryError(
                    f"experiment {experiment.name}: the scenario has no place for the axis `{name}`: "
                    f"write ${name} where its value goes"
                )
            for name in places - experiment.places:
                raise EntryError(
                    f"experiment {experiment.name}: the scenario has a place ${name}, but no axis of that name: "
                    f"{suggest(name, experiment.places)}"
                )


class Part(Entry, frozen=True, kw_only=True):
    """What every file of a study may have."""

    figure: Many[FigureSpec] = ()
    claim: Many[Claim] = ()
    table: Many[PaperTable] = ()


def load(text: str, source: str, open_part: Opener) -> Study:
    """Read a study from its text; `source` is its name in messages, `open_part` reads included files."""
    raw, lines = _parse(text, source)
    _lay_over(raw.get("experiment", []), text, source)
    front_keys = {key: raw.pop(key) for key in keys_of(Front) if key in raw}
    places = Places(source, front_keys, lines)
    front = places.read(Front, front_keys)
    known = {experiment.name: experiment for experiment in front.experiment}
    for index, reading in enumerate(front.reading):
        with places.at("reading", index):
            reading.check(known)
    parts = [_part(raw, Places(source, raw, lines), known)]
    for name in front.study.include:
        raw, lines = _parse(open_part(name), name)
        parts.append(_part(raw, Places(name, raw, lines), known))
    figures, tables = [f for p in parts for f in p.figure], [t for p in parts for t in p.table]
    claims: list[Claim] = []
    for part in parts:
        cells = {"claim": [claim for table in part.table for claim in table.claims()]}
        claims += [*part.claim, *_part(cells, Places(source, cells, ()), known).claim]
    for figure in figures:
        if figure.table and figure.table not in [t.name for t in tables]:
            raise StudyError(f"{source}: figure {figure.name}: no table `{figure.table}`")
    for reading in front.reading:
        for claim in reading.claims:
            if claim not in [c.id for c in claims]:
                hint = suggest(claim, [c.id for c in claims])
                raise StudyError(f"{source}: reading {reading.name}: no claim `{claim}`: {hint}")
    _refuse_doubles(source, [c.id for c in claims])
    _refuse_doubles(source, [*(f.name for f in figures), *(t.name for t in tables)])
    _refuse_doubles(source, [e.name for e in front.experiment])
    head = front.study
    return Study(
        name=head.name,
        title=head.title,
        summary=head.summary,
        paper=head.paper,
        file=source,
        experiments=known,
        claims=tuple(claims),
        tables=tuple(tables),
        figures=tuple(figures),
        readings=front.reading,
        notes=head.notes,
    )


def _parse(text: str, source: str) -> tuple[dict[str, Any], Sequence[tuple[str, int]]]:
    try:
        return tree(text, source), _engine.places(text, source)
    except INVALID as error:
        where = "" if isinstance(error, _engine.ScenarioError) else f"{source}: "
        raise StudyError(f"{where}{error}") from None


def _part(raw: Mapping[str, Any], places: Places, known: Known) -> Part:
    """What a file has besides its front; raises StudyError."""
    made = dict(raw)
    if isinstance(raw.get("claim"), list):
        made["claim"] = []
        for index, claim in enumerate(raw["claim"]):
            with places.at("claim", index):
                made["claim"].append(folded(claim, known))
    if isinstance(raw.get("figure"), list):
        made["figure"] = [_with_points(figure) for figure in raw["figure"]]
    part = places.read(Part, made, measuring(known))
    for index, claim in enumerate(part.claim):
        with places.at("claim", index):
            claim.refuse_unknown(known)
    for index, table in enumerate(part.table):
        with places.at("table", index):
            table.check(known)
    for index, figure in enumerate(part.figure):
        with places.at("figure", index):
            figure.check(known)
    return part


def _with_points(figure: Any) -> Any:
    """A figure whose series have what they fix in `where`."""
    if not isinstance(figure, Mapping) or not isinstance(figure.get("series"), list):
        return figure
    own = set(keys_of(Series)) - {"where"}
    series = [
        {**{k: v for k, v in one.items() if k in own}, "where": {k: v for k, v in one.items() if k not in own}}
        if isinstance(one, Mapping)
        else one
        for one in figure["series"]
    ]
    return {**figure, "series": series}


def _lay_over(experiments: Any, text: str, source: str) -> None:
    """`like` takes over from an earlier experiment what is not stated; scenarios are moved down to their lines."""
    if not isinstance(experiments, list) or not all(isinstance(e, dict) for e in experiments):
        return  # said by the reader
    known: dict[str, dict[str, Any]] = {}
    for own in experiments:
        like, name = own.pop("like", None), own.get("name")
        if like is not None:
            if not isinstance(like, str) or like not in known:
                raise StudyError(
                    f"{source}: experiment {name}: `like` must name an earlier experiment: {suggest(str(like), known)}"
                )
            for key, value in known[like].items():
                own.setdefault(key, value)
        scenario = own.get("scenario")
        # the text is moved down to the lines it has in the study, so that the engine's messages point there
        if isinstance(scenario, str) and like is None and scenario in text:
            own["scenario"] = "\n" * text[: text.find(scenario)].count("\n") + scenario
        if isinstance(name, str):
            known[name] = own


def _refuse_doubles(source: str, names: Sequence[str]) -> None:
    for name in names:
        if names.count(name) > 1:
            raise StudyError(f"{source}: `{name}` is used twice")
