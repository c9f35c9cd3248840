"""The `[sweep]` table of a TOML file: a sweep that can be kept and reviewed.

The file is a scenario with a `[sweep]` table, or names its scenario in that table.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from multihop import _engine
from multihop.errors import InputError
from multihop.files.intake import text_of
from multihop.scenario import trees
from multihop.scenario.scenario import Scenario, load, nearest
from multihop.scenario.tomltext import SWEEP, line_of


class Entry(msgspec.Struct, frozen=True, rename="kebab", forbid_unknown_fields=True):
    """What a `[sweep]` table may hold: each key is the option of that name."""

    over: dict[str, Any]
    """Keys of the scenario, each with its values: a list, or a text like `1..12`."""
    scenario: str = ""
    """A shipped scenario or a file beside this one; without it, this file is the scenario."""
    techniques: list[str] = []
    cross: list[list[str]] = []
    """Lists of techniques: every combination of one of each, and of one of `techniques`, runs."""
    set: list[str] = []
    summary: str = ""
    """What the sweep asks, in one line."""
    runs: int | None = None
    seed: int | None = None
    until: str | None = None
    most: int | None = None


@dataclass(frozen=True, slots=True)
class Written:
    """A sweep as a file says it."""

    scenario: Scenario
    entry: Entry | None
    """None: the file, or the shipped scenario, has no `[sweep]` table."""


def read(source: str) -> Written:
    """A scenario, and the sweep that its file describes; raises InputError."""
    path = Path(source)
    if path.is_file() and path.suffix == ".toml":
        text = text_of(path, "scenario")
    elif source in (sweeps := shipped()):
        text = sweeps[source]
    else:
        return Written(load(source), None)
    try:
        tree = trees.tree(text)
    except trees.INVALID:
        return Written(load(source), None)  # the engine says what is wrong, and where
    if SWEEP not in tree:
        return Written(load(source), None)
    entry = _entry(tree[SWEEP], source, text)
    if not entry.scenario:
        return Written(load(source), entry)
    beside = path.parent / entry.scenario
    named = str(beside) if beside.is_file() else entry.scenario
    try:
        return Written(load(named), entry)
    except InputError as e:
        raise InputError(f"{_place(source, text)}: sweep.scenario: {e}") from None


def shipped() -> dict[str, str]:
    """Sweeps that come with the program: name and text."""
    return _engine.shipped("sweeps")


def _entry(raw: object, file: str, text: str) -> Entry:
    try:
        return msgspec.convert(raw, Entry)
    except msgspec.ValidationError as e:
        words = str(e)
    known = [field.encode_name for field in msgspec.structs.fields(Entry)]
    if found := re.search(r"unknown field `(.*)`", words):
        words = f"unknown key `sweep.{found[1]}`{nearest(found[1], known)}; known: {', '.join(known)}"
    elif found := re.search(r"missing required field `(.*)`", words):
        words = f"`sweep.{found[1]}` is missing: it names keys and their values, like [sweep.over]"
    elif found := re.fullmatch(r"Expected `(\w+).*`, got `.*?`(?: - at `\$\.?([\w-]*)(\[.*)?`)?", words):
        key = f"sweep.{found[2]}" if found[2] else "sweep"
        value = raw[found[2]] if found[2] and isinstance(raw, dict) else raw
        each = " with an entry that is no text" if found[3] else ""
        expected = "a list of texts" if found[3] else _KINDS[found[1]]
        words = f"`{key}` must be {expected}, not {value!r}{each}"
    raise InputError(f"{_place(file, text)}: {words}")


_KINDS = {"int": "a whole number", "str": "a text", "array": "a list of texts", "object": "a table"}
"""Types of the entry, as TOML has them."""


def _place(file: str, text: str) -> str:
    line = line_of(text, SWEEP)
    return f"{file}:{line}" if line else file
