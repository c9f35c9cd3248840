"""Text that a user gives, like a scenario or a study: one way to read it, and never more of it than it may have."""

from __future__ import annotations

from pathlib import Path

from multihop.errors import InputError
from multihop.text import amount

MOST = 32_000_000
"""Bytes that a scenario, a technique or a study may have."""
PIECE = 1 << 20
"""Bytes read at a time."""


def text_of(path: Path, what: str = "", *, most: int = MOST, encoding: str = "utf-8") -> str:
    """The text of a file, a pipe or a device; raises InputError if it cannot be read, or has more than `most` bytes.

    `what` says what is expected there: a scenario, a technique, a study.
    """
    named = f"{what} file {path}".lstrip()
    try:
        content = _bytes(path, most + 1)
        if len(content) <= most:
            return content.decode(encoding)
    except FileNotFoundError:
        raise InputError(f"there is no {named}") from None
    except UnicodeDecodeError:
        raise InputError(f"the {named} is not text in UTF-8") from None
    except (OSError, ValueError) as e:
        raise InputError(f"the {named} cannot be read: {getattr(e, 'strerror', None) or e}") from None
    raise InputError(f"the {named} has more than {amount(most)}: that is no {what or 'file'} that can be read")


def _bytes(path: Path, most: int) -> bytes:
    found = bytearray()
    with path.open("rb") as file:
        while len(found) < most and (piece := file.read(min(PIECE, most - len(found)))):
            found += piece
    return bytes(found)
