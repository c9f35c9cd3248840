"""`multihop import`: your own network, from what describes it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from multihop.importing.cables import Cables
from multihop.scenario.cards import Wifi

EXAMPLES = """[bold]Examples[/bold]

multihop import nodes.geojson village.toml --range "180 m"

multihop import links.csv --out mesh.toml --flow gateway:far-house

multihop import roof1.txt roof2.txt --out mesh.toml --gateway roof1

multihop import meshviewer.json && multihop check meshviewer.toml

It reads tables of nodes and links (CSV), GeoJSON, KML, GPX, meshviewer.json, nodes.json, graph.json, node-link JSON and
NetJSON. It also reads AREDN's sysinfo.json, batadv-vis, batctl o and n, OLSR's jsoninfo, txtinfo and dot, and babeld's
dump.
"""


def register(app: typer.Typer) -> None:
    """Adds the command."""
    app.command(name="import", epilog=EXAMPLES)(import_)


def import_(
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILE... [SCENARIO]",
            help="What describes the network; several files are joined. A last name that ends in .toml is written.",
            show_default=False,
        ),
    ],
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", "-o", metavar="SCENARIO", help="File to write. Default: FILE's name, .toml.", show_default=False
        ),
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
    gateway: Annotated[
        str | None,
        typer.Option(
            "--gateway",
            metavar="NODE",
            help="The node that downloads come from. Default: what the file calls one.",
            show_default=False,
        ),
    ] = None,
    cables: Annotated[
        Cables,
        typer.Option(
            "--cables", help="Links that are cables: leave them out, join their ends, or take them for radio."
        ),
    ] = Cables.LEAVE_OUT,
    wifi: Annotated[
        Wifi | None,
        typer.Option(
            "--wifi",
            help="Which Wi-Fi the radios have. Default: what the file says, else 802.11n.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Write a scenario from a list of nodes, a table of links, or what mesh routers tell of their neighbours.

    Latitude and longitude become metres; link qualities become losses. What was left out, not used or assumed is said.
    """
    from multihop.errors import InputError
    from multihop.files.output import write_new
    from multihop.importing.read import read_all
    from multihop.importing.write import scenario_of, title_of
    from multihop.scenario.editor import with_schema
    from multihop.terminal import console

    sources, path = _names(files, out)
    if path.exists():
        raise InputError(f"{path} exists already and is not overwritten: name another file with `--out`")
    metres = range_.strip().removesuffix("m").strip()
    if not metres.replace(".", "", 1).isdecimal() or not 0 < float(metres) < 1e6:
        raise InputError(f'--range: a distance above 0 like "180 m" is expected, not `{range_}`')
    network = read_all(sources, cables, wifi)
    range_m, title = float(metres), title_of(sources)
    made = scenario_of(network, title, flows=flow or (), gateway=gateway, many=flows, range_m=range_m)
    write_new(path, with_schema(made.text))
    console.say(f"{path} is written: {made.summary}")
    if made.gateway:
        console.say(made.gateway)
    console.say(made.model)
    console.say(f"Next: multihop check {path}, then multihop run {path}")


def _names(files: Sequence[Path], out: Path | None) -> tuple[list[Path], Path]:
    """What is read, and what is written: named by `--out`, or the last of several if it is no file to read."""
    sources = list(files)
    last = sources[-1]
    if out is None and len(sources) > 1 and (last.suffix == ".toml" or not (last.suffix or last.exists())):
        out = sources.pop()
    path = out or Path(sources[0].with_suffix(".toml").name)
    return sources, path if path.suffix == ".toml" else path.with_name(f"{path.name}.toml")
