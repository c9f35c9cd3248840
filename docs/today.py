"""Runs the sweep `today` and writes docs/results/today.md: which cures still pay beside the TCP and queues of today.

    python docs/today.py              as many runs as the sweep says
    python docs/today.py --runs 3     fewer, for a look
    python docs/today.py --only rwp   one scenario; what the page says of the others stays

Records are kept in out/today, so that a second call runs only what has changed.
"""

from __future__ import annotations

import argparse
import re
import sys
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import multihop
from multihop import _engine
from multihop.errors import ScenarioError
from multihop.measures.stats import estimate
from multihop.out.sweep import Bar
from multihop.record.comparison import Comparison
from multihop.store.store import Store

if TYPE_CHECKING:
    from multihop.record.comparison import Row
    from multihop.record.record import Records

ROOT = Path(__file__).resolve().parents[1]
PAGE, KEPT = ROOT / "docs" / "results" / "today.md", ROOT / "out" / "today"
CONTROLS, QUEUES = ("newreno", "cubic", "bbr"), ("fifo", "fq-codel")
SETTINGS = [(control, queue) for control in CONTROLS for queue in QUEUES]
NAMES = {"newreno": "NewReno", "cubic": "CUBIC", "bbr": "BBR", "fifo": "FIFO", "fq-codel": "FQ-CoDel"}
GOODPUT = "goodput_bps"
HEAD = """<!-- Written by docs/today.py: do not edit. -->

# Which cures still pay?

The cures of the papers were judged beside Reno and a FIFO queue. Hosts run CUBIC or BBR today, and routers run
FQ-CoDel. `multihop sweep today` runs each cure beside three congestion controls and two queues.

A cell says by how much the cure changes the goodput of all flows together. It is compared with the same congestion
control and queue without the cure, run by run, with the 95 % interval. **Bold** cells are certain: they stay so when
the number of cures in their column is taken into account (Holm). An empty cell is a pair that cannot be combined.

The FIFO queue holds 50 packets. FQ-CoDel has the values of Linux on Wi-Fi (target 20 ms, interval 100 ms). All else
is as in the scenario. `chain`, `random` and `rwp` have 802.11b at 2 Mb/s, with a window of at most 20 or 40 segments.
`mesh-11n` has 802.11n with aggregates, and loss recovery and windows as in Linux. Cures of the slotted link of the
[Flexible Radio Network](frn.md) need another MAC, and are not here. [Which techniques still help over
802.11n](over-11n.md) tries the others on `mesh-11n`, too.
"""

Grid = dict[str, dict[tuple[str, str], "Row"]]


def grid(cells: Sequence[Records]) -> tuple[Grid, dict[tuple[str, str], Records]]:
    """The comparisons of a scenario by cure and setting, and the runs without a cure by setting."""
    by_setting: dict[tuple[str, str], list[Records]] = {setting: [] for setting in SETTINGS}
    for records in cells:
        control, queue = records.techniques[:2]
        by_setting[control, queue].append(records)
    found: Grid = {}
    for setting, arms in by_setting.items():
        comparison = Comparison(arms)
        for arm in comparison.arms[1:]:
            found.setdefault("+".join(arm.techniques[len(setting) :]), {})[setting] = comparison.row(arm, GOODPUT)
    return found, {setting: arms[0] for setting, arms in by_setting.items()}


def section(scenario: str, cells: Sequence[Records]) -> str:
    """The table of one scenario, and what it says."""
    cures, bare = grid(cells)
    heads = [f"{NAMES[control]}, {NAMES[queue]}" for control, queue in SETTINGS]
    lines = [
        "| cure | " + " | ".join(heads) + " |",
        "|---|" + "--:|" * len(heads),
        "| *without: kbit/s* | " + " | ".join(_level(bare[setting]) for setting in SETTINGS) + " |",
    ]
    for cure, rows in cures.items():
        lines.append(f"| `{cure}` | " + " | ".join(_cell(rows.get(setting)) for setting in SETTINGS) + " |")
    summary = tomllib.loads(_engine.shipped("scenarios")[scenario])["summary"]
    head = f"{summary[:1].lower()}{summary[1:]}"
    runs = max(map(len, bare.values()))
    return f"\n## `{scenario}`: {head}\n\n{runs} runs of each.\n\n{_said(cures)}\n\n" + "\n".join(lines) + "\n"


def kept() -> dict[str, str]:
    """The sections of the page as it stands, by scenario."""
    found = re.split(r"(?m)^(?=## `)", PAGE.read_text(encoding="utf-8"))[1:]
    return {text.split("`")[1]: f"\n{text.rstrip()}\n" for text in found}


def _level(records: Records) -> str:
    found = estimate(records.values(GOODPUT).tolist())
    return f"{found.mean / 1e3:.0f} ± {found.half / 1e3:.0f}"


def _cell(row: Row | None) -> str:
    if row is None or row.relative is None:
        return ""
    if row.pair.verdict == "equal":
        return "0"
    words = f"{row.relative.mean:+.1%} ± {row.relative.half:.1%}"
    return f"**{words}**" if row.adjusted_verdict in ("higher", "lower") else words


def _said(cures: Grid) -> str:
    """Which cures help with every pair of congestion control and queue, with some, and which harm."""

    def settings(rows: dict[tuple[str, str], Row], verdict: str) -> int:
        return sum(row.adjusted_verdict == verdict and row.matters for row in rows.values())

    always = [c for c, rows in cures.items() if settings(rows, "higher") == len(rows)]
    harm = [c for c, rows in cures.items() if settings(rows, "lower") and not settings(rows, "higher")]
    some = [c for c, rows in cures.items() if settings(rows, "higher") and c not in always]
    rest = [c for c in cures if c not in (*always, *harm, *some)]
    said = {
        "Certain gains of 1 % or more in every column": always,
        "In some columns": some,
        "Certain losses, and no gain": harm,
        "Nothing certain of 1 % or more": rest,
    }
    if refused := [cure for cure in asked_for() if cure != "none" and cure not in cures]:
        said["Refused here, as they act on one frame an exchange"] = refused
    return "\n".join(f"* {head}: {', '.join(f'`{cure}`' for cure in found) or 'none'}." for head, found in said.items())


def asked_for() -> list[str]:
    """The cures of the sweep, and `none`."""
    return list(tomllib.loads(_engine.shipped("sweeps")["today"])["sweep"]["techniques"])


def taken(name: str) -> list[str]:
    """Those that a scenario does not refuse."""
    scenario = multihop.load(name)

    def works(cure: str) -> bool:
        try:
            scenario.resolve(cure)
        except ScenarioError:
            return False
        return True

    return [cure for cure in asked_for() if works(cure)]


def main(arguments: Sequence[str]) -> None:
    """Runs what is missing, and writes the page."""
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("--runs", type=int)
    asked.add_argument("--sweep", default="today", help="another file with the same lists of techniques")
    asked.add_argument("--only", help="run this scenario alone")
    asked.add_argument("--threads", type=int, help="runs at a time; default: one a processor")
    options = asked.parse_args(arguments)
    over = {"scenario": [options.only]} if options.only else {}
    cures = taken(options.only) if options.only else ()
    with Bar() as bar:
        made = multihop.sweep(
            options.sweep, over, cures, runs=options.runs, threads=options.threads, store=Store.open(KEPT), watch=bar
        )
    by_scenario: dict[str, list[Records]] = {}
    for (scenario,), records in zip(made.values, made.records, strict=True):
        by_scenario.setdefault(scenario, []).append(records)
    sections = (kept() if options.only else {}) | {name: section(name, cells) for name, cells in by_scenario.items()}
    PAGE.write_text(HEAD + "".join(sections.values()), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
