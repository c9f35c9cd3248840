"""`multihop report`: records as one HTML file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from multihop.cli.options import RecordsArg

EXAMPLES = """[bold]Examples[/bold]

multihop report

multihop report 3f2a91 77c0de --out results.html
"""


def register(app: typer.Typer) -> None:
    """Adds the command."""
    app.command(epilog=EXAMPLES)(report)


def report(
    records: RecordsArg = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            "-o",
            metavar="FILE",
            help="File to write. Default: report.html here.",
            dir_okay=False,
            show_default=False,
        ),
    ] = None,
) -> None:
    """Write a report: one HTML file with tables, figures, ledger and provenance, that needs no network.

    Records that differ in their techniques only are compared.
    """
    from multihop.files.output import demand_own, write_whole
    from multihop.out.latest import latest_line
    from multihop.report.records import records_page
    from multihop.store.store import Store
    from multihop.terminal import console

    path = out or Path("report.html")
    if out is None:
        demand_own(path)
    store = Store.open()
    wanted: list[str | None] = [*records] if records else [None]
    sets = [found for reference in wanted for found in store.find(reference)]
    write_whole(path, records_page(sets))
    console.say(f"{path} is written: {path.resolve().as_uri()}")
    if not records:
        console.say(latest_line(store, sets))
