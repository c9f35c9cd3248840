"""The words of the output, from `words.toml`: for `multihop list words`, and the page that the docs have of them."""

from __future__ import annotations

import tomllib
from importlib.resources import files
from typing import Any

from multihop.analysis.causes import CAUSES
from multihop.analysis.phases import PHASES

HEAD = """<!-- Written by docs/generate.py: do not edit. -->

# Glossary

The words of tables, figures and sentences, and the field of JSON documents with the same meaning. `multihop list words`
prints this list, and `multihop info WORD` one word.

| word | means | in JSON |
|---|---|---|
"""


AFTER = "dropped"
"""The causes of drops follow this word."""


def words() -> list[dict[str, Any]]:
    """Every word: what it means, and what JSON documents call it."""
    text = files("multihop").joinpath("words.toml").read_text(encoding="utf-8")
    found = [
        {"name": word["name"], "summary": word["meaning"], "source": word.get("json")}
        for word in tomllib.loads(text)["word"]
    ]
    place = 1 + next(i for i, word in enumerate(found) if word["name"] == AFTER)
    causes = [
        {"name": cause.name, "summary": cause.described(), "source": ", ".join(cause.reasons)}
        for cause in CAUSES.values()
    ]
    named = {phase.name: phase.meaning for phases in PHASES.values() for phase in phases}
    phases = [{"name": name, "summary": meaning, "source": f"phases.{name}"} for name, meaning in named.items()]
    return [*found[:place], *causes, *found[place:], *phases]


def page() -> str:
    """The page of them."""
    rows = [(word["name"], word["summary"], f"`{word['source']}`" if word["source"] else "") for word in words()]
    return HEAD + "".join(f"| {name} | {meaning} | {json} |\n" for name, meaning, json in rows)
