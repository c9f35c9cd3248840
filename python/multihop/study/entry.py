"""Entries of a study file: tables whose keys and types msgspec checks, with errors that a person can use.

What does not fit is a `StudyError` that names file, line and entry, says what is expected, and suggests the nearest
name for one that is not known.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

import msgspec
from msgspec import inspect

from multihop.errors import InputError

T = TypeVar("T")
E = TypeVar("E", bound="Entry")

#: A list in the file, a tuple in the data.
Many = tuple[T, ...]
#: Reads a value of a type of ours, for msgspec.
Hook = Callable[[type, Any], Any]
#: Keys and positions from the top of a file to a value.
Path = list[str | int]


class StudyError(InputError):
    """A study file that cannot be used: says which file, which entry, and what was expected."""


class EntryError(ValueError):
    """An entry that does not fit; `path` leads to the key that it is about, from the entry that is being read."""

    def __init__(self, words: str, key: str = "") -> None:
        super().__init__(words)
        self.path: Path = [key] if key else []


@contextmanager
def within(*steps: str | int) -> Iterator[None]:
    """What is refused inside stands at these steps of the entry."""
    try:
        yield
    except EntryError as error:
        error.path[:0] = steps
        raise


def suggest(word: str, known: Iterable[str]) -> str:
    """`did you mean `x`?`, or the list of what is known when nothing is near."""
    known = list(known)
    near = difflib.get_close_matches(word, known, n=1)
    return f"did you mean `{near[0]}`?" if near else f"known: {', '.join(known) or 'none'}"


class Entry(msgspec.Struct, frozen=True, kw_only=True, rename="kebab", forbid_unknown_fields=True):
    """A table of a study file: every key typed, none unknown. `when_not` is written `when-not`."""


def keys_of(kind: type[Entry]) -> tuple[str, ...]:
    """The keys of an entry as they are written."""
    return kind.__struct_encode_fields__


class Places:
    """Where in a study file its entries stand, for messages."""

    def __init__(self, file: str, raw: Mapping[str, Any], lines: Iterable[tuple[str, int]]) -> None:
        self._file, self._raw, self._lines = file, raw, dict(lines)

    def read(self, kind: type[E], raw: Mapping[str, Any], hook: Hook | None = None) -> E:
        """An entry from its table; raises StudyError for the first thing that does not fit."""
        try:
            return msgspec.convert(raw, kind, dec_hook=hook)
        except msgspec.ValidationError as error:
            raise self._error(kind, error) from None

    @contextmanager
    def at(self, *steps: str | int) -> Iterator[None]:
        """What is refused inside stands at these steps of the file: it becomes a StudyError."""
        try:
            yield
        except EntryError as error:
            raise StudyError(self._sentence([*steps, *error.path], str(error))) from None

    def _error(self, kind: type[Entry], error: msgspec.ValidationError) -> StudyError:
        words, _, found = str(error).partition(" - at `$")
        if isinstance(error.__cause__, EntryError):
            return StudyError(self._sentence([*_steps(found, self._raw, ""), *error.__cause__.path], words))
        steps = _steps(found, self._raw, _got(words))
        missing = re.fullmatch(r"Object missing required field `(.*)`", words)
        if missing:
            return StudyError(self._sentence(steps, f"`{missing[1]}` is missing"))
        stated = _type_at(inspect.type_info(kind), steps)
        unknown = re.fullmatch(r"Object contains unknown field `(.*)`", words)
        if unknown:
            known = [field.encode_name for field in _table(stated).fields]
            words = f"unknown key `{unknown[1]}`: {suggest(unknown[1], known)}"
            return StudyError(self._sentence([*steps, unknown[1]], words))
        path = self._path(steps)
        key = next((step for step in reversed(path) if isinstance(step, str)), "study")
        return StudyError(
            self._sentence(steps, f"`{key}` must be {_expected(words, stated)}, not {self._value(path)!r}")
        )

    def _sentence(self, steps: Sequence[str | int], words: str) -> str:
        path = self._path(steps)
        line = self._line(path)
        return f"{self._file}{f':{line}' if line else ''}: {self._entry(path)}{words}"

    def _path(self, found: Sequence[str | int]) -> Path:
        """A path of the data as it is in the file: without the steps that reading adds."""
        path: Path = []
        here: Any = self._raw
        steps = list(found)
        while steps:
            step = steps.pop(0)
            if step == "check" and steps and isinstance(here, Mapping) and step not in here:
                steps.pop(0)  # a claim with one check has that check's keys itself
            elif isinstance(here, Mapping) and isinstance(step, int):
                continue  # a table where a list of one was meant
            elif isinstance(here, Mapping):
                path.append(step)
                here = here.get(step)
            elif isinstance(here, list) and isinstance(step, int) and step < len(here):
                path.append(step)
                here = here[step]
            else:
                break
        return path

    def _value(self, path: Path) -> Any:
        here: Any = self._raw
        for step in path:
            here = here[step]
        return here

    def _line(self, path: Sequence[str | int]) -> int:
        """The line of a key, or of the nearest table around it."""
        for end in range(len(path), 0, -1):
            line = self._lines.get(".".join(map(str, path[:end])), 0)
            if line:
                return line
        return 0

    def _entry(self, path: Sequence[str | int]) -> str:
        """`claim OZ-F3-eq: `, `experiment single: `."""
        if len(path) < 2 or not isinstance(path[1], int):
            return f"[{path[0]}]: " if path else ""
        entry = self._raw[str(path[0])][path[1]]
        name = entry.get("id", entry.get("name")) if isinstance(entry, Mapping) else None
        return f"{path[0]} {name or path[1] + 1}: "


NAMES = {
    "int": "an integer",
    "float": "a number",
    "str": "a text",
    "bool": "true or false",
    "array": "a list",
    "object": "a table",
}
"""TOML's names for msgspec's types."""
KINDS: tuple[tuple[str, type | tuple[type, ...]], ...] = (
    ("bool", bool),
    ("int", int),
    ("float", float),
    ("str", str),
    ("array", list),
    ("object", dict),
)


def _steps(found: str, raw: Any, got: str) -> Path:
    """A path that msgspec gives, like `.claim[0].accept`. The wrong value tells the key of `[...]`."""
    steps: Path = []
    here = raw
    for name, index in re.findall(r"\.([^.\[`]+)|\[(\d+|\.\.\.)\]", found):
        step: str | int = name if name else index
        if index == "...":
            keys = list(here) if isinstance(here, Mapping) else []
            step = next((key for key in keys if not got or _kind(here[key]) == got), keys[0] if keys else "")
        elif index:
            step = int(index)
        steps.append(step)
        if isinstance(here, Mapping):
            here = here.get(step)
        elif isinstance(here, list) and isinstance(step, int):
            here = here[step]
    return steps


def _kind(value: object) -> str:
    return next((name for name, kind in KINDS if isinstance(value, kind)), "")


def _got(words: str) -> str:
    found = re.search(r", got `(\w+)`", words)
    return found[1] if found else ""


def _type_at(stated: inspect.Type, steps: Sequence[str | int]) -> inspect.Type:
    """The type that a path leads to."""
    for step in steps:
        if isinstance(stated, inspect.Metadata):
            stated = stated.type
        if isinstance(stated, inspect.UnionType):
            stated = next((t for t in stated.types if isinstance(t, inspect.VarTupleType | inspect.StructType)), stated)
        if isinstance(stated, inspect.StructType):
            stated = next((f.type for f in stated.fields if f.encode_name == step), stated)
        elif isinstance(stated, inspect.VarTupleType):
            stated = stated.item_type
        elif isinstance(stated, inspect.DictType):
            stated = stated.value_type
    return stated


def _table(stated: inspect.Type) -> inspect.StructType:
    """The table among the types that a value may have."""
    kinds = stated.types if isinstance(stated, inspect.UnionType) else (stated,)
    return next(kind for kind in kinds if isinstance(kind, inspect.StructType))


def _expected(words: str, stated: inspect.Type) -> str:
    """What msgspec expects, in TOML's words."""
    if words.startswith("Invalid enum value"):
        kinds = stated.types if isinstance(stated, inspect.UnionType) else (stated,)
        values = [repr(v) for kind in kinds if isinstance(kind, inspect.LiteralType) for v in kind.values]
        return " or ".join([", ".join(values[:-1]), values[-1]])
    found = re.match(r"Expected `([^`]*)`(?: of length (>= )?(\d+)| >= (.*))?", words)
    if found is None:
        return f"as its type asks: {words}"
    names = [NAMES[name] for name in found[1].split(" | ") if name in NAMES]
    what = " or ".join(filter(None, [", ".join(names[:-1]), names[-1]]))
    if found[4]:
        return f"{what} of at least {found[4]}"
    return f"{what} of {'at least ' if found[2] else ''}{found[3]}" if found[3] else what
