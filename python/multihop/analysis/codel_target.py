"""CoDel's target against the time of one packet, in runs that have been, and what CoDel dropped in them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from multihop import _engine
from multihop.ceiling import hasty
from multihop.ceiling.reach import Reach
from multihop.text import plural

if TYPE_CHECKING:
    from multihop.record.record import Records

CODEL = "codel"
"""The value of `queue.aqm`."""


def words(records: Records) -> str:
    """Where the target is below the time of one packet, and how many packets were dropped early in the measured time;
    empty if all is well."""
    values: Mapping[str, Any] = records.scenario["values"]
    if not any(said["value"] == CODEL for key, said in values.items() if key.endswith("queue.aqm")):
        return ""
    reach = Reach(_engine.resolve(records[0].resolved_text, records.name, [], []))
    if not (said := hasty.words(reach.hasty())):
        return ""
    flows = (flow for run in records.runs for flow in run["flows"])
    early = sum(flow["ledger_measured"]["dropped"].get("early-drop", 0) for flow in flows)
    return " ".join([*said, f"It dropped {plural(early, 'packet')} early here."])
