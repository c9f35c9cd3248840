"""Advice where the answer is known: it names the cure, or none, and fresh seeds confirm it.

The expected cure follows from the literature, not from a run of ours. Each confirmation is a comparison of its own,
with a seed that neither the search nor its confirmation had.
"""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import pytest

import multihop
from multihop.advising.advice import Advice
from multihop.advising.score import Score, percent
from multihop.store.store import Store

RUNS = 160
"""Budget of each search."""
OTHER_SEED = 70_000
FRESH_RUNS = 10


def chain(hops: int, profile: str, duration_s: int, **sections: Any) -> dict[str, Any]:
    """A bulk transfer from end to end of a chain."""
    return {
        "profile": profile,
        "run": {"duration": f"{duration_s} s"},
        "measure": {"warm-up": "2 s"},
        "topology": {"kind": "chain", "hops": hops, "spacing": "200 m"},
        "routing": {"kind": "static"},
        "flow": [{"kind": "bulk", "from": "0", "to": str(hops)}],
        **sections,
    }


def hidden() -> dict[str, Any]:
    """Nodes three hops apart do not hear each other and collide at the node between."""
    return chain(8, "ns2", 30, mac={"rts-threshold": "0 B"}, tcp={"max-window": 32})


def lossy() -> dict[str, Any]:
    """Of all frames, long and short, 30 % are lost: half of the attempts fail, and two attempts are not enough."""
    attempts = {"short-retry-limit": 2, "long-retry-limit": 2}
    return chain(2, "rfc", 10, air={"packet-error-rate": 0.3}, mac=attempts)


def partition() -> dict[str, Any]:
    """The only relay walks out of reach for about half a minute, three times; the timeouts of TCP double meanwhile."""
    away = [(20, 0), (24, 900), (50, 900), (54, 0), (70, 0), (74, 900), (105, 900), (109, 0), (125, 0), (129, 900)]
    way = [{"at": f"{at} s", "x": "200 m", "y": f"{y} m"} for at, y in [*away, (160, 900), (164, 0)]]
    relay = {"name": "relay", "x": "200 m", "y": "0 m", "waypoint": way}
    nodes = [{"name": "here", "x": "0 m"}, {"name": "there", "x": "400 m"}, relay]
    scenario = chain(2, "rfc", 180, topology={"kind": "explicit", "node": nodes})
    return {**scenario, "flow": [{"kind": "bulk", "from": "here", "to": "there"}]}


def star() -> dict[str, Any]:
    """Two leaves that do not hear each other send to the middle: one at a constant rate, and TCP, which starves."""
    return {
        "profile": "ns2",
        "run": {"duration": "20 s"},
        "measure": {"warm-up": "2 s"},
        "topology": {"kind": "star", "leaves": 4, "radius": "200 m"},
        "air": {
            "propagation": "disk",
            "range": "250 m",
            "sense-range": "250 m",
            "interference-range": "250 m",
        },
        "mac": {"rts-threshold": "65535 B"},
        "routing": {"kind": "static"},
        "flow": [
            {"name": "loud", "kind": "cbr", "from": "1", "to": "0", "rate": "600 kbps", "packet": "1000 B"},
            {"name": "starved", "kind": "bulk", "from": "2", "to": "0"},
        ],
    }


def calm() -> dict[str, Any]:
    """One clean hop that a transfer fills."""
    return chain(1, "rfc", 10, mac={"data-rate": "11 Mbps", "rts-threshold": "65535 B"})


def advice(scenario: dict[str, Any], can: str | None = None) -> Advice:
    return multihop.advise(scenario, budget_runs=RUNS, can=can)


def measured_anew(scenario: dict[str, Any], techniques: tuple[str, ...]) -> tuple[float, float, float]:
    """The gain of techniques with its interval [%], by a comparison with other seeds."""
    made = multihop.load(scenario).compare([[], list(techniques)], runs=FRESH_RUNS, seed=OTHER_SEED)
    duration_s = made.baseline.scenario["measure"]["to_s"] - made.baseline.scenario["measure"]["from_s"]
    gain = Score(made.baseline.runs, duration_s).gain(made.arms[0].runs, made.arms[1].runs)
    return percent(gain.mean), percent(gain.low), percent(gain.high)


def check_helps(scenario: dict[str, Any], found: Advice, cures: set[str]) -> None:
    """The advice names one of the cures, and other seeds confirm what it promises."""
    assert found.helps
    assert found.found is not None
    assert {part.family for part in found.found.candidate.parts} & cures, found.found.candidate.label
    _, low, high = found.found.interval
    mean_anew, low_anew, high_anew = measured_anew(scenario, found.found.candidate.techniques)
    assert low_anew > 0
    assert low_anew <= high, (mean_anew, found.interval)
    assert low <= high_anew, (mean_anew, found.interval)


@pytest.mark.usefixtures("here")
def test_a_long_chain_wants_less_contention() -> None:
    """Fu et al. (INFOCOM 2003): a window of h/4; Altman & Jimenez (PWC 2003): fewer ACKs; Xu, Gerla & Bae (GLOBECOM
    2002): RTS does little where interference reaches farther than it."""
    found = advice(hidden())
    check_helps(hidden(), found, {"small-window", "delayed-ack", "rts-off"})
    [limit] = found.limits.flows
    assert limit.cause.startswith("contention")
    assert limit.hidden > 0.5


@pytest.mark.usefixtures("here")
def test_lossy_links_want_more_attempts() -> None:
    """With a share p of attempts lost, n attempts lose p^n of the frames (Ohzahata & Kawashima)."""
    found = advice(lossy(), can="router")
    check_helps(lossy(), found, {"retries"})
    assert found.limits.flows[0].cause == "bit errors"
    assert found.found is not None
    [retries] = [part for part in found.found.candidate.parts if part.family == "retries"]
    assert int(retries.value) > 2


@pytest.mark.usefixtures("here")
def test_partitions_want_a_sender_that_soon_finds_the_path_again() -> None:
    """Holland & Vaidya (MobiCom 1999): the timeout that has doubled outlasts the break; ELFN probes instead."""
    found = advice(partition(), can="host")
    check_helps(partition(), found, {"max-rto"})
    assert "path" in found.limits.believed


@pytest.mark.usefixtures("here")
def test_a_flow_that_starves_wants_rts() -> None:
    """RTS/CTS is made for hidden stations with one receiver (Bharghavan et al., SIGCOMM 1994)."""
    found = advice(star())
    check_helps(star(), found, {"rts-on"})
    worst = found.limits.flows[0]
    assert (worst.flow, worst.starves) == ("starved", True)
    assert found.found is not None
    assert "loud" in {row.flow for row in found.found.changes()}  # what the cure costs the other


@pytest.mark.usefixtures("here")
def test_where_nothing_helps_it_says_so() -> None:
    found = advice(calm())
    assert not found.helps
    assert found.beyond is None
    assert "what the air allows" in found.limits.flows[0].words()
    for technique in ("rts-on", "small-window:4", "retries:20", "queue:10", "sack"):
        assert measured_anew(calm(), (technique,))[0] < 2


def test_seeds_do_not_meet(here: Path) -> None:
    """What confirms has other draws than what selected."""
    del here
    found = advice(lossy())
    assert found.found is not None
    fresh = {record.key for arm in found.found.comparison.arms for record in arm}
    searched = {record.key for record in multihop.load(lossy()).run(runs=24)}
    assert not fresh & searched


def test_promises_hold_on_random_scenarios(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The quick version of `benches/advice.py`: one scenario of each kind."""
    monkeypatch.syspath_prepend(str(Path(__file__).parents[1] / "benches"))
    bench = importlib.import_module("advice")
    found = bench.study(5, 3, Store.open(here / "store"), budget=60)
    stated = [result for _, result in found if result is not None]
    assert len(found) == 5
    assert len(stated) >= 3
    assert sum(result.agree for result in stated) >= len(stated) - 1, [result.line() for result in stated]
    assert bench.table(found)[-1].startswith("| all | 5 |")
