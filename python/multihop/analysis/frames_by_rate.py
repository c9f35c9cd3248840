"""Data frames by rate, where a rate control chooses it: for the table of `run` and in a sentence of `explain`."""

from __future__ import annotations

import math
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


def words(records: Records, run: int | None = None) -> str:
    """The same over all runs or one in a sentence, the fastest first; empty where no frame went at a rate so chosen."""
    found = by_rate([record.data for record in records if run in (None, record.run)])
    sums = {rate: round(n.mean * n.n) for rate, n in found.items()}
    total = sum(sums.values())
    if not total:
        return ""
    fastest, *others = [(rate, share(n, total)) for rate, n in reversed(sums.items()) if n]
    went = listing([f"{fastest[1]} went at {fastest[0]}", *(f"{part} at {rate}" for rate, part in others)])
    return f"Of {plural(total, 'data frame')} of all nodes, {went}."
