"""What the shipped files say about themselves."""

from __future__ import annotations

import tomllib
from typing import Any


def head_of(text: str) -> dict[str, Any]:
    """A shipped file as a tree; empty if it is not TOML (then the engine says so when it is used)."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return {}


def summary_of(text: str) -> str:
    """The file's `summary`, or its `title`, in one line."""
    head = head_of(text)
    return " ".join(str(head.get("summary") or head.get("title") or "").split())
