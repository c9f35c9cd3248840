"""Emulations: programs of Linux on the simulated air. Where no namespace can be made, tests are skipped and say so."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import jsonschema
import pytest

from emulations import MULTIHOP, PATIENCE_S, TRANSFER, carried, emulate, gone, host, processes, real, run_of, under_way
from multihop import _engine
from multihop.emulating.commands import Command, Part, listed, prepared, seconds, served
from multihop.errors import InputError
from multihop.record.document import json_schema
from multihop.scenario.scenario import load

pytestmark = pytest.mark.alone

# --- commands


def test_addresses_stand_for_nodes() -> None:
    command = Command("0", ("ping", "{node:7}", "x{node:1}:80"))
    assert command.partners == ["7", "1"]
    told = command.addressed({"0": "10.0.0.1", "7": "10.0.0.8", "1": "10.0.0.2"})
    assert told.words == ("ping", "10.0.0.8", "x10.0.0.2:80")
    with pytest.raises(InputError, match="there is no node `7`"):
        command.addressed({"0": "10.0.0.1"})


def test_servers_are_named_with_their_node() -> None:
    assert served(["7: iperf3 -s -p 1"]) == [Command("7", ("iperf3", "-s", "-p", "1"), part=Part.SERVE)]
    for wrong in ("iperf3 -s", "7:", ": iperf3", '7: sh -c "'):
        with pytest.raises(InputError, match="--serve"):
            served([wrong])
    assert prepared(["0: ip link"]) == [Command("0", ("ip", "link"), part=Part.PREPARE)]
    with pytest.raises(InputError, match=r'like --prepare "0: ip route add'):
        prepared(["ip link"])


def test_a_file_lists_commands(tmp_path: Path) -> None:
    file = tmp_path / "day.toml"
    file.write_text(
        '[[command]]\nat = 1\nrun = "iperf3 -s"\nserve = true\n[[command]]\nat = "0"\nrun = "ls"\nstart = "2 s"\n'
    )
    assert listed(file) == [Command("1", ("iperf3", "-s"), part=Part.SERVE), Command("0", ("ls",), 2.0)]
    wrong = {
        "": "expected entries",
        "x = 1": "unknown key `x`",
        "[command]\nat = 1": "expected entries",
        '[[command]]\nrun = "ls"': "command 1: `at`",
        "[[command]]\nat = 1": "command 1: `run`",
        '[[command]]\nat = 1\nrun = "ls"\nwhen = 3': "unknown key `when`",
        '[[command]]\nat = 1\nrun = "ls"\nstart = "soon"': "start: expected a time",
        '[[command]]\nat = 1\nrun = "ls"\nserve = 1': "`serve` must be true or false",
        '[[command]]\nat = 1\nrun = "ls"\nprepare = "yes"': "`prepare` must be true or false",
        '[[command]]\nat = 1\nrun = "ls"\nprepare = true\nserve = true': "leave out `serve`",
        '[[command]]\nat = 1\nrun = "ls"\nprepare = true\nstart = "1 s"': "leave out `start`",
        "[[command": "day.toml",
    }
    for text, said in wrong.items():
        file.write_text(text)
        with pytest.raises(InputError, match=said):
            listed(file)
    with pytest.raises(InputError, match="cannot be read"):
        listed(tmp_path / "none.toml")


def test_times_have_units() -> None:
    assert (seconds("60s", "--for"), seconds("2 min", "--for"), seconds(3, "start")) == (60.0, 120.0, 3.0)
    for wrong in ("x", "-1 s", "3 kB", "", "nan s", True):
        with pytest.raises(InputError, match="--for"):
            seconds(wrong, "--for")


# --- what cannot be emulated


@pytest.mark.skipif(not hasattr(_engine, "emulated"), reason="emulations need Linux")
@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["-t", "small-window:4"], "changes the simulator's TCP"),
        (["-s", "tcp.max-window=8"], "changes the simulator's TCP"),
        (["-t", "tcp-bus"], "it would do nothing to that of Linux"),
        (["-t", "i-tcp"], "it would do nothing to that of Linux"),
        (["-s", "signals.elfn=true"], "it would do nothing to that of Linux"),
        (["--at", "99"], "there is no node `99`"),
        (["--for", "soon"], "expected a time"),
        (["--kick", "0 s"], "expected a time of at least 1 ms"),
        (["-s", "signals.ebsn=true"], "it would do nothing to that of Linux"),
        (["--serve", "ls"], "expected a node and a command"),
    ],
)
def test_what_would_do_nothing_is_refused(words: list[str], said: str, tmp_path: Path) -> None:
    done = emulate(*words, "--", "true", cwd=tmp_path, code=2)
    assert said in " ".join(done.stderr.split())
    assert "Traceback" not in done.stderr


@pytest.mark.skipif(not hasattr(_engine, "emulated"), reason="emulations need Linux")
def test_pairs_of_nodes_that_talk_become_flows() -> None:
    resolved = load("chain").resolve()
    flows = json.loads(_engine.emulated(resolved, 5.0, [("2", "5"), ("7", "0")]).json())["flows"]
    assert [(flow["from"], flow["to"], flow["start_s"]) for flow in flows] == [("0", "7", 0.0), ("2", "5", 0.0)]


# --- real programs


@real
def test_linux_sends_over_the_air(tmp_path: Path) -> None:
    """A TCP of Linux over three hops: its bytes arrive as they were sent, and all books are kept."""
    before = host()
    send = f"{TRANSFER} send {{node:3}} 5000 4 reno".split()
    words = ["-s", "topology.hops=3", "--serve", f"3: {TRANSFER} receive 5000", "--json", "--pcap", "--", *send]
    done = emulate(*words, cwd=tmp_path)
    assert "AssertionError" not in done.stderr
    described = json_schema("run")
    jsonschema.Draft202012Validator(described).validate(json.loads(done.stdout))
    assert set(run_of(done)["emulation"]) == set(described["$defs"]["run"]["properties"]["emulation"]["properties"])
    run, flow = run_of(done), run_of(done)["flows"][0]
    # Three hops in reach of each other, RTS, 2 Mb/s: about 470 kbit/s (see the calibration).
    assert 250_000 < carried(flow, done.stderr) < 650_000
    assert run["emulation"]["congestion_control"] == {"1": "reno"}
    assert run["emulation"]["refused"] == 0
    assert run["emulation"]["commands"][1]["code"] == 0
    assert 4.0 < run["sim_s"] < 30.0
    assert flow["rtt_mean_s"] > 0.01
    ledger = flow["ledger"]
    ended = ledger["delivered"] + sum(ledger["dropped"].values()) + sum(ledger["absorbed"].values())
    assert ledger["created"] + ledger["copied"] == ended + ledger["in_network"]
    assert ledger["created"] == run["emulation"]["read"]
    told = subprocess.run([MULTIHOP, "explain"], cwd=tmp_path, capture_output=True, text=True, check=True).stdout
    assert "flow 1 (0 to 3, TCP) got" in told
    [record] = (tmp_path / ".multihop" / "records").iterdir()
    assert b"multihop" * 50 in (record / "pcap" / "1.pcapng").read_bytes(), "the bytes themselves"
    assert host() == before


@real
def test_what_prepares_ends_before_others_start(tmp_path: Path) -> None:
    words = ["-s", "topology.hops=1", "--serve", "1: touch served", "--prepare", "0: sh -c 'sleep 1; touch ready'"]
    words += ["--prepare", "1: sh -c 'test -e ready && ! test -e served'", "--json", "--", "test", "-e", "ready"]
    commands = run_of(emulate(*words, cwd=tmp_path))["emulation"]["commands"]
    assert [command["code"] for command in commands] == [0, 0, 0, 0]
    failed = emulate("-s", "topology.hops=1", "--prepare", "1: false", "--", "true", cwd=tmp_path, code=2)
    assert "--prepare 1: false: it ended with exit code 1" in failed.stderr


@real
def test_the_window_of_linux_is_a_series(tmp_path: Path) -> None:
    send = f"{TRANSFER} send {{node:1}} 5000 3 cubic".split()
    serve = f"1: {TRANSFER} receive 5000"
    emulate("-s", "topology.hops=1", "-s", "measure.sample=0.2 s", "--serve", serve, "--", *send, cwd=tmp_path)
    from multihop.store.store import Store

    tcp = Store.open(tmp_path / ".multihop").one()[0].series("tcp")
    assert len(tcp) > 5
    assert tcp["snd_cwnd"].max() >= 10, "the initial window of Linux, RFC 6928"
    assert (tcp["una"].diff().dropna() >= 0).all()


@real
def test_nodes_without_a_flow_talk_too(tmp_path: Path) -> None:
    words = ["-s", "topology.hops=3", "--serve", f"1: {TRANSFER} answer 5000", "--at", "2", "--json"]
    done = emulate(*words, "--", *TRANSFER.split(), "echo", "10.0.0.2", "5000", cwd=tmp_path)
    run = run_of(done)
    assert "echoed" in done.stderr
    assert run["flows"][0]["ledger"]["created"] == 0
    assert run["ledger"]["created"] >= 2


@real
def test_no_packet_leaves_the_network(tmp_path: Path) -> None:
    program = "import socket; socket.create_connection(('192.0.2.1', 80), 2)"
    done = emulate("-s", "topology.hops=1", "--", sys.executable, "-c", program, cwd=tmp_path, code=1)
    assert "Network is unreachable" in done.stderr


@real
def test_the_code_of_a_command_is_that_of_the_emulation(tmp_path: Path) -> None:
    done = emulate("-s", "topology.hops=1", "--", "sh", "-c", "exit 7", cwd=tmp_path, code=7)
    assert "ended with code 7" in " ".join(done.stdout.split())
    done = emulate("-s", "topology.hops=1", "--", "no-such-program", cwd=tmp_path, code=127)
    assert "no-such-program cannot be started" in done.stderr


@real
def test_a_run_that_was_too_late_says_so(tmp_path: Path) -> None:
    send = f"{TRANSFER} send {{node:1}} 5000 1".split()
    serve = f"1: {TRANSFER} receive 5000"
    done = emulate("--lag", "1 ns", "-s", "topology.hops=1", "--serve", serve, "--", *send, cwd=tmp_path, code=1)
    assert "This run is not valid: one event in a hundred was later than" in " ".join(done.stdout.split())


@real
def test_two_emulations_do_not_meet(tmp_path: Path) -> None:
    """The same addresses and ports twice: each server hears its own clients only."""
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    serve = f"1: {TRANSFER} receive 5000"
    words = ["-s", "topology.hops=1", "--serve", serve, "--json", "--", *f"{TRANSFER} send {{node:1}} 5000 3".split()]
    line = [MULTIHOP, "emulate", "chain", "--lag", "10 s", *words]
    both = [
        subprocess.Popen(line, cwd=tmp_path / name, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for name in "ab"
    ]
    for one in both:
        out, err = one.communicate(timeout=PATIENCE_S)
        assert one.returncode == 0, err
        assert err.count("received ") <= 1
        assert carried(json.loads(out)["runs"][0]["flows"][0], err) > 300_000


@real
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_nothing_outlives_it(number: int, tmp_path: Path) -> None:
    """Also not a program that has left its parent, and does not listen."""
    before, mark = host(), f"mark-{os.getpid()}-{number}"
    deaf = f"trap '' TERM HUP INT; sleep 1000 & setsid sh -c 'while :; do sleep 0.1; done' {mark} & wait"
    with under_way("-s", "topology.hops=2", "--", "sh", "-c", deaf, mark, cwd=tmp_path, until=mark, count=3) as running:
        running.send_signal(number)
        running.wait(PATIENCE_S)
        assert gone(mark)
    assert host() == before
    assert not list(Path("/run").glob("netns/*multihop*"))


@real
def test_tcp_of_linux_gets_what_ours_gets() -> None:
    """A part of the calibration: goodput over four hops within a quarter; the table in the guide is within a tenth."""
    script = Path(__file__).parents[1] / "benches" / "emulation.py"
    line = [sys.executable, str(script), "4", "cubic", "--runs", "1", "--seconds", "12"]
    done = subprocess.run(line, capture_output=True, text=True, timeout=2 * PATIENCE_S, check=True)
    row = [cell.strip() for cell in done.stdout.splitlines()[-1].split("|")]
    real, ours = float(row[3]), float(row[4])
    assert ours > 200
    assert 0.75 < real / ours < 1.25, row


@real
def test_many_flows_and_many_packets_keep_up_with_the_clock() -> None:
    """A part of `benches/emulation_scale.py`: ten nodes with three flows, and 10 000 packets a second."""
    script = Path(__file__).parents[1] / "benches" / "emulation_scale.py"
    line = [sys.executable, str(script), "--rows", "3", "--rate", "10000", "--seconds", "3"]
    done = subprocess.run(line, capture_output=True, text=True, timeout=PATIENCE_S, check=True).stdout
    least = re.search(r"10 nodes, 3 flows, .* least ([0-9]+), most ([0-9]+);", done)
    assert least, done
    assert 0.4 * int(least[2]) < int(least[1]), done
    counts = re.search(r"packets a second: 30000 sent, ([0-9]+) read .*, ([0-9]+) written, ([0-9]+) received", done)
    assert counts, done
    assert counts.groups() == ("30000", "30000", "30000"), done


@real
def test_an_emulation_gives_back_all_that_it_opened() -> None:
    """A device that stays open keeps its namespace: in a process that emulates often, they would add up."""
    scenario = _engine.emulated(load("chain").resolve((), ("topology.hops=3",)), 1.0, [])
    before = len(list(Path("/proc/self/fd").iterdir()))
    for _ in range(3):
        emulation = _engine.Emulation(scenario, 1, 1e-3, None)
        emulation.stop()
        emulation.run()
        emulation.finish()
    assert len(list(Path("/proc/self/fd").iterdir())) == before


@real
def test_a_shell_is_in_the_node(tmp_path: Path) -> None:
    mark = f"mark-{os.getpid()}-shell"
    program = f"import socket; s = socket.socket(); s.bind(('10.0.0.2', 0)); print('bound', {os.getpid()})"
    with under_way(
        "-s", "topology.hops=2", "--", "sh", "-c", "sleep 1000", mark, cwd=tmp_path, until=mark, count=2
    ) as running:
        line = [MULTIHOP, "shell", "--emulation", str(running.pid)]
        done = subprocess.run(
            [*line, "1", "--", sys.executable, "-c", program], capture_output=True, text=True, check=False
        )
        assert (done.returncode, done.stdout) == (0, f"bound {os.getpid()}\n"), done.stderr
        done = subprocess.run([*line, "9"], capture_output=True, text=True, check=False)
        assert done.returncode == 2
        assert "there is no node `9`; it has 0, 1, 2" in " ".join(done.stderr.split())
        with subprocess.Popen([*line, "0", "--", "sleep", "1234.5"], text=True) as visitor:
            end = time.monotonic() + PATIENCE_S
            while not processes("1234.5") and time.monotonic() < end:
                time.sleep(0.05)
            time.sleep(0.5)
            running.kill()
            assert visitor.wait(PATIENCE_S) == 128 + signal.SIGHUP, "it ends with the emulation"


def test_without_an_emulation_there_is_no_shell(tmp_path: Path) -> None:
    done = subprocess.run(
        [MULTIHOP, "shell", "0", "--emulation", "1"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert "there is no such emulation" in " ".join(done.stderr.split())


@real
def test_without_capabilities_it_says_which(tmp_path: Path) -> None:
    program = (
        "import ctypes, os; [ctypes.CDLL(None).prctl(24, cap, 0, 0, 0) for cap in (12, 21)];"  # PR_CAPBSET_DROP
        f"os.execv('{MULTIHOP}', ['multihop', 'emulate', 'chain', '--', 'true'])"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=False)
    said = " ".join(done.stderr.split())
    assert done.returncode == 2, said
    assert "CAP_NET_ADMIN and CAP_SYS_ADMIN" in said
    assert "sudo" in said
    assert not list((tmp_path / ".multihop" / "records").glob("*"))
