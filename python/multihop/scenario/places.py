"""Flows and nodes in settings, by the names that people see.

The engine's paths count the entries of a list from 0. What is printed counts flows from 1 and calls them by their
names; `--set flow.web.to=…`, `--set flow.1.to=…` and `--set topology.node.roof.x=…` say the same entries so.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from multihop.errors import InputError
from multihop.scenario import keys
from multihop.scenario.trees import INVALID, tree
from multihop.text import whole

LISTS = {"flow": 1, "topology.node": 0}
"""Lists whose entries have names, and from which number those without one are counted."""
NAMES = {"flow": "flow", "topology.node": "node"}
"""What an entry of each is called."""


def by_place(setting: str, text: str) -> str:
    """The setting `path=value` as the engine reads it; raises InputError for a flow or node that is not there."""
    path, equals, value = setting.partition("=")
    for where, first in LISTS.items():
        if path.strip().startswith(f"{where}."):
            names = _names(text, where, first)
            return f"{where}.{_placed(path.strip().removeprefix(f'{where}.'), names, where)}{equals}{value}"
    return setting


def flow_called(said: str, ids: Sequence[str]) -> str | None:
    """The id of the flow that is meant by its name, or by its number from 1; None if there is none."""
    if said in ids:
        return said
    number = whole(said) or 0
    return ids[number - 1] if 0 < number <= len(ids) else None


def all_of(ids: Iterable[str]) -> str:
    """What all flows together are called, if these are the flows: `all`, if none of them has that name."""
    return "all flows" if "all" in ids else "all"


def by_name(path: str, flows: Sequence[str]) -> str:
    """The path of a value as it is shown: `flow.0.to` is `flow.1.to`, or `flow.web.to`."""
    match = re.fullmatch(r"flow\.(\d+)(\..*)?", path)
    if match is None or int(match[1]) >= len(flows):
        return path
    return f"flow.{flows[int(match[1])]}{match[2] or ''}"


def flows_named(message: str, text: str) -> str:
    """What the engine says of a scenario, with the names and numbers that `--set` takes for its flows."""
    many = any(isinstance(flow, dict) and "list" in flow for flow in _entries(text, "flow"))
    names = [] if many else _names(text, "flow", LISTS["flow"])

    def named(match: re.Match[str]) -> str:
        place = int(match[1])
        return f"flow.{names[place] if place < len(names) else place + LISTS['flow']}"

    return re.sub(r"(?:(?<=`)|^)flow\.(\d+)(?=[.`]|$)", named, message)


def warnings(info: Mapping[str, Any]) -> list[str]:
    """What a resolved scenario warns of, with the names of flows that `--set` takes."""
    flows = [str(flow["id"]) for flow in info["flows"]]

    def named(match: re.Match[str]) -> str:
        return by_name(match[0], flows)

    return [re.sub(r"(?<![\w.])flow\.\d+(?=[.`])", named, said) for said in info["warnings"]]


def _placed(rest: str, names: Sequence[str], where: str) -> str:
    for place, name in sorted(enumerate(names), key=lambda entry: -len(entry[1])):
        if rest == name or rest.startswith(f"{name}."):
            return f"{place}{rest.removeprefix(name)}"
    said, dot, after = rest.partition(".")
    number = whole(said)
    place = -1 if number is None else number - LISTS[where]
    if 0 <= place < len(names):
        return f"{place}{dot}{after}"
    if not names:
        return rest  # the engine says what there is instead of a list
    what = NAMES[where]
    if not after and keys.at(f"{where}.{said}.{said}"):  # a key of an entry, and no entry is named
        raise InputError(f"--set {where}.{rest}: write which {what}: `{where}.{names[0]}.{said}`")
    raise InputError(f"--set {where}.{rest}: there is no {what} `{said}`; there are: {', '.join(names)}")


def _names(text: str, where: str, first: int) -> list[str]:
    """The names of a list's entries in a scenario; those that have none are called by their number."""
    return [
        str(entry["name"]) if isinstance(entry, dict) and "name" in entry else str(first + index)
        for index, entry in enumerate(_entries(text, where))
    ]


def _entries(text: str, where: str) -> Iterable[object]:
    try:
        found: object = tree(text)
    except INVALID:
        return ()  # resolving the scenario says so
    for key in where.split("."):
        found = found.get(key) if isinstance(found, dict) else None
    return found if isinstance(found, list) else ()
