"""Which record the latest is: a store may have got another from a second terminal."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from multihop.record.record import Records
from multihop.store.store import Store
from multihop.text import listing, plural

MINUTE_S, HOUR_S, DAY_S = 60, 3600, 86400
"""What an age is counted in [s]."""


def latest_line(store: Store, sets: Sequence[Records]) -> str:
    """What was taken as the latest: its ids, its age, and the command that made it."""
    ids = [f"{records.id[:12]} ({records.label})" for records in sets]
    which = f"record is {ids[0]}" if len(ids) == 1 else f"records are {listing(ids)}"
    told = store.latest()
    if told is None or told.sets != tuple(records.id for records in sets) or not told.made:
        return f"The latest {which}."
    by = f" by: {told.command}" if told.command else ""
    return f"The latest {which}, made {age(datetime.fromisoformat(told.made))}{by}"


def age(then: datetime) -> str:
    """How long ago that was, in words: `just now`, `3 minutes ago`."""
    seconds = (datetime.now(UTC) - then).total_seconds()
    for unit, name in ((DAY_S, "day"), (HOUR_S, "hour"), (MINUTE_S, "minute")):
        if seconds >= unit:
            return f"{plural(int(seconds // unit), name)} ago"
    return "just now"
