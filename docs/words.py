"""Holds pages and printed texts to plain words: short sentences, and none of the words below.

    python docs/words.py             name the faults of all files
    python docs/words.py FILE...     name the faults of these files

It looks at pages that are written by hand, the page of the command line, and texts of the package. In comments and in
the other pages of the reference it looks for the words only. A colon ends a sentence. Lines of comments in Rust, tables
excepted, have 120 columns at most: `rustfmt` does not wrap them.
"""

from __future__ import annotations

import ast
import io
import re
import sys
import tokenize
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LONGEST = 25
"""Words of a sentence at most."""
WIDEST = 120
"""Columns of a line of a comment in Rust at most."""
AVOIDED = {
    r"\bwho(?:ever)?\b|\bwhom(?:ever)?\b": "name the node, the flow or the person",
    r"\bnobody\b": "no node, no station",
    r"\bwhence\b|\bwhither\b": "from where, to where",
    r"\bof which\b": "begin a sentence of its own",
    r"\b(?:is|are|was|were|be|been) told of\b": "hears of, knows, is named",
}
"""What is not written, and what to write instead."""
PEOPLE = re.compile(r"\b(?:people|person|users?|readers?|authors?|those|anyone|someone) who\b", re.IGNORECASE)
RUST_COMMENT = re.compile(r"(?:^|(?<=\s))//[/!]? ?(.*)", re.MULTILINE)
GENERATED = "<!-- Written by docs/"
ITEM = re.compile(r"(?:[*-]|\d+\.)\s+")
END = re.compile(r"(?<=[.!?:])[)\"*_]*\s+")


def sentences(text: str) -> Iterator[str]:
    """The sentences of a page without its markup: paragraphs and list items, no headings, tables or code."""
    paragraph: list[str] = []
    for line in [*text.split("\n"), ""]:
        stripped = line.strip()
        item = ITEM.match(stripped)
        apart = not stripped or stripped[0] in "|#!<" or item
        if apart and paragraph:
            yield from END.split(_plain(" ".join(paragraph)))
            paragraph = []
        if item:
            paragraph.append(stripped[item.end() :])
        elif not apart:
            paragraph.append(stripped)


def _plain(text: str) -> str:
    """A quotation of code is one word, a link is its text."""
    return re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", re.sub(r"`+[^`]*`+", "code", text))


def prose(page: str) -> str:
    """A page without comments, programs and what programs print."""
    page = re.sub(r"<!--.*?-->", "", page, flags=re.DOTALL)
    return re.sub(r"^[ ]*```.*?^[ ]*```[ ]*$", "", page, flags=re.DOTALL | re.MULTILINE)


def texts(program: str) -> Iterator[str]:
    """The texts of a program, a value in a text as one word; no comments and no descriptions of the program itself."""
    tree = ast.parse(program)
    told = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    inner = {id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in node.values}
    for node in ast.walk(tree):
        if id(node) in told or id(node) in inner:
            continue
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value
        elif isinstance(node, ast.JoinedStr):
            yield "".join(str(part.value) if isinstance(part, ast.Constant) else "value" for part in node.values)


def comments(program: str) -> str:
    """The comments of a program in Rust, in one text."""
    return " ".join(match[1] for match in RUST_COMMENT.finditer(program))


def wide_lines(program: str) -> list[str]:
    """Lines of comments of a program in Rust that are too long; a row of a table is one line in any case."""
    lines = ((number, line.strip()) for number, line in enumerate(program.split("\n"), 1) if len(line) > WIDEST)
    wide = ((number, line) for number, line in lines if line.startswith("//") and line.lstrip("/! ")[:1] != "|")
    return [f"line {number}: more than {WIDEST} columns: {line}" for number, line in wide]


def notes(program: str) -> str:
    """Descriptions and comments of a program in Python, in one text."""
    tree = ast.parse(program)
    told = [node.value for node in ast.walk(tree) if isinstance(node, ast.Expr)]
    lines = tokenize.generate_tokens(io.StringIO(program).readline)
    said = [str(it.value) for it in told if isinstance(it, ast.Constant) and isinstance(it.value, str)]
    return " ".join([*said, *(it.string for it in lines if it.type == tokenize.COMMENT)])


def parts(file: Path) -> tuple[list[str], list[str]]:
    """Texts of a file whose sentences are to be short, and all texts that are to be in plain words."""
    text = file.read_text(encoding="utf-8")
    if file.suffix == ".rs":
        return [], [comments(text)]
    if file.suffix == ".py":
        shown = [block for block in texts(text) if " " in block.strip()]
        return shown, [*shown, notes(text)]
    page = prose(text)
    plain = [re.sub(r"`[^`\n]*`", "code", page)]
    if file.parent.name == "reference" and file.name != "cli.md":
        return [], plain
    return ([], []) if text.startswith(GENERATED) and file.name != "cli.md" else ([page], plain)


def faults(file: Path) -> list[str]:
    """What is wrong in a file, a line each."""
    short, plain = parts(file)
    found = wide_lines(file.read_text(encoding="utf-8")) if file.suffix == ".rs" else []
    for sentence in (sentence for block in short for sentence in sentences(block)):
        if (n := len(re.findall(r"[^\s]*\w[^\s]*", sentence))) > LONGEST:
            found.append(f"{n} words: {sentence}")
    for block in plain:
        for pattern, instead in AVOIDED.items():
            for match in re.finditer(pattern, PEOPLE.sub("", block), re.IGNORECASE):
                found.append(f"`{match[0]}`: {instead}")
    return found


def files() -> list[Path]:
    """All files that are looked at."""
    docs, package = ROOT / "docs", ROOT / "python" / "multihop"
    pages = [*docs.glob("*.md"), *(p for where in ("guide", "results", "models") for p in (docs / where).glob("*.md"))]
    engine = [file for crate in (ROOT / "crates").iterdir() for file in crate.rglob("*.rs")]
    return sorted([ROOT / "README.md", *(docs / "reference").glob("*.md"), *pages, *package.rglob("*.py"), *engine])


def main(arguments: list[str]) -> int:
    """Returns 1 if a file has a fault."""
    wrong = 0
    for file in [Path(name).resolve() for name in arguments] or files():
        if found := faults(file):
            wrong += 1
            sys.stdout.write("\n  ".join([f"{file.relative_to(ROOT)}: {len(found)} faults", *found]) + "\n")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
