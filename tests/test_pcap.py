"""Captures, as tshark reads them."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import multihop
from conftest import Cli

TSHARK = shutil.which("tshark")
needs_tshark = pytest.mark.skipif(TSHARK is None, reason="tshark is not installed")

CHECKED = [
    option
    for protocol in ("ip.check_checksum", "tcp.check_checksum", "udp.check_checksum", "wlan.check_checksum")
    for option in ("-o", f"{protocol}:TRUE")
]
BROKEN = (
    "_ws.malformed || _ws.short || ip.checksum.status == 0 || tcp.checksum.status == 0 || udp.checksum.status == 0 "
    "|| wlan.fcs.status == 0 || _ws.expert.severity >= 8388608"
)
"""Anything that a dissector finds wrong; 8388608 is the severity "error"."""
VERIFIED = "wlan.fcs.status == 1 || (frame.interface_id == 1 && ip.checksum.status == 1)"

SENT_BY_NODE_0 = "frame.packet_flags_direction == 2 && wlan.fc.retry != 1"
"""A retry of the MAC is no new transmission of TCP."""
RESENT = " || ".join(
    f"tcp.analysis.{kind}"
    for kind in ("retransmission", "fast_retransmission", "spurious_retransmission", "out_of_order")
)

CHAIN = ["--set", "run.duration=20 s", "--set", "measure.warm-up=0 s", "--set", "flow.1.start=1 s"]
FINDING = [*CHAIN, "--set", "run.duration=6 s"]  # routes and addresses are found at once
LOSSY = [*CHAIN, "--set", "air.bit-error-rate=3e-5"]


def tshark(file: Path, display: str, *arguments: str) -> list[str]:
    """The lines that tshark prints of the frames that pass a display filter."""
    assert TSHARK
    command = [TSHARK, "-n", "-r", str(file), *CHECKED, "-Y", display, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


@needs_tshark
def test_packets_on_wires_are_datagrams_of_an_interface_of_their_own(cli: Cli, here: Path) -> None:
    _, files = capture(
        cli, "wire", "--set", "run.duration=3 s", "--set", "measure.warm-up=1 s", "--set", "wire.0.loss=0.01"
    )
    for node, file in files.items():
        comments, (wired, lost, others) = looked_through(
            file, "frame.interface_id == 2 && ip", "frame.interface_id == 1", "frame.interface_id != 1"
        )
        assert others == wired > 1000
        assert comments == ["lost on the way here: wire loss"] * lost
        assert bool(lost) == (node == "1")


def looked_through(file: Path, *displays: str) -> tuple[list[str], list[int]]:
    """In one pass over a file without a fault: comments of its frames, and how many frames pass each display filter."""
    counted = ("-z", ",".join(("io,stat,0", BROKEN, *displays)))
    lines = tshark(file, "frame.comment", "-T", "fields", "-e", "frame.comment", *counted)
    table = next(index for index, line in enumerate(lines) if line.startswith("=====") and not lines[index - 1])
    row = next(line for line in lines[table:] if "<>" in line)
    broken, *found = map(int, re.findall(r"\d+", row.split("|", 2)[2])[::2])
    assert not broken, tshark(file, BROKEN)
    return lines[: table - 1], found


def capture(cli: Cli, *arguments: str) -> tuple[dict[str, Any], dict[str, Path]]:
    """Runs a scenario once; returns the run and its capture files by node."""
    done = cli("run", *arguments, "--runs", "1", "--pcap", "--out", "results", "--json")
    assert done.code == 0, done.err
    files = {file.stem: file for file in Path("results").glob("records/*/pcap/*")}
    run: dict[str, Any] = json.loads(done.out)["runs"][0]
    assert sorted(files) == sorted(node["name"] for node in run["nodes"])
    assert all(file.suffix == ".pcapng" for file in files.values())
    return run, files


def well_formed(files: dict[str, Path], *displays: str) -> tuple[list[str], dict[str, list[int]]]:
    """No file has a fault. Comments of all frames, and by node how many frames pass each display filter."""
    read = {name: looked_through(file, *displays) for name, file in files.items()}
    return [comment for told, _ in read.values() for comment in told], {
        name: found for name, (_, found) in read.items()
    }


def losses(comments: list[str]) -> list[str]:
    """Those that tell of a loss."""
    return [comment for comment in comments if re.search("lost|never sent", comment)]


def lengths_told(comments: list[str]) -> set[str]:
    """What the simulated lengths of packets are, where the real ones are others."""
    told = "simulated length "
    return {comment.split("; ")[0].removeprefix(told) for comment in comments if told in comment}


@needs_tshark
def test_tshark_finds_nothing_wrong_and_counts_what_tcp_sent_again(cli: Cli, here: Path) -> None:
    run, files = capture(cli, "chain", *LOSSY, "--set", "flow.1.stop=15 s")  # so that nothing waits at the end
    comments, found = well_formed(files, VERIFIED, "frame", "wlan && frame.packet_flags_direction == 2")
    assert all(verified == frames > 50 for verified, frames, _ in found.values())
    assert len(losses(comments)) == sum(run["ledger"]["dropped"].values()) > 5
    outbound = {name: sent for name, (*_, sent) in found.items()}
    assert outbound == {node["name"]: sum(node["frames"].values()) for node in run["nodes"]}
    assert sum(outbound.values()) == run["frames"]

    # What node 0 sent for the first time, lost unsent, or got: the view of its TCP.
    own = here / "own.pcapng"
    tshark(files["0"], f"({SENT_BY_NODE_0}) || frame.interface_id == 1 || wlan.ra == 02:00:00:00:00:01", "-w", str(own))
    resent = tshark(own, f"ip.src == 10.0.0.1 && tcp.len > 0 && ({RESENT})")
    sent = tshark(own, "ip.src == 10.0.0.1 && tcp.len > 0")
    flow = run["flows"][0]
    assert len(sent) == flow["sent_packets"]
    assert len(resent) == flow["retransmissions"] > 5


@needs_tshark
@pytest.mark.parametrize(("profile", "lengths"), [("rfc", set()), ("ns2", {"48 B, not 52 B", "44 B, not 48 B"})])
def test_aodv_opens_as_aodv(cli: Cli, here: Path, profile: str, lengths: set[str]) -> None:
    run, files = capture(cli, "chain", *FINDING, "--technique", "aodv", "--set", f"profile={profile}")
    comments, _ = well_formed(files)
    # A node's own requests are those with no hops yet; each is on the air once.
    counters = run["counters"]
    sent = "frame.packet_flags_direction == 2 && wlan.fc.retry != 1"
    fields = ("-T", "fields", "-e", "aodv.type", "-e", "aodv.hopcount", "-e", "aodv.orig_ip", "-e", "ip.src")
    requests = [
        line.split("\t") for file in files.values() for line in tshark(file, f"{sent} && aodv.type == 1", *fields)
    ]
    own = [request for request in requests if request[1] == "0"]
    assert counters["aodv.rreq-originated"] - len(own) in (0, 1), "one may wait at the end"
    assert own
    assert all(request[2] == request[3] for request in own), "who asks is who sends"
    assert tshark(files["0"], "aodv.type == 2 && ip.dst == 10.0.0.1 && aodv.dest_ip == 10.0.0.8")
    noted = lengths_told(comments)
    assert lengths <= noted
    assert bool(noted) == bool(lengths)


@needs_tshark
def test_arp_opens_as_arp_and_is_counted(cli: Cli, here: Path) -> None:
    run, files = capture(cli, "chain", *FINDING, "--technique", "aodv+arp")
    well_formed(files)
    sent = "frame.packet_flags_direction == 2 && wlan.fc.retry != 1"
    seen = {kind: [x for f in files.values() for x in tshark(f, f"{sent} && arp.opcode == {kind}")] for kind in (1, 2)}
    counters = run["counters"]
    assert counters["arp.requests"] - len(seen[1]) in (0, 1), "one may wait at the end"
    assert counters["arp.replies"] >= len(seen[2]) > 0
    asked = tshark(
        files["1"], f"{sent} && arp.opcode == 1", "-T", "fields", "-e", "arp.src.proto_ipv4", "-e", "wlan.sa"
    )
    assert asked
    assert set(asked) == {"10.0.0.2\t02:00:00:00:00:02"}


@needs_tshark
@pytest.mark.parametrize(
    ("profile", "lengths"), [("rfc", set()), ("ns2", {"48 B, not 36 B", "68 B, not 40 B", "92 B, not 84 B"})]
)
def test_dsr_opens_as_dsr(cli: Cli, here: Path, profile: str, lengths: set[str]) -> None:
    run, files = capture(cli, "chain", *FINDING, "--technique", "dsr", "--set", f"profile={profile}")
    comments, _ = well_formed(files)
    # A node's own requests have its address as their source; each is on the air once.
    counters = run["counters"]
    own = [
        line
        for index, (_, file) in enumerate(sorted(files.items()))
        for line in tshark(
            file, f"frame.packet_flags_direction == 2 && dsr.option.type == 1 && ip.src == 10.0.0.{index + 1}"
        )
    ]
    assert counters["dsr.rreq-originated"] - len(own) in (0, 1), "one may wait at the end"
    assert own
    # The target's reply, with the whole way in both of its options, and data that carry it.
    fields = ("-T", "fields", "-e", "dsr.option.rrep.address", "-e", "dsr.option.srcrt.segsleft", "-e", "dsr.nexthdr")
    replies = [line.split("\t") for line in tshark(files["7"], "dsr.option.type == 2 && ip.src == 10.0.0.8", *fields)]
    assert [",".join(f"10.0.0.{node}" for node in range(2, 9)), "6", "0x3b"] in replies
    assert tshark(files["0"], "dsr.option.type == 96 && dsr.option.srcrt.segsleft == 6 && tcp.len > 0")
    assert bool(tshark(files["0"], "dsr.flowstate == 1 && dsr.option.timeout.timeout == 60")) == (profile == "ns2")
    noted = lengths_told(comments)
    assert lengths <= noted
    assert bool(noted) == bool(lengths)


@needs_tshark
@pytest.mark.parametrize(
    ("settings", "seen"),
    [
        (
            ["--technique", "sack", "--set", "profile=rfc"],
            [
                ("0", "tcp.flags.syn == 1 && tcp.flags.ack == 0 && tcp.seq == 0"),
                ("7", "tcp.flags.syn == 1 && tcp.flags.ack == 1 && tcp.ack == 1"),
                ("7", "tcp.options.sack.count >= 1"),
            ],
        ),
        (
            ["--set", "routing.kind=dsdv", "--set", "run.duration=60 s", "--set", "flow.1.start=40 s"],
            [("0", "udp.port == 65535 && ip.dst == 255.255.255.255")],
        ),
        (
            ["--set", "flow.1.kind=cbr", "--set", "flow.1.rate=400 kbps", "--set", "flow.1.packet=512 B"],
            [("0", "udp.length == 520")],
        ),
        (["--technique", "persistent-queue"], [("0", "tcp.len == 1460")]),
    ],
    ids=["handshake and sack", "dsdv", "udp", "kept packets"],
)
def test_every_protocol_is_well_formed(cli: Cli, here: Path, settings: list[str], seen: list[tuple[str, str]]) -> None:
    run, files = capture(cli, "chain", *LOSSY, *settings)
    comments, _ = well_formed(files)
    for node, display in seen:
        assert tshark(files[node], display), display
    assert len(losses(comments)) == sum(run["ledger"]["dropped"].values())


def marked(cli: Cli, technique: str) -> tuple[dict[str, Any], dict[str, Path]]:
    """A capture of a network whose queues mark."""
    queue = ("aqm=red", "red.min-threshold=1.0", "red.max-threshold=4.0", "red.weight=0.1")
    settings = ("--technique", technique, "--set=profile=rfc", *(f"--set=queue.{key}" for key in queue))
    return capture(cli, "chain-3hop", *CHAIN, *settings)


@needs_tshark
def test_ecn_is_read_in_both_headers(cli: Cli, here: Path) -> None:
    run, files = marked(cli, "red-ecn")
    assert sum(node["marked"] for node in run["nodes"]) > 0
    assert run["flows"][0]["ecn_reductions"] > 0
    well_formed({node: files[node] for node in "12"})
    syn = "tcp.flags.syn == 1 && tcp.flags.ack"
    none = "ip.dsfield.ecn != 0 && (tcp.flags.syn == 1 || tcp.len == 0)"
    shown: dict[str, tuple[str, ...]] = {
        "0": (f"{syn} == 0 && tcp.flags.ece == 1 && tcp.flags.cwr == 1", "ip.dsfield.ecn == 2 && tcp.len > 0"),
        "3": (
            f"{syn} == 1 && tcp.flags.ece == 1 && tcp.flags.cwr == 0",
            "ip.dsfield.ecn == 3 && tcp.len > 0",
            "tcp.flags.ece == 1 && tcp.flags.syn == 0 && tcp.len == 0 && ip.dsfield.ecn == 0",
            "tcp.flags.cwr == 1 && tcp.flags.syn == 0 && tcp.len > 0",
        ),
    }
    for node, displays in shown.items():
        _, (*found, wrong) = looked_through(files[node], *displays, none)
        assert all(found), found
        assert wrong == 0


@needs_tshark
def test_accurate_ecn_is_read(cli: Cli, here: Path) -> None:
    run, files = marked(cli, "accurate-ecn")
    assert run["flows"][0]["ecn_marks"] >= run["flows"][0]["ecn_reductions"] > 0
    ends = (files["0"], files["3"])
    well_formed({node: files[node] for node in "03"})
    assert tshark(ends[0], "tcp.flags.syn == 1 && tcp.flags.ack == 0 && tcp.flags.ae == 1 && tcp.flags.cwr == 1")
    answer = "tcp.flags.syn == 1 && tcp.flags.ack == 1 && tcp.flags.ae == 0 && tcp.flags.cwr == 1"
    assert tshark(ends[1], f"{answer} && tcp.flags.ece == 0 && tcp.options.acc_ecn.ee0b == 1")
    acks = "tcp.flags.syn == 0 && tcp.len == 0"
    assert tshark(ends[1], f"{acks} && tcp.options.acc_ecn.eceb >= 1460 && tcp.flags.ace != 5")
    assert not tshark(ends[0], "tcp.flags.syn == 0 && tcp.len > 0 && tcp.flags.ace != 5")


def test_a_file_that_cannot_be_written_whole_is_an_error_and_leaves_nothing(here: Path) -> None:
    program = (
        "import resource, sys; from multihop.cli import main;"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000)); main(sys.argv[1:])"
    )
    command = [sys.executable, "-c", program, "run", "chain", *CHAIN, "--runs", "1", "--pcap"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode not in {0, -25}, "an error message, not a signal"
    assert "the capture of node" in done.stderr
    assert "cannot be written: File too large" in done.stderr
    assert not list(here.rglob("*.pcapng*"))


def test_names_that_no_file_could_have(cli: Cli, here: Path) -> None:
    (here / "names.toml").write_text(
        """
[run]
duration = "1 s"
[topology]
kind = "explicit"
node = [
    { name = "../up", x = "0 m", y = "0 m" },
    { name = "a/b", x = "100 m", y = "0 m" },
    { name = "a b", x = "200 m", y = "0 m" },
]
[[flow]]
kind = "bulk"
from = "../up"
to = "a b"
""",
        encoding="utf-8",
    )
    assert cli("run", "names.toml", "--runs", "1", "--pcap").code == 0
    files = [file.name for file in here.glob(".multihop/records/*/pcap/*")]
    assert sorted(files) == ["_up.pcapng", "a_b-2.pcapng", "a_b.pcapng"]


def test_a_capture_that_reached_its_limit_says_so(cli: Cli, here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    command = ("run", "chain", *CHAIN, "--runs", "1", "--pcap", "--out", "results")
    monkeypatch.setenv("MULTIHOP_CAPTURE", "200 kB")
    done = cli(*command)
    assert done.code == 0, done.err
    assert re.search(r"The capture of run 1 stopped at \S+ s of 20 s, at its limit of 200 kB", done.out)
    sizes = [file.stat().st_size for file in here.glob("results/records/*/pcap/*")]
    assert 150_000 < sum(sizes) < 200_000 + 2_500 * len(sizes)
    record = multihop.records("results")[0]
    record.check()
    assert record.data["capture"]["bytes"] == sum(sizes)

    assert "1 of 1 run came from the store" in cli(*command).out
    monkeypatch.setenv("MULTIHOP_CAPTURE", "1 GB")
    whole = cli(*command)
    assert "0 of 1 run came from the store" in whole.out
    assert "stopped at" not in whole.out
    monkeypatch.setenv("MULTIHOP_CAPTURE", "200 kB")
    assert "1 of 1 run came from the store" in cli(*command).out, "more than is asked for"
    assert multihop.records("results")[0].data["capture"]["stopped_s"] is None

    monkeypatch.setenv("MULTIHOP_CAPTURE", "much")
    assert (cli(*command).code, "expected a size like 16 GB, not `much`" in cli(*command).err) == (2, True)


@needs_tshark
@pytest.mark.parametrize("aggregates", ["true", "false"])
def test_an_a_msdu_opens_as_several_packets_and_a_receiver_has_what_came_through(
    cli: Cli, here: Path, aggregates: str
) -> None:
    Path("net.toml").write_text(
        'profile = "rfc"\nrun.duration = "0.2 s"\nmeasure = { sample = "0.1 s", warm-up = "0 s" }\n'
        'topology = { kind = "chain", hops = 1, spacing = "10 m" }\nair.bit-error-rate = 2e-5\n'
        f'mac = {{ standard = "802.11n", aggregation = {{ on = {aggregates}, amsdu-length = "3839 B" }} }}\n'
        '[[flow]]\nkind = "cbr"\nfrom = "0"\nto = "1"\nrate = "40 Mbps"\npacket = "700 B"\n'
    )
    run, files = capture(cli, "net.toml")
    data = "wlan.fc.type_subtype == 0x28 && frame.packet_flags_direction"
    sent, inside = 0, 0
    for file in files.values():
        assert tshark(file, BROKEN) == []
        own = tshark(file, f"{data} == 2 && wlan.qos.amsdupresent == 1", "-T", "fields", "-e", "udp.srcport")
        sent += len(own)
        inside += sum(len(line.split(",")) for line in own)
    counters = run["counters"]
    assert (sent, inside) == (counters["mac.a-msdus"], counters["mac.a-msdu-packets"])
    assert sent > 20
    (there,) = run["mpdus"]
    assert there["lost"] > 10
    assert len(tshark(files["1"], f"{data} == 1")) == there["mpdus"] - there["lost"]


@needs_tshark
def test_block_ack_requests_open_as_such_and_are_counted(cli: Cli, here: Path) -> None:
    run, files = capture(
        cli,
        "hidden-11n",
        *("--set", "run.duration=1 s", "--set", "measure.warm-up=0 s"),
        *("--set", "mac.aggregation.after-missed=request", "--set", "mac.edca.on=false"),
    )
    fields = (
        "-e",
        "wlan.ba.control.ba_type",
        "-e",
        "wlan.ba.basic.tidinfo",
        "-e",
        "wlan.fixed.ssc.sequence",
        "-e",
        "frame.len",
    )
    well_formed(files)
    sent = 0
    for file in files.values():
        own = tshark(
            file, "wlan.fc.type_subtype == 0x0018 && frame.packet_flags_direction == 2", "-T", "fields", *fields
        )
        sent += len(own)
        for kind, priority, start, _ in (line.split("\t") for line in own):
            assert int(kind, 0) == 2, "compressed"
            assert int(priority, 0) == 0
            assert 0 <= int(start, 0) < 4096
        asked = tshark(file, "wlan.fc.type_subtype == 0x0018", "-T", "fields", "-e", "wlan.ra", "-e", "wlan.ta")
        assert all(a != b for a, b in (line.split("\t") for line in asked))
    assert sent == run["counters"]["mac.block-ack-requests"] > 20


def tuned(file: Path) -> dict[str, set[str]]:
    """Frequency, band by the flags and number of the channel of a capture's frames, by interface."""
    fields = ("radiotap.channel.freq", "radiotap.channel.flags.2ghz", "radiotap.channel.flags.5ghz")
    told = [part for field in ("frame.interface_id", *fields, "wlan_radio.channel") for part in ("-e", field)]
    found: dict[str, set[str]] = {}
    for line in tshark(file, "wlan", "-T", "fields", "-E", "separator= ", *told):
        radio, channel = line.split(" ", 1)
        found.setdefault(radio, set()).add(channel)
    return found


SHORT = ("--set", "run.duration=0.2 s", "--set", "measure.warm-up=0 s")
AT_BOTH = ("--set", "channels.plan=alternate", "--set", "channels.list=[6, 149]")
AT_2_4 = ("--set", "mac.band=2.4 GHz")


@needs_tshark
@pytest.mark.parametrize(
    ("scenario", "settings", "node", "expected"),
    [
        ("backhaul-11ac", (), "2", {"0": {"5260 0 1 52"}, "2": {"5500 0 1 100"}}),
        ("mesh-11n", AT_BOTH, "house-2", {"0": {"2437 1 0 6"}, "2": {"5745 0 1 149"}}),
        ("mesh-11n", ("--set", "radio=[{channel = 149}]"), "house-2", {"0": {"5745 0 1 149"}}),
        ("mesh-11n", AT_2_4, "house-1", {"0": {"5180 0 1 36"}}),  # no number: the frequency of the air, and its flag
        ("mesh-11n", (*AT_2_4, "--set", "air.frequency=2.412 GHz"), "house-1", {"0": {"2412 1 0 1"}}),
    ],
    ids=["two radios", "both bands", "of a group", "of the air at 5 GHz", "of the air at 2.4 GHz"],
)
def test_each_radio_has_the_frequency_of_its_channel(
    cli: Cli, here: Path, scenario: str, settings: tuple[str, ...], node: str, expected: dict[str, set[str]]
) -> None:
    _, files = capture(cli, scenario, *SHORT, *settings)
    assert tuned(files[node]) == expected
