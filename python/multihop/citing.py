"""How to cite multihop, and the papers and RFCs of the techniques that records used: as BibTeX or in APA style.

The data are those of `references.toml`. The documentation's list of papers is made of them too.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Literal

from multihop import _engine
from multihop.errors import InputError

if TYPE_CHECKING:
    from multihop.record.record import Records

Style = Literal["bibtex", "apa"]
RELEASED = "2026-11-26"
"""When this version was released; `CITATION.cff` says the same."""
TITLE = "multihop: a simulator for TCP over wireless multihop networks"
AUTHOR = "The multihop maintainers"
PLACES = {"inproceedings": "booktitle", "article": "journal", "book": "publisher", "mastersthesis": "school"}
"""Where BibTeX has the venue, by the type of entry; else `institution`."""


@dataclass(frozen=True, slots=True)
class Reference:
    """A paper, a thesis, a book or an RFC."""

    key: str
    type: str
    authors: tuple[str, ...]
    title: str
    venue: str
    year: int | None = None
    techniques: tuple[str, ...] = ()
    """The techniques that come from it."""
    used_for: str = ""
    """What else does."""
    study: str = ""
    """The study that runs it again."""
    rfc: int | None = None
    """The number of an RFC."""

    def bibtex(self) -> str:
        """As a BibTeX entry."""
        fields = {
            "author": " and ".join(self.authors),
            "title": f"{{{self.title}}}",
            PLACES.get(self.type, "institution"): self.venue,
            "year": str(self.year or ""),
            "url": f"https://www.rfc-editor.org/rfc/rfc{self.rfc}" if self.rfc else "",
        }
        lines = [f"  {name} = {{{_escaped(value)}}}," for name, value in fields.items() if value]
        return "\n".join([f"@{self.type}{{{self.key},", *lines, "}"])

    def apa(self) -> str:
        """In APA style."""
        when = f"({self.year})" if self.year else "(n.d.)"
        named = listed(self.authors) or self.venue
        where = "" if named == self.venue else f" {self.venue}."
        return f"{named.rstrip('.')}. {when}. {self.title.rstrip('.')}{'' if self.title.endswith('?') else '.'}{where}"


@cache
def references() -> tuple[Reference, ...]:
    """All of them: papers by their first author, then RFCs by number."""
    told = tomllib.loads(files("multihop").joinpath("references.toml").read_text(encoding="utf-8"))
    papers = [
        Reference(
            entry["key"],
            entry["type"],
            tuple(entry["authors"]),
            entry["title"],
            entry["venue"],
            entry.get("year"),
            tuple(entry.get("of", ())),
            entry.get("for", ""),
            entry.get("study", ""),
        )
        for entry in told["reference"]
    ]
    rfcs = [
        Reference(
            f"rfc{entry['number']}",
            "techreport",
            (),
            f"RFC {entry['number']}: {entry['title']}",
            "Internet Engineering Task Force",
            entry["year"],
            rfc=entry["number"],
        )
        for entry in told["rfc"]
    ]
    return (*sorted(papers, key=lambda r: (r.authors[0].split()[-1].casefold(), r.year or 0)), *rfcs)


def of_techniques(names: Iterable[str]) -> list[Reference]:
    """The papers and RFCs of techniques, each once; `name:parameters` is the technique `name`."""
    shipped, found = _engine.shipped("techniques"), []
    for name in (spec.partition(":")[0] for spec in names):
        found += [reference for reference in references() if name in reference.techniques]
        source = str(tomllib.loads(shipped[name]).get("source", "")) if name in shipped else ""
        numbers = {int(number) for number in re.findall(r"RFC (\d+)", source)}
        found += [reference for reference in references() if reference.rfc in numbers]
    return list(dict.fromkeys(found))


def of_records(sets: Sequence[Records]) -> list[Reference]:
    """The papers and RFCs of the techniques that records used, and of their routing protocol."""
    names = [name for records in sets for name in records.techniques]
    names += [str(records.scenario["values"]["routing.kind"]["value"]) for records in sets]
    return of_techniques(dict.fromkeys(names))


def of_study(name: str) -> list[Reference]:
    """The paper that a shipped study runs again."""
    return [reference for reference in references() if name and reference.study == name]


def citation(style: Style = "bibtex", others: Iterable[Reference] = ()) -> str:
    """multihop itself, then the others; raises InputError for a style that there is not."""
    if style not in ("bibtex", "apa"):
        raise InputError(f"`style` must be bibtex or apa, not {style!r}")
    if style == "apa":
        own = f"{AUTHOR}. ({RELEASED[:4]}). {TITLE} (Version {_engine.VERSION}) [Computer software]."
        return "\n\n".join([own, *(reference.apa() for reference in others)])
    own = "\n".join(
        [
            "@software{multihop,",
            f"  author = {{{{{AUTHOR}}}}},",
            f"  title = {{{{{TITLE}}}}},",
            f"  version = {{{_engine.VERSION}}},",
            f"  date = {{{RELEASED}}},",
            f"  year = {{{RELEASED[:4]}}},",
            f"  note = {{Engine build {_engine.BUILD[:12]}}},",
            "}",
        ]
    )
    return "\n\n".join([own, *(reference.bibtex() for reference in others)])


def listed(authors: Sequence[str]) -> str:
    """`Fu, Z., Zerfos, P., & Luo, H.`"""
    turned = [f"{name.split()[-1]}, {' '.join(name.split()[:-1])}" for name in authors]
    return f"{', '.join(turned[:-1])}, & {turned[-1]}" if len(turned) > 1 else "".join(turned)


def _escaped(text: str) -> str:
    return text.replace("&", r"\&")
