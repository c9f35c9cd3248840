"""What becomes of records after their runs: removed from the store, or copied out of it as a store of their own."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from multihop.errors import InputError, RecordError, StoreError, reason
from multihop.manifest import Set, opened
from multihop.record import Records
from multihop.scenario import label
from multihop.store import SHORTEST, Store
from multihop.text import plural


@dataclass(frozen=True, slots=True)
class Removed:
    """What was taken out of a store."""

    records: tuple[str, ...]
    """Each record by its id, scenario and technique."""
    runs: int
    """Runs that no other record has."""
    freed: int
    """Room that they took [B]."""


def remove(store: Store, references: Iterable[str]) -> Removed:
    """Removes records by their ids, and those of their runs that no other record has; raises RecordError, StoreError.

    A damaged record is removed too; its runs stay until `remove_all`.
    """
    ids = [_id(store, reference) for reference in dict.fromkeys(_words(references))]
    if not ids:
        raise InputError("no record is named: `multihop list records` has their ids")
    return _forget(store, ids, None)


def remove_all(store: Store) -> Removed:
    """Removes all records of a store, and runs that belong to none; raises StoreError."""
    return _forget(store, store.ids(), store.keys())


def export(store: Store, references: Sequence[str], folder: Path) -> list[Records]:
    """Copies records into a new folder, each file verified: a store that commands take by the folder's name.

    Without references, the latest. Raises RecordError, StoreError, or InputError if something lies there already.
    """
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise InputError(f"{folder} exists already and is not overwritten: name another folder")
    wanted: list[str | None] = [*_words(references)] or [None]
    found = {records.id: records for reference in wanted for records in store.find(reference)}
    with Store(folder).writing() as writer:
        for record in {record.key: record for records in found.values() for record in records}.values():
            writer.copy(record)
        writer.register([*found.values()])
    return [*found.values()]


def _words(references: Iterable[object]) -> list[str]:
    """The references, if each is a text; raises InputError."""
    found = []
    for reference in references:
        if not isinstance(reference, str):
            raise InputError(
                f"a record is named by its id, a text, each by itself: ids in a list are given as `*ids`; this is a "
                f"{type(reference).__name__}"
            )
        found.append(reference)
    return found


def _id(store: Store, reference: str) -> str:
    """The id of the one record that is meant."""
    found = [i for i in store.ids() if i.startswith(reference)] if len(reference) >= SHORTEST else []
    if not found:
        raise RecordError(
            f"there is no record `{reference}` in {store.root}: `multihop list records` has their ids "
            f"({SHORTEST} characters of one are enough)"
        )
    if len(found) > 1:
        raise RecordError(f"`{reference}` is the beginning of {len(found)} records: write more of it")
    return found[0]


def _forget(store: Store, ids: Sequence[str], keys: Sequence[str] | None) -> Removed:
    """Forgets these sets, and their runs or the runs with these keys; a set that cannot be read is forgotten alone."""
    named, runs, kept = [], dict.fromkeys(keys or ()), set[str]()
    for identity in store.ids():
        try:
            told = opened(store.file(identity), Set)
        except RecordError:
            told = None
        if identity not in ids:
            kept.update(told.runs if told else ())
            continue
        about = f" ({told.scenario}, {label(told.techniques)}: {plural(len(told.runs), 'run')})" if told else ""
        named.append(f"{identity[:12]}{about}")
        runs |= dict.fromkeys(told.runs if told else ())
    gone = [key for key in runs if key not in kept]
    freed = sum(_size(store.path(key)) for key in gone)
    try:
        with store.writing() as writer:
            writer.forget(ids, gone)
    except OSError as e:
        raise StoreError(f"records cannot be removed from {store.root}: {reason(e)}") from None
    return Removed(tuple(named), len(gone), freed)


def _size(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())
