"""What becomes of records after their runs: removed from the store, or copied out of it as a store of their own."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from multihop.errors import InputError, RecordError, StoreError, reason
from multihop.files.manifest import KeptSweep, Set, opened
from multihop.record.record import Records
from multihop.scenario.scenario import label
from multihop.store.store import SHORTEST, Store
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
    """Removes records and sweeps by their ids, and runs of theirs that no other has; raises RecordError, StoreError.

    A damaged record is removed too; its runs stay until `remove_all`.
    """
    ids = [_id(store, reference) for reference in dict.fromkeys(_words(references))]
    if not ids:
        raise InputError("no record is named: `multihop list records` has their ids")
    return _forget(store, ids)


def remove_all(store: Store) -> Removed:
    """Removes all records and sweeps of a store, and runs that belong to none; raises StoreError."""
    return _forget(store, [*store.ids(), *store.sweeps()], store.keys())


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
    known = [*store.ids(), *store.sweeps()] if len(reference) >= SHORTEST else []
    found = [i for i in known if i.startswith(reference)]
    if not found:
        raise RecordError(
            f"there is no record `{reference}` in {store.root}: `multihop list records` has their ids "
            f"({SHORTEST} characters of one are enough)"
        )
    if len(found) > 1:
        raise RecordError(f"`{reference}` is the beginning of {len(found)} records: write more of it")
    return found[0]


@dataclass(frozen=True, slots=True)
class _Kept:
    """What stands in the store under an id: a set of runs, or a sweep."""

    id: str
    about: str
    """What it is, in words; empty if it cannot be read."""
    runs: tuple[str, ...]
    """Keys of its runs."""


def _kept(store: Store) -> Iterator[_Kept]:
    """All sets and sweeps of a store; one that cannot be read has no runs."""
    for identity in store.ids():
        try:
            found = opened(store.file(identity), Set)
        except RecordError:
            yield _Kept(identity, "", ())
            continue
        about = f" ({found.scenario}, {label(found.techniques)}: {plural(len(found.runs), 'run')})"
        yield _Kept(identity, about, found.runs)
    for identity in store.sweeps():
        try:
            swept = opened(store.sweep_file(identity), KeptSweep)
        except RecordError:
            yield _Kept(identity, "", ())
            continue
        runs = tuple(key for cell in swept.cells for key in cell.runs)
        yield _Kept(identity, f" (sweep of {swept.scenario}: {plural(len(runs), 'run')})", runs)


def _forget(store: Store, ids: Sequence[str], keys: Sequence[str] = ()) -> Removed:
    """Forgets these sets and sweeps, and their runs or the runs with these keys; runs of others stay."""
    every, sweeps = list(_kept(store)), store.sweeps()
    named = [f"{one.id[:12]}{one.about}" for one in every if one.id in ids]
    others = {key for one in every if one.id not in ids for key in one.runs}
    runs = dict.fromkeys([*keys, *(key for one in every if one.id in ids for key in one.runs)])
    gone = [key for key in runs if key not in others]
    freed = sum(_size(store.path(key)) for key in gone)
    try:
        with store.writing() as writer:
            writer.forget([i for i in ids if i not in sweeps], gone, [i for i in ids if i in sweeps])
    except OSError as e:
        raise StoreError(f"records cannot be removed from {store.root}: {reason(e)}") from None
    return Removed(tuple(named), len(gone), freed)


def _size(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())
