"""What some runs will need: disk and memory, estimated before they begin."""

from __future__ import annotations

import os
import re
import resource
import shutil
from pathlib import Path

from multihop.errors import InputError
from multihop.running.plan import Arm, Plan
from multihop.scenario.quantity import BYTES
from multihop.text import amount

RECORD_BYTES = 72 * 1024
"""Disk that the smallest record takes: some fifteen files of at least one block each."""
RUN_BYTES = 12 * 1024
"""Memory that a run takes in Python while its command lasts, without flows and nodes."""
FLOW_BYTES = 4 * 1024
"""Memory for each flow of a run."""
NODE_BYTES = 1024
"""Memory for each node of a run."""
SERIES_SHARE = 0.5
"""Disk that a series takes at most, as a share of what it takes in memory, where there are two copies."""
CAPTURE_BYTES = 10**9
"""Disk that the captures of a run may take, unless `MULTIHOP_CAPTURE` says otherwise."""
MOST_BYTES = 1e18
"""A size in the environment that is larger means this."""
MUCH = 0.5
"""Share of what is free from which on it is worth a word."""


def capture_limit() -> int:
    """Bytes that the captures of a run may take: 1 GB, or what `MULTIHOP_CAPTURE` says; raises InputError."""
    return _size("MULTIHOP_CAPTURE") or CAPTURE_BYTES


def threads(plan: Plan, wanted: int) -> int:
    """How many runs may go on at once: together they stay within the free memory, and within `MULTIHOP_MEMORY`."""
    largest = max((arms[0].resolved.needs()[0] for arms, _ in plan.groups()), default=0)
    most = min(_free_memory(), _size("MULTIHOP_MEMORY") or float("inf"))
    return wanted if largest * wanted <= most else max(1, int(most / largest))


def check(plan: Plan, threads: int, wanted: int) -> list[str]:
    """Warnings about what the runs of a plan will need; raises InputError if there is not so much.

    Runs that the store has take memory, and no more disk.
    """
    room = _free_disk(plan.store.root)
    made = plan.to_make(lambda arm, runs: runs * _stored(arm) > room)
    disk = sum(runs * _stored(arm) for arm, runs in made)
    captures = sum(runs * min(arm.resolved.needs()[2], plan.limit) for arm, runs in made)
    memory = sum(len(runs) * _kept(arms[0]) for arms, runs in plan.groups())
    advice = "; take fewer --runs, or run them in parts that begin at other seeds"
    said = []
    if threads < wanted and len(plan) > threads:
        at_once = "one run" if threads == 1 else f"{threads} runs"
        said.append(f"{at_once} at once instead of {wanted}: more would not fit into the memory")
    free = room - disk
    if plan.pcap and captures > free:
        said.append(
            f"the captures may take up to {amount(captures)} of disk; {amount(max(0.0, free))} are free at "
            f"{plan.store.root}: take fewer --runs, or a smaller MULTIHOP_CAPTURE"
        )
    return [
        *said,
        *_judge("disk", disk, room, f"at {plan.store.root}{advice}, or name another --out"),
        *_judge("memory", memory, _free_memory(), f"here{advice}"),
    ]


def _size(name: str) -> int | None:
    """A size in the environment; None if it is not set. Raises InputError."""
    text = os.environ.get(name)
    if text is None:
        return None
    found = re.fullmatch(r"\s*([0-9]+(?:\.[0-9]*)?)\s*([kMGT]?B)\s*", text)
    size = int(min(float(found[1]) * {**BYTES, "TB": 1e12}[found[2]], MOST_BYTES)) if found else 0
    if not size:
        raise InputError(f"{name}: expected a size like 16 GB, not `{text}`")
    return size


def _judge(what: str, need: float, free: float, where: str) -> list[str]:
    if need > free:
        raise InputError(f"these runs need about {amount(need)} of {what}, and {amount(free)} are free {where}")
    if need > MUCH * free:
        return [f"these runs need about {amount(need)} of {what}; {amount(free)} are free"]
    return []


def _stored(arm: Arm) -> int:
    """Disk that the record of one run takes, without captures [bytes]."""
    return RECORD_BYTES + int(SERIES_SHARE * arm.resolved.needs()[1])


def _kept(arm: Arm) -> int:
    return RUN_BYTES + FLOW_BYTES * len(arm.info["flows"]) + NODE_BYTES * len(arm.info["nodes"])


def _free_disk(root: Path) -> float:
    folder = root.absolute()
    while not folder.is_dir() and folder != folder.parent:
        folder = folder.parent
    try:
        found = shutil.disk_usage(folder)
    except OSError:
        return float("inf")
    return float(found.free) if found.total else float("inf")  # not of a disk, like /proc: writing will say so


def _free_memory() -> float:
    """The least of what the machine has, what the control group may take, and what the process may [bytes]."""
    known = [float("inf")]
    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
        known += [1024.0 * int(line.split()[1]) for line in lines if line.startswith("MemAvailable:")]
    except (OSError, ValueError, IndexError):
        pass
    try:
        group = Path("/sys/fs/cgroup")
        known.append(
            float((group / "memory.max").read_text(encoding="ascii"))
            - float((group / "memory.current").read_text(encoding="ascii"))
        )
    except (OSError, ValueError):
        pass  # no group, or one without a limit
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    if limit != resource.RLIM_INFINITY:
        known.append(float(limit))
    return max(0.0, min(known))
