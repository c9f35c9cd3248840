"""`multihop cite`: the tool, and the papers of what a record used; and that no source is missing."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

import multihop
from conftest import Cli
from multihop import _engine, citing
from multihop.study import find, names

ROOT = Path(__file__).parents[1]


def test_every_technique_with_a_source_has_its_papers_and_rfcs() -> None:
    for name, text in _engine.shipped("techniques").items():
        source = tomllib.loads(text).get("source", "")
        found = citing.of_techniques([name])
        assert found or not source or source.startswith(("ns-2", "IEEE", "802.11")), f"{name}: {source}"
        assert {f"rfc{number}" for number in re.findall(r"RFC (\d+)", source)} <= {reference.key for reference in found}


def test_every_reference_is_of_something_that_exists_and_has_one_key() -> None:
    keys = [reference.key for reference in citing.references()]
    assert len(keys) == len({*keys})
    for reference in citing.references():
        assert {*reference.techniques} <= {*_engine.shipped("techniques")}, reference.key
        assert reference.rfc or reference.techniques or reference.used_for, reference.key
        assert not reference.study or reference.study in names()
    told = {reference.study: reference for reference in citing.references() if reference.study}
    for name in {*names()} - {"frn-readings"}:
        paper = find(name).paper
        assert (", ".join(told[name].authors), told[name].title) == (paper.authors, paper.title)


def test_every_rfc_that_the_pages_name_is_listed() -> None:
    listed = {reference.rfc for reference in citing.references()}
    for page in (ROOT / "docs" / "models").glob("*.md"):
        said = {int(number) for number in re.findall(r"RFC (\d+)", page.read_text(encoding="utf-8"))}
        assert said <= listed, (page.name, said - listed)


def test_a_record_cites_its_techniques_and_its_routing(cli: Cli, tiny: str) -> None:
    multihop.load(tiny).run(runs=1, techniques="drr+small-window:2", set={"routing.kind": "dsdv"})
    text = cli("cite", "latest").out
    keys = re.findall(r"^@\w+\{(\w+),$", text, re.MULTILINE)
    assert keys == ["multihop", "ohzahata", "shreedhar1995", "fu2003", "xu2001", "perkins1994"]
    assert f"version = {{{multihop.__version__}}}" in text
    assert text.count("{") == text.count("}")
    assert cli("cite").out.count("@") == 1
    assert multihop.cite(multihop.records()) + "\n" == text
    both = multihop.load(tiny).compare("none,atp", runs=1)
    assert "sundaresan2003" in multihop.cite(both)


def test_techniques_and_studies_are_cited_by_name_and_in_apa(cli: Cli) -> None:
    said = cli("cite", "dsr", "--apa").out
    assert "(2026). multihop: a simulator" in said
    assert "(2007). RFC 4728: The Dynamic Source Routing Protocol" in said
    assert "Hamadani, E., & Rakocevic, V. (n.d.)." in cli("cite", "hamadani/fig7", "--apa").out
    assert cli("cite", "zzzz").code == 2
    with pytest.raises(multihop.InputError, match="must be bibtex or apa"):
        multihop.cite(style="mla")  # type: ignore[arg-type]


def test_the_citation_file_says_the_same() -> None:
    told = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"version: {multihop.__version__}\n" in told
    assert f'date-released: "{citing.RELEASED}"\n' in told
    assert f'title: "{citing.TITLE}"\n' in told
