"""What a technique costs the shared machines: how many source files of the engine name it that are not its own.

The committed table may only fall: a technique stays in its own files, its registry and its configuration.
"""

from __future__ import annotations

import re
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

import pytest

CRATES = Path(__file__).parents[1] / "crates"
TABLE = Path(__file__).with_name("technique_cost.toml")
TECHNIQUES: dict[str, dict[str, Any]] = tomllib.loads(TABLE.read_text(encoding="utf-8"))
DECLARED = re.compile(r"^\s*(?:pub(?:\([a-z ]+\))? )?mod \w+;|^\s*pub(?:\([a-z ]+\))? use [^;]*;", re.MULTILINE)
"""Where a module is declared or its items are passed on."""
COMMENT = re.compile(r"(?:^|(?<=\s))//.*", re.MULTILINE)
TESTS = re.compile(r"#\[cfg\(test\)\]\s*mod tests\s*\{.*", re.DOTALL)


@cache
def sources(crates: Path) -> dict[str, str]:
    """Source files of all crates without their tests, comments and declarations of modules, by path."""

    def code(file: Path) -> str:
        return DECLARED.sub("", COMMENT.sub("", TESTS.sub("", file.read_text(encoding="utf-8"))))

    return {
        file.relative_to(crates).as_posix(): code(file)
        for file in crates.glob("*/src/**/*.rs")
        if not {"tests", "testing"} & set(file.parts) and file.name != "tests.rs"
    }


def spelled(word: str) -> str:
    """A pattern for a name as Rust spells it: `nav_doze`, `NavDoze`, `NAV_DOZE`, and names that begin with it."""
    camel = "".join(part.capitalize() for part in word.split("_"))
    return rf"(?<![A-Za-z]){word}(?![a-z])|{camel}(?![a-z])|(?<![A-Za-z]){word.upper()}(?![A-Za-z])"


def others(words: list[str], crates: Path = CRATES) -> list[str]:
    """Files that name a technique and do not carry its name in their path."""
    named = re.compile("|".join(map(spelled, words)))
    own = re.compile("|".join(rf"(?:^|[/_]){word}(?:[/_.]|$)" for word in words))
    return sorted(path for path, text in sources(crates).items() if named.search(text) and not own.search(path))


@pytest.mark.parametrize("technique", TECHNIQUES)
def test_a_technique_spreads_no_further(technique: str) -> None:
    stated = TECHNIQUES[technique]
    words = stated["names"]
    found = others(words)
    assert len(found) <= stated["files"], f"{technique} is named in more files than {TABLE.name} allows: {found}"
    assert len(found) >= stated["files"], f"{technique} has left files: set it to {len(found)} in {TABLE.name}"


def test_a_file_that_names_a_technique_is_found(tmp_path: Path) -> None:
    for name, text in {
        "proto/src/nav_doze.rs": "pub struct NavDoze;",
        "proto/src/shared.rs": "fn f(doze: NavDozeConfig) {}",
        "proto/src/mod.rs": "pub(crate) mod nav_doze;\npub use nav_doze::{NavDoze, X};",
        "proto/src/comment.rs": "// nav_doze is only spoken of here\nfn f() {}",
        "proto/src/tests/doze.rs": "use nav_doze::NavDoze;",
        "sim/src/inline.rs": "fn f() {}\n#[cfg(test)]\nmod tests {\n use nav_doze::X; }",
        "sim/src/other.rs": "const UNNAV_DOZER: u8 = 1; struct NavDozen;",
    }.items():
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    assert others(["nav_doze"], tmp_path) == ["proto/src/shared.rs"]
