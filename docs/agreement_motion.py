"""Fifty nodes that move: ns-2's runs over the files of studies/validation/motion, and ours; used by agreement.py.

What was measured stands in `ns2-motion-aodv.csv` and `ns2-motion-dsr.csv`, one row a run, with the program that
measured it, `ns2_motion.py`. Seeds of the two simulators do not correspond; motion and flows are the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from agreement_cases import MEASURED, acknowledged_bps, rows_of

from multihop.measures.stats import estimate
from multihop.record.record import Records
from multihop.running.run import Task, execute
from multihop.scenario.scenario import Scenario
from multihop.store.store import Store

FILES = ("rwp50_101", "rwp50_102", "rwp50_103", "rwp50_104", "rwp50_105")
TECHNIQUES = {"AODV": ("aodv", "arp"), "DSR": ("dsr", "priority-queue", "arp")}
MESSAGES = {"requests": "rreq", "replies": "rrep", "errors": "rerr"}
LIMIT = {"goodput": 0.10, "frames": 0.10} | dict.fromkeys(MESSAGES, 0.25)
"""Ratios further than this from 1, and told apart from it, do not agree."""
SECONDS = 190.0

TEXT = """
profile = "ns2"
[run]
duration = "200 s"
[measure]
warm-up = "10 s"
sample = "200 s"
[topology]
kind = "explicit"
file = "{name}.tcl"
[mac]
data-rate = "2 Mbps"
[tcp]
max-window = 40
segment = "1460 B"
[[flow]]
list = "{name}.flows"
"""
ABOUT = """
### Nodes that move { #ns-2-motion }

50 nodes by random waypoint in 1500 m x 300 m at up to 10 m/s, ten NewReno flows with a window of 40, 10 s to 200 s;
five files of motion and flows, as many seeds of each simulator a file. ARP is on in both. Ours: overlays `aodv+arp` and
`dsr+priority-queue+arp`. Goodput is the sum over the flows; messages count each time that a node sends one, on its way
or tried again, but not errors that ride on DSR's requests. Agrees: goodput and frames within 10 %, messages within
25 %, or not told apart.
"""

Figures = dict[str, list[float]]


def section() -> Iterator[str]:
    """Lines of the page."""
    yield ABOUT
    heads = ["routing", "file", "runs", "goodput kbit/s ns-2", "ours", "ratio", "frames/s", *MESSAGES]
    yield f"| {' | '.join(heads)} |"
    yield "|---|---|" + "---:|" * (len(heads) - 2)
    for routing, sides in measured().items():
        for name, (left, right) in (sides | {"all": _all(sides)}).items():
            cells = [routing, name, str(len(left["goodput"]))]
            cells += [f"{e.mean:.0f} ± {e.half:.0f}" for e in (estimate(s["goodput"]) for s in (left, right))]
            yield f"| {' | '.join([*cells, *(_ratio(left[figure], right[figure], figure) for figure in LIMIT)])} |"


def measured() -> dict[str, dict[str, tuple[Figures, Figures]]]:
    """Both sides of each file of each protocol; ours is not run again where there are records."""
    found: dict[str, dict[str, tuple[Figures, Figures]]] = {}
    for routing, techniques in TECHNIQUES.items():
        rows = rows_of(MEASURED / f"ns2-motion-{routing.lower()}.csv")
        by_file = {name: [row for row in rows if row["motion"] == name] for name in FILES}
        tasks = [_task(name, techniques, len(mine)) for name, mine in by_file.items()]
        store = Store.open(MEASURED.parents[1] / "out" / "agreement")
        records = execute(tasks, store=store, register=False)
        found[routing] = {
            name: (_theirs(mine), _ours(arm)) for (name, mine), arm in zip(by_file.items(), records, strict=True)
        }
    return found


def _task(name: str, techniques: Sequence[str], runs: int) -> Task:
    place = Path(MEASURED) / "motion" / f"{name}.toml"
    scenario = Scenario(f"ns-2 motion {name}", TEXT.format(name=name), str(place))
    return Task(scenario, tuple(techniques), (), None, tuple(range(1, runs + 1)))


def _theirs(rows: Sequence[Mapping[str, str]]) -> Figures:
    def total(row: Mapping[str, str], short: str) -> float:
        return float(row[f"{short}_own"]) + float(row[f"{short}_passed"])

    return {
        "goodput": [float(row["goodput_kbps"]) for row in rows],
        "frames": [float(row["frames_per_s"]) for row in rows],
    } | {name: [total(row, short) for row in rows] for name, short in MESSAGES.items()}


def _ours(records: Records) -> Figures:
    def total(run: Mapping[str, Any], short: str) -> float:
        ways = ("originated", "forwarded", "resent")
        return float(
            sum(n for key, n in run["counters"].items() if key.partition(".")[2] in {f"{short}-{w}" for w in ways})
        )

    runs = records.runs
    return {
        "goodput": [sum(acknowledged_bps(record, SECONDS).values()) / 1e3 for record in records],
        "frames": [sum(sum(node["frames"].values()) for node in run["nodes"]) / SECONDS for run in runs],
    } | {name: [total(run, short) for run in runs] for name, short in MESSAGES.items()}


def _all(sides: Mapping[str, tuple[Figures, Figures]]) -> tuple[Figures, Figures]:
    left, right = ({key: [x for pair in sides.values() for x in pair[side][key]] for key in LIMIT} for side in (0, 1))
    return left, right


def _ratio(left: Sequence[float], right: Sequence[float], figure: str) -> str:
    a, b = estimate(left), estimate(right)
    ratio = b.mean / a.mean
    apart = abs(b.mean - a.mean) > (a.half**2 + b.half**2) ** 0.5 and abs(ratio - 1) > LIMIT[figure]
    return f"**{ratio:.3f}**" if apart else f"{ratio:.3f}"
