"""What was meant by a command or an option that is not there: words of other tools, and what there is instead."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from multihop import _engine
from multihop.scenario import keys
from multihop.scenario.scenario import nearest

COMMANDS = {
    ("scan", "vary", "parameter-sweep", "campaign"): "`multihop sweep` does this",
    ("advice", "recommend", "suggest", "optimize", "optimise", "tune", "best"): "`multihop advise SCENARIO` does this",
    ("sql", "select", "duckdb"): "`multihop query SQL` does this",
    ("gui", "ui", "web", "dashboard", "serve", "window"): (
        "there is no window with buttons: `multihop report` writes a page for a browser, `multihop plot` a figure"
    ),
    ("simulate", "sim", "start", "exec", "execute"): "`multihop run SCENARIO` does this",
    ("show", "view", "results", "summary", "why", "trace"): (
        "`multihop explain` says where packets went, `multihop report` writes all results as a page"
    ),
    ("diff", "vs"): "`multihop compare SCENARIO -t none,A` does this",
    ("graph", "draw", "chart", "figure", "figures", "map"): "`multihop plot KIND` does this",
    ("init", "create", "template"): "`multihop new FILE.toml` writes a scenario to begin with",
    ("convert", "load", "read"): "`multihop import FILE OUT.toml` reads a network",
    ("validate", "lint", "verify", "test"): "`multihop check SCENARIO` does this",
    ("delete", "rm", "del", "clean", "clear", "purge"): "`multihop remove RECORD` does this",
    ("save", "copy", "archive", "dump"): "`multihop export RECORD --out DIR` does this",
    ("ls", "techniques", "scenarios", "studies", "profiles", "records", "words", "glossary"): (
        "`multihop list` does this, like `multihop list techniques`"
    ),
    ("replicate", "study", "paper", "experiment"): "`multihop reproduce STUDY` does this",
    ("man", "docs", "manual", "usage", "doc", "describe"): "`multihop info NAME` does this",
    ("citation", "bibtex", "reference", "references"): "`multihop cite` does this",
    ("upgrade", "update", "uninstall"): "pip does this: `pip install --upgrade multihop`, `pip uninstall multihop`",
    ("set", "config", "settings"): "each command has `--set KEY=VALUE`; `multihop info KEY` explains a key",
}
"""Commands of other tools, and what there is instead."""

OPTIONS = {
    ("--output", "--outfile", "--file", "--dest", "--dir", "--folder", "--save", "-o"): "--out",
    ("--repeat", "--reps", "--replications", "--repetitions", "--count", "--num-runs", "--iterations", "-r"): "--runs",
    ("--jobs", "--workers", "--parallel", "--cores", "--procs", "--processes", "-j", "-p"): "--threads",
    ("--param", "--config", "--override", "--define", "--option", "-D", "-c"): "--set",
    ("--with", "--fix", "--overlay", "--tech"): "--technique",
    ("--no-cache", "--force", "--rerun", "--no-store"): "--fresh",
    ("--capture", "--trace", "--wireshark"): "--pcap",
    ("--from", "--to", "--between", "--interval"): "--time",
    ("--fast", "--short"): "--quick",
    ("-V",): "--version",
}
"""Options of other tools, and their names here."""

FORMATS = ("--format", "--fmt", "--type", "--extension", "--svg", "--png", "--pdf")
"""Options of other tools that name the kind of a file."""


def command(word: str, known: Iterable[str]) -> str:
    """What to do instead of a command that is not there."""
    names = list(known)
    for words, instead in COMMANDS.items():
        if word.lower() in words:
            return instead
    if close := nearest(word, names):
        return close.strip(" ()")
    for kind, line in (
        ("scenarios", f"`{word}` is a scenario: `multihop run {word}`"),
        ("techniques", f"`{word}` is a technique: `multihop info {word}`, `multihop compare chain -t none,{word}`"),
        ("profiles", f"`{word}` is a profile: `multihop info {word}`"),
    ):
        if word in _engine.shipped(kind):  # type: ignore[arg-type]  # each is one of its words
            return line
    if word.endswith(".toml"):
        return f"`multihop run {word}` runs it"
    _, note = _engine.guess(word)
    return note or f"the commands are {', '.join(names)}"


def option(said: str, known: Sequence[str]) -> str:
    """What to write instead of an option that the command does not have."""
    name = said.partition("=")[0]
    for words, instead in OPTIONS.items():
        if name in words and instead in known:
            return f"`{instead}` does this"
    if name in FORMATS and "--out" in known:
        if "--json" in known:
            return "`--json` and `--csv` print the results for other programs"
        return "the ending of the file that `--out` names says its format, like `--out figure.pdf`"
    found, note = _engine.guess(name.lstrip("-"))
    if found and "--set" in known:
        return f"write it like {' or '.join(f'`--set {assigned(key)}`' for key in found[:2])}"
    return note or nearest(name, known).strip(" ()")


def assigned(key: str) -> str:
    """A setting to copy, with the value that the key has by default: `run.duration=100s`."""
    return f"{key}={keys.default_of(key) or '...'}"
