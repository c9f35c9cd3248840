"""What `compare` says."""

from __future__ import annotations

import math
from collections.abc import Sequence

from rich.console import Group, RenderableType
from rich.text import Text

from multihop.compare import Comparison, Row, better
from multihop.figures import everywhere
from multihop.out.fit import Column, Fitting, Line
from multihop.out.style import NOTHING, count, number, percent, plus_minus
from multihop.out.table import MOST_ROWS, TOP_CAUSES, deeds, heading
from multihop.record import Records
from multihop.remarks import remarks
from multihop.stats import MOST_RUNS
from multihop.summary import COMPLETION, balanced
from multihop.text import listing, plural


def comparison_view(comparison: Comparison) -> Group:
    """All that `compare` says."""
    arms = comparison.arms
    parts: list[RenderableType] = [
        heading(comparison.baseline, f"{plural(len(comparison.runs), 'run')} of each technique, paired by seed"),
        Text(""),
        _differences(comparison),
        *_cards(comparison),
        Text(""),
        _causes(comparison),
        Text(""),
        *deeds(arms),
        *(Text(f"• {line}") for line in verdicts(comparison)),
        *(Text(f"! {line}", style="yellow") for line in pointed_out(arms)),
    ]
    unbalanced = [arm.label for arm in arms if not all(balanced(run) for run in arm.runs)]
    if unbalanced:
        parts.append(Text(f"The ledger does NOT balance under {listing(unbalanced)}.", style="bold red"))
    return Group(*parts)


def pointed_out(arms: Sequence[Records]) -> list[str]:
    """What to point out, once where it is so under every technique, else with the techniques under which it is."""
    said: dict[str, list[str]] = {}
    for arm in arms:
        for line in remarks(arm):
            said.setdefault(line, []).append(arm.label)
    return [line if len(under) == len(arms) else f"Under {listing(under)}: {line}" for line, under in said.items()]


WORDS = {"goodput_bps": ("goodput", 1e3, "kbit/s"), COMPLETION: ("time to complete", 1.0, "s")}
"""What a headline figure is called in a sentence, and its unit there."""


def verdicts(comparison: Comparison) -> list[str]:
    """What the comparison says about goodput, or about when files were complete, one sentence for each technique; of
    each flow where flows differ."""
    lines = []
    base = comparison.baseline.label
    flows = [str(f["id"]) for f in comparison.baseline.runs[0]["flows"]]
    headlines = {flow: comparison.headline(flow) for flow in flows}
    for arm in comparison.arms[1:]:
        told, differ = [], []
        for figure in dict.fromkeys(sorted(headlines.values(), reverse=True)):
            of = [flow for flow in flows if headlines[flow] == figure]
            row = comparison.row(arm, figure)
            told.append(_said(row, _whole(figure, of, len(flows))))
            mine = [comparison.row(arm, figure, flow) for flow in of] if 1 < len(of) <= MOST_ROWS else []
            if {r.pair.verdict for r in mine} - {row.pair.verdict}:
                differ += [f"flow {r.flow} {_briefly(r)}" for r in mine]
        line = f"{arm.label} against {base}: {'; '.join(told)}{_fairness(comparison, arm)}."
        lines.append(f"{line} By flow: {'; '.join(differ)}." if differ else line)
    return lines


def _whole(figure: str, of: Sequence[str], flows: int) -> str:
    """What is compared of these flows together, of so many that there are."""
    name = WORDS[figure][0]
    if flows < 2:
        return name
    if figure == COMPLETION:
        return f"{name} all {len(of)} files" if len(of) > 1 else f"{name} flow {of[0]}"
    return f"{name} of all {flows} flows together"


def _said(row: Row, what: str) -> str:
    if not row.pair.difference.n:
        return f"nothing to compare in {what}: {_ended(row)}"
    ended = "" if row.pair.difference.n == row.runs else f", {_ended(row)}"
    if row.pair.verdict == "open":
        return f"no settled difference in {what}: {_settle(row)}{ended}"
    if row.pair.verdict == "equal":
        return f"the same {what} in every run{ended}"
    _, scale, unit = WORDS[row.figure]
    ours, theirs = (f"{number(e.mean / scale, e.half / scale)} {unit}" for e in (row.other, row.baseline))
    return f"{what} {_change(row)} ({ours} against {theirs}){ended}"


def _ended(row: Row) -> str:
    """In how many runs a figure was known, where that is not all."""
    return f"complete in {row.other.n} of {plural(row.runs, 'run')} against {row.baseline.n}"


def _briefly(row: Row) -> str:
    return {"open": "open", "equal": "the same"}.get(row.pair.verdict) or f"{row.pair.verdict} ({_change(row)})"


def _change(row: Row) -> str:
    return percent(row.relative) if row.relative else plus_minus(row.pair.difference, WORDS[row.figure][1], signed=True)


def _fairness(comparison: Comparison, arm: Records) -> str:
    """What became of fairness, if there is any to speak of and the difference is settled."""
    row = comparison.row(arm, "jain")
    if len(comparison.baseline.runs[0]["flows"]) < 2 or row.pair.verdict not in ("higher", "lower"):
        return ""
    return f"; Jain's index {plus_minus(row.other)} against {plus_minus(row.baseline)}"


def _differences(comparison: Comparison) -> Fitting:
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
        known = everywhere()[first.figure]
        head = known.head if first.flow is None else f"flow {first.flow} {known.head}"
        lines.append(Line([head, "", "", "", "", ""], "bold", heading=True))
        lines.append(Line([f"  {base.label}", plus_minus(first.baseline, known.scale), "", "", "", ""]))
        lines += [Line([f"  {row.technique}", *_cells(row, known.scale), _verdict(row)]) for row in rows]
    return Fitting(columns, lines)


def _cards(comparison: Comparison) -> list[Text]:
    """Whose energy it is, where the scenario does not say."""
    nodes = [node for arm in comparison.arms for run in arm.runs[:1] for node in run["nodes"]]
    assumed = any(node["energy_j"] is not None and node["radio"]["transmit_s"] is None for node in nodes)
    return [Text("energy: of ORiNOCO cards; a section [energy] names others", style="dim")] if assumed else []


def _cells(row: Row, scale: float) -> list[str]:
    r = row.pair.correlation
    change = row.relative.mean if row.relative and row.figure != "jain" else math.nan
    return [
        plus_minus(row.other, scale),
        plus_minus(row.pair.difference, scale, signed=True),
        "" if math.isnan(change) else f"{100 * change:+.1f} %",
        NOTHING if math.isnan(r) else f"{r:.2f}",
    ]


def _verdict(row: Row) -> Text:
    if lacking := _lacking(row):
        return Text(lacking, style="dim")
    if row.pair.verdict == "open":
        return Text(f"open: {_how_many(row)}", style="dim")
    return Text(row.pair.verdict, style={True: "green", False: "red", None: ""}[better(row)])


def _lacking(row: Row) -> str:
    """Why there is no difference to speak of, if no run has the figure on both sides: nothing was completed."""
    if row.pair.difference.n:
        return ""
    return "no run has both" if row.baseline.n and row.other.n else "nothing to compare"


def _how_many(row: Row) -> str:
    if row.pair.difference.n < 2:
        return "one run says nothing" if row.runs < 2 else "one run alone has both"
    if row.pair.more_runs is None:
        return "out of reach"
    return f"about {plural(row.pair.more_runs, 'more run')}"


def _settle(row: Row) -> str:
    if row.pair.difference.n < 2:
        return "one run says nothing, give --runs"
    if row.pair.more_runs is None:
        return f"it is too small against its spread for {MOST_RUNS} runs to settle it"
    return f"{_how_many(row)} would settle it, if mean and spread stay what they are"


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
