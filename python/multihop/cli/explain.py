"""`multihop explain`: where a flow's packets went, in words and a table."""

from __future__ import annotations

from typing import Annotated

import typer

from multihop.cli.options import CsvOpt, FlowOpt, JsonOpt, RecordArg, one_format

EXAMPLES = """[bold]Examples[/bold]

multihop explain

multihop explain 3f2a91 --flow 1

multihop explain --run 2 --json
"""


def register(app: typer.Typer) -> None:
    """Adds the command."""
    app.command(epilog=EXAMPLES)(explain)


def explain(
    record: RecordArg = None,
    flow: FlowOpt = None,
    run: Annotated[
        int | None, typer.Option("--run", metavar="N", help="One run only. Default: all together.", show_default=False)
    ] = None,
    json: JsonOpt = False,
    csv: CsvOpt = None,
) -> None:
    """Say where a flow's packets went: by cause, node and time, and what TCP made of each loss.

    TCP takes every loss for congestion; the ledger knows what it was.
    """
    from rich.markup import escape

    from multihop import _engine
    from multihop.analysis.codel_target import words as codel_words
    from multihop.analysis.energy import words as energy_words
    from multihop.analysis.frames_by_rate import words as rates_words
    from multihop.analysis.interference import interference
    from multihop.analysis.mpdus import mpdus
    from multihop.analysis.stories import document
    from multihop.analysis.stories import explain as explained
    from multihop.out.latest import latest_line
    from multihop.out.story import view
    from multihop.record.document import SCHEMA
    from multihop.record.frames import of_records
    from multihop.store.store import Store
    from multihop.terminal import console

    one_format(json, csv)
    store = Store.open()
    sets = store.find(record)
    if csv is not None:
        table = of_records(csv, sets)
        for column, chosen in (("flow", flow), ("run", run)):
            if chosen is not None:
                [*_, story] = explained(sets[0], flow, run)  # which says what there is not
                wanted = story.id if column == "flow" else chosen
                table = table[table[column] == wanted] if column in table else table
        console.table(table)
        return
    if json:
        # of a comparison, the baseline; `arms` has all of them
        arms = [document(records, explained(records, flow, run), run) for records in sets]
        head = {"schema": SCHEMA, "version": _engine.VERSION, "build": _engine.BUILD}
        console.document({**head, **arms[0], "arms": arms})
        return
    page = console.out()
    for index, records in enumerate(sets):
        if index:
            page.print()
        stories, spoilt = explained(records, flow, run), interference(records, run)
        told = rates_words(records, run), energy_words(records, run), codel_words(records)
        facts = [said for said in told if said]
        for part in view(records, stories, spoilt, facts, mpdus(records, run)):
            page.print(part)
    if record is None:
        page.print(escape(latest_line(store, sets)), style="dim", soft_wrap=True)
