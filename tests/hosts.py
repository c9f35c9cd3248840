"""Two hosts and a wire between them, in namespaces of their own: real hosts for what `multihop deploy` puts there.

`hosts.py` runs in the namespace of the first host (`unshare --net`). The second one listens behind a route:
192.0.2.1 ── v0 ~ v1 ── 192.0.2.2, 198.51.100.1

hosts.py outage TECHNIQUE OUT BACK SECONDS  a transfer of so long; its route is gone between two instants [s]
hosts.py killed TECHNIQUE                   the command is killed; says which devices and programs are left
hosts.py left TECHNIQUE                     the command ends while there is no route: what becomes of the connection
"""

from __future__ import annotations

import contextlib
import shlex
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

MULTIHOP = str(Path(sys.executable).with_name("multihop"))
TRANSFER = [sys.executable, str(Path(__file__).with_name("transfer.py"))]
FAR = "198.51.100.1"
PORT = "5000"
PATIENCE_S = 20.0


def say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def do(line: str) -> None:
    subprocess.run(shlex.split(line), check=True)


def devices() -> list[str]:
    """Those of this namespace."""
    lines = Path("/proc/self/net/dev").read_text(encoding="ascii").splitlines()[2:]
    return sorted(line.split(":")[0].strip() for line in lines)


def route(verb: str) -> None:
    do(f"ip route {verb} {FAR} via 192.0.2.2")


@contextlib.contextmanager
def two_hosts() -> Iterator[None]:
    """Makes the second host, the wire, and what listens there."""
    with subprocess.Popen(["unshare", "--net", "sleep", "120"]) as other:
        try:
            end = time.monotonic() + PATIENCE_S
            mine = Path("/proc/self/ns/net").readlink()
            while Path(f"/proc/{other.pid}/ns/net").readlink() == mine:
                assert time.monotonic() < end
                time.sleep(0.02)
            there = f"nsenter --target {other.pid} --net"
            do("ip link set lo up")
            do(f"ip link add v0 type veth peer name v1 netns {other.pid}")
            for line in ("ip link set lo up", "ip addr add 192.0.2.2/24 dev v1", "ip link set v1 up"):
                do(f"{there} {line}")
            do(f"{there} ip addr add {FAR}/32 dev lo")
            do("ip addr add 192.0.2.1/24 dev v0")
            do("ip link set v0 up")
            route("add")
            with subprocess.Popen([*there.split(), *TRANSFER, "receive", PORT]) as listening:
                try:
                    yield
                finally:
                    listening.kill()
        finally:
            other.kill()


@contextlib.contextmanager
def deployed(technique: str) -> Iterator[subprocess.Popen[str]]:
    """The command, once it has said that it is there."""
    line = [MULTIHOP, "deploy", technique, "--interface", "v0", "--any-kernel"]
    with subprocess.Popen(line, stdout=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None
        assert "stands below connections by v0" in running.stdout.readline()
        try:
            yield running
        finally:
            running.terminate()
            say(running.stdout.read())


def outage(technique: str, out: str, back: str, seconds: str) -> None:
    with two_hosts(), deployed(technique):
        begun = time.monotonic()
        with subprocess.Popen([*TRANSFER, "send", FAR, PORT, seconds, "reno", "0.01"]) as sending:
            for at, verb in ((out, "del"), (back, "add")):
                time.sleep(max(0.0, begun + float(at) - time.monotonic()))
                route(verb)
            sending.wait()
        time.sleep(0.5)  # what is under way arrives


def killed(technique: str) -> None:
    with two_hosts(), deployed(technique) as running:
        assert "multihop0" in devices()
        running.kill()
        running.wait()
        end = time.monotonic() + PATIENCE_S
        while "multihop0" in devices() and time.monotonic() < end:
            time.sleep(0.05)
        say(f"devices: {' '.join(devices())}")
        subprocess.run([*TRANSFER, "send", FAR, PORT, "0.5", "reno"], check=True)
        time.sleep(0.3)


def left(technique: str) -> None:
    with two_hosts():
        with deployed(technique):
            sending = subprocess.Popen([*TRANSFER, "send", FAR, PORT, "60", "reno"], stderr=subprocess.PIPE, text=True)
            time.sleep(1.5)
            route("del")
            time.sleep(1.0)
        try:
            _, error = sending.communicate(timeout=PATIENCE_S)
            say(error.strip().splitlines()[-1])
        finally:
            sending.kill()


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["outage", technique, out, back, seconds]:
            outage(technique, out, back, seconds)
        case ["killed", technique]:
            killed(technique)
        case ["left", technique]:
            left(technique)
        case _:
            raise SystemExit(__doc__)
