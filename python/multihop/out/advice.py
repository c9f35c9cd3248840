"""What `advise` prints: one screen with what limits the network, what to do first, and what does not help."""

from __future__ import annotations

import math
import shlex
from collections.abc import Iterable

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from multihop.advising.advice import Advice, Found, Tried
from multihop.advising.score import percent
from multihop.measures.figures import everywhere
from multihop.measures.notation import plus_minus
from multihop.record.comparison import Row, better
from multihop.text import listing, plural

MOST_LIMITS = 3
MOST_TRIED = 4
MOST_CHANGES = 5
TIMES = 400.0
"""From so many percent on a gain is said as a factor too."""


def advice_view(advice: Advice) -> Group:
    """All that `advise` says."""
    parts: list[RenderableType] = [Text(headline(advice), style="bold")]
    for title, lines in sections(advice):
        items = Table.grid(padding=(0, 1))
        for line in lines:
            items.add_row(Text("•"), Text(line))
        parts += [Text(title, style="bold"), items]
    return Group(*parts)


def headline(advice: Advice) -> str:
    """The answer in one line."""
    found = advice.found
    if advice.short and not advice.tried and found is None:
        return f"{advice.scenario}: a budget of {advice.budget} was too short to try anything."
    if found is None or not found.helps:
        return f"{advice.scenario}: nothing {_tried_what(advice)} surely helps."
    return f"{advice.scenario}: set {found.candidate.label}: {gain(found)}."


def sections(advice: Advice) -> Iterable[tuple[str, list[str]]]:
    """Titles with their lines, which are sentences or items."""
    yield "What limits it", limit_lines(advice)
    if advice.helps and advice.found:
        yield "Do this first", what_to_do(advice, advice.found)
        yield "What it changes besides", changes(advice.found)
    if advice.beyond:
        yield "With new software", new_software(advice, advice.beyond)
    if advice.tried or advice.left:
        yield "What does not help", what_does_not_help(advice)
    yield "How sure", how_sure(advice)


def gain(found: Found) -> str:
    """`goodput +12 % [+9, +15]`, or as a factor where it is large."""
    mean, low, high = found.interval
    several = len(found.comparison.baseline.runs[0]["flows"]) > 1
    whose = "goodput of the typical flow" if several else "goodput"
    if low >= TIMES:
        return f"{whose} times {1 + mean / 100:.3g} [{1 + low / 100:.3g}, {1 + high / 100:.3g}]"
    return f"{whose} {_signed(mean)} % [{_signed(low)}, {_signed(high)}]"


def limit_lines(advice: Advice) -> list[str]:
    """What limits each flow, the worst off first, and what TCP believes."""
    lines = [limit.words() for limit in advice.limits.flows[:MOST_LIMITS]]
    if (more := len(advice.limits.flows) - MOST_LIMITS) > 0:
        lines.append(f"{plural(more, 'other flow')} {'gets' if more == 1 else 'get'} more: --json has all.")
    return [*lines, *filter(None, [advice.limits.believed])]


def what_to_do(advice: Advice, found: Found) -> list[str]:
    """Where to set it, how, and how to look at it again."""
    lines = [f"On each {part.where}: {part.device}" for part in found.candidate.parts]
    lines.append("In a scenario: " + " ".join(f"--set {shlex.quote(s)}" for s in found.candidate.settings))
    return [*lines, f"To see it again: {advice.command(found)}"]


def new_software(advice: Advice, found: Found) -> list[str]:
    """What would help that no device has today."""
    lines = [f"{found.candidate.label} would give {gain(found)}."]
    lines += [f"It needs {device}." for device in dict.fromkeys(p.device for p in found.candidate.parts)]
    return [*lines, f"To see it: {advice.command(found)}"]


def changes(found: Found) -> list[str]:
    """What it costs, and what it improves besides."""
    rows = found.changes()
    worse = [_change(row) for row in rows if better(row) is False]
    good = [_change(row) for row in rows if better(row) is True]
    costs = [f"Cost: {text}." for text in worse[:MOST_CHANGES]] or ["Cost: none in fairness, delay, energy or losses."]
    if len(worse) > MOST_CHANGES:
        costs.append(f"Cost: {len(worse) - MOST_CHANGES} more; compare shows all.")
    return [*costs, *([f"Better: {listing(good)}."] if good else [])]


def what_does_not_help(advice: Advice) -> list[str]:
    """A line for each family of settings, the best first."""
    best: dict[str, list[Tried]] = {}
    chosen = {part.family for found in (advice.found,) if found for part in found.candidate.parts}
    for tried in advice.tried:
        if len(tried.candidate.parts) == 1 and (not advice.helps or tried.candidate.family not in chosen):
            best.setdefault(tried.candidate.family, []).append(tried)
    lines = [_family(group) for group in best.values()]
    shown = lines[:MOST_TRIED]
    more = [f"{len(lines) - MOST_TRIED} more that were tried"] if len(lines) > MOST_TRIED else []
    more += [f"{len(advice.left)} that cannot act here"] if advice.left else []
    return [*shown, *([f"and {listing(more)}: --json says why."] if more else [])]


def how_sure(advice: Advice) -> list[str]:
    """What the interval is worth."""
    found = advice.found
    searched = (
        f"the search of {plural(len(advice.tried) + bool(found), 'setting')} ({plural(advice.spent, 'run')} in all)"
    )
    if found is None and not advice.tried:
        lines = ["Nothing was tried." if advice.short else "There is nothing to try."]
    elif found is None:
        lines = [f"Nothing did better than what there is in {searched}."]
    elif found.helps:
        fresh = plural(found.runs, "fresh run")
        lines = [f"The 95 % interval is of {fresh} of each, which took no part in {searched}."]
    else:
        fresh = plural(found.runs, "fresh run")
        lines = [f"The best in {searched} was {found.candidate.label}: {gain(found)} by {fresh} of each."]
    if advice.short:
        lines.append(f"A budget of {advice.budget} was too short to try everything well: --minutes gives more.")
    return lines


def _tried_what(advice: Advice) -> str:
    return {None: "that can be set", "both": "that can be set"}.get(advice.can, f"that can be set on a {advice.can}")


def _family(group: list[Tried]) -> str:
    """`retries (4, 10): -3.1 %, makes no clear difference`: the values, and of the best its gain and the reason."""
    best = group[0]
    values = [tried.candidate.parts[0].value for tried in group]
    others = f" ({', '.join(sorted(values, key=_order))})" if all(values) else ""
    amount = "" if best.idle else f" {_signed(percent(best.gain.mean))} %:"
    at = f" at {best.candidate.parts[0].value}" if len(group) > 1 and not best.idle else ""
    return f"{best.candidate.family}{others}:{amount.replace(':', f'{at}:')} {best.why}."


def _order(value: str) -> tuple[float, str]:
    try:
        return float(value), value
    except ValueError:
        return math.inf, value


def _change(row: Row) -> str:
    """`one-way delay 142 ± 2 → 939 ± 28 ms (+559 %)`."""
    figure = everywhere()[row.figure]
    whose = f"flow {row.flow} {figure.title}" if row.flow else figure.title
    unit = f" {figure.unit}" if figure.unit else ""
    change = f" ({_signed(100 * row.relative.mean)} %)" if row.relative and row.figure != "jain" else ""
    before, after = (plus_minus(x, figure.scale) for x in (row.baseline, row.other))
    return f"{whose} {before} → {after}{unit}{change}"


def _signed(x: float) -> str:
    """Whole numbers, or tenths of small ones."""
    return f"{x:+.0f}" if abs(x) >= 10 else f"{x:+.1f}" if abs(x) >= 0.05 else "0"
