"""Emulations whose kernels route, over TAP devices: routes by hand and by a routing daemon."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from emulations import TRANSFER, carried, emulate, host, real, run_of
from multihop import _engine
from multihop.emulating.commands import Command, Part, listed
from multihop.store.store import Store
from test_emulate_routes import AWAY

pytestmark = pytest.mark.alone

EXAMPLES = Path(__file__).parents[1] / "examples"
IP = shutil.which("ip") or ""
BABELD = shutil.which("babeld") or shutil.which("babeld", path="/usr/sbin:/sbin") or ""
by_hand = pytest.mark.skipif(not IP, reason="routes are set with `ip` of iproute2, which is not here")
by_daemon = pytest.mark.skipif(
    not BABELD or not Path("/proc/sys/net/ipv6").exists(), reason="babeld is not here, or IPv6 is not, which it needs"
)
DAEMON = f"all: {BABELD} -I '' -S '' -C 'default type wireless hello-interval 1' air0"


def route(at: str, to: int, by: int) -> list[str]:
    return ["--prepare", f"{at}: {IP} route add 10.0.0.{to} via 10.0.0.{by} dev air0 onlink"]


# --- commands


def test_a_command_for_all_runs_at_each_node_and_knows_where_it_is() -> None:
    everywhere = Command("all", ("log", "{here}.log", "{node:b}"), part=Part.SERVE)
    assert everywhere.placed(["a", "b"]) == [
        Command("a", ("log", "a.log", "{node:b}"), part=Part.SERVE),
        Command("b", ("log", "b.log", "{node:b}"), part=Part.SERVE),
    ]
    assert Command("b", ("{here}",)).placed(["a", "b"]) == [Command("b", ("b",))]
    assert Command("all", ("x",)).placed(["a", "all"]) == [Command("all", ("x",))], "a node has this name"


def test_the_example_starts_a_daemon_at_each_node() -> None:
    commands = listed(EXAMPLES / "babel.toml")
    assert [(one.at, one.words[0], one.part) for one in commands] == [
        ("all", "babeld", Part.SERVE),
        ("4", "iperf3", Part.SERVE),
        ("0", "iperf3", Part.RUN),
    ]


# --- what cannot be emulated so


@pytest.mark.skipif(not hasattr(_engine, "emulated"), reason="emulations need Linux")
@pytest.mark.parametrize(
    ("scenario", "words", "said"),
    [
        ("chain", ["-s", "routing.kind=aodv"], "`routing.kind`, set by --set, is about the routing of the simulator"),
        ("chain", ["-s", "routing.hop-limit=5"], "`routing.hop-limit`, set by --set, is about the routing"),
        ("chain", ["-s", "arp.kind=hold"], "`arp.kind`, set by --set, is about the routing of the simulator"),
        ("chain", ["-s", "signals.unreachable=true"], "`signals.unreachable`, set by --set, is about the routing"),
        ("chain", ["-t", "modified-atcp"], "[shim] hears of routes from the simulated routing"),
        ("chain", ["-t", "snoop"], "[[agent]] sees what the simulated network forwards"),
        ("chain", ["--kick", "2 s"], "--kick needs the routing of the simulator"),
        ("frn-chain", [], "`link.kind` names a link with a routing of its own"),
    ],
)
def test_what_is_about_the_routing_of_the_simulator_is_refused(
    scenario: str, words: list[str], said: str, tmp_path: Path
) -> None:
    done = emulate("--tap", *words, "--", "true", cwd=tmp_path, code=2, scenario=scenario)
    assert said in " ".join(done.stderr.split())
    assert "Traceback" not in done.stderr


def test_a_start_without_a_command_is_refused(tmp_path: Path) -> None:
    done = emulate("--after", "2 s", cwd=tmp_path, code=2)
    assert "--after is about COMMAND, and there is none" in " ".join(done.stderr.split())


# --- real programs


@real
@by_hand
def test_kernels_forward_what_the_air_carries_one_hop(tmp_path: Path) -> None:
    """A packet keeps its flow and its age over all hops, and ARP goes over the air."""
    before = host()
    there = [*route("0", 4, 2), *route("1", 4, 3), *route("2", 4, 4)]
    back = [*route("3", 1, 3), *route("2", 1, 2), *route("1", 1, 1)]
    send = f"{TRANSFER} send {{node:3}} 5000 4 reno".split()
    serve = ["--serve", f"3: {TRANSFER} receive 5000"]
    words = ["--tap", "-s", "topology.hops=3", *there, *back, *serve, "--json", "--pcap", "--", *send]
    done = emulate(*words, cwd=tmp_path)
    assert "AssertionError" not in done.stderr
    run, flow = run_of(done), run_of(done)["flows"][0]
    assert 250_000 < carried(flow, done.stderr) < 650_000, "as over a TUN device"
    assert run["emulation"]["tap"] is True
    assert run["emulation"]["refused"] == 0
    assert flow["hops_mean"] == 3
    ledger = flow["ledger"]
    ended = ledger["delivered"] + sum(ledger["dropped"].values()) + sum(ledger["absorbed"].values())
    assert ledger["created"] + ledger["copied"] == ended + ledger["in_network"]
    assert ledger["created"] < run["emulation"]["read"] / 2, "what relays pass on is not made anew"
    assert flow["delay_mean_s"] > 0.01
    assert run["ledger"]["created"] > ledger["created"], "ARP, at least"
    records = Store.open(tmp_path / ".multihop").one()
    assert records.techniques == ["tap", "linux"]
    [record] = (tmp_path / ".multihop" / "records").iterdir()
    relay = (record / "pcap" / "1.pcapng").read_bytes()
    assert b"multihop" * 50 in relay, "the bytes themselves"
    arp = bytes.fromhex("aaaa03000000080600010800060400010200000000010a0000010000000000000a000002")
    assert arp in relay, "node 0 asks for node 1"
    assert host() == before


@real
@by_hand
def test_what_a_kernel_does_not_pass_on_is_lost_there(tmp_path: Path) -> None:
    """The relay has no route to node 2: what it got for it ends there."""
    ask = f"{TRANSFER} reach {{node:2}} 5000 2".split()
    words = ["--tap", "-s", "topology.hops=2", "--for", "8 s", *route("0", 3, 2), "--json"]
    wait = ["--serve", "0: sleep 7", "--", "sh", "-c", " ".join(ask) + "; sleep 6"]
    run = run_of(emulate(*words, *wait, cwd=tmp_path))
    assert 3 <= run["flows"][0]["ledger"]["dropped"]["not-forwarded"] <= 10


@real
def test_frames_that_no_radio_can_send_are_counted(tmp_path: Path) -> None:
    words = ["--tap", "-s", "topology.hops=1", "--json", "--", *TRANSFER.split(), "frames", "air0"]
    emulation = run_of(emulate(*words, cwd=tmp_path))["emulation"]
    assert (emulation["malformed"], emulation["foreign"]) == (2, 1)


@real
@by_daemon
def test_a_daemon_finds_the_routes_of_a_chain(tmp_path: Path) -> None:
    """Five nodes, four hops, no route by hand: babeld has 17 s."""
    answer = ["--serve", f"4: {TRANSFER} answer 5000", "--serve", f"4: {TRANSFER} receive 5001"]
    commands = f"{TRANSFER} reach {{node:4}} 5000 18; {TRANSFER} send {{node:4}} 5001 4 reno"
    words = ["--tap", "-s", "topology.hops=4", "--serve", DAEMON, *answer, "--json", "--", "sh", "-c", commands]
    done = emulate(*words, cwd=tmp_path)
    assert (found := re.search(r"first ([0-9.]+) ", done.stderr)), done.stderr
    assert float(found[1]) < 17
    assert "sent " in done.stderr
    run, flow = run_of(done), run_of(done)["flows"][0]
    assert flow["delivered_bytes"] > 50_000
    assert flow["hops_mean"] == pytest.approx(4.0)
    assert run["counters"]["routing.messages"] > 50, "what babeld says to its neighbours"


@real
@by_daemon
def test_a_break_heals_where_there_is_another_way(tmp_path: Path) -> None:
    """The relay of the short way goes down; babeld believes in a silent neighbour for some hellos."""
    file = tmp_path / "detour.toml"
    file.write_text((EXAMPLES / "detour.toml").read_text().replace('at = "30 s"', 'at = "18 s"'))
    answer = ["--serve", f"4: {TRANSFER} answer 5000"]
    ask = f"{TRANSFER} reach {{node:4}} 5000 40".split()
    words = ["--tap", "--serve", DAEMON, *answer, "--json", "--", *ask]
    done = emulate(*words, cwd=tmp_path, scenario=str(file))
    found = re.search(r"first ([0-9.]+) last ([0-9.]+) silent ([0-9.]+) ([0-9.]+)", done.stderr)
    assert found, done.stderr
    first, last, silent, again = map(float, found.groups())
    assert first < 17
    assert 16.5 < silent < 20, found[0]
    assert again < 38, found[0]
    assert last > 38, found[0]
    assert run_of(done)["flows"][0]["ledger"]["dropped"], "what was under way, or sent to a neighbour that was gone"


@real
def test_what_a_file_says_of_routes_and_nothing_reads_is_named(tmp_path: Path) -> None:
    file = tmp_path / "routes.toml"
    text = AWAY.format(end=5, down=4, node=1)
    file.write_text(text.replace("[[flow]]", '[routing]\nkind = "aodv"\n[arp]\nkind = "hold"\n[[flow]]', 1))
    done = emulate("--tap", "--", "true", cwd=tmp_path, scenario=str(file))
    assert "With --tap the kernels route. Nothing has read `arp.kind`, `routing.kind` of the scenario." in done.stdout
    assert run_of(emulate("--json", "--", "true", cwd=tmp_path, scenario=str(file)))["emulation"]["unread"] == []
