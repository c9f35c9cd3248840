"""Writing a file whole or not at all, and saying in words why it could not be written."""

from __future__ import annotations

import errno
import os
from pathlib import Path

from multihop.errors import StoreError

REASONS = {
    errno.ENOSPC: "the disk is full",
    errno.EDQUOT: "the disk quota is used up",
    errno.EACCES: "there is no permission to write",
    errno.EROFS: "the file system is read-only",
    errno.ENOTDIR: "a part of the path is a file",
    errno.EEXIST: "a part of the path is a file",
    errno.EISDIR: "it is a folder",
    errno.ENAMETOOLONG: "the name is too long",
}
"""What the reasons are that a user meets."""


def reason(error: OSError) -> str:
    """Why something could not be written, in words."""
    return REASONS.get(error.errno or 0, error.strerror or str(error))


def write_whole(path: Path, content: str | bytes) -> None:
    """Writes a file and makes the folders above it; raises StoreError, and then the file is as it was before."""
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            draft.write_bytes(content.encode() if isinstance(content, str) else content)
            draft.replace(path)
        finally:
            draft.unlink(missing_ok=True)
    except OSError as e:
        raise StoreError(f"{path} cannot be written: {reason(e)}") from None
