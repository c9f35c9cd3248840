"""`multihop new`: a commented scenario to start from."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

EXAMPLES = """[bold]Examples[/bold]

multihop new my.toml

multihop new meshes/village && multihop run meshes/village.toml
"""


def register(app: typer.Typer) -> None:
    """Adds the command."""
    app.command(epilog=EXAMPLES)(new)


def new(
    name: Annotated[str, typer.Argument(metavar="NAME", help="File to write; `.toml` is added.", show_default=False)],
) -> None:
    """Write a commented starter scenario. It runs as it is; change it into your network."""
    from importlib.resources import files

    from multihop.errors import InputError, StoreError

    path = Path(name) if name.endswith(".toml") else Path(f"{name}.toml")
    text = files("multihop").joinpath("starter.toml").read_text(encoding="utf-8")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("x", encoding="utf-8") as out:
            out.write(text)
    except FileExistsError:
        raise InputError(f"{path} exists already and is not overwritten: choose another name") from None
    except OSError as e:
        path.unlink(missing_ok=True)
        raise StoreError(f"{path} cannot be written: {e.strerror}") from None
    typer.echo(f"{path} is written. Next: multihop run {path}")
