"""What `explain` says of a set of runs."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import RenderableType
from rich.text import Text

from multihop.analysis.findings import thinned
from multihop.analysis.interference import Spoilt, recorded
from multihop.analysis.interference import words as interference_words
from multihop.analysis.stories import Story, words
from multihop.out.fit import Column, Fitting, Line
from multihop.record.record import Records
from multihop.text import plural, span

MOST_ROWS = 14
"""So many rows of a table are shown, the rest in one line."""
BARS = " ▁▂▃▄▅▆▇█"
KINDS = {"tcp-data": "data", "tcp-ack": "ACK", "udp": "datagram"}
"""How the kinds of packets are called where there is little room."""


def view(
    records: Records, stories: Sequence[Story], spoilt: Sequence[Spoilt] = (), facts: Sequence[str] = ()
) -> list[RenderableType]:
    """What is printed about one set of runs; `facts` are sentences about all nodes."""
    altered = "".join(f", {setting}" for setting in records.settings)
    runs = max((story.runs for story in stories), default=len(records))
    parts: list[RenderableType] = [Text(f"{records.name}, {records.label}{altered}: {plural(runs, 'run')}", "bold")]
    if not stories:
        parts.append(Text("The scenario has no flow: nothing was sent, and nothing can be explained."))
    for story in stories:
        parts += [Text(""), *(Text(line) for line in words(story)), Text("")]
        if story.deaths:
            parts += [_drops(story, records), Text("")]
        if story.losses:
            parts += [_losses(story), Text("")]
    for fact in facts:
        parts += [Text(fact), Text("")]
    if spoilt:
        parts += [Text(interference_words(spoilt)), Text(""), _interference(spoilt), Text("")]
    elif stories and not recorded(records):
        parts += [Text("Which node interfered with which was not recorded: `measure.sample` is 0 s.", style="dim")]
    told = Text("What the words mean: multihop list words", style="dim")
    return [*parts, *(Text(line, style="dim") for line in thinned(records)), told]


def _drops(story: Story, records: Records) -> Fitting:
    measure = records.scenario["measure"]
    columns = [
        Column("dropped because of", words=True),
        Column("at node", words=True),
        Column("kind", words=True),
        Column("to", words=True),
        Column("packets"),
        Column("share"),
        Column("main interferer", words=True, rank=4),
        Column("first", rank=3),
        Column("last", rank=2),
        Column(f"when, {span(measure['from_s'], measure['to_s'], ' to ')}", words=True, rank=1),
    ]
    total = sum(d.n for d in story.deaths)
    tallest = max(max(d.when) for d in story.deaths) or 1
    lines = []
    for d in story.deaths[:MOST_ROWS]:
        towards = story.flow["from"] if d.kind == "tcp-ack" else story.flow["to"]
        when = "".join(BARS[-(-n * (len(BARS) - 1) // tallest)] for n in d.when)
        amount = [str(d.n), f"{100 * d.n / total:.0f} %", d.killed, f"{d.first_s:.1f} s", f"{d.last_s:.1f} s"]
        lines.append(Line([d.cause, d.node, KINDS.get(d.kind, d.kind), str(towards), *amount, when]))
    rest = story.deaths[MOST_ROWS:]
    if rest:
        n = sum(d.n for d in rest)
        lines.append(
            Line([plural(len(rest), "more row"), "", "", "", str(n), f"{100 * n / total:.0f} %", "", "", "", ""])
        )
    return Fitting(columns, lines)


def _losses(story: Story) -> Fitting:
    columns = [
        *(Column(head, words=True) for head in ("TCP noticed by", "what happened", "class")),
        Column("times"),
        Column("share"),
    ]
    total = sum(x.n for x in story.losses)
    lines = [
        Line(
            [story.noticed(x.believed), x.truth, x.kind, str(x.n), f"{100 * x.n / total:.0f} %"],
            "green" if x.kind == "congestion" else "",
        )
        for x in story.losses
    ]
    return Fitting(columns, lines)


def _interference(spoilt: Sequence[Spoilt]) -> Fitting:
    columns = [
        *(Column(head, words=True) for head in ("link", "frame", "destroyed by")),
        *(Column(head) for head in ("frames", "share", "hidden")),
    ]
    total = sum(x.n for x in spoilt)
    lines = []
    for x in spoilt[:MOST_ROWS]:
        itself = x.by in (x.sender, x.receiver)
        by = f"{x.by}, sending itself" if itself else x.by or "unknown"
        share, hidden = f"{100 * x.n / total:.0f} %", f"{100 * x.hidden / x.n:.0f} %"
        lines.append(Line([f"{x.sender} → {x.receiver}", x.frame, by, str(x.n), share, hidden]))
    rest = spoilt[MOST_ROWS:]
    if rest:
        n, unheard = sum(x.n for x in rest), sum(x.hidden for x in rest)
        share, hidden = f"{100 * n / total:.0f} %", f"{100 * unheard / n:.0f} %"
        lines.append(Line([plural(len(rest), "more row"), "", "", str(n), share, hidden]))
    return Fitting(columns, lines)
