"""Runs what the documentation shows, and holds it against what is printed.

    python docs/console.py             run everything, rewrite what prints something else now
    python docs/console.py README      only pages whose path has this in it
    python docs/console.py --check     only say what is out of date, and leave with 1 if anything is

Of README.md and the pages under docs, all ```console blocks are run, page by page in an empty folder: lines that begin
with `$ ` are commands, the lines below them what they print. A block that ends in a line `...` shows the beginning.
`<!-- file: NAME -->` before another block puts that block into the folder as a file first, and `<!-- copy: PATH -->` a
file of this repository. Of examples/*.py, the output stands in the .out file beside each.

What differs from machine to machine or from build to build (ids of records, wall-clock times, folders) is not compared.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
COLUMNS = 124
"""Width of the terminal that the documentation shows."""
PYTHON = Path(sys.executable).absolute()
COMMAND = f"""#!{PYTHON}
import multihop.terminal.console as console
from multihop.cli import main
console.PIPE_WIDTH = {COLUMNS}
main()
"""
"""`multihop` as it prints to a terminal of that width."""
HOME = "/home/me/mesh"
"""Shown in place of the folder in which the commands ran."""
PROGRESS = re.compile(r"\d+ of [\d,]+ runs?(, \d+ from the store)?; .*( % simulated after \d+ s| left)")
"""What a batch that takes long writes now and then: a page made on a slow machine says the same as others."""
TIME_LIMIT_S = 600.0
FILE = re.compile(r"<!-- file: (?P<name>\S+) -->")
COPY = re.compile(r"<!-- copy: (?P<path>\S+) -->")
LOOSE = (
    (re.compile(r"\b[0-9a-f]{12}\b"), "<record>"),
    (re.compile(r"\b[0-9a-f]{32}\b"), "<run>"),
    (re.compile(r"\b[0-9a-f]{64}\b"), "<build>"),
    (re.compile(r"; \d+ s\. "), "; <wall> s. "),
    (re.compile(r"takes about .* finished runs?\)"), "takes <cost>"),
    (re.compile(r"[ \t]+$", re.MULTILINE), ""),
)
"""What may differ."""


class BrokenError(Exception):
    """A command that the documentation shows did not work."""


@dataclass
class Block:
    """A console block: its lines, and where they stand in the page."""

    first: int
    """Index of the first line inside the fence."""
    lines: list[str] = field(default_factory=list)

    def steps(self) -> Iterator[tuple[str, list[str]]]:
        """Each command and the lines below it."""
        command, output = "", list[str]()
        for line in [*self.lines, "$ "]:
            if line.startswith("$ "):
                if command:
                    yield command, output
                command, output = line[2:], []
            else:
                output.append(line)


def pages() -> list[Path]:
    """All pages that have console blocks."""
    found = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    return [page for page in found if "```console" in page.read_text(encoding="utf-8")]


def examples() -> list[Path]:
    """All example programs."""
    return sorted((ROOT / "examples").glob("*.py"))


def rerun_page(page: Path) -> str:
    """The page with what its commands print now; raises BrokenError if one of them fails."""
    with tempfile.TemporaryDirectory() as folder:
        return rerun_in(Path(folder), page)


def rerun_in(folder: Path, page: Path) -> str:
    """The same in a given folder, in which the commands leave what they write."""
    lines = page.read_text(encoding="utf-8").split("\n")
    replaced = []
    for block in blocks(lines, folder):
        fresh = []
        for command, shown in block.steps():
            expected = bool(shown) and shown[0].startswith("multihop:")
            fresh += [f"$ {command}", *_settle(shown, _run(command, folder, fails=expected))]
        replaced.append((block, fresh))
    for block, fresh in reversed(replaced):
        lines[block.first : block.first + len(block.lines)] = fresh
    return "\n".join(lines)


def rerun_example(example: Path) -> str:
    """What an example prints now; raises BrokenError if it fails."""
    with tempfile.TemporaryDirectory() as folder:
        fresh = _run(f"{PYTHON} {example}", Path(folder))
    expected = example.with_suffix(".out")
    shown = expected.read_text(encoding="utf-8").split("\n") if expected.is_file() else []
    return "\n".join(_settle(shown, fresh))


def same(shown: str, fresh: str) -> bool:
    """Whether two outputs are the same in all that should not differ."""
    return loose(shown) == loose(fresh)


def loose(text: str) -> str:
    """A text without what may differ."""
    for pattern, word in LOOSE:
        text = pattern.sub(word, text)
    return text


def blocks(lines: list[str], folder: Path) -> Iterator[Block]:
    """The console blocks of a page; files that the page gives are written as they come."""
    block: Block | None = None
    file: Path | None = None
    content: list[str] | None = None
    for number, line in enumerate(lines):
        if line.strip() == "```" and (block or content is not None):
            if block:
                yield block
            elif file and content is not None:
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text("\n".join(content) + "\n", encoding="utf-8")
            block, file, content = None, None, None
        elif block:
            block.lines.append(line)
        elif content is not None:
            content.append(line)
        elif named := FILE.fullmatch(line.strip()):
            file = folder / named["name"]
        elif copied := COPY.fullmatch(line.strip()):
            shutil.copy(ROOT / copied["path"], folder)
        elif line.strip() == "```console":
            block = Block(number + 1)
        elif line.startswith("```"):
            content = []


def _run(command: str, folder: Path, *, fails: bool = False) -> list[str]:
    """The lines that a command prints; with `fails` it must be an error in bad input, shown on purpose."""
    environment = {k: v for k, v in os.environ.items() if k not in ("MULTIHOP_HOME", "FORCE_COLOR")}
    environment |= {"COLUMNS": str(COLUMNS), "NO_COLOR": "1", "TERM": "dumb", "LC_ALL": "C.UTF-8", "MPLBACKEND": "agg"}
    with tempfile.TemporaryDirectory() as commands:
        program = Path(commands) / "multihop"
        program.write_text(COMMAND, encoding="utf-8")
        program.chmod(0o755)
        environment["PATH"] = os.pathsep.join([commands, str(PYTHON.parent), environment.get("PATH", "")])
        done = _shell(command, folder, environment)
    if done.returncode != (2 if fails else 0):
        raise BrokenError(f"`{command}` left with {done.returncode}:\n{done.stdout}")
    text = done.stdout.replace(str(folder.resolve()), HOME).strip("\n")
    return [line.rstrip() for line in text.split("\n") if not PROGRESS.fullmatch(line)] if text else []


def _shell(command: str, folder: Path, environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(  # noqa: S602 - the commands stand in our own pages, and some have pipes
        command,
        shell=True,
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        timeout=TIME_LIMIT_S,
    )


def _settle(shown: list[str], fresh: list[str]) -> list[str]:
    """What to show: the old lines if they say the same, else the new ones, cut where the old ones were."""
    blank = 0
    while blank < len(shown) and not shown[-1 - blank]:
        blank += 1
    shown = shown[: len(shown) - blank]
    cut = len(shown) - 1 if shown and shown[-1] == "..." else None
    if cut is not None and cut < len(fresh):
        fresh = [*fresh[:cut], "..."]
    return [*(shown if same("\n".join(shown), "\n".join(fresh)) else fresh), *[""] * blank]


def main() -> int:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pages", nargs="*", metavar="NAME", help="only pages whose path has this in it")
    parser.add_argument("--check", action="store_true", help="rewrite nothing; leave with 1 if a page is out of date")
    options = parser.parse_args()
    targets: list[tuple[Path, Path, Callable[[Path], str]]] = [(page, page, rerun_page) for page in pages()]
    targets += [(example, example.with_suffix(".out"), rerun_example) for example in examples()]
    chosen = [each for each in targets if not options.pages or any(name in str(each[1]) for name in options.pages)]
    if not chosen:
        parser.error(f"no page has {' or '.join(options.pages)} in its path")
    stale = sum(refresh(*each, check=options.check) for each in chosen)
    return int(options.check and stale > 0)


def refresh(source: Path, target: Path, rerun: Callable[[Path], str], *, check: bool) -> bool:
    """Runs one page or example, and rewrites or only names what is out of date; whether it was."""
    shown = target.read_text(encoding="utf-8") if target.is_file() else ""
    fresh = rerun(source)
    fresh += "" if source == target or fresh.endswith("\n") else "\n"
    if shown == fresh:
        return False
    if not check:
        target.write_text(fresh, encoding="utf-8")
    sys.stdout.write(f"{target.relative_to(ROOT)}: {'out of date' if check else 'rewritten'}\n")
    sys.stdout.flush()
    return True


if __name__ == "__main__":
    sys.exit(main())
