"""`multihop query`: SQL over the tables of the store."""

from __future__ import annotations

from typing import Annotated

import typer

from multihop.cli.options import CsvFlag, OutOpt

EXAMPLES = """[bold]Examples[/bold]

multihop query "select technique, avg(goodput_bps) from runs join flows using (record) group by all"

multihop query "from sweep select tcp_max_window, technique, median(goodput_bps) group by all order by all" --csv

Tables: runs, flows, windows, losses, ledger, nodes, the series, and sweep, the latest one.
"""


def register(app: typer.Typer) -> None:
    """Adds the command."""
    app.command(epilog=EXAMPLES)(query)


def query(
    sql: Annotated[str, typer.Argument(metavar="SQL", help="One select, in the words of DuckDB.", show_default=False)],
    sweep: Annotated[
        str | None,
        typer.Option(
            "--sweep", metavar="ID", help="The sweep that `sweep` names. Default: the latest.", show_default=False
        ),
    ] = None,
    out: OutOpt = None,
    csv: CsvFlag = False,
) -> None:
    """Ask the tables of all records with SQL. DuckDB reads them where they lie."""
    from multihop.out.fit import Column, Fitting, Line
    from multihop.query import sql as ask
    from multihop.store.store import Store
    from multihop.terminal import console

    found = ask(sql, Store.open(out), sweep=sweep)
    if csv:
        console.table(found)
        return
    words = [found[name].dtype.kind not in "iuf" for name in found.columns]
    columns = [Column(str(name), words=word) for name, word in zip(found.columns, words, strict=True)]
    lines = [Line([_cell(value) for value in row]) for row in found.itertuples(index=False)]
    console.out().print(Fitting(columns, lines))


def _cell(value: object) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)
