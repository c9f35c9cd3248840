"""Which Wi-Fi a network has by what its files say of radios, and what of that it cannot follow."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from multihop.scenario.cards import BANDS, MOST_STREAMS, RATES, USUAL, WIDTHS, Mode, Wifi, mcs_of, width_of
from multihop.text import listing, plural

from .account import Account
from .network import Heard, Radio
from .radios import FORMATS

NEWEST = {"NOHT": 0, "HT": 1, "VHT": 2, "HE": 3, "EHT": 4}
"""Formats by age: radios of each understand those before."""
WIDE = 80
"""Widths from this on came with 802.11ac [MHz]."""
SHOWN = 4
"""As many values of a kind are named; the others are counted as such."""


@dataclass(frozen=True, slots=True)
class _Rate:
    """Streams and the MCS of each, and how the file calls them."""

    streams: int
    mcs: int
    label: str
    exact: str = ""
    """What the label does not say."""


@dataclass(slots=True)
class Told:
    """What the files say of radios, once all is read."""

    links: Sequence[Heard]
    nodes: Sequence[Heard]
    channels: Mapping[str, Sequence[int]]
    """The channels of each node; none if all share one."""
    why: str
    """Why they share one although several are told."""
    by_distance: bool
    """Whether cards choose their MCS."""
    account: Account
    all: list[Heard] = field(init=False)
    wifi: Wifi = field(init=False)

    def __post_init__(self) -> None:
        self.all = [*self.links, *self.nodes]

    def radio(self, asked: Wifi | None) -> Radio:
        """The radios, of the Wi-Fi that was asked for, else of the one that the files say; what differs is said."""
        bands = Counter(it.band for it in self.links if it.band) or Counter(it.band for it in self.nodes if it.band)
        self.wifi = asked or self._standard(bands)
        if asked:
            self._other_than_asked()
        band = self._band(bands)
        words = dict.fromkeys(it.word for it in self.all if it.word)
        if self.why and len(words) > 1:
            self.account.assume(f"all links share one channel, not {_some(words)}: {self.why}")
        self._numbers_of_two_bands()
        width, widths = self._widths()
        mode, modes = self._rates(width, widths)
        return Radio(self.wifi, mode, band == "2.4", self._mhz(band), self.channels, modes)

    def _standard(self, bands: Counter[str]) -> Wifi:
        """The newest that all radios understand, by the formats and widths that are told."""
        formats = sorted({it.format for it in self.all if it.format}, key=NEWEST.__getitem__)
        wide = [it.width for it in self.all if it.width and it.width >= WIDE]
        only_2ghz = set(bands) == {"2.4"}
        if not formats:
            wifi, why = (Wifi.AC, f"as the file has widths of {min(wide)} MHz") if wide else (USUAL, "")
        elif formats[0] == "NOHT":
            wifi, why = (Wifi.G if only_2ghz else Wifi.A), "as the file says NOHT"
        else:
            wifi, why = FORMATS[formats[0]][0], f"as the file says {formats[0]}"
        if len(formats) > 1:
            why = f"the newest that all radios of {listing(formats)} understand"
        elif formats == ["EHT"]:
            why = "as 802.11be (EHT) cannot be simulated"
        if wifi is Wifi.AC and only_2ghz:
            wifi, why = Wifi.N, "as 802.11ac has no 2.4 GHz, and the channels are there"
        if why and (wifi is not USUAL or len(formats) > 1 or only_2ghz):
            self.account.assume(f"all radios are of {wifi}, {why}")
        return wifi

    def _other_than_asked(self) -> None:
        formats = sorted({it.format for it in self.all if it.format}, key=NEWEST.__getitem__)
        own = {"NOHT": self.wifi if self.wifi in RATES else None, **{key: wifi for key, (wifi, _) in FORMATS.items()}}
        others = [name for name in formats if own[name] is not self.wifi]
        if others:
            self.account.assume(f"all radios are of {self.wifi} as asked, not of {listing(others)}")

    def _band(self, bands: Counter[str]) -> str:
        """The band of all radios [GHz]: that of most links, if the Wi-Fi has it."""
        known = BANDS[self.wifi]
        wish = max(bands, key=lambda band: (bands[band], band == "5"), default=None)
        band = wish if wish in known else known[0]
        for other in sorted({it.band for it in self.all if it.band} - {band}):
            numbers = dict.fromkeys(str(it.channel) for it in self.all if it.band == other and it.channel)
            what = (
                f"channel{'s' if len(numbers) > 1 else ''} {_some(numbers)} ({other} GHz)"
                if numbers
                else f"{other} GHz"
            )
            why = "as all radios are of one band" if other in known else f"as {self.wifi} has no {other} GHz"
            be = "are" if len(numbers) > 1 else "is"
            self.account.assume(f"{what} {be} simulated at {band} GHz, {why}")
        return str(band)

    def _mhz(self, band: str) -> int | None:
        """The middle of the first channel that is told, or of the usual one; at 5 GHz the profile's holds."""
        if band == "5":
            return None
        number = next((it.channel for it in self.all if it.band == band and it.channel), 6)
        if band == "6":
            return 5950 + 5 * number
        return 2484 if number == 14 else 2407 + 5 * number

    def _numbers_of_two_bands(self) -> None:
        """Channels of two bands that have one number."""
        bands: dict[int, dict[str, None]] = {}
        for it in self.all:
            if it.channel and it.band:
                bands.setdefault(it.channel, {})[it.band] = None
        both = [
            f"{number} of {listing(f'{band} GHz' for band in found)}"
            for number, found in bands.items()
            if found.keys() >= {"2.4", "6"}
        ]
        if both and self.channels:
            self.account.assume(f"channels of one number are one: {_some(both)}")

    def _widths(self) -> tuple[int | None, dict[int, int]]:
        """The width of all channels, None if none is told, and what channels have of their own [MHz]."""
        least = WIDTHS[self.wifi][0]
        known = [(it.channel, width_of(self.wifi, it.width)) for it in self.all if it.width and it.width >= least]
        base = known[0][1] if known else None
        own: dict[int, int] = {}
        for channel, width in known:
            if channel is not None and self.channels:
                own.setdefault(channel, width)
        usual = base or width_of(self.wifi, None)
        unlike: dict[tuple[int | None, int], dict[str, None]] = {}
        for it in self.all:
            channel = it.channel if self.channels else None
            has = own.get(channel or 0, usual)
            if it.width and it.width != has and not (self.wifi is Wifi.B and it.width == 22):
                unlike.setdefault((channel, has), {})[f"{it.width} MHz"] = None
        for (channel, has), told in list(unlike.items())[: 2 * SHOWN]:
            what = "channels are" if channel is None else f"channel {channel} is"
            self.account.assume(f"{what} {has} MHz wide, not {_some(told)}")
        return base, own

    def _rates(self, width: int | None, widths: Mapping[int, int]) -> tuple[Mode, dict[int, Mode]]:
        """MCS and streams of all frames, and what channels have of their own."""
        told = self._telling()
        if self.wifi in RATES:
            some = dict.fromkeys(f"MCS {it.mcs}" for it in told if it.mcs is not None)
            if some:
                rate = RATES[self.wifi].replace("Mbps", "Mb/s")
                self.account.assume(f"frames go at {rate}, not at {_some(some)}: {self.wifi} has no MCS")
            return Mode(width), {}
        usual = width or width_of(self.wifi, None)
        groups: dict[int | None, list[_Rate]] = {}
        for it in told:
            channel = it.channel if self.channels else None
            groups.setdefault(channel, []).append(self._followed(it, widths.get(channel or 0, usual)))
        middle = {channel: self._middle(channel, group) for channel, group in groups.items()}
        base = middle.get(None) or _median([rate for group in groups.values() for rate in group])
        own = [*widths, *(channel for channel in middle if channel is not None)]
        modes = {channel: _mode(widths.get(channel), middle.get(channel)) for channel in own}
        return _mode(width, base), modes

    def _telling(self) -> list[Heard]:
        """The links that tell an MCS or streams, and the nodes on channels where no link does."""
        links, nodes = ([it for it in some if it.mcs is not None or it.streams] for some in (self.links, self.nodes))
        told = {it.channel if self.channels else None for it in links}
        rest = [it for it in nodes if (it.channel if self.channels else None) not in told]
        known = {it.mcs for it in links}
        unused = [
            str(mcs) for mcs in dict.fromkeys(it.mcs for it in nodes if it not in rest) if mcs not in (None, *known)
        ]
        if unused:
            self.account.assume(f"MCS {_some(unused)} of nodes is not used, as links tell theirs")
        return [*links, *rest]

    def _followed(self, it: Heard, width: int) -> _Rate:
        """A rate as the Wi-Fi has it; said where it has none such."""
        highest, most = mcs_of(self.wifi, None, WIDTHS[self.wifi][-1], 1), MOST_STREAMS[self.wifi]
        streams, mcs, format_ = it.streams or 2, highest if it.mcs is None else it.mcs, it.format
        label, exact = f"{mcs}", ""
        if format_ is None and self.wifi is not Wifi.N and mcs > highest:
            self.account.assume(f"MCS above {highest} of links without a format are those of 802.11n")
            format_ = "HT"
        if it.mcs is not None and (format_ == "HT" or (format_ is None and self.wifi is Wifi.N)):
            if mcs > 7 or not it.streams:
                streams, mcs = mcs // 8 + 1, mcs % 8
            exact = f" (MCS {mcs} over {streams} streams)" if it.mcs > 7 else ""
        elif it.streams:
            exact = f" over {plural(streams, 'stream')}"
        if streams > most:
            self.account.assume(f"{streams} streams become {most}, the most of {self.wifi}")
            streams = most
        has = mcs_of(self.wifi, mcs, width, streams)
        if has != mcs:
            name = f"{it.format} MCS {mcs}" if it.format else f"MCS {mcs}"
            if it.mcs is not None:
                self.account.assume(f"{name} becomes MCS {has}, the fastest of {self.wifi} over {width} MHz")
            label = f"{has}"
        return _Rate(streams, has, label, exact)

    def _middle(self, channel: int | None, group: Sequence[_Rate]) -> _Rate:
        """The rate that stands for those of a channel, or of all."""
        ordered = sorted(group, key=_order)
        middle = _median(group) or ordered[0]
        if _order(ordered[0]) != _order(ordered[-1]):
            frames = "all frames" if channel is None else f"frames on channel {channel}"
            up_to = "up to " if self.by_distance else ""
            between = f"{ordered[0].label} to {ordered[-1].label}"
            self.account.assume(f"{frames} go at {up_to}MCS {middle.label}{middle.exact}, the middle one of {between}")
        return middle


def _order(rate: _Rate) -> tuple[int, int]:
    return rate.streams, rate.mcs


def _median(rates: Sequence[_Rate]) -> _Rate | None:
    """The lower middle one; None of none."""
    ordered = sorted(rates, key=_order)
    return ordered[(len(ordered) - 1) // 2] if ordered else None


def _mode(width: int | None, rate: _Rate | None) -> Mode:
    return Mode(width, rate.mcs, rate.streams) if rate else Mode(width)


def _some(words: Sequence[str] | Mapping[str, object]) -> str:
    """The first of them, and whether there are others."""
    shown = list(words)[:SHOWN]
    return listing([*shown, *(["others"] if len(words) > SHOWN else [])])
