"""Axes of a sweep: which key of the scenario takes which values, as `KEY=VALUES` or in a `[sweep.over]` table.

| written | values |
|---|---|
| `tcp.window=newreno,sack` | a list |
| `mac.data-rate=1,2,5.5 Mbps` | a list of numbers with one unit |
| `topology.hops=1..12` | whole numbers, both ends included |
| `mobility.max-speed=1..20:2.5 m/s` | a step |
| `air.bit-error-rate=1e-6..1e-3:x10` | a factor |
| `topology.hops+topology.spacing=2+200 m,4+100 m` | keys that change together |
| `topology.file=nets/*.toml` | files, in order of their names |
"""

from __future__ import annotations

import glob
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Any

from multihop.errors import InputError
from multihop.scenario.scenario import assignments
from multihop.text import listing, plural, setting

SCENARIO = "scenario"
"""The axis that is no key: its values are scenarios, by name or file."""
MOST_VALUES = 100_000
"""Values that an axis may have."""

_NUMBER = r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"
_RANGE = re.compile(rf"({_NUMBER})\.\.({_NUMBER})(?::([x*]?)({_NUMBER}))?\s*([^\d\s:.][^:]*)?")
_AMOUNT = re.compile(rf"({_NUMBER})\s*([^\d\s].*)?")
_KEY = re.compile(r"[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*")
_WRITTEN = "like `tcp.window=newreno,sack`, `topology.hops=1..12` or `air.bit-error-rate=1e-6..1e-3:x10`"


@dataclass(frozen=True, slots=True)
class Axis:
    """Keys that change together, and the values that they take in turn."""

    keys: tuple[str, ...]
    """Paths in the scenario, like `topology.hops`."""
    values: tuple[tuple[str, ...], ...]
    """For each step one text a key, as `--set` takes it."""

    @property
    def name(self) -> str:
        """The keys as they are written: `topology.hops+topology.spacing`."""
        return "+".join(self.keys)

    def __len__(self) -> int:
        return len(self.values)

    def settings(self, step: int) -> list[str]:
        """The settings of a step, like `topology.hops=3`."""
        return [f"{key}={value}" for key, value in zip(self.keys, self.values[step], strict=True) if key != SCENARIO]


def axes(said: Sequence[str] | Mapping[str, Any]) -> list[Axis]:
    """The axes of a sweep, from `KEY=VALUES` texts or a mapping of keys to values; raises InputError."""
    if isinstance(said, Mapping):
        found = [_given(str(key), values) for key, values in said.items()]
    else:
        found = [_written(text) for text in ([said] if isinstance(said, str) else said)]
    keys = [key for axis in found for key in axis.keys]
    twice = [key for i, key in enumerate(keys) if key in keys[:i]]
    if twice:
        raise InputError(f"--over: the key `{twice[0]}` is swept twice; give each key once")
    return found


def _written(text: object) -> Axis:
    if not isinstance(text, str):
        raise InputError(f"--over: KEY=VALUES is expected, {_WRITTEN}, not {text!r}")
    name, equals, values = text.partition("=")
    if not equals or not values.strip():
        raise InputError(f"--over {text}: values are missing; write KEY=VALUES, {_WRITTEN}")
    keys = _keys(name, f"--over {text}")
    if len(keys) > 1:
        return _together(keys, [_split(item, "+") for item in _split(values, ",")], f"--over {text}")
    return _axis(keys, [(value,) for value in _listed(values, keys[0], f"--over {text}")], f"--over {text}")


def _given(name: str, values: object) -> Axis:
    """An axis of a mapping: a text as in `--over`, or a list of values."""
    where = f"the sweep over `{name}`"
    if isinstance(values, str):
        return _written(f"{name}={values}")
    if not isinstance(values, list | tuple | range):
        raise InputError(f"{where}: a list of values is expected, or a text {_WRITTEN}, not {values!r}")
    keys = _keys(name, where)
    if len(keys) > 1:
        rows = [[*row] if isinstance(row, list | tuple) else [row] for row in values]
        return _together(keys, [[_text(value) for value in row] for row in rows], where)
    return _axis(keys, [(_text(value),) for value in values], where)


def _text(value: object) -> str:
    return value if isinstance(value, str) else assignments({"_": value})[0].removeprefix("_=")


def _keys(name: str, where: str) -> list[str]:
    keys = [key.strip() for key in name.split("+")]
    for key in keys:
        if not _KEY.fullmatch(key):
            raise InputError(f"{where}: `{key}` is not a key of a scenario, {_WRITTEN}")
    return keys


def _together(keys: list[str], rows: list[list[str]], where: str) -> Axis:
    for row in rows:
        if len(row) != len(keys):
            raise InputError(
                f"{where}: {plural(len(keys), 'key')} change together, so each step has {plural(len(keys), 'value')} "
                f"joined by `+`, like `{'+'.join(f'VALUE{i + 1}' for i in range(len(keys)))}`; "
                f"`{'+'.join(row)}` has {len(row)}"
            )
    return _axis(keys, [tuple(row) for row in rows], where)


def _axis(keys: Sequence[str], values: Sequence[tuple[str, ...]], where: str) -> Axis:
    if not values:
        raise InputError(f"{where}: the range is empty")
    if len(values) > MOST_VALUES:
        raise InputError(f"{where}: {len(values)} values; an axis takes at most {MOST_VALUES}")
    for i, value in enumerate(values):
        if value in values[:i] if len(values) < 1000 else False:
            raise InputError(f"{where}: the value `{'+'.join(value)}` stands twice")
        if any(not part.strip() for part in value):
            raise InputError(f"{where}: a value is empty; values are separated by single commas")
    return Axis(tuple(keys), tuple(values))


def _listed(text: str, key: str, where: str) -> list[str]:
    """The values of one key: ranges spelled out, files found, the last unit given to bare numbers before it."""
    items = _split(text, ",")
    unit = _AMOUNT.fullmatch(items[-1]) if len(items) > 1 else None
    if unit is not None and unit[2] and all(re.fullmatch(_NUMBER, item) for item in items[:-1]):
        return [f"{item} {unit[2]}" for item in items[:-1]] + [items[-1]]
    found: list[str] = []
    for item in items:
        if ".." in item and (limits := _RANGE.fullmatch(item)):
            found += _range(limits, where)
        elif re.match(rf"{_NUMBER}\.\.", item):
            raise InputError(f"{where}: `{item}` is not a range, {_WRITTEN}")
        elif glob.has_magic(item) and (key == SCENARIO or key.endswith("file")):
            found += _files(item, where)
        else:
            found.append(item)
    return found


def _files(pattern: str, where: str) -> list[str]:
    found = sorted(glob.glob(pattern))  # noqa: PTH207  # the pattern may begin at the root
    if not found:
        raise InputError(f"{where}: no file matches `{pattern}`")
    return found


def _range(limits: re.Match[str], where: str) -> list[str]:
    """A range with both ends, in steps or by factors, exact in decimal."""
    first, last, how, by, unit = limits.groups()
    try:
        low, high = Decimal(first), Decimal(last)
        step = Decimal(by) if by else Decimal(1)
    except InvalidOperation:
        raise InputError(f"{where}: `{limits[0]}` is not a range, {_WRITTEN}") from None
    if not by and (low % 1 or high % 1):
        raise InputError(f"{where}: say the step of a range of fractions, like `{first}..{last}:0.1`, or `:x10`")
    if high < low:
        raise InputError(f"{where}: the range is empty: {first} is above {last}")
    if how and (step <= 1 or low <= 0):
        raise InputError(f"{where}: a range by factors begins above 0, and its factor is above 1")
    if step <= 0:
        raise InputError(f"{where}: the step of a range must be above 0")
    values = [low]
    while (following := values[-1] * step if how else values[-1] + step) <= high:
        values.append(following)
        if len(values) > MOST_VALUES:
            raise InputError(f"{where}: more than {MOST_VALUES} values; take a larger step")
    return [f"{_decimal(value)} {unit.strip()}" if unit else _decimal(value) for value in values]


def _decimal(value: Decimal) -> str:
    return str(int(value)) if value == value.to_integral_value() and abs(value) < 10**15 else setting(float(value))


def _split(text: str, mark: str) -> list[str]:
    """The parts between marks; marks in quotes or brackets, and the sign of an exponent, do not split."""
    parts, depth, quote = [""], 0, ""
    for i, letter in enumerate(text):
        if quote:
            quote = "" if letter == quote else quote
        elif letter in "\"'":
            quote = letter
        elif letter in "[{":
            depth += 1
        elif letter in "]}":
            depth -= 1
        elif letter == mark and depth == 0 and not (mark == "+" and re.search(r"\d[eE]$", text[:i])):
            parts.append("")
            continue
        parts[-1] += letter
    return [part.strip() for part in parts]


def described(found: Sequence[Axis]) -> str:
    """`topology.hops (12 values) and tcp.window (2 values)`."""
    return listing(f"{axis.name} ({plural(len(axis), 'value')})" for axis in found)
