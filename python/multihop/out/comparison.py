"""What `compare` says."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from rich.console import Group, RenderableType
from rich.text import Text

from multihop.analysis.findings import remarks
from multihop.measures.figures import everywhere
from multihop.measures.notation import NOTHING, count, plus_minus
from multihop.measures.stats import MATTERS
from multihop.measures.summary import balanced
from multihop.out.answer import family, headline, how_many, ranked, verdicts
from multihop.out.fit import Column, Fitting, Line
from multihop.out.table import TOP_CAUSES, deeds, heading
from multihop.record.comparison import Comparison, Row, better
from multihop.record.record import Records
from multihop.text import listing, plural

MOST_IN_FULL = 3
"""Of more techniques beside the baseline, the table has the changes only."""
MOST_REMARKS = 6
"""So many remarks are shown without `--details`."""
COLOURS = {True: "green", False: "red", None: ""}
"""Of a difference that is better, worse, or neither."""


def comparison_view(comparison: Comparison, *, details: bool = False, rest: str = "--details") -> Group:
    """All that `compare` says: the answer, then the figures behind it; with `details`, those of each flow too.

    `rest`: what shows the reader all that is left out.
    """
    arms = comparison.arms
    many = len(arms) - 1 > MOST_IN_FULL and not details
    parts: list[RenderableType] = [
        heading(comparison.baseline, f"{plural(len(comparison.runs), 'run')} of each technique, paired by seed"),
        Text(""),
        *_answer(comparison),
        Text(""),
        _changes(comparison) if many else _differences(comparison, details=details),
        *([] if details else _left_out(comparison, many=many, rest=rest)),
        *_cards(comparison),
        Text(""),
        _causes(comparison),
        Text(""),
        *deeds(arms),
        *_remarks(arms, most=math.inf if details else MOST_REMARKS, rest=rest),
    ]
    unbalanced = [arm.label for arm in arms if not all(balanced(run) for run in arm.runs)]
    if unbalanced:
        parts.append(Text(f"The ledger does NOT balance under {listing(unbalanced)}.", style="bold red"))
    return Group(*parts)


def _answer(comparison: Comparison) -> list[Text]:
    """The headline, a sentence for each technique, and how sure they are all together."""
    sure = family(comparison)
    return [
        Text(f"{headline(comparison)}.", style="bold"),
        *(Text(f"• {line}") for line in verdicts(comparison)),
        *([Text(sure, style="dim")] if sure else []),
    ]


def _remarks(arms: Sequence[Records], *, most: float, rest: str) -> list[Text]:
    """What to point out, so many lines of it at most."""
    lines = pointed_out(arms)
    shown = lines if len(lines) <= most else lines[: int(most)]
    more = len(lines) - len(shown)
    told = [Text(f"! {line}", style="yellow") for line in shown]
    return [*told, Text(f"! {plural(more, 'more remark')}: {rest} shows all", style="yellow")] if more else told


def pointed_out(arms: Sequence[Records]) -> list[str]:
    """What to point out, once where it is so under every technique, else with the techniques under which it is; what
    is so under most of them first."""
    said: dict[str, list[str]] = {}
    for arm in arms:
        for line in remarks(arm):
            said.setdefault(line, []).append(arm.label)
    ranked = sorted(said.items(), key=lambda item: -len(item[1]))
    return [line if len(under) == len(arms) else f"Under {listing(under)}: {line}" for line, under in ranked]


def _differences(comparison: Comparison, *, details: bool) -> Fitting:
    """Each figure under each technique: mean, difference and verdict; those of single flows in `details` only."""
    base = comparison.baseline
    columns = [
        Column("", words=True),
        Column("mean"),
        Column(f"difference to {base.label}"),
        Column("change", rank=1),
        Column("correlation", rank=2),
        Column("verdict", words=True),
    ]
    lines: list[Line] = []
    for rows in comparison.by_figure():
        first = rows[0]
        if first.flow is not None and not details:
            continue
        known = everywhere()[first.figure]
        head = known.head if first.flow is None else f"flow {first.flow} {known.head}"
        lines.append(Line([head, "", "", "", "", ""], "bold", heading=True))
        lines.append(Line([f"  {base.label}", plus_minus(first.baseline, known.scale), "", "", "", ""]))
        lines += [Line([f"  {row.technique}", *_cells(row, known.scale), verdict(row)]) for row in rows]
    return Fitting(columns, lines)


def _changes(comparison: Comparison) -> Fitting:
    """Of many techniques, the change of each figure: a line for each, in the order of the answer."""
    figures = [rows[0].figure for rows in comparison.by_figure() if rows[0].flow is None]
    heads = [everywhere()[figure].title for figure in figures]
    places = range(1, len(figures) + 1)  # what stands last goes first
    columns = [
        Column(f"change to {comparison.baseline.label}", words=True),
        *(Column(head, rank=place - 1) for place, head in zip(places, heads, strict=True)),
    ]
    arms = ranked(comparison)
    lines = [Line([arm.label, *(_change(comparison.row(arm, figure)) for figure in figures)]) for arm in arms]
    return Fitting(columns, lines)


def _change(row: Row) -> Text:
    """`+3.1 %`; in brackets where it is not settled, and without colour where it hardly matters."""
    if not row.pair.difference.n:
        return Text(NOTHING, style="dim")
    if row.pair.verdict == "equal":
        return Text("same", style="dim")
    if row.relative is None or row.figure == "jain":
        words = plus_minus(replace(row.pair.difference, half=math.nan), everywhere()[row.figure].scale, signed=True)
    else:
        words = f"{100 * row.relative.mean:+.1f} %"
    if row.adjusted_verdict == "open":
        return Text(f"({words})", style="dim")
    return Text(words, style=COLOURS[better(row)] if row.matters else "")


def _left_out(comparison: Comparison, *, many: bool, rest: str) -> list[Text]:
    """What the table leaves out, and how its brackets are read."""
    several = len(comparison.baseline.runs[0]["flows"]) > 1
    if not (many or several):
        return []
    missing = [*(["means, intervals and verdicts"] if many else []), *(["each flow"] if several else [])]
    brackets = "in brackets: not settled; " if many else ""
    return [Text(f"{brackets}{rest} shows {listing(missing)}", style="dim")]


def _cards(comparison: Comparison) -> list[Text]:
    """Whose energy it is, where the scenario does not say."""
    nodes = [node for arm in comparison.arms for run in arm.runs[:1] for node in run["nodes"]]
    assumed = any(node["energy_j"] is not None and node["radio"]["transmit_s"] is None for node in nodes)
    return (
        [Text("Energy is that of ORiNOCO cards. A section [energy] sets another card.", style="dim")] if assumed else []
    )


def _cells(row: Row, scale: float) -> list[str]:
    r = row.pair.correlation
    change = row.relative.mean if row.relative and row.figure != "jain" else math.nan
    return [
        plus_minus(row.other, scale),
        plus_minus(row.pair.difference, scale, signed=True),
        "" if math.isnan(change) else f"{100 * change:+.1f} %",
        NOTHING if math.isnan(r) else f"{r:.2f}",
    ]


def verdict(row: Row) -> Text:
    """What a row settles, in the words and colour of the table."""
    if lacking := _lacking(row):
        return Text(lacking, style="dim")
    if row.pair.verdict == "open":
        return Text(f"open: {how_many(row)}", style="dim")
    if row.adjusted_verdict == "open":
        return Text(f"perhaps {row.pair.verdict}", style="dim")
    hardly = "" if row.matters else f", below {100 * MATTERS:g} %"
    return Text(f"{row.adjusted_verdict}{hardly}", style="" if hardly else COLOURS[better(row)])


def _lacking(row: Row) -> str:
    """Why there is no difference to speak of, if no run has the figure on both sides: nothing was completed."""
    if row.pair.difference.n:
        return ""
    return "no run has both" if row.baseline.n and row.other.n else "nothing to compare"


def _causes(comparison: Comparison) -> Fitting:
    """Drops by cause: a column for each technique."""
    columns = [Column("packets dropped a run", words=True), *(Column(arm.label) for arm in comparison.arms)]
    drops = [(cause, es) for cause, es in comparison.causes().items() if any(e.mean > 0 for e in es)]
    lines = [Line([cause, *(plus_minus(e) for e in estimates)]) for cause, estimates in drops[:TOP_CAUSES]]
    if len(drops) > TOP_CAUSES:
        sums = [sum(es[i].mean for _, es in drops[TOP_CAUSES:]) for i in range(len(comparison.arms))]
        lines.append(Line([plural(len(drops) - TOP_CAUSES, "other cause"), *(count(x) for x in sums)]))
    if not drops:
        lines.append(Line(["none", *("0" for _ in comparison.arms)]))
    return Fitting(columns, lines)
