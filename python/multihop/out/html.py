"""Records and comparisons in a notebook: the tables of the terminal, as HTML."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import RenderableType

    from multihop.record.comparison import Comparison
    from multihop.record.record import Records

WIDTH = 140
"""Columns of the page."""


def records_html(records: Records) -> str:
    """What `multihop run` prints, for a notebook."""
    from multihop.out.table import records_view

    return _html(records_view(records)) if len(records) else "<em>no run has finished</em>"


def comparison_html(comparison: Comparison) -> str:
    """What `multihop compare` prints, for a notebook."""
    from multihop.out.comparison import comparison_view

    return _html(comparison_view(comparison, rest="`multihop compare --details`"))


def _html(view: RenderableType) -> str:
    import io

    from multihop.terminal.console import Printer

    # told that it is in none, it does not also show the table itself
    console = Printer(record=True, width=WIDTH, file=io.StringIO(), highlight=False, force_jupyter=False)
    console.print(view)
    page = "<pre style=\"font-family:Menlo,'DejaVu Sans Mono',consolas,monospace;line-height:1.2\">{code}</pre>"
    return console.export_html(inline_styles=True, code_format=page)
