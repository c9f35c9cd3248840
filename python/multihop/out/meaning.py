"""What a name means: of what is shipped, of figures, of keys of a scenario, of words of the output."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Literal

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from multihop import _engine
from multihop.out.describe import head_of, summary_of
from multihop.scenario import keys

Kind = Literal["techniques", "scenarios", "profiles"]
TRY = {
    "technique": ("multihop compare chain -t none,{0}",),
    "scenario": ("multihop check {0}", "multihop run {0}"),
    "profile": ('multihop run chain --set profile="{0}"',),
    "study": ("multihop reproduce {0} --quick",),
    "sweep": ("multihop sweep {0} --runs 1",),
    "plot": ("multihop plot {0}",),
}
"""What to do with a thing of each kind."""


def meanings(name: str) -> list[RenderableType]:
    """All that goes by this name, explained; nothing if nothing does."""
    found = [*_shipped(name), *_plots(name), *_figures(name)]
    found += [_page(f"{path}: key of a scenario", _of_key(path)) for path in keys.called(name)]
    if section := keys.of_section(name):
        found.append(_page(f"{name}: section of a scenario", [f"{path}: {about}" for path, about in section.items()]))
    return [*found, *_words(name)]


def names() -> Iterator[tuple[str, str]]:
    """All names but those of commands, with what they are."""
    for kind in ("techniques", "scenarios", "profiles", "studies", "sweeps"):
        for name, text in sorted(_engine.shipped(kind).items()):
            if kind != "studies" or "\n[study]" in f"\n{text}":
                yield name.rsplit("/", 1)[-1], summary_of(text)
    from multihop.measures.figures import everywhere
    from multihop.out.glossary import words
    from multihop.plots.record import KINDS

    yield from ((name, kind.summary) for name, kind in KINDS.items())
    yield from ((figure.name, figure.title) for figure in everywhere().values())
    yield from ((path, keys.about(path)) for path in keys.every())
    yield from ((word["name"], "") for word in words())


def _page(title: str, paragraphs: Iterable[str], examples: Iterable[str] = ()) -> RenderableType:
    body = [Padding(Text(" ".join(text.split())), (0, 0, 0, 2)) for text in paragraphs if text]
    copied = [Text(f"  {line}", style="dim", no_wrap=True, overflow="ignore") for line in examples]
    return Group(Text(title, style="bold"), *body, *copied)


def _shipped(name: str) -> Iterator[RenderableType]:
    kinds: dict[Kind, str] = {"techniques": "technique", "scenarios": "scenario", "profiles": "profile"}
    for kind, one in kinds.items():
        text = _engine.shipped(kind).get(name)
        if text is not None:
            said = [summary_of(text), *_of_overlay(head_of(text))] if one == "technique" else [summary_of(text)]
            yield _page(f"{name}: {one}", said, (line.format(name) for line in TRY[one]))
    text = _engine.shipped("sweeps").get(name)
    if text is not None:
        yield _page(f"{name}: sweep", [summary_of(text), *_of_sweep(head_of(text))], [TRY["sweep"][0].format(name)])
    from multihop.study import find
    from multihop.study import names as studies

    if name in studies():
        study = find(name)
        by = f"{study.paper.authors}: {study.paper.title}. {study.paper.venue} {study.paper.year or ''}"
        parts = f"Parts: {', '.join(study.parts)}." if study.parts else ""
        yield _page(
            f"{name}: study", [study.title, by if study.paper.title else "", parts], [TRY["study"][0].format(name)]
        )


def _of_sweep(head: dict[str, Any]) -> Iterator[str]:
    """What a sweep runs."""
    over = {"scenario": [head.get("scenario", "")], **head.get("over", {})}
    for key, values in over.items():
        yield f"{key}: {', '.join(map(str, values))}."
    for crossed in head.get("cross", ()):
        yield f"Crossed with: {', '.join(crossed)}."
    yield f"Techniques: {', '.join(head.get('techniques', ['none']))}."


def _of_overlay(head: dict[str, Any]) -> Iterator[str]:
    """Source, parameters and settings of a technique."""
    if head.get("source"):
        yield f"Source: {head['source']}."
    for name, parameter in head.get("parameters", {}).items():
        yield f"Parameter {name}: {parameter.get('help', '')}. Default: {parameter['default']}."
    if settings := [f"{path} = {value}" for path, value in _leaves(head.get("set", {}))]:
        yield f"It sets {', '.join(settings)}."
    if needs := [f"{path} = {value}" for path, value in _leaves(head.get("requires", {}))]:
        yield f"It needs {', '.join(needs)}."


def _leaves(tree: dict[str, Any], before: str = "") -> Iterator[tuple[str, Any]]:
    for key, value in tree.items():
        if isinstance(value, dict):
            yield from _leaves(value, f"{before}{key}.")
        else:
            yield f"{before}{key}", str(value).lower() if isinstance(value, bool) else value


def _plots(name: str) -> Iterator[RenderableType]:
    from multihop.plots.record import KINDS

    if name in KINDS:
        yield _page(f"{name}: kind of plot", [f"It shows {KINDS[name].summary}."], [TRY["plot"][0].format(name)])


def _figures(name: str) -> Iterator[RenderableType]:
    from multihop.measures.figures import NODE, everywhere

    wanted = name.lower()
    for figure in {**everywhere(), **NODE}.values():
        if wanted in (figure.name.lower(), figure.title.lower(), figure.metric, figure.column):
            unit = f" Tables show it in {figure.unit}." if figure.unit else ""
            yield _page(f"{figure.name}: figure of a {figure.of}", [figure.meaning + unit])


def _of_key(path: str) -> Iterator[str]:
    yield keys.meaning(path)
    if values := keys.choices(path):
        yield f"Values: {', '.join(values)}."
    if default := keys.default_of(path):
        yield f"Default: {path}={default}"


def _words(name: str) -> Iterator[RenderableType]:
    from multihop.out.glossary import words

    for word in words():
        if word["name"].lower() == name.lower():
            json = f"In JSON documents: {word['source']}" if word["source"] else ""
            yield _page(f"{word['name']}: word of the output", [word["summary"], json])
