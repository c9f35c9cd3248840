"""Causes of drops: each stated once, in the engine, and known to all that shows one."""

from __future__ import annotations

import ast
import json
import re
from pathlib import Path

import pytest

from conftest import Cli
from multihop.analysis.causes import CAUSES, CLASSES, FATES, KINDS, kind_of, meaning, was
from multihop.analysis.deaths import Death
from multihop.analysis.stories import Loss, Story, words
from multihop.out import glossary

ROOT = Path(__file__).resolve().parents[1]
REGISTRY = ROOT / "crates/proto/src/wire/causes.rs"
NAMES = {name for cause in CAUSES.values() for name in (cause.name, cause.name.replace(" ", "-"), *cause.reasons)}


def literals(path: Path) -> set[str]:
    """The strings of a source file, docstrings included."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".rs":
        return set(re.findall(r'"([^"\n]*)"', text.partition("#[cfg(test)]")[0]))
    return {
        node.value for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Constant) and type(node.value) is str
    }


def test_causes_are_listed_in_the_registry_and_in_no_other_source_file() -> None:
    """A file may ask for one cause or two, as for `no-route`; three names would be another list."""
    rust = [
        p for p in ROOT.glob("crates/*/src/**/*.rs") if "tests" not in p.relative_to(ROOT).parts and p.stem != "tests"
    ]
    python = list((ROOT / "python/multihop").rglob("*.py"))
    assert REGISTRY in rust
    assert len(python) > 100
    named = {str(p.relative_to(ROOT)): literals(p) & NAMES for p in [*rust, *python] if p != REGISTRY}
    assert {path: names for path, names in named.items() if len(names) > 2} == {}
    assert {reason for cause in CAUSES.values() for reason in cause.reasons} <= literals(REGISTRY)


def test_every_cause_has_a_class_a_sentence_and_its_row_in_the_documentation() -> None:
    known = {word["name"]: word for word in glossary.words()}
    page = (ROOT / "docs/reference/causes.md").read_text(encoding="utf-8")
    for cause in CAUSES.values():
        assert cause.group in CLASSES
        assert kind_of(cause.name) == cause.kind
        assert cause.kind in KINDS
        for slotted in (False, True):
            assert meaning(cause.name, slotted).endswith(".")
            assert "this version" not in was(cause.kind, slotted)
        assert known[cause.name]["summary"].startswith(cause.meaning)
        assert f"| {cause.name} |" in page
    assert {kind_of(f"{fate}bit errors") for fate in FATES} == {"no loss", "late repair", "lost acknowledgement"}


@pytest.mark.parametrize("cause", list(CAUSES))
def test_a_loss_for_each_cause_is_told_by_what_it_was(cause: str) -> None:
    flow = {"id": "1", "from": "0", "to": "3", "kind": "bulk", "transport": "tcp"}
    ledger = {"created": 9, "copied": 0, "delivered": 8, "absorbed": {}, "dropped": {"x": 1}, "in_network": 0}
    counts = {"sent_packets": 9, "retransmissions": 1, "timeouts": 1, "fast_retransmits": 0}
    death = Death(cause, "1", "tcp-data", 1, 2.0, 2.0, (1,) + (0,) * 23)
    loss = Loss("timeout", cause, 1)
    measured = {**ledger, "in_network_before": 0}
    for slotted in (False, True):
        told = words(Story(flow, 1, 5e5, (1.0, 4.0), ledger, measured, (death,), (loss,), counts, slotted))
        assert meaning(cause, slotted) in told[1]
        assert was(CAUSES[cause].kind, slotted) in told[-1]
        assert "{" not in "".join(told)


def test_each_kind_of_loss_is_one_of_the_json_document() -> None:
    schema = json.loads((ROOT / "python/multihop/schema/explain.json").read_text(encoding="utf-8"))
    assert schema["$defs"]["loss"]["properties"]["kind"]["enum"] == list(KINDS)


def test_one_cause_is_explained_by_its_name(cli: Cli) -> None:
    said = " ".join(cli("info", "neighbour dozing").out.split())
    assert "the neighbour's radio was dozing during at least half of the attempts" in said
    assert "retry-limit-rts, retry-limit-data" in said
    document = json.loads(cli("list", "words", "--json").out)
    assert set(CAUSES) <= {word["name"] for word in document["words"]}
