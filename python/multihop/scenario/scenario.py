"""Scenarios: find them by path or shipped name, lay techniques and settings over them."""

from __future__ import annotations

import difflib
import json
import operator
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, SupportsIndex, TypeAlias

from multihop import _engine
from multihop.errors import InputError, ScenarioError
from multihop.files.intake import text_of
from multihop.scenario.places import by_place, flows_named
from multihop.scenario.tomltext import SWEEP, without
from multihop.scenario.trees import tree

Techniques: TypeAlias = str | Sequence[str]
"""What to lay over a scenario: `"drr+sack"` or `["drr", "small-window:8", "mine.toml"]`."""
Settings: TypeAlias = Mapping[str, Any] | Iterable[str]
"""Single values to set: `{"tcp.max-window": 8}` or `["tcp.max-window=8"]`."""

MOST_RUNS = 10**12
"""Most runs that may be asked for: more than any disk holds, few enough to count with."""
BASELINE = "none"
"""The technique that sets nothing."""


@dataclass(frozen=True, slots=True)
class Scenario:
    """A scenario file, read but not yet resolved."""

    name: str
    """As the user named it: `chain`, `dir/mine.toml`."""
    text: str
    """The file's text."""
    file: str
    """How error messages name the file."""

    def resolve(self, techniques: Techniques = (), set: Settings = (), seed: int | None = None) -> _engine.Resolved:
        """Settles every value; raises ScenarioError if the layers do not make a scenario."""
        said = assignments(set)
        if seed is not None:
            said.append(f"run.seed={seed}")
        settings = [by_place(setting, self.text) for setting in said]
        overlays = [(spec, overlay(spec)) for spec in specs(techniques)]
        try:
            return _engine.resolve(self.text, self.file, overlays, settings)
        except _engine.ScenarioError as e:
            if e.file == self.file and (named := self._upset(overlays, settings, said)):
                raise _contradicted(e, self, named) from None
            raise _of_engine(e, self.text, dict(zip(settings, said, strict=True))) from None

    def _upset(self, overlays: list[tuple[str, str | None]], settings: Sequence[str], said: Sequence[str]) -> list[str]:
        """The settings but for which the file would be right, as they were said; none if it would not."""

        def right(kept: list[str]) -> bool:
            try:
                _engine.resolve(self.text, self.file, overlays, kept)
            except _engine.ScenarioError:
                return False
            return True

        if not settings or not right([]):
            return []
        alone = [text for i, text in enumerate(said) if right([*settings[:i], *settings[i + 1 :]])]
        return alone or [*said]


def check_ready(resolved: _engine.Resolved) -> None:
    """Raises ScenarioError if a run would show nothing, or take more memory than is allowed."""
    try:
        resolved.ready()
    except _engine.ScenarioError as e:
        raise _of_engine(e) from None


def _of_engine(e: _engine.ScenarioError, text: str = "", said: Mapping[str, str] | None = None) -> ScenarioError:
    """The engine's error, with flows and settings as they are said rather than as they were handed over."""
    message, file, key = flows_named(str(e), text), e.file, e.key and flows_named(e.key, text)
    for setting, as_said in (said or {}).items():
        if setting != as_said and file == f"--set {setting}":
            message = str(e).replace(setting, as_said).replace(_path(setting), _path(as_said))
            file, key = f"--set {as_said}", e.key and e.key.replace(_path(setting), _path(as_said))
    return ScenarioError(message, file=file, line=e.line, column=e.column, key=key)


def _contradicted(e: _engine.ScenarioError, scenario: Scenario, settings: Sequence[str]) -> ScenarioError:
    """The error of a file that is right without these settings: the mistake is not in a shipped one."""
    place = f"{e.file}:{e.line}:{e.column}: "
    own = Path(scenario.file).is_file() and scenario.name not in _engine.shipped("scenarios")
    where = place.removesuffix(": ") if own else scenario.name
    asked = " ".join(f"--set {setting}" for setting in settings)
    message = f"{asked} does not go with {where}: {flows_named(str(e).removeprefix(place), scenario.text)}"
    key = e.key and flows_named(e.key, scenario.text)
    return ScenarioError(message, file=f"--set {settings[0]}", line=e.line, column=e.column, key=key)


def _path(setting: str) -> str:
    return setting.partition("=")[0]


def load(source: str | Path) -> Scenario:
    """Reads a scenario: a path to a TOML file, or the name of one that is shipped (`multihop list scenarios`)."""
    name = str(source)
    path = Path(source)
    looks_like_path = path.suffix == ".toml" or len(path.parts) > 1 or "/" in name
    if looks_like_path or (path.is_file() and name not in _engine.shipped("scenarios")):
        return Scenario(name, without(text_of(path, "scenario"), SWEEP, name), name)
    shipped = _engine.shipped("scenarios")
    if name not in shipped and name in _engine.shipped("sweeps"):
        raise InputError(f"`{name}` is a sweep, not a scenario: `multihop sweep {name}` runs it")
    if name not in shipped:
        raise InputError(
            f"there is no scenario `{name}`: neither a file nor a shipped name{nearest(name, shipped)}; "
            "`multihop list scenarios` shows the names, `multihop new my.toml` writes a starter"
        )
    return Scenario(name, shipped[name], f"{name}.toml")


def is_scenario(name: str) -> bool:
    """Whether this names a scenario rather than a record: a shipped one, or a TOML file."""
    return name in _engine.shipped("scenarios") or name.endswith(".toml")


def specs(techniques: Techniques) -> list[str]:
    """Splits `"A+B"` into its techniques; a list is taken item by item. `none` alone means no technique."""
    items = [techniques] if isinstance(techniques, str) else _texts(techniques, "techniques")
    parts: list[str] = []
    for item in items:
        # a file may have a plus in its name
        pieces = [item] if Path(_split(item)[0]).is_file() else item.split("+")
        parts += [piece.strip() for piece in pieces]
    if any(not part for part in parts):
        raise InputError(f"an empty technique in `{'+'.join(items)}`; write `none` for the bare scenario")
    return [part for part in parts if part != BASELINE]


def alternatives(texts: str | Iterable[str]) -> list[list[str]]:
    """The lists of techniques that `-t A,B -t C+D` names: commas and repetition list alternatives, `+` composes.

    A comma between parameters (`name:a=1,b=2`) does not split.
    """
    items: list[str] = []
    for text in [texts] if isinstance(texts, str) else texts:
        whole: list[str] = []
        for piece in text.split(","):
            if "=" in piece and ":" not in piece and whole and ":" in whole[-1]:
                whole[-1] += f",{piece}"
            else:
                whole.append(piece.strip().strip("\"'"))
        items += whole
    return [specs(item) for item in items]


def only(arms: Sequence[Sequence[str]]) -> list[str]:
    """The one list of techniques that a run takes; raises InputError if there are several."""
    if len(arms) > 1:
        names = [label(arm) for arm in arms]
        joined = "+".join(name for name in names if name != BASELINE)
        join = f"To combine them, write `-t {joined}`. " if "+" in joined else ""
        raise InputError(
            f"`run` takes one technique, and these are {len(arms)}: {', '.join(names)}. {join}"
            f"To compare them: `multihop compare SCENARIO -t {','.join(names)}`"
        )
    return list(arms[0]) if arms else []


def check_arms(arms: Sequence[Sequence[str]]) -> None:
    """Raises InputError if there is nothing to compare: less than two lists of techniques, or one of them twice."""
    names = [label(arm) for arm in arms]
    if len(names) < 2:
        one = f", and `{names[0]}` is one" if names else ""
        raise InputError(
            f"a comparison needs at least two techniques{one}: give the baseline first, like "
            f"`-t {BASELINE},{names[0] if names and names[0] != BASELINE else 'drr'}`"
        )
    twice = [name for i, name in enumerate(names) if name in names[:i]]
    if twice:
        raise InputError(f"`{twice[0]}` stands twice in the comparison: every list of techniques once, please")


def label(techniques: Sequence[str]) -> str:
    """The name of a list of techniques in tables: `drr+sack`, or `none`."""
    return "+".join(techniques) or BASELINE


def overlay(spec: str) -> str | None:
    """The text of a user's own overlay if `spec` (`path[:parameters]`) names a file, None if it names a shipped one."""
    name = _split(spec)[0]
    if name.endswith(".toml") or "/" in name:
        return text_of(Path(name), "technique")
    shipped = _engine.shipped("techniques")
    if name not in shipped:
        raise InputError(
            f"there is no technique `{name}`{_instead(spec) or nearest(name, shipped)}; "
            "`multihop list techniques` shows the names, a path to a .toml file is your own"
        )
    return None


def _instead(spec: str) -> str:
    """What to write in place of a technique that is not there: the keys that it may mean, or what is not modelled."""
    name, value = _split(spec)
    keys, note = _engine.guess(name)
    if keys:
        given = value or "..."
        return f"; set the key: {' or '.join(f'`--set {key}={given}`' for key in keys[:2])}"
    return f": {note}" if note else ""


def assignments(settings: Settings) -> list[str]:
    """Writes settings as `path=value` with the value in TOML; strings are taken as they are."""
    if not isinstance(settings, Mapping):
        return [settings] if isinstance(settings, str) else _texts(settings, "set")
    return [f"{path}={_toml(value)}" for path, value in settings.items()]


def written(sections: Mapping[str, Any]) -> str:
    """A tree as a TOML document, a line for each section; raises InputError for what TOML cannot say."""
    try:
        return "".join(f"{_key(section)} = {_inline(value, str(section))}\n" for section, value in sections.items())
    except RecursionError:
        raise InputError("dicts and lists of a scenario cannot be nested so deep, nor hold themselves") from None


def tree_of(scenario: Scenario) -> dict[str, Any]:
    """The file's text as a tree; raises InputError if it is not TOML."""
    try:
        return tree(scenario.text, scenario.file)
    except _engine.ScenarioError as e:
        raise InputError(str(e)) from None
    except tomllib.TOMLDecodeError as e:
        raise InputError(f"{scenario.file}: not valid TOML: {e}") from None


def _inline(value: object, where: str) -> str:
    if isinstance(value, Mapping):
        pairs = [f"{_key(key)} = {_inline(item, f'{where}.{key}')}" for key, item in value.items()]
        return "{ " + ", ".join(pairs) + " }" if pairs else "{}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(_inline(item, f"{where}.{i}") for i, item in enumerate(value)) + "]"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, bool | int | float):
        return _toml(value)
    raise InputError(f"`{where}` is a {type(value).__name__}; a scenario holds texts, numbers, flags, lists and dicts")


def _key(key: object) -> str:
    return json.dumps(str(key), ensure_ascii=False)


def run_numbers(runs: int) -> range:
    """Run numbers 1..runs; raises InputError for what is no number of runs."""
    return range(1, counted("runs", runs, MOST_RUNS) + 1)


def counted(what: str, given: object, most: int) -> int:
    """A number of runs or threads, from 1 to `most`; raises InputError for anything else."""
    if isinstance(given, bool) or not isinstance(given, SupportsIndex):  # NumPy's whole numbers are such as well
        raise InputError(f"`{what}` must be a whole number, not {type(given).__name__}: {given!r}")
    number = operator.index(given)
    if number < 1:
        raise InputError(f"the number of {what} must be at least 1, not {number}")
    if number > most:
        raise InputError(f"the number of {what} must be at most {most}")
    return number


def nearest(name: str, names: Iterable[str]) -> str:
    """` (did you mean ...?)` if a name is close enough to one that exists, else nothing."""
    close = difflib.get_close_matches(name, list(names), n=1, cutoff=0.6)
    return f" (did you mean `{close[0]}`?)" if close else ""


def _texts(items: object, argument: str) -> list[str]:
    """The items of a list of texts; raises InputError that names the argument."""
    found: list[Any] = list(items) if isinstance(items, Iterable) else [None]
    if not all(isinstance(item, str) for item in found):
        what = {"techniques": '"drr+sack" or ["drr", "sack"]', "set": '{"tcp.max-window": 8} or ["tcp.max-window=8"]'}
        raise InputError(f"`{argument}` must be like {what[argument]}, not {items!r}")
    return found


def _split(spec: str) -> tuple[str, str]:
    name, _, parameters = spec.partition(":")
    return name, parameters


def _toml(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(_toml(v) if not isinstance(v, str) else f'"{v}"' for v in value) + "]"
    return str(value)
