"""What stands in `manifest.json`, `sets/<id>.json`, `sweeps/<id>.json` and `latest.json`: types, and a seal on each.

The seal is the last field, `sha256`: the hash of the file's text without it. There is one way to write a document
(`sealed`), and reading accepts nothing else (`opened`): a file in which one byte differs is refused.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from multihop.errors import RecordError
from multihop.files import disk

FORMAT = 2
"""Version of a record's files. It is part of every key: a format that changes makes new records."""
MANIFEST = "manifest.json"
"""A record's table of contents."""
LATEST = "latest.json"
"""The sets of the last command."""
MOST = 1 << 30
"""Bytes that a document has at most: a set of some 25 million runs."""
SEAL = "sha256"
"""The field that holds the hash of all others."""
END = "\n}\n"
"""The end of a document's text."""


class Sealed(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A document of the store."""

    format: int
    """Version of the files, `FORMAT`."""
    sha256: str = ""
    """Hash of the rest, in hexadecimal."""


class File(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Size and hash of a file."""

    bytes: int
    sha256: str


class Scenario(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The scenario of a run: the name that the user gave, and the hash of all its values."""

    name: str
    hash: str


class Host(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The machine that made a run."""

    name: str
    machine: str
    system: str


class Manifest(Sealed, frozen=True, kw_only=True):
    """What a record says of itself, and size and hash of every other file in it."""

    key: str
    """The record's address."""
    scenario: Scenario
    techniques: tuple[str, ...]
    """As they were written."""
    run: int
    """Run number, from 1."""
    seed: int
    """Base seed."""
    fingerprint: str
    """Hash over the whole history of the run."""
    events: int
    frames: int
    wall_s: float
    """Time that the run took [s]."""
    build: str
    """Hash of the engine."""
    version: str
    """Version of the package."""
    python: str
    host: Host
    created: str
    """When, in UTC."""
    files: dict[str, File]
    """By path inside the record, captures included."""


class Set(Sealed, frozen=True, kw_only=True):
    """Which runs belong together."""

    scenario: str
    """The scenario as the user named it."""
    techniques: tuple[str, ...]
    runs: tuple[str, ...]
    """Keys of the records."""


class Latest(Sealed, frozen=True, kw_only=True, omit_defaults=True):
    """What the last command made: the baseline first."""

    sets: tuple[str, ...]
    """Ids of the sets."""
    made: str = ""
    """When, in UTC; stores of earlier versions do not say it."""
    command: str = ""
    """The command line, if it was one."""


class KeptCell(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A point under one list of techniques."""

    values: tuple[str, ...]
    """Of each key, as it was written."""
    techniques: tuple[str, ...]
    runs: tuple[str, ...]
    """Keys of the records."""


class KeptSweep(Sealed, frozen=True, kw_only=True):
    """A sweep."""

    scenario: str
    """As the user named it."""
    keys: tuple[str, ...]
    """Paths in the scenario that are swept."""
    cells: tuple[KeptCell, ...]


Kind = TypeVar("Kind", bound=Sealed)


def address(scenario: str, techniques: tuple[str, ...] | list[str], build: str, run: int) -> str:
    """The key of a run: hash of format, resolved scenario, techniques as written, engine build and run number."""
    parts = [FORMAT, scenario, list(techniques), build, run]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:32]


def sealed(document: Sealed) -> bytes:
    """The document as its file holds it."""
    content: dict[str, Any] = msgspec.to_builtins(document)
    content.pop(SEAL, None)
    bare = _text(content)
    seal = hashlib.sha256(bare.encode()).hexdigest()
    return f'{bare.removesuffix(END)},\n "{SEAL}": "{seal}"{END}'.encode()


def opened(file: Path, kind: type[Kind]) -> Kind:
    """Reads a document; raises RecordError if it is missing, altered, of another format or not of this kind."""
    try:
        content = disk.content(file, MOST + 1)
    except FileNotFoundError:
        raise RecordError(f"{file} is missing: {_remedy(kind)}") from None
    except OSError as e:
        raise RecordError(f"{file} cannot be read ({e.strerror or e}): {_remedy(kind)}") from None
    if len(content) > MOST:
        raise RecordError(f"{file} is larger than any that multihop writes: {_remedy(kind)}")
    try:
        version = msgspec.json.decode(content, type=_Versioned).format
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as e:
        raise RecordError(f"{file} is damaged ({_one_line(e)}): {_remedy(kind)}") from None
    if version != FORMAT:
        raise RecordError(f"{file} has format {version}, this version reads format {FORMAT}: {_remedy(kind)}")
    try:
        document = msgspec.json.decode(content, type=kind)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as e:
        raise RecordError(f"{file} is damaged ({_one_line(e)}): {_remedy(kind)}") from None
    if sealed(document) != content:
        raise RecordError(f"{file} is damaged (its content is not what was written): {_remedy(kind)}")
    return document


class _Versioned(msgspec.Struct):
    format: int


def _text(content: dict[str, Any]) -> str:
    return json.dumps(content, indent=1, allow_nan=False) + "\n"


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split())


def _remedy(kind: type[Sealed]) -> str:
    what = "scenario" if kind is Manifest else "command that made it"
    return f"run the {what} again, and it is written anew"
