"""How good a link is, from whatever a table calls it, as the loss of frames there and back."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from .account import Account
from .media import Medium, medium
from .network import Losses

LEAST_SNR_DB = 10.0
"""A link with less signal over noise than this is none [dB]: what DSSS at 11 Mbit/s needs."""
ABSURD_ETX = 100.0
"""No routing daemon keeps a link that needs so many transmissions a frame: such figures have another scale."""
SCALES = {"olsr": 1024.0, "babel": 256.0}
"""By what the costs of routing daemons are divided to be ETX (olsrd's LINK_COST_BREAK, RFC 8966 A.2.2)."""

Row = Mapping[str, object]
KINDS: dict[str, tuple[str, ...]] = {
    "loss": (
        "loss",
        "packet_loss",
        "packetloss",
        "frame_loss",
        "loss_rate",
        "lossrate",
        "loss_ratio",
        "plr",
        "per",
        "fer",
    ),
    "delivery": (
        *("delivery", "delivery_ratio", "delivery_rate", "pdr", "prr", "packet_delivery_ratio", "reception"),
        *("packet_reception_ratio", "success", "success_rate", "quality"),
    ),
    "lq": ("lq", "link_quality", "linkquality"),
    "nlq": ("nlq", "neighbor_link_quality", "neighborlinkquality", "neighbour_link_quality"),
    "etx": ("etx",),
    "source_tq": ("source_tq",),
    "target_tq": ("target_tq",),
    "tq": ("tq",),
    "snr": ("snr",),
}
"""Columns by what they tell, the first kind that a row has counts."""
MEDIA = ("medium", "link_type", "linktype", "type", "interface", "iface", "if", "ifname", "technology")
"""Columns that may say what a link runs over."""
_BY_NAME = {name: kind for kind, names in KINDS.items() for name in names}
_PERCENT = re.compile(r"_?(percent|percentage|pct|prozent|%)$")
_UNIT = re.compile(r"\s*[(\[]([^)\]]*)[)\]]\s*$")
_NUMBER = re.compile(r"\s*([-+−]?[\d.,]+(?:e[-+]?\d{1,3})?)\s*(%|db|dbm|/\s*255)?\s*", re.IGNORECASE)


@dataclass(slots=True)
class _Column:
    key: str
    kind: str
    percent: bool
    values: list[float | None]
    """None where a row says nothing; NaN where it says what is no number."""
    to_loss: Callable[[float], float] = lambda value: value


@lru_cache(maxsize=4096)
def head(key: str) -> tuple[str, str]:
    """The head of a column as it is compared, and its unit if it has one: `Packet loss [%]` is `packet_loss`, `%`."""
    unit = ""
    if found := _UNIT.search(key[:200]):
        unit, key = found[1].strip().lower(), key[: found.start()]
    return re.sub(r"[\s\-]+", "_", key[:200].strip().lower()), unit


def number(value: object) -> float | None:
    """A finite number, from a number or a text that may end in a unit and have a decimal comma; percent as a share."""
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, int | float):
        return float(value) if abs(value) < 1e300 else None
    text = str(value)
    found = _NUMBER.fullmatch(text) if len(text) <= 60 else None
    if not found:
        return None
    try:
        known = float(found[1].replace("−", "-").replace(",", "."))
    except ValueError:
        return None
    return (known / 100 if found[2] == "%" else known) if math.isfinite(known) else None


def loss_of_etx(etx: float) -> float:
    """The loss of each direction of a link that needs ETX transmissions a frame (De Couto et al. 2003)."""
    return 0.0 if etx <= 1 else 1 - 1 / math.sqrt(etx)


def losses(rows: Sequence[Row], account: Account, protocol: str = "") -> tuple[list[Losses | str], set[str]]:
    """The losses of each row's link, or why they cannot be; and the columns that were used.

    What a scale may be (0 to 1, percent, 0 to 255, ETX times 1024) is told by the whole column.
    """
    columns = _columns(rows)
    for column in columns:
        _scale(column, account, protocol)
    found: list[Losses | str] = []
    used: set[str] = set()
    for i in range(len(rows)):
        try:
            found.append(_losses_of([c for c in columns if c.values[i] is not None], i, used))
        except ValueError as e:
            found.append(str(e))
    return found, used


def media(rows: Sequence[Row]) -> str | None:
    """The column that says what links run over, if one does."""
    for key in _keys(rows):
        if head(key)[0] in MEDIA and any(medium(row.get(key)) is not Medium.UNKNOWN for row in rows):
            return key
    return None


def shares(values: Iterable[float], *, percent: bool = False) -> float:
    """What shares are to be divided by: 1, or 100 where they are percent.

    Percent is what the head says, or what most values are that tell the two apart: those above 1. A lone 1.2 is a slip.
    """
    known = list(values)
    above, between = sum(v > 1 for v in known), sum(0 < v < 1 for v in known)
    return 100.0 if percent or (above > between and max(known) >= 2) else 1.0


def _columns(rows: Sequence[Row]) -> list[_Column]:
    columns = []
    for key in _keys(rows):
        name, unit = head(key)
        bare = _PERCENT.sub("", name)
        kind = _BY_NAME.get(bare) or _BY_NAME.get(bare.removesuffix("_db"))
        if kind is None:
            continue
        values = [_cell(row.get(key)) for row in rows]
        if any(v is not None and not math.isnan(v) for v in values):
            marked = any(str(row.get(key) or "").endswith("%") for row in rows)  # those cells are shares already
            percent = not marked and (bare != name or "%" in unit or "percent" in unit)
            columns.append(_Column(key, kind, percent, values))
    order = list(KINDS)
    return sorted(columns, key=lambda column: order.index(column.kind))


def _cell(value: object) -> float | None:
    """What a cell says; None for nothing, and NaN for no number."""
    if value is None or str(value)[:10].strip().lower() in ("", "-", "–", "?", "n/a", "na", "nan", "none", "null"):
        return None
    known = number(value)
    return math.nan if known is None else known


def _keys(rows: Sequence[Row]) -> list[str]:
    return list(dict.fromkeys(key for row in rows for key in row))


def _scale(column: _Column, account: Account, protocol: str) -> None:
    """How the figures of a column become losses; said where it is not what its name means."""
    key, kind = column.key, column.kind
    values = [v for v in column.values if v is not None and not math.isnan(v)]
    if kind in ("loss", "delivery", "lq", "nlq"):
        by = shares(values, percent=column.percent)
        if by != 1 and not column.percent:
            account.assume(f"`{key}` is in percent")
        column.to_loss = (lambda v: v / by) if kind == "loss" else (lambda v: 1 - v / by)
    elif kind == "etx":
        by = etx_scale(values, protocol)
        if by != 1:
            account.assume(f"`{key}` is ETX times {by:g}")
        column.to_loss = lambda v: loss_of_etx(v / by) if v > 0 else math.nan
    elif kind.endswith("tq"):
        share = max(values) <= 1
        if share == (kind == "tq"):
            account.assume(f"`{key}` goes from 0 to {1 if share else 255}")
        column.to_loss = (lambda v: 1 - v) if share else (lambda v: 1 - v / 255)
    else:
        column.to_loss = lambda v: 0.0 if v >= LEAST_SNR_DB else 1.0
        account.assume(f"a link of less than {LEAST_SNR_DB:g} dB delivers nothing, any other loses nothing")


def etx_scale(values: Sequence[float], protocol: str = "") -> float:
    """What costs are to be divided by to be ETX, where none of them can be one."""
    known = [v for v in values if v > 0]
    least = min(known, default=1.0)
    for name, by in SCALES.items():
        if name in protocol.lower() and least >= min(by, ABSURD_ETX):
            return by
    if least < ABSURD_ETX:
        return 1.0
    return 1024.0 if least >= 1024 else 256.0


def _losses_of(columns: Sequence[_Column], row: int, used: set[str]) -> Losses:
    kinds = {column.kind: column for column in columns}

    def loss(kind: str) -> float | None:
        column = kinds.get(kind)
        if column is None:
            return None
        used.add(column.key)
        value = column.values[row]
        found = column.to_loss(math.nan if value is None else value)
        if not -1e-6 <= found <= 1:
            raise ValueError(_wrong(column, value, found))
        return max(0.0, found)

    if "loss" not in kinds and {"lq", "nlq"} & kinds.keys():
        return loss("nlq"), loss("lq")
    if {"source_tq", "target_tq"} & kinds.keys():
        return loss("source_tq"), loss("target_tq")
    return (loss(columns[0].kind) if columns else None), None


def _wrong(column: _Column, value: float | None, found: float) -> str:
    if value is None or math.isnan(value) or math.isnan(found):
        return f"`{column.key}` must be a number" + (" above 0" if column.kind == "etx" else "")
    return f"`{column.key}` makes a loss of {found:.3g}, and that is none"
