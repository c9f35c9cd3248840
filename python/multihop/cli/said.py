"""The command line under way, as it can be written again."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
from contextvars import ContextVar

_WORDS: ContextVar[Sequence[str]] = ContextVar("words", default=())


def remember(words: Sequence[str] | None) -> None:
    """Keeps the words of the command, or those that the process was started with."""
    _WORDS.set(sys.argv[1:] if words is None else words)


def command() -> str:
    """The command as a shell takes it: `multihop run chain --runs 20`."""
    return shlex.join(("multihop", *_WORDS.get()))
