"""The commands of an emulation: where each runs, when, and what stands for the address of a node."""

from __future__ import annotations

import re
import shlex
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from pathlib import Path
from typing import Any

from multihop.errors import InputError, reason
from multihop.scenario.quantity import SECONDS, number

NODE = re.compile(r"\{node:([^{}]*)\}")
"""What stands for the address of a node."""
HERE = "{here}"
"""What stands for the name of the node that a command runs in."""
ALL = "all"
"""What stands for all nodes, unless one has this name."""
KEYS = {"at", "run", "start", "serve", "prepare"}
"""What an entry of a file of commands may say."""


class Part(Enum):
    """What a command does for an emulation."""

    PREPARE = "--prepare"
    """It ends before servers and others start, like a command that sets a route."""
    SERVE = "--serve"
    """It is a server: the emulation does not wait for its end."""
    RUN = ""
    """The emulation lasts until it ends."""


@dataclass(frozen=True, slots=True)
class Command:
    """A program and its arguments."""

    at: str
    """Name of the node that it runs in."""
    words: tuple[str, ...]
    """As they are given: `{node:3}` still stands for the address of node 3."""
    start_s: float = 0.0
    """When it starts [s], from the beginning of the emulation."""
    part: Part = Part.RUN

    @property
    def partners(self) -> list[str]:
        """Names of the nodes that its words name."""
        return [name for word in self.words for name in NODE.findall(word)]

    def placed(self, names: Sequence[str]) -> list[Command]:
        """The same at its node, or at each of these if it is for all, with their names where it says `{here}`."""
        nodes = names if self.at == ALL and ALL not in names else [self.at]
        return [replace(self, at=node, words=tuple(word.replace(HERE, node) for word in self.words)) for node in nodes]

    def addressed(self, addresses: Mapping[str, str]) -> Command:
        """The same with addresses in the place of names; raises InputError for a node that there is not."""
        for name in (self.at, *self.partners):
            if name not in addresses:
                raise InputError(f"`{self}`: there is no node `{name}` in the scenario")
        return replace(self, words=tuple(NODE.sub(lambda found: addresses[found[1]], word) for word in self.words))

    def __str__(self) -> str:
        return shlex.join(self.words)


def served(texts: Sequence[str]) -> list[Command]:
    """Servers as the command line names them, `NODE: COMMAND`; raises InputError."""
    return [_named(text, Part.SERVE, "7: iperf3 -s") for text in texts]


def prepared(texts: Sequence[str]) -> list[Command]:
    """Commands that end before others start, named likewise; raises InputError."""
    return [_named(text, Part.PREPARE, "0: ip route add 10.0.0.3 via 10.0.0.2 dev air0 onlink") for text in texts]


def _named(text: str, part: Part, example: str) -> Command:
    node, colon, words = text.partition(":")
    if not colon or not node.strip() or not words.strip():
        raise InputError(f'{part.value} {text}: expected a node and a command, like {part.value} "{example}"')
    return Command(node.strip(), _split(words, f"{part.value} {text}"), part=part)


def listed(file: Path) -> list[Command]:
    """The commands of a TOML file with a list `[[command]]`; raises InputError that names file and entry."""
    try:
        content = tomllib.loads(file.read_text(encoding="utf-8"))
    except OSError as e:
        raise InputError(f"{file} cannot be read: {reason(e)}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as e:
        raise InputError(f"{file}: {e}") from None
    entries = content.pop("command", None)
    if content or not isinstance(entries, list) or not entries:
        wrong = f"unknown key `{next(iter(content))}`; " if content else ""
        raise InputError(f'{file}: {wrong}expected entries [[command]] with at = "0" and run = "ping -c 3 {{node:1}}"')
    return [_entry(entry, f"{file}: command {number_}") for number_, entry in enumerate(entries, 1)]


def _entry(entry: Any, where: str) -> Command:
    if not isinstance(entry, dict):
        raise InputError(f"{where}: expected a table [[command]]")
    if unknown := sorted(entry.keys() - KEYS):
        raise InputError(f"{where}: unknown key `{unknown[0]}`; there are {', '.join(sorted(KEYS))}")
    at, run = entry.get("at"), entry.get("run")
    if isinstance(at, bool) or not isinstance(at, (str, int)):
        raise InputError(f'{where}: `at` must be the name of a node, like at = "0"')
    if not isinstance(run, str) or not run.strip():
        raise InputError(f'{where}: `run` must be a command, like run = "ping -c 3 {{node:1}}"')
    for key in ("serve", "prepare"):
        if not isinstance(entry.get(key, False), bool):
            raise InputError(f"{where}: `{key}` must be true or false, not {entry[key]!r}")
    serve, prepare, start = entry.get("serve"), entry.get("prepare"), entry.get("start", "0 s")
    if prepare and (serve or "start" in entry):
        raise InputError(f"{where}: `prepare` runs before all others: leave out {'`serve`' if serve else '`start`'}")
    part = Part.PREPARE if prepare else Part.SERVE if serve else Part.RUN
    return Command(str(at), _split(run, where), seconds(start, f"{where}: start"), part)


def seconds(text: object, where: str) -> float:
    """A span of time, like `60 s` or `60s` [s]; raises InputError."""
    spaced = re.sub(r"(?<=[0-9])(?=[a-z])", " ", str(text).strip())
    try:
        value = number(spaced, SECONDS)
    except ValueError:
        value = -1.0
    if isinstance(text, bool) or not 0 <= value < 1e9:
        raise InputError(f"{where}: expected a time like 60 s, not `{text}`")
    return value


def positive(text: object, where: str) -> float:
    """The same, but not zero nor shorter than a millisecond; raises InputError."""
    value = seconds(text, where)
    if value < 1e-3:
        raise InputError(f"{where}: expected a time of at least 1 ms, not `{text}`")
    return value


def _split(text: str, where: str) -> tuple[str, ...]:
    try:
        words = tuple(shlex.split(text))
    except ValueError as e:
        raise InputError(f"{where}: `{text}` is no command: {e}") from None
    return words
