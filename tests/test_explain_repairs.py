"""What `explain` says of retransmissions that were needless, of probes, of reductions that were taken back, of pace."""

from __future__ import annotations

from typing import Any

import pytest

import multihop
from conftest import Cli
from multihop.analysis import phases, repairs
from multihop.analysis.stories import Story, explain, words

TAIL = {"kind": "packet-loss", "from": "0", "to": "1", "packets": 1}
RACK = {"loss": "sack", "judge": "rack", "tail-probe": {"on": True}}
UNDO = {**RACK, "dsack": True, "undo": True, "frto": True}


def wired(
    tcp: dict[str, Any],
    flow: dict[str, Any] | None = None,
    event: list[Any] | None = None,
    sample: str = "1 s",
    **wire: Any,
) -> Story:
    """One transfer over a wire of 10 Mb/s with a round trip of 40 ms."""
    late = {key.replace("_", "-"): value for key, value in wire.items()}
    network = {
        "profile": "rfc",
        "run": {"duration": "20 s"},
        "measure": {"sample": sample},
        "topology": {"kind": "chain", "hops": 1, "spacing": "10 km"},
        "wire": [{"from": "0", "to": "1", "rate": "10 Mbps", "delay": "20 ms", "queue": 1000, **late}],
        "tcp": {"max-window": 60, "ack-every": 1, "handshake": "none", **tcp},
        "flow": [{"kind": "bulk", "from": "0", "to": "1", **(flow or {})}],
        "event": event or [],
    }
    (story,) = explain(multihop.load(network).run(runs=1))
    return story


def said(story: Story) -> str:
    return " ".join(words(story))


def test_what_was_lost_was_needed() -> None:
    story = wired({"loss": "sack"}, event=[{**TAIL, "at": "5 s"}])
    assert story.counts["retransmissions"] == 1
    assert story.counts["needless_retransmissions"] == 0
    assert "TCP saw one loss, by SACK, and treated it as congestion. It sent 1 segment again." in said(story)
    assert "This was needed: no earlier copy arrived." in said(story)


def test_bbr_takes_no_loss_for_congestion() -> None:
    text = said(wired({**RACK, "window": "bbr"}, event=[{**TAIL, "at": "5 s"}]))
    assert "TCP saw one loss, by RACK. BBR does not take a loss for congestion. It sent 1 segment again." in text
    assert text.endswith(" Wire loss destroyed the frame.")
    text = said(wired({**RACK, "window": "bbr"}, event=[{**TAIL, "at": at} for at in ("5 s", "10 s")]))
    assert "TCP saw 2 losses, all by RACK. BBR does not take a loss for congestion." in text
    assert "In 2 cases (100 %) wire loss" in text
    assert "treated" not in text


@pytest.mark.parametrize("tcp", [{"loss": "dup-acks"}, {"loss": "sack"}, RACK])
def test_segments_that_were_only_late_need_not_be_sent_again(tcp: dict[str, Any]) -> None:
    """Nothing is ever lost: each retransmission is needless."""
    story = wired({**tcp, "max-window": 20}, late=0.01, late_by="60 ms")
    assert sum(story.measured["dropped"].values()) == 0
    counts = story.counts
    # a copy may be on its way at the end
    assert 0 < counts["retransmissions"] - 1 <= counts["needless_retransmissions"] <= counts["retransmissions"]
    assert f"Of them {counts['needless_retransmissions']} (" in said(story)


def test_what_is_sent_again_in_vain_is_told_from_what_is_not() -> None:
    """Go back N after a loss by a timeout sends again what the receiver holds; DSACK says the same number."""
    story = wired({"loss": "sack", "min-rto": "200 ms"}, event=[{**TAIL, "at": "5 s", "packets": 30}])
    counts = story.counts
    assert sum(story.measured["dropped"].values()) == 30
    assert counts["needless_retransmissions"] == counts["retransmissions"] - 30
    # the receiver has dropped as many as it had
    assert story.measured["absorbed"].get("second-arrival", 0) == counts["needless_retransmissions"]


def test_undo_is_told() -> None:
    story = wired(UNDO, late=0.01, late_by="30 ms")
    assert story.counts["undone_reductions"] > 0
    assert f"It took back {story.counts['undone_reductions']} reduction" in said(story)
    assert "by RACK" in said(story)
    without = wired(RACK, late=0.01, late_by="30 ms")
    assert without.counts["undone_reductions"] == 0
    assert "took back" not in said(without)


def test_probes_and_what_they_found_are_told() -> None:
    """Three segments. If the last is lost, a probe repeats it; if the last two are, it shows the hole."""
    found = {}
    for lost in (0, 1, 2):
        file = {"kind": "file", "size": "4380 B", "start": "5 s"}
        at = {1: "5.0232 s", 2: "5.0220 s"}.get(lost)
        story = wired(RACK, file, [{**TAIL, "at": at, "packets": lost}] if at else [])
        assert sum(story.measured["dropped"].values()) == lost
        found[lost] = [story.counts[name] for name in ("tail_probes", "tail_repairs", "tail_finds")]
        assert ("It sent 1 tail loss probe." in said(story)) == (lost > 0)
        assert story.counts["needless_retransmissions"] == 0
    assert found[0] == [0, 0, 0]
    # without later data TCP cannot tell a repair from an ACK that was late
    assert found[1] == [1, 0, 0]
    assert found[2] == [1, 0, 1]
    counts = {"retransmissions": 2, "tail_probes": 3, "tail_repairs": 1, "tail_finds": 2}
    told = repairs.words(counts, 0, 0, None)
    assert told == "It sent 3 tail loss probes. One repaired a loss. After 2 of them SACK told of a loss."
    assert repairs.words({**counts, "tail_repairs": 0, "tail_finds": 0}, 0, 0, None) == (
        "It sent 3 tail loss probes. TCP knows of no loss that they found."
    )


def test_spurious_timeouts_are_told() -> None:
    """The link is gone for half a second, but what it holds arrives: the timer fired for nothing."""
    event = [
        {"at": "5 s", "kind": "rate", "from": "0", "to": "1", "rate": "20 kbps"},
        {"at": "6 s", "kind": "rate", "from": "0", "to": "1", "rate": "10 Mbps"},
    ]
    story = wired({"loss": "sack", "min-rto": "200 ms"}, event=event)
    timeouts = sum(loss.n for loss in story.losses if loss.believed == "timeout")
    assert timeouts > 0
    assert "spurious: the segment or its ACK was only late." in said(story)
    assert repairs.words({"retransmissions": 0}, 2, 5, None).startswith("Of 5 timeouts 2 were spurious")


def test_pace_is_told() -> None:
    story = wired({"pace": {"rule": "window"}, "max-window": 10})
    # ten segments of 1460 bytes in 40 ms, times 1.2
    assert story.pace_bps is not None
    assert "Pacing let its segments leave at" in said(story)
    segment = 8 * story.flow["delivered_bytes"] / (story.counts["sent_packets"] - story.counts["retransmissions"])
    assert story.pace_bps == pytest.approx(1.2 * 10 * segment / 0.0415, rel=0.1)
    assert wired({}).pace_bps is None


@pytest.mark.parametrize(("window", "usual"), [("bbr", "PROBE_BW"), ("bbr-draft", "CRUISE")])
def test_phases_of_bbr_are_told(window: str, usual: str) -> None:
    story = wired({"loss": "sack", "window": window}, sample="50 ms")
    assert sum(story.phases.values()) == pytest.approx(1)
    assert max(story.phases, key=lambda name: story.phases[name]) == usual
    assert f"BBR spent {100 * story.phases[usual]:.0f} % of the time in {usual}" in said(story)
    assert "PROBE_RTT" in said(story)
    assert story.json()["phases"] == story.phases


def test_other_rules_have_no_phases() -> None:
    story = wired({"loss": "sack", "window": "cubic"})
    assert story.phases == {}
    assert "BBR" not in said(story)


def test_a_rule_that_never_knows_the_path_is_told() -> None:
    assert phases.words({"STARTUP": 0.5, "DRAIN": 0.1, "CRUISE": 0.398, "UP": 0.002}) == (
        "BBR spent 50 % of the time in STARTUP, 40 % in CRUISE, 10 % in DRAIN and below 1 % in UP. "
        "It takes long to find the rate of the path, or finds it anew after timeouts."
    )
    assert phases.words({"STARTUP": 0.1, "CRUISE": 0.9}) == "BBR spent 90 % of the time in CRUISE and 10 % in STARTUP."


def test_nothing_is_said_of_what_a_record_of_an_earlier_version_has_not() -> None:
    assert repairs.words({"retransmissions": 7}, 0, 0, None) == ""


def test_the_figures_are_in_the_documents(cli: Cli, tiny: str) -> None:
    done = cli("run", tiny, "--runs", "1", "--json")
    assert done.code == 0
    for name in repairs.FIGURES:
        assert f'"{name}"' in done.out
