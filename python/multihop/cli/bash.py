"""Bash's way with `=` and `:`: it ends words there, and wants the last piece of a word alone completed."""

from __future__ import annotations

import contextlib
import io
import os
import sys
from collections.abc import Callable

BREAKS = ("=", ":")
"""Where bash ends words that we take for one."""


def completing() -> bool:
    """Whether bash asks for completions."""
    return os.environ.get("_MULTIHOP_COMPLETE") == "complete_bash"


def complete(run: Callable[[], None]) -> None:
    """Completes with whole words, and answers without what bash has of the word already."""
    typed = _rejoin()
    answers = io.StringIO()
    try:
        with contextlib.redirect_stdout(answers):
            run()
    finally:
        sys.stdout.write("".join(line.removeprefix(typed) for line in answers.getvalue().splitlines(keepends=True)))


def _rejoin() -> str:
    """Puts the pieces of words together in the environment; returns what stands before the piece to complete."""
    words, place = os.environ.get("COMP_WORDS", "").split("\n"), int(os.environ.get("COMP_CWORD") or 0)
    whole: list[str] = []
    before, typed = "", ""
    for index, word in enumerate(words):
        if whole and word and (word[0] in BREAKS or before[-1:] in BREAKS):
            typed = whole[-1] + (word if word in BREAKS else "")
            whole[-1] += word
        else:
            typed = ""
            whole.append(word)
        before = word
        if index >= place:
            os.environ["COMP_CWORD"] = str(len(whole) - 1)
            break
    os.environ["COMP_WORDS"] = "\n".join(whole)
    return typed
