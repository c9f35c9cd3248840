"""`multihop run`: a scenario, some times, and its tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

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

if TYPE_CHECKING:
    from multihop.record.record import Records

EXAMPLES = """[bold]Examples[/bold]

multihop run chain

multihop run chain -t persistent-queue+delayed-ack --runs 20

multihop run chain -t small-window:8 --set air.bit-error-rate=1e-5 --json

multihop run my.toml --seed 7 --pcap --out results
"""


def register(app: typer.Typer) -> None:
    """Adds the command."""
    app.command(epilog=EXAMPLES)(run)


def run(
    scenario: ScenarioArg,
    technique: TechniqueOpt = None,
    set_: SetOpt = None,
    runs: Annotated[int, typer.Option("--runs", "-n", metavar="N", min=1, help="Independent runs.")] = 5,
    seed: SeedOpt = None,
    out: OutOpt = None,
    pcap: Annotated[bool, typer.Option("--pcap", help="Write a packet capture of every node into the record.")] = False,
    json: JsonOpt = False,
    csv: CsvOpt = None,
    fresh: FreshOpt = False,
    threads: ThreadsOpt = None,
) -> None:
    """Run a scenario and say what TCP got and where its packets died.

    Runs are independent and kept as records; runs that exist are not run again.
    """
    from rich.markup import escape

    from multihop.analysis.findings import thinned
    from multihop.cli.batch import run_tasks
    from multihop.out.table import records_view
    from multihop.running.run import Task
    from multihop.scenario.scenario import alternatives, load, only, run_numbers
    from multihop.store.store import Store
    from multihop.terminal import console

    one_format(json, csv)
    techniques = tuple(only(alternatives(technique or ())))
    store = Store.open(out)
    task = Task(load(scenario), techniques, tuple(set_ or ()), seed, run_numbers(runs))
    outcome = run_tasks([task], store, fresh=fresh, pcap=pcap, threads=threads)
    records = outcome.records[0]
    if not len(records):
        raise typer.Exit(outcome.code)
    if json:
        console.document(records.document())
    elif csv is not None:
        console.table(records.table(csv))
    else:
        page = console.out()
        page.print(records_view(records))
        for line in thinned(records):
            page.print(line, style="dim", soft_wrap=True)
        if pcap:
            page.print(f"captures of run {records[0].run}: {escape(str(records[0].pcap))}", style="dim", soft_wrap=True)
            for line in _stopped(records):
                page.print(line, soft_wrap=True)
        page.print(outcome.closing(store), style="dim", soft_wrap=True)
    raise typer.Exit(outcome.code)


def _stopped(records: Records) -> list[str]:
    """Which captures ended at their limit."""
    from multihop.text import amount

    return [
        f"The capture of run {record.run} stopped at {capture['stopped_s']:g} s of {record.data['sim_s']:g} s, at its "
        f'limit of {amount(capture["limit"])}: MULTIHOP_CAPTURE="5 GB" in the environment allows more.'
        for record in records
        if (capture := record.data.get("capture")) and capture["stopped_s"] is not None
    ]
