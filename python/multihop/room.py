"""What some runs will need: disk and memory, estimated before they begin."""

from __future__ import annotations

import resource
import shutil
from pathlib import Path

from multihop.errors import InputError
from multihop.plan import Arm, Plan

RECORD_BYTES = 72 * 1024
"""Disk that the smallest record takes: some fifteen files of at least one block each."""
RUN_BYTES = 12 * 1024
"""Memory that a run takes in Python while its command lasts, without flows and nodes."""
FLOW_BYTES = 4 * 1024
"""Memory for each flow of a run."""
NODE_BYTES = 1024
"""Memory for each node of a run."""
MUCH = 0.5
"""Share of what is free from which on it is worth a word."""


def check(plan: Plan, threads: int) -> list[str]:
    """Warnings about what the runs of a plan will need; raises InputError if there is not so much."""
    del threads
    disk = memory = 0
    for arms, runs in plan.groups():
        disk += len(runs) * RECORD_BYTES
        memory += len(runs) * _kept(arms[0])
    advice = "; take fewer --runs, or run them in parts that begin at other seeds"
    return [
        *_judge("disk", disk, _free_disk(plan.store.root), f"at {plan.store.root}{advice}, or name another --out"),
        *_judge("memory", memory, _free_memory(), f"here{advice}"),
    ]


def amount(size: float) -> str:
    """A size as people write it: `1.2 GB`."""
    for unit in ("bytes", "kB", "MB", "GB", "TB"):
        if size < 1000 or unit == "TB":
            break
        size /= 1000
    return f"{size:.3g} {unit}" if size < 1000 else f"{size:,.0f} {unit}"


def _judge(what: str, need: float, free: float, where: str) -> list[str]:
    if need > free:
        raise InputError(f"these runs need about {amount(need)} of {what}, and {amount(free)} are free {where}")
    if need > MUCH * free:
        return [f"these runs need about {amount(need)} of {what}; {amount(free)} are free"]
    return []


def _kept(arm: Arm) -> int:
    return RUN_BYTES + FLOW_BYTES * len(arm.info["flows"]) + NODE_BYTES * len(arm.info["nodes"])


def _free_disk(root: Path) -> float:
    folder = root.absolute()
    while not folder.is_dir() and folder != folder.parent:
        folder = folder.parent
    try:
        return float(shutil.disk_usage(folder).free)
    except OSError:
        return float("inf")


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
