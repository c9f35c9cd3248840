"""Cures on a host: on that of a node of an emulation, and on one with a wire to another host."""

from __future__ import annotations

import ctypes.util
import os
import re
import shlex
import shutil
import socket
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from emulations import MULTIHOP, TRANSFER, emulate, real
from multihop.deploying.kick import Waiting, ends, plan, stalled, unreachable, waiting
from multihop.store.store import Store
from test_emulate_routes import AWAY, BACK

pytestmark = [pytest.mark.alone, pytest.mark.xdist_group("kernel")]  # what they load, all of the machine sees

SAID = """\
0      99840       10.0.0.1:48764       10.0.0.3:5000  reno wscale:7,7 rto:3296 backoff:3 rtt:231/92 mss:1448
0      0           10.0.0.1%air0:48766  10.0.0.4:80    reno wscale:7,7 rto:204 rtt:1/1
0      1           192.168.1.7:22       192.168.1.9:44000  timer:(on,12sec,5) cubic backoff:11 rtt:1/1
"""

loads = pytest.mark.skipif(
    bool(os.geteuid()) or shutil.which("clang") is None or ctypes.util.find_library("bpf") is None,
    reason="loading a congestion control needs root, clang and libbpf",
)


def deploy(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([MULTIHOP, "deploy", *words], capture_output=True, text=True, check=False)


def test_connections_that_back_off_are_found() -> None:
    first, second = waiting(SAID)
    assert first == Waiting(("10.0.0.1", 48764), ("10.0.0.3", 5000), 3)
    assert second == Waiting(("192.168.1.7", 22), ("192.168.1.9", 44000), 11)


def test_a_connection_without_acknowledgments_is_watched_before_it_backs_off() -> None:
    line = "0 99840 10.0.0.1:48764 10.0.0.3:5000 reno rto:904 cwnd:31 lastsnd:20 lastrcv:4012 lastack:{} unacked:{}\n"
    assert stalled(line.format(600, 31))
    assert not stalled(line.format(20, 31))
    assert not stalled(line.replace(" unacked:{}", "").format(600))


def test_a_segment_is_quoted_with_its_sequence_number() -> None:
    ip = bytes.fromhex("450000784d1c40004006") + bytes(2) + socket.inet_aton("10.0.0.1") + socket.inet_aton("10.0.0.3")
    tcp = bytes.fromhex("be7c13880102030400000000501801f600000000")
    assert ends(ip + tcp + bytes(80)) == (("10.0.0.1", 48764), ("10.0.0.3", 5000))
    assert ends(ip[:2] + bytes([0, 40]) + ip[4:] + tcp) is None, "an acknowledgment"
    assert ends(ip) is None, "cut off"
    said = unreachable("10.0.0.1", ip + tcp + bytes(80))
    assert (said[12:16], said[16:20], said[20:22]) == (ip[12:16], ip[12:16], bytes([3, 1]))
    assert said[28:] == ip + tcp[:8]


def test_what_it_would_do_is_said_and_not_done() -> None:
    done = deploy("kick", "--dry-run", "--interface", "wlan0", "--every", "1 s")
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == list(plan("wlan0", 1.0))
    assert "every 1 s: ss --tcp --info" in done.stdout


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["persistent-queue"], "it cannot be put on a real host; what can is kick, freeze, atcp and modified-atcp"),
        (["modified_atcp", "--interface", "lo"], "did you mean `modified-atcp`?"),
        (["atcp"], "expected --interface DEVICE"),
        (["kick", "--every", "0 s"], "expected a time of at least 1 ms"),
        (["kick", "--for", "soon"], "expected a time"),
        (["kick", "--any-kernel", "--interface", "none-such"], "--interface none-such: No such device"),
    ],
)
def test_what_cannot_be_is_refused(words: list[str], said: str) -> None:
    if "none-such" in words and os.geteuid():
        pytest.skip("the sockets need root")
    done = deploy(*words)
    assert done.returncode == 2, done.stdout
    assert said in " ".join(done.stderr.split())
    assert "Traceback" not in done.stderr


def test_an_unknown_kernel_is_refused() -> None:
    program = (
        "import os; from multihop.cli import main; was = os.uname(); "
        "os.uname = lambda: os.uname_result((was.sysname, was.nodename, '2.6.30', was.version, was.machine)); "
        "import sys; sys.argv = ['multihop', 'deploy', 'kick']; main()"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 2, done.stdout
    assert "this is 2.6.30. --any-kernel starts it all the same" in " ".join(done.stderr.split())


def test_the_plan_of_freeze_is_a_command_that_a_shell_takes() -> None:
    done = deploy("freeze", "--dry-run", "--name", "calm")
    assert done.returncode == 0, done.stderr
    first, *rest = done.stdout.splitlines()
    assert '-DNAME="calm"' in shlex.split(first)
    assert rest[2:] == list(plan(None, 2.0))


def test_the_plan_of_atcp_says_all_that_it_makes() -> None:
    done = deploy("atcp", "--dry-run", "--interface", "wlan0")
    assert done.returncode == 0, done.stderr
    said = done.stdout
    assert "TUN device multihop0" in said
    assert "`leaving` at what wlan0 sends, and `arriving` at what it receives" in said
    assert "-DLAYER=NUMBER" in said


def hosts(*words: str) -> str:
    """Two hosts in namespaces of their own, with the layer on one of them."""
    line = ["unshare", "--net", sys.executable, str(Path(__file__).with_name("hosts.py")), *words]
    return subprocess.run(line, capture_output=True, text=True, check=True, timeout=60.0).stdout


@real
@loads
def test_a_layer_below_a_real_host_stops_tcp_while_there_is_no_route() -> None:
    """The route is gone from 2 to 4.5 s. All bytes arrive, in order."""
    said = hosts("outage", "modified-atcp", "2", "4.5", "7")
    assert int(re.findall(r"^sent (\d+)", said, re.MULTILINE)[0]) == int(
        re.findall(r"^received (\d+)", said, re.MULTILINE)[0]
    )
    assert "There is no route: TCP is stopped (1 connection).\nThe receiver answers" in said
    stopped = re.search(r"TCP was stopped 1 time, in all for ([\d.]+) s; (\d+) probes", said)
    assert stopped, said
    assert 2.4 < float(stopped[1]) < 5.0
    assert int(stopped[2]) >= 2


@real
@loads
def test_the_layer_goes_with_its_process() -> None:
    """Also with one that is killed: its device and programs are gone, and new connections work."""
    said = hosts("killed", "atcp")
    assert "devices: lo v0\n" in said
    assert "received " in said


@real
@loads
def test_a_connection_is_reset_if_only_the_layer_has_its_segments() -> None:
    said = hosts("left", "atcp")
    assert "1 connection reset" in said
    assert "ConnectionResetError" in said


@real
@loads
def test_the_layer_hears_of_the_route_from_relays(tmp_path: Path) -> None:
    """On a host of an emulation. The relay is away from 4 to 9.6 s, and its neighbour says so."""
    (tmp_path / "away.toml").write_text(AWAY.format(end=30, down=4, node=1) + BACK)
    served = {"2": f"{TRANSFER} receive 5000", "0": f"{MULTIHOP} deploy modified-atcp --interface air0 --any-kernel"}
    text = "".join(f'[[command]]\nat = "{at}"\nrun = "{run}"\nserve = true\n' for at, run in served.items())
    send = f"{TRANSFER} send {{node:2}} 5000 24 reno"
    (tmp_path / "commands.toml").write_text(f'{text}[[command]]\nat = "0"\nrun = "{send}"\nstart = "2 s"\n')
    words = ["-s", "signals.unreachable=true", "--commands", "commands.toml"]
    done = emulate(*words, cwd=tmp_path, scenario=str(tmp_path / "away.toml"))
    assert "There is no route: TCP is stopped (1 connection)." in done.stdout + done.stderr
    tcp = Store.open(tmp_path / ".multihop").one()[0].series("tcp")
    assert tcp["snd_cwnd"].iloc[-1] > 10, "the window of before"
    assert tcp["una"].iloc[-1] > tcp["una"][tcp["time_s"] < 9.6].iloc[-1] + 100_000


def names() -> str:
    return Path("/proc/sys/net/ipv4/tcp_available_congestion_control").read_text(encoding="ascii")


@loads
def test_the_congestion_control_goes_with_its_process() -> None:
    """Also with one that is killed; a name is taken once."""
    words = [MULTIHOP, "deploy", "freeze", "--any-kernel", "--name", "test_calm"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None
        assert "test_calm is a congestion control of this host" in running.stdout.readline()
        assert "test_calm" in names()
        again = deploy(*words[2:], "--for", "1s")
        assert again.returncode == 2
        assert "there is one of this name: --name gives it another" in " ".join(again.stderr.split())
        running.kill()
        running.wait()
    end = time.monotonic() + 10
    while "test_calm" in names() and time.monotonic() < end:
        time.sleep(0.05)
    assert "test_calm" not in names()
    assert deploy("freeze", "--name", "a-b", "--any-kernel").returncode == 2


def window_to_fill(control: str, file: Path) -> float:
    """The window that recovery fills after the outage (ssthresh), as a share of the window before it."""
    name = control if control != "reno" else "for_reno"
    freezing = f"{MULTIHOP} deploy freeze --name {name} --every 0.5s --any-kernel"  # its kick acts in both
    served = {"2": f"{TRANSFER} receive 5000", "0": freezing}
    text = "".join(f'[[command]]\nat = "{at}"\nrun = "{run}"\nserve = true\n' for at, run in served.items())
    send = f"{TRANSFER} send {{node:2}} 5000 11 {control}"
    folder = file.parent / control
    folder.mkdir()
    (folder / "commands.toml").write_text(f'{text}[[command]]\nat = "0"\nrun = "{send}"\nstart = "2 s"\n')
    emulate("--commands", "commands.toml", cwd=folder, scenario=str(file))
    tcp = Store.open(folder / ".multihop").one()[0].series("tcp")
    moved = tcp["time_s"][(tcp["una"].diff() > 0) & (tcp["time_s"] > 9.6)].iloc[0]
    before = tcp["snd_cwnd"][tcp["time_s"] < 4].iloc[-1]
    return float(tcp["snd_ssthresh"][(tcp["time_s"] >= moved) & (tcp["time_s"] < moved + 1.0)].max() / before)


@real
@loads
def test_the_window_comes_back(tmp_path: Path) -> None:
    """The node is away from 4 to 9.6 s. Linux fills the window again by its recovery, up to ssthresh."""
    file = tmp_path / "away.toml"
    file.write_text(AWAY.format(end=15, down=4, node=1) + BACK)
    with ThreadPoolExecutor() as side_by_side:
        frozen, reno = side_by_side.map(window_to_fill, ("for_freeze", "reno"), [file] * 2)
    assert frozen > 0.9
    assert reno < 0.8 * frozen


@real
def test_it_has_tcp_go_on_at_once(tmp_path: Path) -> None:
    """The node is away from 4 to 9.6 s. A trickle keeps the timer of Linux at 0.2 s and little more.

    So it sends again by itself near 7.5 s, and not before 10.5 s.
    """
    file = tmp_path / "away.toml"
    file.write_text(AWAY.format(end=15, down=4, node=1) + BACK)
    commands = tmp_path / "commands.toml"
    runs = {
        "2": f"{TRANSFER} receive 5000",
        "0": f"{MULTIHOP} deploy kick --every 0.5s --any-kernel",
    }
    served = "".join(f'[[command]]\nat = "{at}"\nrun = "{run}"\nserve = true\n' for at, run in runs.items())
    send = f"{TRANSFER} send {{node:2}} 5000 12 reno 0.1"
    commands.write_text(f'{served}[[command]]\nat = "0"\nrun = "{send}"\nstart = "1 s"\n')
    done = emulate("--commands", str(commands), cwd=tmp_path, scenario=str(file))
    assert "10.0.0.3:5000 answers again: " in done.stdout + done.stderr
    tcp = Store.open(tmp_path / ".multihop").one()[0].series("tcp")
    times = tcp["time_s"][tcp["una"].diff() > 0]
    assert not ((times > 5.5) & (times < 9.6)).any(), "nothing arrives while it is away"
    assert ((times > 9.6) & (times < 10.5)).any(), "it goes on within a probe and a round trip"
