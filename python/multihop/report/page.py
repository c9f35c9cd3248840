"""What both kinds of report share: the template engine, how numbers are written, and writing the file."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from datetime import UTC, datetime
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from multihop import _engine
from multihop.errors import InputError
from multihop.files.intake import text_of
from multihop.measures.notation import figure, interval
from multihop.text import plural, printable

if TYPE_CHECKING:
    from jinja2 import Environment

#: Keys of the resolved scenario that the report shows first.
MAIN = ("run", "measure", "topology", "air", "mac", "queue", "routing", "tcp", "udp")


def render(template: str, **values: Any) -> str:
    """A page from a template; everything that is not marked as safe is escaped."""
    page = _environment().get_template(template)
    return page.render(
        version=_engine.VERSION,
        build=_engine.BUILD,
        made=datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        style=files("multihop.report").joinpath("templates", "style.css").read_text(encoding="utf-8"),
        **values,
    )


def technique_files(names: list[str]) -> dict[str, str]:
    """The overlay files of techniques as they were written, `name:parameters` and paths included."""
    shipped = _engine.shipped("techniques")
    texts: dict[str, str] = {}
    for spec in names:
        name = spec.partition(":")[0]
        if name in shipped:
            texts[spec] = shipped[name]
        elif Path(name).is_file():
            with contextlib.suppress(InputError):
                texts[spec] = text_of(Path(name), "technique")
    return texts


def values_of(scenario: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    """Key, value and origin of everything in a resolved scenario, the well-known tables first."""

    def order(key: str) -> tuple[int, str]:
        table = key.partition(".")[0]
        return (MAIN.index(table) if table in MAIN else len(MAIN), key)

    values: Mapping[str, Any] = scenario["values"]
    return [(key, str(values[key]["value"]), str(values[key]["from"])) for key in sorted(values, key=order)]


def _printable(value: Any) -> Any:
    """Whatever a page says, without control characters; what is marked as safe was made here."""
    return printable(value) if type(value) is str else value


def _environment() -> Environment:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("multihop.report", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_printable,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["figure"] = figure
    environment.filters["interval"] = interval
    environment.filters["plural"] = plural
    return environment
