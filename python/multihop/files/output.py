"""Writing files: whole or not at all, into what was named, and over nothing that was not named.

A file that the user names is written, whatever it was before. A name that multihop chooses, like `report.html`, is
free if nothing is there or multihop wrote it. A new file, like a scenario, is written only where nothing is.
"""

from __future__ import annotations

import errno
import os
import stat
import uuid
from pathlib import Path

from multihop.errors import InputError, StoreError, reason
from multihop.files import disk

MARKS = (
    b'<meta name="generator" content="multihop',
    b"<dc:title>multihop</dc:title>",
    b"Software\0multihop",
    b"/Creator (multihop)",
)
"""What multihop's own files have in them: HTML, SVG, PNG, PDF."""
FIXED = (errno.EACCES, errno.EPERM, errno.EROFS, errno.EBUSY)
"""Why a file may be written to and not be replaced: its folder, or a mount."""


def write_whole(path: Path, content: str | bytes) -> None:
    """Writes a file and makes the folders above it; raises StoreError, and then the file is as it was before.

    A link is followed, a device or a FIFO is written to. A file keeps its mode.
    """
    data = content.encode() if isinstance(content, str) else content
    try:
        there = _there(path)
        if there is None or stat.S_ISREG(there.st_mode):
            _replace(path.resolve() if path.is_symlink() else path, there, data)
        elif stat.S_ISDIR(there.st_mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        else:
            with path.open("wb", buffering=0) as out:
                left = memoryview(data)
                while left:
                    left = left[out.write(left) :]
    except OSError as e:
        raise StoreError(f"{path} cannot be written: {reason(e)}") from None


def demand_own(path: Path) -> None:
    """Raises InputError if something is there that multihop did not write: for a name that multihop has chosen."""
    try:
        there = _there(path)
        if there is not None and there.st_size == 0 and stat.S_ISREG(there.st_mode):
            return
        own = there is None or any(mark in disk.content(path, there.st_size) for mark in MARKS)
    except OSError:
        own = False
    if not own:
        raise InputError(
            f"{path} is there already, and multihop did not write it: move it away, or name the output with --out"
        )


def write_new(path: Path, text: str) -> None:
    """Writes a file where nothing is; raises InputError if something is there, StoreError if it cannot be written.

    The folders above it are made if they are below the working folder.
    """
    try:
        if not path.parent.exists():
            if path.is_absolute() or ".." in path.parts:
                raise InputError(f"there is no folder {path.parent}: make it first, or name another file")
            path.parent.mkdir(parents=True)
        with path.open("x", encoding="utf-8") as file:
            try:
                file.write(text)
                file.flush()
            except OSError:
                path.unlink()
                raise
    except FileExistsError:
        raise InputError(f"{path} exists already and is not overwritten: choose another name") from None
    except InputError:
        raise
    except OSError as e:
        raise StoreError(f"{path} cannot be written: {reason(e)}") from None


def _there(path: Path) -> os.stat_result | None:
    """What a name leads to."""
    try:
        return path.stat()
    except FileNotFoundError:
        return None


def _replace(path: Path, there: os.stat_result | None, data: bytes) -> None:
    if there is not None and not (there.st_mode & 0o222 and os.access(path, os.W_OK)):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{uuid.uuid4().hex}.multihop")
    try:
        draft.write_bytes(data)
        if there is not None:
            draft.chmod(stat.S_IMODE(there.st_mode))
        draft.replace(path)
    except OSError as e:
        if there is None or e.errno not in FIXED:
            raise
        path.write_bytes(data)
    finally:
        draft.unlink(missing_ok=True)
