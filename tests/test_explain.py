"""Explain: the ledger in words, and what TCP believed against what had happened."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

import multihop
from conftest import Cli
from multihop.analysis.causes import kind_of
from multihop.analysis.deaths import Death
from multihop.analysis.interference import Killer, Spoilt, interference, killers
from multihop.analysis.interference import words as spoilt_words
from multihop.analysis.mpdus import by_category, mpdus
from multihop.analysis.mpdus import words as mpdu_words
from multihop.analysis.stories import Loss, Story, explain, words
from multihop.errors import InputError

LOSSY = {"air.bit-error-rate": "5e-5"}
FLOW = {"id": "1", "from": "0", "to": "3", "kind": "bulk", "transport": "tcp"}


def story(losses: tuple[Loss, ...] = (), dropped: dict[str, int] | None = None) -> Story:
    ledger = {
        "created": 100,
        "copied": 2,
        "delivered": 90,
        "absorbed": {"mac-duplicate": 2},
        "dropped": dropped or {},
        "in_network": 10 - sum((dropped or {}).values()),
    }
    counts = {"sent_packets": 50, "retransmissions": 4, "timeouts": 1, "fast_retransmits": 2}
    measured = {"in_network_before": 0, **ledger}
    deaths = tuple(Death(cause, "1", "tcp-data", n, 2.0, 3.0, (n,) + (0,) * 23) for cause, n in (dropped or {}).items())
    return Story(FLOW, 1, 5e5, (1.0, 4.0), ledger, measured, deaths, losses, counts)


def test_the_story_adds_up(tiny: str) -> None:
    records = multihop.load(tiny).run(runs=3, set=LOSSY)
    for found in explain(records):
        ledger = found.ledger
        measured = found.measured
        came = measured["in_network_before"] + measured["created"] + measured["copied"]
        gone = measured["delivered"] + sum(measured["absorbed"].values()) + measured["in_network"]
        assert came == gone + found.dropped
        gone = ledger["delivered"] + sum(ledger["absorbed"].values()) + ledger["in_network"]
        assert ledger["created"] + ledger["copied"] == gone + sum(ledger["dropped"].values())
        assert sum(d.n for d in found.deaths) == found.dropped
        assert all(1.0 <= d.first_s <= d.last_s <= 4.0 for d in found.deaths)
        assert all(d.first_s <= d.last_s for d in found.deaths)


def test_one_flow_of_one_run(tiny: str) -> None:
    records = multihop.load(tiny).run(runs=2)
    [only] = explain(records, flow="2", run=1)
    assert (only.id, only.runs) == ("2", 1)
    with pytest.raises(InputError, match="there is no flow `3`"):
        explain(records, flow="3")
    with pytest.raises(InputError, match="there is no run 5"):
        explain(records, run=5)


@pytest.mark.parametrize(
    ("truth", "kind"),
    [
        ("queue full", "congestion"),
        ("early drop", "congestion"),
        ("link broken", "routing"),
        ("address unresolved", "routing"),
        ("contention (rts)", "contention"),
        ("bit errors", "bit errors"),
        ("fading", "fading"),
        ("jamming", "jamming"),
        ("link loss", "link loss"),
        ("neighbour dozing", "power saving"),
        ("node down", "routing"),
        ("proxy overflow", "congestion"),
        ("lifetime over", "lifetime"),
        ("a cause of a later version", "other"),
        ("no route", "routing"),
        ("ack lost: contention (rts)", "lost acknowledgement"),
        ("delayed", "no loss"),
        ("repair delivered", "late repair"),
        ("repair delayed", "late repair"),
    ],
)
def test_what_a_truth_is(truth: str, kind: str) -> None:
    assert kind_of(truth) == kind


def test_a_slotted_link_that_gives_up_is_no_lost_route() -> None:
    records = multihop.load("frn-chain").run(runs=1, set={"run.duration": "60 s"})
    (found,) = explain(records)
    assert {death.cause for death in found.deaths} == {"lifetime over"}
    assert {loss.kind for loss in found.losses} <= {"lifetime", "lost acknowledgement", "no loss"}
    told = " ".join(words(found))
    assert "lifetime on the slotted link was over" in told
    assert "route" not in told


def test_over_a_slotted_link_packets_are_told_apart() -> None:
    """All nodes are there, and every attempt of a packet that is given up was destroyed, or its echo was."""
    records = multihop.load("frn-chain").run(
        runs=1, techniques="adaptive-retransmission", set={"run.duration": "100 s"}
    )
    (found,) = explain(records)
    assert {death.cause for death in found.deaths} == {"contention (data)"}
    assert sum(k.n for d in found.deaths for k in d.killers) == found.dropped > 100
    told = " ".join(words(found))
    assert "(an echo was lost, or an agent kept a copy)" in told
    assert "The slotted link gave up: after the last retransmission no echo had come" in told
    assert "frames or their echoes collided with others" in told
    for word in ("MAC", "reserved", "nobody", "RTS"):
        assert word not in told
    bare = replace(found, deaths=tuple(replace(death, killers=death.killers[:1]) for death in found.deaths))
    assert "no station can be named: mostly the receiver had the packet and did not send it on" in " ".join(words(bare))


def test_a_path_that_broke_is_told_plainly() -> None:
    losses = (Loss("timeout", "ack lost: neighbour absent", 12), Loss("timeout", "ack lost: contention (rts)", 4))
    assert words(story(losses))[-1] == (
        "It was always wrong: in 12 cases (75 %) the segment had arrived, but the path broke before its ACK was back; "
        "in 4 cases (25 %) the segment had arrived, and only its ACK was lost."
    )


def test_tcp_takes_contention_for_congestion() -> None:
    losses = (Loss("dup-acks", "contention (rts)", 3), Loss("timeout", "queue full", 1))
    text = " ".join(words(story(losses, {"retry-limit-rts": 4})))
    assert "4 packets were dropped. Cause: " in text
    assert "TCP saw 4 losses, 3 by duplicate ACKs and 1 by a timeout, and treated each as congestion." in text
    assert (
        "It was right in 1 case (25 %): a queue had no room, or its management dropped the packet early. "
        "In the others it was wrong: in 3 cases (75 %) it was contention: the MAC got no answer because neighbours "
        "were sending."
    ) in text


def test_one_is_not_many() -> None:
    found = story((Loss("timeout", "delayed", 1),), {"queue-full": 1})
    found.measured.update(created=1, copied=1, absorbed={"mac-duplicate": 1}, delivered=0, in_network=1)
    found.counts["retransmissions"] = 1
    text = " ".join(words(found))
    assert "sent 1; duplicated on the way 1 (a MAC acknowledgement was lost, or an agent kept a copy)" in text
    assert "; discarded as duplicates 1; dropped 1; under way at the end 1." in text
    assert "1 packet was dropped. Cause: " in text
    assert "It was lost at node 1: 1 data segment" in text
    assert "TCP saw one loss, by a timeout, and treated it as congestion. It sent 1 segment again." in text
    assert "It was wrong: nothing was lost, the segment or its ACK was only late." in text


def test_a_segment_whose_repair_is_late_was_lost() -> None:
    losses = (Loss("dup-acks", "queue full", 3), Loss("timeout", "repair delayed", 2), Loss("timeout", "delivered", 1))
    text = " ".join(words(story(losses, {"queue-full": 3})))
    assert "Of 3 timeouts 3 were spurious: the segment or its ACK was only late." in text
    assert (
        "In the others it was wrong: in 2 cases (33 %) the segment had been lost, and its repair or the ACK of that "
        "was only late; in 1 case (17 %) nothing was lost, the segment or its ACK was only late."
    ) in text


def test_over_a_wire_no_loss_of_a_full_queue_is_called_none(here: Path) -> None:
    """The buffer drops several segments of a window. k-SACK repairs the first and then believes in congestion; NewReno
    repairs one each round trip until the timer fires."""
    truths: dict[str, set[tuple[str, str]]] = {}
    for technique in ("k-sack", "cubic"):
        sets = {"run.duration": "20 s", "wire.0.queue": 5 if technique == "k-sack" else 100}
        [told] = explain(multihop.load("wire").run(runs=1, techniques=technique, set=sets))
        assert told.dropped > 0
        truths[technique] = {(loss.believed, loss.truth) for loss in told.losses}
        assert "nothing was lost" not in " ".join(words(told))
    assert truths["k-sack"] == {("dup-acks", "queue full")}
    assert truths["cubic"] == {("dup-acks", "queue full"), ("timeout", "repair delayed")}


def test_a_flow_without_losses() -> None:
    text = " ".join(words(story()))
    assert "None of its packets was lost." in text
    assert "TCP saw no loss." in text


def test_the_command_prints_tables_or_json(cli: Cli, tiny: str) -> None:
    records = multihop.load(tiny).run(runs=2, set=LOSSY)
    said = cli("explain", "--flow", "1")
    assert said.code == 0
    assert "From 1 to 4 s, flow 1 (0 to 3, TCP) got" in " ".join(said.out.split())
    document = json.loads(cli("explain", records.id[:10], "--json").out)
    assert document["schema"] == 1
    assert [flow["id"] for flow in document["flows"]] == ["1", "2"]
    assert document["flows"][0]["ledger"]["created"] > 0
    assert cli("explain", "--flow", "9").code == 2


def test_who_interfered_is_told_and_adds_up(cli: Cli, tiny: str) -> None:
    records = multihop.load(tiny).run(runs=2)
    found = interference(records)
    per_node = [node["attempt_failures"]["interference"] for run in records.runs for node in run["nodes"]]
    assert sum(x.n for x in found) == sum(per_node) > 0
    assert [x.n for x in found] == sorted((x.n for x in found), reverse=True)
    assert all(0 <= x.hidden <= x.n for x in found)
    said = cli("explain").out
    assert " ".join(spoilt_words(found).split()) in " ".join(said.split())
    assert f"{found[0].sender} → {found[0].receiver}" in said
    document = json.loads(cli("explain", "--json").out)
    assert document["interference"] == [x.json() for x in found]
    assert interference(records, run=2) != found


def test_what_interference_destroyed_in_words() -> None:
    rts, unknown = (
        [Spoilt("0", "1", "rts", "3", 6, 5), Spoilt("0", "1", "rts", "1", 3, 0)],
        Spoilt("0", "1", "data", None, 1, 0),
    )
    found = [*rts, unknown]
    assert spoilt_words(found) == (
        "Interference destroyed 10 frames at their receivers: 5 (50 %) overlapped with a frame of a station hidden "
        "from the sender; 1 (10 %) overlapped with a frame of a station that the sender could sense; "
        "3 (30 %) came while the receiver was sending; 1 (10 %) overlapped with a signal of unknown origin."
    )
    assert spoilt_words([]) == ""


def test_one_sentence_tells_of_one_span(tiny: str) -> None:
    """With a longer warm-up, all that is told shrinks together, and no loss is told of that no span holds."""
    whole = multihop.load(tiny).run(runs=2, set={**LOSSY, "measure.warm-up": "0 s", "measure.window": "[]"})
    late = multihop.load(tiny).run(runs=2, set={**LOSSY, "measure.warm-up": "3 s", "measure.window": "[]"})
    for long, short in zip(explain(whole), explain(late), strict=True):
        assert {k: v for k, v in long.measured.items() if k != "in_network_before"} == long.ledger == short.ledger
        assert short.measured["created"] < long.measured["created"]
        assert short.dropped < long.dropped
        assert sum(x.n for x in short.losses) < sum(x.n for x in long.losses)
        assert short.counts["retransmissions"] < long.counts["retransmissions"]
        assert words(short)[0].startswith("From 3 to 4 s, flow")
    assert late.summary()["dropped"] != whole.summary()["dropped"]


def test_every_drop_carries_who_killed_it() -> None:
    """In a chain where neighbours alone hear each other, a packet dies of the station two hops on."""
    records = multihop.load("ham7").run(runs=2, set={"run.duration": "60 s"})
    [found] = explain(records)
    contended = [d for d in found.deaths if d.cause.startswith("contention")]
    total = sum(d.n for d in contended)
    assert total > 20
    for death in found.deaths:
        assert sum(k.n for k in death.killers) <= death.n
        assert bool(death.killers) <= death.cause.startswith("contention")
    hidden = [(d, k) for d in contended for k in d.killers if k.hidden]
    assert sum(k.n for _, k in hidden) > 0.9 * total
    assert all(abs(ord(k.by) - ord(d.node)) == 2 for d, k in hidden)
    # one by one in the series, and summed in the tables
    rows = records.series("drops")
    assert int((rows["hidden"] == "yes").sum()) == sum(k.n for _, k in hidden)
    assert set(rows.loc[rows["hidden"] == "yes", "by"]) == {k.by for _, k in hidden}
    text = " ".join(words(found))
    assert f"Contention killed {total} packets. For " in text
    assert " % of these cases node " in text
    assert "which it cannot sense" in text


def test_killers_of_several_runs_are_one() -> None:
    found = killers([[Killer("6", True, 3), Killer("2", False, 4)], [Killer("6", True, 2)]])
    assert found == (Killer("6", True, 5), Killer("2", False, 4))
    assert killers([]) == ()
    dead = Death("contention (rts)", "3", "tcp-data", 12, 2.0, 3.0, (12,), found)
    assert dead.json()["killers"] == [{"by": "6", "hidden": True, "n": 5}, {"by": "2", "hidden": False, "n": 4}]


def test_where_nobody_was_in_the_way_nobody_is_named() -> None:
    ledger = story(dropped={"contention (rts)": 10})
    one = replace(ledger.deaths[0], killers=(Killer("6", True, 6), Killer("2", False, 1)))
    text = " ".join(words(replace(ledger, deaths=(one,))))
    assert (
        "Contention killed 10 packets. For 6 (60 %) a hidden station was sending. For 1 (10 %) a station that the "
        "sender can sense was sending. For 3 (30 %) no station can be named: mostly the receiver kept silent because "
        "its medium was reserved. "
        "All of them were lost at node 1: in 60 % of these cases node 6 was sending, which it cannot sense."
    ) in text


def test_what_was_lost_before_a_connection_opened_is_told_apart_from_data(here: Path) -> None:
    """A relay is away for the first two SYNs; data that begin without any are noticed to be lost."""
    scenario = {
        "run": {"duration": "20 s"},
        "topology": {"kind": "chain", "hops": 2, "spacing": "200 m"},
        "flow": [{"from": "0", "to": "2", "kind": "file", "size": "50 kB"}],
        "event": [{"kind": "node-down", "at": "0 s", "node": "1"}, {"kind": "node-up", "at": "8 s", "node": "1"}],
    }
    told = {}
    for handshake in ("syn", "ns2", "none"):
        records = multihop.load(scenario).run(runs=2, set={"tcp.handshake": handshake})
        told[handshake] = " ".join(words(explain(records)[0]))
    lost = "TCP saw no loss of data. 4 packets that open its connection were lost; TCP then waits for seconds."
    assert lost in told["syn"]
    assert lost in told["ns2"]
    assert "TCP saw 4 losses, all by a timeout" in told["none"]
    assert "connection" not in told["none"]


def test_data_that_are_lost_after_the_warm_up_open_no_connection(here: Path) -> None:
    """Both relays fail as the measured time begins, with segments on the way; the source waits until the end."""
    scenario = {
        "run": {"duration": "5.5 s"},
        "measure": {"warm-up": "5 s"},
        "topology": {"kind": "chain", "hops": 3, "spacing": "200 m"},
        "flow": [{"from": "0", "to": "3"}],
        "event": [{"kind": "node-down", "at": "5.01 s", "node": node} for node in ("1", "2")],
    }
    story = explain(multihop.load(scenario).run(runs=1))[0]
    assert story.dropped
    assert not story.counts["sent_packets"]
    assert "connection" not in " ".join(words(story))


def test_a_connection_that_never_opened_is_no_loss_that_went_unnoticed(here: Path) -> None:
    """Two nodes out of reach: the SYN is dropped, again and again."""
    scenario = {
        "run": {"duration": "20 s"},
        "topology": {"kind": "chain", "hops": 1, "spacing": "400 m"},
        "flow": [{"from": "0", "to": "1"}],
    }
    text = words(explain(multihop.load(scenario).run(runs=1))[0])
    assert "TCP sent no data: what was lost were packets that open its connection." in " ".join(text)
    assert "TCP saw" not in " ".join(text)


def test_what_a_shim_sends_again_is_not_put_down_to_tcp(here: Path) -> None:
    def told(technique: str) -> str:
        [story] = explain(multihop.load("partition").run(runs=1, techniques=technique))
        return " ".join(words(story))

    assert "`atcp` sent" in told("atcp")
    assert "It and `tcp-f` sent" in told("tcp-f")
    assert "It sent" in told("none")


def test_more_drops_than_can_have_been_lost_had_arrived(datagrams: str) -> None:
    """Of an attempt that is not repeated the frame or its MAC ACK may be lost; only the first loses the packet."""
    sets = {"mac.short-retry-limit": 1, "mac.long-retry-limit": 1, "air.packet-error-rate": 0.3}
    [story] = explain(multihop.load(datagrams).run(runs=1, set=sets))
    lost = story.measured["created"] - story.measured["delivered"]
    assert story.dropped > lost > 0
    assert f"{story.dropped - lost} or more of them after a copy had arrived)" in " ".join(words(story))


@pytest.fixture(scope="module")
def voip() -> multihop.Records:
    short = {"run.duration": "4 s", "measure.warm-up": "2 s"}
    return multihop.load("voip-over-mesh").run(runs=2, set=short)


def test_mpdus_are_told_by_link_and_category(voip: multihop.Records) -> None:
    links = mpdus(voip)
    assert {(x.sender, x.receiver) for x in links} == {
        (str(a), str(a + d)) for a in range(5) for d in (-1, 1) if 0 <= a + d < 5
    }
    for x in links:
        assert sum(x.lost_by.values()) == x.lost <= x.mpdus
        met = x.hidden(hidden=True) + x.hidden(hidden=False) + x.deaf
        assert met == x.lost_by.get("interference", 0), "each of them met a station that is known"
    voice, best = by_category(links)
    assert (voice.category, best.category) == ("voice", "best-effort")
    assert voice.mpdus == voice.frames
    assert best.mpdus > 2 * best.frames
    assert (voice.delay_mean_s or 0) < (best.delay_mean_s or 0) / 2
    told = mpdu_words(links)
    assert f"{best.held} MPDUs waited in reordering buffers" in told
    assert "Of voice, " in told
    assert "Of best effort, " in told
    assert sum(x.mpdus for x in mpdus(voip, run=1)) < sum(x.mpdus for x in links)


def test_tables_of_mpdus_agree(voip: multihop.Records) -> None:
    links, each = voip.table("links"), voip.table("mpdus")
    assert links["lost"].sum() == links[[c for c in map(str, links) if c.startswith("lost_")]].to_numpy().sum()
    measured = each[each["time_s"] > 2.0]
    assert len(measured) == links["lost"].sum(), "one row for each that died"
    assert set(each["cause"]) == {"interference"}
    assert set(each["category"]) == {"voice", "best-effort"}
    assert (each["place"] < each["of"]).all()
    assert (each[each["category"] == "voice"]["of"] == 1).all()
    assert voip.sql("select count(*) as n from series_mpdus").n[0] == len(each)


def test_explain_shows_mpdus_only_where_there_are_some(cli: Cli, tiny: str) -> None:
    cli("run", "voip-over-mesh", "-n", "1", "--set", "run.duration=3 s", "--set", "measure.warm-up=2 s")
    shown = cli("explain").out
    assert "MPDUs to their receivers" in shown
    assert "held back" in shown
    document = json.loads(cli("explain", "--json").out)
    assert {x["category"] for x in document["mpdus"]} == {"voice", "best-effort"}
    cli("run", tiny, "-n", "1")
    assert "MPDU" not in cli("explain").out
    assert json.loads(cli("explain", "--json").out)["mpdus"] == []
