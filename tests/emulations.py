"""What tests of emulations share. Where no namespace can be made, tests are skipped and say so."""

from __future__ import annotations

import contextlib
import json
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from multihop import _engine
from multihop.scenario.scenario import load

TRANSFER = f"{sys.executable} {Path(__file__).with_name('transfer.py')}"
MULTIHOP = str(Path(sys.executable).with_name("multihop"))
PATIENCE_S = 60.0


def refused() -> str:
    """Why no namespace can be made here; nothing if one can."""
    if not hasattr(_engine, "Emulation"):
        return "emulations need Linux"
    scenario = _engine.emulated(load("chain").resolve((), ("topology.hops=1",)), 1.0, [])
    try:
        _engine.Emulation(scenario, 1, 1e-3, None)
    except _engine.EngineError as e:
        return str(e)
    return ""


real = pytest.mark.skipif(bool(refused()), reason=f"no namespace can be made here: {refused()}")


def emulate(*words: str, cwd: Path, code: int | None = 0, scenario: str = "chain") -> subprocess.CompletedProcess[str]:
    # How late this machine is says nothing of what is tested here.
    line = [MULTIHOP, "emulate", scenario, "--lag", "10 s", *words]
    done = subprocess.run(line, cwd=cwd, capture_output=True, text=True, timeout=PATIENCE_S, check=False)
    assert code is None or done.returncode == code, done.stdout + done.stderr
    return done


def run_of(done: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    run: dict[str, Any] = json.loads(done.stdout)["runs"][0]
    return run


def carried(flow: dict[str, Any], output: str) -> float:
    """What a flow carried while its program sent [bit/s]: programs take their time to start."""
    said = re.search(r"^sent \d+ in ([\d.]+) s$", output, re.MULTILINE)
    assert said, output
    return float(flow["delivered_bytes"]) * 8 / float(said[1])


def host() -> dict[str, str]:
    """What an emulation must leave alone."""
    files = ["net/dev", "net/route", "net/fib_trie", "net/if_inet6", "sys/net/ipv4/ip_forward", "self/mounts"]
    files += ["sys/net/ipv4/tcp_congestion_control", "sys/net/ipv4/tcp_ecn", "sys/net/ipv6/conf/all/disable_ipv6"]
    found = {}
    for name in files:
        with contextlib.suppress(OSError):
            found[name] = Path("/proc", name).read_text(encoding="utf-8")
    # counters move by themselves
    found["net/dev"] = "\n".join(line.split(":")[0] for line in found["net/dev"].splitlines())
    return found


def processes(mark: str) -> list[int]:
    """Processes with this text on their command line."""
    found = []
    for folder in Path("/proc").iterdir():
        with contextlib.suppress(OSError, ValueError):
            words = (folder / "cmdline").read_bytes().split(b"\0")
            if any(mark.encode() == word for word in words):
                found.append(int(folder.name))
    return found


@contextlib.contextmanager
def under_way(*words: str, cwd: Path, until: str, count: int) -> Iterator[subprocess.Popen[str]]:
    """An emulation whose command line has this mark, once so many processes have it."""
    line = [MULTIHOP, "emulate", "chain", "--lag", "10 s", *words]
    with subprocess.Popen(line, cwd=cwd, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as running:
        try:
            end = time.monotonic() + PATIENCE_S
            while len(processes(until)) < count:
                assert running.poll() is None, running.stderr and running.stderr.read()
                assert time.monotonic() < end
                time.sleep(0.05)
            yield running
        finally:
            running.kill()


def gone(mark: str) -> bool:
    """Whether all processes with this mark end soon."""
    end = time.monotonic() + 10.0
    while processes(mark):
        if time.monotonic() > end:
            return False
        time.sleep(0.05)
    return True
