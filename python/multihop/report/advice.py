"""The report of advice: the same sections as on the screen, with a figure and all that was tried."""

from __future__ import annotations

from typing import Any

from multihop.advising.advice import Advice
from multihop.advising.score import percent
from multihop.measures.figures import everywhere
from multihop.measures.notation import plus_minus
from multihop.out.advice import headline, sections
from multihop.out.comparison import verdict
from multihop.plots.gains import gains
from multihop.plots.style import inline, rendered, styled
from multihop.scenario.wifi import model_words

from .page import render, technique_files, values_of

CAPTION = (
    "Dot: mean gain. Line: 95 % interval. Diamonds were confirmed on fresh runs. The others have the few runs that the "
    "search gave them, and were chosen by them: their intervals are only a hint."
)


def advice_page(advice: Advice) -> str:
    """The report of advice as one HTML page."""
    found = advice.found
    arms = found.comparison.arms if found else []
    return render(
        "advice.html.j2",
        title=f"Advice on {advice.scenario}",
        headline=headline(advice),
        sections=list(sections(advice)),
        drawing=_drawing(advice),
        figures=_figures(advice) if found else None,
        tried=_tried(advice),
        left=[[left.label, left.why] for left in advice.left],
        model=[model_words(arms[0].scenario)] if arms else [],
        flows=[limit.words() for limit in advice.limits.flows],
        techniques=technique_files([t for arm in arms for t in arm.techniques]),
        records=[[arm.label, arm.id[:12], str(len(arm))] for arm in arms],
        values=values_of(arms[0].scenario) if arms else [],
        advice=advice,
    )


def _drawing(advice: Advice) -> dict[str, Any] | None:
    if not advice.found and all(tried.idle for tried in advice.tried):
        return None
    with styled():
        svg = inline(rendered(gains(advice), "svg", "gains"), "gains")
    return {"svg": svg, "caption": CAPTION}


def _figures(advice: Advice) -> tuple[list[str], list[list[str]]]:
    """Every figure of the confirmation, before and after."""
    rows = []
    for found in advice.found.comparison.by_figure() if advice.found else []:
        for row in found:
            figure = everywhere()[row.figure]
            name = figure.head if row.flow is None else f"flow {row.flow} {figure.head}"
            before, after = plus_minus(row.baseline, figure.scale), plus_minus(row.other, figure.scale)
            rows.append([name, verdict(row).plain, before, after])
    return ["figure", "verdict", "before", "after"], rows


def _tried(advice: Advice) -> tuple[list[str], list[list[str]]]:
    rows = [
        [
            tried.candidate.label,
            tried.why,
            "" if tried.idle else f"{percent(tried.gain.mean):+.1f} %",
            str(tried.runs),
        ]
        for tried in advice.tried
    ]
    return ["setting", "why it is no advice", "gain in the search", "runs"], rows
