"""`multihop reproduce`: figures and tables of papers, run again and judged claim by claim."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape

from multihop.cli.options import CsvFlag, FreshOpt, JsonOpt, ThreadsOpt, one_format
from multihop.text import plural

if TYPE_CHECKING:
    from multihop.study.outcome import Outcome
    from multihop.study.select import Selection
    from multihop.study.several import Outcomes

EXAMPLES = """[bold]Examples[/bold]

multihop reproduce ohzahata

multihop reproduce ohzahata/fig3

multihop reproduce ohzahata/table1 --quick --json

multihop reproduce all --quick

multihop reproduce seok/fig5 hamadani/fig7

multihop reproduce my-study.toml --out results

multihop reproduce my-study.toml --csv > points.csv
"""


def _complete(incomplete: str) -> list[str]:
    from multihop.study import find, names
    from multihop.study.several import ALL

    name, slash, _ = incomplete.partition("/")
    known = [ALL, *names()]
    if slash and name in names():
        return [f"{name}/{part}" for part in find(name).parts if f"{name}/{part}".startswith(incomplete)]
    return [name for name in known if name.startswith(incomplete)]


def register(app: typer.Typer) -> None:
    """Adds the command."""
    app.command(epilog=EXAMPLES)(reproduce)


def reproduce(
    studies: Annotated[
        list[str],
        typer.Argument(
            metavar="STUDY[/PART]...",
            help="Shipped studies ([bold]multihop list studies[/bold]) or TOML files, each perhaps with one figure or "
            "table, like [bold]ohzahata/fig3[/bold]. [bold]all[/bold] is every paper.",
            autocompletion=_complete,
            show_default=False,
        ),
    ],
    quick: Annotated[bool, typer.Option("--quick", help="Few and short runs: a look, not evidence.")] = False,
    readings: Annotated[
        bool,
        typer.Option("--readings", help="Print all other readings too, not only those that change a verdict."),
    ] = False,
    points: Annotated[
        bool,
        typer.Option(
            "--points", help="Print what was measured at every point instead of the claims; so it is without claims."
        ),
    ] = False,
    json: JsonOpt = False,
    csv: CsvFlag = False,
    fresh: FreshOpt = False,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            metavar="DIR",
            help="Folder for the report and the figures. Default: out/STUDY, of several studies out/studies.",
            file_okay=False,
            show_default=False,
        ),
    ] = None,
    threads: ThreadsOpt = None,
) -> None:
    """Run a study: a paper's experiments with its claims, one line each, or a sweep of your own.

    Figures are drawn with the paper's numbers in them; the report has everything. Of a study without claims, a table of
    its points is printed. Several studies give one report. Finished runs are kept: a command that was stopped goes on
    from there.
    """
    from multihop.study.several import ALL, selections

    one_format(json, csv)
    wanted = selections(studies)
    asked = Asked(quick=quick, readings=readings, points=points, json=json, csv=csv, fresh=fresh, threads=threads)
    if len(wanted) == 1 and ALL not in studies:
        _one(wanted[0], out or Path("out") / wanted[0].folder, asked)
    else:
        _several(wanted, out or Path("out") / "studies", asked)


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What is asked of the studies, whichever they are."""

    quick: bool
    readings: bool
    points: bool
    json: bool
    csv: bool
    fresh: bool
    threads: int | None


def _one(selection: Selection, folder: Path, asked: Asked) -> None:
    from multihop.out.claims import claim_rows, study_view
    from multihop.out.points import point_rows, points_view
    from multihop.out.progress import Bar
    from multihop.report.study import demand_free, write_study
    from multihop.study import reproduce as run_study
    from multihop.terminal import console

    demand_free(selection, folder)
    with Bar() as bar:
        outcome = run_study(
            selection.study,
            selection.part,
            quick=asked.quick,
            fresh=asked.fresh,
            threads=asked.threads,
            watch=bar,
        )
    path = write_study(outcome, folder)
    points = asked.points or not selection.study.claims
    if asked.json:
        console.document(outcome.document(points=asked.points))
        return
    if asked.csv:
        console.rows(*(point_rows(outcome) if points else claim_rows(outcome)))
        return
    page = console.out()
    for piece in points_view(outcome) if points else study_view(outcome, readings=asked.readings):
        page.print(piece)
    figures = len(list(folder.glob("*.svg")))
    drawn = f"{plural(figures, 'figure')} and the report are" if figures else "The report is"
    _end(outcome, drawn, path)


def _several(wanted: Sequence[Selection], folder: Path, asked: Asked) -> None:
    from multihop.out.claims import claim_rows, study_view
    from multihop.out.points import point_rows, points_view
    from multihop.out.several import joined, several_view
    from multihop.out.sweep import Bar
    from multihop.report.several import demand_all_free, write_several
    from multihop.study.several import reproduce_all
    from multihop.terminal import console

    demand_all_free(wanted, folder)
    with Bar() as bar:
        outcomes = reproduce_all(wanted, quick=asked.quick, fresh=asked.fresh, threads=asked.threads, watch=bar)
    path = write_several(outcomes, folder)
    if asked.json:
        console.document(outcomes.document(points=asked.points))
        return
    if asked.csv:
        console.rows(*joined(outcomes, point_rows if asked.points else claim_rows))
        return
    page = console.out()
    if asked.points or asked.readings:
        for outcome in outcomes:
            for piece in points_view(outcome) if asked.points else study_view(outcome, readings=True):
                page.print(piece)
    for piece in several_view(outcomes):
        page.print(piece)
    _end(outcomes, "The report of all, and one of each study with its figures, are", path)


def _end(outcome: Outcome | Outcomes, what: str, path: Path) -> None:
    """Says where everything lies."""
    from multihop.terminal import console

    console.out().print(
        f"{outcome.stored} of {plural(outcome.runs, 'run')} came from the store; {outcome.wall_s:.0f} s. "
        f"{what} in {escape(str(path.parent))}: {path.resolve().as_uri()}",
        style="dim",
        soft_wrap=True,
    )
