"""The entries of a study file: claims, paper tables and figures, from TOML to checked data."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .metrics import METRICS
from .model import (
    FIGURE_KINDS,
    TIERS,
    Check,
    Claim,
    Coordinate,
    Experiment,
    FigureSpec,
    Gain,
    Measure,
    PaperMark,
    PaperTable,
    Predicate,
    Series,
    TableRow,
    Tier,
)
from .predicates import read_predicate
from .reader import Reader, suggest


@dataclass(frozen=True)
class Context:
    """What entries may refer to."""

    experiments: Mapping[str, Experiment]

    def experiment(self, name: str, reader: Reader) -> Experiment:
        """The named experiment, or an error with the nearest name."""
        if name not in self.experiments:
            raise reader.fail(f"no experiment `{name}`: {suggest(name, self.experiments)}")
        return self.experiments[name]


def read_claim(entry: Reader, context: Context) -> Claim:
    """One `[[claim]]`: either a single check written flat, or a list `check`."""
    checks: list[Check] = []
    first: dict[str, Any] = {}
    if entry.has("accept"):
        made, first = _check(entry, context)
        checks.append(made)
    for part in entry.tables("check"):
        made, raw = _check(part, context)
        part.done()
        checks.append(made)
        first = first or raw
    if not checks:
        raise entry.fail("`accept` is missing: how is this claim judged?")
    claim = Claim(
        id=entry.need("id", str),
        tier=_tier(entry, None),
        where=entry.need("where", str),
        text=entry.need("text", str),
        paper=_scalar(entry, "paper"),
        unit=entry.take("unit", str, ""),
        reason=entry.take("reason", str, ""),
        checks=tuple(checks),
        counted=entry.take("counted", bool, True),
        gain=_gain(entry, first, context),
        changed=entry.take("changed", str, ""),
        when_not=entry.take("when-not", str, ""),
    )
    entry.done()
    if claim.gain is not None:
        _refuse_idle_band(entry, claim)
        if claim.gain.placebo and not claim.checks[0].against:
            raise entry.fail("a placebo is compared with the baseline: `against` is missing")
    return claim


def _check(entry: Reader, context: Context) -> tuple[Check, dict[str, Any]]:
    accept = read_predicate(Reader(entry.need("accept", dict), f"{entry.place}, accept"))
    if entry.has("parameter"):
        experiment = entry.need("of", str)
        context.experiment(experiment, entry)
        return Check(accept, parameter=entry.need("parameter", str), experiment=experiment), {}
    if accept.kind == "not-judged" and not entry.has("value"):
        return Check(accept), {}
    raw = entry.need("value", dict)
    values = read_measures(raw, entry, context)
    against: tuple[Measure, ...] = ()
    if entry.has("against"):
        other = {**raw, **entry.need("against", dict)}
        against = read_measures({k: v for k, v in other.items() if v != ""}, entry, context)
        if len(against) not in (1, len(values)):
            raise entry.fail(f"`value` stands for {len(values)} measures, `against` for {len(against)}")
    elif accept.kind in ("ratio", "order"):
        raise entry.fail(f"`accept = {{ {accept.kind} = ... }}` needs `against`")
    return Check(accept, values, against), raw


def read_measures(raw: Mapping[str, Any], entry: Reader, context: Context) -> tuple[Measure, ...]:
    """The measures that a table stands for: lists in it are multiplied out, in order."""
    reader = Reader(raw, f"{entry.place}, value")
    name = reader.need("metric", str)
    if name not in METRICS:
        raise reader.fail(f"no metric `{name}`: {suggest(name, METRICS)}")
    experiment = context.experiment(reader.need("of", str), reader)
    metric, axes = METRICS[name], {axis.name: axis for axis in experiment.axes}
    lists: list[list[tuple[str, Coordinate]]] = []
    for key, value in reader.rest().items():
        if key not in axes and key != "technique" and key not in metric.arguments:
            known = [*axes, "technique", *metric.arguments]
            raise reader.fail(
                f"`{key}` is neither an axis of `{experiment.name}` nor an argument of `{name}`: {suggest(key, known)}"
            )
        allowed = axes[key].values if key in axes else experiment.techniques if key == "technique" else None
        values = value if isinstance(value, list) else [value]
        for one in values:
            if allowed is not None and one not in allowed:
                raise reader.fail(f"`{key} = {one!r}` is not run by `{experiment.name}`: it has {list(allowed)}")
        lists.append([(key, one) for one in values])
    measures = []
    for combination in itertools.product(*lists):
        chosen = dict(combination)
        where = {k: v for k, v in chosen.items() if k in axes or k == "technique"}
        arguments = {k: str(v) for k, v in chosen.items() if k in metric.arguments}
        _need_all(reader, axes, where, metric.required, arguments)
        measures.append(Measure(name, experiment.name, where, arguments))
    return tuple(measures)


def _need_all(
    reader: Reader,
    axes: Mapping[str, object],
    where: Mapping[str, object],
    required: tuple[str, ...],
    arguments: Mapping[str, object],
) -> None:
    for axis in [*axes, "technique"]:
        if axis not in where:
            raise reader.fail(f"`{axis}` is missing: at which point is it measured?")
    for argument in required:
        if argument not in arguments:
            raise reader.fail(f"`{argument}` is missing")


def _gain(entry: Reader, first: Mapping[str, Any], context: Context) -> Gain | None:
    if not entry.has("gain"):
        return None
    reader = Reader(entry.need("gain", dict), f"{entry.place}, gain")
    axes = {axis.name for axis in context.experiments[str(first["of"])].axes}
    place = {k: v for k, v in first.items() if k in axes or k in ("of", "technique")}

    def measures(key: str, base: Mapping[str, Any]) -> tuple[Measure, ...]:
        if not reader.has(key):
            return ()
        return read_measures({**base, **reader.need(key, dict)}, reader, context)

    gain = Gain(
        cause=measures("cause", place),
        acted=measures("acted", {"metric": "acted", **place}),
        placebo=measures("placebo", first),
        at_least=reader.take("at-least", int, 20),
    )
    reader.done()
    return gain


def _refuse_idle_band(entry: Reader, claim: Claim) -> None:
    """A gain claim whose band contains "no gain" could be held by a technique that does nothing."""
    for check in claim.checks:
        rule, rivals = check.accept, {m.where["technique"] for m in check.against}
        compares = rivals and rivals.isdisjoint(m.where["technique"] for m in check.values)
        if (
            compares
            and rule.kind == "ratio"
            and (rule.low is None or rule.low <= 1)
            and (rule.high is None or rule.high >= 1)
        ):
            raise entry.fail("the band of a gain claim must not contain a ratio of 1 (no gain)")


def read_table(entry: Reader, context: Context) -> tuple[PaperTable, list[Claim]]:
    """One `[[table]]` of the paper, and one claim for each of its cells that has a number."""
    name, experiment = entry.need("name", str), entry.need("of", str)
    context.experiment(experiment, entry)
    base = _CellBase(
        experiment=experiment,
        where=entry.need("at", dict),
        pattern=entry.need("claim", str),
        tier=_tier(entry, "should"),
        text=entry.need("text", str),
        reason=entry.take("reason", str, ""),
        label=entry.need("where", str),
        when_not=entry.take("when-not", str, ""),
    )
    title, columns = entry.need("title", str), entry.need("columns", list)
    claims: list[Claim] = []
    rows = []
    for row in entry.tables("row"):
        key, flow, words = row.need("id", str), row.need("flow", str), row.need("name", str)
        cells = row.tables("cells")
        if len(cells) != len(columns):
            raise row.fail(f"`cells` must have {len(columns)} entries, one for each column, not {len(cells)}")
        made = [
            _cell_claim(cell, base, key, words, flow, column, context)
            for column, cell in zip(columns, cells, strict=True)
        ]
        paper = tuple(None if claim is None else float(claim.paper) for claim in made)
        rows.append(TableRow(words, flow, paper, tuple(None if c is None else c.id for c in made)))
        claims += [claim for claim in made if claim is not None]
        row.done()
    entry.done()
    return PaperTable(name, title, experiment, base.where, tuple(columns), tuple(rows)), claims


@dataclass(frozen=True)
class _CellBase:
    """What all claims of a table have in common."""

    experiment: str
    where: Mapping[str, Any]
    pattern: str
    tier: Tier
    text: str
    reason: str
    label: str
    when_not: str


def _cell_claim(
    cell: Reader, base: _CellBase, key: str, words: str, flow: str, column: str, context: Context
) -> Claim | None:
    """The claim on one cell; None where the paper prints a dash."""
    if not cell.has("paper"):
        cell.done()
        return None
    paper = cell.need("paper", float)
    measure = {"metric": "goodput", "of": base.experiment, "flow": flow, "window": column, **base.where}
    reason, tier = cell.take("reason", str, base.reason), _tier(cell, base.tier)
    changed, when_not = cell.take("changed", str, ""), cell.take("when-not", str, base.when_not)
    accept = read_predicate(Reader(cell.rest(), cell.place))
    return Claim(
        id=base.pattern.format(row=key, column=column.removesuffix(" s")),
        tier=tier,
        where=base.label,
        text=f"{base.text}: {words}, {column}.",
        paper=paper,
        unit="Mbit/s",
        reason=reason,
        checks=(Check(accept, read_measures(measure, cell, context)),),
        changed=changed,
        when_not=when_not,
    )


def read_figure(entry: Reader, context: Context) -> FigureSpec:
    """One `[[figure]]`."""
    experiment = entry.need("of", str)
    axes = {axis.name: axis.values for axis in context.experiment(experiment, entry).axes}
    axes["technique"] = context.experiments[experiment].techniques
    series = []
    for line in entry.tables("series"):
        label, panel, where = line.need("label", str), line.take("panel", str, ""), line.rest()
        for key, value in where.items():
            if value not in axes.get(key, ()):
                raise line.fail(f"`{key} = {value!r}` is not run by `{experiment}`: {suggest(key, axes)}")
        series.append(Series(label, where, panel))
    marks = []
    for mark in entry.tables("paper"):
        marks.append(
            PaperMark(
                y=mark.need("y", float),
                x=_scalar(mark, "x"),
                series=mark.take("series", str, ""),
                flow=mark.take("flow", str, ""),
                label=mark.take("label", str, ""),
            )
        )
        mark.done()
    metric = entry.take("metric", str, "goodput")
    if metric not in METRICS:
        raise entry.fail(f"no metric `{metric}`: {suggest(metric, METRICS)}")
    kind = entry.need("kind", str)
    if kind not in FIGURE_KINDS:
        raise entry.fail(f"`kind` must be one of {', '.join(FIGURE_KINDS)}, not `{kind}`")
    figure = FigureSpec(
        name=entry.need("name", str),
        kind=kind,
        title=entry.need("title", str),
        experiment=experiment,
        caption=entry.take("caption", str, ""),
        metric=metric,
        arguments=entry.take("arguments", dict, {}),
        x=entry.take("x", str, ""),
        xlabel=entry.take("xlabel", str, ""),
        ylabel=entry.take("ylabel", str, ""),
        series=tuple(series),
        flows=tuple(entry.take("flows", list, [])),
        windows=tuple(entry.take("windows", list, [])),
        table=entry.take("table", str, ""),
        marks=tuple(marks),
    )
    entry.done()
    return figure


def _tier(entry: Reader, default: Tier | None) -> Tier:
    given = entry.need("tier", str) if default is None else entry.take("tier", str, default)
    for tier in TIERS:
        if given == tier:
            return tier
    raise entry.fail(f"`tier` must be one of {', '.join(TIERS)}, not `{given}`")


def _scalar(entry: Reader, key: str) -> str | int | float:
    value = entry.need(key, object)
    if not isinstance(value, str | int | float):
        raise entry.fail(f"`{key}` must be a number or a string, not {value!r}")
    return value


__all__ = ["Context", "Predicate", "read_claim", "read_figure", "read_measures", "read_table"]
