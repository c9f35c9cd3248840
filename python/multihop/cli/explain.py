"""`multihop explain`: where a flow's packets went, in words and a table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from multihop.cli.options import JsonOpt, RecordArg

if TYPE_CHECKING:
    from rich.console import RenderableType

    from multihop.explain import Story
    from multihop.interference import Spoilt
    from multihop.record import Records

EXAMPLES = """[bold]Examples[/bold]

multihop explain

multihop explain 3f2a91 --flow 1

multihop explain --run 2 --json
"""
MOST_ROWS = 14
"""So many causes and nodes are shown, the rest in one line."""
BARS = " ▁▂▃▄▅▆▇█"


def register(app: typer.Typer) -> None:
    """Adds the command."""
    app.command(epilog=EXAMPLES)(explain)


def explain(
    record: RecordArg = None,
    flow: Annotated[
        str | None, typer.Option("--flow", "-f", metavar="N", help="One flow only.", show_default=False)
    ] = None,
    run: Annotated[
        int | None, typer.Option("--run", metavar="N", help="One run only. Default: all together.", show_default=False)
    ] = None,
    json: JsonOpt = False,
) -> None:
    """Say where a flow's packets went: by cause, node and time, and what TCP made of each loss.

    TCP takes every loss for congestion; the ledger knows what it was.
    """
    from multihop import _engine
    from multihop.document import SCHEMA
    from multihop.explain import document
    from multihop.explain import explain as explained
    from multihop.interference import interference
    from multihop.out import console
    from multihop.store import Store

    sets = Store.open().find(record)
    if json:
        # of a comparison, the baseline; `arms` has all of them
        arms = [document(records, explained(records, flow, run), run) for records in sets]
        head = {"schema": SCHEMA, "version": _engine.VERSION, "build": _engine.BUILD}
        console.document({**head, **arms[0], "arms": arms})
        return
    page = console.out()
    for records in sets:
        for part in view(records, explained(records, flow, run), interference(records, run)):
            page.print(part)


def view(records: Records, stories: Sequence[Story], spoilt: Sequence[Spoilt] = ()) -> list[RenderableType]:
    """What is printed about one set of runs."""
    from rich.text import Text

    from multihop.explain import thinned
    from multihop.interference import recorded
    from multihop.interference import words as interference_words
    from multihop.text import plural

    altered = "".join(f", {setting}" for setting in records.settings)
    runs = max((story.runs for story in stories), default=len(records))
    head = f"{records.name}, {records.label}{altered}: {plural(runs, 'run')}"
    parts: list[RenderableType] = [Text(f"\n{head}", style="bold")]
    if not stories:
        parts.append(Text("\nThe scenario has no flow: nothing was sent, and nothing can be explained.\n"))
    for story in stories:
        parts += [Text(""), *(Text(line) for line in _lines(story)), Text("")]
        if story.deaths:
            parts += [_deaths(story, records), Text("")]
        if story.losses:
            parts += [_losses(story), Text("")]
    if spoilt:
        parts += [Text(interference_words(spoilt)), Text(""), _interference(spoilt), Text("")]
    elif stories and not recorded(records):
        parts += [Text("Who interfered with whom was not recorded: `measure.sample` is 0 s.", style="dim")]
    return [*parts, *(Text(line, style="dim") for line in thinned(records))]


def _lines(story: Story) -> list[str]:
    from multihop.explain import words

    return words(story)


def _deaths(story: Story, records: Records) -> RenderableType:
    from rich import box
    from rich.table import Table

    from multihop.text import plural

    measure = records.scenario["measure"]
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False, header_style="bold")
    for head, justify in (
        ("where its packets died", "left"),
        ("node", "left"),
        ("packets", "right"),
        ("share", "right"),
        ("first", "right"),
        ("last", "right"),
        (f"when, {measure['from_s']:g} to {measure['to_s']:g} s", "left"),
    ):
        table.add_column(head, justify="left" if justify == "left" else "right")
    total = sum(d.n for d in story.deaths)
    tallest = max(max(d.when) for d in story.deaths) or 1
    for death in story.deaths[:MOST_ROWS]:
        table.add_row(
            death.cause,
            death.node,
            str(death.n),
            f"{100 * death.n / total:.0f} %",
            f"{death.first_s:.1f} s",
            f"{death.last_s:.1f} s",
            "".join(BARS[-(-n * (len(BARS) - 1) // tallest)] for n in death.when),
        )
    rest = story.deaths[MOST_ROWS:]
    if rest:
        n = sum(d.n for d in rest)
        table.add_row(plural(len(rest), "more row"), "", str(n), f"{100 * n / total:.0f} %", "", "", "")
    return table


def _losses(story: Story) -> RenderableType:
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False, header_style="bold")
    for head in ("TCP noticed by", "what had happened", "which is"):
        table.add_column(head)
    table.add_column("times", justify="right")
    table.add_column("share", justify="right")
    total = sum(x.n for x in story.losses)
    for x in story.losses:
        style = "green" if x.kind == "congestion" else ""
        table.add_row(x.believed, x.truth, x.kind, str(x.n), f"{100 * x.n / total:.0f} %", style=style)
    return table


def _interference(spoilt: Sequence[Spoilt]) -> RenderableType:
    from rich import box
    from rich.table import Table

    from multihop.text import plural

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False, header_style="bold")
    for head in ("which link lost", "its", "to"):
        table.add_column(head)
    for head in ("frames", "share", "hidden"):
        table.add_column(head, justify="right")
    total = sum(x.n for x in spoilt)
    for x in spoilt[:MOST_ROWS]:
        itself = x.by in (x.sender, x.receiver)
        by = f"{x.by}, sending itself" if itself else x.by or "noise"
        share, hidden = f"{100 * x.n / total:.0f} %", f"{100 * x.hidden / x.n:.0f} %"
        table.add_row(f"{x.sender} → {x.receiver}", x.frame, by, str(x.n), share, hidden)
    rest = spoilt[MOST_ROWS:]
    if rest:
        n, unheard = sum(x.n for x in rest), sum(x.hidden for x in rest)
        share, hidden = f"{100 * n / total:.0f} %", f"{100 * unheard / n:.0f} %"
        table.add_row(plural(len(rest), "more row"), "", "", str(n), share, hidden)
    return table
