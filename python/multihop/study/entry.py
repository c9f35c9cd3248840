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
        """The first of what pydantic found: what follows is often its consequence."""
        error = found.errors(include_url=False)[0]
        path = self._path(error["loc"])
        missing = path.pop() if error["type"] == "missing" else ""
        return StudyError(self._words(path, str(missing), error))

    def _path(self, found: Sequence[str | int]) -> list[str | int]:
        """pydantic's path as it is in the file: without the steps that the models add."""
        path: list[str | int] = []
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
            elif isinstance(here, list) and isinstance(step, int):
                path.append(step)
                here = here[step]
            else:
                break  # which of several types was tried
        return path

    def _words(self, path: list[str | int], missing: str, error: Any) -> str:
        key, words = error.get("ctx", {}).get("key", ""), error["msg"]
        if missing:
            words = f"`{missing}` is missing"
        elif error["type"] != "study":
            words = f"`{path[-1]}` {_plain(words)}, not {error['input']!r}"
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


def _plain(words: str) -> str:
    """pydantic's words with TOML's names for things."""
    words = words.replace("Input should", "must").replace("valid tuple", "list").replace("valid dictionary", "table")
    return words.partition(" or instance of ")[0]
