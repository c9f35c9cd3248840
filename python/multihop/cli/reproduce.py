"""`multihop reproduce`: a paper's figures and tables, run again and judged claim by claim."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from multihop.cli.options import FreshOpt, JsonOpt, ThreadsOpt

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.text import Text

    from multihop.study.judge import Verdict
    from multihop.study.outcome import Beside, Outcome

EXAMPLES = """[bold]Examples[/bold]

multihop reproduce ohzahata

multihop reproduce ohzahata/fig3

multihop reproduce ohzahata/table1 --quick --json

multihop reproduce my-study.toml --out results
"""
SIGNS = {True: ("holds", "green"), False: ("does not hold", "red"), None: ("open", "yellow")}
MARKS = {True: "✓", False: "✗", None: "?"}
WIDE = 130
"""From so many columns on there is room for intervals and reasons."""
TIERS = {"must": "must hold", "should": "should hold", "info": "not judged", "parameters": "parameters, not counted"}


def _complete(incomplete: str) -> list[str]:
    from multihop.study import find, names

    name, slash, _ = incomplete.partition("/")
    known = names()
    if slash and name in known:
        return [f"{name}/{part}" for part in find(name).parts if f"{name}/{part}".startswith(incomplete)]
    return [name for name in known if name.startswith(incomplete)]


def register(app: typer.Typer) -> None:
    """Adds the command."""
    app.command(epilog=EXAMPLES)(reproduce)


def reproduce(
    study: Annotated[
        str,
        typer.Argument(
            metavar="STUDY[/PART]",
            help="A shipped study ([bold]multihop list studies[/bold]) or a TOML file, and perhaps one figure or table "
            "of it, like [bold]ohzahata/fig3[/bold].",
            autocompletion=_complete,
            show_default=False,
        ),
    ],
    quick: Annotated[bool, typer.Option("--quick", help="Few and short runs: a look, not evidence.")] = False,
    json: JsonOpt = False,
    fresh: FreshOpt = False,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            metavar="DIR",
            help="Folder for the report and the figures. Default: out/STUDY.",
            file_okay=False,
            show_default=False,
        ),
    ] = None,
    threads: ThreadsOpt = None,
) -> None:
    """Run a paper's experiments again and judge its claims, one line each.

    Figures are drawn with the paper's numbers in them; the report has everything.
    """
    from rich.markup import escape

    from multihop.out import console
    from multihop.out.progress import Bar
    from multihop.report.study import write_study
    from multihop.study import find
    from multihop.study import reproduce as run_study
    from multihop.study.select import split
    from multihop.text import plural

    name, part = split(study)
    loaded = find(name)
    with Bar(quiet=json) as bar:
        outcome = run_study(loaded, part, quick=quick, fresh=fresh, threads=threads, watch=bar)
    folder = out or Path("out") / "-".join(x for x in (loaded.name, part) if x)
    path = write_study(outcome, folder)
    if json:
        console.document(outcome.document())
        return
    page = console.out()
    for piece in _view(outcome, page.width >= WIDE):
        page.print(piece)
    figures = len(list(folder.glob("*.svg")))
    drawn = f"{plural(figures, 'figure')} and the report are" if figures else "The report is"
    page.print(
        f"{outcome.stored} of {plural(outcome.runs, 'run')} came from the store; {outcome.wall_s:.0f} s. "
        f"{drawn} in {escape(str(folder))}: {path.resolve().as_uri()}",
        style="dim",
        soft_wrap=True,
    )


def _view(outcome: Outcome, wide: bool) -> list[RenderableType]:
    """One line a claim, by tier, and the counts."""
    from rich.text import Text

    part = f", {outcome.selection.part} only" if outcome.selection.part else ""
    quick = " (quick: few short runs)" if outcome.quick else ""
    parts: list[RenderableType] = [Text(f"\n{outcome.study.title}{part}{quick}", style="bold")]
    groups: dict[str, list[Verdict]] = {}
    for verdict in outcome.verdicts:
        groups.setdefault(verdict.claim.tier if verdict.claim.counted else "parameters", []).append(verdict)
    for tier, title in TIERS.items():
        if tier in groups:
            parts += [Text(""), *_claims(title, groups[tier], outcome.columns_beside, wide)]
    parts += [Text(""), Text(_counts(outcome.counts()), style="bold")]
    return [*parts, *(Text(_beside(outcome, b)) for b in outcome.beside), Text("")]


def _counts(counts: dict[str, dict[str, int]]) -> str:
    return "; ".join(
        f"{TIERS[tier]}: {_verb(c['holds'], 'hold')}, {_verb(c['fails'], 'do', ' not')}, {c['open']} open"
        for tier, c in counts.items()
        if tier != "info"
    )


def _beside(outcome: Outcome, beside: Beside) -> str:
    """A reading that is not counted, in a line or two."""
    from multihop.report.page import figure, interval
    from multihop.text import plural

    reading, also = beside.reading, outcome.also_hold(beside)
    if reading.swap:
        of = sum(v.holds is True and v.claim.id in beside.verdicts for v in outcome.judged)
        return (
            f"{reading.title}: {len(also)} of {plural(of, 'claim')} that hold also hold so: {', '.join(also) or 'none'}"
        )
    lines = [f"{reading.title}: {_counts(beside.counts())}"]
    if reading.watch:
        words = [f"{w.technique} in {w.runs} of {plural(w.of, 'run')}" for w in beside.watched]
        lines.append(f"  {reading.watch.label}: {', '.join(words)}")
    for claim in reading.claims:
        if found := beside.verdicts.get(claim):
            lines.append(
                f"  {claim}: {figure(found.ours)} {interval(found.ci95)} {found.unit}: {SIGNS[found.holds][0]}"
            )
    return "\n".join(lines)


def _verb(n: int, verb: str, rest: str = "") -> str:
    third = f"{verb}es" if verb.endswith("o") else f"{verb}s"
    return f"{n} {third if n == 1 else verb}{rest}"


def _claims(title: str, verdicts: list[Verdict], beside: list[Beside], wide: bool) -> Iterator[RenderableType]:
    """A table of claims; where there is no room, without intervals, and reasons only for what does not hold."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    from multihop.report.page import figure, interval

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False, header_style="bold")
    table.add_column(title, no_wrap=True)
    table.add_column("paper", justify="right")
    table.add_column("ours", justify="right", no_wrap=wide)
    if wide:
        table.add_column("95 % interval", no_wrap=True)
    table.add_column("verdict", no_wrap=True)
    beside = [b for b in beside if any(v.claim.id in b.verdicts for v in verdicts)]
    for b in beside:
        table.add_column(b.reading.name, no_wrap=True)
    if wide:
        table.add_column("reason", ratio=1)
    for v in verdicts:
        word, style = SIGNS[v.holds]
        table.add_row(
            v.claim.id,
            Text(str(v.claim.paper)),
            Text(f"{figure(v.ours)} {v.unit}".strip()),
            *([Text(interval(v.ci95))] if wide else []),
            Text(word if v.claim.tier != "info" else "not judged", style=style),
            *(_sign(b, v.claim.id, wide) for b in beside),
            *([Text(v.reason)] if wide else []),
        )
    yield table
    if not wide:
        yield from (Text(f"{v.claim.id}: {v.reason}") for v in verdicts if not v.holds)


def _sign(beside: Beside, claim: str, wide: bool) -> Text:
    """The verdict in another light, as a sign, with its figure if it has one of its own."""
    from rich.text import Text

    from multihop.report.page import figure

    verdict = beside.verdicts.get(claim)
    if verdict is None:
        return Text("")
    own = f" {figure(verdict.ours)}" if wide and beside.reading.set else ""
    return Text(f"{MARKS[verdict.holds]}{own}", style=SIGNS[verdict.holds][1])
