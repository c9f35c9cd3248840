"""The Wi-Fi of a person's own network, as it stands in a scenario file that multihop writes."""

from __future__ import annotations

import math
from enum import StrEnum


class Wifi(StrEnum):
    """A generation of Wi-Fi."""

    B = "802.11b"
    N = "802.11n"
    AC = "802.11ac"
    AX = "802.11ax"


USUAL = Wifi.N
"""What a network is taken for if nothing is said."""
EXPONENT = 2.2
"""How fast power falls with distance under profile `openwrt`."""
FIRST_METRE_DB = 20 * math.log10(4 * math.pi * 5.18e9 / 299_792_458)
"""Loss of the first metre at its frequency."""
WEAKEST_DBM = -82.0
"""What a station decodes at least there."""

AIR = """\
[air]
path-loss-exponent = 2.2      # 2: nothing in between; 3 and more: houses and trees. Measure yours: it decides most
tx-power = "20 dBm"           # with the gain of both antennas"""
AIR_OF_11B = """\
[air]
bit-error-rate = 1e-6         # of every bit of every frame, besides what overlapping frames destroy"""
_FASTEST = {Wifi.N: (7, "20 MHz"), Wifi.AC: (9, "80 MHz"), Wifi.AX: (11, "80 MHz")}
"""The fastest MCS of each, and the width that OpenWrt gives it at 5 GHz."""
_WIDTHS = {Wifi.N: (20, 40), Wifi.AC: (20, 40, 80, 160), Wifi.AX: (20, 40, 80, 160)}
"""Widths of each [MHz]."""


def profile_of(wifi: Wifi) -> str:
    """The profile for it."""
    return "rfc" if wifi is Wifi.B else "openwrt"


def mac_lines(
    wifi: Wifi, *, by_distance: bool = True, width_mhz: int | None = None, mcs: int | None = None
) -> list[str]:
    """The keys of `[mac]`. Unless losses follow from distance and rate, all frames go at one rate.

    `width_mhz` and `mcs` are what is known of the radios; as an index of 802.11n `mcs` counts the streams too.
    """
    if wifi is Wifi.B:
        return ['data-rate = "11 Mbps"']
    modes = _modes(wifi, width_mhz, mcs)
    known, streams = f"mcs = {modes['mcs']}", f"streams = {modes['streams']}"
    chosen = [
        f"{known:<30}# the fastest that Minstrel-HT may choose, for each of",
        f"{streams:<30}# these streams",
    ]
    fixed = [f"{known:<30}# what is known of links holds at any rate", streams, 'rate-control = "fixed"']
    return [f'standard = "{wifi}"', f"width = {modes['width']}", *(chosen if by_distance else fixed)]


def radio_words(
    wifi: Wifi, channel: int, own: tuple[int | None, int | None], all_: tuple[int | None, int | None]
) -> str:
    """A radio on a channel: where its width [MHz] and MCS are known, what differs from those of `[mac]`.

    `all_` is what was known of all as [`mac_lines`] wrote `[mac]`.
    """
    said = [f"channel = {channel}"]
    if wifi is not Wifi.B:
        usual = _modes(wifi, *all_)
        known = (own[0] if own[0] in _WIDTHS[wifi] else all_[0], all_[1] if own[1] is None else own[1])
        said += [f"{key} = {value}" for key, value in _modes(wifi, *known).items() if value != usual[key]]
    return f"{{ {', '.join(said)} }}"


def _modes(wifi: Wifi, width_mhz: int | None, mcs: int | None) -> dict[str, str]:
    """Width, MCS and streams as a file has them; of what is not known the usual, and the fastest that there is."""
    streams = 2
    if mcs is not None and wifi is Wifi.N:
        streams, mcs = mcs // 8 + 1, mcs % 8
    fastest, usual = _FASTEST[wifi]
    width = f"{width_mhz} MHz" if width_mhz in _WIDTHS[wifi] else usual
    if (wifi, width) == (Wifi.AC, "20 MHz"):
        fastest = 8  # MCS 9 does not go evenly into 20 MHz with one or two streams
    least = fastest if mcs is None else min(mcs, fastest)
    return {"width": f'"{width}"', "mcs": str(least), "streams": str(streams)}


def starter(text: str, wifi: Wifi) -> str:
    """The starter scenario, which is of the usual Wi-Fi, for another one."""
    profile = f'profile = "{profile_of(USUAL)}"', f'profile = "{profile_of(wifi)}"'
    return text.replace(*profile).replace(_radio(USUAL), _radio(wifi))


def _radio(wifi: Wifi) -> str:
    """The sections of the radio in the starter."""
    air = AIR_OF_11B if wifi is Wifi.B else AIR
    return "\n".join([air, "", "[mac]", *mac_lines(wifi), ""])


def power_dbm(range_m: float) -> float:
    """Power of a sender, with the gain of both antennas, at which frames are received so far under profile `openwrt`
    [dBm]."""
    return WEAKEST_DBM + FIRST_METRE_DB + 10 * EXPONENT * math.log10(max(range_m, 1.0))
