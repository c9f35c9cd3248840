"""`multihop cite`: how to cite the tool, and the papers of the techniques that a record used."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from multihop.cli import complete

if TYPE_CHECKING:
    from multihop.citing import Reference

EXAMPLES = """[bold]Examples[/bold]

multihop cite

multihop cite 3f2a91 > used.bib

multihop cite latest --apa

multihop cite tcp-dcr
"""


def _complete(incomplete: str) -> Iterator[tuple[str, str]]:
    yield from complete.records(incomplete)
    yield from complete.technique_lists(incomplete)


def register(app: typer.Typer) -> None:
    """Adds the command."""
    app.command(epilog=EXAMPLES)(cite)


def cite(
    what: Annotated[
        str | None,
        typer.Argument(
            metavar="[RECORD]",
            help="The id that a run printed, a folder or `latest`, a technique, or a study. Default: multihop alone.",
            autocompletion=_complete,
            show_default=False,
        ),
    ] = None,
    apa: Annotated[bool, typer.Option("--apa", help="APA style in place of BibTeX.")] = False,
) -> None:
    """Print how to cite multihop, and the papers and RFCs of what a record used.

    These are the sources of its techniques and of its routing protocol.
    """
    from multihop.citing import citation
    from multihop.terminal import console

    console.say(citation("apa" if apa else "bibtex", _sources(what)))


def _sources(what: str | None) -> list[Reference]:
    """What is to be cited besides multihop itself."""
    from multihop import _engine
    from multihop.citing import of_records, of_study, of_techniques
    from multihop.store.store import Store

    if what is None:
        return []
    if what.partition(":")[0] in _engine.shipped("techniques"):
        return of_techniques([what])
    if paper := of_study(what.partition("/")[0]):
        return paper
    return of_records(Store.open().find(None if what == "latest" else what))
