"""Runs the example notebook again and keeps what it shows.

    python docs/first_look.py

docs/generate.py makes a page of the documentation of it; a test runs every cell.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import tempfile
from pathlib import Path
from typing import Any

NOTEBOOK = Path(__file__).resolve().parents[1] / "examples" / "first-look.ipynb"


def executed(path: Path = NOTEBOOK) -> dict[str, Any]:
    """The notebook with what its cells show now, run in an empty folder; raises CellExecutionError."""
    import nbformat  # noqa: PLC0415 - whoever only makes the page needs none of it
    from nbclient import NotebookClient  # noqa: PLC0415

    notebook = nbformat.read(path, as_version=4)
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        os.environ.pop("MULTIHOP_HOME", None)
        NotebookClient(notebook, timeout=300, kernel_name="python3").execute()
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)  # when each began and ended
    found: dict[str, Any] = json.loads(nbformat.writes(notebook))
    return found


def page() -> str:
    """The example notebook with what it shows."""
    notebook = json.loads(NOTEBOOK.read_text(encoding="utf-8"))
    parts: list[str] = []
    for cell in notebook["cells"]:
        source = _joined(cell["source"])
        if cell["cell_type"] == "markdown":
            parts.append(source)
            if len(parts) == 1:
                parts.append(HEAD)
            continue
        parts.append(f"```python\n{source}\n```")
        parts += [_shown(output["data"]) for output in cell["outputs"] if "data" in output]
    return "\n\n".join(parts) + "\n"


HEAD = """This page is the notebook `examples/first-look.ipynb`, with what its cells show. It needs Jupyter besides, or
an editor that opens notebooks."""


def _joined(text: str | list[str]) -> str:
    return text if isinstance(text, str) else "".join(text)


def _shown(data: dict[str, Any]) -> str:
    """An output of a cell: a picture, a table, or text."""
    if "image/png" in data:
        return f"![Output of the cell above](data:image/png;base64,{_joined(data['image/png']).strip()})"
    if "text/html" in data:
        html = re.sub(r"<style[^>]*>.*?</style>", "", _joined(data["text/html"]), flags=re.DOTALL)
        return "\n".join(line for line in html.splitlines() if line.strip())
    return f"```text\n{_joined(data['text/plain'])}\n```"


def main() -> None:
    """Writes the notebook anew."""
    NOTEBOOK.write_text(json.dumps(executed(), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
