"""Finding studies: the shipped ones by name, a user's own by path."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from multihop import _engine
from multihop.errors import InputError
from multihop.files.intake import text_of
from multihop.scenario.scenario import nearest

from .entry import StudyError
from .load import load
from .model import Study


def names() -> list[str]:
    """Names of the shipped studies."""
    return sorted(_short(key) for key, text in _shipped().items() if "\n[study]" in f"\n{text}")


def find(name: str) -> Study:
    """A study by shipped name (`ohzahata`) or by path to a TOML file."""
    path = Path(name)
    if path.suffix == ".toml" or path.is_file():
        found = load(text_of(path, "study"), path.name, lambda part: text_of(path.parent / part, "study"))
        return replace(found, asked=name)
    shipped = _shipped()
    for key, text in shipped.items():
        if _short(key) == name and name in names():
            return replace(load(text, f"{name}.toml", lambda part: _part(shipped, part)), asked=name)
    if name in _engine.shipped("sweeps"):
        raise InputError(f"`{name}` is a sweep, not a study: `multihop sweep {name}` runs it")
    raise InputError(
        f"there is no study `{name}`: neither a file nor a shipped name{nearest(name, names())}; "
        "`multihop list studies` shows the names"
    )


def _shipped() -> dict[str, str]:
    return _engine.shipped("studies")


def _short(key: str) -> str:
    return key.removesuffix(".toml").rsplit("/", 1)[-1]


def _part(shipped: dict[str, str], part: str) -> str:
    wanted = part.removesuffix(".toml")
    for key, text in shipped.items():
        if key.removesuffix(".toml") == wanted or key.removesuffix(".toml").endswith(f"/{wanted}"):
            return text
    raise StudyError(f"the part `{part}` that the study includes is not shipped")
