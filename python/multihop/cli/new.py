"""`multihop new`: a commented scenario to start from."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from multihop.cli import complete
from multihop.scenario.cards import USUAL, Wifi

EXAMPLES = """[bold]Examples[/bold]

multihop new my.toml

multihop new my.toml --wifi 802.11ac

multihop new my.toml --from grid

multihop new meshes/village && multihop run meshes/village.toml
"""


def register(app: typer.Typer) -> None:
    """Adds the command."""
    app.command(epilog=EXAMPLES)(new)


def new(
    name: Annotated[str, typer.Argument(metavar="NAME", help="File to write; `.toml` is added.", show_default=False)],
    source: Annotated[
        str | None,
        typer.Option(
            "--from",
            metavar="SCENARIO",
            help="Start from a shipped scenario ([bold]multihop list scenarios[/bold]), or from a file.",
            autocompletion=complete.scenarios,
            show_default=False,
        ),
    ] = None,
    wifi: Annotated[
        Wifi | None,
        typer.Option(
            "--wifi",
            help="Which Wi-Fi the starter has: your radios'. Default: 802.11n, as OpenWrt ships it.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Write a commented starter scenario, or a copy of a shipped one. It runs as it is; make it your network.

    Its first line names the JSON Schema by which editors complete and check it (Taplo; Even Better TOML in VS Code).
    """
    import json
    from importlib.resources import files

    from multihop.errors import InputError
    from multihop.files.output import write_new
    from multihop.scenario.cards import starter
    from multihop.scenario.editor import with_schema
    from multihop.scenario.scenario import Scenario, load
    from multihop.scenario.wifi import model_words
    from multihop.terminal import console

    path = Path(name)
    if path.suffix not in ("", ".toml"):
        raise InputError(
            f"a scenario is a TOML file, and {name} is named as another: write {path.with_suffix('.toml')}"
        )
    path = path.with_suffix(".toml")
    if source and wifi:
        raise InputError(f"{source} has its own Wi-Fi: leave --wifi out, and change `[mac]` in {path}")
    if source:
        text = load(source).text
    else:
        text = starter(files("multihop").joinpath("starter.toml").read_text(encoding="utf-8"), wifi or USUAL)
    write_new(path, with_schema(text))
    if not source:
        console.say(model_words(json.loads(Scenario(path.stem, text, str(path)).resolve().json())))
    console.say(f"{path} is written. Next: multihop run {path}")
