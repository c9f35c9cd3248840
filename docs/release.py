"""Joins the news fragments into the changelog, as the section of a new version.

    python docs/release.py 0.2.0

A fragment is `news/NAME.KIND.md`, see news/README.md. The fragments are removed when the changelog has been written.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
KINDS = {"added": "Added", "changed": "Changed", "fixed": "Fixed", "results": "Results"}
"""Kinds of fragments, and the heading of each."""
NAME = re.compile(rf"[a-z0-9]+(-[a-z0-9]+)*\.({'|'.join(KINDS)})\.md")
"""What a fragment is called."""


def fragments(root: Path) -> list[Path]:
    """All fragments, by name."""
    return sorted(path for path in (root / "news").glob("*.md") if path.name != "README.md")


def section(version: str, files: list[Path]) -> str:
    """The section of a version: under each kind's heading an item for each fragment."""
    parts = [f"## {version}\n"]
    for kind, heading in KINDS.items():
        items = [" ".join(file.read_text(encoding="utf-8").split()) for file in files if f".{kind}." in file.name]
        if items:
            parts += [f"\n### {heading}\n\n", *(f"* {item}\n" for item in items)]
    return "".join(parts)


def release(version: str, root: Path = ROOT) -> None:
    """Writes the section before that of the version before, and removes the fragments."""
    changelog, files = root / "CHANGELOG.md", fragments(root)
    before, heading, after = changelog.read_text(encoding="utf-8").partition("\n## ")
    changelog.write_text(f"{before}\n{section(version, files)}{heading}{after}", encoding="utf-8")
    for file in files:
        file.unlink()


if __name__ == "__main__":
    if len(sys.argv) != 2 or not re.fullmatch(r"\d+\.\d+\.\d+", sys.argv[1]):
        sys.exit("usage: python docs/release.py VERSION, like 0.2.0")
    release(sys.argv[1])
