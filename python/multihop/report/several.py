"""The report of several studies: one page with every claim beside the paper's number, and every figure."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from multihop.files.output import demand_own, write_whole
from multihop.plots.style import inline
from multihop.study.several import TALLY

from .page import render
from .study import TIER_NAMES, demand_free, drawings, shown, tables, write_drawn

if TYPE_CHECKING:
    from multihop.study.outcome import Outcome
    from multihop.study.select import Selection
    from multihop.study.several import Outcomes

REPORT = "report.html"


def write_several(outcomes: Outcomes, folder: Path) -> Path:
    """Write the page into a folder, and beside it a folder for each study with its own report; returns the page's path.

    Raises StoreError, or InputError if another's file has the name of one of them: then none is written.
    """
    demand_all_free([outcome.selection for outcome in outcomes], folder)
    sections = [_section(outcome, folder) for outcome in outcomes]
    page = render(
        "several.html.j2",
        sections=sections,
        tally=outcomes.tally(),
        tally_heads=TALLY,
        tier_names=TIER_NAMES,
        quick=outcomes.quick,
        runs=outcomes.runs,
        stored=outcomes.stored,
        wall_s=outcomes.wall_s,
    )
    write_whole(folder / REPORT, page)
    return folder / REPORT


def demand_all_free(selections: Sequence[Selection], folder: Path) -> None:
    """Raises InputError if there is a file that multihop did not write, by the name of one that it will write."""
    demand_own(folder / REPORT)
    for selection in selections:
        demand_free(selection, folder / selection.folder)


def _section(outcome: Outcome, folder: Path) -> dict[str, Any]:
    name = outcome.selection.folder
    _, drawn = write_drawn(outcome, folder / name)
    svgs = {figure: inline(svg, f"{name}-{figure}") for figure, svg in drawn.items()}
    groups: dict[str, list[Any]] = {}
    for verdict in outcome.verdicts:
        groups.setdefault(verdict.claim.tier if verdict.claim.counted else "parameters", []).append(verdict)
    return {
        "name": name,
        "label": outcome.label,
        "study": outcome.study,
        "part": outcome.selection.part,
        "groups": {tier: groups[tier] for tier in TIER_NAMES if tier in groups},
        # the columns of other readings stand in the study's own report
        "shown": shown(outcome, lambda _: [], f"{name}-"),
        "drawings": drawings(outcome, svgs),
        "tables": tables(outcome, svgs),
    }
