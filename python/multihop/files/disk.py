"""Files as the store needs them: on the disk when they are said to be, hashed as they stream, swept when abandoned.

What is opened here is a file or a folder: anything else, like a FIFO or a device, is an OSError at once.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import hashlib
import os
import re
import shutil
import stat
import time
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

STALE_S = 24 * 3600.0
"""Age after which a folder of drafts is abandoned, where the file system cannot tell by a lock [s]."""
CHUNK = 1 << 20
"""Bytes read at a time."""
DRAFTS = re.compile("[0-9]+-[0-9a-f]{12}")
"""What a folder of drafts is called: process, random number."""
DRAFT_MARK = ".multihop-draft"
"""The file that marks a folder of drafts: without it, nothing in the folder is removed."""


def sync(path: Path) -> None:
    """Waits until a file's content, or a folder's entries, are on the disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def opened(path: Path) -> BinaryIO:
    """Opens a file to be read; raises OSError, also if it is a folder, a FIFO or a device."""
    # looked at before it is opened, which may wait or have effects, and after: it may be another by then
    _demand_file(path.stat().st_mode)
    file = open(os.open(path, os.O_RDONLY | os.O_NONBLOCK), "rb")  # noqa: PTH123, SIM115
    try:
        _demand_file(os.fstat(file.fileno()).st_mode)
    except OSError:
        file.close()
        raise
    return file


def content(path: Path, most: int) -> bytes:
    """The first bytes of a file, so many at most; raises OSError."""
    with opened(path) as file:
        return file.read(min(most, os.fstat(file.fileno()).st_size + 1))


def size(path: Path) -> int:
    """Size of a file [B]; raises OSError if it is none."""
    found = path.stat()
    _demand_file(found.st_mode)
    return found.st_size


def digest(path: Path) -> tuple[int, str]:
    """Size and SHA-256 of a file, read in pieces: it may be larger than the memory. Raises OSError."""
    total, found = 0, hashlib.sha256()
    with opened(path) as file:
        while piece := file.read(CHUNK):
            total += len(piece)
            found.update(piece)
    return total, found.hexdigest()


@contextlib.contextmanager
def locked(path: Path) -> Iterator[None]:
    """Holds the lock of that file; a process that dies lets go. Where the file system has no locks, there is none."""
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o666)
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
        """No other process writes here."""
        self._handle: int | None = None

    def __enter__(self) -> Drafts:
        while self._handle is None:
            self.folder.mkdir(parents=True, exist_ok=True)
            with contextlib.suppress(FileNotFoundError):  # swept before it was locked: once more
                handle = _folder(self.folder)
                _lock(handle, wait=True)
                if self.folder.exists():
                    self._handle = handle
                    (self.folder / DRAFT_MARK).touch()
                else:
                    os.close(handle)
        return self

    def __exit__(self, *_: object) -> None:
        if self._handle is not None:
            shutil.rmtree(self.folder, ignore_errors=True)
            os.close(self._handle)


def sweep(tmp: Path) -> None:
    """Removes the drafts of processes that are no more: folders with their name and their mark."""
    with contextlib.suppress(OSError):
        for left in tmp.iterdir():
            if DRAFTS.fullmatch(left.name):
                with contextlib.suppress(OSError):
                    _sweep_one(left)


def _sweep_one(folder: Path) -> None:
    handle = _folder(folder)
    try:
        if _lock(handle, wait=False) or time.time() - folder.stat().st_mtime > STALE_S:
            if (folder / DRAFT_MARK).is_file():
                shutil.rmtree(folder, ignore_errors=True)
            else:
                folder.rmdir()  # killed before it was marked; OSError if anything lies in it
    finally:
        os.close(handle)  # not before it is gone: a process that has just made it waits for the lock


def _folder(path: Path) -> int:
    """Opens a folder that is no link; raises OSError."""
    return os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)


def _demand_file(mode: int) -> None:
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, "it is a folder")
    if not stat.S_ISREG(mode):
        raise OSError(errno.EINVAL, "it is no file but a FIFO, a socket or a device")


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
