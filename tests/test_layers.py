"""Who may import whom: no circle, and what runs and keeps does not know what shows."""

from __future__ import annotations

import ast
import graphlib
from pathlib import Path

import pytest

import multihop
from rust_imports import Crate, circles

ROOT = Path(multihop.__file__).parent
ABOVE = tuple(f"multihop.{room}" for room in ("out", "cli", "plots", "report", "api", "reproducing", "__main__"))
"""What a person sees, and what composes it."""


def imports(tree: ast.AST, typed: bool = False) -> set[str]:
    """Full names of our modules that are imported, at the top or inside a function; what only types need if `typed`."""
    found: set[str] = set()
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING" and not typed:
            continue
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "multihop":
            names = [f"{node.module}.{alias.name}" for alias in node.names]
            found |= {name if module(name) else str(node.module) for name in names}
        elif isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names if alias.name.split(".")[0] == "multihop"}
        else:
            found |= imports(node, typed)
    return found


def module(name: str) -> bool:
    path = ROOT.joinpath(*name.split(".")[1:])
    return path.with_suffix(".py").exists() or path.with_suffix(".pyi").exists() or path.is_dir()


def graph(typed: bool = False) -> dict[str, set[str]]:
    files = [f for f in ROOT.rglob("*.py") if f.name != "__init__.py"]
    names = {".".join(["multihop", *f.relative_to(ROOT).with_suffix("").parts]): f for f in files}
    return {name: imports(ast.parse(f.read_text(encoding="utf-8")), typed) for name, f in names.items()}


def test_no_module_imports_itself_over_others() -> None:
    order = list(graphlib.TopologicalSorter(graph()).static_order())  # raises CycleError, which names the circle
    assert order.index("multihop.errors") < order.index("multihop.record.record") < order.index("multihop.cli.app")


TYPED = {
    frozenset({f"multihop.record.{name}" for name in ("comparison", "document", "frames", "record")}): (
        "records make their documents, tables and comparisons"
    ),
}
"""Modules that name each other's types in a circle, though no import runs in one."""


def test_modules_name_types_of_each_other_in_no_circle() -> None:
    found = {frozenset(circle) for circle in circles(graph(typed=True))}
    assert found == TYPED.keys()


ROOMS = (
    ("_engine", "errors", "notebook", "text"),
    ("files",),
    ("scenario",),
    ("importing", "measures"),
    ("ceiling", "record"),
    ("analysis", "citing", "store", "terminal"),
    ("running",),
    ("advising", "deploying", "emulating", "study", "sweeping"),
    ("plots", "query"),
    ("out",),
    ("report",),
    ("api", "cli", "reproducing"),
    ("__main__",),
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
        "phy",
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
    "air": (
        "burst",
        "ofdm",
        "dsss",
        "ofdm_table",
        "energy",
        "geometry",
        "etx",
        "link",
        "radio",
        "unmet",
        "config",
        "motion",
        "table",
        "ns2",
        "channel",
        "bit_errors",
        "curve",
        "findings",
        "propagation",
        "course",
        "errors",
        "sinr",
        "range",
        "neighbourhood",
        "radios",
        "field",
        "links",
    ),
    "sim": (
        "overrides",
        "kernel",
        "mobility",
        "traffic",
        "machines",
        "scenario",
        "check",
        "resolve",
        "probe",
        "network",
    ),
    "emu": (
        "clock",
        "netlink",
        "lag",
        "datagram",
        "device",
        "counts",
        "icmp",
        "stream",
        "snoop",
        "agents",
        "sending",
        "receiving",
        "layer",
        "socket",
        "kick",
        "exchange",
        "unreachable",
        "host",
        "wait",
        "enter",
        "prepare",
        "end",
        "ends",
        "router",
        "emulation",
        "deployed",
    ),
}
"""The modules of our crates, each below those that may use it."""


MACHINES = {
    "proto": {
        "link::frn": "the link of the Flexible Radio Network",
        "mac::dcf": "the DCF; flow control, pacing and NAV doze keep their state in files of their own",
        "node": "the node; its network layer, ends of flows and relays keep their state in files of their own",
        "queue": "the interface queue; holds and limits keep their state in files of their own",
        "routing::aodv": "AODV; hellos and messages that wait for answers keep their state in files of their own",
        "routing::dsr": "DSR; discovery and overhearing keep their state in files of their own",
        "tcp::connection": "the TCP sender; what it does stands by occasion: an ACK, a timer, an order, a loss",
    },
    "air": {},
    "sim": {
        "network": "the network; batteries, dozing, samples and the schedule keep their state in files of their own",
        "scenario::import": "the readers of foreign files, and what they share",
    },
    "emu": {},
}
"""Folders in which files may use each other in a circle: each is one machine, whose methods stand in several files."""


def folded(graph: dict[str, set[str]]) -> dict[str, set[str]]:
    """The same graph of the uppermost modules."""
    whole: dict[str, set[str]] = {}
    for name, used in graph.items():
        top = name.split("::")[0]
        whole.setdefault(top, set()).update({other.split("::")[0] for other in used} - {top})
    return whole


def rust_graph(source: Path) -> dict[str, set[str]]:
    """Which files of a crate use which; the root, which names what the crate shows, left out."""
    graph = Crate(source).graph()
    graph.pop("lib", None)
    return {name: used - {"lib"} for name, used in graph.items()}


@pytest.mark.parametrize("crate", RUST)
def test_files_of_a_crate_use_each_other_in_no_circle(crate: str) -> None:
    found = circles(rust_graph(CRATES / crate / "src"))
    homes = {
        folder: [c for c in found if all(f"{m}::".startswith(f"{folder}::") for m in c)] for folder in MACHINES[crate]
    }
    assert [circle for circle in found if not any(circle in inside for inside in homes.values())] == []
    assert [folder for folder, inside in homes.items() if not inside] == [], "no circle left: take it off the list"


@pytest.mark.parametrize("crate", RUST)
def test_no_module_of_a_crate_uses_itself_over_others(crate: str) -> None:
    graph = folded(rust_graph(CRATES / crate / "src"))
    assert sum(map(len, graph.values())) >= len(graph)  # it does read what is used
    list(graphlib.TopologicalSorter(graph).static_order())  # raises CycleError, which names the circle


@pytest.mark.parametrize("crate", RUST)
def test_modules_of_a_crate_use_those_below_them(crate: str) -> None:
    order = RUST[crate]
    graph = folded(rust_graph(CRATES / crate / "src"))
    assert not graph.keys() - set(order), "say where the new module stands"
    above = {m: {u for u in used if order.index(u) >= order.index(m)} for m, used in graph.items()}
    assert {module: wrong for module, wrong in above.items() if wrong} == {}


def test_a_circle_is_found(tmp_path: Path) -> None:
    for name, text in {
        "lib.rs": "pub mod a; mod b; mod c;",
        "a/mod.rs": "mod x;\npub use x::Named;",
        "a/x.rs": "use super::super::b::Y;\npub struct Named;",
        "b.rs": "use crate::{c::{D, E as F}, std};\n// use crate::a::Named;",
        "c.rs": "fn f() -> crate::a::Named {}\n#[cfg(test)]\nmod tests {\n use crate::b;\n}",
        "d.rs": "use crate::a;\nfn f(it: a::Named) {}",
    }.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    graph = rust_graph(tmp_path)
    assert graph == {"a": set(), "a::x": {"b"}, "b": {"c"}, "c": {"a::x"}, "d": {"a::x"}}
    assert circles(graph) == [["a::x", "b", "c"]]
    assert folded(graph) == {"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"a"}}
