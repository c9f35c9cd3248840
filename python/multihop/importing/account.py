"""What an import read, left out, did not use and assumed: said in one line of output and in a comment of the file."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from multihop.text import listing, plural, printable

SHOWN = 6
"""As many names of a kind are written out; the others are counted."""
MOST_NAMES = 300
"""As many different unused properties are remembered; the others are counted."""
LONGEST = 120
"""Longest name or reason that is repeated from a file [characters]."""
MEASURE = re.compile(
    r"loss|etx|tq|lq|quality|snr|rssi|signal|noise|rate|throughput|speed|capacity|bandwidth|channel|freq|band|"
    r"cost|metric|latency|rtt|delay|distance|airtime|weight|pdr|prr|power|gain|antenna|height|type|medium|status",
    re.IGNORECASE,
)
"""Properties that say something of a radio link are named first."""

Kind = tuple[str, str]
"""What was left out: one of it and several of it."""
OFFLINE: Kind = ("offline node", "offline nodes")
NO_PLACE: Kind = ("node without a place", "nodes without a place")
NO_EARTH: Kind = ("place that is none on Earth", "places that are none on Earth")
FAR: Kind = ("node far from the others", "nodes far from the others")
UNLINKED: Kind = ("node without a radio link", "nodes without a radio link")
CABLE: Kind = ("cable", "cables")
JOINED: Kind = ("cable whose ends became one node", "cables whose ends became one node")
TUNNEL: Kind = ("tunnel", "tunnels")
TO_ITSELF: Kind = ("link from a node to itself", "links from a node to itself")
NO_END: Kind = ("link whose end is no node of the file", "links whose ends are no nodes of the file")
TO_OFFLINE: Kind = ("link of an offline node", "links of offline nodes")
TOO_WEAK: Kind = ("link that delivers nothing", "links that deliver nothing")
UNREADABLE: Kind = ("row that cannot be read", "rows that cannot be read")
BAD_CELL: Kind = ("cell that cannot be read", "cells that cannot be read")
OTHER_SHAPE: Kind = ("shape that is neither point nor line", "shapes that are neither point nor line")


@dataclass(slots=True)
class _Tally:
    count: int = 0
    shown: list[str] = field(default_factory=list)


class Account:
    """What became of everything that the files have."""

    def __init__(self) -> None:
        self._left_out: dict[Kind, _Tally] = {}
        self._unused: dict[str, None] = {}
        self._more_unused = 0
        self._assumed: dict[str, None] = {}

    def leave_out(self, kind: Kind, what: str = "") -> None:
        """One more thing was left out; `what` names it, or says why."""
        tally = self._left_out.setdefault(kind, _Tally())
        tally.count += 1
        if what and len(tally.shown) < SHOWN:
            tally.shown.append(tidy(what))

    def count(self, *kinds: Kind) -> int:
        """How many things of these kinds were left out."""
        return sum(self._left_out[kind].count for kind in kinds if kind in self._left_out)

    def unused(self, names: Iterable[object]) -> None:
        """Properties or columns that say nothing to this program."""
        for name in names:
            said = tidy(str(name))
            if said and said not in self._unused:
                if len(self._unused) < MOST_NAMES:
                    self._unused[said] = None
                else:
                    self._more_unused += 1

    def assume(self, sentence: str) -> None:
        """What the file does not say, and what was taken in its place."""
        self._assumed[tidy(sentence, 2 * LONGEST)] = None

    def left_out(self) -> str:
        """What was left out, with counts and the first names; nothing if nothing was."""
        said = []
        for (one, many), tally in self._left_out.items():
            more = [f"{tally.count - len(tally.shown)} more"] if tally.shown and tally.count > len(tally.shown) else []
            names = f" ({', '.join([*tally.shown, *more])})" if tally.shown else ""
            said.append(plural(tally.count, one, many) + names)
        return ", ".join(said)

    def sentences(self, *, whole: bool = False) -> list[str]:
        """All of it; `whole` names every property that is not used, else some stand for all."""
        left_out = self.left_out()
        said = [f"Left out: {left_out}."] if left_out else []
        if self._unused:
            names = sorted(self._unused, key=lambda name: MEASURE.search(name) is None)
            shown = names if whole else names[:SHOWN]
            more = len(names) + self._more_unused - len(shown)
            words = [*(f"`{name}`" for name in shown), *([plural(more, "other")] if more else [])]
            said.append(f"Not used: {listing(words)}.")
        if self._assumed:
            said.append(f"Assumed: {'; '.join(self._assumed)}.")
        return said


def tidy(text: str, longest: int = LONGEST) -> str:
    """A text from a file on one line, with nothing that a terminal obeys, and not too long."""
    line = printable(" ".join(text[: 4 * longest].split()))
    return line if len(line) <= longest else f"{line[: longest - 1]}…"
