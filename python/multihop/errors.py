"""What can go wrong, as one tree under `MultihopError`.

Every message is one paragraph that a person can act on: what is wrong, where, and what to do about it.
The command line prints it without a traceback and leaves with code 2.
"""

from __future__ import annotations

import errno


class MultihopError(Exception):
    """Anything that went wrong for a reason the user can change."""


class InputError(MultihopError, ValueError):
    """An argument that cannot be used: an unknown scenario, a count below one, a malformed list."""


class ScenarioError(MultihopError, ValueError):
    """A scenario or an overlay that cannot be used; the message names file, line, column and key."""

    def __init__(
        self,
        message: str,
        *,
        file: str | None = None,
        line: int | None = None,
        column: int | None = None,
        key: str | None = None,
    ) -> None:
        super().__init__(message)
        self.file = file
        """The file as it was named, or the layer (`--set`, `technique NAME`)."""
        self.line = line
        """Line in the file, from 1."""
        self.column = column
        """Column in the line, from 1."""
        self.key = key
        """The key with its path, like `tcp.max-window`."""


class RunError(MultihopError, RuntimeError):
    """A run that the engine had to give up."""


class StoreError(MultihopError, OSError):
    """Records cannot be written: no space, no permission. Nothing half-written is left behind."""


class RecordError(MultihopError, ValueError):
    """A record that does not exist or cannot be read: truncated, altered, or of a later version."""


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
