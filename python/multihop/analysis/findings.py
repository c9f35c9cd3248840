"""What deserves a look in finished runs: flows that get nothing, timeouts that rule, queues that are always full.

Each remark is a sentence with its number in it. The thresholds are ours; they are meant to point, not to judge.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from multihop.measures.summary import kinds, value
from multihop.scenario.link import is_slotted
from multihop.text import listing, plural

if TYPE_CHECKING:
    from multihop.record.record import Record, Records

STARVED = 0.1
"""A flow is starved in a run if it gets less than this share of what flows of its kind get on average."""
CONTENT = 0.9
"""A flow of datagrams is not starved if this share of them arrives: it sends little."""
OFTEN = 3.0
"""So many timeouts a run are worth a word, if they outnumber fast retransmissions."""
FULL = 0.9
"""A queue is called full if its mean length reaches this share of its limit."""
OUT_OF_HOPS = 0.01
"""A flow of whose packets more than this share expires is named."""
MOST_NAMES = 5
"""So many flows or nodes are named, the rest is counted."""
LEFT_OUT = {
    "resume_s": "got nothing more after what had gone returned{}: the mean time to resume is that of the other runs.",
    "completion_s": "did not complete{}: the mean time of completion is that of the other runs.",
}
"""Times that a run has only if something came about, and what to say of runs where it did not."""


def remarks(records: Records) -> list[str]:
    """What to point out about runs, the worst first."""
    runs = records.runs
    if not runs:
        return []
    return [
        *_broken(runs),
        *_nothing(runs),
        *_expired(runs, records.scenario),
        *_left_out(runs),
        *_starved(runs, records.scenario),
        *_timeouts(runs),
        *_queues(runs, records.scenario),
    ]


def _broken(runs: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Flows whose source got an ACK for bytes that no node has any more, or that an agent sends in vain."""
    said: dict[int, dict[str, float]] = {}
    for index, flow in enumerate(runs[0]["flows"]):
        lost = [run["flows"][index].get("broken_bytes") for run in runs]
        broken = [float(one) for one in lost if one]
        if broken:
            said.setdefault(len(broken), {})[str(flow["id"])] = _mean(broken) / 1e3
    for n, flows in said.items():
        are, sources = ("is", "its source was") if len(flows) == 1 else ("are", "their sources were")
        yield (
            f"{_named('Flow', [*flows])} {are} broken{_in(n, len(runs))}: {_range(flows.values())} kB that {sources} "
            "told had arrived were lost with an agent, or one has tried for 100 s to send them, in vain."
        )


def _nothing(runs: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Flows without one byte that arrived, though they had not completed before; runs with other reasons apart."""
    said: dict[tuple[int, str], list[str]] = {}
    for index, flow in enumerate(runs[0]["flows"]):
        mine = [run["flows"][index] for run in runs]
        silent = [entry for entry in mine if not entry["delivered_bytes"] and entry.get("completion_s") is None]
        for why, n in Counter(_why(entry) for entry in silent).items():
            said.setdefault((n, why), []).append(str(flow["id"]))
    for (n, why), flows in said.items():
        yield f"{_named('Flow', flows)} delivered nothing in the measured time{_in(n, len(runs))} ({why})."


def _expired(runs: Sequence[Mapping[str, Any]], scenario: Mapping[str, Any]) -> Iterator[str]:
    """Flows whose packets run out of hops: their path is too long, or routes lead in a circle."""
    limit = scenario["values"].get("routing.hop-limit", {}).get("value")
    for index, flow in enumerate(runs[0]["flows"]):
        mine = [run["flows"][index]["ledger"] for run in runs]
        lost = _mean(whole["dropped"].get("expired", 0) for whole in mine)
        if lost > OUT_OF_HOPS * _mean(whole["created"] for whole in mine):
            yield (
                f"Of flow {flow['id']} {lost:.3g} packets a run expired: they had gone {limit} hops "
                "(`routing.hop-limit`) without arriving, for the path is longer or routes led in a circle."
            )


def _left_out(runs: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Flows with no time to resume or to complete in some runs, and one in others: means leave them out."""
    for figure, told in LEFT_OUT.items():
        said: dict[int, list[str]] = {}
        for index, flow in enumerate(runs[0]["flows"]):
            mine = [run["flows"][index] for run in runs]
            # a file that has completed gets nothing more, whatever returns
            without = sum(entry.get(figure) is None and entry.get("completion_s") is None for entry in mine)
            if without and any(entry.get(figure) is not None for entry in mine):
                said.setdefault(without, []).append(str(flow["id"]))
        for n, flows in said.items():
            yield f"{_named('Flow', flows)} {told.format(_in(n, len(runs)))}"


def _why(flow: Mapping[str, Any]) -> str:
    """Why a flow delivered nothing, by the ledger of all its packets: those that open a connection and those that
    acknowledge are in it, which `sent_packets` leaves out."""
    whole = flow["ledger"]
    before = whole["delivered"] - flow["ledger_measured"]["delivered"]
    if not whole["created"]:
        return "no packet was sent: look at start, stop and route"
    if not whole["delivered"]:
        routeless = whole["dropped"].get("no-route") == whole["created"]
        return "there was no route for its packets" if routeless else "packets were sent, and none arrived"
    if not before:
        return "packets arrived, and none with new data"
    return "packets had arrived before it; in it " + (
        "none arrived with new data" if flow["sent_packets"] else "no data was sent"
    )


def _starved(runs: Sequence[Mapping[str, Any]], scenario: Mapping[str, Any]) -> Iterator[str]:
    """Flows that get next to nothing beside others of their kind, in the measured time or in a window of it."""
    measure = scenario["measure"]
    spans = [(None, measure), *((w["name"], w) for w in scenario["windows"])]
    told: set[str] = set()
    for window, span in spans:
        active = {str(f["id"]) for f in scenario["flows"] if _throughout(f, span)}
        poor = [dict.fromkeys(_poor(run, active, window)) for run in runs]
        said: dict[int, dict[str, float]] = {}
        for flow, n in Counter(name for names in poor for name in names).most_common():
            if flow not in told:
                told.add(flow)
                # of the runs in which it starves: the others would hide it
                starving = [run for run, names in zip(runs, poor, strict=True) if flow in names]
                got = _mean([value(run, "goodput_bps", flow, window) for run in starving]) / 1e3
                said.setdefault(n, {})[flow] = got
        when = f" in the window {window}" if window else ""
        for n, flows in said.items():
            are, they, their = ("is", "it", "its") if len(flows) == 1 else ("are", "they", "their")
            yield (
                f"{_named('Flow', [*flows])} {are} starved{when}{_in(n, len(runs))}: {they} got "
                f"{_range(flows.values())} kbit/s, less than {100 * STARVED:.0f} % of the mean of {their} kind."
            )


def _throughout(flow: Mapping[str, Any], span: Mapping[str, Any]) -> bool:
    """Whether a flow may send all through a span of time."""
    return bool(flow["start_s"] <= span["from_s"] and flow["stop_s"] >= span["to_s"])


def _poor(run: Mapping[str, Any], active: set[str], window: str | None) -> Iterator[str]:
    for flows in kinds(run):
        got = {str(f["id"]): value(run, "goodput_bps", str(f["id"]), window) for f in flows if str(f["id"]) in active}
        content = {
            str(f["id"]) for f in flows if f["transport"] == "udp" and float(f["delivery_ratio"] or 0) >= CONTENT
        }
        for flow, rate in got.items():
            if len(got) > 1 and flow not in content and rate < STARVED * sum(got.values()) / len(got):
                yield flow


def _timeouts(runs: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Flows that find most of their losses by a timeout."""
    found: dict[str, tuple[float, float]] = {}
    for index, flow in enumerate(runs[0]["flows"]):
        if flow["transport"] != "tcp":
            continue
        timeouts = _mean(run["flows"][index]["timeouts"] for run in runs)
        fast = _mean(run["flows"][index]["fast_retransmits"] for run in runs)
        if timeouts >= OFTEN and timeouts > fast:
            found[str(flow["id"])] = (timeouts, fast)
    if found:
        find, their = ("finds", "its") if len(found) == 1 else ("find", "their")
        timeouts_, fast_ = (_range(figures) for figures in zip(*found.values(), strict=True))
        yield (
            f"{_named('Flow', [*found])} {find} {their} losses by timeout more often than by duplicate ACKs "
            f"({timeouts_} against {fast_} a run)."
        )


def _queues(runs: Sequence[Mapping[str, Any]], scenario: Mapping[str, Any]) -> Iterator[str]:
    """Interface queues, or links that queue themselves, that hold nearly as many packets as they may."""
    values = scenario["values"]
    slotted = is_slotted(values)
    key = "frn.limit" if slotted else "queue.limit"
    limit = values.get(key, {}).get("value")
    if not isinstance(limit, int) or limit < 1:
        return
    full: dict[str, float] = {}
    room = 0
    for index, node in enumerate(runs[0]["nodes"]):
        name, most = str(node["name"]), _room(node, values, limit)
        if (length := _mean(run["nodes"][index]["queue_mean"] for run in runs)) >= FULL * most:
            full[name] = length
            room = max(room, most)
    if full:
        longest = max(full.values())
        were = "queue of {} is" if len(full) == 1 else "queues of {} are"
        where = ("" if slotted else "interface ") + were.format(_named("node", list(full)))
        yield f"The {where} always full (up to {longest:.3g} of {room} packets on average)."


def _room(node: Mapping[str, Any], values: Mapping[str, Any], limit: int) -> int:
    """Packets that the queues of a node hold: those of its wires, and that of its radio if it has sent anything."""
    ends = itertools.takewhile(lambda n: f"wire.{n}.rate" in values, itertools.count())
    own = [n for n in ends if node["name"] in (values[f"wire.{n}.from"]["value"], values[f"wire.{n}.to"]["value"])]
    wires = [int(values.get(f"wire.{n}.queue", {"value": limit})["value"]) for n in own]
    return sum(wires) + (limit if not wires or any(node["frames"].values()) else 0)


def _named(what: str, names: Sequence[str]) -> str:
    shown = [*names[:MOST_NAMES], *([f"{len(names) - MOST_NAMES} more"] if len(names) > MOST_NAMES else [])]
    return f"{what}{'' if len(names) == 1 else 's'} {listing(shown)}"


def _range(values: Iterable[float]) -> str:
    """`3.4`, or `1.2 to 3.4` where the figures differ."""
    known = [*values]
    low, high = f"{min(known):.3g}", f"{max(known):.3g}"
    return low if low == high else f"{low} to {high}"


def _in(n: int, of: int) -> str:
    return "" if n == of else f" in {n} of {plural(of, 'run')}"


def _mean(values: Sequence[float | None] | Iterator[float | None]) -> float:
    known = [float(x) for x in values if x is not None and not math.isnan(x)]
    return sum(known) / len(known) if known else 0.0


def thinned(records: Sequence[Record], *names: str) -> list[str]:
    """The series (of these, or of all if none is named) that were kept only in part, one sentence each."""
    said: dict[str, int] = {}
    for record in records:
        for name, how in record.data.get("thinned", {}).items():
            if not names or name in names:
                said[name] = max(said.get(name, 0), int(how["every"]))
    return [
        f"The series `{name}` has only one row in {every} (`measure.rows` keeps more). "
        "Counts and figures are of all rows."
        for name, every in said.items()
    ]
