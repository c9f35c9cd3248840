"""What TCP did about losses and marks: what it sent again in vain, its probes, what it took back, marks, its pace."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from multihop.analysis import causes
from multihop.scenario.quantity import value_for
from multihop.text import plural

if TYPE_CHECKING:
    from multihop.record.record import Record

FIGURES = (
    "needless_retransmissions",
    "undone_reductions",
    "tail_probes",
    "tail_repairs",
    "tail_finds",
    "ecn_reductions",
    "ecn_marks",
)
"""Figures of a flow that this module tells of; records of earlier versions have none of them."""
OWN_PACE = ("bbr", "bbr-draft")
"""Window rules that set a rate of their own."""
ONLY_LATE = (causes.kind_of("delayed"), causes.kind_of("repair delayed"))
"""The kinds of a loss event if the latest copy of the segment was not lost."""


def detector(record: Record, flow: str) -> str:
    """How TCP notices a loss without a timeout: `RACK`, `SACK` or `duplicate ACKs`."""
    if value_for(record.scenario, flow, "tcp.judge") == "rack":
        return "RACK"
    return "SACK" if value_for(record.scenario, flow, "tcp.loss") == "sack" else "duplicate ACKs"


def pace(records: Sequence[Record], flow: str) -> float | None:
    """Mean rate at which segments of a paced sender left in the measured time [bit/s]; None without a pace, or a series
    of it."""
    scenario = records[0].scenario
    paced = (
        value_for(scenario, flow, "tcp.pace.rule") == "window" or value_for(scenario, flow, "tcp.window") in OWN_PACE
    )
    if not paced or any("path" not in record.series_names for record in records):
        return None
    span, total, n = scenario["measure"], 0.0, 0
    for record in records:
        path = record.series("path")
        measured = (path["flow"] == flow) & path["time_s"].between(span["from_s"], span["to_s"])
        own = path["send_bps"][measured].dropna()
        total, n = total + float(own.sum()), n + len(own)
    return total / n if n else None


def words(counts: Mapping[str, int], spurious: int, timeouts: int, pace_bps: float | None) -> str:
    """What was sent again in vain, spurious timeouts, what probes found, what was taken back, marks, the pace.

    Empty if there is nothing to tell. `timeouts`: loss events by a timeout; `spurious`: those of a segment whose
    latest copy was not lost.
    """
    parts = (
        _needless(counts),
        _spurious(spurious, timeouts),
        _probes(counts),
        _undone(counts),
        _marked(counts),
        _paced(pace_bps),
    )
    return " ".join(filter(None, parts))


def _needless(counts: Mapping[str, int]) -> str:
    again, needless = counts["retransmissions"], counts.get("needless_retransmissions")
    if not again or needless is None:
        return ""
    if again == 1:
        return (
            "This was needless: an earlier copy arrived." if needless else "This was needed: no earlier copy arrived."
        )
    if not needless:
        return "None of them was needless."
    were = "1 was" if needless == 1 else f"{needless} ({100 * needless / again:.0f} %) were"
    return f"Of them {were} needless: an earlier copy arrived."


def _spurious(spurious: int, timeouts: int) -> str:
    if not spurious:
        return ""
    which = (
        "The timeout was"
        if timeouts == 1
        else f"Of {timeouts} timeouts {spurious} {'was' if spurious == 1 else 'were'}"
    )
    return f"{which} spurious: the segment or its ACK was only late."


def _probes(counts: Mapping[str, int]) -> str:
    sent, repaired, found = (counts.get(name, 0) for name in ("tail_probes", "tail_repairs", "tail_finds"))
    if not sent:
        return ""
    said = [f"It sent {plural(sent, 'tail loss probe')}."]
    if repaired:
        said.append(f"{'One' if repaired == 1 else str(repaired)} repaired a loss.")
    if found:
        said.append(f"After {'one' if found == 1 else str(found)} of them SACK told of a loss.")
    if not repaired and not found:
        said.append(f"TCP knows of no loss that {'it' if sent == 1 else 'they'} found.")
    return " ".join(said)


def _undone(counts: Mapping[str, int]) -> str:
    undone = counts.get("undone_reductions", 0)
    if not undone:
        return ""
    return f"It took back {plural(undone, 'reduction')} of its window as needless."


def _marked(counts: Mapping[str, int]) -> str:
    reductions, marks = counts.get("ecn_reductions", 0), counts.get("ecn_marks", 0)
    times = "once" if reductions == 1 else f"{reductions} times"
    if marks:
        return f"Its receiver counted {plural(marks, 'marked segment')}, and its window shrank {times} for marks."
    return f"Its window shrank {times} for marks." if reductions else ""


def _paced(pace_bps: float | None) -> str:
    return "" if pace_bps is None else f"Pacing let its segments leave at {pace_bps / 1e3:.4g} kbit/s on average."
