"""The command line of the benches that run the cells of a reference file, a CSV, and print ours beside its figures."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any


def asked(about: str | None, runs: int) -> argparse.Namespace:
    """What the user asks for: `cells`, `only`, `runs` and `json`; ends the program if the file is not there."""
    parser = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cells", type=Path, help="CSV of the cells")
    parser.add_argument("--only", default="", help="cells with this word in their name")
    parser.add_argument("--runs", type=int, default=runs, help=f"runs of each cell ({runs})")
    parser.add_argument("--json", type=Path, help="write the table to this file too")
    options = parser.parse_args()
    if not options.cells.is_file():
        sys.exit(f"{options.cells}: there is no such file")
    return options


def beside(here: float, there: float) -> str:
    """Our figure, that of the file, and by how much ours is larger."""
    change = here / there - 1 if there else 0.0
    return f"{here:10.2f} {there:10.2f} {change:+7.2%}"


def keep(file: Path | None, rows: Sequence[dict[str, Any]]) -> None:
    """Writes the table to a file, if one was asked for."""
    if file is not None:
        file.write_text(json.dumps(rows, indent=2) + "\n", encoding="utf-8")
