"""How a value, a number of things or a list of words is written in a sentence, wherever the sentence stands."""

from __future__ import annotations

from collections.abc import Iterable

_HIDDEN = [
    *(code for code in range(0x20) if chr(code) not in "\n\t"),
    *range(0x7F, 0xA0),
    *(0x61C, 0x200E, 0x200F, *range(0x2028, 0x202F), *range(0x2066, 0x206A)),
    *range(0xD800, 0xE000),
    *(0xFEFF, 0xFFFE, 0xFFFF),
]
_PRINTABLE = dict.fromkeys(_HIDDEN, "\ufffd")


LONGEST = 300
"""Letters of a word that is shown whole."""
PARAGRAPH = 3000
"""Letters of a paragraph that is shown whole."""


def printable(text: str) -> str:
    """The text without what a terminal obeys, an SVG forbids or a reader cannot see.

    Control characters, marks that turn the direction of writing and halves of characters become �; line feeds and
    tabs stay.
    """
    return text.translate(_PRINTABLE)


def shortened(text: str) -> str:
    """A paragraph that can be read: of a word longer than any name, or too many words, the beginning and the end."""
    words = " ".join(_ends(word, LONGEST) for word in text.split())
    return _ends(words, PARAGRAPH)


def _ends(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most // 2]}…{text[-most // 4 :]}"


def whole(text: str) -> int | None:
    """The whole number that a text says in digits; None if it says none, or one that nothing here has so many of."""
    return int(text) if text.isdecimal() and len(text) <= 18 else None


def setting(value: object) -> str:
    """A value of a scenario as a person writes it: 5e-05 becomes `5e-5`."""
    return f"{value:g}".replace("e-0", "e-").replace("e+0", "e") if isinstance(value, float) else str(value)


def span(low: float, high: float, joined: str = "–") -> str:
    """A part of the time [s] without needless decimals: `100–300 s`, `0–20 us`."""
    unit, scale = ("s", 1.0) if high >= 1e-3 else ("us", 1e6)
    return f"{low * scale:g}{joined}{high * scale:g} {unit}"


def plural(n: float, thing: str, things: str = "") -> str:
    """`1 run`, `2 runs`; `things` where an s is not enough, like `copies`."""
    amount = str(n) if isinstance(n, int) else f"{n:g}"
    return f"{amount} {thing}" if n == 1 else f"{amount} {things or thing + 's'}"


def listing(items: Iterable[str]) -> str:
    """`a, b and c`."""
    known = list(items)
    return known[0] if len(known) == 1 else ", ".join(known[:-1]) + " and " + known[-1] if known else ""


def amount(size: float) -> str:
    """A size as people write it: `1.2 GB`."""
    for unit in ("bytes", "kB", "MB", "GB", "TB"):
        if size < 1000 or unit == "TB":
            break
        size /= 1000
    return f"{size:.3g} {unit}" if size < 1000 else f"{size:,.0f} {unit}"


def kilobits(bps: float) -> str:
    """A rate in kbit/s with four digits, or as a whole number where it has more."""
    kbps = bps / 1e3
    return f"{kbps:.4g}" if kbps < 9999.5 else f"{kbps:.0f}"
