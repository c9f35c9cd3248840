"""What files say of radios: channel, width, format of frames, MCS and streams."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from multihop.scenario.cards import Wifi

from . import account as out
from .account import Account, tidy
from .network import Heard
from .quality import head, number

CHANNELS = ("channel", "chan", "freq", "frequency")
WIDTHS = ("width", "channel_width", "bandwidth", "chanbw", "htmode")
MCS = ("mcs", "mcs_index", "tx_mcs")
STREAMS = ("streams", "nss", "spatial_streams")
ALL = {*CHANNELS, *WIDTHS, *MCS, *STREAMS}
FORMATS = {"HT": (Wifi.N, 31), "VHT": (Wifi.AC, 9), "HE": (Wifi.AX, 11), "EHT": (Wifi.AX, 13)}
"""Formats of frames as Linux calls them: the Wi-Fi that has them here, and their highest MCS."""
MOST_MCS = 31
"""Of a row without a format."""
MOST_CHANNEL = 233
MOST_RADIOS = 8
NOTHING = ("", "-", "–", "?", "n/a", "na", "nan", "none", "null", "auto", "unknown")
"""Cells that say nothing."""
_CHANNEL = re.compile(r"(?:ch(?:annel)?\.?\s*)?([-+−]?[\d.,]+)\s*(mhz|ghz)?", re.IGNORECASE)
_FORMAT = re.compile(r"\s*(NOHT|EHT|VHT|HE|HT)(?![A-Z])", re.IGNORECASE)
_MCS = re.compile(
    r"(?:(EHT|VHT|HE|HT)[-_ ]*)?(?:MCS[-_ ]*)?([-+−]?\d+)(?:[.,]0+)?(?:\s.*NSS\s*(\d+)\b.*)?", re.IGNORECASE
)

Row = Mapping[str, object]
T = TypeVar("T")


class _BadError(Exception):
    """What a cell must be."""


@dataclass(slots=True)
class Cells:
    """Reads the cells of rows and properties that are about radios, and remembers which were there."""

    account: Account
    used: set[str] = field(default_factory=set)
    """Columns and properties that said something."""

    def hear(self, row: Row, where: str = "") -> Heard:
        """What a row of a link or a node says of its radio; `where` it stands, for what cannot be read."""
        format_, width = self._read(row, WIDTHS, where, _width) or (None, None)
        channel, band = self._read(row, CHANNELS, where, _channel) or (None, None)
        told = self._read(row, MCS, where, lambda _, value: _mcs(value, format_))
        own, mcs, streams = told or (None, None, None)
        streams = self._read(row, STREAMS, where, _streams) or streams
        said = _said(row, CHANNELS) if band else None
        return Heard(channel, band, width, own or format_, mcs, streams, tidy(str(said[1]), 20) if said else "")

    def _read(self, row: Row, names: Sequence[str], where: str, read: Callable[[str, object], T]) -> T | None:
        found = _said(row, names)
        if found is None:
            return None
        key, value = found
        self.used.add(key)
        try:
            return read(head(key)[0], value)
        except _BadError as e:
            at = f"{where}: " if where else ""
            self.account.leave_out(out.BAD_CELL, f"{at}`{key}` must be {e}, not `{tidy(str(value), 20)}`")
            return None


def _said(row: Row, names: Sequence[str]) -> tuple[str, object] | None:
    """The column of one of these names that says something, and what; 0 is a figure of MCS only."""
    for key, value in row.items():
        if head(str(key))[0] not in names or value is None or str(value)[:10].strip().lower() in NOTHING:
            continue
        if names is MCS or number(value) != 0:
            return str(key), value
    return None


def _channel(key: str, value: object) -> tuple[int | None, str]:
    """Number and band [GHz] of a channel, from a number or a frequency; of `2.4 GHz` alone the band."""
    found = _CHANNEL.fullmatch(str(value).strip()[:40])
    told = number(found[1]) if found else None
    wrong = _BadError(f"a channel from 1 to {MOST_CHANNEL} or a frequency of one in MHz")
    if found is None or told is None or told <= 0:
        raise wrong
    in_ghz = (found[2] or "").lower() == "ghz" or (not found[2] and 2.3 < told < 8 and told != int(told))
    in_ghz = in_ghz or (not found[2] and told in (5, 6) and key.startswith("freq"))
    if not in_ghz and not found[2] and told < 1000:
        if told != int(told) or told > MOST_CHANNEL:
            raise wrong
        return int(told), "2.4" if told <= 14 else "5"
    mhz = round(told * 1000 if in_ghz else told, 3)
    if mhz in (2400, 5000, 6000):
        return None, f"{mhz / 1000:g}"
    band = "2.4" if 2400 < mhz < 2500 else "5" if 4900 <= mhz < 5950 else "6"
    first = {"2.4": 2407 if mhz < 2484 else 2414, "5": 5000, "6": 5950}[band]
    channel = (mhz - first) / 5
    if channel != int(channel) or not 1 <= channel <= MOST_CHANNEL:
        raise wrong
    return int(channel), band


def _width(_: str, value: object) -> tuple[str | None, int | None]:
    """Format and width [MHz], from a number or what OpenWrt calls it (`HT40+`, `VHT80`)."""
    text = str(value).strip()[:40]
    found = _FORMAT.match(text) or re.match(r"\s*(NOHT|EHT|VHT|HE|HT)(?=\d)", text, re.IGNORECASE)
    format_ = found[1].upper() if found else None
    digits = re.search(r"\d+(?:[.,]\d+)?", text)
    width = number(digits[0]) if digits else None
    width = 160.0 if "80+80" in text.replace(" ", "") else width
    if (width is None and format_ is None) or (width is not None and not 1 <= width <= 320) or text.startswith("-"):
        raise _BadError("a width in MHz or a mode like `VHT80`")
    return format_, 20 if format_ == "NOHT" else None if width is None else int(width)


def _mcs(value: object, format_: str | None) -> tuple[str | None, int, int | None]:
    """Format, MCS and streams; the MCS within the format, that of the cell or of the row."""
    found = _MCS.fullmatch(str(value).strip()[:60])
    own = found[1].upper() if found and found[1] else format_
    if own == "NOHT":
        raise _BadError("empty where the width is `NOHT`")
    most = FORMATS[own][1] if own else MOST_MCS
    mcs = int(found[2].replace("−", "-")) if found else -1
    if not found or not 0 <= mcs <= most:
        raise _BadError(f"a whole number from 0 to {most}{f' ({own})' if own else ''}")
    return own, mcs, int(found[3]) if found[3] and 1 <= int(found[3]) <= 8 else None


def _streams(_: str, value: object) -> int:
    told = number(value)
    if told is None or told != int(told) or not 1 <= told <= 8:
        raise _BadError("a whole number from 1 to 8")
    return int(told)
