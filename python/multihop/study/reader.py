"""Reading TOML tables strictly: every key is typed, and a key nobody asked for is an error with a suggestion."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

from .model import StudyError

T = TypeVar("T")

_NAMES = {
    str: "a string",
    int: "a whole number",
    float: "a number",
    list: "a list",
    dict: "a table",
    bool: "true or false",
}


def suggest(word: str, known: Iterable[str]) -> str:
    """`did you mean `x`?`, or the list of what is known when nothing is near."""
    known = list(known)
    near = difflib.get_close_matches(word, known, n=1)
    return f"did you mean `{near[0]}`?" if near else f"known: {', '.join(known) or 'none'}"


class Reader:
    """A TOML table being read: `take` what is known, then `done` refuses the rest."""

    def __init__(self, table: Mapping[str, Any], place: str) -> None:
        self._table = dict(table)
        self._asked: list[str] = []
        self.place = place

    def fail(self, message: str) -> StudyError:
        """An error that names this place of the study."""
        return StudyError(f"{self.place}: {message}")

    def has(self, key: str) -> bool:
        """Is the key there and not yet taken?"""
        self._asked.append(key)
        return key in self._table

    def need(self, key: str, kind: type[T]) -> T:
        """A key that must be there."""
        if not self.has(key):
            raise self.fail(f"`{key}` is missing ({_NAMES.get(kind, kind.__name__)} is expected)")
        return self._typed(key, self._table.pop(key), kind)

    def take(self, key: str, kind: type[T], default: T) -> T:
        """A key that may be left out."""
        return self.need(key, kind) if self.has(key) else default

    def tables(self, key: str) -> list[Reader]:
        """A list of tables, each a reader of its own."""
        rows = self.take(key, list, [])
        readers = []
        for index, row in enumerate(rows):
            if not isinstance(row, dict):
                raise self.fail(f"`{key}[{index}]` must be a table")
            readers.append(Reader(row, f"{self.place}, {key} {row.get('id', row.get('name', index + 1))}"))
        return readers

    def rest(self) -> dict[str, Any]:
        """All keys not yet taken, taken now."""
        left, self._table = self._table, {}
        return left

    def done(self) -> None:
        """Refuse what was not asked for."""
        for key in self._table:
            raise self.fail(f"unknown key `{key}`: {suggest(key, dict.fromkeys(self._asked))}")

    def _typed(self, key: str, value: Any, kind: type[T]) -> T:
        if kind is float and isinstance(value, int) and not isinstance(value, bool):
            return float(value)  # type: ignore[return-value]
        if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
            raise self.fail(f"`{key}` must be {_NAMES.get(kind, kind.__name__)}, not {value!r}")
        return value
