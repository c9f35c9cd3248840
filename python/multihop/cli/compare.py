"""`multihop compare`: techniques side by side on the same runs."""

from __future__ import annotations

from typing import Annotated

import typer

from multihop.cli.options import (
    CsvOpt,
    FreshOpt,
    JsonOpt,
    OutOpt,
    ScenarioArg,
    SeedOpt,
    SetOpt,
    TechniqueOpt,
    ThreadsOpt,
    one_format,
)

EXAMPLES = """[bold]Examples[/bold]

multihop compare chain -t none,drr,persistent-queue

multihop compare chain -t drr,persistent-queue,persistent-queue+delayed-ack --runs 20

multihop compare random -t none,drr,sack,red-ecn,delayed-ack --details

multihop compare my.toml -t none,small-window:2,small-window:8 --set air.bit-error-rate=1e-5 --json
"""


def register(app: typer.Typer) -> None:
    """Adds the command."""
    app.command(epilog=EXAMPLES)(compare)


def compare(
    scenario: ScenarioArg,
    technique: TechniqueOpt = None,
    set_: SetOpt = None,
    runs: Annotated[int, typer.Option("--runs", "-n", metavar="N", min=1, help="Independent runs of each.")] = 10,
    seed: SeedOpt = None,
    out: OutOpt = None,
    json: JsonOpt = False,
    csv: CsvOpt = None,
    details: Annotated[bool, typer.Option("--details", help="Show every figure in full, and each flow.")] = False,
    fresh: FreshOpt = False,
    threads: ThreadsOpt = None,
) -> None:
    """Compare techniques on the same runs: differences to the baseline with 95 % intervals.

    The answer stands first: a sentence for each technique, the best first. Run r has the same random streams under
    every technique, so the difference is taken run by run. Where it is not settled, the table says about how many more
    runs would settle it. A verdict is marked `perhaps` where it is settled alone, but not by Holm's correction for many
    verdicts: over those on the main figure, and over all others.
    """
    from multihop.cli.batch import run_tasks
    from multihop.out.comparison import comparison_view
    from multihop.record.comparison import Comparison
    from multihop.running.run import Task
    from multihop.scenario.scenario import alternatives, check_arms, load, run_numbers
    from multihop.store.store import Store
    from multihop.terminal import console

    one_format(json, csv)
    arms = alternatives(technique or ())
    check_arms(arms)
    store, loaded, numbers = Store.open(out), load(scenario), run_numbers(runs)
    tasks = [Task(loaded, tuple(arm), tuple(set_ or ()), seed, numbers) for arm in arms]
    outcome = run_tasks(tasks, store, fresh=fresh, threads=threads)
    if outcome.code and not set.intersection(*({r.run for r in arm} for arm in outcome.records)):
        raise typer.Exit(outcome.code)
    comparison = Comparison(outcome.records)
    if json:
        console.document(comparison.json())
    elif csv is not None:
        console.table(comparison.table(csv))
    else:
        page = console.out()
        page.print(comparison_view(comparison, details=details))
        page.print(outcome.closing(store), style="dim", soft_wrap=True)
    raise typer.Exit(outcome.code)
