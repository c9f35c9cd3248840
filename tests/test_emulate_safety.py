"""Nothing of an emulation outlives it, whenever it is killed."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from emulations import MULTIHOP, PATIENCE_S, TRANSFER, gone, host, real

pytestmark = [pytest.mark.alone, pytest.mark.xdist_group("kernel")]  # what they load, all of the machine sees

SHOWN = (
    "ip netns list",
    "ip -o link show",
    "ip route show table all",
    "ip rule",
    "tc qdisc show",
    "bpftool struct_ops show",
    "bpftool -j prog show",
    "bpftool -j map show",
)
"""What the tools of Linux say of names, devices, routes, queues and programs of the kernel."""
LATEST_S = 3.0
"""The latest moment of a kill [s]: the programs run then."""


def settings() -> dict[str, str]:
    """All switches of the network of the host."""
    found = {}
    for file in Path("/proc/sys/net").rglob("*"):
        with contextlib.suppress(OSError):
            if file.is_file():
                found[str(file)] = file.read_text(encoding="utf-8", errors="replace")
    return found


def shown() -> dict[str, str]:
    """What tools show, as far as they are installed."""
    tools = [line.split() for line in SHOWN if shutil.which(line.split()[0])]
    return {" ".join(tool): subprocess.run(tool, capture_output=True, text=True, check=False).stdout for tool in tools}


def doors(process: int) -> bool:
    """Whether the way into an emulation of this process is still there."""
    return f"@multihop-emulation-{process}" in Path("/proc/net/unix").read_text(encoding="utf-8", errors="replace")


@real
@pytest.mark.parametrize("times", [3, pytest.param(100, marks=pytest.mark.long)])
def test_killed_at_any_moment_it_leaves_nothing(times: int, tmp_path: Path) -> None:
    before = (host(), settings(), shown())
    moments = np.random.default_rng(times).uniform(0.0, LATEST_S, times)
    running = 0
    for number, moment in enumerate(moments):
        mark = f"mark-{os.getpid()}-{times}-{number}"
        send = ["sh", "-c", f"{TRANSFER} send 10.0.0.3 5000 60 & setsid sleep 100 & wait", mark]
        line = [MULTIHOP, "emulate", "chain", "-s", "topology.hops=2", "--kick", "1 s", "--pcap"]
        line += ["--serve", f"2: {sys.executable} {TRANSFER.split()[1]} receive 5000", "--", *send]
        with subprocess.Popen(line, cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as one:
            time.sleep(moment)
            running += doors(one.pid)
            one.send_signal(signal.SIGKILL)
            one.wait(PATIENCE_S)
            assert gone(mark), moment
            assert not doors(one.pid), moment
        assert host() == before[0], moment
    assert shown() == before[2]
    after = settings()
    assert {name: after[name] for name in before[1] if after.get(name) != before[1][name]} == {}
    assert times < 10 or running > 10, "some were killed while programs ran"
