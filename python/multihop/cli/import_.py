"""`multihop import`: your own network, from what describes it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

EXAMPLES = """[bold]Examples[/bold]

multihop import nodes.geojson village.toml --range "180 m"

multihop import links.csv mesh.toml --flow gateway:far-house

multihop import meshviewer.json && multihop check meshviewer.toml

Read are tables of nodes and links (CSV), GeoJSON, meshviewer.json, nodes.json, NetJSON, batadv-vis -f jsondoc,
batctl o, OLSR's jsoninfo and txtinfo, babeld's dump.
"""


def register(app: typer.Typer) -> None:
    """Adds the command."""
    app.command(name="import", epilog=EXAMPLES)(import_)


def import_(
    source: Annotated[
        Path, typer.Argument(metavar="FILE", help="What describes the network.", show_default=False, dir_okay=False)
    ],
    name: Annotated[
        str | None,
        typer.Argument(metavar="[SCENARIO]", help="File to write. Default: FILE's name, .toml.", show_default=False),
    ] = None,
    range_: Annotated[
        str,
        typer.Option("--range", metavar="M", help="How far a frame is received, where only places are known."),
    ] = "250 m",
    flow: Annotated[
        list[str] | None,
        typer.Option(
            "--flow",
            "-f",
            metavar="FROM:TO",
            help="A download from one node to another. Repeatable. Default: from a gateway to nodes near and far.",
            show_default=False,
        ),
    ] = None,
    flows: Annotated[int, typer.Option("--flows", metavar="N", min=1, help="How many flows, if none is named.")] = 3,
) -> None:
    """Write a scenario from a list of nodes, a table of links, or what mesh routers tell of their neighbours.

    Latitude and longitude become metres; link qualities become losses; what is not known is written as a comment.
    """
    from multihop.editor import with_schema
    from multihop.errors import InputError
    from multihop.importing.read import read
    from multihop.importing.write import scenario_text
    from multihop.out import console
    from multihop.out.files import write_new
    from multihop.text import plural

    path = Path(name or source.with_suffix(".toml").name)
    path = path if path.suffix == ".toml" else path.with_name(f"{path.name}.toml")
    if path.exists():
        raise InputError(f"{path} exists already and is not overwritten: name another file after {source}")
    metres = range_.strip().removesuffix("m").strip()
    if not metres.replace(".", "", 1).isdecimal() or float(metres) <= 0:
        raise InputError(f'--range: a distance above 0 like "180 m" is expected, not `{range_}`')
    network = read(source)
    text = scenario_text(network, source.name, flows=flow or (), many=flows, range_m=float(metres))
    write_new(path, with_schema(text))
    links = f" and {plural(len(network.wires), 'direction')} of links" if network.wires else ""
    console.say(f"{path} is written, from {plural(len(network.sites), 'node')}{links}. Next: multihop check {path}")
