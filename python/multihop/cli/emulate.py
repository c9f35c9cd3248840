"""`multihop emulate`: programs of Linux on the simulated air."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from multihop.cli.options import JsonOpt, OutOpt, ScenarioArg, SeedOpt, SetOpt, TechniqueOpt

EXAMPLES = """[bold]Examples[/bold]

sudo multihop emulate chain -- ping -c 5 {node:7}

sudo multihop emulate chain --serve "7: iperf3 -s" -- iperf3 -c {node:7} -t 20

sudo multihop emulate chain -t persistent-queue --commands day.toml --for 60s

sudo multihop emulate partition --kick 2s --serve "4: iperf3 -s" -- iperf3 -c {node:4} -t 150

sudo multihop emulate detour.toml --tap --commands babel.toml

sudo multihop emulate my.toml
"""


def register(app: typer.Typer) -> None:
    """Adds the command."""
    app.command(epilog=EXAMPLES)(emulate)


def emulate(
    scenario: ScenarioArg,
    command: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[-- COMMAND]",
            help="What to run, after `--`. {node:3} stands for the address of node 3, {here} for the node's own name.",
            show_default=False,
        ),
    ] = None,
    at: Annotated[
        str | None,
        typer.Option(
            "--at", metavar="NODE", help="Where COMMAND runs. Default: where the first flow starts.", show_default=False
        ),
    ] = None,
    serve: Annotated[
        list[str] | None,
        typer.Option(
            "--serve",
            metavar="NODE:COMMAND",
            help="A server that runs beside it, like [bold]7: iperf3 -s[/bold]; [bold]all[/bold] for one at each node. "
            "Repeatable.",
            show_default=False,
        ),
    ] = None,
    prepare: Annotated[
        list[str] | None,
        typer.Option(
            "--prepare",
            metavar="NODE:COMMAND",
            help="What runs and ends before servers and COMMAND start, like a command that sets a route. Repeatable.",
            show_default=False,
        ),
    ] = None,
    commands: Annotated[
        Path | None,
        typer.Option(
            "--commands",
            metavar="FILE",
            help="A TOML file with several commands, each \\[\\[command]].",
            show_default=False,
        ),
    ] = None,
    after: Annotated[
        str | None,
        typer.Option(
            "--after",
            metavar="TIME",
            help="How long COMMAND waits before it starts, so that routing daemons find routes first.",
            show_default=False,
        ),
    ] = None,
    for_: Annotated[
        str | None,
        typer.Option(
            "--for",
            metavar="TIME",
            help="How long it lasts at most. Default: the duration of the scenario.",
            show_default=False,
        ),
    ] = None,
    lag: Annotated[
        str, typer.Option("--lag", metavar="TIME", help="How late one event in a hundred may be in a valid run.")
    ] = "1 ms",
    kick: Annotated[
        str | None,
        typer.Option(
            "--kick",
            metavar="TIME",
            help="Probe the ways of connections that back off so often. Once one is back, TCP sends at once.",
            show_default=False,
        ),
    ] = None,
    tap: Annotated[
        bool,
        typer.Option("--tap", help="The kernels of the nodes route, for real routing daemons, over TAP devices."),
    ] = False,
    technique: TechniqueOpt = None,
    set_: SetOpt = None,
    seed: SeedOpt = None,
    out: OutOpt = None,
    pcap: Annotated[bool, typer.Option("--pcap", help="Write a packet capture of every node into the record.")] = False,
    json: JsonOpt = False,
) -> None:
    """Run real programs over the simulated air, in real time.

    Each node is a network namespace of Linux. The simulator carries what the programs send: routing, queues, MAC and
    radio are as in a simulation, TCP is that of Linux. It ends when the commands have ended; without commands, with
    Ctrl-C. Needs Linux and root, or the capabilities CAP_NET_ADMIN and CAP_SYS_ADMIN.
    """
    import json as json_

    from multihop.cli.codes import SIGNALLED
    from multihop.cli.said import command as said_command
    from multihop.emulating.commands import Command, listed, positive, prepared, seconds, served
    from multihop.emulating.emulate import Wish, emulate
    from multihop.errors import InputError
    from multihop.out.emulation import sentences
    from multihop.out.table import records_view
    from multihop.scenario.scenario import alternatives, load, only
    from multihop.store.store import Store
    from multihop.terminal import console

    chosen, techniques, sets = load(scenario), tuple(only(alternatives(technique or ()))), tuple(set_ or ())
    all_commands = [*prepared(prepare or ()), *served(serve or ()), *(listed(commands) if commands else ())]
    if command:
        first = json_.loads(chosen.resolve(techniques, sets, seed).json())["flows"]
        where = at or (str(first[0]["from"]) if first else "0")
        start = seconds(after, "--after") if after is not None else 0.0
        all_commands.append(Command(where, tuple(command), start))
    elif after is not None:
        raise InputError("--after is about COMMAND, and there is none: in a file of commands, `start` says it")
    wish = Wish(
        chosen,
        all_commands,
        techniques,
        sets,
        seed,
        seconds(for_, "--for") if for_ is not None else None,
        seconds(lag, "--lag"),
        pcap,
        positive(kick, "--kick") if kick is not None else None,
        tap,
    )
    store = Store.open(out)
    emulated = emulate(wish, store, output=sys.stderr if json else None, command=said_command())
    said = emulated.said
    if json:
        console.document(emulated.records.document())
    else:
        page = console.out()
        page.print(records_view(emulated.records))
        for line in sentences(said):
            page.print(line, style="dim" if said["valid"] else "yellow", soft_wrap=True, markup=False)
        page.print(f"Record {emulated.records.id[:12]}. Next: multihop explain", style="dim", soft_wrap=True)
    if emulated.stopped is not None and all_commands:
        raise typer.Exit(SIGNALLED + emulated.stopped)
    failed = [code for code in emulated.codes.values() if code > 0]
    raise typer.Exit(failed[0] if failed else 0 if said["valid"] else 1)
