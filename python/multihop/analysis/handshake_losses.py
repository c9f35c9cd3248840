"""Packets that open a connection, among those that were dropped: TCP's own count of losses has them not."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from multihop.record.record import Record


def opening(records: Sequence[Record], flow: str) -> int:
    """How many packets that open the connection of a flow over TCP were dropped in the measured time, as far as drops
    were kept, in runs in which its source took nothing for lost: no other packet from the first byte on is dropped
    then, but one that is too young to be missed."""
    found = 0
    for record in records:
        ids = [str(entry["id"]) for entry in record.data["flows"]]
        entry = record.data["flows"][ids.index(flow)]
        values = record.scenario["values"]
        own = values.get(f"flow.{ids.index(flow)}.tcp.handshake") or values.get("tcp.handshake")
        dropped = any(drop["flow"] == flow and drop["kind"] == "tcp-data" for drop in record.data["drops"])
        if not own or own["value"] == "none" or entry.get("losses") or entry["retransmissions"] or not dropped:
            continue
        drops, measure = record.series("drops"), record.scenario["measure"]
        first = (drops["flow"] == flow) & (drops["kind"] == "tcp-data") & (drops["seq"] == 0)
        found += int((first & drops["time_s"].between(measure["from_s"], measure["to_s"])).sum())
    return found
