"""The map of each shipped scenario, for its place in docs/reference/scenarios.md; docs/generate.py writes them.

One SVG is for light and dark pages: its colours are those of the report, which follow what the reader prefers.
"""

from __future__ import annotations

import re
from importlib.resources import files

import multihop
from multihop.ceiling.reach import Reach
from multihop.plots.map import draw_map
from multihop.plots.style import inline, rendered


def map_of(name: str) -> str:
    """The map of a scenario as an SVG file; letters are left to the reader's fonts, which keeps it small."""
    figure = draw_map(Reach(multihop.load(name).resolve()), name)
    svg = rendered(figure, "svg", name, glyphs=False)
    sized = re.search(rb'<svg[^>]*?( width="[^"]*" height="[^"]*")', svg)
    text = inline(svg, f"map of {name}").replace("<svg", f"<svg{sized[1].decode()}" if sized else "<svg", 1)
    text = re.sub(r"[ \t]+\n", "\n", text)
    opening, rest = text.split(">", 1)
    return f"{opening}>\n<style>\n{_colours()}</style>{rest.rstrip()}\n"


def _colours() -> str:
    """The report's colours, light and dark."""
    css = files("multihop").joinpath("report", "templates", "style.css").read_text(encoding="utf-8")
    return css[css.index(":root") : css.index("* {")] + "svg { color: var(--ink); background: var(--page); }\n"
