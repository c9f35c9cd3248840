"""`multihop advise`: what limits a network, and what to set first."""

from __future__ import annotations

from typing import Annotated

import typer

from multihop.cli.options import JsonOpt, OutOpt, ScenarioArg, SeedOpt, SetOpt, TechniqueOpt, ThreadsOpt

EXAMPLES = """[bold]Examples[/bold]

multihop advise chain

multihop advise my.toml --can router --minutes 10

multihop advise my.toml -t aodv --can all
"""


def register(app: typer.Typer) -> None:
    """Adds the command."""
    app.command(epilog=EXAMPLES)(advise)


def advise(
    scenario: ScenarioArg,
    technique: TechniqueOpt = None,
    set_: SetOpt = None,
    minutes: Annotated[float, typer.Option("--minutes", metavar="M", help="How long it may take, about.")] = 3.0,
    can: Annotated[
        str,
        typer.Option(
            "--can",
            metavar="WHO",
            help="What you can set: router, host, both, or all (also techniques that no router has today).",
        ),
    ] = "both",
    seed: SeedOpt = None,
    out: OutOpt = None,
    json: JsonOpt = False,
    threads: ThreadsOpt = None,
) -> None:
    """Say what limits a network and which setting helps, by how much and how surely.

    It tries what can be set on paired runs, keeps the better half again and again, and confirms the winner on fresh
    runs that took no part in the search. "Nothing helps" is an answer.
    """
    from multihop.advising.advice import advise as search
    from multihop.out.advice import advice_view
    from multihop.out.progress import Steps
    from multihop.scenario.scenario import alternatives, load, only
    from multihop.store.store import Store
    from multihop.terminal import console

    base = only(alternatives(technique or ()))
    with Steps(quiet=json) as steps:
        found = search(
            load(scenario),
            techniques=base,
            settings=tuple(set_ or ()),
            seed=seed,
            minutes=minutes,
            can=can,
            threads=threads,
            store=Store.open(out),
            watch=steps,
        )
    if json:
        console.document(found.json())
    else:
        console.out().print(advice_view(found))
