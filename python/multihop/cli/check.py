"""`multihop check`: what can be said of a scenario before it runs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from multihop.cli.options import JsonOpt, ScenarioArg, SetOpt, TechniqueOpt, one_format

EXAMPLES = """[bold]Examples[/bold]

multihop check my.toml

multihop check grid --map grid.svg

multihop check my.toml --set air.range="180 m" --json
"""


def register(app: typer.Typer) -> None:
    """Adds the command."""
    app.command(epilog=EXAMPLES)(check)


def check(
    scenario: ScenarioArg,
    technique: TechniqueOpt = None,
    set_: SetOpt = None,
    map_: Annotated[
        Path | None,
        typer.Option("--map", metavar="FILE", help="Draw the map too; .svg, .png or .pdf.", dir_okay=False),
    ] = None,
    json: JsonOpt = False,
    csv: Annotated[
        str | None,
        typer.Option(
            "--csv", metavar="TABLE", help="Print one table as CSV: flows, links or hidden.", show_default=False
        ),
    ] = None,
) -> None:
    """Check a scenario: which nodes hear each other, hidden pairs, the path of each flow and what limits it.

    Nothing runs. The ceiling of a flow is what frame times and carrier sense, or slots, leave it if it has the air to
    itself.
    """
    from multihop.ceiling.reach import Reach
    from multihop.ceiling.rts import rts_worth
    from multihop.out.check import check_document, check_rows, check_view
    from multihop.scenario.scenario import alternatives, check_ready, load, only
    from multihop.terminal import console

    one_format(json, csv)
    loaded = load(scenario)
    techniques = only(alternatives(technique or ()))
    resolved = loaded.resolve(techniques, set_ or ())
    check_ready(resolved)
    reach = Reach(resolved)
    if map_ is not None:
        from multihop.plots import save
        from multihop.plots.map import draw_map

        save(draw_map(reach, loaded.name), map_)
    if json:
        console.document(check_document(loaded.name, reach, rts_worth(loaded, reach, techniques, set_ or ())))
    elif csv is not None:
        console.rows(*check_rows(csv, reach))
    else:
        console.out().print(check_view(loaded.name, reach, rts_worth(loaded, reach, techniques, set_ or ())))
    if map_ is not None:
        console.say(f"{map_} is written", error=json or csv is not None)
