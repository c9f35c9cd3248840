"""Tab completion of `--set PATH=VALUE` and of flows: what the scenario on the command line has, and may have."""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Iterator
from typing import Any

import typer

from multihop import _engine
from multihop.files.home import store_folder
from multihop.scenario import keys
from multihop.scenario.places import by_name

ENDS = re.compile(r"flow\..+\.(from|to)")
"""Keys whose value is a node."""

Schema = dict[str, Any]


def assignments(ctx: typer.Context, incomplete: str) -> Iterator[tuple[str, str]]:
    """Keys with what they mean; the values of a key once it is whole, its present value first."""
    known = _resolved(_first(ctx, "scenario") or "")
    flows = [str(flow["id"]) for flow in known["flows"]]
    present = {by_name(path, flows): entry["value"] for path, entry in known["values"].items()}
    path, equals, _ = incomplete.partition("=")
    whole = [*present, *(key for key in keys.every() if key not in present)]
    found = [key for key in whole if key.startswith(path)] if not equals else [path]
    for key in found if len(found) > 1 else ():
        yield key, keys.about(key)
    for key in found if len(found) == 1 else ():
        words = _values(key, present.get(key), [str(node["name"]) for node in known["nodes"]])
        for value, about in words.items():
            if f"{key}={value}".startswith(incomplete):
                yield f"{key}={value}", about


def flows(ctx: typer.Context, incomplete: str) -> Iterator[str]:
    """Flows of the record on the command line, or of the latest."""
    said = _first(ctx, "record", "words")
    with contextlib.suppress(OSError, ValueError, KeyError, IndexError, StopIteration):
        root = store_folder()
        sets = sorted((root / "sets").glob(f"{said}*.json")) if said else []
        last = sets[0].stem if sets else json.loads((root / "latest.json").read_text())["sets"][0]
        run = json.loads((root / "sets" / f"{last}.json").read_text(encoding="utf-8"))["runs"][0]
        document = json.loads((root / "records" / run / "run.json").read_text(encoding="utf-8"))
        yield from (str(f["id"]) for f in document["flows"] if str(f["id"]).startswith(incomplete))


def _first(ctx: typer.Context, *names: str) -> str | None:
    """The first argument on the command line: an option without a value has not been named."""
    for said in (*(ctx.params.get(name) for name in names), ctx.args):
        words = [said] if isinstance(said, str) else [*(said or ())]
        if words and not words[0].startswith("-"):
            return str(words[0])
    return None


def _resolved(scenario: str) -> Schema:
    """The resolved scenario that is named; the smallest one if none is, or if it has a mistake in it."""
    from multihop.scenario.scenario import load

    with contextlib.suppress(Exception):  # a mistake in it is said when it runs, not at a TAB
        found: Schema = json.loads(_engine.resolve(load(scenario).text, scenario, [], []).json())
        return found
    return keys.defaults()


def _values(path: str, present: Any, nodes: list[str]) -> dict[str, str]:
    """Values that a key may take with what they mean: its present one, then words to choose from."""
    found = {} if present is None or isinstance(present, list | dict) else {keys.plain(present): "as it is now"}
    found |= {word: about for word, about in keys.choices(path).items() if word not in found}
    for example in keys.examples(path) if present is None else ():
        found.setdefault(example, "for example")
    if ENDS.fullmatch(path):
        found |= {name: found.get(name, "a node") for name in nodes}
    return found
