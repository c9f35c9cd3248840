"""Who may import whom: no circle, and what runs and keeps does not know what shows."""

from __future__ import annotations

import ast
import graphlib
import re
from pathlib import Path

import pytest

import multihop

ROOT = Path(multihop.__file__).parent
ABOVE = ("multihop.out", "multihop.cli", "multihop.plots", "multihop.report", "multihop.api", "multihop.reproducing")
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
    assert order.index("multihop.errors") < order.index("multihop.record.record") < order.index("multihop.cli.app")


ROOMS = (
    ("_engine", "errors", "notebook", "text"),
    ("files",),
    ("scenario",),
    ("importing", "measures"),
    ("ceiling", "record"),
    ("analysis", "citing", "store", "terminal"),
    ("running",),
    ("advising", "study", "sweeping"),
    ("plots", "query"),
    ("out",),
    ("report",),
    ("api", "cli", "reproducing"),
)
"""The rooms of the package by floors: a room uses the floors below its own, and no room of its own floor."""


def test_rooms_use_the_floors_below_them() -> None:
    floor = {room: number for number, rooms in enumerate(ROOMS) for room in rooms}
    wrong = {
        f"{name} imports {used}"
        for name, all_used in graph().items()
        for used in all_used
        if (a := name.split(".")[1]) != (b := used.split(".")[1]) and floor[b] >= floor[a]
    }
    assert wrong == set()


def test_what_runs_does_not_know_what_shows() -> None:
    def shows(name: str) -> bool:
        return any(name == above or name.startswith(f"{above}.") for above in ABOVE)

    below = {name: used for name, used in graph().items() if not shows(name)}
    assert below.keys() >= {
        f"multihop.{name}" for name in ("running.run", "record.record", "measures.figures", "study.judge")
    }
    assert {name: bad for name, used in below.items() if (bad := {u for u in used if shows(u)})} == {}


CRATES = Path(__file__).parents[1] / "crates"
RUST = {
    "proto": (
        "dispatch",
        "units",
        "wire",
        "contract",
        "arp",
        "queue",
        "mac",
        "link",
        "routing",
        "tcp",
        "udp",
        "atp",
        "signals",
        "hop_rate",
        "shim",
        "proxy",
        "endpoint",
        "node",
    ),
    "sim": (
        "overrides",
        "kernel",
        "air",
        "mobility",
        "traffic",
        "machines",
        "scenario",
        "check",
        "resolve",
        "probe",
        "network",
    ),
}
"""The modules of our crates, each below those that may use it."""


def rust_graph(source: Path) -> dict[str, set[str]]:
    """Which modules of a crate use which: the uppermost ones, tests and what is only for them left out."""
    graph: dict[str, set[str]] = {}
    for file in source.rglob("*.rs"):
        path = file.relative_to(source).with_suffix("").parts
        if path[0] in ("lib", "testing") or "tests" in path:
            continue
        text = re.sub(r"//[^\n]*", "", file.read_text(encoding="utf-8"))
        text = re.split(r"#\[cfg\(test\)\]\s*mod tests\s*\{", text)[0]
        used = set(re.findall(r"\bcrate::(\w+)", text))
        for group in re.findall(r"\bcrate::\{(.*?)\};", text, re.DOTALL):
            used |= set(re.findall(r"(?:^|,)\s*(\w+)", re.sub(r"\{[^{}]*\}", "", group)))
        depth = len(path) - (path[-1] == "mod")  # so often `super` leads out of the uppermost module
        used |= set(re.findall(r"(?<!::)" + r"super::" * depth + r"(?!super\b)(\w+)", text))
        graph.setdefault(path[0], set()).update(used - {path[0]})
    return {module: used & graph.keys() for module, used in graph.items()}


@pytest.mark.parametrize("crate", RUST)
def test_no_module_of_a_crate_uses_itself_over_others(crate: str) -> None:
    graph = rust_graph(CRATES / crate / "src")
    assert sum(map(len, graph.values())) >= len(graph)  # it does read what is used
    list(graphlib.TopologicalSorter(graph).static_order())  # raises CycleError, which names the circle


@pytest.mark.parametrize("crate", RUST)
def test_modules_of_a_crate_use_those_below_them(crate: str) -> None:
    order = RUST[crate]
    graph = rust_graph(CRATES / crate / "src")
    assert not graph.keys() - set(order), "say where the new module stands"
    above = {m: {u for u in used if order.index(u) >= order.index(m)} for m, used in graph.items()}
    assert {module: wrong for module, wrong in above.items() if wrong} == {}


def test_a_circle_is_found(tmp_path: Path) -> None:
    for name, text in {
        "lib.rs": "mod a; mod b; mod c;",
        "a/mod.rs": "mod x;",
        "a/x.rs": "use super::super::b::Y;",
        "b.rs": "use crate::{c::{D, E}, units};",
        "c.rs": "fn f() -> crate::a::x::Z {}\n#[cfg(test)]\nmod tests {\n use crate::b;\n}",
    }.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    assert rust_graph(tmp_path) == {"a": {"b"}, "b": {"c"}, "c": {"a"}}
    with pytest.raises(graphlib.CycleError):
        list(graphlib.TopologicalSorter(rust_graph(tmp_path)).static_order())
