"""The documentation: generated pages are current, commands that it shows work, the site builds."""

from __future__ import annotations

import importlib.util
import json
import re
import shlex
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET
from pathlib import Path
from types import ModuleType

import pytest

from conftest import Cli

ROOT = Path(__file__).parents[1]


def program(name: str) -> ModuleType:
    """A program of docs/ as a module."""
    path = ROOT / "docs" / f"{name}.py"
    spec = importlib.util.spec_from_file_location(f"docs_{name}", path)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


console, generate = program("console"), program("generate")
PAGES = [str(page.relative_to(ROOT)) for page in console.pages()]


@pytest.mark.parametrize("name", sorted(generate.PAGES))
def test_generated_pages_are_current(name: str) -> None:
    written = (ROOT / "docs" / "reference" / name).read_text(encoding="utf-8")
    assert written == generate.PAGES[name](), "run `python docs/generate.py`"


def test_the_gallery_lists_its_pages_and_has_their_pictures() -> None:
    gallery = program("gallery")
    assert len(gallery.pages()) >= 8
    assert (gallery.PAGES / "index.md").read_text(encoding="utf-8") == gallery.index(), "run `python docs/gallery.py`"
    for page in gallery.pages():
        text = page.read_text(encoding="utf-8")
        assert f"../images/gallery/{page.stem}.svg" in text
        assert "<svg" in (gallery.IMAGES / f"{page.stem}.svg").read_text(encoding="utf-8")
        assert len(text.splitlines()) <= 40


@pytest.mark.parametrize("page", PAGES)
def test_commands_that_a_page_shows_work(page: str, cli: Cli, here: Path) -> None:
    """With two runs instead of many; `python docs/console.py` compares what they print."""
    lines = (ROOT / page).read_text(encoding="utf-8").split("\n")
    ran = 0
    for block in console.blocks(lines, here):
        for command, shown in block.steps():
            words = shlex.split(command.split("|")[0])
            if words[0] != "multihop":
                continue
            gallery = page.startswith("docs/gallery")  # its pictures of a spread need three runs
            many = words[1] in ("run", "compare") or (words[1] == "sweep" and gallery)
            few = ["--runs", "3" if gallery else "2"] if many else []
            done = cli(*words[1:], *few)
            expected = 2 if shown and shown[0].startswith("multihop:") else 0
            assert done.code == expected, f"{command}\n{done.err}"
            ran += 1
    assert ran


def test_what_the_python_page_says_works(here: Path) -> None:
    text = (ROOT / "docs" / "guide" / "python.md").read_text(encoding="utf-8")
    for code in re.findall(r"```python\n(.*?)```", text, re.DOTALL):
        exec(compile(code, "python.md", "exec"), {})  # noqa: S102 - our own page


def test_every_cell_of_the_notebook_runs() -> None:
    pytest.importorskip("nbclient")
    first_look = program("first_look")
    shown, kept = first_look.executed(), json.loads(first_look.NOTEBOOK.read_text(encoding="utf-8"))
    kinds = [
        [[(output["output_type"], *output.get("data", ())) for output in cell.get("outputs", ())] for cell in cells]
        for cells in (shown["cells"], kept["cells"])
    ]
    assert kinds[0] == kinds[1]  # each cell shows what it did: a table, a picture, nothing else
    assert sum(map(len, kinds[0])) == sum(cell["cell_type"] == "code" for cell in kept["cells"])


def test_every_shipped_scenario_has_its_map() -> None:
    maps = ROOT / "docs" / "reference" / "maps"
    page = (ROOT / "docs" / "reference" / "scenarios.md").read_text(encoding="utf-8")
    from multihop import _engine

    assert {path.stem for path in maps.glob("*.svg")} == set(_engine.shipped("scenarios"))
    for path in maps.glob("*.svg"):
        ET.fromstring(path.read_text(encoding="utf-8"))  # noqa: S314 - our own file
        assert f"](maps/{path.name})" in page
        assert "prefers-color-scheme: dark" in path.read_text(encoding="utf-8")


def test_every_technique_and_profile_has_its_page() -> None:
    from multihop import _engine

    models = ROOT / "docs" / "models"
    for name in set(_engine.shipped("techniques")) - {"none", "placebo"}:
        # a page of its own, or, for a choice within another technique, a place on that one's page
        family = models / f"{name.split('-')[0]}.md"
        told = family.is_file() and f"`{name}`" in family.read_text(encoding="utf-8")
        assert (models / f"{name}.md").is_file() or told, name
    profiles = (models / "profiles.md").read_text(encoding="utf-8")
    assert all(f"`{name}`" in profiles for name in _engine.shipped("profiles"))


def test_the_site_builds_without_a_warning() -> None:
    pytest.importorskip("material")
    with tempfile.TemporaryDirectory() as site:
        done = subprocess.run(
            [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", site],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=False,
        )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("page", ["README.md", "CONTRIBUTING.md", "CHANGELOG.md"])
def test_links_out_of_the_front_pages_lead_somewhere(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    targets = [t.split("#")[0] for t in re.findall(r"\]\(([^)\s]+)\)", text) if not t.startswith("http")]
    missing = [target for target in targets if target and not (ROOT / target).exists()]
    assert not missing


def test_the_site_asks_the_network_for_nothing_and_names_every_page() -> None:
    """It is read from the disk too: links name files, and the search's script is its own."""
    config = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    assert "use_directory_urls: false\n" in config
    assert "  - offline\n" in config
    script = re.search(r"polyfills:\n +- (.*iframe-worker.*)\n", config)
    assert script
    assert "IFrameWorker" in (ROOT / "docs" / script[1]).read_text(encoding="utf-8")
    nav = config.partition("\nnav:\n")[2]
    pages = {str(path.relative_to(ROOT / "docs")) for path in (ROOT / "docs").rglob("*.md")}
    assert [page for page in sorted(pages) if f": {page}\n" not in f"{nav}\n"] == []
