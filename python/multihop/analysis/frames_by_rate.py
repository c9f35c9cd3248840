"""Data frames by rate or MCS, where rate control chooses it: for the table of `run` and a sentence of `explain`."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from multihop.measures.figures import RUN
from multihop.measures.stats import Estimate, estimate
from multihop.measures.summary import value
from multihop.text import listing, plural

if TYPE_CHECKING:
    from multihop.record.record import Records

RATES = {
    name: figure.title.removeprefix("data frames at ")
    for name, figure in RUN.items()
    if name.startswith("data_frames_at_")
}
"""What each figure counts the frames of, the slowest rate first: `5.5 Mb/s`."""


def by_rate(runs: Sequence[Mapping[str, Any]]) -> dict[str, Estimate]:
    """Data frames a run by rate, the slowest first; empty where no run has chosen rates, or none of 802.11b."""
    found = {rate: estimate(value(run, name) for run in runs) for name, rate in RATES.items()}
    known = {rate: n for rate, n in found.items() if n.n}
    return known if any(n.mean for n in known.values()) else {}


def share(n: float, of: float) -> str:
    """A part of a whole as `61 %`: what is not nothing is never said to be, nor what is not all to be all."""
    percent = 100 * n / of if of else math.nan
    if 0 < percent < 0.5:
        return "under 1 %"
    return "over 99 %" if 99.5 <= percent < 100 else f"{percent:.0f} %"


MOST_MODES = 5
"""So many modes are named, the rest is one part."""


def by_mode(runs: Sequence[Mapping[str, Any]]) -> Counter[str]:
    """Data frames of all nodes and runs by rate or MCS."""
    found: Counter[str] = Counter()
    for run in runs:
        for node in run["nodes"]:
            found.update(node.get("data_by_mode") or {})
    return found


def words(records: Records, run: int | None = None) -> str:
    """Over all runs or one in a sentence: rates of 802.11b, the fastest first; later ones and MCS, the most used first.

    Empty where no frame went at a rate so chosen, or all went alike.
    """
    runs = [record.data for record in records if run in (None, record.run)]
    return _rates(runs) or _modes(by_mode(runs))


def _modes(found: Counter[str]) -> str:
    total = found.total()
    if len(found) < 2:
        return ""
    named = found.most_common(MOST_MODES if len(found) > MOST_MODES + 1 else None)
    parts = [(f"at {mode.replace(', ', ' over ')}", share(n, total)) for mode, n in named]
    if len(named) < len(found):
        rest = total - sum(n for _, n in named)
        parts.append((f"with {len(found) - len(named)} others", share(rest, total)))
    (first, most), *others = parts
    went = listing([f"{most} went {first}", *(f"{part} {how}" for how, part in others)])
    return f"Of {plural(total, 'data frame')} of all nodes, {went}."


def _rates(runs: Sequence[Mapping[str, Any]]) -> str:
    found = by_rate(runs)
    sums = {rate: round(n.mean * n.n) for rate, n in found.items()}
    total = sum(sums.values())
    if not total:
        return ""
    fastest, *others = [(rate, share(n, total)) for rate, n in reversed(sums.items()) if n]
    went = listing([f"{fastest[1]} went at {fastest[0]}", *(f"{part} at {rate}" for rate, part in others)])
    return f"Of {plural(total, 'data frame')} of all nodes, {went}."
