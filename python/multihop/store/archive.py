"""The folder `records/`: each record whole at its address, whatever process writes there or is killed meanwhile.

A record comes in by one rename. A complete record is never overwritten by an identical one: the second writer takes
the first one.
One that is damaged, or that has less of a capture than is wanted, is replaced under a lock by way of
`<key>.next`, so that at every instant one of the two is there and whole. A process that finds a `.next` of a killed one
moves it on. What lies at an address and is not as multihop wrote it, or not only that, is never removed: it is
moved to `aside`.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from collections.abc import Iterator
from pathlib import Path

from multihop.errors import RecordError, RunError
from multihop.files import disk
from multihop.files.ground import KEY, LOCK, RECORDS, TMP, move_aside
from multihop.files.manifest import MANIFEST
from multihop.record.folder import PCAP
from multihop.record.record import Record

NEXT = ".next"
"""Suffix of a whole record that is about to take the place of another."""


class Archive:
    """Records under `root/records`; `root/tmp` is on the same file system."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._records = root / RECORDS

    def path(self, key: str) -> Path:
        """Where the record with that address lies or would lie."""
        return self._records / key

    def beginning(self, prefix: str) -> list[str]:
        """Addresses that begin so under which something lies, in order."""
        with contextlib.suppress(OSError):
            names = {entry.name.removesuffix(NEXT) for entry in self._records.iterdir()}
            return sorted(name for name in names if KEY.fullmatch(name) and name.startswith(prefix))
        return []

    def holds(self, key: str) -> bool:
        """Whether something lies there, whole or not."""
        return self.path(key).is_dir() or self._next(key).is_dir()

    def read(self, key: str) -> Record:
        """The record, every file of it compared with the manifest; raises RecordError."""
        try:
            return self._read(key)
        except RecordError:
            return self._read(key)  # another process may have replaced it while it was read

    def captured(self, key: str) -> bool:
        """Whether what lies there has captures, whole or not: what replaces it has to have them too."""
        if (self.path(key) / PCAP).is_dir():
            return True
        try:
            return Record.read(self.path(key)).pcap is not None
        except RecordError:
            return False

    def place(self, built: Record) -> Record:
        """Moves a record that was built elsewhere to its address; raises OSError, or RunError if it contradicts.

        Returns what lies there afterwards: the record, or its like that was there before.
        """
        final = self.path(built.key)
        self._records.mkdir(parents=True, exist_ok=True)
        try:
            built.path.rename(final)
        except OSError as e:
            if e.errno not in (errno.ENOTEMPTY, errno.EEXIST, errno.ENOTDIR):
                raise
            return self._replace(built)
        disk.sync(self._records)
        return built.moved(final)

    def remove(self, key: str) -> None:
        """Removes the record at an address, or moves aside what else lies there; raises OSError."""
        with disk.locked(self._root / LOCK):
            for path in (self.path(key), self._next(key)):
                self._clear(path)

    def _replace(self, built: Record) -> Record:
        final, following = self.path(built.key), self._next(built.key)
        with disk.locked(self._root / LOCK):
            self._settle(built.key)
            there = _whole(final)
            if there is not None and there.manifest.fingerprint != built.manifest.fingerprint:
                raise RunError(
                    f"run {built.run} has another fingerprint ({built.manifest.fingerprint}) than its record {final} "
                    f"({there.manifest.fingerprint}), although nothing differs: the engine has a fault, please report "
                    "it; the record is left as it is"
                )
            if there is not None and there.captured >= built.captured:
                return there
            built.path.rename(following)
            disk.sync(self._records)
            self._advance(built.key)
        return built.moved(final)

    def _read(self, key: str) -> Record:
        final, following = self.path(key), self._next(key)
        if _whole(following):
            with contextlib.suppress(OSError), disk.locked(self._root / LOCK):  # of a store that is read-only, as it is
                self._settle(key)
        record = Record.read(following if following.is_dir() and not final.is_dir() else final)
        record.check()
        return record

    def _settle(self, key: str) -> None:
        """Goes on with what a killed process began; the lock is held."""
        if _whole(self._next(key)):
            self._advance(key)
        else:
            self._clear(self._next(key))

    def _advance(self, key: str) -> None:
        """Puts the whole record at `.next` into its place; the lock is held."""
        self._clear(self.path(key))
        self._next(key).rename(self.path(key))
        disk.sync(self._records)

    def _clear(self, path: Path) -> None:
        """Makes room at a place: removes the record that lies there, moves aside what is not as multihop wrote it."""
        if _as_written(path):
            with disk.Drafts(self._root / TMP) as drafts:
                path.rename(drafts.folder / path.name)  # gone at once, whatever happens meanwhile
        elif os.path.lexists(path):
            move_aside(self._root, path)

    def _next(self, key: str) -> Path:
        return self._records / f"{key}{NEXT}"


def _whole(path: Path) -> Record | None:
    try:
        record = Record.read(path)
        record.check()
    except RecordError:
        return None
    return record


def _as_written(path: Path) -> bool:
    """Whether a folder holds a whole record and nothing else; of captures, which may be large, sizes are compared."""
    if path.is_symlink():
        return False
    try:
        record = Record.read(path)
        found = dict(_files(path))
        if found.pop(MANIFEST, None) is None or found != {n: f.bytes for n, f in record.manifest.files.items()}:
            return False
        record.check(captures=False)
    except (OSError, RecordError):
        return False
    return True


def _files(folder: Path) -> Iterator[tuple[str, int | None]]:
    """What lies in a record, by path inside it: sizes of files; None for anything else than a file."""
    for entry in folder.iterdir():
        found = entry.lstat()
        if entry.name == PCAP and stat.S_ISDIR(found.st_mode):
            yield from ((f"{PCAP}/{name}", size) for name, size in _files(entry))
        else:
            yield entry.name, found.st_size if stat.S_ISREG(found.st_mode) else None
