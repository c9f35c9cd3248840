"""Figures of packets and attempts that died in contention or congestion."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from .view import Arguments, MetricError, RunView, alone

LIMITS = ("short", "long")
SHARES = ("contention", "congestion")
DENOMINATORS = ("hops", "packets")


def drop_share(run: RunView, arguments: Arguments) -> float:
    """Packets [%] that the MAC gave up (`contention`) or a queue had no room for (`congestion`).

    Of all that nodes handed to their queues (`hops`: a packet counts at every node), or that the ends made (`packets`).
    """
    by, among = _one_of(SHARES, arguments, "by"), _one_of(DENOMINATORS, arguments, "among")
    nodes = run.data["nodes"]
    given_up = sum(n["given_up_rts"] + n["given_up_data"] for n in nodes)
    overflowed = sum(drop["n"] for drop in run.data["drops"] if drop["reason"] == "queue-full")
    if among == "packets":
        of = run.data["ledger_measured"]["created"]
    else:
        # Of two packets in one frame each has its own fate.
        beside = run.data["counters"].get("frn.combined", 0)
        of = sum(n["frames"]["data"] - n["ack_failures"] for n in nodes) + beside + given_up + overflowed
    return 100 * (given_up if by == "contention" else overflowed) / of if of else math.nan


def failed_attempts(run: RunView, arguments: Arguments) -> float:
    """Attempts of all nodes that failed and count against a retry limit: RTS and short frames, or long ones."""
    counters: Mapping[str, Any] = run.data["counters"]
    long = counters.get("mac.long-failures", 0)
    if _one_of(LIMITS, arguments, "limit") == "long":
        return float(long)
    return float(counters.get("mac.rts-failures", 0) + counters.get("mac.ack-failures", 0) - long)


def killed(run: RunView, arguments: Arguments) -> float:
    """Packets that a node lost to contention, most of whose last attempts met a station's transmissions."""
    node, by = arguments["node"], arguments["by"]
    if "all" in (node, by):
        alone(run.data["nodes"], "name", "node")
    rows = [drop for drop in run.data["drops"] if node in ("all", drop["node"])]
    found = [killer for drop in rows for killer in drop["killers"]]
    return float(sum(k["n"] for k in found if by in ("all", k["by"]) or (by == "hidden" and k["hidden"])))


def _one_of(known: tuple[str, ...], arguments: Arguments, key: str) -> str:
    if arguments[key] not in known:
        raise MetricError(f"`{key}` is one of {', '.join(known)}, not `{arguments[key]}`")
    return arguments[key]
