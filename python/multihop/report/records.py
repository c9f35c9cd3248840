"""The report of records: what each flow got, how techniques compare, where packets died and what TCP believed."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from multihop.analysis.stories import explain, words
from multihop.errors import InputError, RecordError
from multihop.measures.figures import Figure, everywhere, shown
from multihop.measures.notation import percent, plus_minus
from multihop.measures.stats import estimate
from multihop.measures.summary import balance, balanced, value
from multihop.out import energy
from multihop.out.acted import acted
from multihop.out.answer import family, gained, headline, ranked, verdicts
from multihop.out.comparison import pointed_out, verdict
from multihop.plots.record import KINDS, Choice, draw
from multihop.plots.style import inline, rendered
from multihop.record.comparison import Comparison
from multihop.record.record import Record, Records
from multihop.scenario.places import warnings
from multihop.scenario.wifi import model_words
from multihop.text import listing

from .page import render, technique_files, values_of

if TYPE_CHECKING:
    from multihop.analysis.stories import Story

Grid = tuple[list[str], list[list[str]]]

FEW_REMARKS = 3
"""More remarks than this are folded."""
CAPTIONS = {
    "map": "Lines: which node decodes which (dotted: one way). Dots grow with time spent sending, rings with drops.",
    "goodput": "Mean over runs with 95 % intervals.",
    "goodput-time": "One run, warm-up included; means of bins.",
    "rtt-time": "One run, warm-up included; means of bins. The estimate that TCP makes its timeout of.",
    "drops": "Mean number of packets a run in the measured time, by the node that dropped them and the cause.",
    "airtime": "Share of the measured time that each node's radio spent sending and hearing others.",
    "cwnd": "One run, warm-up included. Marks above: where TCP noticed a loss, in the colour of what had happened.",
    "time-sequence": "One run, warm-up included. Marks: where TCP noticed a loss, in the colour of what had happened.",
    "rate": "One run, warm-up included.",
    "cdf": "Each step is a run.",
    "box": "Line: median. Box: quartiles. Dots: runs.",
}
"""What is said under each figure, in the order of the report."""
OF_TWO = ("airtime", "cwnd", "time-sequence")
"""Of many techniques these show two: the baseline, and the technique that gains most."""


def records_page(sets: Sequence[Records]) -> str:
    """The report of some sets of runs as one HTML page; sets that differ in techniques only are compared."""
    sets = [records for records in sets if len(records)]
    if not sets:
        raise RecordError("no run has finished: there is nothing to report")
    groups = [_group(index, arms) for index, arms in enumerate(_grouped(sets))]
    names = list(dict.fromkeys(name for records in sets for name in records.techniques))
    return render(
        "records.html.j2",
        title=", ".join(dict.fromkeys(_title(group) for group in groups)),
        groups=groups,
        few=FEW_REMARKS,
        techniques=technique_files(names),
        records=[_provenance(record) for records in sets for record in records],
    )


def _grouped(sets: Sequence[Records]) -> list[list[Records]]:
    """Sets that are arms of one comparison: the same scenario but for what techniques set, with runs in common."""
    groups: list[list[Records]] = []
    for records in sets:
        for group in groups:
            common = {r.run for r in records}.intersection(*({r.run for r in arm} for arm in group))
            if common and records.label not in {arm.label for arm in group} and _same_scenario(group[0], records):
                group.append(records)
                break
        else:
            groups.append([records])
    return groups


def _same_scenario(a: Records, b: Records) -> bool:
    if a.name != b.name:
        return False
    ours, theirs = a.scenario["values"], b.scenario["values"]

    def by_technique(key: str) -> bool:
        return any("technique" in str(side.get(key, {}).get("from", "")) for side in (ours, theirs))

    return all(
        ours.get(key, {}).get("value") == theirs.get(key, {}).get("value")
        for key in ours.keys() | theirs.keys()
        if not by_technique(key)
    )


def _group(index: int, arms: Sequence[Records]) -> dict[str, Any]:
    first = arms[0]
    comparison = Comparison(arms) if len(arms) > 1 else None
    return {
        "id": f"scenario-{index + 1}",
        "name": first.name,
        "summary": _summary(first, arms),
        "scenario": first.scenario,
        "arms": [_arm(arm) for arm in arms],
        "headline": headline(comparison) if comparison else gained(first),
        "sentences": verdicts(comparison) if comparison else [],
        "family": family(comparison) if comparison else "",
        "model": list(dict.fromkeys(model_words(arm.scenario) for arm in arms)),
        "warnings": _warnings(arms),
        "remarks": pointed_out(arms),
        "comparison": _comparison(comparison) if comparison else None,
        "figures": _figures(index, arms, comparison),
        "setting": _setting(first),
        "values": values_of(first.scenario),
    }


def _title(group: dict[str, Any]) -> str:
    """The scenario, and what was set by hand."""
    return f"{group['name']} with {group['setting']}" if group["setting"] else str(group["name"])


def _summary(first: Records, arms: Sequence[Records]) -> str:
    """The scenario's own words; where it was altered, they tell of what it was before."""
    said = str(first.scenario.get("summary") or "")
    altered = first.settings or (len(arms) == 1 and first.techniques)
    return f"Altered from: {said}" if said and altered else said


def _warnings(arms: Sequence[Records]) -> list[str]:
    """What `run` warned of, each once; of one arm among others with its name."""
    said: dict[str, list[str]] = {}
    for arm in arms:
        for warning in warnings(arm.scenario):
            said.setdefault(warning, []).append(arm.label)
    return [
        f"Warning: {warning}" if len(of) == len(arms) else f"Warning ({listing(of)}): {warning}"
        for warning, of in said.items()
    ]


def _setting(records: Records) -> str:
    """What was set by hand, so that two groups of one scenario can be told apart."""
    return ", ".join(records.settings)


def _arm(arm: Records) -> dict[str, Any]:
    stories = explain(arm)
    runs = arm.runs
    return {
        "label": arm.label,
        "id": arm.id[:12],
        "runs": len(arm),
        "flows": _flows(arm),
        "windows": _windows(arm),
        "energy": energy.grid(arm),
        "ledger": _ledger(runs),
        "balanced": all(balanced(run) for run in runs),
        "off": max(abs(balance(run["ledger"])) for run in runs),
        "stories": [{"id": s.id, "words": words(s), "deaths": _deaths(s), "losses": _losses(s)} for s in stories],
        "acted": [line for line, _ in acted([arm])],
    }


def _flows(arm: Records) -> Grid:
    figures = [f for f in shown("report") if not all(math.isnan(value(run, f.name)) for run in arm.runs)]
    heads = ["flow", "from → to", *(f.head for f in figures)]
    flows = arm.runs[0]["flows"]
    rows = [
        [
            f"{flow['id']} ({flow['kind']} {flow['transport']})",
            f"{flow['from']} → {flow['to']}",
            *(_cell(arm, f, flow["id"]) for f in figures),
        ]
        for flow in flows
    ]
    if len(flows) > 1:
        rows.append(["all", "", *(_cell(arm, f) for f in figures)])
    return heads, rows


def _windows(arm: Records) -> Grid | None:
    flows = arm.runs[0]["flows"]
    windows = flows[0].get("windows", []) if flows else []
    if not windows:
        return None
    heads = ["goodput in window, kbit/s", *(f"flow {flow['id']}" for flow in flows), "all"]
    ids: list[str | None] = [*(str(flow["id"]) for flow in flows), None]
    rows = [
        [w["name"], *(plus_minus(estimate(value(r, "goodput_bps", i, w["name"]) for r in arm.runs), 1e3) for i in ids)]
        for w in windows
    ]
    return heads, rows


def _cell(arm: Records, figure: Figure, flow: str | None = None) -> str:
    return plus_minus(estimate(value(run, figure.name, flow) for run in arm.runs), figure.scale)


def _ledger(runs: Sequence[dict[str, Any]]) -> Grid:
    def mean(numbers: Sequence[float]) -> str:
        return plus_minus(estimate(numbers))

    rows = [
        ["created", "", mean([run["ledger"]["created"] for run in runs])],
        ["duplicated", "", mean([run["ledger"]["copied"] for run in runs])],
        ["delivered", "", mean([run["ledger"]["delivered"] for run in runs])],
    ]
    for kind, per_run in (
        ("dropped", [run["ledger"]["dropped"] for run in runs]),
        ("discarded", [run["ledger"]["absorbed"] for run in runs]),
    ):
        for cause in sorted({c for entry in per_run for c, n in entry.items() if n}):
            rows.append([kind, cause, mean([entry.get(cause, 0) for entry in per_run])])
    rows.append(["in the network at the end", "", mean([run["ledger"]["in_network"] for run in runs])])
    return ["packets", "cause", "a run"], rows


def _comparison(comparison: Comparison) -> Grid:
    """A row for each figure and technique, with both names in it."""
    base = comparison.baseline.label
    # What decides stands first: a telephone shows few columns.
    heads = ["figure", "technique", "verdict", "change", "mean", f"difference to {base}"]
    rows = []
    for found in comparison.by_figure():
        known = everywhere()[found[0].figure]
        name = known.head if found[0].flow is None else f"flow {found[0].flow} {known.head}"
        rows.append([name, base, "", "", plus_minus(found[0].baseline, known.scale), ""])
        for row in found:
            difference = plus_minus(row.pair.difference, known.scale, signed=True)
            change = percent(row.relative) if row.figure != "jain" else ""
            mean = plus_minus(row.other, known.scale)
            rows.append([name, row.technique, verdict(row).plain, change, mean, difference])
    return heads, rows


def _figures(index: int, arms: Sequence[Records], comparison: Comparison | None) -> list[dict[str, Any]]:
    """The figures that the records have; those of single runs show two techniques, to be readable."""
    two = [arms[0], ranked(comparison)[0]] if comparison else arms
    found = []
    for kind, caption in CAPTIONS.items():
        shown = two if kind in OF_TWO else arms
        said = [caption]
        if len(shown) < len(arms):
            said.append(f"The baseline and the technique that gains most; `multihop plot {kind}` draws all.")
        if kind == "map" and comparison:
            said.append(f"Under {arms[0].label}.")
        # a record without series, or a scenario without TCP, has some of the figures only
        with contextlib.suppress(InputError):
            name = f"{kind}-{index + 1}"
            svg = inline(rendered(draw(kind, shown, Choice()), "svg", name), name)
            title = KINDS[kind].summary
            entry = {"id": f"figure-{name}", "name": kind, "title": title[0].upper() + title[1:]}
            found.append({**entry, "caption": " ".join(said), "svg": svg})
    return found


def _deaths(story: Story) -> Grid | None:
    if not story.deaths:
        return None
    total = sum(d.n for d in story.deaths)
    rows = [
        [
            d.cause,
            d.node,
            d.kind,
            str(d.n),
            f"{100 * d.n / total:.0f} %",
            d.killed,
            f"{d.first_s:.1f} s",
            f"{d.last_s:.1f} s",
        ]
        for d in story.deaths[:20]
    ]
    return ["cause", "node", "kind", "packets", "share", "main interferer", "first", "last"], rows


def _losses(story: Story) -> Grid | None:
    if not story.losses:
        return None
    total = sum(x.n for x in story.losses)
    rows = [[x.believed, x.truth, x.kind, str(x.n), f"{100 * x.n / total:.0f} %"] for x in story.losses]
    return ["TCP noticed by", "what happened", "class", "times", "share"], rows


def _provenance(record: Record) -> list[str]:
    manifest = record.manifest
    return [
        record.key[:12],
        manifest.scenario.name,
        "+".join(record.techniques) or "none",
        str(record.run),
        str(record.seed),
        manifest.fingerprint,
        record.build[:12],
        manifest.created,
        f"{manifest.wall_s:.3g} s",
    ]
