"""Who may import whom: no circle, and what runs and keeps does not know what shows."""

from __future__ import annotations

import ast
import graphlib
from pathlib import Path

import multihop

ROOT = Path(multihop.__file__).parent
BELOW = ("errors", "text", "tables", "scenario", "record", "store", "run", "summary", "stats", "compare", "explain")
"""Modules that work without a person watching."""
ABOVE = ("multihop.out", "multihop.cli", "multihop.figure", "multihop.report", "multihop.api")
"""What a person sees, and what composes it."""


def imports(tree: ast.AST) -> set[str]:
    """Full names of our modules that are imported while the program runs, at the top or inside a function."""
    found: set[str] = set()
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            continue
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "multihop":
            names = [f"{node.module}.{alias.name}" for alias in node.names]
            found |= {name if module(name) else str(node.module) for name in names}
        elif isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names if alias.name.split(".")[0] == "multihop"}
        else:
            found |= imports(node)
    return found


def module(name: str) -> bool:
    path = ROOT.joinpath(*name.split(".")[1:])
    return path.with_suffix(".py").exists() or path.with_suffix(".pyi").exists() or path.is_dir()


def graph() -> dict[str, set[str]]:
    files = [f for f in ROOT.rglob("*.py") if f.name != "__init__.py"]
    names = {".".join(["multihop", *f.relative_to(ROOT).with_suffix("").parts]): f for f in files}
    return {name: imports(ast.parse(f.read_text(encoding="utf-8"))) for name, f in names.items()}


def test_no_module_imports_itself_over_others() -> None:
    order = list(graphlib.TopologicalSorter(graph()).static_order())  # raises CycleError, which names the circle
    assert order.index("multihop.errors") < order.index("multihop.record") < order.index("multihop.cli.app")


def test_what_runs_does_not_know_what_shows() -> None:
    edges = graph()
    wrong = {name: edges[f"multihop.{name}"] for name in BELOW}
    assert {name: bad for name, used in wrong.items() if (bad := {u for u in used if u.startswith(ABOVE)})} == {}
