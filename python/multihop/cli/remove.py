"""`multihop remove`: records out of the store."""

from __future__ import annotations

from typing import Annotated

import typer

from multihop.cli import complete

EXAMPLES = """[bold]Examples[/bold]

multihop remove 3f2a91 77c0de

multihop remove --all
"""


def register(app: typer.Typer) -> None:
    """Adds the command."""
    app.command(epilog=EXAMPLES)(remove)


def remove(
    records: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="RECORD...",
            help="Ids of records ([bold]multihop list records[/bold]); their first characters are enough.",
            autocompletion=complete.records,
            show_default=False,
        ),
    ] = None,
    all_: Annotated[bool, typer.Option("--all", help="Remove all records, and runs that belong to none.")] = False,
) -> None:
    """Remove records from the store, with those of their runs that no other record has."""
    from multihop.errors import InputError
    from multihop.store.housekeeping import remove as take_out
    from multihop.store.housekeeping import remove_all
    from multihop.store.store import Store
    from multihop.terminal import console
    from multihop.text import amount, plural

    if all_ == bool(records):
        raise InputError("either records are named, or --all: `multihop list records` has their ids")
    store = Store.open()
    removed = remove_all(store) if all_ else take_out(store, records or ())
    for record in removed.records:
        console.say(f"record {record} is removed")
    console.say(f"{plural(removed.runs, 'run')} and {amount(removed.freed)} less in {store.root}")
