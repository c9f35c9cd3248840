"""The changelog, the news fragments and the history of results: their form, and that a release joins the fragments."""

from __future__ import annotations

import re
import runpy
from datetime import date
from pathlib import Path

ROOT = Path(__file__).parents[1]
RELEASE = runpy.run_path(str(ROOT / "docs" / "release.py"))


def test_the_first_version_is_told_on_a_page() -> None:
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    first = text[text.index("\n## 0.1.0\n") :]
    assert len(first.splitlines()) <= 80
    assert all(len(line) <= 130 for line in text.splitlines())
    versions = re.findall(r"^## (.*)$", text, re.MULTILINE)
    assert versions
    assert all(re.fullmatch(r"\d+\.\d+\.\d+", version) for version in versions)


def test_a_fragment_has_a_kind_and_two_lines_at_most() -> None:
    for fragment in RELEASE["fragments"](ROOT):
        assert RELEASE["NAME"].fullmatch(fragment.name)
        text = fragment.read_text(encoding="utf-8")
        assert 1 <= len(text.splitlines()) <= 2, fragment
        assert len(text) <= 300, fragment
        assert text.endswith((".\n", ".)\n")), fragment


def test_every_figure_that_moved_has_its_row() -> None:
    text = (ROOT / "studies" / "HISTORY.md").read_text(encoding="utf-8")
    table = [line for line in text.splitlines() if line.startswith("|")]
    assert table[0] == "| date | scenario | figure | from | to | cause |"
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in table[2:]]
    assert len(rows) > 50
    days = [date.fromisoformat(row[0]) for row in rows]
    assert days == sorted(days, reverse=True)
    for row in rows:
        assert len(row) == 6, row
        assert all(row[i] for i in (1, 2, 4, 5)), row


def test_a_release_joins_the_fragments(tmp_path: Path) -> None:
    (tmp_path / "news").mkdir()
    (tmp_path / "CHANGELOG.md").write_text("# Changelog\n\nWords.\n\n## 0.1.0\n\nThe first version.\n")
    for name, text in (("README.md", "How"), ("b.fixed.md", "B no longer\nfails.\n"), ("a.added.md", "A is new.\n")):
        (tmp_path / "news" / name).write_text(text)
    RELEASE["release"]("0.2.0", tmp_path)
    assert (tmp_path / "CHANGELOG.md").read_text() == (
        "# Changelog\n\nWords.\n\n## 0.2.0\n\n### Added\n\n* A is new.\n\n### Fixed\n\n* B no longer fails.\n"
        "\n## 0.1.0\n\nThe first version.\n"
    )
    assert [path.name for path in (tmp_path / "news").iterdir()] == ["README.md"]
