"""The claims of a study as `reproduce` prints them: a line each, by tier, and why what does not hold does not."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from rich.text import Text

from multihop.measures.notation import figure, interval
from multihop.out.fit import Column, Fitting, Line
from multihop.text import plural

if TYPE_CHECKING:
    from rich.console import RenderableType

    from multihop.study.judge import Verdict
    from multihop.study.outcome import Beside, Outcome

SIGNS = {True: ("holds", "green"), False: ("does not hold", "red"), None: ("open", "yellow")}
TESTED = ("held by a test", "green")
MARKS = {True: "✓", False: "✗", None: "?"}
TIERS = {"must": "must hold", "should": "should hold", "info": "not judged", "parameters": "parameters, not counted"}
HEADS = ("claim", "tier", "where", "paper", "ours", "low", "high", "unit", "verdict", "reason", "text")
"""The columns of the claims as CSV."""


def claim_rows(outcome: Outcome) -> tuple[tuple[str, ...], list[list[object]]]:
    """All claims, with the readings beside them, as rows of a table."""
    beside = outcome.columns_beside
    rows: list[list[object]] = []
    for v in outcome.verdicts:
        claim, (low, high) = v.claim, v.ci95 or (None, None)
        others = [b.verdicts.get(claim.id) for b in beside]
        figures: list[object] = [claim.id, claim.tier, claim.where, claim.paper, v.ours, low, high, v.unit]
        rows.append([*figures, _word(v), v.reason, claim.text, *(_word(o) if o else "" for o in others)])
    return (*HEADS, *(b.reading.name for b in beside)), rows


def heading(outcome: Outcome) -> str:
    """What was run."""
    part = f", {outcome.selection.part} only" if outcome.selection.part else ""
    return f"{outcome.study.title}{part}{' (quick: few short runs)' if outcome.quick else ''}"


def study_view(outcome: Outcome, *, readings: bool = False) -> list[RenderableType]:
    """One line a claim, by tier, and the counts. Of the other readings, those that change a verdict; or all of them."""
    parts: list[RenderableType] = [Text(heading(outcome), style="bold")]
    groups: dict[str, list[Verdict]] = {}
    for verdict in outcome.verdicts:
        groups.setdefault(verdict.claim.tier if verdict.claim.counted else "parameters", []).append(verdict)
    for tier, title in TIERS.items():
        if tier in groups:
            columns = outcome.columns_for(groups[tier]) if readings else []
            parts += [Text(""), *_claims(title, groups[tier], columns)]
    if counts := _counts(outcome.counts()):
        parts += [Text(""), Text(counts, style="bold")]
    parts += [Text(line) for line in _marks(outcome)]
    shown = (line for b in outcome.beside for line in (_whole if readings else _changes)(outcome, b))
    return [*parts, *map(Text, shown), *map(Text, [] if readings else _hidden(outcome)), Text("")]


def _changes(outcome: Outcome, beside: Beside) -> Iterator[str]:
    """What a reading that is not counted changes; nothing if it changes no verdict."""
    reading = beside.reading
    if reading.places:
        if also := outcome.also_hold(beside):
            yield f"{reading.title}: {plural(len(also), 'claim')} still {'holds' if len(also) == 1 else 'hold'}: " + (
                ", ".join(also)
            )
        return
    changed = outcome.changed_by(beside)
    for verdict, other in changed:
        was, now = (
            f"{SIGNS[one.holds][0]} ({figure(one.ours)} {one.unit})".replace(" )", ")") for one in (other, verdict)
        )
        yield f"{reading.title}: {verdict.claim.id} {was} instead of {now}"


def _hidden(outcome: Outcome) -> Iterator[str]:
    """That there are readings which change nothing."""
    idle = [b for b in outcome.beside if not [*_changes(outcome, b)]]
    if idle:
        other = "other " if len(idle) < len(outcome.beside) else ""
        verb = "changes" if len(idle) == 1 else "change"
        yield f"{plural(len(idle), f'{other}reading')} {verb} no verdict: --readings shows all"


def _marks(outcome: Outcome) -> Iterator[str]:
    """What to know of claims that hold: by which band, with which other techniques, and which of them say the same."""
    if any(v.listed for v in outcome.verdicts):
        yield f"By the bands of the list of claims: {_counts(outcome.counts_by_list())}"
    for v in outcome.verdicts:
        if v.listed:
            yield f"  {v.claim.id}, {v.listed.rule}: {v.listed.word}"
    if repeats := [f"{claim} of {earlier}" for claim, earlier in outcome.repeats().items()]:
        yield f"The same figures once more: {', '.join(repeats)}"


def _counts(counts: dict[str, dict[str, int]]) -> str:
    return "; ".join(
        f"{TIERS[tier]}: {_verb(c['holds'], 'hold')}, {_verb(c['fails'], 'do', ' not')}, {c['open']} open"
        + (f", {c['tested']} held by tests" if c["tested"] else "")
        for tier, c in counts.items()
        if tier != "info"
    )


def _whole(outcome: Outcome, beside: Beside) -> Iterator[str]:
    """A reading that is not counted: its verdicts and figures; nothing if no claim is concerned."""
    reading, also = beside.reading, outcome.also_hold(beside)
    if reading.places:
        of = sum(v.holds is True and v.claim.id in beside.verdicts for v in outcome.judged)
        if of:
            named = f": {', '.join(also)}" if also else ""
            yield f"{reading.title}: {len(also)} of {plural(of, 'claim')} still {'holds' if of == 1 else 'hold'}{named}"
        return
    if counts := _counts(beside.counts()):
        yield f"{reading.title}: {counts}"
    if reading.watch:
        words = [f"{w.technique} in {w.runs} of {plural(w.of, 'run')}" for w in beside.watched]
        yield f"  {reading.watch.label}: {', '.join(words)}"
    for claim in reading.claims:
        if found := beside.verdicts.get(claim):
            yield f"  {claim}: {figure(found.ours)} {interval(found.ci95)} {found.unit}: {SIGNS[found.holds][0]}"


def _verb(n: int, verb: str, rest: str = "") -> str:
    third = f"{verb}es" if verb.endswith("o") else f"{verb}s"
    return f"{n} {third if n == 1 else verb}{rest}"


def _word(verdict: Verdict) -> str:
    if verdict.by_test:
        return TESTED[0]
    return SIGNS[verdict.holds][0] if verdict.claim.tier != "info" else "not judged"


def _claims(title: str, verdicts: list[Verdict], beside: list[Beside]) -> Iterator[RenderableType]:
    """A table of claims, then the reason of each that does not hold or is open."""
    columns = [
        Column(title, words=True),
        Column("what the paper says", words=True),
        Column("paper", words=True, rank=1),
        Column("ours"),
        Column("95 % interval", rank=3),
        Column("verdict", words=True),
        *(Column(b.reading.name, words=True, rank=2) for b in beside),
    ]
    lines = [
        Line(
            [
                v.claim.id,
                v.claim.text,
                str(v.claim.paper),
                f"{figure(v.ours)} {v.unit}".strip(),
                interval(v.ci95),
                Text(_word(v), style=(TESTED if v.by_test else SIGNS[v.holds])[1]),
                *(_sign(b, v.claim.id) for b in beside),
            ]
        )
        for v in verdicts
    ]
    yield Fitting(columns, lines)
    if reasons := [Text(f"{v.claim.id}: {v.reason}") for v in verdicts if not v.holds and v.reason]:
        yield from (Text(""), *reasons)


def _sign(beside: Beside, claim: str) -> Text:
    """The verdict in another light, as a sign, with its figure if it has one of its own."""
    verdict = beside.verdicts.get(claim)
    if verdict is None:
        return Text("")
    own = f" {figure(verdict.ours)}" if beside.reading.set else ""
    return Text(f"{MARKS[verdict.holds]}{own}", style=SIGNS[verdict.holds][1])
