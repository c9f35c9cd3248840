"""`multihop list`: what comes with the package."""

from __future__ import annotations

import tomllib
from enum import StrEnum
from typing import Annotated, Any, Literal

import typer

from multihop.cli.options import JsonOpt

EXAMPLES = """[bold]Examples[/bold]

multihop list techniques

multihop list scenarios --json
"""

Name = Literal["techniques", "scenarios", "profiles", "studies"]


class Kind(StrEnum):
    """What can be listed."""

    techniques = "techniques"
    scenarios = "scenarios"
    profiles = "profiles"
    studies = "studies"


def register(app: typer.Typer) -> None:
    """Adds the command."""
    app.command(name="list", epilog=EXAMPLES)(list_)


def list_(
    kind: Annotated[Kind, typer.Argument(help="What to list.", show_default=False)],
    json: JsonOpt = False,
) -> None:
    """List the techniques, scenarios, profiles or studies that come with multihop."""
    from multihop.document import list_document
    from multihop.out import console
    from multihop.out.table import plain

    items = described(kind.value)
    if json:
        console.document(list_document(kind.value, items))
        return
    heads = {"techniques": ("technique", "parameters", "what it does", "source")}.get(
        kind.value, ("name", "what it is")
    )
    rows = []
    for item in items:
        cells = [item["name"], item["summary"]]
        if kind is Kind.techniques:
            parameters = ", ".join(f"{name}={p['default']}" for name, p in item["parameters"].items())
            cells = [item["name"], parameters, item["summary"], item["source"] or ""]
        rows.append(cells)
    console.out().print(plain(heads, rows))


def described(kind: Name) -> list[dict[str, Any]]:
    """Name, summary and source of everything of one kind; of techniques also their parameters."""
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
        items.append(item)
    return items
