"""`multihop shell`: a shell in a node of an emulation that runs."""

from __future__ import annotations

from typing import Annotated

import typer

EXAMPLES = """[bold]Examples[/bold]

sudo multihop shell 3

sudo multihop shell 0 -- ping -c 3 10.0.0.8
"""


def register(app: typer.Typer) -> None:
    """Adds the command."""
    app.command(epilog=EXAMPLES)(shell)


def shell(
    node: Annotated[str, typer.Argument(metavar="NODE", help="Name of the node.", show_default=False)],
    command: Annotated[
        list[str] | None,
        typer.Argument(metavar="[-- COMMAND]", help="Run this in place of a shell.", show_default=False),
    ] = None,
    emulation: Annotated[
        int | None,
        typer.Option(
            "--emulation",
            metavar="PID",
            help="Which emulation, if several run: its process number.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Open a shell in a node of an emulation that runs.

    It has the network of the node: its address, its device, its sockets. It ends with the emulation.
    """
    from multihop.emulating.visit import visit

    raise typer.Exit(visit(node, command or (), emulation))
