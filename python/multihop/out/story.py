"""What `explain` says of a set of runs."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import RenderableType
from rich.text import Text

from multihop.analysis.findings import thinned
from multihop.analysis.interference import Spoilt, recorded
from multihop.analysis.interference import words as interference_words
from multihop.analysis.mpdus import Mpdus
from multihop.analysis.mpdus import words as mpdu_words
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
    records: Records,
    stories: Sequence[Story],
    spoilt: Sequence[Spoilt] = (),
    facts: Sequence[str] = (),
    mpdus: Sequence[Mpdus] = (),
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
    if told := mpdu_words(mpdus):
        parts += [Text(told), Text(""), _mpdus(mpdus), Text("")]
    if spoilt:
        parts += [Text(interference_words(spoilt)), Text(""), _interference(spoilt), Text("")]
    elif stories and not recorded(records):
        parts += [Text("Which node interfered with which was not recorded: `measure.sample` is 0 s.", style="dim")]
    help_ = Text("What the words mean: multihop list words", style="dim")
    return [*parts, *(Text(line, style="dim") for line in thinned(records)), help_]


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


def _mpdus(links: Sequence[Mpdus]) -> Fitting:
    several = len({x.category for x in links}) > 1, len({x.channel for x in links}) > 1
    columns = [
        Column("link", words=True),
        *([Column("category", words=True)] if several[0] else []),
        *([Column("channel")] if several[1] else []),
        *(Column(head, rank=rank) for head, rank in (("frames", 4), ("MPDUs", 0), ("died", 0))),
        *(Column(head) for head in ("met hidden", "met sensed", "receiver sent", "other")),
        Column("main interferer", words=True, rank=3),
        Column("held back", rank=2),
        Column("wait", rank=1),
    ]
    lines = []
    for x in links[:MOST_ROWS]:
        own = [*([x.category] if several[0] else []), *([str(x.channel)] if several[1] else [])]
        parts = (x.hidden(hidden=True), x.hidden(hidden=False), x.deaf, x.lost - x.lost_by.get("interference", 0))
        shares = [f"{100 * n / x.lost:.0f} %" if n else "" for n in parts]
        worst = x.killers[0] if x.killers else None
        by = f"{worst.by} {100 * worst.n / x.lost:.0f} %" if worst else ""
        wait = f"{1e3 * x.held_mean_s:.3g} ms" if x.held_mean_s is not None else ""
        died = f"{100 * x.lost / x.mpdus:.2g} %" if 100 * x.lost < 10 * x.mpdus else f"{100 * x.lost / x.mpdus:.0f} %"
        counts = [str(x.frames), str(x.mpdus), died]
        lines.append(Line([f"{x.sender} → {x.receiver}", *own, *counts, *shares, by, str(x.held), wait]))
    rest = links[MOST_ROWS:]
    if rest:
        sums = [str(sum(x.frames for x in rest)), str(sum(x.mpdus for x in rest))]
        lines.append(Line([plural(len(rest), "more row"), *[""] * sum(several), *sums, *[""] * 8]))
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
