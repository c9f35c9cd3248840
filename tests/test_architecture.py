"""What docs/architecture.md says of files: techniques that act in several layers are found by their names."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "crates" / "proto" / "src"


def rows() -> list[tuple[str, set[str]]]:
    """The name in file names, and the files, of each technique of the table."""
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    table = text.split("## A technique in several layers", 1)[1].split("\n## ", 1)[0]
    cells = re.findall(r"^\| [^|`]+ \| `(\w+)` \| (.+) \|$", table, re.MULTILINE)
    return [(name, set(re.findall(r"`([\w/.]+)`", files))) for name, files in cells]


def test_a_technique_is_found_by_its_name() -> None:
    assert len(rows()) >= 8
    for name, files in rows():
        found = {path.relative_to(SOURCE) for path in SOURCE.rglob(f"*{name}*") if "tests" not in path.parts}
        found = {path for path in found if path.name != "tests.rs" and not found & set(path.parents)}
        assert {path.as_posix() for path in found} == files, name


def test_paths_in_the_page_exist() -> None:
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    named = {path for path in re.findall(r"`([\w/]+\.(?:rs|py|toml|md))`", text) if "NAME" not in path}
    assert len(named) > 20
    files = [f"/{path.relative_to(ROOT).as_posix()}" for path in (ROOT / "crates").rglob("*.rs")]
    missing = {path for path in named if not (ROOT / path).exists() and not any(f.endswith(f"/{path}") for f in files)}
    assert missing == set()
