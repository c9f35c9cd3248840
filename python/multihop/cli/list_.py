"""`multihop list`: what comes with the package."""

from __future__ import annotations

import tomllib
from enum import StrEnum
from typing import Annotated, Any, Literal, cast

import typer

from multihop.cli.options import CsvFlag, JsonOpt, one_format

EXAMPLES = """[bold]Examples[/bold]

multihop list techniques

multihop list scenarios --json

multihop list records

multihop list words
"""

Name = Literal["techniques", "scenarios", "profiles", "studies", "sweeps"]
HEADS = {
    "techniques": ("technique", "parameters", "what it does", "source"),
    "studies": ("study", "what it is", "paper by", "parts"),
    "records": ("record", "scenario", "technique", "runs", "made"),
    "words": ("word", "what it means", "in JSON"),
}
"""Heads of the tables that have others than name and summary."""


class Kind(StrEnum):
    """What can be listed."""

    techniques = "techniques"
    scenarios = "scenarios"
    profiles = "profiles"
    studies = "studies"
    sweeps = "sweeps"
    records = "records"
    words = "words"


def register(app: typer.Typer) -> None:
    """Adds the command."""
    app.command(name="list", epilog=EXAMPLES)(list_)


def list_(
    kind: Annotated[Kind, typer.Argument(help=f"What to list: {', '.join(Kind)}.", show_default=False)],
    json: JsonOpt = False,
    csv: CsvFlag = False,
) -> None:
    """List what comes with multihop: techniques, scenarios, profiles, studies, sweeps, the words of its output; or the
    records in the store, the newest first."""
    from multihop.out.fit import plain
    from multihop.record.document import list_document
    from multihop.terminal import console

    one_format(json, csv)
    items = _items(kind)
    if json:
        console.document(list_document(kind.value, items))
        return
    heads = HEADS.get(kind.value, ("name", "what it is"))
    if csv:
        console.rows(heads, (_cells(kind, item) for item in items))
    elif items:
        console.out().print(plain(heads, [_short(kind, item) for item in items]))
    else:
        console.say("There are no records yet: `multihop run SCENARIO` makes one.")


def _items(kind: Kind) -> list[dict[str, Any]]:
    if kind is Kind.records:
        from multihop.store.store import Store

        return Store.open().listed()
    if kind is Kind.words:
        from multihop.out.glossary import words

        return words()
    return described(cast(Name, kind.value))


def _short(kind: Kind, item: dict[str, Any]) -> list[str]:
    """What the table shows: of an id, as much as commands need."""
    name, *rest = _cells(kind, item)
    return [name[:12] if kind is Kind.records else name, *rest]


def _cells(kind: Kind, item: dict[str, Any]) -> list[str]:
    if kind is Kind.records:
        technique = "+".join(item["techniques"]) or "none"
        return [item["name"], item["summary"], technique, str(item["runs"]), item["made"]]
    if kind is Kind.words:
        return [item["name"], item["summary"], item["source"] or ""]
    if kind is Kind.techniques:
        parameters = ", ".join(f"{name}={p['default']}" for name, p in item["parameters"].items())
        return [item["name"], parameters, item["summary"], item["source"] or ""]
    if kind is Kind.studies:
        return [item["name"], item["summary"], item["authors"], ", ".join(item["parts"])]
    return [item["name"], item["summary"]]


def described(kind: Name) -> list[dict[str, Any]]:
    """Name, summary and source of everything of one kind; of techniques also their parameters, of studies the authors
    and parts."""
    from multihop import _engine
    from multihop.out.describe import head_of, summary_of

    items = []
    for path, text in sorted(_engine.shipped(kind).items()):
        head = head_of(text)
        if kind == "studies" and "study" not in tomllib.loads(text):
            continue  # a part that studies include
        name = path.rsplit("/", 1)[-1]
        item: dict[str, Any] = {"name": name, "summary": summary_of(text), "source": head.get("source")}
        if kind == "techniques":
            item["parameters"] = head.get("parameters", {})
        if kind == "studies":
            from multihop.study import find

            study = find(name)
            item |= {"authors": study.paper.authors, "parts": [*study.parts]}
        items.append(item)
    return items
