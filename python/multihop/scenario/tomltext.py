"""Tables of a TOML file that are no part of the scenario: where they stand, and the text without them."""

from __future__ import annotations

import re

from multihop.errors import InputError
from multihop.scenario import trees

SWEEP = "sweep"
"""The table that describes a sweep over the scenario in the same file."""
_HEAD = re.compile(r"\s*\[\[?\s*([A-Za-z0-9_-]+|\"[^\"]*\")")


def line_of(text: str, table: str) -> int:
    """The line of the first head of a table, or of a table inside it; 0 if there is none."""
    return next((i for i, line in enumerate(text.splitlines(), 1) if _is_head(line, table)), 0)


def without(text: str, table: str, file: str) -> str:
    """The text without the tables of that name; other lines keep their numbers. Raises InputError.

    A file that is not valid TOML is left as it is: its reader says what is wrong.
    """
    if not line_of(text, table):
        return text
    try:
        tree = trees.tree(text)
    except trees.INVALID:
        return text
    kept, inside = [], False
    for line in text.splitlines():
        if _HEAD.match(line):
            inside = _is_head(line, table)
        kept.append("" if inside else line)
    rest = "\n".join(kept) + "\n"
    tree.pop(table, None)
    try:
        same = trees.tree(rest) == tree
    except trees.INVALID:
        same = False
    if not same:
        raise InputError(
            f"{file}: write the table `{table}` by itself: a line `[{table}]`, then its keys, then `[{table}.over]`"
        )
    return rest


def _is_head(line: str, table: str) -> bool:
    found = _HEAD.match(line)
    return found is not None and found[1].strip('"') == table
