"""`multihop export`: records out of the store into a folder that can be sent, kept and used elsewhere."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from multihop.cli.options import RecordsArg

EXAMPLES = """[bold]Examples[/bold]

multihop export 3f2a91 --out results

multihop explain results
"""


def register(app: typer.Typer) -> None:
    """Adds the command."""
    app.command(epilog=EXAMPLES)(export)


def export(
    records: RecordsArg = None,
    *,
    out: Annotated[
        Path, typer.Option("--out", "-o", metavar="DIR", help="New folder for the copies.", file_okay=False)
    ],
) -> None:
    """Copy records into a folder of their own, which explain, plot and report take like an id.

    Every file is verified; the scenario, its every value and the tables (Parquet) are in it.
    """
    from multihop.store.housekeeping import export as copy
    from multihop.store.store import Store
    from multihop.terminal import console

    for copied in copy(Store.open(), records or (), out):
        console.say(f"record {copied.id[:12]} ({copied.name}, {copied.label}) is in {out}")
    console.say(f"Next: multihop explain {out}")
