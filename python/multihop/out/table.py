"""The tables of `run`, and what they share with those of `compare`."""

from __future__ import annotations

import math
from collections.abc import Iterable

from rich.console import Group, RenderableType
from rich.text import Text

from multihop.analysis.findings import remarks
from multihop.analysis.frames_by_rate import by_rate, share
from multihop.measures.figures import shown
from multihop.measures.notation import NOTHING, count, plus_minus, seconds
from multihop.measures.stats import Estimate, estimate
from multihop.measures.summary import balance, balanced, causes, value
from multihop.out import energy
from multihop.out.acted import acted
from multihop.out.fit import Column, Fitting, Line
from multihop.record.record import Records
from multihop.scenario.places import all_of
from multihop.scenario.scenario import BASELINE
from multihop.scenario.wifi import model_words
from multihop.text import plural, span

MOST_ROWS = 30
"""More flows than this are left to `--csv`, `--json` and the record."""
MOST_SETTINGS = 6
"""So many settings stand in the heading, the rest is counted."""
TOP_CAUSES = 6
"""So many causes are shown, the rest in one line."""


def records_view(records: Records) -> Group:
    """All that `run` says about its runs."""
    tables = [_flows(records), _windows(records), _rates(records), energy.table(records), _drops(records)]
    parts: list[RenderableType] = [_title(records), Text("")]
    for table in tables:
        if table is not None:
            parts += [table, Text("")]
    pointed_out = [Text(f"! {line}", style="yellow") for line in remarks(records)]
    parts += [Text(line, style="dim") for line in (_routing(records), model_words(records.scenario)) if line]
    return Group(*parts, _ledger(records), *deeds([records]), *pointed_out)


def _title(records: Records) -> Text:
    stored = f"; {records.store_hits} from the store" if records.store_hits else ""
    return heading(records, f"{plural(len(records), 'run')}{stored}", records.label)


def heading(records: Records, runs: str, technique: str = "") -> Text:
    """What was run: scenario, what was laid over it, how many runs, and the measured time that all figures are of."""
    info = records.scenario
    measured = info["measure"]
    text = Text()
    # a summary tells of the scenario as its file has it: what was laid over it is said first
    altered = [technique] if technique and technique != BASELINE else []
    settings = records.settings
    altered += settings[:MOST_SETTINGS]
    if len(settings) > MOST_SETTINGS:
        altered.append(plural(len(settings) - MOST_SETTINGS, "more setting"))
    text.append(" with ".join(part for part in (records.name, ", ".join(altered)) if part), style="bold")
    if info.get("summary"):
        text.append(f"  {'altered from: ' if altered else ''}{info['summary']}", style="dim")
    when = span(measured["from_s"], measured["to_s"])
    text.append(f"\n{runs}; {seconds(info['duration_s'])} each, measured {when}; seed {info['seed']}")
    return text


def _flows(records: Records) -> Fitting:
    flows = records.runs[0]["flows"]
    figures = [f for f in shown("run") if not all(math.isnan(value(r, f.name)) for r in records.runs)]
    columns = [
        Column("flow", words=True),
        Column("from → to", words=True),
        Column("carries", words=True),
        # a column that stands for itself in narrow terminals has no place among those that go
        *(Column(f.head, rank=f.places["run"]) for f in figures),
    ]
    lines = [
        Line(
            [
                str(flow["id"]),
                f"{flow['from']} → {flow['to']}",
                f"{flow['kind']} {flow['transport']}",
                *(plus_minus(_estimate(records, f.name, flow["id"]), f.scale) for f in figures),
            ]
        )
        for flow in flows[:MOST_ROWS]
    ]
    if len(flows) > MOST_ROWS:
        more = f"{plural(len(flows) - MOST_ROWS, 'more flow')}: --csv flows has all"
        lines.append(Line(["…", more, "", *("" for _ in figures)]))
    if len(flows) > 1:
        cells = [plus_minus(_estimate(records, f.name), f.scale) for f in figures]
        lines.append(Line([all_of(str(flow["id"]) for flow in flows), "", "", *cells], "bold"))
    return Fitting(columns, lines)


def _windows(records: Records) -> Fitting | None:
    flows = records.runs[0]["flows"]
    windows = flows[0].get("windows", ()) if flows else ()
    if not windows:
        return None
    ids: list[str] = [f["id"] for f in flows[:MOST_ROWS]] if len(flows) > 1 else []
    columns = [Column("goodput in window kbit/s", words=True), *(Column(f"flow {i}") for i in ids), Column("all flows")]
    of: list[str | None] = [*ids, None]
    lines = [
        Line([w["name"], *(plus_minus(_estimate(records, "goodput_bps", i, w["name"]), 1e3) for i in of)])
        for w in windows
    ]
    return Fitting(columns, lines)


def _rates(records: Records) -> Fitting | None:
    found = by_rate(records.runs)
    total = sum(n.mean for n in found.values())
    if not found:
        return None
    columns = [Column("data frames of all nodes at", words=True), Column("frames a run"), Column("of all data frames")]
    return Fitting(columns, [Line([rate, plus_minus(n), share(n.mean, total)]) for rate, n in found.items()])


def _drops(records: Records) -> Fitting:
    runs = records.runs
    columns = [Column("packets dropped because of", words=True), Column("packets a run"), Column("of all drops")]
    found = {c: estimate(causes(r).get(c, 0) for r in runs) for c in {c for r in runs for c in causes(r)}}
    ranked = sorted(((c, e) for c, e in found.items() if e.mean > 0), key=lambda item: (-item[1].mean, item[0]))
    total = sum(e.mean for _, e in ranked)
    lines = [Line([cause, plus_minus(e), f"{100 * e.mean / total:.0f} %"]) for cause, e in ranked[:TOP_CAUSES]]
    if len(ranked) > TOP_CAUSES:
        rest = sum(e.mean for _, e in ranked[TOP_CAUSES:])
        more = plural(len(ranked) - TOP_CAUSES, "other cause")
        lines.append(Line([more, count(rest), f"{100 * rest / total:.0f} %"]))
    return Fitting(columns, lines or [Line(["nothing", "0", NOTHING])])


def _routing(records: Records) -> str:
    """What routing sent for each packet that arrived, where it sends anything."""
    messages, size = (_estimate(records, f"routing_{what}_per_delivery") for what in ("packets", "bytes"))
    if not messages.n:
        return ""
    sent = f"{plus_minus(messages)} messages ({plus_minus(size)} B)"
    return f"Routing sent {sent} for each data packet that arrived, each hop counted."


def _ledger(records: Records) -> Text:
    ledgers = [run["ledger"] for run in records.runs]

    def mean(pick: str) -> str:
        amounts = [sum(e.values()) if isinstance(e := ledger[pick], dict) else e for ledger in ledgers]
        return count(sum(amounts) / len(amounts))

    text = Text(
        f"ledger of the whole run, warm-up included, packets a run: "
        f"{mean('created')} created + {mean('copied')} duplicated = {mean('delivered')} delivered"
        f" + {mean('dropped')} dropped + {mean('absorbed')} discarded as duplicates"
        f" + {mean('in_network')} in the network at the end\n"
    )
    wrong = [run for run in records.runs if not balanced(run)]
    if not wrong:
        text.append(
            f"it balances, for every flow, in {'the run' if len(records) == 1 else f'all {len(records)} runs'}",
            style="green",
        )
    else:
        off = ", ".join(f"run {run['run']} by {balance(run['ledger'])}" for run in wrong)
        text.append(f"it does NOT balance: {off}", style="bold red")
    return text


def deeds(arms: Iterable[Records]) -> list[Text]:
    """How often each technique acted, a line for each; what needs a look in yellow."""
    return [Text(line, style="yellow" if odd else "") for line, odd in acted(arms)]


def _estimate(records: Records, figure: str, flow: str | None = None, window: str | None = None) -> Estimate:
    return estimate(value(run, figure, flow, window) for run in records.runs)
