"""Whether `advise` keeps what it promises: random scenarios, and the advised gain measured anew on seeds of its own.

    python benches/advice.py --scenarios 50 --seed 2

Each scenario is drawn (kind, size, loss, hidden stations, flows, profile), advised on with a small budget, and what did
best is then measured anew with four times as many runs, on seeds that neither selected nor confirmed it. Two counts
are printed. `inside`: the new mean lies inside the interval that the advice states. `agree`: it lies inside that
interval widened by the error of the new mean itself, which is the prediction interval that a 95 % interval stands for.
"""

from __future__ import annotations

import argparse
import math
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import multihop
from multihop.advising.score import Score, percent
from multihop.measures.stats import Estimate
from multihop.store.store import Store

BUDGET = 90
"""Runs of each search and confirmation."""
TIMES = 4
"""The new measurement has so many times the runs of the confirmation."""
OTHER_SEED = 500_000

Draw = np.random.Generator
Tree = dict[str, Any]


def chain(draw: Draw) -> Tree:
    """A chain with one to three flows."""
    hops = int(draw.integers(1, 9))
    return {"topology": {"kind": "chain", "hops": hops, "spacing": f"{draw.choice([120, 200])} m"}, "nodes": hops + 1}


def star(draw: Draw) -> Tree:
    """Leaves around a middle, hidden from each other or not."""
    leaves = int(draw.integers(3, 7))
    return {"topology": {"kind": "star", "leaves": leaves, "radius": "200 m"}, "nodes": leaves + 1}


def grid(draw: Draw) -> Tree:
    """A grid with several flows."""
    columns, rows = int(draw.integers(2, 5)), int(draw.integers(2, 4))
    return {
        "topology": {"kind": "grid", "columns": columns, "rows": rows, "spacing": "200 m"},
        "nodes": columns * rows,
    }


def scattered(draw: Draw) -> Tree:
    """Random places."""
    nodes = int(draw.integers(6, 13))
    seed = int(draw.integers(1, 1000))
    return {
        "topology": {"kind": "random", "nodes": nodes, "width": "600 m", "height": "400 m", "seed": seed},
        "nodes": nodes,
    }


def mobile(draw: Draw) -> Tree:
    """Nodes that walk, so that paths break."""
    nodes = int(draw.integers(5, 9))
    speed = int(draw.integers(2, 16))
    return {
        "topology": {"kind": "random", "nodes": nodes, "width": "600 m", "height": "300 m", "connected": False},
        "mobility": {"kind": "random-waypoint", "max-speed": f"{speed} m/s", "start": "stationary"},
        "routing": {"kind": str(draw.choice(["aodv", "dsdv"]))},
        "nodes": nodes,
    }


KINDS: dict[str, Callable[[Draw], Tree]] = {
    "chain": chain,
    "star": star,
    "grid": grid,
    "random": scattered,
    "mobile": mobile,
}


def drawn(kind: str, draw: Draw) -> Tree:
    """A scenario of a kind."""
    tree = KINDS[kind](draw)
    nodes = tree.pop("nodes")
    duration = 60 if kind == "mobile" else 25
    air: Tree = {}
    if draw.random() < 0.4:
        air["bit-error-rate"] = float(10 ** draw.uniform(-6, -4.2))
    if draw.random() < 0.3:
        reach = dict.fromkeys(("range", "sense-range", "interference-range"), "250 m")
        air |= {"propagation": "disk", **reach}
    flows = [flow(nodes, draw) for _ in range(int(draw.integers(1, 4)))]
    if kind == "chain":
        flows[0] |= {"from": "0", "to": str(nodes - 1)}
    return {
        "profile": str(draw.choice(["ns2", "rfc", "linux24"] if not air else ["ns2", "rfc"])),
        "run": {"duration": f"{duration} s"},
        "measure": {"warm-up": "5 s"},
        "routing": {"kind": "static"},
        "mac": {"rts-threshold": str(draw.choice(["0 B", "65535 B"]))},
        "tcp": {"max-window": int(draw.choice([8, 20, 40]))},
        **({"air": air} if air else {}),
        **tree,
        "flow": flows,
    }


def flow(nodes: int, draw: Draw) -> Tree:
    """A transfer, or datagrams at a constant rate, between two nodes."""
    one, other = draw.choice(nodes, 2, replace=False)
    ends = {"from": str(one), "to": str(other)}
    if draw.random() < 0.3:
        rate = f"{draw.choice([50, 150, 400])} kbps"
        return {"kind": "cbr", "transport": "udp", "rate": rate, "packet": "500 B", **ends}
    return {"kind": "bulk", **ends}


@dataclass(frozen=True)
class Result:
    """What was promised for a scenario, and what was measured anew."""

    kind: str
    label: str
    helps: bool
    promised: Estimate
    anew: Estimate

    @property
    def inside(self) -> bool:
        """Whether the new mean lies inside the stated interval."""
        return self.promised.low <= self.anew.mean <= self.promised.high

    @property
    def agree(self) -> bool:
        """Whether it lies inside the prediction interval for it."""
        return abs(self.anew.mean - self.promised.mean) <= math.hypot(self.promised.half, self.anew.half)

    def line(self) -> str:
        """One line."""
        promised = "{:+.1f} % [{:+.1f}, {:+.1f}]".format(
            *(percent(x) for x in (self.promised.mean, self.promised.low, self.promised.high))
        )
        what = "advised" if self.helps else "best, not advised"
        return f"{self.kind}: {self.label} ({what}): {promised}; anew {percent(self.anew.mean):+.1f} %; {self.inside}"


def judge(kind: str, scenario: Tree, store: Store, budget: int) -> Result | None:
    """Advises on a scenario and measures the gain anew; None if nothing did better in the search."""
    advice = multihop.advise(scenario, budget_runs=budget, store=store)
    found = advice.found
    if found is None:
        return None
    arms = [[], list(found.candidate.techniques)]
    made = multihop.load(scenario).compare(arms, runs=TIMES * found.runs, seed=OTHER_SEED, store=store)
    measure = made.baseline.scenario["measure"]
    score = Score(found.comparison.baseline.runs, measure["to_s"] - measure["from_s"])
    gain = score.gain(made.arms[0].runs, made.arms[1].runs)
    return Result(kind, found.candidate.label, found.helps, found.gain, gain)


def usable(scenario: Tree) -> bool:
    """Whether some flow can get something: where no path leads anywhere there is nothing to advise on."""
    try:
        known = multihop.check(scenario)
    except multihop.MultihopError:
        return False
    return "mobility" in scenario or all(flow["hops"] for flow in known["flows"])


def study(scenarios: int, seed: int, store: Store, budget: int = BUDGET) -> list[tuple[str, Result | None]]:
    """So many scenarios, the kinds in turn."""
    draw = np.random.default_rng(seed)
    found: list[tuple[str, Result | None]] = []
    kinds = list(KINDS)
    while len(found) < scenarios:
        kind = kinds[len(found) % len(kinds)]
        scenario = drawn(kind, draw)
        if not usable(scenario):
            continue
        result = judge(kind, scenario, store, budget)
        found.append((kind, result))
        print(len(found), result.line() if result else f"{kind}: nothing did better", flush=True)
    return found


def table(found: Sequence[tuple[str, Result | None]]) -> list[str]:
    """Counts by kind, as a Markdown table."""
    lines = ["| kind | scenarios | advised | inside | agree | stated, not advised | inside | agree |"]
    lines.append("|" + "---|" * 8)
    for kind in [*KINDS, "all"]:
        mine = [result for name, result in found if kind in (name, "all")]
        cells = [kind, str(len(mine))]
        for helps in (True, False):
            stated = [r for r in mine if r is not None and r.helps is helps]
            cells += [str(n) for n in (len(stated), sum(r.inside for r in stated), sum(r.agree for r in stated))]
        lines.append("| " + " | ".join(cells) + " |")
    return lines


def main() -> None:
    """Runs the study and prints the counts."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scenarios", type=int, default=50)
    parser.add_argument("--seed", type=int, default=2)
    parser.add_argument("--store", type=Path, help="keeps the runs, so that a study can be continued")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        found = study(asked.scenarios, asked.seed, Store.open(asked.store or Path(folder) / "store"))
    print("\n".join(table(found)))


if __name__ == "__main__":
    main()
