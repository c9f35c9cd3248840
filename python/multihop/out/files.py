"""Writing a file whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path

from multihop.errors import StoreError, reason


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
