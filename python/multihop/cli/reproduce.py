"""`multihop reproduce`: a paper's figures and tables, run again and judged claim by claim."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from multihop.cli.options import CsvFlag, FreshOpt, JsonOpt, ThreadsOpt, one_format

EXAMPLES = """[bold]Examples[/bold]

multihop reproduce ohzahata

multihop reproduce ohzahata/fig3

multihop reproduce ohzahata/table1 --quick --json

multihop reproduce my-study.toml --out results

multihop reproduce my-study.toml --csv > points.csv
"""


def _complete(incomplete: str) -> list[str]:
    from multihop.study import find, names

    name, slash, _ = incomplete.partition("/")
    known = names()
    if slash and name in known:
        return [f"{name}/{part}" for part in find(name).parts if f"{name}/{part}".startswith(incomplete)]
    return [name for name in known if name.startswith(incomplete)]


def register(app: typer.Typer) -> None:
    """Adds the command."""
    app.command(epilog=EXAMPLES)(reproduce)


def reproduce(
    study: Annotated[
        str,
        typer.Argument(
            metavar="STUDY[/PART]",
            help="A shipped study ([bold]multihop list studies[/bold]) or a TOML file, and perhaps one figure or table "
            "of it, like [bold]ohzahata/fig3[/bold].",
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
            help="Folder for the report and the figures. Default: out/STUDY.",
            file_okay=False,
            show_default=False,
        ),
    ] = None,
    threads: ThreadsOpt = None,
) -> None:
    """Run a study: a paper's experiments with its claims, one line each, or a sweep of your own.

    Figures are drawn with the paper's numbers in them; the report has everything. Of a study without claims, a table of
    its points is printed.
    """
    from rich.markup import escape

    from multihop.out.claims import claim_rows, study_view
    from multihop.out.points import point_rows, points_view
    from multihop.out.progress import Bar
    from multihop.report.study import demand_free, write_study
    from multihop.study import find
    from multihop.study import reproduce as run_study
    from multihop.study.select import select, split
    from multihop.terminal import console
    from multihop.text import plural

    one_format(json, csv)
    name, part = split(study)
    loaded = find(name)
    folder = out or Path("out") / "-".join(x for x in (loaded.name, part) if x)
    demand_free(select(loaded, part), folder)
    with Bar() as bar:
        outcome = run_study(loaded, part, quick=quick, fresh=fresh, threads=threads, watch=bar)
    path = write_study(outcome, folder)
    if json:
        console.document(outcome.document(points=points))
        return
    if csv:
        console.rows(*(point_rows(outcome) if points or not loaded.claims else claim_rows(outcome)))
        return
    page = console.out()
    for piece in points_view(outcome) if points or not loaded.claims else study_view(outcome, readings=readings):
        page.print(piece)
    figures = len(list(folder.glob("*.svg")))
    drawn = f"{plural(figures, 'figure')} and the report are" if figures else "The report is"
    page.print(
        f"{outcome.stored} of {plural(outcome.runs, 'run')} came from the store; {outcome.wall_s:.0f} s. "
        f"{drawn} in {escape(str(folder))}: {path.resolve().as_uri()}",
        style="dim",
        soft_wrap=True,
    )
