"""Pages, printed texts and comments are in plain words."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
WORDS = runpy.run_path(str(ROOT / "docs" / "words.py"))
MODELS = sorted((ROOT / "docs" / "models").glob("*.md"))
OVERVIEWS = ("agreement", "agreement-tcp", "agreement-wifi", "index", "profiles")
"""Pages of docs/models that are about no single model."""


def found(tmp_path: Path, name: str, text: str) -> list[str]:
    (tmp_path / name).write_text(text, encoding="utf-8")
    result: list[str] = WORDS["faults"](tmp_path / name)
    return result


def test_no_file_has_a_fault(capsys: pytest.CaptureFixture[str]) -> None:
    assert WORDS["main"]([]) == 0, capsys.readouterr().out


def test_long_sentences_and_avoided_words_are_found(tmp_path: Path) -> None:
    long = " ".join(["word"] * 26)
    assert found(tmp_path, "page.md", f"# {long}\n\n{long}.\n\n| {long} |\n\n```\n{long}\n```\n") == [
        f"26 words: {long}."
    ]
    assert found(tmp_path, "page.md", f"* One `{long}` and [two]({'x' * 9}).\n* Three.\n") == []
    assert found(tmp_path, "page.md", f"{' '.join(['word'] * 20)}.\n{' '.join(['word'] * 20)}.\n") == []
    for wrong in ("who hears it", "Nobody", "whoever", "by whom", "whence", "two of which", "a node is told of it"):
        assert len(found(tmp_path, "page.md", f"{wrong}.\n")) == 1, wrong
        text = f'"""{wrong}"""\nprint(f"{{1}} {wrong}")  # {wrong}\n'
        assert len(found(tmp_path, "program.py", text)) == 3, wrong
        assert len(found(tmp_path, "machine.rs", f'fn f() {{}} // {wrong}.\nconst TEXT: &str = "{wrong}";\n')) == 1, (
            wrong
        )
    assert found(tmp_path, "machine.rs", f"/// {long[:65]}\n/// {long[65:]}.\n") == []
    assert len(found(tmp_path, "machine.rs", f"fn f() {{}}\n    /// {'x' * 113}\n")) == 1
    assert found(tmp_path, "machine.rs", f'    //! | {"x" * 120} |\nlet x = "{"x" * 120}";\n    // {"x" * 113}\n') == []
    assert found(tmp_path, "page.md", "The key `nobody-there`.\n") == []
    assert found(tmp_path, "page.md", "People who know TCP, and a user who does not.\n") == []
    assert found(tmp_path, "program.py", f'"""{long}"""\nx = 1  # {long}\n') == []
    assert found(tmp_path, "program.py", f'print(f"{long[:-5]}{{x}}" " more {{y}}")\n')


@pytest.mark.parametrize("page", MODELS, ids=[page.stem for page in MODELS])
def test_a_model_page_begins_with_when_to_use_it(page: Path) -> None:
    if page.stem in OVERVIEWS:
        return
    heading, first, *rest = page.read_text(encoding="utf-8").split("\n\n")
    assert heading.startswith("# ")
    assert first.startswith("**Use this when** ")
    assert first.endswith(".")
    assert rest


@pytest.mark.parametrize("section", ["Source", "Parameters", "Not modelled", "Checked"])
@pytest.mark.parametrize("page", MODELS, ids=[page.stem for page in MODELS])
def test_a_model_page_has_each_section_of_the_template(page: Path, section: str) -> None:
    """A heading, or words in bold where the page is short."""
    if page.stem not in OVERVIEWS:
        heads = re.findall(rf"^(?:#+ {section}\b|\*\*{section}\b).*", page.read_text(encoding="utf-8"), re.MULTILINE)
        assert len(heads) == 1, heads
