"""The tables of `run` and `compare`."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from functools import partial

from rich import box
from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.markup import escape
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from multihop.compare import Comparison, Row, better
from multihop.figures import everywhere, shown
from multihop.out.style import NOTHING, count, number, percent, plus_minus, seconds
from multihop.record import Records
from multihop.scenario import BASELINE
from multihop.stats import MOST_RUNS, Estimate, estimate
from multihop.summary import balance, balanced, dropped, value
from multihop.text import listing, plural

MOST_ROWS = 30
"""More flows than this are left to `--json` and the record."""
MOST_SETTINGS = 6
"""So many settings stand in the heading, the rest is counted."""
TOP_CAUSES = 6
"""So many causes are shown, the rest in one line."""


def records_view(records: Records) -> Group:
    """All that `run` says about its runs."""
    flows = _Fitting(partial(_flows, records), _dispensable())
    tables = [flows, _windows(records), _deaths(records)]
    parts: list[RenderableType] = [_title(records), Text("")]
    for table in tables:
        if table is not None:
            parts += [table, Text("")]
    return Group(*parts, _ledger(records), *_acted([records]))


def comparison_view(comparison: Comparison) -> Group:
    """All that `compare` says."""
    arms = comparison.arms
    parts: list[RenderableType] = [
        _heading(comparison.baseline, f"{plural(len(comparison.runs), 'run')} of each technique, paired by seed"),
        Text(""),
        _Fitting(partial(_differences, comparison), ("change", "correlation")),
        Text(""),
        _causes(comparison),
        Text(""),
        *_acted(arms),
        *(Text(f"• {line}") for line in verdicts(comparison)),
    ]
    unbalanced = [arm.label for arm in arms if not all(balanced(run) for run in arm.runs)]
    if unbalanced:
        parts.append(Text(f"The ledger does NOT balance under {listing(unbalanced)}.", style="bold red"))
    return Group(*parts)


def verdicts(comparison: Comparison) -> list[str]:
    """What the comparison says about goodput, one sentence for each technique."""
    lines = []
    base = comparison.baseline.label
    for arm in comparison.arms[1:]:
        row = comparison.row(arm, "goodput_bps")
        ours, theirs = (f"{number(e.mean / 1e3, e.half / 1e3)} kbit/s" for e in (row.other, row.baseline))
        if row.pair.verdict == "open":
            lines.append(f"{arm.label} against {base}: no settled difference in goodput: {_settle(row)}.")
        elif row.pair.verdict == "equal":
            lines.append(f"{arm.label} against {base}: the same goodput in every run.")
        else:
            change = percent(row.relative) if row.relative else plus_minus(row.pair.difference, 1e3, signed=True)
            lines.append(
                f"{arm.label} against {base}: goodput {change} ({ours} against {theirs}){_fairness(comparison, arm)}."
            )
    return lines


def plain(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> Table:
    """A table of words."""
    table = _table(*heads, left=len(heads))
    for row in rows:
        table.add_row(*(escape(cell) for cell in row))
    return table


def _fairness(comparison: Comparison, arm: Records) -> str:
    """What became of fairness, if there is any to speak of and the difference is settled."""
    row = comparison.row(arm, "jain")
    if len(comparison.baseline.runs[0]["flows"]) < 2 or row.pair.verdict not in ("higher", "lower"):
        return ""
    return f"; Jain's index {plus_minus(row.other)} against {plus_minus(row.baseline)}"


def _title(records: Records) -> Text:
    stored = f"; {records.store_hits} from the store" if records.store_hits else ""
    return _heading(records, f"{plural(len(records), 'run')}{stored}", records.label)


def _heading(records: Records, runs: str, technique: str = "") -> Text:
    info = records.scenario
    measured = info["measure"]
    text = Text("\n")
    # a summary tells of the scenario as its file has it: what was laid over it is said first
    altered = [technique] if technique and technique != BASELINE else []
    settings = records.settings
    altered += settings[:MOST_SETTINGS]
    if len(settings) > MOST_SETTINGS:
        altered.append(plural(len(settings) - MOST_SETTINGS, "more setting"))
    text.append(" with ".join(part for part in (records.name, ", ".join(altered)) if part), style="bold")
    if info.get("summary"):
        text.append(f"  {'altered from: ' if altered else ''}{info['summary']}", style="dim")
    span = f"{measured['from_s']:g}–{measured['to_s']:g} s"
    text.append(f"\n{runs}; {seconds(info['duration_s'])} each, measured {span}; seed {info['seed']}")
    return text


def _table(*heads: str, left: int = 1) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, header_style="bold", show_edge=False)
    for i, head in enumerate(heads):
        figures = i >= left  # a number is never broken over two lines
        table.add_column(escape(head), justify="right" if figures else "left", no_wrap=figures)
    return table


class _Fitting:
    """The first of several tables that the terminal has room for, else the last."""

    def __init__(self, build: Callable[[Sequence[str]], Table], dispensable: Sequence[str]) -> None:
        self._build, self._dispensable = build, dispensable

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        unlimited = options.update(width=10_000)
        for i in range(len(self._dispensable) + 1):
            table = self._build(self._dispensable[:i])
            if Measurement.get(console, unlimited, table).maximum <= options.max_width:
                break
        yield table


def _flows(records: Records, without: Sequence[str]) -> Table:
    flows = records.runs[0]["flows"]
    wanted = [f for f in shown("run") if f.name not in without]
    figures = [f for f in wanted if not all(math.isnan(value(r, f.name)) for r in records.runs)]
    table = _table("flow", "from → to", "carries", *(f.head for f in figures), left=3)
    for flow in flows[:MOST_ROWS]:
        cells = [plus_minus(_estimate(records, f.name, flow["id"]), f.scale) for f in figures]
        table.add_row(
            escape(flow["id"]),
            escape(f"{flow['from']} → {flow['to']}"),
            f"{flow['kind']} {flow['transport']}",
            *cells,
        )
    if len(flows) > MOST_ROWS:
        table.add_row("…", plural(len(flows) - MOST_ROWS, "more flow"), "", *("" for _ in figures))
    if len(flows) > 1:
        cells = [plus_minus(_estimate(records, f.name), f.scale) for f in figures]
        table.add_row("all", "", "", *cells, style="bold")
    return table


def _dispensable() -> list[str]:
    """Columns that a narrow terminal goes without, the first one first; `--json` has them all."""
    ranked = sorted(shown("run"), key=lambda figure: -figure.places["run"])
    return [figure.name for figure in ranked if figure.places["run"]]


def _windows(records: Records) -> Table | None:
    flows = records.runs[0]["flows"]
    windows = flows[0].get("windows", ()) if flows else ()
    if not windows:
        return None
    ids = [f["id"] for f in flows[:MOST_ROWS]] if len(flows) > 1 else []
    table = _table("goodput in window kbit/s", *(f"flow {i}" for i in ids), "all flows")
    for window in windows:
        columns: list[str | None] = [*ids, None]
        table.add_row(
            escape(window["name"]),
            *(plus_minus(_estimate(records, "goodput_bps", i, window["name"]), 1e3) for i in columns),
        )
    return table


def _deaths(records: Records) -> Table:
    runs = records.runs
    table = _table("where packets died", "packets a run", "of all drops")
    causes = {c: estimate(dropped(r).get(c, 0) for r in runs) for c in {c for r in runs for c in dropped(r)}}
    ranked = sorted(((c, e) for c, e in causes.items() if e.mean > 0), key=lambda item: (-item[1].mean, item[0]))
    total = sum(e.mean for _, e in ranked)
    for cause, e in ranked[:TOP_CAUSES]:
        table.add_row(escape(cause), plus_minus(e), f"{100 * e.mean / total:.0f} %")
    if len(ranked) > TOP_CAUSES:
        rest = sum(e.mean for _, e in ranked[TOP_CAUSES:])
        table.add_row(plural(len(ranked) - TOP_CAUSES, "other cause"), count(rest), f"{100 * rest / total:.0f} %")
    if not ranked:
        table.add_row("nowhere", "0", NOTHING)
    return table


def _ledger(records: Records) -> Text:
    ledgers = [run["ledger"] for run in records.runs]

    def mean(pick: str) -> str:
        amounts = [sum(e.values()) if isinstance(e := ledger[pick], dict) else e for ledger in ledgers]
        return count(sum(amounts) / len(amounts))

    text = Text(
        f"ledger of the whole run, warm-up included, packets a run: "
        f"{mean('created')} created + {mean('copied')} copied = {mean('delivered')} delivered"
        f" + {mean('dropped')} dropped + {mean('absorbed')} absorbed + {mean('in_network')} inside at the end\n"
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


def _acted(arms: Iterable[Records]) -> list[Text]:
    """How often each technique acted; one among others, or in one arm of several, is said of that arm."""
    lines = []
    for arm in arms:
        counted = {t["name"]: t["counter"] for t in arm.scenario["techniques"]}
        for name, counter in counted.items():
            if not counter:
                continue
            n = estimate(t["acted"] for run in arm.runs for t in run["techniques"] if t["name"] == name)
            if n.n and n.mean == 0:
                why = f"{counter} is 0: this is the scenario without it"
                lines.append(Text(f"{name}{_within(arm, name)} never acted ({why})", style="yellow"))
            elif n.n:
                times = plural(float(count(n.mean)), "time")
                lines.append(Text(f"{name}{_within(arm, name)} acted {times} a run ({counter})"))
    return lines


def _within(arm: Records, technique: str) -> str:
    return "" if arm.label == technique else f" in {arm.label}"


def _differences(comparison: Comparison, without: Sequence[str]) -> Table:
    base = comparison.baseline
    heads = {"mean": "mean", "difference": f"difference to {base.label}", "change": "", "correlation": "correlation"}
    columns = [column for column in heads if column not in without]
    table = _table("", *(heads[column] for column in columns), "")
    rows = comparison.rows()
    for figure, flow in dict.fromkeys((row.figure, row.flow) for row in rows):
        mine = [row for row in rows if (row.figure, row.flow) == (figure, flow)]
        if all(row.baseline.n == 0 and row.other.n == 0 for row in mine):
            continue
        known = everywhere()[figure]
        head = known.head if flow is None else f"flow {flow} {known.head}"
        table.add_row(Text(head, style="bold"))
        table.add_row(f"  {escape(base.label)}", plus_minus(mine[0].baseline, known.scale))
        for row in mine:
            cells = _row_cells(row, known.scale)
            table.add_row(f"  {escape(row.technique)}", *(cells[column] for column in columns), _verdict(row))
    return table


def _row_cells(row: Row, scale: float) -> dict[str, str]:
    r = row.pair.correlation
    return {
        "mean": plus_minus(row.other, scale),
        "difference": plus_minus(row.pair.difference, scale, signed=True),
        "change": f"{100 * row.relative.mean:+.1f} %" if row.relative and row.figure != "jain" else "",
        "correlation": NOTHING if math.isnan(r) else f"{r:.2f}",
    }


def _verdict(row: Row) -> Text:
    if row.pair.verdict == "open":
        return Text(f"open: {_how_many(row)}", style="dim")
    return Text(row.pair.verdict, style={True: "green", False: "red", None: ""}[better(row)])


def _how_many(row: Row) -> str:
    if row.pair.difference.n < 2:
        return "one run says nothing"
    if row.pair.more_runs is None:
        return "out of reach"
    return f"about {plural(row.pair.more_runs, 'more run')}"


def _settle(row: Row) -> str:
    if row.pair.difference.n < 2:
        return "one run says nothing, give --runs"
    if row.pair.more_runs is None:
        return f"it is too small against its spread for {MOST_RUNS} runs to settle it"
    return f"{_how_many(row)} would settle it, if mean and spread stay what they are"


def _causes(comparison: Comparison) -> Table:
    table = _table("packets dropped a run", *(arm.label for arm in comparison.arms))
    drops = [(cause, es) for cause, es in comparison.drops().items() if any(e.mean > 0 for e in es)]
    for cause, estimates in drops[:TOP_CAUSES]:
        table.add_row(escape(cause), *(plus_minus(e) for e in estimates))
    if len(drops) > TOP_CAUSES:
        sums = [sum(es[i].mean for _, es in drops[TOP_CAUSES:]) for i in range(len(comparison.arms))]
        table.add_row(plural(len(drops) - TOP_CAUSES, "other cause"), *(count(x) for x in sums))
    if not drops:
        table.add_row("none", *("0" for _ in comparison.arms))
    return table


def _estimate(records: Records, figure: str, flow: str | None = None, window: str | None = None) -> Estimate:
    return estimate(value(run, figure, flow, window) for run in records.runs)
