"""What `advise` prints: one screen with what limits the network, what to do first, and what does not help."""

from __future__ import annotations

from rich.console import Group, RenderableType
from rich.text import Text

from multihop.advising.advice import Advice, Tried
from multihop.advising.score import percent
from multihop.measures.figures import everywhere
from multihop.measures.notation import plus_minus
from multihop.text import plural

MOST_LIMITS = 6
MOST_TRIED = 12


def advice_view(advice: Advice) -> Group:
    """All that `advise` says."""
    parts: list[RenderableType] = [Text(f"{advice.scenario}: what limits it, and what helps", style="bold"), Text("")]
    parts.append(Text("What limits it", style="bold"))
    parts += [Text(f"• {limit.words()}") for limit in advice.limits[:MOST_LIMITS]]
    if len(advice.limits) > MOST_LIMITS:
        parts.append(Text(f"• and {plural(len(advice.limits) - MOST_LIMITS, 'more flow')}: --json has all"))
    parts += [Text(""), Text("What to do", style="bold"), *_answer(advice), Text("")]
    if advice.tried:
        parts += [Text("What was tried besides", style="bold"), *_tried(advice)]
    return Group(*parts)


def _answer(advice: Advice) -> list[Text]:
    mean, low, high = advice.interval
    if advice.choice is None:
        return [Text("Nothing that can be set here does better than what there is.")]
    runs = len(advice.comparison.runs) if advice.comparison else 0
    if not advice.helps:
        sure = f"{mean:+.1f} % [{low:+.1f}, {high:+.1f}] on {plural(runs, 'fresh run')}"
        return [Text(f"Nothing surely helps. The best was {advice.choice.label}: {sure}.")]
    gain = f"{mean:+.0f} % [{low:+.0f}, {high:+.0f}]"
    lines = [
        Text(
            f"Set {advice.choice.label} ({advice.choice.where}): {gain} goodput, the geometric mean of the flows.",
            "green",
        ),
        Text(f"How sure: 95 % interval of {plural(runs, 'fresh run')} of each, which took no part in the search."),
        Text(f"On a device: {advice.choice.device}"),
    ]
    figures = everywhere()
    for row in advice.costs():
        figure = figures[row.figure]
        change = row.relative
        if change is None or row.pair.verdict in ("open", "equal"):
            continue
        unit = f" {figure.unit}" if figure.unit else ""
        before, after = plus_minus(row.baseline, figure.scale), plus_minus(row.other, figure.scale)
        lines.append(Text(f"  {figure.title}: {before} → {after}{unit} ({100 * change.mean:+.1f} %)"))
    lines.append(Text(f"Repeat it: {advice.command()}", style="dim"))
    return lines


def _tried(advice: Advice) -> list[Text]:
    lines = [Text(f"• {_line(tried)}") for tried in advice.tried[:MOST_TRIED]]
    if len(advice.tried) > MOST_TRIED:
        lines.append(Text(f"• and {len(advice.tried) - MOST_TRIED} more: --json has all"))
    if advice.short:
        lines.append(Text("The time was too short to try everything well: --minutes gives more.", style="yellow"))
    return lines


def _line(tried: Tried) -> str:
    if tried.idle:
        return f"{tried.candidate.label}: changes nothing here"
    runs = plural(tried.runs, "run")
    return f"{tried.candidate.label}: {percent(tried.gain):+.1f} % in {runs}"
