"""Composes the commands, and turns what goes wrong into one paragraph and an exit code.

Exit codes: 0 done; 2 bad input, unreadable record, nowhere to write; 130 stopped by Ctrl-C.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import Annotated

import typer

from multihop import _engine
from multihop.cli import compare, explain, list_, new, plot, report, reproduce, run
from multihop.cli.codes import BAD_INPUT, STOPPED
from multihop.errors import MultihopError

COMMANDS = (run, compare, explain, plot, report, reproduce, list_, new)
"""In the order of the help page."""

HELP = """What will TCP get over these wireless hops, where do its packets die, and which known fix helps?

Start with [bold]multihop run chain[/bold], then [bold]multihop explain[/bold]; compare fixes with
[bold]multihop compare chain --techniques none,persistent-queue[/bold]; write your own network with
[bold]multihop new my.toml[/bold].
"""


def build() -> typer.Typer:
    """The application with all commands."""
    app = typer.Typer(
        name="multihop",
        help=HELP,
        no_args_is_help=True,
        rich_markup_mode="rich",
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(_options)
    for command in COMMANDS:
        command.register(app)
    return app


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs the command line and leaves the process with its exit code."""
    try:
        build()(list(arguments) if arguments is not None else None, prog_name="multihop")
    except MultihopError as e:
        _complain(str(e))
        sys.exit(BAD_INPUT)
    except KeyboardInterrupt:
        _complain("stopped")
        sys.exit(STOPPED)
    except BrokenPipeError:
        # the reader of our output has left; nothing is wrong, but a later flush must not complain either
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"multihop {_engine.VERSION} (engine build {_engine.BUILD})")
        raise typer.Exit


def _options(
    _: Annotated[
        bool,
        typer.Option(
            "--version", help="Print the version and the engine's build, and leave.", is_eager=True, callback=_version
        ),
    ] = False,
) -> None:
    """Options of `multihop` itself."""


def _complain(message: str) -> None:
    """One paragraph on standard error."""
    typer.echo(f"multihop: {' '.join(message.split())}", err=True)
