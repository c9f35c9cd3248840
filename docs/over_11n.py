"""Tries each shipped technique on `mesh-11n` and writes docs/results/over-11n.md: what each still does over 802.11n.

    python docs/over_11n.py              run what is not in the store, and write the page
    python docs/over_11n.py --runs 3     with fewer runs

Records are kept in out/over-11n, so that a second call runs only what has changed. Whether a technique acts is read
from the engine: whether it resolves, what it changes, and what its counter says after the runs.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import tomllib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import multihop
from multihop import _engine
from multihop.errors import ScenarioError
from multihop.measures.stats import estimate
from multihop.measures.summary import causes
from multihop.record.comparison import Comparison
from multihop.store.store import Store

if TYPE_CHECKING:
    from multihop.record.comparison import Row
    from multihop.record.record import Records
    from multihop.scenario.scenario import Scenario

ROOT = Path(__file__).resolve().parents[1]
PAGE, KEPT = ROOT / "docs" / "results" / "over-11n.md", ROOT / "out" / "over-11n"
NETWORK = "mesh-11n"
FAR = "far"
"""The flow with the longest path."""
GOODPUT, DELAY = "goodput_bps", "delay_mean_s"
PAPERS = {
    "Contention (Hamadani & Rakocevic)": ("tcp-dcr", "e-dcr", "dcr-double-retry"),
    "A queue that keeps (Ohzahata & Kawashima)": ("persistent-queue",),
    "Flow control (Seok, Park & Choi)": ("vertical-flow-control", "horizontal-flow-control", "no-cts"),
    "Route failures (Sridhara & Subramanya)": ("atcp", "modified-atcp", "modified-atcp-sack", "elfn", "tcp-f"),
    "The Flexible Radio Network (Yuki)": (
        *("frn", "frn-calm", "combined-data-ack", "adaptive-retransmission", "csma-cd-reset", "load-spreading"),
    ),
}
"""The cures of the five papers that are reproduced."""
BESIDE = {"enic": "aodv"}
"""Techniques that are tried beside another, and compared with it."""
PARTLY = {
    "arf": "a frame counts as acknowledged if any of its MPDUs is",
    "persistent-queue": "no packet is given up, so none is kept; turns by destination act, as with `drr`",
    "retries": "MPDUs have limits of their own (`mac.aggregation`): only windows fall back later",
}
"""What of a technique is lost on aggregates, where the engine does not say it by itself."""
HEAD = """<!-- Written by docs/over_11n.py: do not edit. -->

# Which techniques still help over 802.11n?

The cures of the papers were made for 802.11 at 2 Mb/s, one packet a frame. Here each shipped technique is tried, alone
and with its default values, on [`mesh-11n`](../reference/scenarios.md#mesh-11n): a street of fifteen roofs with
802.11n, A-MPDUs, Minstrel-HT, CUBIC and FQ-CoDel, as OpenWrt and Linux have them. Four TCP transfers share it.

*Change* is that of the goodput of all flows together, run by run against the same seed without the technique:
{runs} runs of 30 s, with the 95 % interval. **Bold** changes are certain: they stay so when the number of techniques is
taken into account (Holm). *Farthest* is the change for the flow with the longest path: a sum grows also where short
paths take what long ones had.

| over 802.11n | means |
|---|---|
| acts | it changes the run |
| acts partly | part of what it does is lost; the last column says which |
| no occasion | it is on, and nothing happened that it could act on: the run is the same to the last bit |
| there already | the scenario has what it sets |
| replaces | it puts another MAC in the place of 802.11n |
| refused | it does not start; the reason is the engine's |
"""


@dataclass(frozen=True)
class Tried:
    """What became of one technique."""

    name: str
    fate: str
    why: str = ""
    row: Row | None = None
    far: Row | None = None
    delay_ms: float | None = None

    @property
    def certain(self) -> bool:
        """Whether its change is settled among so many, and large enough to matter."""
        return self.row is not None and self.row.adjusted_verdict in ("higher", "lower") and self.row.matters


def values(scenario: Scenario, techniques: Sequence[str]) -> dict[str, Any]:
    """What the scenario resolves to; raises ScenarioError."""
    return {path: of["value"] for path, of in json.loads(scenario.resolve(techniques).json())["values"].items()}


def reason(error: ScenarioError) -> str:
    """The engine's reason, without the place in the file and what to write instead."""
    said = re.sub(r"^\S+\.toml:\d+:\d+: ", "", str(error))
    if found := re.search(r"(\w[^:;]*\(`[^`]+`\) acts on one frame an exchange)", said):
        return found[1]
    if found := re.search(r"cannot act: (it needs [^;]*)", said):
        return found[1]
    return said


def counted(arm: Records, counter: str) -> list[float]:
    """What a counter says in each run."""
    return [float(record.data["counters"].get(counter, 0)) for record in arm]


def same(one: Records, other: Records) -> bool:
    """Whether all runs of both are alike."""
    return all(a.data["flows"] == b.data["flows"] for a, b in zip(one, other, strict=True))


def judge(name: str, arm: Records, comparison: Comparison, own: dict[str, Any]) -> Tried:
    """What a technique that ran did."""
    row, far = (comparison.row(arm, GOODPUT, flow) for flow in (None, FAR))
    delay = estimate(arm.values(DELAY).tolist()).mean * 1e3
    told = partial(Tried, name, row=row, far=far, delay_ms=delay)
    counter = own.get("counter", "")
    if same(arm, comparison.baseline):
        return told("no occasion", f"`{counter}` stays 0" if counter and not any(counted(arm, counter)) else "")
    if name in PARTLY:
        return told("acts partly", PARTLY[name])
    if counter and not any(counted(arm, counter)):
        return told("acts", f"`{counter}` stays 0 in the measured time")
    times = sum(counted(arm, counter)) / len(arm) if counter else 0
    return told("acts", f"`{counter}`: {times:,.0f} a run" if times and not counter.startswith("tcp.") else "")


def tried(runs: int, threads: int | None) -> tuple[list[Tried], Records]:
    """Each shipped technique, and the runs without any."""
    scenario = multihop.load(NETWORK)
    bare = values(scenario, [])
    overlays = {name: tomllib.loads(text) for name, text in sorted(_engine.shipped("techniques").items())}
    settled: dict[str, Tried] = {}
    for name in overlays:
        try:
            resolved = values(scenario, [name])
        except ScenarioError as error:
            settled[name] = Tried(name, "refused", reason(error))
            continue
        if resolved == bare and name != "none":
            settled[name] = Tried(name, "there already")
        elif resolved["link.kind"] != bare["link.kind"]:
            settled[name] = Tried(name, "replaces", f"`link.kind` = {resolved['link.kind']}")
    alone = [name for name in overlays if name not in settled and name != "none"]
    run = partial(scenario.compare, runs=runs, threads=threads, store=Store.open(KEPT))
    together = run(["none", *alone])
    found = [judge(n, arm, together, overlays[n]) for n, arm in zip(alone, together.arms[1:], strict=True)]
    for name, base in BESIDE.items():
        pair = run([base, f"{base}+{name}"])
        found.append(judge(f"{base}+{name}", pair.arms[1], pair, overlays[name]))
    return [*found, *settled.values()], together.baseline


def change(row: Row | None, *, certain: bool) -> str:
    """`**+9.4 % ± 1.2 %**` where it is certain."""
    if row is None or row.relative is None:
        return ""
    if row.pair.verdict == "equal":
        return "0"
    words = f"{row.relative.mean:+.1%} ± {row.relative.half:.1%}".replace("%", " %")
    return f"**{words}**" if certain else words


def page(found: Sequence[Tried], bare: Records) -> str:
    """The whole page."""
    by_name = {one.name: one for one in found}
    parts = [HEAD.format(runs=len(bare)), summary(found), deaths(bare), "## The cures of the five papers\n"]
    shown = set()
    for paper, names in PAPERS.items():
        parts += [f"### {paper}\n", table([by_name[name] for name in names])]
        shown |= set(names)
    rest = sorted((one for one in found if one.name not in shown), key=_gain, reverse=True)
    level = estimate(bare.values(GOODPUT).tolist())
    parts += [
        "## All other techniques\n",
        f"The best first. Without any technique the sum is {level.mean / 1e6:.1f} ± {level.half / 1e6:.1f} Mb/s.\n",
        table(rest),
        "`python docs/over_11n.py` makes this page again. One technique: `multihop compare mesh-11n -t none,NAME`.\n",
    ]
    return "\n".join(parts)


def _gain(one: Tried) -> float:
    return one.row.relative.mean if one.row and one.row.relative else -9.0


def table(found: Sequence[Tried]) -> str:
    """A row for each technique."""
    lines = ["| technique | over 802.11n | change | farthest | mean delay ms | |", "|---|---|--:|--:|--:|---|"]
    for one in found:
        delay = "" if one.delay_ms is None else f"{one.delay_ms:.0f}"
        cells = [
            f"`{one.name}`",
            one.fate,
            change(one.row, certain=one.certain),
            change(one.far, certain=False),
            delay,
            one.why,
        ]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def summary(found: Sequence[Tried]) -> str:
    """Which help, which harm, and which of the papers' cures do."""
    cures = {name for names in PAPERS.values() for name in names}

    def names(of: Sequence[Tried]) -> str:
        return ", ".join(f"`{one.name}`" for one in sorted(of, key=_gain, reverse=True)) or "none"

    certain = [one for one in found if one.certain]
    up = [one for one in certain if _gain(one) > 0]
    down = [one for one in certain if _gain(one) < 0]
    ran = [one for one in found if one.row is not None]
    open_ = [one for one in ran if one.name in cures and not one.certain and one.fate != "no occasion"]
    robbed = [one for one in up if one.far is not None and one.far.pair.verdict == "lower"]
    paid = f" The flow with the longest path loses by: {names(robbed)}." if robbed else ""
    return "\n".join(
        [
            "## In short\n",
            f"* Certain gains of 1 % or more: {names(up)}.{paid}",
            f"* Certain losses: {names(down)}.",
            f"* Of the papers' cures, certain gains: {names([one for one in up if one.name in cures])}; "
            f"certain losses: {names([one for one in down if one.name in cures])}.",
            f"* Of the papers' cures, no change that is certain after so few runs: {names(open_)}.",
            "* Of the papers' cures, no occasion here: "
            f"{names([one for one in found if one.name in cures and one.fate == 'no occasion'])}.",
            "* Of the papers' cures, they cannot act on 802.11n: "
            f"{names([one for one in found if one.name in cures and one.fate in ('refused', 'replaces')])}.",
            "",
        ]
    )


def deaths(bare: Records) -> str:
    """What packets die of without any technique: that is what cures of losses can act on."""
    counts: Counter[str] = Counter()
    for record in bare:
        counts.update(causes(record.data))
    said = ", ".join(f"{cause} {count / len(bare):.0f}" for cause, count in counts.most_common())
    return (
        f"Why cures of losses find so little to do: few packets die on their way ({said} a run). Block\n"
        "acks repeat what the air destroys, up to 30 times, so the MAC gives up next to nothing. What is left\n"
        "to gain lies in windows, queues and the sharing of the air.\n"
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=10, help="runs of each technique (10)")
    parser.add_argument("--threads", type=int, help="runs at a time; default: one a processor")
    options = parser.parse_args(arguments)
    PAGE.write_text(page(*tried(options.runs, options.threads)), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
