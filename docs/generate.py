"""Writes the generated pages of docs/reference: nothing is stated there that the engine does not say itself.

    python docs/generate.py            write the pages
    python docs/generate.py --check    say which are out of date, and leave with 1 if any is

Scenario keys come from the engine's JSON Schema, values from the scenarios that it resolves, the commands from the
command line itself, techniques and scenarios from the shipped files. A test holds the pages against this program.
"""

from __future__ import annotations

import json
import re
import sys
import tomllib
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from multihop import _engine
from multihop.measures import figures
from multihop.out.causes import page as causes_page
from multihop.out.glossary import page as glossary_page
from multihop.out.reference import page as json_page
from multihop.scenario.editor import scenario_schema
from multihop.study.metrics import metrics

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
from command_page import line as _line  # noqa: E402 - beside this file, wherever it is run from
from command_page import page as cli_page  # noqa: E402
from first_look import page as notebook_page  # noqa: E402
from maps import map_of  # noqa: E402
from references_page import page as references_page  # noqa: E402

REFERENCE = HERE / "reference"
NOTE = "<!-- Written by docs/generate.py: do not edit. -->\n\n"
UNITS = ("Dur", "Bytes", "Bitrate", "Metres", "Speed", "Angle", "Power", "Decibel", "Frequency")
PROBE = 'profile = "{}"\n[topology]\nkind = "chain"\nhops = 1\n'
"""The smallest scenario: what it resolves to is what a profile says."""

Json = dict[str, Any]


def scenario_page() -> str:
    """Every key of a scenario file."""
    schema = _schema()
    parts = [NOTE + SCENARIO_HEAD.format(units=_units(schema))]
    sections = {key: value for key, value in schema["properties"].items() if "$ref" in value or "items" in value}
    top = {key: value for key, value in schema["properties"].items() if key not in sections}
    parts.append("## Top level\n\n" + _keys(top, schema, ""))
    for name, section in sections.items():
        target = _target(section.get("items", section), schema)
        head = f"[[{name}]]" if "items" in section else f"[{name}]"
        parts.append(f"## {head} {{ #{name} }}\n\n{section['description']}")
        if name == "mac":
            parts.append("See [DCF](../models/dcf.md).")
        for variant in target.get("oneOf", [target]):
            parts += _variant(variant, schema, name)
    return "\n\n".join(parts) + "\n"


SCENARIO_HEAD = """# Scenario file

One TOML file. Values come in layers, and later ones win: defaults of the program, the profile, the file, techniques,
`--set`. `multihop run SCENARIO --json` shows every value and the layer that it came from;
[the guide](../guide/topology.md) shows how to write one.

An unknown key, a value without its unit, a negative length or a flow to a node that does not exist is an error that
names file, line, column and key. `--set` takes the dotted path of a key: `--set air.bit-error-rate=1e-5`,
`--set flow.1.stop="60 s"` for the first flow. Flows go by their names, or by their numbers from 1, as tables have them.
Entries of all other lists go by their places from 0: `wire.0.rate` is of the first wire, `event.1.at` of the second
event.

**Default** is the value of a scenario that names no profile, which is one with `profile = "ns2"`;
[Profiles](profiles.md) has the values of the others.

## Quantities

Texts with their unit. A bare number where a unit belongs is refused.

{units}"""


def _variant(variant: Json, schema: Json, name: str) -> Iterator[str]:
    """The keys of a section, or of one `kind` of it, and those of sections inside it."""
    properties = {key: _present(value) for key, value in variant.get("properties", {}).items()}
    kind = properties.get("kind", {}).get("const")
    if kind:
        properties.pop("kind")
        yield f'### kind = "{kind}" {{ #{name}-{kind} }}\n\n{_line(variant["description"])}'
    yield from _section(properties, schema, name, _required(variant))


def _section(properties: Json, schema: Json, name: str, required: Any = ()) -> Iterator[str]:
    """A table of keys, and those of the sections inside."""
    own, inner = dict(properties), {}
    for key, value in properties.items():
        target = _target(value.get("items", value), schema)
        if "properties" in target and not _whole_section(target, schema):
            inner[key] = (value, target)
            if "items" not in value:
                own.pop(key)
    if own:
        yield _keys(own, schema, name, required)
    for key, (value, target) in inner.items():
        path = f"{name}.{key}"
        head = f"[[{path}]]" if "items" in value else f"[{path}]"
        yield f"### {head} {{ #{path.replace('.', '-')} }}\n\n{_line(value['description'])}"
        yield from _section(target["properties"], schema, path, _required(target))


def _present(value: Json) -> Json:
    """A value that may be left out, as it is where it is not."""
    said = [one for one in value.get("anyOf", []) if one.get("type") != "null"]
    return {**value, **said[0]} if len(said) == 1 else value


def _required(part: Json) -> Any:
    """Keys that must be said, where nothing else is said in their place."""
    return part.get("required") or part.get("else", {}).get("required", ())


def _keys(properties: Json, schema: Json, section: str, required: Any = ()) -> str:
    """A table of keys."""
    settled = _values("ns2")
    rows = ["| key | value | default | meaning |", "|---|---|---|---|"]
    for key, value in properties.items():
        path = f"{section}.{key}" if section else key
        default = settled.get(path, value.get("default"))
        shown = "required" if key in required else "" if default in (None, []) else f"`{_toml(default)}`"
        rows.append(f"| `{key}` | {_type(value, schema)} | {shown} | {_meaning(value, schema)} |")
    return "\n".join(rows)


def _whole_section(target: Json, schema: Json) -> str | None:
    """The section whose keys stand here too: a flow's own TCP, a node's own queue."""
    sections = schema["properties"].items()
    return next((name for name, section in sections if "$ref" in section and _target(section, schema) is target), None)


def _type(value: Json, schema: Json) -> str:
    """What may stand there."""
    if "$ref" in value and (section := _whole_section(_target(value, schema), schema)):
        return f"keys of [`[{section}]`](#{section})"
    if "anyOf" in value and "$ref" not in value:
        return " or ".join(_type(one, schema) for one in value["anyOf"] if one.get("type") != "null")
    if "items" in value:
        return "list of tables" if "$ref" in value["items"] else "list"
    target = _target(value, schema)
    if "oneOf" in target:
        return ", ".join(f"`{_word(one)}`" for one in target["oneOf"] if "const" in one)
    kinds = target.get("type", "string")
    kind: str = next(k for k in kinds if k != "null") if isinstance(kinds, list) else kinds
    if "examples" in target:  # a quantity: "a time with its unit"
        return str(target["description"]).removesuffix(" with its unit").split(" ", 1)[1]
    return {"string": "text", "integer": "whole number", "number": "number", "boolean": "`true`, `false`"}[kind]


def _meaning(value: Json, schema: Json) -> str:
    """What it is, and for a choice what each word means."""
    text = _line(value.get("description", ""))
    choices = [one for one in _target(value, schema).get("oneOf", []) if "const" in one]
    words = [f"`{_word(one)}`: {_line(one['description'])}" for one in choices if "description" in one]
    return "<br>".join([text, *words])


def _word(choice: Json) -> str:
    """One of several values, as it is named."""
    const = choice["const"]
    return const if isinstance(const, str) else _toml(const)


def _units(schema: Json) -> str:
    rows = ["| quantity | example | units |", "|---|---|---|"]
    for name in UNITS:
        unit = schema["$defs"][name]
        alternatives = re.findall(r"\(([^()\[\]]*)\) \*\$$", unit["pattern"])
        known = ", ".join(f"`{word}`" for word in alternatives[0].split("|")) if alternatives else ""
        rows.append(
            f"| {unit['description'].removesuffix(' with its unit')} | `{_toml(unit['examples'][0])}` | {known} |"
        )
    return "\n".join(rows)


def profiles_page() -> str:
    """What the profiles say, key by key."""
    shipped = dict(sorted(_engine.shipped("profiles").items()))
    columns = {name: _values(name) for name in shipped}
    lines = [NOTE + "# Profiles\n", PROFILES_HEAD]
    lines += [f"* `{name}`: {tomllib.loads(shipped[name])['summary']}." for name in shipped]
    lines += ["", "| key | " + " | ".join(f"`{name}`" for name in shipped) + " |", "|---|" + "---|" * len(shipped)]
    for key in columns["ns2"]:
        cells = [values.get(key) for values in columns.values()]
        if key.startswith(("topology.", "run.", "measure.")) or key in ("profile", "summary"):
            continue
        shown = ["" if cell is None else f"`{_toml(cell)}`" for cell in cells]
        mark = "**" if len(set(shown)) > 1 else ""
        lines.append(f"| {mark}`{key}`{mark} | {' | '.join(shown)} |")
    return "\n".join(lines) + "\n"


PROFILES_HEAD = """A profile is a whole set of values, named by `profile = "ns2"` in a scenario; what the scenario
says itself wins.
[What they are for](../models/profiles.md). Keys in bold differ between profiles.
"""


def techniques_page() -> str:
    """The overlays that are shipped."""
    parts = [NOTE + TECHNIQUES_HEAD]
    for name, text in sorted(_engine.shipped("techniques").items()):
        head = tomllib.loads(text)
        lines = [f"## {name}", "", head["summary"], ""]
        if (HERE / "models" / f"{name}.md").is_file():
            lines.append(f"* Model: [{name}](../models/{name}.md)")
        if "source" in head:
            lines.append(f"* Source: {head['source']}")
        for parameter, about in head.get("parameters", {}).items():
            lines.append(f"* Parameter `{parameter}`: {about['help']}; default `{_toml(about['default'])}`")
        if "counter" in head:
            lines.append(f"* How often it acted: `{head['counter']}`")
        parts.append("\n".join(lines).rstrip() + f"\n\n```toml\n{text.strip()}\n```")
    return "\n\n".join(parts) + "\n"


TECHNIQUES_HEAD = """# Techniques

Overlays that come with multihop: `multihop run chain --technique NAME`, with parameters `--technique NAME:VALUE` or
`NAME:a=1,b=2`. [Comparing techniques](../guide/techniques.md) shows how they are laid over each other and how to write
your own."""


def scenarios_page() -> str:
    """The scenarios that are shipped."""
    parts = [NOTE + SCENARIOS_HEAD]
    for name, text in sorted(_engine.shipped("scenarios").items()):
        head = tomllib.loads(text)
        comment = [line.removeprefix("#").strip() for line in text.splitlines() if line.startswith("#")]
        indented = "\n".join(f"    {line}".rstrip() for line in text.strip().splitlines())
        fold = f'??? note "{name}.toml"\n\n    ```toml\n{indented}\n    ```'
        picture = f"![Map of {name}: nodes, links, the path of each flow](maps/{name}.svg)"
        parts.append(f"## {name}\n\n{head['summary']}.\n\n{' '.join(comment)}\n\n{picture}\n\n{fold}")
    return "\n\n".join(parts) + "\n"


SCENARIOS_HEAD = """# Scenarios

Ready scenarios: `multihop run NAME`. Save one under your own name to change it."""


def figures_page() -> str:
    """The figures of runs, and the counters of the machines."""
    parts, known_metrics = [NOTE + FIGURES_HEAD], metrics()
    for title, known in (
        ("Of a flow", figures.FLOW),
        ("Of a node", figures.NODE),
        ("Of a run", {**figures.RUN, **figures.DERIVED}),
    ):
        rows = ["| figure | metric of a study | over several | meaning |", "|---|---|---|---|"]
        for figure in known.values():
            metric = "" if figure.metric not in known_metrics else f"`{figure.metric}`"
            unit = known_metrics[figure.metric].unit if metric else ""
            together = "" if figure.of == "run" else TOGETHER[figure.together]
            rows.append(f"| `{figure.name}` | {f'{metric} {unit}'.rstrip()} | {together} | {_line(figure.meaning)} |")
        parts.append(f"## {title}\n\n" + "\n".join(rows))
    names = ", ".join(f"`{name}`" for name in _counters())
    parts.append(f"{COUNTERS_HEAD}\n\n{names}.")
    return "\n\n".join(parts) + "\n"


TOGETHER = {"sum": "sum", "mean": "mean", "max": "the last"}
FIGURES_HEAD = """# Figures

What a run tells of each flow, of each node and of itself, in the measured time unless it says otherwise. The names are
those of the [JSON documents](json.md), of the tables of a record (where `frames.rts` is the column `frames_rts`) and of
`Records.values` in Python; studies have each as a [metric](study.md#measures) under its name without the unit."""
COUNTERS_HEAD = """## Counters

What the machines count besides, over all nodes, under `runs[].counters`; a technique names the one that tells how often
it acted, and a study reads one with the metric `counter`."""


def _counters() -> list[str]:
    """Names of all counters, from a run of one hop."""
    flow = '[[flow]]\nfrom = "0"\nto = "1"\n'
    resolved = _engine.resolve(PROBE.format("ns2") + flow, "probe", [], ["run.duration=1 s"])
    batch = _engine.start([(resolved, 1, None)], 1)
    while not batch.finished:
        batch.wait(1.0)
        for _, run in batch.take():
            return sorted(json.loads(run.json)["counters"])
    raise RuntimeError("the run of one hop did not finish")


def _schema() -> Json:
    found: Json = json.loads(_engine.schema())
    return found


def _target(value: Json, schema: Json) -> Json:
    """The definition behind a reference."""
    if "$ref" not in value:
        return value
    found: Json = schema["$defs"][value["$ref"].removeprefix("#/$defs/")]
    return found


def _values(profile: str) -> Json:
    """Every value of a scenario that says nothing but its profile."""
    resolved = json.loads(_engine.resolve(PROBE.format(profile), "probe", [], []).json())
    return {path: entry["value"] for path, entry in resolved["values"].items() if not path.startswith("topology.")}


def _toml(value: Any) -> str:
    """A value as a scenario file states it."""
    if isinstance(value, str):
        return f'"{_LONG.sub(lambda number: f"{float(number[0]):.5g}", value)}"'
    if isinstance(value, float):
        return re.sub(r"e([+-])0*(\d)", r"e\1\2", repr(value))
    return json.dumps(value)


_LONG = re.compile(r"\d\.\d{10,}(e-?\d+)?")
"""Numbers with more digits than anyone wants to read: decibels turned into watts."""


def editor_schema() -> str:
    """The schema of scenario files that is installed for editors."""
    return json.dumps(scenario_schema(), indent=1, ensure_ascii=False) + "\n"


PAGES: dict[str, Callable[[], str]] = {
    "scenario.md": scenario_page,
    "profiles.md": profiles_page,
    "techniques.md": techniques_page,
    "scenarios.md": scenarios_page,
    "cli.md": lambda: NOTE + cli_page(),
    "json.md": json_page,
    "figures.md": figures_page,
    "glossary.md": glossary_page,
    "causes.md": lambda: NOTE + causes_page(),
    "../../python/multihop/schema/scenario.json": editor_schema,
    "../references.md": lambda: NOTE + references_page(),
    "../results/notebook.md": lambda: NOTE + notebook_page(),
    **{f"maps/{name}.svg": partial(map_of, name) for name in sorted(_engine.shipped("scenarios"))},
}
"""What is written, by file under docs/reference."""


def main(arguments: list[str]) -> int:
    """Writes the pages, or with `--check` compares them."""
    stale = []
    for name, page in PAGES.items():
        path, text = REFERENCE / name, page()
        if path.is_file() and path.read_text(encoding="utf-8") == text:
            continue
        stale.append(name)
        if "--check" not in arguments:
            path.write_text(text, encoding="utf-8")
    words = "out of date" if "--check" in arguments else "written"
    for name in stale:
        sys.stdout.write(f"docs/reference/{name}: {words}\n")
    return int("--check" in arguments and bool(stale))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
