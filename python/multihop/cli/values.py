"""Reading what stands on the command line, in our words.

Typer would have a validator read it, which takes longer to load than most commands take to answer, and which speaks of
integers and inputs.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum, EnumType
from functools import partial
from pathlib import Path
from typing import Any, get_args, get_origin

import typer


@dataclass(frozen=True, slots=True)
class Reader:
    """Reads the values of one parameter."""

    one: Callable[[str], Any]

    def coerce(self, value: Any, param: Any, ctx: Any) -> Any:
        """What a command gets; raises BadParameter, with what was expected."""
        many = param.multiple or param.nargs == -1
        if value is None:
            return () if many else None
        try:
            return [self.one(item) for item in value] if many else self.one(value)
        except ValueError as e:
            raise typer.BadParameter(str(e), ctx=ctx, param=param) from None


def ours(parameters: list[Any]) -> list[Any]:
    """The parameters, with those of the kinds that our commands have read by these rules."""
    for parameter in parameters:
        told = getattr(parameter, "type_descriptor", None)
        reader = _reader(told.annotation, told.parameter_info) if told else None
        if reader is not None:
            parameter.get_runtime_param = partial(Reader, reader)
    return parameters


def _reader(kind: Any, info: Any) -> Callable[[str], Any] | None:
    """What reads one value of a kind; None if that is left to the library."""
    if get_origin(kind) is list:
        return _reader(get_args(kind)[0], info)
    if kind in (str, bool):
        return kind  # type: ignore[no-any-return]  # flags come as what they are
    if kind is int:
        return partial(_whole, least=info.min, most=info.max)
    if kind is Path:
        return partial(_path, folder=info.dir_okay, file=info.file_okay)
    return partial(_choice, kind) if isinstance(kind, EnumType) else None


def _whole(said: str | int, least: float | None, most: float | None) -> int:
    try:
        number = int(said)
    except ValueError:
        raise ValueError(f"a whole number is expected, not `{said}`") from None
    if least is not None and number < least:
        raise ValueError(f"at least {least:g} is expected, not `{said}`")
    if most is not None and number > most:
        raise ValueError(f"at most {most:g} is expected, not `{said}`")
    return number


def _choice(kind: EnumType, said: str) -> Enum:
    for one in list[Enum](kind):
        if one.value == said:
            return one
    raise ValueError(f"one of {', '.join(str(one.value) for one in list[Enum](kind))} is expected, not `{said}`")


def _path(said: str | Path, *, folder: bool, file: bool) -> Path:
    path = Path(said)
    if not folder and path.is_dir():
        raise ValueError(f"a file is expected, and `{said}` is a folder")
    if not file and path.is_file():
        raise ValueError(f"a folder is expected, and `{said}` is a file")
    return path
