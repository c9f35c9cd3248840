"""How objects show themselves in a notebook.

What is measured does not know how it is shown: a class that a notebook may show derives from `Shown`, and what draws
tables says here how.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

_VIEWS: dict[type, Callable[[Any], str]] = {}


class Shown:
    """Something that a notebook shows as HTML, if a view of its kind is known."""

    __slots__ = ()

    def _repr_html_(self) -> str | None:
        """What Jupyter asks for; without a view it falls back on the plain text."""
        view = _VIEWS.get(type(self))
        return view(self) if view else None


def show_as(kind: type, view: Callable[[Any], str]) -> None:
    """From now on a notebook shows objects of this kind so."""
    _VIEWS[kind] = view
