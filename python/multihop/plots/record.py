"""The figures of records for `multihop plot` and the report: one function a kind, drawn from the record alone.

Each takes the arms of a comparison (or one set of runs), a flow where it needs one, and a run number where it shows a
single run.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from multihop.errors import InputError, RecordError

from .bars import airtime, drops, goodput
from .choice import Choice, flows_of, name_of, over, span_of
from .over_time import goodput_time, rtt_time
from .rate import rate
from .spread import box, cdf
from .style import styled
from .window import cwnd, time_sequence

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from multihop.record.record import Records

__all__ = ["KINDS", "Choice", "Kind", "draw"]


def draw(kind: str, arms: Sequence[Records], choice: Choice | None = None) -> Figure:
    """The figure of a kind in `KINDS`; raises InputError for what the records have not, or the figure does not show."""
    demand(kind)
    if not arms or not all(len(arm) for arm in arms):
        raise RecordError("no run has finished: there is nothing to draw")
    chosen, known = choice or Choice(), KINDS[kind]
    for option, given in (("flow", chosen.flow), ("run", chosen.run), ("time", chosen.span)):
        if given is not None and option not in known.takes:
            able = ", ".join(name for name, other in KINDS.items() if option in other.takes)
            shows = "no part of the time" if option == "time" else f"no single {option}"
            raise InputError(f"the figure `{kind}` shows {shows}: --{option} means something to {able} only")
    known.find(arms, chosen)  # before anything is loaded that draws
    with styled():
        return known.function(arms, chosen)


def demand(kind: str) -> None:
    """Raises InputError if there is no such figure."""
    if kind not in KINDS:
        raise InputError(f"there is no figure `{kind}`; there are: {', '.join(KINDS)}")


def _flow(arms: Sequence[Records], choice: Choice) -> None:
    """Raises InputError if the flow that was chosen is not there."""
    if choice.flow is not None:
        flows_of(arms, choice)


def _of_one_run(transport: str) -> Callable[[Sequence[Records], Choice], None]:
    """Raises InputError if the run, the flow over this transport, or the time that was chosen is not there."""

    def find(arms: Sequence[Records], choice: Choice) -> None:
        span_of(over(arms, transport), choice, transport)

    return find


def network_map(arms: Sequence[Records], choice: Choice) -> Figure:
    """Nodes, links and paths, with the load and the drops of each node; of a comparison, of the baseline."""
    from multihop import _engine
    from multihop.ceiling.reach import Reach
    from multihop.plots.map import draw_map

    del choice
    first = arms[0]
    reach = Reach(_engine.resolve(first[0].resolved_text, first.name, [], []))
    return draw_map(reach, f"{name_of(first)}, {first.label}", first)


@dataclass(frozen=True)
class Kind:
    """A kind of figure: what draws it, what it shows, and what can be chosen of it."""

    function: Callable[[Sequence[Records], Choice], Figure]
    summary: str
    takes: tuple[str, ...] = ()
    find: Callable[[Sequence[Records], Choice], None] = _flow
    """Finds what was chosen; raises InputError."""


ONE_RUN = ("flow", "run", "time")
"""What can be chosen of a figure of one flow in one run."""
KINDS: dict[str, Kind] = {
    "goodput": Kind(goodput, "goodput of each flow and technique, with 95 % intervals", ("flow",)),
    "goodput-time": Kind(goodput_time, "goodput over time in one run, a line for each flow", ONE_RUN),
    "rtt-time": Kind(rtt_time, "smoothed round-trip time over time in one run, a line for each TCP flow", ONE_RUN),
    "cwnd": Kind(
        cwnd,
        "congestion window, its bound and threshold of one flow in one run",
        ONE_RUN,
        _of_one_run("tcp"),
    ),
    "time-sequence": Kind(
        time_sequence,
        "sequence numbers sent and acknowledged by one flow in one run",
        ONE_RUN,
        _of_one_run("tcp"),
    ),
    "rate": Kind(
        rate,
        "rate of one ATP flow, and what its path was said to take",
        ONE_RUN,
        _of_one_run("atp"),
    ),
    "drops": Kind(drops, "packets dropped at each node, stacked by cause", ("flow",)),
    "airtime": Kind(airtime, "what each node's radio did"),
    "map": Kind(network_map, "nodes, links, the path of each flow, load and drops of each node"),
    "cdf": Kind(cdf, "share of runs with at most so much goodput, a line for each technique", ("flow",)),
    "box": Kind(box, "how goodput spreads over runs, a line for each technique", ("flow",)),
}
