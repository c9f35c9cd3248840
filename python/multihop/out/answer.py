"""What a comparison answers, in sentences: what each technique changes in the figure that flows are judged by."""

from __future__ import annotations

import math
from collections.abc import Sequence

from multihop.measures.figures import everywhere
from multihop.measures.notation import number, percent, plus_minus
from multihop.measures.stats import LEVEL, MATTERS, MOST_RUNS, estimate
from multihop.measures.summary import COMPLETION, is_file, value
from multihop.record.comparison import Comparison, Row, better
from multihop.record.record import Records
from multihop.text import listing, plural

WORDS = {"goodput_bps": ("goodput", 1e3, "kbit/s"), COMPLETION: ("time to complete", 1.0, "s")}
"""What a headline figure is called in a sentence, and its unit there."""
MOST_FLOWS = 30
"""Of more flows than this a sentence names none."""


def headline(comparison: Comparison) -> str:
    """The answer in one line: which technique gains most in the main figure."""
    name, base = WORDS[comparison.judged[0]][0], comparison.baseline.label
    best = comparison.row(ranked(comparison)[0], comparison.judged[0])
    if len(comparison.runs) < 2:
        return "One run of each technique has no interval: it settles nothing"
    if better(best) is not True:
        perhaps = f"; perhaps {best.technique} does" if _wanted(best) == best.pair.verdict else ""
        return f"No technique is shown to gain in {name} against {base}{perhaps}"
    if not best.matters:
        return f"No technique gains {MATTERS:.0%} or more in {name} against {base}".replace("%", " %")
    return f"{best.technique} gains most: {name} {_change(best)} against {base}"


def gained(records: Records) -> str:
    """What the flows of one technique got, in one line: goodput, or when all files were complete."""
    flows = records.runs[0]["flows"]
    ended = estimate(value(run, COMPLETION) for run in records.runs)
    figure = COMPLETION if flows and all(map(is_file, flows)) and ended.n else "goodput_bps"
    name, scale, unit = WORDS[figure]
    found = plus_minus(estimate(value(run, figure) for run in records.runs), scale)
    together = f" of all {len(flows)} flows together" if len(flows) > 1 else ""
    return f"{name.capitalize()}{together}: {found} {unit}"


def verdicts(comparison: Comparison) -> list[str]:
    """What the comparison says about goodput, or about when files were complete, one sentence for each technique, the
    best first; of each flow where flows differ."""
    return [_sentence(comparison, arm) for arm in ranked(comparison)]


def ranked(comparison: Comparison) -> list[Records]:
    """The techniques by what they gain in the main figure: those that gain, those that are open, those that lose."""
    figure = comparison.judged[0]

    def order(arm: Records) -> tuple[float, float]:
        row = comparison.row(arm, figure)
        gain = row.relative.mean if row.relative else row.pair.difference.mean
        if math.isnan(gain):
            return 2.0, 0.0
        # a gain that is settled alone, but not among all, stands first of those that are open
        alone = {"higher": -0.25, "lower": 0.25}.get(row.pair.verdict, 0.0)
        side = 1 if _wanted(row) == "higher" else -1
        return {True: -1, None: 0, False: 1}[better(row)] + side * alone, -side * gain

    return sorted(comparison.arms[1:], key=order)


def _wanted(row: Row) -> str:
    """The verdict of an improvement."""
    return "higher" if everywhere()[row.figure].more_is_better else "lower"


def family(comparison: Comparison) -> str:
    """How many verdicts are made at once, and what Holm's correction over them leaves unsure; empty without any."""
    rows = [row for row in comparison.rows() if not math.isnan(row.adjusted_p)]
    if not rows:
        return ""
    alone = [row for row in rows if row.pair.verdict in ("higher", "lower")]
    unsure = sum(row.adjusted_verdict == "open" for row in alone)
    answers = sum(map(comparison.is_answer, rows))
    name, others = WORDS[comparison.judged[0]][0], "on other figures and single flows"
    told = (
        f"{plural(answers, 'verdict')} on {name}, {len(rows) - answers} {others}. Holm's correction over each of these "
    )
    told += f"two groups holds the chance of a false difference in it at {100 * (1 - LEVEL):.0f} %. "
    if unsure:
        return f"{told}It leaves {unsure} of {plural(len(alone), 'difference')} unsure, marked `perhaps`."
    return f"{told}Every difference that is called higher or lower passes it." if alone else told.strip()


def _sentence(comparison: Comparison, arm: Records) -> str:
    flows = [str(f["id"]) for f in comparison.baseline.runs[0]["flows"]]
    told, differ = [], []
    for figure in comparison.judged:
        of = [flow for flow in flows if comparison.headline(flow) == figure]
        row = comparison.row(arm, figure)
        told.append(_said(row, _whole(figure, of, len(flows))))
        mine = [comparison.row(arm, figure, flow) for flow in of] if 1 < len(of) <= MOST_FLOWS else []
        if {r.adjusted_verdict for r in mine} - {row.adjusted_verdict}:
            differ += mine
    line = f"{arm.label} against {comparison.baseline.label}: {'; '.join(told)}{_fairness(comparison, arm)}."
    return f"{line} By flow: {_by_flow(differ)}." if differ else line


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
        return f"no difference shown in {what}: {_settle(row)}{ended}"
    if row.pair.verdict == "equal":
        return f"the same {what} in every run{ended}"
    _, scale, unit = WORDS[row.figure]
    ours, theirs = (f"{number(e.mean / scale, e.half / scale)} {unit}" for e in (row.other, row.baseline))
    perhaps = "perhaps " if row.adjusted_verdict == "open" else ""
    hardly = "" if row.matters else f", less than {100 * MATTERS:g} %, which hardly matters"
    return f"{what} {perhaps}{_change(row)} ({ours} against {theirs}){hardly}{ended}"


def _ended(row: Row) -> str:
    """In how many runs a figure was known, where that is not all."""
    return f"complete in {row.other.n} of {plural(row.runs, 'run')} against {row.baseline.n}"


def _by_flow(rows: Sequence[Row]) -> str:
    """`flow 1 +3.1 %, flow 4 -20.2 %; flows 2 and 3 open; flow 5 the same`."""
    told = [f"flow {row.flow} {_short(row)}" for row in rows if row.adjusted_verdict in ("higher", "lower")]
    parts = [", ".join(told)] if told else []
    for verdict, words in (("open", "open"), ("equal", "the same")):
        flows = [str(row.flow) for row in rows if row.adjusted_verdict == verdict]
        if flows:
            parts.append(f"{'flow' if len(flows) == 1 else 'flows'} {listing(flows)} {words}")
    return "; ".join(parts)


def _short(row: Row) -> str:
    return f"{100 * row.relative.mean:+.1f} %" if row.relative else row.adjusted_verdict


def _change(row: Row) -> str:
    return percent(row.relative) if row.relative else plus_minus(row.pair.difference, WORDS[row.figure][1], signed=True)


def _fairness(comparison: Comparison, arm: Records) -> str:
    """What became of fairness, if there is any to speak of and the difference is settled."""
    row = comparison.row(arm, "jain")
    if len(comparison.baseline.runs[0]["flows"]) < 2 or row.adjusted_verdict not in ("higher", "lower"):
        return ""
    return f"; Jain's index {plus_minus(row.other)} against {plus_minus(row.baseline)}"


def how_many(row: Row) -> str:
    """What it would take to settle an open difference, in a few words."""
    if row.pair.difference.n < 2:
        return "one run says nothing" if row.runs < 2 else "one run alone has both"
    if row.pair.more_runs is None:
        return "more runs will not help"
    return f"about {plural(row.pair.more_runs, 'more run')}"


def _settle(row: Row) -> str:
    if row.pair.difference.n < 2:
        return "one run says nothing, give --runs"
    if row.pair.more_runs is None:
        return f"if there is one, it is too small to be seen in {MOST_RUNS} runs"
    return f"to see one would take {how_many(row)}"
