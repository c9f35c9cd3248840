"""Entries of a study file: tables whose keys and types pydantic checks, with errors that a person can use.

What does not fit is a `StudyError` that names file, line and entry, says what is expected, and suggests the nearest
name for one that is not known.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, ConfigDict, Strict, ValidationError, model_validator
from pydantic_core import PydanticCustomError

from multihop.errors import InputError

T = TypeVar("T")

#: A list in the file, a tuple in the data.
Many = Annotated[tuple[T, ...], Strict(False)]

#: How many errors of one file are printed.
MOST_ERRORS = 8


class StudyError(InputError):
    """A study file that cannot be used: says which file, which entry, and what was expected."""


def suggest(word: str, known: Iterable[str]) -> str:
    """`did you mean `x`?`, or the list of what is known when nothing is near."""
    known = list(known)
    near = difflib.get_close_matches(word, known, n=1)
    return f"did you mean `{near[0]}`?" if near else f"known: {', '.join(known) or 'none'}"


def refused(message: str, key: str = "") -> PydanticCustomError:
    """An error of an entry, for validators to raise; `key` is the key of the entry that it is about."""
    # the words go in as a value: they may hold braces, which pydantic would take for places of its own
    return PydanticCustomError("study", "{words}", {"words": message, "key": key})


def kebab(name: str) -> str:
    """`when_not` is written `when-not`."""
    return name.replace("_", "-")


class Entry(BaseModel):
    """A table of a study file: every key typed, none unknown."""

    model_config = ConfigDict(frozen=True, strict=True, alias_generator=kebab, populate_by_name=True)

    @model_validator(mode="before")
    @classmethod
    def _only_known_keys(cls, raw: Any) -> Any:
        known = [kebab(name) for name in cls.model_fields]
        if isinstance(raw, Mapping) and cls.model_config.get("extra") != "allow":
            for key in raw:
                if kebab(key) not in known:
                    raise refused(f"unknown key `{key}`: {suggest(key, known)}", key)
        return raw


class Places:
    """Where in a study file its entries stand, for messages."""

    def __init__(self, file: str, raw: Mapping[str, Any], lines: Iterable[tuple[str, int]]) -> None:
        self._file, self._raw, self._lines = file, raw, dict(lines)

    def error(self, found: ValidationError) -> StudyError:
        """What pydantic found, one line an error."""
        errors = found.errors(include_url=False)
        words = [self._words(error) for error in errors[:MOST_ERRORS]]
        if len(errors) > MOST_ERRORS:
            words.append(f"and {len(errors) - MOST_ERRORS} more")
        return StudyError("\n".join(dict.fromkeys(words)))

    def _words(self, error: Any) -> str:
        path = list(error["loc"])
        if len(path) > 3 and path[2] == "check" and "check" not in self._raw[path[0]][path[1]]:
            del path[2:4]  # a claim with one check has that check's keys itself
        key = error.get("ctx", {}).get("key", "")
        words = error["msg"]
        if error["type"] == "missing":
            words = f"`{path.pop()}` is missing"
        elif error["type"] != "study":
            words = f"`{path[-1]}` {words.replace('Input should', 'must')}, not {error['input']!r}"
        line = self._line([*path, *([key] if key else [])])
        return f"{self._file}{f':{line}' if line else ''}: {self._entry(path)}{words}"

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
