"""How a value, a number of things or a list of words is written in a sentence, wherever the sentence stands."""

from __future__ import annotations

from collections.abc import Iterable


def setting(value: object) -> str:
    """A value of a scenario as a person writes it: 5e-05 becomes `5e-5`."""
    return f"{value:g}".replace("e-0", "e-").replace("e+0", "e") if isinstance(value, float) else str(value)


def plural(n: float, thing: str, things: str = "") -> str:
    """`1 run`, `2 runs`; `things` where an s is not enough, like `copies`."""
    amount = str(n) if isinstance(n, int) else f"{n:g}"
    return f"{amount} {thing}" if n == 1 else f"{amount} {things or thing + 's'}"


def listing(items: Iterable[str]) -> str:
    """`a, b and c`."""
    known = list(items)
    return known[0] if len(known) == 1 else ", ".join(known[:-1]) + " and " + known[-1] if known else ""
