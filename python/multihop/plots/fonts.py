"""Fonts for names in any script: what the font of the figures lacks is taken from those that are installed."""

from __future__ import annotations

import unicodedata
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING

from multihop.terminal import console

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FAMILY = "DejaVu Sans"
"""The font of all figures; it comes with Matplotlib."""
PLACEHOLDERS = "Last Resort"
"""A font whose letters only say that there is none."""
MOST_LETTERS = 12
"""So many letters are named that no font has."""
_told: set[str] = set()
"""Letters that are known to be in no font."""


def families(words: str) -> list[str]:
    """The fonts that these words need, the figures' own first."""
    return list(_families("".join(sorted(set(words))))[0])


@contextmanager
def legible(figure: Figure) -> Iterator[None]:
    """Draw inside this: every text is in fonts that have its letters. What no font has is said once, in a sentence; of
    Matplotlib's warnings of each letter do not say what to do."""
    from matplotlib.text import Text

    lacking: set[str] = set()
    for text in figure.findobj(Text):
        found, without = _families("".join(sorted(set(text.get_text()))))
        if len(found) > 1:
            text.set_fontfamily(list(found))
        lacking |= set(without)
    if new := sorted(lacking - _told):
        _told.update(new)
        letters = "".join(new[:MOST_LETTERS]) + ("…" if len(new) > MOST_LETTERS else "")
        console.say(
            f"no installed font has {letters}: boxes stand for them in the picture; install one that does (such as "
            "Noto Sans CJK for Chinese, Japanese and Korean) and draw again",
            error=True,
        )
    with quiet():
        yield


@contextmanager
def quiet() -> Iterator[None]:
    """Without Matplotlib's warnings of letters that a font has not."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=r"Glyph \d+ .* missing from font")
        yield


@cache
def _families(letters: str) -> tuple[tuple[str, ...], str]:
    """The fonts that have these letters, and the letters that none has."""
    from matplotlib import font_manager

    own = font_manager.findfont(FAMILY)
    missing = {letter for letter in letters if _visible(letter) and ord(letter) not in _letters(own)}
    found = [FAMILY]
    for entry in font_manager.fontManager.ttflist if missing else ():
        if entry.name.startswith(PLACEHOLDERS) or entry.name in found or not missing:
            continue
        if entry.style == "normal" and (has := {letter for letter in missing if ord(letter) in _letters(entry.fname)}):
            found.append(entry.name)
            missing -= has
    return tuple(found), "".join(sorted(missing))


@cache
def _letters(path: str) -> frozenset[int]:
    """The code points that a font has; none if it cannot be read."""
    from matplotlib.ft2font import FT2Font

    try:
        return frozenset(FT2Font(path).get_charmap())
    except (OSError, RuntimeError):
        return frozenset()


def _visible(letter: str) -> bool:
    return not letter.isspace() and unicodedata.category(letter)[0] != "C"
