"""`multihop sweep`: a scenario at many points, each under some techniques."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from multihop.cli import complete
from multihop.cli.options import FreshOpt, JsonOpt, OutOpt, SeedOpt, SetOpt, TechniqueOpt, ThreadsOpt

EXAMPLES = """[bold]Examples[/bold]

multihop sweep chain --over topology.hops=1..12 -n 10

multihop sweep chain --over tcp.max-window=1..16 --until goodput:2%

multihop sweep chain --over air.bit-error-rate=1e-6..1e-4:x10 --over tcp.max-window=4,40 -t drr,persistent-queue

multihop sweep rwp --over mobility.max-speed=1..20 m/s -t aodv,aodv+elfn --until goodput:5%

multihop sweep chain --over topology.hops=2..8 --cross newreno,cubic --cross none,fq-codel -t none,delayed-ack

multihop sweep today

multihop sweep my-sweep.toml --table points.parquet

Values: a list (1,2,4), a range (1..12), a range with a step (6..54:6 Mbps) or a factor (1e-6..1e-3:x10), files
(topology.file=nets/*.toml). Keys joined by + change together: topology.hops+topology.spacing=3+200 m,5+120 m.
"""


def register(app: typer.Typer) -> None:
    """Adds the command."""
    app.command(epilog=EXAMPLES)(sweep)


def sweep(
    scenario: Annotated[
        str,
        typer.Argument(
            metavar="SCENARIO",
            help="A TOML file, or the name of a shipped scenario or sweep ([bold]multihop list scenarios[/bold], "
            "[bold]multihop list sweeps[/bold]).",
            autocompletion=complete.sweeps,
            show_default=False,
        ),
    ],
    over: Annotated[
        list[str] | None,
        typer.Option(
            "--over",
            metavar="KEY=VALUES",
            help="A key of the scenario and its values. Repeatable: all combinations are run.",
            show_default=False,
        ),
    ] = None,
    technique: TechniqueOpt = None,
    cross: Annotated[
        list[str] | None,
        typer.Option(
            "--cross",
            metavar="T",
            help="Further techniques, like none,fq-codel: each combination with those of -t runs. Repeatable.",
            autocompletion=complete.technique_lists,
            show_default=False,
        ),
    ] = None,
    set_: SetOpt = None,
    runs: Annotated[
        int | None,
        typer.Option("--runs", "-n", metavar="N", min=1, help="Runs of each point. Default: 5.", show_default=False),
    ] = None,
    until: Annotated[
        str | None,
        typer.Option(
            "--until",
            metavar="FIGURE:WIDTH%",
            help="Add runs at each point until the 95 % interval of the figure is that narrow, like goodput:2%.",
            show_default=False,
        ),
    ] = None,
    most: Annotated[
        int | None,
        typer.Option(
            "--most", metavar="N", help="With --until: runs of a point at most. Default: 1000.", show_default=False
        ),
    ] = None,
    figure: Annotated[
        list[str] | None,
        typer.Option("--figure", metavar="FIGURE", help="Figures to print. Default: goodput_bps.", show_default=False),
    ] = None,
    table: Annotated[
        Path | None,
        typer.Option(
            "--table", metavar="FILE", help="Write the table, one row a run: .parquet or .csv.", show_default=False
        ),
    ] = None,
    seed: SeedOpt = None,
    out: OutOpt = None,
    json: JsonOpt = False,
    fresh: FreshOpt = False,
    threads: ThreadsOpt = None,
    on: Annotated[
        str | None,
        typer.Option(
            "--on",
            metavar="CLUSTER",
            help="Run on a Dask cluster: tcp://HOST:PORT, ssh:HOST1,HOST2, or slurm.toml. Default: this machine.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Run a scenario at many points, each under some techniques; only runs that the store lacks are made.

    Points differ in nothing but their keys, and run r has the same random streams at each of them. A [sweep] table in a
    TOML file says the same as the options. The sweep can be stopped at any time; the same command goes on from there.
    """
    from multihop.cli.codes import SIGNALLED
    from multihop.errors import InputError
    from multihop.measures.figures import everywhere
    from multihop.out.sweep import Bar, sweep_view, write_table
    from multihop.running.run import Interrupted
    from multihop.scenario.scenario import nearest
    from multihop.store.store import Store
    from multihop.sweeping.build import campaign
    from multihop.sweeping.cluster import Cluster
    from multihop.sweeping.run import run_sweep
    from multihop.terminal import console

    for name in (names := figure or ["goodput_bps"]):
        if name not in everywhere():
            raise InputError(f"--figure: there is no figure `{name}`{nearest(name, everywhere())}")
    if table is not None and table.suffix not in (".parquet", ".csv"):
        raise InputError(f"--table {table}: the name must end in .parquet or .csv")
    planned, rule = campaign(
        scenario,
        over or (),
        technique or (),
        set_ or (),
        runs=runs,
        seed=seed,
        until=until,
        most=most,
        cross=cross or (),
    )
    store, cluster = Store.open(out), Cluster(on) if on else None
    try:
        with Bar() as bar:
            made = run_sweep(planned, store=store, fresh=fresh, threads=threads, watch=bar, until=rule, cluster=cluster)
    except Interrupted as stop:
        console.say(str(stop), error=True)
        raise typer.Exit(SIGNALLED + stop.signal) from None
    if table is not None:
        write_table(made, table)
    if json:
        console.document(made.document())
        return
    page = console.out()
    page.print(sweep_view(made, names))
    page.print()
    where = f"; {table} has a row for each run" if table is not None else ""
    page.print(f"Sweep {made.id[:12]} is in {store.root}{where}.", style="dim", soft_wrap=True)
    page.print(f"Next: multihop plot {made.id[:12]} lines", style="dim", soft_wrap=True)
