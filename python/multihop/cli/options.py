"""Arguments and options that several commands share, so that they mean the same everywhere."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from multihop.cli import complete, settings
from multihop.errors import InputError
from multihop.files.home import HOME

ScenarioArg = Annotated[
    str,
    typer.Argument(
        metavar="SCENARIO",
        help="A TOML file, or the name of a shipped scenario ([bold]multihop list scenarios[/bold]).",
        autocompletion=complete.scenarios,
        show_default=False,
    ),
]
RecordArg = Annotated[
    str | None,
    typer.Argument(
        metavar="[RECORD]",
        help="The id that a run printed (its first characters are enough), or a folder. Default: the latest.",
        autocompletion=complete.records,
        show_default=False,
    ),
]
RecordsArg = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[RECORD]...",
        help="Ids that runs printed (their first characters are enough), or folders. Default: the latest.",
        autocompletion=complete.records,
        show_default=False,
    ),
]
TechniqueOpt = Annotated[
    list[str] | None,
    typer.Option(
        "--technique",
        "-t",
        "--techniques",
        metavar="T",
        help="A shipped technique ([bold]multihop list techniques[/bold]), `name:parameters`, your own .toml, or "
        "several at once, `A+B`. Commas and repetition list alternatives, the baseline first; `none` is the bare "
        "scenario.",
        autocompletion=complete.technique_lists,
        show_default=False,
    ),
]
FlowOpt = Annotated[
    str | None,
    typer.Option(
        "--flow",
        "-f",
        metavar="FLOW",
        help="One flow only, by name or number.",
        autocompletion=settings.flows,
        show_default=False,
    ),
]
SetOpt = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        "-s",
        metavar="PATH=VALUE",
        help="Set one value of the scenario, like [bold]tcp.max-window=8[/bold] or [bold]flow.1.to=3[/bold]. "
        "Repeatable; wins over everything.",
        autocompletion=settings.assignments,
        show_default=False,
    ),
]
SeedOpt = Annotated[
    int | None,
    typer.Option("--seed", metavar="S", help="Base seed. Default: that of the scenario.", show_default=False),
]
ThreadsOpt = Annotated[
    int | None,
    typer.Option("--threads", metavar="N", min=1, help="Runs at a time. Default: one a processor.", show_default=False),
]
FreshOpt = Annotated[bool, typer.Option("--fresh", help="Run everything again, take nothing from the store.")]
JsonOpt = Annotated[bool, typer.Option("--json", help="Print one JSON document instead of tables (schema 1).")]
CsvOpt = Annotated[
    str | None,
    typer.Option(
        "--csv",
        metavar="TABLE",
        help="Print one table as CSV, all of it: summary, flows, windows, losses, ledger, nodes, drops, interference, "
        "links, modes, node_radios, or a series; of a comparison also comparison.",
        autocompletion=complete.tables,
        show_default=False,
    ),
]


def one_format(json: bool, csv: str | bool | None) -> None:
    """Raises InputError if both formats are asked for: there is one output."""
    if json and csv not in (None, False):
        raise InputError("--json and --csv: only one of them can be given")


CsvFlag = Annotated[bool, typer.Option("--csv", help="Print the whole table as CSV.")]
OutOpt = Annotated[
    Path | None,
    typer.Option(
        "--out",
        metavar="DIR",
        help=f"Keep the records in DIR. Default: ${HOME}, else .multihop here.",
        file_okay=False,
        show_default=False,
    ),
]
