"""Where a flow's packets went: its ledger by cause, node and time, and what TCP believed against what had happened.

TCP takes every loss for congestion. Over wireless hops most are something else, and the ledger knows: each drop has
a cause and a place, each loss event of TCP is judged by the fate of the latest copy of the segment.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from multihop.analysis import causes, phases, repairs
from multihop.analysis.deaths import Death, deaths_of
from multihop.analysis.handshake_losses import opening
from multihop.analysis.interference import interference, killers
from multihop.analysis.mpdus import mpdus
from multihop.errors import InputError, RecordError
from multihop.scenario.link import is_slotted
from multihop.scenario.places import flow_called
from multihop.scenario.quantity import value_for
from multihop.scenario.scenario import nearest
from multihop.text import kilobits, plural, span

if TYPE_CHECKING:
    from multihop.record.record import Record, Records

MOST_PLACES = 3
"""For so many nodes the killers of their packets are named."""
CONGESTION, CONTENTION, ROUTING = "congestion", "contention", "routing"
"""Classes of causes that are explained further."""
CUT_OFF = "path broken"
"""A loss whose segment had arrived, and whose ACK had no way back."""
DUPLICATED = (
    "a MAC acknowledgement was lost, or an agent kept a copy",
    "an echo was lost, or an agent kept a copy",
)
"""How a second copy comes about: over 802.11, and over a slotted link."""
UNNAMED = (
    "no station can be named: mostly the receiver kept silent because its medium was reserved",
    "no station can be named: mostly the receiver had the packet and did not send it on in the slot of the echo",
)
"""Why no station is known that disturbed a packet lost in contention: over 802.11, and over a slotted link."""
BINS = 24
"""Parts of the measured time that drops are counted in."""


@dataclass(frozen=True, slots=True)
class Loss:
    """TCP loss events of one kind: how TCP noticed, and what had happened."""

    believed: str
    truth: str
    n: int

    @property
    def kind(self) -> str:
        """One of `multihop.analysis.causes.KINDS`."""
        return causes.kind_of(self.truth)


@dataclass(frozen=True, slots=True)
class Story:
    """One flow's packets over the runs explained."""

    flow: dict[str, Any]
    runs: int
    goodput_bps: float
    span_s: tuple[float, float]
    """The measured time [s]; all that is told is of it."""
    ledger: dict[str, Any]
    """Sums over the runs, warm-up included: created, copied, delivered, absorbed{by}, dropped{cause}, in_network."""
    measured: dict[str, Any]
    """The same for the measured time, and in_network_before: packets inside when it began."""
    deaths: tuple[Death, ...]
    losses: tuple[Loss, ...]
    counts: dict[str, int]
    """Sums over the runs of sent_packets, retransmissions, timeouts, fast_retransmits; for TCP of `repairs.FIGURES`."""
    slotted: bool = False
    """Whether a slotted link carried them."""
    shim: str = ""
    """What stands between TCP and IP, if anything does: it may send segments again too."""
    detector: str = "duplicate ACKs"
    """How TCP notices a loss without a timeout."""
    pace_bps: float | None = None
    """Mean rate at which segments left, if TCP was paced [bit/s]."""
    phases: dict[str, float] = field(default_factory=dict)
    """The share of each phase of BBR in the measured time; empty for other window rules."""
    heeds_losses: bool = True
    """Whether its window rule takes a loss for congestion: BBR v1 does not."""
    opening: int = 0
    """Packets among those dropped that open the connection, where nothing was noticed to be lost."""

    @property
    def id(self) -> str:
        """The flow's id."""
        return str(self.flow["id"])

    @property
    def dropped(self) -> int:
        """All packets that were dropped in the measured time."""
        return sum(self.measured["dropped"].values())

    def noticed(self, believed: str) -> str:
        """How TCP noticed a loss of this kind: `timeout`, or how it notices one without."""
        return self.detector if believed == "dup-acks" else believed

    def __str__(self) -> str:
        return "\n".join(words(self))

    def json(self) -> dict[str, Any]:
        """As in `flows[]` of the public document."""
        return {
            **{key: self.flow[key] for key in ("id", "from", "to", "kind", "transport")},
            "goodput_bps": self.goodput_bps,
            "ledger": self.ledger,
            "ledger_measured": self.measured,
            "deaths": [death.json() for death in self.deaths],
            "losses": [{"believed": x.believed, "truth": x.truth, "kind": x.kind, "n": x.n} for x in self.losses],
            "counts": self.counts,
            "phases": self.phases,
            "words": words(self),
        }


def explain(records: Records, flow: str | None = None, run: int | None = None) -> list[Story]:
    """The story of one flow or of all, over all runs or one; raises InputError for what is not there."""
    chosen = [record for record in records if run in (None, record.run)]
    if not len(records):
        raise RecordError("no run has finished: there is nothing to explain")
    if not chosen:
        raise InputError(f"there is no run {run}; there are: {', '.join(str(r.run) for r in records)}")
    ids = [str(f["id"]) for f in chosen[0].data["flows"]]
    name = flow if flow is None else flow_called(flow, ids)
    if flow is not None and name is None:
        raise InputError(f"there is no flow `{flow}`{nearest(flow, ids)}; there are: {', '.join(ids)}")
    return [_story(chosen, known) for known in ids if name in (None, known)]


def document(records: Records, stories: Sequence[Story], run: int | None = None) -> dict[str, Any]:
    """What `multihop explain --json` says of one set of runs."""
    return {
        "record": records.id,
        "name": records.name,
        "techniques": records.techniques,
        "runs": [r.run for r in records if run in (None, r.run)],
        "bins": BINS,
        "measure": records.scenario["measure"],
        "flows": [story.json() for story in stories],
        "interference": [row.json() for row in interference(records, run)],
        "mpdus": [row.json() for row in mpdus(records, run)],
    }


def _story(records: Sequence[Record], flow: str) -> Story:
    entries = [next(f for f in r.data["flows"] if f["id"] == flow) for r in records]
    losses: Counter[tuple[str, str]] = Counter()
    for entry in entries:
        for loss in entry.get("losses", ()):
            losses[loss["believed"], loss["truth"]] += loss["n"]
    measure = records[0].scenario["measure"]
    shim = value_for(records[0].scenario, flow, "shim.kind")
    numbers = ("sent_packets", "retransmissions", "timeouts", "fast_retransmits")
    further = [name for name in repairs.FIGURES if all(entry.get(name) is not None for entry in entries)]
    is_tcp = entries[0]["transport"] == "tcp"
    return Story(
        flow=entries[0],
        runs=len(entries),
        goodput_bps=sum(float(entry["goodput_bps"]) for entry in entries) / len(entries),
        span_s=(float(measure["from_s"]), float(measure["to_s"])),
        ledger=_sum([entry["ledger"] for entry in entries]),
        measured=_sum([entry["ledger_measured"] for entry in entries]),
        deaths=tuple(deaths_of(records, flow)),
        losses=tuple(Loss(*key, n) for key, n in losses.most_common()),
        counts={name: sum(int(entry.get(name) or 0) for entry in entries) for name in (*numbers, *further)},
        shim="" if shim in (None, "none") else f"`{shim}`",
        slotted=is_slotted(records[0].scenario["values"]),
        detector=repairs.detector(records[0], flow),
        pace_bps=repairs.pace(records, flow) if is_tcp else None,
        phases=phases.shares(records, flow) if is_tcp else {},
        heeds_losses=value_for(records[0].scenario, flow, "tcp.window") != "bbr",
        opening=opening(records, flow) if is_tcp and not losses else 0,
    )


def _sum(ledgers: Sequence[dict[str, Any]]) -> dict[str, Any]:
    total: dict[str, Any] = {}
    for ledger in ledgers:
        for key, entry in ledger.items():
            if isinstance(entry, dict):
                parts = total.setdefault(key, {})
                for part, n in entry.items():
                    parts[part] = parts.get(part, 0) + n
            else:
                total[key] = total.get(key, 0) + entry
    return total


def words(story: Story) -> list[str]:
    """The story in sentences."""
    noticed = " ".join(filter(None, (_noticed(story), _repaired(story))))
    return [line for line in (_fate(story), _drops(story), _killers(story), noticed, _believed(story)) if line]


CARRIED = {"tcp": "data segments and acknowledgements", "atp": "packets and reports", "udp": "datagrams"}
"""What a transport sends."""


def _fate(story: Story) -> str:
    ledger, flow = story.measured, story.flow
    over = f" over {story.runs} runs" if story.runs > 1 else ""
    # More than can have been lost: copies whose sender did not hear that they had arrived.
    more = story.dropped - (ledger["created"] + ledger["in_network_before"] - ledger["delivered"])
    parts = [
        f"sent {ledger['created']}",
        _some("under way before", ledger["in_network_before"]),
        _some("duplicated on the way", ledger["copied"], _link(DUPLICATED, story)),
        f"arrived {ledger['delivered']}",
        _some("discarded as duplicates", sum(ledger["absorbed"].values())),
        f"dropped {story.dropped}{f' ({more} or more of them after a copy had arrived)' if more > 0 else ''}",
        _some("under way at the end", ledger["in_network"]),
    ]
    return (
        f"From {span(*story.span_s, ' to ')}, flow {story.id} ({flow['from']} to {flow['to']}, "
        f"{flow['transport'].upper()}) got {kilobits(story.goodput_bps)} kbit/s{_while(story)}. "
        f"Packets{over} ({CARRIED[flow['transport']]}): {'; '.join(filter(None, parts))}."
    )


def _some(what: str, n: int, why: str = "") -> str:
    """`arrived 7`, with the reason; empty if there is none."""
    return f"{what} {n}{f' ({why})' if why else ''}" if n > 0 else ""


def _link(words: tuple[str, str], story: Story) -> str:
    """What holds over the link of this flow."""
    return words[story.slotted]


def _while(story: Story) -> str:
    """Over which part of the measured time, if not all of it."""
    begin, end = story.span_s
    own = story.flow.get("active_s")
    return "" if own is None or own > 0.999 * (end - begin) else f" over the {own:.4g} s in which it ran"


def _drops(story: Story) -> str:
    by_cause = Counter[str]()
    for death in story.deaths:
        by_cause[death.cause] += death.n
    ranked = [(cause, n) for cause, n in by_cause.most_common() if n]
    if not ranked:
        return "None of its packets was lost."
    total = plural(story.dropped, "packet")
    said = [f"{total} {'was' if story.dropped == 1 else 'were'} dropped."]
    for cause, n in ranked[:3]:
        places = [d for d in story.deaths if d.cause == cause]
        lost = "It was" if n == 1 else "All were" if len(places) == 1 else ""
        where = f"{lost} lost at node {places[0].node}" if lost else f"Node {places[0].node} lost most"
        share = f"Cause of {n} ({100 * n / story.dropped:.0f} %): {cause}" if len(ranked) > 1 else f"Cause: {cause}"
        meaning, most = causes.meaning(cause, story.slotted), carried(story, places[0].kind, places[0].n)
        said.append(" ".join(filter(None, (f"{share}.", meaning, f"{where}: {most}."))))
    if len(ranked) > 3:
        said.append(f"The rest had {plural(len(ranked) - 3, 'rarer cause')}.")
    return " ".join(said)


def carried(story: Story, kind: str, n: int) -> str:
    """So many packets of a kind, and where they go: `77 data segments to 7`."""
    ends = story.flow["from"], story.flow["to"]
    if kind == "tcp-ack":
        return f"{plural(n, 'ACK')} to {ends[0]}"
    known = {"tcp-data": "data segment", "udp": "datagram"}.get(kind)
    return f"{plural(n, known)} to {ends[1]}" if known else f"{n} of kind {kind}"


def _killers(story: Story) -> str:
    """The stations that sent when the link gave up: how many were hidden, and the worst where most was lost."""
    died = [d for d in story.deaths if causes.kind_of(d.cause) == CONTENTION]
    total = sum(d.n for d in died)
    found = killers(d.killers for d in died)
    if not found:
        return ""
    hidden = sum(killer.n for killer in found if killer.hidden)
    sensed = sum(killer.n for killer in found) - hidden
    fates = [
        (hidden, "a hidden station was sending"),
        (sensed, "a station that the sender can sense was sending"),
        (total - hidden - sensed, _link(UNNAMED, story)),
    ]
    said = [f"Contention killed {plural(total, 'packet')}."]
    said += [f"For {n} ({100 * n / total:.0f} %) {what}." for n, what in fates if n]
    places = Counter[str]()
    for death in died:
        places[death.node] += death.n
    for node, n in places.most_common(MOST_PLACES):
        worst = killers(d.killers for d in died if d.node == node)
        if worst:
            share = "All of them" if n == total else f"{100 * n / total:.0f} % of them"
            cases = "all these cases" if worst[0].n == n else f"{100 * worst[0].n / n:.0f} % of these cases"
            can = "cannot" if worst[0].hidden else "can"
            said.append(
                f"{share} were lost at node {node}: in {cases} node {worst[0].by} was sending, which it {can} sense."
            )
    return " ".join(said)


def _noticed(story: Story) -> str:
    total = sum(x.n for x in story.losses)
    if story.flow["transport"] != "tcp":
        return ""
    before = story.measured["in_network_before"]  # data that were sent before the measured time
    if not total and not story.counts["sent_packets"] and story.dropped and not before:
        return "TCP sent no data: what was lost were packets that open its connection."
    if not total and story.opening:
        lost = plural(story.opening, "packet")
        were = f"{lost} that open{'s' if story.opening == 1 else ''} its connection {_was(story.opening)} lost"
        return f"TCP saw no loss of data. {were}; TCP then waits for seconds."
    again = plural(story.counts["retransmissions"], "segment")
    if not total:
        more = f" {story.shim or 'It'} sent {again} again." if story.counts["retransmissions"] else ""
        return f"TCP saw no loss.{more}"
    by = Counter[str]()
    for x in story.losses:
        by[x.believed] += x.n
    counted = {b: "all" if n == total else str(n) for b, n in by.most_common()}
    how = " and ".join(f"{n} by {'a timeout' if b == 'timeout' else story.noticed(b)}" for b, n in counted.items())
    saw, treated = ("one loss", "it") if total == 1 else (f"{total} losses", "each")
    who = f"It and {story.shim}" if story.shim else "It"
    how = how.removeprefix("all ") if total == 1 else how
    if not story.heeds_losses:
        return f"TCP saw {saw}, {how}. BBR does not take a loss for congestion. {who} sent {again} again."
    return f"TCP saw {saw}, {how}, and treated {treated} as congestion. {who} sent {again} again."


def _repaired(story: Story) -> str:
    """What TCP sent again in vain, found by probes, took back; its pace, and its phases."""
    if story.flow["transport"] != "tcp":
        return ""
    timeouts = [x for x in story.losses if x.believed == "timeout"]
    spurious = sum(x.n for x in timeouts if x.kind in repairs.ONLY_LATE)
    repaired = repairs.words(story.counts, spurious, sum(x.n for x in timeouts), story.pace_bps)
    return " ".join(filter(None, (repaired, phases.words(story.phases))))


def _believed(story: Story) -> str:
    total = sum(x.n for x in story.losses)
    if not total:
        return ""
    kinds = Counter[str]()
    for x in story.losses:
        kinds[CUT_OFF if _cut_off(x) else x.kind] += x.n
    if not story.heeds_losses:
        listed = _meant(next(iter(kinds)), story) if total == 1 else _listed(kinds, total, story)
        return f"{listed[0].upper()}{listed[1:]}."
    right, overflowed = kinds.pop(CONGESTION, 0), causes.was(CONGESTION, story.slotted)
    if not kinds:
        return f"It was right{'' if total == 1 else ' each time'}: {overflowed}."
    if total == 1:
        return f"It was wrong: {_meant(next(iter(kinds)), story)}."
    wrong = "It was always wrong"
    if right:
        wrong = f"It was right in {plural(right, 'case')} ({100 * right / total:.0f} %): {overflowed}. "
        wrong += "In the others it was wrong"
    return f"{wrong}: {_listed(kinds, total, story)}."


def _listed(kinds: Counter[str], total: int, story: Story) -> str:
    """`in 3 cases (75 %) a queue overflowed; in …`, the most frequent first."""
    parts = [
        f"in {plural(n, 'case')} ({100 * n / total:.0f} %) {_meant(kind, story)}" for kind, n in kinds.most_common()
    ]
    return "; ".join(parts)


def _meant(kind: str, story: Story) -> str:
    """What a loss of this kind was."""
    if kind == CUT_OFF:
        return "the segment had arrived, but the path broke before its ACK was back"
    return causes.was(kind, story.slotted)


def _cut_off(loss: Loss) -> bool:
    """Whether the segment had arrived, and its acknowledgement had no way back."""
    cause = causes.dropped_ack(loss.truth)
    return cause is not None and causes.kind_of(cause) == ROUTING


def _was(n: int) -> str:
    return "was" if n == 1 else "were"
