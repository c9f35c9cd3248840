"""`multihop advise`: what limits a network, and what to set first."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from multihop.cli.options import JsonOpt, OutOpt, ScenarioArg, SeedOpt, SetOpt, TechniqueOpt, ThreadsOpt

EXAMPLES = """[bold]Examples[/bold]

multihop advise chain

multihop advise my.toml --can router --minutes 10

multihop advise partition --can host --html advice.html
"""


def register(app: typer.Typer) -> None:
    """Adds the command."""
    app.command(epilog=EXAMPLES)(advise)


def advise(
    scenario: ScenarioArg,
    technique: TechniqueOpt = None,
    set_: SetOpt = None,
    minutes: Annotated[float, typer.Option("--minutes", metavar="M", help="How long it may take, about.")] = 3.0,
    budget_runs: Annotated[
        int | None,
        typer.Option(
            "--budget-runs",
            metavar="N",
            help="A budget in runs instead of minutes. The answer is then the same each time.",
            show_default=False,
        ),
    ] = None,
    can: Annotated[
        str | None,
        typer.Option(
            "--can",
            metavar="WHAT",
            help="What you can change: router, host or both, with new software too. Default: what OpenWrt routers and "
            "Linux hosts can be told today.",
            show_default=False,
        ),
    ] = None,
    html: Annotated[
        Path | None,
        typer.Option("--html", metavar="FILE", help="Write a report too.", dir_okay=False, show_default=False),
    ] = None,
    seed: SeedOpt = None,
    out: OutOpt = None,
    json: JsonOpt = False,
    threads: ThreadsOpt = None,
) -> None:
    """Say what limits a network and which setting helps, by how much and how surely.

    It tries what can be set on paired runs, and keeps the better half again and again. It confirms the best on fresh
    runs that took no part in the search. "Nothing helps" is an answer.
    """
    from multihop.advising.search import advise as search
    from multihop.files.output import write_whole
    from multihop.out.advice import advice_view
    from multihop.out.progress import Steps
    from multihop.scenario.scenario import alternatives, load, only
    from multihop.store.store import Store
    from multihop.terminal import console

    base = only(alternatives(technique or ()))
    with Steps() as steps:
        found = search(
            load(scenario),
            techniques=base,
            settings=tuple(set_ or ()),
            seed=seed,
            minutes=minutes,
            budget_runs=budget_runs,
            can=can,
            threads=threads,
            store=Store.open(out),
            watch=steps,
        )
    if html is not None:
        from multihop.report.advice import advice_page

        write_whole(html, advice_page(found))
    if json:
        console.document(found.json())
        return
    console.out().print(advice_view(found))
    if html is not None:
        console.say(f"{html} is written: {html.resolve().as_uri()}")
