"""`multihop plot`: a figure of a record."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from multihop.cli.options import FlowOpt

EXAMPLES = """[bold]Examples[/bold]

multihop plot goodput

multihop plot 3f2a91 cwnd --flow 1 --run 2 --out cwnd.pdf

multihop plot my.toml map

Kinds: goodput (bars with 95 % intervals), cwnd, time-sequence, drops (by node and cause), airtime (by node), map, cdf
and box (how goodput spreads over runs).
"""


def _complete(incomplete: str) -> list[str]:
    from multihop.cli import complete
    from multihop.figure.record import KINDS

    return [*(k for k in KINDS if k.startswith(incomplete)), *(key for key, _ in complete.records(incomplete))]


def register(app: typer.Typer) -> None:
    """Adds the command."""
    app.command(epilog=EXAMPLES)(plot)


def plot(
    words: Annotated[
        list[str],
        typer.Argument(
            metavar="[RECORD] KIND",
            help="What to draw: goodput, cwnd, time-sequence, drops, airtime, map, cdf or box; before it, a record if "
            "not the latest, or a scenario of which to draw the map.",
            show_default=False,
            autocompletion=_complete,
        ),
    ],
    flow: FlowOpt = None,
    run: Annotated[
        int | None, typer.Option("--run", metavar="N", help="Run to show, where one is shown.", show_default=False)
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            "-o",
            metavar="FILE",
            help="File to write; .svg, .png or .pdf. Default: KIND.svg here.",
            dir_okay=False,
            show_default=False,
        ),
    ] = None,
) -> None:
    """Draw a figure of a record, ready for a paper. Of a comparison, all techniques are drawn."""
    from multihop.errors import InputError
    from multihop.explain import thinned
    from multihop.figure import save
    from multihop.figure.map import draw_map
    from multihop.figure.record import KINDS, Choice, draw
    from multihop.out import console
    from multihop.reach import Reach
    from multihop.scenario import is_scenario, load
    from multihop.store import Store

    if len(words) > 2:
        raise InputError(f"one record and one kind are expected, not {len(words)} words: {' '.join(words)}")
    kind, record = words[-1], words[0] if len(words) == 2 else None
    if kind not in KINDS and record in KINDS:  # the two were swapped, and it is clear what is meant
        kind, record = record, kind
    path = out or Path(f"{kind}.svg")
    if kind == "map" and record is not None and is_scenario(record):
        if flow is not None or run is not None:
            raise InputError("the map of a scenario shows all its flows, before any run: leave --flow and --run out")
        loaded = load(record)
        save(draw_map(Reach(loaded.resolve()), loaded.name), path)
        console.say(f"{path} is written")
        return
    sets = Store.open().find(record)
    save(draw(kind, sets, Choice(flow, run)), path)
    console.say(f"{path} is written")
    if kind in ("cwnd", "time-sequence"):
        for line in dict.fromkeys(line for records in sets for line in thinned(records, "losses")):
            console.say(line)
