"""Why a setting does not help: what it changed in the runs that it had, against the same runs without it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from multihop.measures.stats import Estimate, paired
from multihop.measures.summary import causes, value

from .contest import WORTH, Entrant
from .score import Runs

Figure = Callable[[Runs], list[float]]
CLEAR = 0.1
"""A figure must change by this share to be a reason."""


def why(entrant: Entrant, baseline: Runs) -> str:
    """Why it is no advice, in a few words."""
    candidate, other = entrant.candidate, entrant.runs
    before = baseline[: len(other)]
    if entrant.idle:
        knobs = [part.knob for part in candidate.parts if part.knob]
        return f"changes nothing: {knobs[0].idle}" if knobs else "changes nothing: what it acts on does not occur"
    if entrant.gain.mean >= WORTH:
        return "helps less than the advice" if entrant.gain.low > 0 else "perhaps helps, less than the advice"
    if entrant.gain.low <= 0 <= entrant.gain.high and entrant.gain.mean > -WORTH:
        return "makes no clear difference"
    return _worse(before, other)


def _worse(before: Runs, other: Runs) -> str:
    """What got worse that explains a loss: more packets lost, more frames for each packet, or a timer."""
    lost = _lost(before, other)
    if lost:
        return lost
    for name, figure in FIGURES.items():
        was, now = figure(before), figure(other)
        change = paired(was, now).difference
        mean = sum(was) / len(was)
        if _clear(change, mean):
            return f"{name} ({_short(mean)} → {_short(mean + change.mean)})"
    return "fewer segments are under way: the path is not filled"


def _clear(change: Estimate, mean: float) -> bool:
    return change.mean > CLEAR * max(abs(mean), 1e-9) and not change.low <= 0


def _lost(before: Runs, other: Runs) -> str:
    """The cause by which many more packets are lost."""
    was, now = (_sum(runs) for runs in (before, other))
    more = {cause: now[cause] - was[cause] for cause in now}
    cause = max(more, key=lambda cause: more[cause], default="")
    n = len(before)
    if not cause or more[cause] <= CLEAR * sum(was.values()) or more[cause] < n:
        return ""
    return f"more packets are lost to {cause} ({_short(was[cause] / n)} → {_short(now[cause] / n)} a run)"


def _sum(runs: Runs) -> Counter[str]:
    total: Counter[str] = Counter()
    for run in runs:
        total.update(causes(run))
    return total


def _each(name: str) -> Figure:
    return lambda runs: [value(run, name) for run in runs]


def _frames(runs: Runs) -> list[float]:
    """Frames of the MAC for each packet that arrived."""
    return [value(run, "frames") / max(1, run["ledger_measured"]["delivered"]) for run in runs]


FIGURES: dict[str, Figure] = {
    "more frames are sent for each packet that arrives": _frames,
    "TCP runs into more timeouts": _each("timeouts"),
    "packets wait longer, in seconds": _each("delay_mean_s"),
}
"""What may have got worse, the likeliest reason first."""


def _short(x: float) -> str:
    return f"{x:.3g}" if abs(x) < 1000 else f"{x:.0f}"
