"""Files as the store needs them: on the disk when they are said to be, hashed as they stream, swept when abandoned."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import hashlib
import os
import shutil
import time
import uuid
from collections.abc import Iterator
from pathlib import Path

STALE_S = 24 * 3600.0
"""Age after which a folder of drafts is abandoned, where the file system cannot tell by a lock [s]."""
CHUNK = 1 << 20
"""Bytes read at a time."""


def sync(path: Path) -> None:
    """Waits until a file's content, or a folder's entries, are on the disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def digest(path: Path) -> tuple[int, str]:
    """Size and SHA-256 of a file, read in pieces: it may be larger than the memory."""
    total, found = 0, hashlib.sha256()
    with path.open("rb") as file:
        while piece := file.read(CHUNK):
            total += len(piece)
            found.update(piece)
    return total, found.hexdigest()


@contextlib.contextmanager
def locked(path: Path) -> Iterator[None]:
    """Holds the lock of that file; whoever dies lets go. Where the file system has no locks, there is none."""
    handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
    try:
        _lock(handle, wait=True)
        yield
    finally:
        os.close(handle)


class Drafts:
    """A folder under `tmp` of its own, in which records are built; a context manager that removes it.

    The folder is locked while it is in use, so that `sweep` knows what a killed process has left behind.
    """

    def __init__(self, tmp: Path) -> None:
        self.folder = tmp / f"{os.getpid()}-{uuid.uuid4().hex[:12]}"
        """Nobody else writes here."""
        self._handle: int | None = None

    def __enter__(self) -> Drafts:
        while self._handle is None:
            self.folder.mkdir(parents=True, exist_ok=True)
            with contextlib.suppress(FileNotFoundError):  # swept before it was locked: once more
                handle = os.open(self.folder, os.O_RDONLY)
                _lock(handle, wait=True)
                if self.folder.exists():
                    self._handle = handle
                else:
                    os.close(handle)
        return self

    def __exit__(self, *_: object) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)
        if self._handle is not None:
            os.close(self._handle)


def sweep(tmp: Path) -> None:
    """Removes the drafts of processes that are no more."""
    with contextlib.suppress(OSError):
        for left in tmp.iterdir():
            with contextlib.suppress(OSError):
                _sweep_one(left)


def _sweep_one(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        if _lock(handle, wait=False) or time.time() - folder.stat().st_mtime > STALE_S:
            shutil.rmtree(folder, ignore_errors=True)
    finally:
        os.close(handle)  # not before it is gone: a process that has just made it waits for the lock


def _lock(handle: int, *, wait: bool) -> bool:
    """Takes the lock; False if the file system has none; BlockingIOError if it is taken and not waited for."""
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except BlockingIOError:
        raise
    except OSError as e:
        if e.errno in (errno.ENOLCK, errno.EOPNOTSUPP, errno.ENOSYS, errno.EINVAL):
            return False
        raise
    return True
