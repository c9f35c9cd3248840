"""A study file, read and checked: every claim names an experiment, a metric and points that exist.

The format is described in `docs/reference/study.md`. Nothing is run here and nothing is guessed: what does
not fit is a `StudyError` that names the file and the entry.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from typing import Any

from .entries import Context, read_claim, read_figure, read_table
from .model import Axis, Claim, Coordinate, Experiment, FigureSpec, Paper, PaperTable, Quick, Study, StudyError
from .reader import Reader, suggest
from .results import places_of

#: Gives the text of a part that `include` names.
Opener = Callable[[str], str]


def load(text: str, source: str, open_part: Opener) -> Study:
    """Read a study from its text; `source` is its name in messages, `open_part` reads included files."""
    top = Reader(_parse(text, source), source)
    head = Reader(top.need("study", dict), f"{source}, [study]")
    experiments = _experiments(top, text, source)
    context = Context(experiments)
    claims: list[Claim] = []
    tables: list[PaperTable] = []
    figures: list[FigureSpec] = []
    parts = [(source, top)]
    for name in head.take("include", list, []):
        parts.append((name, Reader(_parse(open_part(name), name), name)))
    for _, part in parts:
        figures += [read_figure(entry, context) for entry in part.tables("figure")]
        claims += [read_claim(entry, context) for entry in part.tables("claim")]
        for entry in part.tables("table"):
            table, made = read_table(entry, context)
            tables.append(table)
            claims += made
        part.done()
    for figure in figures:
        if figure.table and figure.table not in [t.name for t in tables]:
            raise StudyError(f"{source}, figure {figure.name}: no table `{figure.table}`")
    _refuse_doubles(source, [c.id for c in claims])
    _refuse_doubles(source, [*(f.name for f in figures), *(t.name for t in tables)])
    study = Study(
        name=head.need("name", str),
        title=head.need("title", str),
        summary=head.take("summary", str, ""),
        paper=_paper(Reader(head.take("paper", dict, {}), f"{source}, [study.paper]")),
        experiments=experiments,
        claims=tuple(claims),
        tables=tuple(tables),
        figures=tuple(figures),
        notes=tuple(head.take("notes", list, [])),
    )
    head.done()
    return study


def _parse(text: str, source: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise StudyError(f"{source}: {error}") from None


def _paper(entry: Reader) -> Paper:
    paper = Paper(
        authors=entry.take("authors", str, ""),
        title=entry.take("title", str, ""),
        venue=entry.take("venue", str, ""),
        year=entry.take("year", int, 0) or None,
    )
    entry.done()
    return paper


def _experiments(top: Reader, text: str, source: str) -> dict[str, Experiment]:
    known: dict[str, Experiment] = {}
    raw: dict[str, dict[str, Any]] = {}
    for entry in top.tables("experiment"):
        name = entry.need("name", str)
        if name in known:
            raise entry.fail("this name is used twice")
        own = entry.rest()
        like = own.pop("like", None)
        if like is not None and like not in raw:
            raise entry.fail(f"`like` must name an earlier experiment: {suggest(str(like), raw)}")
        raw[name] = {**(raw[like] if like else {}), **own}
        known[name] = _experiment(name, Reader(raw[name], entry.place), text, source)
    if not known:
        raise StudyError(f"{source}: a study needs at least one [[experiment]]")
    return known


def _experiment(name: str, entry: Reader, text: str, source: str) -> Experiment:
    scenario = entry.need("scenario", str)
    # the text is moved down to the lines it has in the study, so that the engine's messages point there
    above = text[: text.find(scenario)].count("\n") if scenario in text else 0
    quick = Reader(entry.take("quick", dict, {}), f"{entry.place}, quick")
    runs = _positive(entry, "runs", 5)
    experiment = Experiment(
        name=name,
        summary=entry.take("summary", str, ""),
        scenario="\n" * above + scenario,
        source=source,
        axes=_axes(Reader(entry.take("sweep", dict, {}), f"{entry.place}, sweep"), scenario),
        techniques=_strings(entry, "techniques", ["none"]),
        runs=runs,
        quick=Quick(runs=_positive(quick, "runs", min(runs, 3)), sets=_strings(quick, "set", [])),
        first_run=_positive(entry, "first-run", 1),
    )
    quick.done()
    entry.done()
    return experiment


def _axes(sweep: Reader, scenario: str) -> tuple[Axis, ...]:
    axes = []
    for name, values in sweep.rest().items():
        if not isinstance(values, list) or not values or not all(isinstance(v, Coordinate) for v in values):
            raise sweep.fail(f"`{name}` must be a list of numbers or strings")
        axes.append(Axis(name, tuple(values)))
    places, named = places_of(scenario), {axis.name for axis in axes}
    if "technique" in named:
        raise sweep.fail("`technique` is not an axis: the list `techniques` names them")
    for name in named - places:
        raise sweep.fail(f"the scenario has no place for the axis `{name}`: write ${name} where its value goes")
    for name in places - named:
        raise sweep.fail(f"the scenario has a place ${name}, but no axis of that name: {suggest(name, named)}")
    return tuple(axes)


def _positive(entry: Reader, key: str, default: int) -> int:
    value = entry.take(key, int, default)
    if value < 1:
        raise entry.fail(f"`{key}` must be at least 1, not {value}")
    return value


def _strings(entry: Reader, key: str, default: list[str]) -> tuple[str, ...]:
    values = entry.take(key, list, default)
    if not all(isinstance(v, str) for v in values):
        raise entry.fail(f"`{key}` must be a list of strings")
    return tuple(values)


def _refuse_doubles(source: str, names: list[str]) -> None:
    for name in names:
        if names.count(name) > 1:
            raise StudyError(f"{source}: `{name}` is used twice")
