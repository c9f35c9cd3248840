"""The Wi-Fi of a person's own network, as it stands in a scenario file that multihop writes."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from enum import StrEnum


class Wifi(StrEnum):
    """A generation of Wi-Fi."""

    B = "802.11b"
    A = "802.11a"
    G = "802.11g"
    N = "802.11n"
    AC = "802.11ac"
    AX = "802.11ax"


@dataclass(frozen=True, slots=True)
class Mode:
    """What is known of frames; None where nothing is."""

    width_mhz: int | None = None
    mcs: int | None = None
    """MCS of each stream."""
    streams: int | None = None


ANY = Mode()
"""Nothing is known."""
USUAL = Wifi.N
"""What a network is taken for if nothing is said."""
EXPONENT = 2.2
"""How fast power falls with distance under profile `openwrt`."""
USUAL_MHZ = 5180
"""Its frequency: channel 36 [MHz]."""
USUAL_2GHZ_MHZ = 2437
"""Frequency at 2.4 GHz: channel 6 [MHz]."""
USUAL_2GHZ_WIDTH = 20
"""Width that OpenWrt gives channels there [MHz]."""
WIDEST_AT_2GHZ = 40
"""Widest channel there [MHz]."""
WEAKEST_DBM = -82.0
"""What a station decodes at least there."""

AIR = """\
[air]
path-loss-exponent = 2.2      # 2: nothing in between; 3 and more: houses and trees. Measure yours: it decides most
tx-power = "20 dBm"           # with the gain of both antennas"""
AIR_OF_11B = """\
[air]
bit-error-rate = 1e-6         # of every bit of every frame, besides what overlapping frames destroy"""
RATES = {Wifi.B: "11 Mbps", Wifi.A: "54 Mbps", Wifi.G: "54 Mbps"}
"""The fastest rate of those that have no MCS."""
_FASTEST = {Wifi.N: (7, 20), Wifi.AC: (9, 80), Wifi.AX: (11, 80)}
"""The fastest MCS of the others, and the width that OpenWrt gives them at 5 GHz [MHz]."""
_ALL = (20, 40, 80, 160)
WIDTHS = {**dict.fromkeys(RATES, (20,)), Wifi.N: (20, 40), Wifi.AC: _ALL, Wifi.AX: _ALL}
"""Widths of each [MHz]."""
MOST_STREAMS = {Wifi.N: 4, Wifi.AC: 8, Wifi.AX: 8}
BANDS = {
    **dict.fromkeys((Wifi.B, Wifi.G), ("2.4",)),
    **dict.fromkeys((Wifi.A, Wifi.AC), ("5",)),
    Wifi.N: ("5", "2.4"),
    Wifi.AX: ("5", "2.4", "6"),
}
"""Bands of each [GHz]."""
_UNEVEN = {(20, 9): (1, 2, 4, 5, 7, 8), (80, 6): (3, 7), (80, 9): (6,), (160, 9): (3,)}
"""Streams with which 802.11ac has no such width and MCS, as bits do not split evenly (IEEE 802.11-2020 §21.5)."""


def profile_of(wifi: Wifi) -> str:
    """The profile for it."""
    return "rfc" if wifi is Wifi.B else "openwrt"


def width_of(wifi: Wifi, told: int | None) -> int:
    """The width that channels have where `told` is said of them: the widest that is not wider, else the usual [MHz]."""
    return max((width for width in WIDTHS[wifi] if width <= (told or 0)), default=_FASTEST.get(wifi, (0, 20))[1])


def mcs_of(wifi: Wifi, told: int | None, width_mhz: int, streams: int) -> int:
    """The MCS that frames have where `told` is said of them: the fastest that is not faster."""
    fastest = _FASTEST[wifi][0]
    mcs = fastest if told is None else min(told, fastest)
    return mcs - 1 if wifi is Wifi.AC and streams in _UNEVEN.get((width_mhz, mcs), ()) else mcs


def mac_lines(wifi: Wifi, *, by_distance: bool = True, mode: Mode = ANY, ghz2: bool = False) -> list[str]:
    """The keys of `[mac]`. Unless losses follow from distance and rate, all frames go at one rate.

    `mode` is what is known of the radios; `ghz2`, whether they are at 2.4 GHz.
    """
    if wifi is Wifi.B:
        return [f'data-rate = "{RATES[wifi]}"']
    if wifi in RATES:
        rate = f'data-rate = "{RATES[wifi]}"'
        chosen = [f"{rate:<30}# the fastest that Minstrel may choose", 'rate-control = "minstrel"']
        fixed = [f"{rate:<30}# what is known of links holds at any rate", 'rate-control = "fixed"']
        return [
            f'standard = "{wifi}"',
            *(chosen if by_distance else fixed),
            f"{'edca.on = false':<30}# access categories came with 802.11n",
        ]
    if ghz2:
        mode = replace(mode, width_mhz=min(mode.width_mhz or USUAL_2GHZ_WIDTH, WIDEST_AT_2GHZ))
    modes = _modes(wifi, mode)
    known, streams = f"mcs = {modes['mcs']}", f"streams = {modes['streams']}"
    chosen = [
        f"{known:<30}# the fastest that Minstrel-HT may choose, for each of",
        f"{streams:<30}# these streams",
    ]
    fixed = [f"{known:<30}# what is known of links holds at any rate", streams, 'rate-control = "fixed"']
    band = ['band = "2.4 GHz"'] if ghz2 else []
    return [f'standard = "{wifi}"', *band, f"width = {modes['width']}", *(chosen if by_distance else fixed)]


def radio_words(wifi: Wifi, channel: int, own: Mode, all_: Mode) -> str:
    """A radio on a channel, and what of its `own` differs from what [`mac_lines`] wrote in `[mac]` of `all_`."""
    said = [f"channel = {channel}"]
    if wifi not in RATES:
        usual = _modes(wifi, all_)
        known = Mode(
            own.width_mhz or all_.width_mhz,
            all_.mcs if own.mcs is None else own.mcs,
            own.streams or all_.streams,
        )
        said += [f"{key} = {value}" for key, value in _modes(wifi, known).items() if value != usual[key]]
    return f"{{ {', '.join(said)} }}"


def _modes(wifi: Wifi, mode: Mode) -> dict[str, str]:
    """Width, MCS and streams as a file has them; of what is not known the usual, and the fastest that there is."""
    width, streams = width_of(wifi, mode.width_mhz), mode.streams or 2
    return {"width": f'"{width} MHz"', "mcs": str(mcs_of(wifi, mode.mcs, width, streams)), "streams": str(streams)}


def starter(text: str, wifi: Wifi) -> str:
    """The starter scenario, which is of the usual Wi-Fi, for another one."""
    profile = f'profile = "{profile_of(USUAL)}"', f'profile = "{profile_of(wifi)}"'
    return text.replace(*profile).replace(_radio(USUAL), _radio(wifi))


def _radio(wifi: Wifi) -> str:
    """The sections of the radio in the starter."""
    air = [AIR_OF_11B if wifi is Wifi.B else AIR]
    if wifi is Wifi.G:
        air.append(frequency_line(USUAL_2GHZ_MHZ))
    return "\n".join([*air, "", "[mac]", *mac_lines(wifi), ""])


def frequency_line(mhz: int) -> str:
    """The key of the frequency."""
    return f'frequency = "{mhz} MHz"'


def power_dbm(range_m: float, mhz: int = USUAL_MHZ) -> float:
    """Power of a sender, with the gain of both antennas, at which frames are received so far under profile `openwrt`
    [dBm]."""
    first_metre_db = 20 * math.log10(4 * math.pi * mhz * 1e6 / 299_792_458)
    return WEAKEST_DBM + first_metre_db + 10 * EXPONENT * math.log10(max(range_m, 1.0))
