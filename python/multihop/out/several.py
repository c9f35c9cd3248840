"""What `reproduce` prints of several studies: a line for each, and the claims that do not hold or prove little."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from rich.text import Text

from multihop.measures.notation import figure, interval
from multihop.out.fit import Column, Fitting, Line
from multihop.study.several import TALLY
from multihop.text import plural

if TYPE_CHECKING:
    from rich.console import RenderableType

    from multihop.study.outcome import Outcome
    from multihop.study.several import Outcomes

Table = tuple[Sequence[str], list[list[object]]]


def several_view(outcomes: Outcomes) -> list[RenderableType]:
    """A line for each study, the claims that do not hold, and those that other techniques hold too."""
    quick = " (quick: few short runs)" if outcomes.quick else ""
    parts: list[RenderableType] = [Text(f"{plural(len(outcomes), 'study', 'studies')}{quick}", style="bold"), Text("")]
    columns = [Column("study", words=True), *map(Column, TALLY[:-1]), Column(TALLY[-1], rank=1)]
    parts += [Fitting(columns, [Line(row) for row in outcomes.tally()])]
    for title, said in (("does not hold", _misses), ("holds with other techniques in its places too", _marked)):
        if found := [line for outcome in outcomes for line in said(outcome)]:
            parts += [Text(""), Text(title, style="bold"), *map(Text, found)]
    return [*parts, Text("")]


def joined(outcomes: Outcomes, of: Callable[[Outcome], Table]) -> Table:
    """The tables of all studies as one, with the study in front. Where a study lacks a column, the cell is empty."""
    tables = [(outcome.label, *of(outcome)) for outcome in outcomes]
    heads = list(dict.fromkeys(head for _, own, _ in tables for head in own))
    rows = [
        [label, *(dict(zip(own, row, strict=True)).get(head, "") for head in heads)]
        for label, own, lines in tables
        for row in lines
    ]
    return ["study", *heads], rows


def _misses(outcome: Outcome) -> Iterator[str]:
    for v in outcome.judged:
        if v.holds is False:
            paper = f"{v.claim.paper} {v.claim.unit}".strip() if isinstance(v.claim.paper, float) else v.claim.paper
            ours = " ".join(filter(None, (figure(v.ours), v.unit, interval(v.ci95))))
            yield f"{outcome.label} {v.claim.id}: {v.claim.text} Paper: {paper}. Ours: {ours}. {v.reason}"


def _marked(outcome: Outcome) -> Iterator[str]:
    for claim, lights in outcome.tells_nothing_in_words().items():
        yield f"{outcome.label} {claim}: with {', with '.join(lights)}"
