"""Tables that fit the screen: nothing is cut, no number is broken, and what there was no room for is said.

A table that is too wide goes without its least columns. If it is still too wide, its words break over lines; and if
that is not enough, each row becomes a block of lines that name each number.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from rich import box
from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

LEAST_WORDS = 10
"""Letters of a line below which words are not broken."""
BETWEEN = 3
"""Letters between two columns."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table."""

    head: str
    words: bool = False
    """Words stand to the left and may break over lines; numbers stand to the right and never do."""
    rank: int = 0
    """Which column goes where there is no room, the highest first; 0 stays."""


@dataclass(frozen=True, slots=True)
class Line:
    """A row of a table."""

    cells: Sequence[str | Text]
    style: str = ""
    heading: bool = False
    """Whether it names the rows below it, by its first cell."""


class Fitting:
    """A table as wide as the screen allows."""

    def __init__(self, columns: Sequence[Column], rows: Sequence[Line]) -> None:
        self.columns, self.rows = columns, rows
        self._cells = [max((_text(row.cells[i]).cell_len for row in rows), default=0) for i in range(len(columns))]
        """Widths of the widest cells."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        every = range(len(self.columns))
        spare = sorted((i for i in every if self.columns[i].rank), key=lambda i: -self.columns[i].rank)
        for n, tall in itertools.product(range(len(spare) + 1), (False, True)):
            places = [i for i in every if i not in spare[:n]]
            if self._width(places, tall=tall) <= options.max_width:
                yield self._table(places, tall=tall)
                yield from self._left_out(spare[:n])
                return
        kept = [i for i in every if i not in spare]
        breaking = self._breaking(kept, options.max_width)
        yield from [breaking] if breaking is not None else self._blocks(kept)
        yield from self._left_out(spare)

    def _table(self, places: Sequence[int], words: int | None = None, *, tall: bool = False) -> Table:
        """A table of some columns; `tall` heads have two lines; with `words`, those of words are at most so wide."""
        table = Table(box=box.SIMPLE_HEAD, pad_edge=False, header_style="bold", show_edge=False)
        for i in places:
            column = self.columns[i]
            folds = column.words and words is not None
            table.add_column(
                Text(self._head(i, words, tall=tall)),
                justify="left" if column.words else "right",
                no_wrap=not folds,
                overflow="fold",
                max_width=words if folds else None,
            )
        for row in self.rows:
            table.add_row(*(_indented(row.cells[i]) for i in places), style=row.style)
        return table

    def _breaking(self, places: Sequence[int], width: int) -> Table | None:
        """The columns with the widest words that fit; None if there is no room for any."""
        widest = max((self._cells[i] for i in places if self.columns[i].words), default=0)
        for words in range(widest, LEAST_WORDS - 1, -1):
            if self._width(places, words, tall=True) <= width:
                return self._table(places, words, tall=True)
        return None

    def _width(self, places: Sequence[int], words: int | None = None, *, tall: bool = False) -> int:
        """How wide the table of some columns is: reckoned, for one of hundreds of rows takes long to lay out."""
        widths = []
        for i in places:
            whole = max(self._cells[i], _widest(self._head(i, words, tall=tall)))
            widths.append(min(whole, words) if words is not None and self.columns[i].words else whole)
        return sum(widths) + BETWEEN * (len(widths) - 1)

    def _head(self, place: int, words: int | None, *, tall: bool) -> str:
        """The head of a column; in two lines if it may be, but for one that stands over broken words in one."""
        column = self.columns[place]
        fits = words is not None and column.words and len(column.head) <= min(words, self._cells[place])
        return _tall(column.head) if tall and not fits else column.head

    def _blocks(self, places: Sequence[int]) -> Iterator[Text]:
        """Each row as lines of their own."""
        for row in self.rows:
            name = f"{self.columns[places[0]].head} {_text(row.cells[places[0]]).plain}"
            yield Text(name.strip() if self.columns[places[0]].head else name[1:], style="bold")
            for i in places[1:] if not row.heading else ():
                cell, head = _text(row.cells[i]), self.columns[i].head
                if cell.plain:
                    yield Text.assemble(f"  {head}: " if head else "  ", cell)

    def _left_out(self, places: Sequence[int]) -> Iterator[Text]:
        if places:
            names = ", ".join(self.columns[i].head for i in places)
            yield Text(f"no room for: {names}; a wider terminal, --csv or --json has them", style="dim")


def _text(cell: str | Text) -> Text:
    return cell if isinstance(cell, Text) else Text(cell)


def _indented(cell: str | Text) -> RenderableType:
    """A cell that keeps its indent where it breaks."""
    text = _text(cell)
    return Padding(Text(text.plain[2:], text.style), (0, 0, 0, 2)) if text.plain.startswith("  ") else text


def _tall(head: str) -> str:
    """A head in two lines of about the same length."""
    words = head.split()
    if len(words) < 2:
        return head
    return min(("\n".join((" ".join(words[:i]), " ".join(words[i:]))) for i in range(1, len(words))), key=_widest)


def _widest(text: str) -> int:
    return max(map(len, text.splitlines()), default=0)


def plain(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> Fitting:
    """A table of words."""
    return Fitting([Column(head, words=True) for head in heads], [Line(row) for row in rows])
