"""Runs the studies of the gallery again: what their commands print, and their pictures.

    python docs/gallery.py             all pages of docs/gallery
    python docs/gallery.py battery     only pages whose name has this in it

The last command of a page draws NAME.svg, which goes to docs/images/gallery. docs/gallery/index.md lists the pages.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
from console import rerun_in  # noqa: E402 - beside this file, wherever it is run from

PAGES, IMAGES = HERE / "gallery", HERE / "images" / "gallery"
HEAD = """<!-- Written by docs/gallery.py: do not edit. -->

# Gallery

Short studies, each with a question, the commands that answer it, and a picture. Copy the commands and change them.

"""


def pages() -> list[Path]:
    """The pages of the gallery, but for the list of them."""
    return [page for page in sorted(PAGES.glob("*.md")) if page.name != "index.md"]


def index() -> str:
    """The list of the pages: title, question, picture."""
    entries = []
    for page in pages():
        title, question = (part.strip() for part in page.read_text(encoding="utf-8").split("\n\n")[:2])
        picture = f"[![{title[2:]}](../images/gallery/{page.stem}.svg){{ width=360 }}]({page.name})"
        entries.append(f"## [{title[2:]}]({page.name})\n\n{question}\n\n{picture}\n")
    return HEAD + "\n".join(entries)


def rerun(page: Path) -> None:
    """Runs the commands of a page, rewrites what they print and the picture."""
    with tempfile.TemporaryDirectory() as folder:
        fresh = rerun_in(Path(folder), page)
        drawn = (Path(folder) / f"{page.stem}.svg").read_bytes()
    page.write_text(fresh, encoding="utf-8")
    (IMAGES / f"{page.stem}.svg").write_bytes(drawn)
    sys.stdout.write(f"{page.stem}: run again\n")


def main(names: list[str]) -> None:
    """Runs the pages that are named, or all, and writes the list of them."""
    for page in pages():
        if not names or any(name in page.stem for name in names):
            rerun(page)
    (PAGES / "index.md").write_text(index(), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
