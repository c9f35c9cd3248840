"""The report of a study: figures and tables with the paper's numbers in them, and a verdict on every claim."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from multihop.files.output import demand_own, write_whole
from multihop.measures.notation import figure as digits
from multihop.measures.notation import number
from multihop.out.points import point_rows
from multihop.plots.study import draw, draw_table, numbers
from multihop.plots.style import inline, rendered
from multihop.scenario.scenario import specs
from multihop.study.drawing import PaperTable
from multihop.study.judge import Verdict
from multihop.study.select import belongs
from multihop.text import setting as show

from .page import render, technique_files, values_of

if TYPE_CHECKING:
    from multihop.study.outcome import Beside, Outcome
    from multihop.study.select import Selection

TIER_NAMES = {
    "must": "must hold",
    "should": "should hold",
    "info": "not judged",
    "parameters": "parameters",
}
SIGNS = {True: ("✓", "holds"), False: ("✗", "fails"), None: ("?", "open")}


def write_study(outcome: Outcome, folder: Path) -> Path:
    """Write the report and each figure (SVG and PNG) into a folder; returns the report's path.

    Raises StoreError, or InputError if another's file has the name of one of them: then none is written.
    """
    path, _ = write_drawn(outcome, folder)
    return path


def write_drawn(outcome: Outcome, folder: Path) -> tuple[Path, dict[str, bytes]]:
    """The same; returns the figures as SVG besides, by name."""
    demand_free(outcome.selection, folder)
    figures = {spec.name: draw(spec, outcome.study, outcome.results) for spec in outcome.selection.figures}
    verdicts = {v.claim.id: v for v in outcome.verdicts}
    figures |= {table.name: draw_table(table, verdicts) for table in outcome.selection.tables}
    drawn = {name: rendered(figure, "svg", name) for name, figure in figures.items()}
    for name, figure in figures.items():
        write_whole(folder / f"{name}.svg", drawn[name])
        write_whole(folder / f"{name}.png", rendered(figure, "png", name))
    path = folder / "report.html"
    write_whole(path, study_page(outcome, {name: inline(svg, name) for name, svg in drawn.items()}))
    return path, drawn


def demand_free(selection: Selection, folder: Path) -> None:
    """Raises InputError if the folder has a file that multihop did not write, by the name of one that it will write."""
    drawn = [figure.name for figure in selection.figures] + [table.name for table in selection.tables]
    for name in ("report.html", *(f"{name}{suffix}" for name in drawn for suffix in (".svg", ".png"))):
        demand_own(folder / name)


def study_page(outcome: Outcome, svgs: dict[str, str]) -> str:
    """The report as one HTML page."""
    by_tier: dict[str, list[Verdict]] = {}
    for verdict in outcome.verdicts:
        by_tier.setdefault(verdict.claim.tier if verdict.claim.counted else "parameters", []).append(verdict)
    return render(
        "study.html.j2",
        study=outcome.study,
        part=outcome.selection.part,
        quick=outcome.quick,
        counts=outcome.counts(),
        tier_names=TIER_NAMES,
        misses=[v for v in outcome.judged if not v.holds and not v.by_test],
        points=_points(outcome) if not outcome.study.claims else None,
        drawings=drawings(outcome, svgs),
        tables=tables(outcome, svgs),
        shown=shown(outcome, outcome.columns_for),
        beside=[_beside(outcome, beside) for beside in outcome.beside],
        by_tier={tier: by_tier[tier] for tier in TIER_NAMES if tier in by_tier},
        changed=[v for v in outcome.verdicts if v.claim.changed],
        scenarios=_scenarios(outcome),
        techniques=technique_files(_techniques(outcome)),
        runs=outcome.runs,
        stored=outcome.stored,
        wall_s=outcome.wall_s,
    )


def shown(outcome: Outcome, columns_for: Callable[..., list[Beside]], prefix: str = "") -> dict[str, Any]:
    """What a table of claims shows beside the verdicts, and what the ids of a page begin with."""
    return {
        "columns_for": columns_for,
        "tells_nothing": outcome.tells_nothing_in_words(),
        "repeats": outcome.repeats(),
        "signs": SIGNS,
        "prefix": prefix,
    }


def drawings(outcome: Outcome, svgs: dict[str, str]) -> list[dict[str, Any]]:
    """Each figure with its numbers and the claims on it."""
    return [_drawing(outcome, spec.name, svgs) for spec in outcome.selection.figures]


def tables(outcome: Outcome, svgs: dict[str, str]) -> list[dict[str, Any]]:
    """Each table of the paper with our figures in it."""
    return [_table(outcome, table, svgs) for table in outcome.selection.tables]


def _points(outcome: Outcome) -> tuple[list[str], list[list[str]]]:
    """Heads and rows of a table of all points."""
    heads, rows = point_rows(outcome)
    return heads, [[digits(x) if isinstance(x, float) else "" if x is None else show(x) for x in row] for row in rows]


def _drawing(outcome: Outcome, name: str, svgs: dict[str, str]) -> dict[str, Any]:
    spec = next(s for s in outcome.selection.figures if s.name == name)
    printed = spec.paper or spec.table
    return {
        "name": name,
        "title": spec.title,
        "caption": spec.caption or f"Our mean over all runs.{' Broken: the paper.' if printed else ''}",
        "svg": svgs[name],
        "numbers": numbers(spec, outcome.study, outcome.results),
        "claims": [v for v in outcome.verdicts if belongs(v.claim.where, name)],
    }


def _table(outcome: Outcome, table: PaperTable, svgs: dict[str, str]) -> dict[str, Any]:
    shown: dict[str, dict[str, dict[str, str]]] = {row.name: {} for row in table.row}
    for row, column, value, claim in table.cells():
        verdict = outcome.verdict(claim)
        if verdict is not None:
            shown[row.name][column] = _cell(verdict, value)
    rows = [{"name": name, "cells": [cells.get(column) for column in table.columns]} for name, cells in shown.items()]
    caption = (
        "Grey: the band of each claim. Dots: our mean and its 95 % interval. Diamonds: the paper. "
        "Logarithmic down to 0.001 Mbit/s, linear from there to 0."
    )
    drawing = {"svg": svgs[table.name], "caption": caption}
    return {"name": table.name, "title": table.title, "columns": table.columns, "rows": rows, "drawing": drawing}


def _beside(outcome: Outcome, beside: Beside) -> dict[str, Any]:
    """Another light: its counts, what it watched, and the claims on which it differs (all, if it looks at few)."""
    reading, also = beside.reading, outcome.also_hold(beside)
    rows = []
    for claim, verdict in beside.verdicts.items():
        judged = outcome.verdict(claim)
        if judged is not None and (judged.holds is not verdict.holds or reading.claims):
            rows.append({"judged": judged, "other": verdict})
    held = [v.claim.id for v in outcome.judged if v.holds]
    return {
        "reading": reading,
        "counts": beside.counts(),
        "runs": beside.runs,
        "watched": beside.watched,
        "rows": [] if reading.places else rows,
        "also": also if reading.places else [],
        "of": len([claim for claim in held if claim in beside.verdicts]),
    }


def _cell(verdict: Verdict, paper: float) -> dict[str, str]:
    sign, css = SIGNS[verdict.holds]
    found = verdict.deciding
    ours = "–"
    if found is not None:
        half = found.outcome.interval.half if found.n > 1 else math.nan
        ours = number(found.outcome.interval.value, half)
        ours += "" if math.isnan(half) else f" ± {half:.2g}"
    return {"sign": sign if verdict.claim.tier != "info" else "–", "css": css, "ours": ours, "paper": f"{paper:g}"}


def _scenarios(outcome: Outcome) -> list[dict[str, Any]]:
    found = []
    for experiment in outcome.study.experiments.values():
        cells = [cell for cell in outcome.results if cell.point.experiment == experiment.name]
        if not cells:
            continue
        axes = [f"{name} {', '.join(show(v) for v in values)}" for name, values in experiment.sweep.items()]
        found.append(
            {
                "name": experiment.name,
                "summary": experiment.summary,
                "sweep": "; ".join([*axes, "technique " + ", ".join(experiment.techniques)]),
                "runs": len(cells[-1].runs),
                "points": len(cells),
                "point": cells[-1].point.label,
                "values": values_of(cells[-1].scenario),
            }
        )
    return found


def _techniques(outcome: Outcome) -> list[str]:
    used = [cell.point.technique for cell in outcome.results]
    return _distinct([name for technique in dict.fromkeys(used) for name in specs(technique)])


def _distinct(names: Sequence[str]) -> list[str]:
    return list(dict.fromkeys(names))
