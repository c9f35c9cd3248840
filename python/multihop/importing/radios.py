"""What files say of radios: channel, width and MCS."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from multihop.text import listing

from .account import Account, tidy
from .network import Radio
from .quality import head, number

CHANNELS = ("channel", "chan", "freq", "frequency")
WIDTHS = ("width", "channel_width", "bandwidth", "chanbw", "htmode")
MCS = ("mcs", "mcs_index", "tx_mcs")
KNOWN_MHZ = (20, 40, 80, 160)
"""Widths that can be simulated [MHz]."""
MOST_CHANNEL = 233
MOST_RADIOS = 8
MOST_WORDS = 1000

Row = Mapping[str, object]


@dataclass(slots=True)
class Told:
    """What the files read so far say of channels, widths and rates."""

    words: dict[str, None] = field(default_factory=dict)
    """Channels and frequencies, as they are told."""
    widths: dict[tuple[int | None, int], None] = field(default_factory=dict)
    """Channels with the widths that they have [MHz]."""
    rates: dict[int | None, list[int]] = field(default_factory=dict)
    """MCS of the links of each channel."""

    def note(self, rows: Iterable[Row]) -> set[str]:
        """Takes in what rows of links or nodes say; returns the columns that were understood."""
        used = set()
        for row in rows:
            if found := _said(row, CHANNELS):
                used.add(found[0])
                if len(self.words) < MOST_WORDS:
                    self.words[tidy(str(found[1]), 20)] = None
            if (found := _said(row, WIDTHS)) and (width := _mhz(found[1])):
                used.add(found[0])
                self.widths[channel_of(row), width] = None
            if (found := _said(row, MCS)) and (mcs := number(found[1])) is not None and 0 <= mcs < 32:
                used.add(found[0])
                self.rates.setdefault(channel_of(row), []).append(int(mcs))
        return used

    def radio(self, account: Account, channels: Mapping[str, Sequence[int]]) -> Radio:
        """What it comes to; said where it is not what the files tell. `channels` are those of each node."""
        if len(self.words) > 1 and not channels:
            words = listing([*list(self.words)[:4], *(["others"] if len(self.words) > 4 else [])])
            account.assume(f"all links share one channel, not {words}")
        width = next((mhz for _, mhz in self.widths if mhz in KNOWN_MHZ), None)
        own: dict[int, int] = {}
        for channel, mhz in self.widths if channels else ():
            if channel is not None and mhz in KNOWN_MHZ:
                own.setdefault(channel, mhz)
        unlike = {mhz: None for channel, mhz in self.widths if mhz != own.get(channel or 0, width)}
        if unlike:
            others = listing([f"{mhz} MHz" for mhz in unlike])
            account.assume(f"channels are {f'{width} MHz wide' if width else 'as wide as usual'}, not {others}")
        told = {channel: rates for channel, rates in self.rates.items() if channel is not None} if channels else {}
        rest = [mcs for channel, rates in self.rates.items() if channel not in told for mcs in rates]
        all_ = rest or [mcs for rates in told.values() for mcs in rates]
        mcs = int(statistics.median_low(all_)) if all_ else None
        _assume(account, "all frames", rest)
        for channel, rates in told.items():
            _assume(account, f"frames on channel {channel}", rates)
        middle = {channel: int(statistics.median_low(rates)) for channel, rates in told.items()}
        modes = {channel: (own.get(channel), middle.get(channel)) for channel in {**own, **middle}}
        return Radio(width, mcs, channels, modes)


def _assume(account: Account, frames: str, rates: Sequence[int]) -> None:
    """That one MCS stands for several."""
    if len(set(rates)) > 1:
        middle = statistics.median_low(rates)
        account.assume(f"{frames} go at MCS {middle}, the middle one of {min(rates)} to {max(rates)}")


def channel_of(row: Row) -> int | None:
    """The number of the channel that a row tells, as such or as a frequency in MHz or GHz."""
    found = _said(row, CHANNELS)
    told = number(found[1]) if found else None
    if told is None:
        return None
    mhz = told * 1000 if 2.3 < told < 8 and told != int(told) else told
    if mhz >= 2400:
        first = 2407 if mhz < 2484 else 2414 if mhz < 2500 else 5000 if mhz < 5950 else 5950
        mhz = (mhz - first) / 5
    return int(mhz) if mhz == int(mhz) and 1 <= mhz <= MOST_CHANNEL else None


def _said(row: Row, names: Sequence[str]) -> tuple[str, object] | None:
    """The column of one of these names that says something, and what."""
    for key, value in row.items():
        if head(str(key))[0] in names and value not in (None, "", 0):
            return str(key), value
    return None


def _mhz(told: object) -> int | None:
    """A width, from a number or what OpenWrt calls it (`HT40+`, `VHT80`)."""
    known = number(told)
    digits = "".join(c for c in str(told)[:20] if c.isdigit())
    width = known if known is not None else float(digits) if digits else None
    return int(width) if width is not None and 1 <= width <= 320 else None
