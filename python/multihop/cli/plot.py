"""`multihop plot`: a figure of a record."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from multihop.cli.options import FlowOpt

if TYPE_CHECKING:
    from multihop.record.record import Records

EXAMPLES = """[bold]Examples[/bold]

multihop plot goodput

multihop plot 3f2a91 cwnd --flow 1 --run 2 --out cwnd.pdf

multihop plot goodput-time --out goodput.pdf

multihop plot time-sequence --time 120:125

multihop plot my.toml map

multihop plot lines --x tcp.max-window --by technique

multihop plot lines --x mobility.max-speed --against aodv

multihop plot 94844e heat --x topology.hops --by tcp.max-window --y rtt-mean

Of a sweep: lines, heat, ecdf, pareto. Of other records: goodput (bars with 95 % intervals), goodput-time, rtt-time,
cwnd, rate, time-sequence, drops (by node and cause), airtime (by node) and map. Cdf and box show how goodput spreads
over runs.
"""


def _complete(incomplete: str) -> list[str]:
    from multihop.cli import complete
    from multihop.plots.record import KINDS

    return [*(k for k in KINDS if k.startswith(incomplete)), *(key for key, _ in complete.records(incomplete))]


def register(app: typer.Typer) -> None:
    """Adds the command."""
    app.command(epilog=EXAMPLES)(plot)


def plot(
    words: Annotated[
        list[str],
        typer.Argument(
            metavar="[RECORD] KIND",
            help="What to draw: goodput, goodput-time, rtt-time, cwnd, rate, time-sequence, drops, airtime, map, cdf "
            "or box. Before it, a record if not the latest, or a scenario to draw the map of.",
            show_default=False,
            autocompletion=_complete,
        ),
    ],
    flow: FlowOpt = None,
    run: Annotated[
        int | None, typer.Option("--run", metavar="N", help="Run to show, where one is shown.", show_default=False)
    ] = None,
    time: Annotated[
        str | None,
        typer.Option(
            "--time", metavar="FROM:TO", help="From when to when in seconds, where time is shown.", show_default=False
        ),
    ] = None,
    x: Annotated[
        str | None,
        typer.Option("--x", metavar="KEY", help="Of a sweep: what is across; of pareto a figure.", show_default=False),
    ] = None,
    y: Annotated[
        str | None,
        typer.Option("--y", metavar="FIGURE", help="Of a sweep: the figure. Default: goodput_bps.", show_default=False),
    ] = None,
    by: Annotated[
        str | None,
        typer.Option(
            "--by", metavar="KEY", help="Of a sweep: a line for each value (heat: a row).", show_default=False
        ),
    ] = None,
    facet: Annotated[
        str | None,
        typer.Option("--facet", metavar="KEY", help="Of a sweep: a panel for each value.", show_default=False),
    ] = None,
    at: Annotated[
        list[str] | None,
        typer.Option(
            "--at", metavar="KEY=VALUE", help="Of a sweep: these points only. Repeatable.", show_default=False
        ),
    ] = None,
    against: Annotated[
        str | None,
        typer.Option(
            "--against",
            metavar="TECHNIQUE",
            help="Of a sweep: draw what the others gain over this one, in percent.",
            show_default=False,
        ),
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
    """Draw a figure of a record, ready for a paper. Of a comparison, all techniques are drawn.

    After a run with [bold]--set measure.events=100000[/bold], cwnd and time-sequence show every event of TCP.
    Above the window of BBR stand its phases, as sampled: [bold]--set measure.sample=20ms[/bold] shows short ones.
    """
    from multihop.ceiling.reach import Reach
    from multihop.errors import InputError
    from multihop.files.output import demand_own
    from multihop.out.latest import latest_line
    from multihop.plots import save
    from multihop.plots.cells import Asked
    from multihop.plots.map import draw_map
    from multihop.plots.record import KINDS, Choice, demand, draw
    from multihop.plots.sweep import SWEEP_KINDS, draw_sweep
    from multihop.scenario.scenario import is_scenario, load
    from multihop.store.store import Store
    from multihop.sweeping.keep import find as find_sweep
    from multihop.terminal import console

    if len(words) > 2:
        raise InputError(f"one record and one kind are expected, not {len(words)} words: {' '.join(words)}")
    kind, record = words[-1], words[0] if len(words) == 2 else None
    asked = Asked(x, y, by, facet, at or (), against)
    if kind not in KINDS and record in KINDS:  # the two were swapped, and it is clear what is meant
        kind, record = record, kind
    path = out or Path(f"{kind}.svg")
    if out is None:
        demand_own(path)
    if kind in SWEEP_KINDS:
        save(draw_sweep(kind, find_sweep(Store.open(), record), asked), path)
        console.say(f"{path} is written")
        return
    demand(kind)
    if asked != Asked():
        raise InputError(
            "--x, --y, --by, --facet, --at and --against are for pictures of sweeps: lines, heat, ecdf and pareto"
        )
    if kind == "map" and record is not None and is_scenario(record):
        if (flow, run, time) != (None, None, None):
            raise InputError(
                "the map of a scenario shows all its flows, before any run: leave --flow, --run and --time out"
            )
        loaded = load(record)
        save(draw_map(Reach(loaded.resolve()), loaded.name), path)
        console.say(f"{path} is written")
        return
    store = Store.open()
    sets = store.find(record)
    save(draw(kind, sets, Choice(flow, run, _span(time))), path)
    console.say(f"{path} is written")
    if record is None:
        console.say(latest_line(store, sets))
    if kind in ("cwnd", "time-sequence"):
        for line in _on_events(sets, flow, run):
            console.say(line)


def _on_events(sets: list[Records], flow: str | None, run: int | None) -> list[str]:
    """What is not in a figure of events, and how to have it."""
    from multihop.analysis.findings import thinned

    said = [*dict.fromkeys(line for records in sets for line in thinned(records, "losses")), *_cut(sets, flow, run)]
    if not any("events" in record.series_names for records in sets for record in records):
        said.append("Drawn from samples: with --set measure.events=100000 a run keeps every event of TCP.")
    return said


def _cut(sets: list[Records], flow: str | None, run: int | None) -> list[str]:
    """Where the events that were kept end before the run does."""
    from multihop.plots.choice import Choice, one_of, over
    from multihop.plots.events import kept_until

    sets = over(sets, "tcp")
    ends = [kept_until(*one_of(records, Choice(flow, run))) for records in sets]
    words = "the events of TCP end at {:g} s: `measure.events` keeps more of them"
    return [f"{records.label}: {words.format(end)}" for records, end in zip(sets, ends, strict=True) if end is not None]


def _span(time: str | None) -> tuple[float, float] | None:
    """The part of the time that is meant [s]; raises InputError."""
    from multihop.errors import InputError

    if time is None:
        return None
    try:
        low, high = (float(word.strip().removesuffix("s")) for word in time.split(":"))
    except ValueError:
        low, high = 0.0, 0.0
    if not 0 <= low < high < float("inf"):
        raise InputError(f"--time: two times in seconds like 20:25 are expected, not `{time}`")
    return low, high
