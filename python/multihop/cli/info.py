"""`multihop info`: what a name means, be it a command, a technique, a scenario, a figure, a key or a word."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any

import typer

EXAMPLES = """[bold]Examples[/bold]

multihop info tcp-dcr

multihop info mac.short-retry-limit

multihop info goodput

multihop info compare
"""
MOST_KEYS = 6
"""Keys of one name that are explained."""


def register(app: typer.Typer) -> None:
    """Adds the command, under both of its names."""
    app.command(epilog=EXAMPLES)(info)
    app.command(name="help", epilog=EXAMPLES, hidden=True)(info)


def _complete(incomplete: str) -> Iterator[tuple[str, str]]:
    from multihop.out.meaning import names

    yield from ((name, about) for name, about in names() if name.startswith(incomplete) and " " not in name)


def info(
    ctx: typer.Context,
    words: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[NAME]",
            help="A command, technique, scenario, profile, study, sweep, kind of plot, figure, key of a scenario or "
            "word of the output. Default: the help of all commands.",
            autocompletion=_complete,
            show_default=False,
        ),
    ] = None,
) -> None:
    """Explain a name: a command, a technique, a scenario, a figure, a key or a word of the output.

    [bold]multihop help NAME[/bold] does the same.
    """
    from multihop.errors import InputError
    from multihop.out.meaning import meanings, names
    from multihop.scenario.scenario import nearest
    from multihop.terminal import console

    root: Any = ctx.find_root()
    name = " ".join(words or ())
    if not name:
        typer.echo(root.get_help())
        return
    command = root.command.commands.get(name)
    if command is not None:
        with typer.Context(command, info_name=name, parent=root) as inner:
            typer.echo(command.get_help(inner))
    found = meanings(name)
    page = console.out()
    for index, meaning in enumerate(found):
        if index or command is not None:
            page.print()
        page.print(meaning)
    if command is None and not found:
        known = [word for word, _ in names()]
        raise InputError(f"`{name}` is no name that multihop knows{_instead(name) or nearest(name, known)}")


def _instead(name: str) -> str:
    """What a word of other tools means here, after the complaint."""
    from multihop import _engine

    keys, note = _engine.guess(name)
    if keys:
        return f"; the keys for it: {', '.join(f'`{key}`' for key in keys[:MOST_KEYS])}"
    return f": {note}" if note else ""
