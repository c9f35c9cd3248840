"""What `check` says of flows that share the air, and of RTS/CTS, against what runs get."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

import multihop
from conftest import Cli
from multihop.ceiling.reach import Reach
from multihop.ceiling.rts import rts_worth
from multihop.ceiling.sharing import Sharing, sharings
from multihop.measures.summary import value

ROOFS = """\
name,x,y
{}
"""


def network(seed: int) -> dict[str, Any]:
    """Some nodes in some places with some flows between them, which ask for more than there is or for less."""
    draw = random.Random(seed)  # noqa: S311
    n, width = draw.choice([4, 6, 10, 16]), draw.choice([150, 400, 800, 1200])
    places = [(draw.uniform(0, width), draw.uniform(0, width)) for _ in range(n)]
    flows: list[dict[str, Any]] = []
    for _ in range(draw.choice([2, 3, 5, 8])):
        a, b = draw.sample(range(n), 2)
        flow: dict[str, Any] = {"from": f"n{a}", "to": f"n{b}"}
        if draw.random() < 0.5:
            rate = draw.choice(["8 Mbps", "2 Mbps", "100 kbps"])
            flow |= {"kind": "cbr", "rate": rate, "packet": draw.choice(["1460 B", "300 B"])}
        flows.append(flow)
    return {
        "profile": draw.choice(["rfc", "ns2", "linux24", "ns3"]),
        "topology": {
            "kind": "explicit",
            "node": [{"name": f"n{i}", "x": f"{x:.0f} m", "y": f"{y:.0f} m"} for i, (x, y) in enumerate(places)],
        },
        "flow": flows,
        "run": {"duration": "6 s"},
        "measure": {"warm-up": "1 s"},
        "mac": {
            "data-rate": draw.choice(["2 Mbps", "11 Mbps"]),
            "rts-threshold": draw.choice(["0 B", "65535 B"]),
        },
    }


def got(scenario: multihop.Scenario, techniques: str, flows: tuple[str, ...]) -> float:
    """What these flows got together over the measured time [bit/s]."""
    records = scenario.run(techniques=techniques, runs=1)
    measure = records.scenario["measure"]
    run = records.runs[0]
    measured = float(measure["to_s"]) - float(measure["from_s"])
    return sum(value(run, "delivered_bytes", flow) for flow in flows) * 8 / measured


@pytest.mark.parametrize("seed", range(20))
def test_no_run_of_a_random_network_exceeds_what_its_flows_are_said_to_share(seed: int, here: Path) -> None:
    scenario = multihop.load(network(seed))
    reach = Reach(scenario.resolve())
    for group in sharings(reach, reach.ways()):
        assert len(group.flows) > 1
        assert group.each_bps <= group.together_bps * 1.0001
        # packets that waited as the measured time began come on top
        assert got(scenario, "none", group.flows) <= 1.02 * group.together_bps, group


@pytest.mark.parametrize("technique", ["rts-on", "rts-off", "data-rate:11", "delayed-ack"])
@pytest.mark.parametrize("name", ["star", "hidden-terminal", "cross"])
def test_no_run_of_a_shipped_network_exceeds_it(name: str, technique: str, here: Path) -> None:
    scenario = multihop.load(name)
    reach = Reach(scenario.resolve([technique]))
    shares = [got(scenario, technique, g.flows) / g.together_bps for g in sharings(reach, reach.ways())]
    assert all(share <= 1.01 for share in shares)
    if name == "star" or (name, technique) == ("hidden-terminal", "rts-on"):
        assert shares[0] > 0.9, "and it is not far from what they get"


def test_downloads_from_one_node_are_added_up(here: Path) -> None:
    flows = [{"from": "0", "to": str(leaf)} for leaf in range(1, 6)]
    star = {"profile": "rfc", "topology": {"kind": "star", "leaves": 5}, "flow": flows, "run": {"duration": "10 s"}}
    scenario = multihop.load(star)
    reach = Reach(scenario.resolve())
    ways = reach.ways()
    [group] = sharings(reach, ways)
    assert (group.around, len(group.flows)) == ("0", 5)
    # all of them are sent by one station: together they have what one has alone
    assert group.together_bps == pytest.approx(ways[0].ceiling_bps, rel=1e-6)
    assert group.each_bps == pytest.approx(group.together_bps / 5, rel=1e-6)
    each = scenario.run(runs=1).flows["goodput_bps"]
    assert max(each) < 1.2 * group.each_bps
    assert "Flows 1, 2, 3, 4 and 5 share the air around 0: together they get at most about" in group.words()


def test_what_a_routing_protocol_may_change_is_said_and_of_nodes_that_move_nothing() -> None:
    reach = Reach(multihop.load("cross").resolve(["aodv"]))
    [group] = sharings(reach, reach.ways())
    assert group.words().startswith("On shortest paths, flows 1 and 2 share the air around")
    reach = Reach(multihop.load("rwp").resolve())
    assert sharings(reach, reach.ways()) == []


def test_what_an_application_sends_is_said_where_its_path_carries_more() -> None:
    ways = {way.flow["id"]: way.words() for way in Reach(multihop.load("voip-over-mesh").resolve()).ways()}
    assert " kbit/s, if it is alone; it sends 68.8. " in ways["call 1"]
    assert "it sends" not in ways["download"]
    greedy = Reach(multihop.load("hidden-11n").resolve(set=["flow.1.rate=1 Gbps"])).ways()[0].words()
    assert "it sends" not in greedy


def test_flows_on_channels_of_their_own_share_nothing(here: Path) -> None:
    def said(channel: int) -> list[Sharing]:
        two = {
            "profile": "linux",
            "mac": {"standard": "802.11n"},
            "topology": {"kind": "star", "leaves": 2},
            "node": [
                {"names": ["0"], "radio": [{"channel": 36}, {"channel": 149}]},
                {"names": ["1"], "radio": [{"channel": 36}]},
                {"names": ["2"], "radio": [{"channel": channel}]},
            ],
            "flow": [{"from": "0", "to": "1"}, {"from": "0", "to": "2"}],
        }
        reach = Reach(multihop.load(two).resolve())
        return sharings(reach, reach.ways())

    assert said(149) == []
    assert [group.flows for group in said(36)] == [("1", "2")]


def test_stations_on_other_channels_are_not_hidden() -> None:
    chain = multihop.load("backhaul-11ac")

    def hidden(channels: list[int]) -> int:
        said = [f"channels.list={channels}"]
        worth = rts_worth(chain, Reach(chain.resolve(set=said)), set_=said)
        return worth.hidden if worth else 0

    assert hidden([36, 52, 100, 149]) == 0
    assert hidden([36]) > 0


def test_flows_that_do_not_meet_or_fit_beside_each_other_share_nothing() -> None:
    far = {
        "topology": {
            "kind": "explicit",
            "node": [{"name": n, "x": f"{x} m"} for n, x in (("a", 0), ("b", 200), ("c", 5000), ("d", 5200))],
        },
        "flow": [{"from": "a", "to": "b"}, {"from": "c", "to": "d"}],
    }
    reach = Reach(multihop.load(far).resolve())
    assert sharings(reach, reach.ways()) == []
    slow = [{"from": "0", "to": "1", "kind": "cbr", "rate": "10 kbps"}] * 3
    reach = Reach(multihop.load({"topology": {"kind": "chain", "hops": 1}, "flow": slow}).resolve())
    assert sharings(reach, reach.ways()) == []


def test_check_says_what_rts_is_worth_where_it_is_on_or_stations_are_hidden(cli: Cli, here: Path) -> None:
    on = cli("check", "chain").out.replace("\n", " ")
    assert "RTS/CTS is on (`mac.rts-threshold`). Without it the ceiling of the flow would be about" in on
    assert "multihop compare chain -t rts-on,rts-off" in on
    off = cli("check", "chain", "-t", "rts-off").out.replace("\n", " ")
    assert "RTS/CTS is off (`mac.rts-threshold`). With it the ceiling of the flow would be about" in off
    assert "multihop compare chain -t rts-off,rts-on" in off
    # before its aggregates
    assert "RTS/CTS is on" in cli("check", "backhaul-11ac").out
    # nobody is hidden, and nothing is on
    assert "RTS/CTS is" not in cli("check", "chain-1hop", "-t", "rts-off").out
    assert "RTS/CTS is" not in cli("check", "frn-chain", "-t", "frn").out
    said = cli("check", "chain", "--set", "queue.limit=20", "-t", "delayed-ack", "--json").out
    rts = json.loads(said)["rts"]
    assert rts["compare"] == "multihop compare chain -t delayed-ack+rts-on,delayed-ack+rts-off --set queue.limit=20"
    assert rts["other_ceilings_bps"][0] > json.loads(said)["flows"][0]["ceiling_bps"]


def test_the_ceilings_are_those_of_the_scenario_with_the_technique() -> None:
    chain = multihop.load("chain")
    worth = rts_worth(chain, Reach(chain.resolve()))
    assert worth is not None
    [way] = Reach(chain.resolve(["rts-off"])).ways()
    assert [other.ceiling_bps for other in worth.other] == [way.ceiling_bps]
    assert worth.changes == [pytest.approx(way.ceiling_bps / worth.having[0].ceiling_bps - 1)]


def test_from_a_table_of_roofs_to_what_rts_is_worth(cli: Cli, here: Path) -> None:
    draw = random.Random(4)  # noqa: S311
    places = [(i % 5 * 180 + draw.uniform(-30, 30), i // 5 * 180 + draw.uniform(-30, 30)) for i in range(15)]
    rows = [f"roof{i:02},{x:.0f},{y:.0f}" for i, (x, y) in enumerate(places)]
    (here / "roofs.csv").write_text(ROOFS.format("\n".join(rows)), encoding="utf-8")
    assert cli("import", "roofs.csv", "mesh.toml").code == 0
    told = cli("check", "mesh.toml").out.replace("\n", " ")
    assert "share the air around" in told
    assert "RTS/CTS is" in told
    command = next(line for line in told.split("multihop ") if line.startswith("compare mesh.toml"))
    arms = command.split(" -t ")[1].split()[0]
    assert set(arms.split(",")) == {"rts-on", "rts-off"}
    assert cli("run", "mesh.toml", "--runs", "1", "--set", "run.duration=12 s").code == 0
    compared = cli("compare", "mesh.toml", "-t", arms, "--runs", "2", "--set", "run.duration=12 s")
    assert compared.code == 0
    assert "rts-off" in compared.out
