"""How all figures look: colours that colour-blind readers can tell apart, plain axes, numbers that can be read.

Colours are those of Okabe and Ito (2008). Colour never stands alone: marks, line styles or hatches say the same.
"""

from __future__ import annotations

import io
import re
import textwrap
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from multihop.errors import InputError
from multihop.files.output import write_whole
from multihop.text import printable

from .fonts import FAMILY, legible

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: Name in the report's style sheet, and colour on paper.
PALETTE = {
    "orange": "#d55e00",
    "blue": "#0072b2",
    "green": "#009e73",
    "pink": "#cc79a7",
    "amber": "#e69f00",
    "sky": "#56b4e9",
    "olive": "#8a7f00",
    "slate": "#6c757d",
}
COLOURS = tuple(PALETTE.values())
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
HATCHES = ("", "////", "....", "\\\\\\\\", "xxxx", "++++", "oooo", "----")
#: How routes that come and go between the ends of a flow are marked.
ROUTES = {"lost": ("v", COLOURS[3]), "found": ("^", COLOURS[2])}
#: Text and axes; a colour of its own, so that the report can give it the page's colour.
INK = "#1c1c1e"
#: Grid lines and bands; likewise.
FAINT = "#d9d9de"
#: What figures stand on, and the gaps between bars: dark text must be readable on dark pages too.
PAPER = "#ffffff"
#: Letters of a title to an inch of the figure, the scale of the axis left out.
LETTERS = 11.5
#: Letters of the name under a tick to an inch.
SMALL_LETTERS = 14.0
#: Rows of a legend that the height of a figure allows for, and what each further one adds to it [in].
LEGEND_ROWS, LEGEND_ROW = 3, 0.17
#: More panels than this stand in two columns.
MOST_ROWS = 4
FORMATS = (".svg", ".png", ".pdf")

_SETTINGS: Any = {
    "axes.axisbelow": True,
    "axes.edgecolor": INK,
    "axes.grid": True,
    "axes.grid.axis": "y",
    "axes.labelcolor": INK,
    "axes.labelsize": 9,
    "axes.linewidth": 0.8,
    # of what has no colour given, as the ends of error bars
    "axes.prop_cycle": f"cycler('color', {list(COLOURS)})",
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlelocation": "left",
    "axes.titlesize": 10,
    "errorbar.capsize": 2.5,
    "figure.dpi": 100,
    "figure.titlesize": 11,
    "font.family": FAMILY,
    "font.size": 9,
    "grid.color": FAINT,
    "grid.linewidth": 0.7,
    "hatch.linewidth": 0.6,
    "legend.fontsize": 8,
    "legend.title_fontsize": 8,
    "legend.frameon": False,
    "lines.linewidth": 1.4,
    "lines.markersize": 5,
    "patch.linewidth": 0.6,
    "savefig.dpi": 200,
    "svg.fonttype": "path",
    "text.color": INK,
    "text.parse_math": False,  # a name may have dollar signs
    "xtick.color": INK,
    "xtick.labelsize": 8,
    "ytick.color": INK,
    "ytick.labelsize": 8,
}


@contextmanager
def styled() -> Iterator[None]:
    """Draw inside this: the settings hold for the figures made there and for nothing else."""
    import matplotlib as mpl

    with mpl.rc_context(_SETTINGS):
        yield


def canvas(width: float, height: float, rows: int = 1, columns: int = 1, **options: Any) -> tuple[Figure, Any]:
    """A figure of so many inches with a grid of axes (always a two-dimensional array)."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    return figure, figure.subplots(rows, columns, squeeze=False, **options)


def panels(n: int, width: float, height: float) -> tuple[Figure, list[Axes]]:
    """So many panels with the same axes, each of so many inches: below each other, many in two columns."""
    columns = 1 if n <= MOST_ROWS else 2
    rows = -(-n // columns)
    figure, grid = canvas(width * columns, 1.0 + height * rows, rows, columns, sharex=True, sharey=True)
    for axes in grid.flat[n:]:
        axes.set_visible(False)
    shown = list(grid.flat[:n])
    for axes in shown[-columns:]:
        axes.tick_params(labelbottom=True)
    return figure, shown


def head(figure: Figure, axes: Axes, text: str, width: float | None = None, above: float = 0.0) -> None:
    """The title of a panel that is so wide [in], or as wide as the figure, in as many lines as it needs; over what
    stands so high [pt] above the panel."""
    a_line = int((width or figure.get_figwidth()) * LETTERS)
    axes.set_title(textwrap.fill(text, a_line, break_long_words=False, break_on_hyphens=False), pad=6 + above)


def crown(figure: Figure, *texts: str) -> int:
    """The title of a whole figure of several panels, each text in as many lines as it needs; returns how many."""
    a_line = int(figure.get_figwidth() * LETTERS)
    filled = textwrap.TextWrapper(a_line, break_long_words=False, break_on_hyphens=False)
    lines = [line for text in texts for line in filled.wrap(text)]
    if lines:
        figure.suptitle("\n".join(lines), x=0.01, ha="left")
    return len(lines)


def slant(figure: Figure, axes: Axes, names: Sequence[str], share: float = 1.0) -> None:
    """Slants the names under an axis that has this share of the figure's width, if they would run into each other."""
    room = 0.85 * share * figure.get_figwidth() / max(1, len(axes.get_xticks()))
    if max(map(len, names), default=0) / SMALL_LETTERS > room:
        axes.tick_params(axis="x", rotation=40)
        for label in axes.get_xticklabels():
            label.set(ha="right", rotation_mode="anchor")


def legend_below(figure: Figure, axes: Axes, columns: int = 4, extra: Sequence[Any] = (), title: str = "") -> None:
    """One legend for the whole figure, under it, in no more columns than there is room for."""
    handles, labels = axes.get_legend_handles_labels()
    handles = [*handles, *extra]
    labels = [*labels, *(h.get_label() for h in extra)]
    entry = max((len(str(label)) for label in labels), default=0) / SMALL_LETTERS + 0.6
    room = max(1, int(figure.get_figwidth() / entry))
    rows = -(-len(handles) // min(columns, len(handles), room)) if handles else 1
    columns = -(-len(handles) // rows) or 1  # filled evenly: a pair of lines stays in its column
    figure.set_figheight(figure.get_figheight() + LEGEND_ROW * max(0, rows - LEGEND_ROWS))
    if handles:
        figure.legend(handles, labels, loc="outside lower center", ncols=columns, title=title or None)


def paper_mark() -> Any:
    """The legend's sample of a number that the paper prints."""
    from matplotlib.lines import Line2D

    return Line2D([], [], **paper_style(), label="printed in the paper")


def paper_style() -> dict[str, Any]:
    """How a number of the paper is drawn: a hollow diamond in the colour of the text."""
    look = {"marker": "D", "linestyle": "none", "markersize": 5.5, "markerfacecolor": "none", "markeredgecolor": INK}
    return {**look, "clip_on": False, "zorder": 5}


def save(figure: Figure, path: Path) -> None:
    """Write the figure in the format of the path's suffix; the same figure gives the same bytes."""
    suffix = path.suffix.lower()
    if suffix not in FORMATS:
        raise InputError(f"cannot draw into {path.name}: the name must end in {', '.join(FORMATS)}")
    write_whole(path, rendered(figure, suffix.removeprefix("."), path.stem))


def rendered(figure: Figure, kind: str, name: str, *, glyphs: bool = True) -> bytes:
    """The figure as `svg`, `png` (both on white) or `pdf` (on the page); `name` keeps the ids of an SVG apart.

    Without `glyphs`, the letters of an SVG are text, for which the reader has a font.
    """
    import matplotlib as mpl
    from matplotlib.text import Text

    for text in figure.findobj(Text):
        text.set_text(printable(text.get_text()))
    buffer = io.BytesIO()
    by = {"Creator": "multihop"}  # a mark of its own, by which `out.files` knows it
    fixed = {"svg": {"Date": None, **by}, "pdf": {"CreationDate": None, **by}, "png": {"Software": "multihop"}}[kind]
    settings = {**_SETTINGS, "svg.hashsalt": name, "svg.fonttype": "path" if glyphs else "none"}
    with mpl.rc_context(settings), legible(figure):
        figure.savefig(buffer, format=kind, metadata=fixed, transparent=kind == "pdf")
    # the layout has been found: drawing the figure once more need not look for it again
    figure.set_layout_engine("none")
    return buffer.getvalue()


def inline(svg: bytes, name: str) -> str:
    """A rendered SVG as an element of a page: page colours for ink, variables for the palette, ids of its own."""
    text = svg.decode()
    text = text[text.index("<svg") :]
    text = re.sub(r"<metadata>.*?</metadata>", "", text, flags=re.DOTALL)
    head, rest = text.split(">", 1)
    width = re.search(r' width="([^"]*)"', head)
    head = re.sub(r' (width|height)="[^"]*"', "", head)
    natural = f' style="max-width:{width[1]}"' if width else ""
    text = f"{head}{natural}>{rest}"
    # what is black is drawn without a colour, or with this one: it is text on a dark page too
    text = text.replace("<svg", '<svg fill="currentColor"', 1).replace("#000000", "currentColor")
    for colour, variable in {INK: "currentColor", FAINT: "var(--faint)", PAPER: "var(--page)"}.items():
        text = text.replace(colour, variable)
    for word, colour in PALETTE.items():
        text = text.replace(colour, f"var(--{word})")
    # glyphs and clip paths are found by id: two figures on one page must not share them
    text = re.sub(r'\bid="', f'id="{name}-', text)
    text = re.sub(r'(href="#|url\(#)', rf"\g<1>{name}-", text)
    return text.replace("<svg", f'<svg role="img" aria-label="{name}"', 1)
