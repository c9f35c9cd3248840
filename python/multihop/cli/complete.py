"""Tab completion: shipped names, files beside them, lists like `A+B` and `A,B`, records."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import typer

from multihop import _engine
from multihop.out.describe import summary_of

Kind = Literal["techniques", "scenarios", "profiles", "studies", "sweeps"]


def scenarios(incomplete: str) -> Iterator[tuple[str, str]]:
    """Shipped scenarios, then TOML files."""
    yield from _shipped("scenarios", incomplete)
    yield from _files(incomplete)


def sweeps(incomplete: str) -> Iterator[tuple[str, str]]:
    """Shipped sweeps, then what any scenario can be."""
    yield from _shipped("sweeps", incomplete)
    yield from scenarios(incomplete)


def technique_lists(incomplete: str) -> Iterator[tuple[str, str]]:
    """The last technique of a list of lists `A,B,C+D`."""
    yield from _last(incomplete, re.compile(r"^(.*[+,])?([^+,]*)$"))


def records(incomplete: str) -> Iterator[tuple[str, str]]:
    """Ids of records with scenario, technique and number of runs, the newest first."""
    import json

    from multihop.files.home import store_folder

    files = sorted((store_folder() / "sets").glob("*.json"), key=lambda p: p.stat().st_mtime, reverse=True)
    for file in files:
        if file.name.startswith(incomplete):
            with contextlib.suppress(OSError, ValueError, KeyError, TypeError):  # a damaged one is no suggestion
                told = json.loads(file.read_text(encoding="utf-8"))
                technique = "+".join(told["techniques"]) or "none"
                yield file.stem[:12], f"{told['scenario']}, {technique}, {len(told['runs'])} runs"


def tables(ctx: typer.Context, incomplete: str) -> Iterator[str]:
    """Tables that a command has as CSV."""
    from multihop.record.frames import TABLES

    more = ("comparison",) if ctx.info_name == "compare" else ()
    yield from (name for name in (*TABLES, *more) if name.startswith(incomplete))


def _last(incomplete: str, pattern: re.Pattern[str]) -> Iterator[tuple[str, str]]:
    match = pattern.match(incomplete)
    before, last = (match.group(1) or "", match.group(2)) if match else ("", incomplete)
    for name, summary in [*_shipped("techniques", last), *_files(last)]:
        yield before + name, summary


def _shipped(kind: Kind, incomplete: str) -> Iterator[tuple[str, str]]:
    for name, text in sorted(_engine.shipped(kind).items()):
        if name.startswith(incomplete):
            yield name, summary_of(text)


def _files(incomplete: str) -> Iterator[tuple[str, str]]:
    folder = Path(incomplete).parent if "/" in incomplete else Path()
    for path in sorted(folder.glob("*.toml")):
        name = str(path)
        if name.startswith(incomplete):
            yield name, "file"
