"""What the shipped files say about themselves."""

from __future__ import annotations

from typing import Any

from multihop.scenario.trees import INVALID, tree


def head_of(text: str) -> dict[str, Any]:
    """A shipped file as a tree, of a study its `[study]`, of a sweep its `[sweep]`; empty if it is not TOML (its
    use will say so)."""
    try:
        whole = tree(text)
    except INVALID:
        return {}
    for part in ("study", "sweep"):
        if isinstance(whole.get(part), dict):
            found: dict[str, Any] = whole[part]
            return found
    return whole


def summary_of(text: str) -> str:
    """The file's `title`, or its `summary`, in one line."""
    head = head_of(text)
    return " ".join(str(head.get("title") or head.get("summary") or "").split())
