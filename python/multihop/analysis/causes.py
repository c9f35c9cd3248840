"""Why packets were dropped: the causes, their classes and their sentences, as the engine states them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from multihop import _engine


@dataclass(frozen=True, slots=True)
class Class:
    """A kind of loss: congestion, contention, the channel, routing."""

    name: str
    was: str
    """What such a loss was, after "in 3 cases"; `{cause}` stands for the name of the cause."""
    slotted: str
    """The same over a slotted link; empty if it is the same."""

    def kind(self, cause: str) -> str:
        """The name of the class, or that of the cause if each cause of the class is a kind of its own."""
        return cause if "{cause}" in self.was else self.name


@dataclass(frozen=True, slots=True)
class Cause:
    """A cause of a drop."""

    name: str
    """As in results: `queue full`."""
    kind: str
    """What JSON documents call its class."""
    group: str
    """The name of its class."""
    layer: str
    """The layer that drops the packet."""
    links: str
    """Over which links it occurs: `any`, `802.11` or `slotted`."""
    reasons: tuple[str, ...]
    """The names under which the ledger counts it."""
    meaning: str
    """What happened, in one sentence."""
    slotted: str
    """The same over a slotted link; empty if it is the same."""
    source: str
    """Which keys of a scenario bring it about; may be empty."""

    def described(self) -> str:
        """Its meaning over all links, and where it comes from."""
        over = f"Over FRN, {self.slotted[0].lower()}{self.slotted[1:]}" if self.slotted else ""
        return " ".join(filter(None, (self.meaning, over, self.source)))


_ENGINE: dict[str, list[dict[str, Any]]] = json.loads(_engine.causes())
CLASSES = {entry["name"]: Class(**entry) for entry in _ENGINE["classes"]}
"""The classes of causes, and of losses that TCP saw without a drop of the segment."""


def _cause(entry: dict[str, Any]) -> Cause:
    group, reasons = entry.pop("class"), tuple(entry.pop("reasons"))
    return Cause(**entry, group=group, kind=CLASSES[group].kind(entry["name"]), reasons=reasons)


CAUSES = {entry["name"]: _cause(entry) for entry in _ENGINE["causes"]}
"""Every cause by its name."""
FATES: dict[str, str] = {entry["name"]: entry["class"] for entry in _ENGINE["fates"]}
"""What a TCP loss was where the segment was not dropped: the class by how the truth begins."""
UNKNOWN = "other"
"""The kind of a cause that this version does not know."""
KINDS = (*dict.fromkeys((*(cause.kind for cause in CAUSES.values()), *FATES.values())), UNKNOWN)
"""What a TCP loss event can have been in truth."""


def dropped_ack(truth: str) -> str | None:
    """The cause for which the ACK was dropped, if that is what a truth says."""
    before = next((begin for begin in FATES if begin.endswith(": ") and truth.startswith(begin)), None)
    return None if before is None else truth.removeprefix(before)


def kind_of(truth: str) -> str:
    """What a truth amounts to, one of `KINDS`."""
    fate = next((kind for begin, kind in FATES.items() if truth.startswith(begin)), None)
    return fate or (CAUSES[truth].kind if truth in CAUSES else UNKNOWN)


def group_of(kind: str) -> str:
    """The class of a kind of loss."""
    return next((cause.group for cause in CAUSES.values() if cause.kind == kind), kind)


def meaning(cause: str, slotted: bool) -> str:
    """The sentence of a cause over 802.11, or over a slotted link; empty if this version does not know it."""
    known = CAUSES.get(cause)
    if known is None:
        return ""
    return known.slotted if slotted and known.slotted else known.meaning


def was(kind: str, slotted: bool) -> str:
    """What a loss of this kind was, after "in 3 cases", over 802.11 or over a slotted link."""
    known = CLASSES.get(group_of(kind))
    if known is None:
        return "this version does not know the cause"
    return (known.slotted if slotted and known.slotted else known.was).format(cause=kind)
