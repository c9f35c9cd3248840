"""Which file of a Rust crate uses which: `use` and paths in the code, followed through what `mod.rs` passes on."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

Names = tuple[str, ...]
"""A path of modules, and perhaps an item: `("crate", "tcp", "loss", "Sack")` is written without `crate`."""

_TEST_MODULE = re.compile(r"#\[cfg\(test\)\]\s*mod \w+\s*\{")
_COMMENT = re.compile(r"//[^\n]*")
_USE = re.compile(r"^[ \t]*(pub(?:\([^)]*\))? )?use ([^;]+);", re.MULTILINE)
_PATH = re.compile(r"(?<![\w:.])([A-Za-z_]\w*(?:::[A-Za-z_]\w*)+)")


@dataclass(slots=True)
class Source:
    """One file: its module, and what its lines bring into scope."""

    module: Names
    code: str
    uses: list[tuple[bool, Names, str]] = field(default_factory=list)
    """Whether others see it, its full path, and its name here; `*` for all names of a module."""


def split(tree: str) -> Iterator[tuple[str, str]]:
    """Each path of a `use` tree with the name that it has here: `a::{b, c as d}` is `a::b`, `b` and `a::c`, `d`."""
    tree = tree.strip()
    head, brace, rest = tree.partition("{")
    if not brace:
        path, _, alias = tree.partition(" as ")
        path = path.removesuffix("::self")
        yield path.strip(), alias.strip() or path.rsplit("::", 1)[-1].strip()
        return
    depth, start, inside = 0, 0, rest.rsplit("}", 1)[0]
    for place, letter in enumerate(inside + ","):
        depth += (letter == "{") - (letter == "}")
        if letter == "," and not depth:
            if part := inside[start:place].strip():
                yield from split(head + part)
            start = place + 1


class Crate:
    """The files of a crate, tests and what is only for them left out."""

    def __init__(self, source: Path) -> None:
        self.files: dict[Names, Source] = {}
        for file in sorted(source.rglob("*.rs")):
            names = file.relative_to(source).with_suffix("").parts
            if names[0] == "testing" or "tests" in names:
                continue
            module = () if names == ("lib",) else names[:-1] if names[-1] == "mod" else names
            text = _COMMENT.sub("", file.read_text(encoding="utf-8"))
            self.files[module] = Source(module, _TEST_MODULE.split(text)[0])
        for one in self.files.values():
            for public, tree in _USE.findall(one.code):
                for path, name in split(" ".join(tree.split())):
                    if (full := self.full(one.module, path)) is not None:
                        one.uses.append((bool(public), full, name))

    def full(self, module: Names, path: str) -> Names | None:
        """The path from the crate's root; none for what is not of this crate."""
        names = tuple(path.split("::"))
        if names[0] == "crate":
            return names[1:]
        if names[0] not in ("super", "self"):
            return (*module, *names) if (*module, names[0]) in self.files else None
        place = module
        while names and names[0] in ("super", "self"):
            place = place[:-1] if names[0] == "super" else place
            names = names[1:]
        return place + names

    def defining(self, path: Names, seen: frozenset[Names] = frozenset()) -> Names | None:
        """The module whose file has the item of a path, behind all that is passed on; none for a module itself."""
        if path in seen or path in self.files:
            return None
        depth = max(n for n in range(len(path) + 1) if path[:n] in self.files)
        module, item = path[:depth], path[depth]
        for public, full, name in self.files[module].uses:
            if public and name == item:
                return self.defining(full + path[depth + 1 :], seen | {path})
        return module

    def used(self, module: Names) -> set[Names]:
        """The modules whose files one uses. What it only passes on is no use of its own."""
        one = self.files[module]
        known = {name: full for _, full, name in one.uses if name != "*"}
        found = {full if name != "*" else full[:-1] for public, full, name in one.uses if not public}
        globs = {full[:-1] for public, full, name in one.uses if name == "*" and not public}
        for path in _PATH.findall(_USE.sub("", one.code)):
            first, *rest = path.split("::")
            if first in known:
                found.add(known[first] + tuple(rest))
            elif (full := self.full(module, path)) is not None:
                found.add(full)
        targets = {self.defining(path) for path in found} | {path for path in globs if path in self.files}
        return {target for target in targets if target is not None} - {module}

    def graph(self) -> dict[str, set[str]]:
        """Each file with those that it uses, by the names of their modules."""
        return {"::".join(m) or "lib": {"::".join(t) or "lib" for t in self.used(m)} for m in self.files}


def circles(graph: dict[str, set[str]]) -> list[list[str]]:
    """The groups of files each of which reaches all others of its group (Tarjan 1972), in alphabetical order."""
    order: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    found: list[list[str]] = []

    def visit(name: str) -> None:
        order[name] = low[name] = len(order)
        stack.append(name)
        for other in sorted(graph.get(name, ())):
            if other not in order:
                visit(other)
                low[name] = min(low[name], low[other])
            elif other in stack:
                low[name] = min(low[name], order[other])
        if low[name] == order[name]:
            place = stack.index(name)
            group = sorted(stack[place:])
            del stack[place:]
            if len(group) > 1:
                found.append(group)

    for name in sorted(graph):
        if name not in order:
            visit(name)
    return sorted(found)
