"""Runs shipped scenarios as networks were measured elsewhere, and writes docs/results/published.md with its pictures.

    python docs/published.py             run what is not in the store, and write the page
    python docs/published.py --runs 2    with fewer runs

`tests/test_published.py` holds what the page says against the same networks. What others measured stands here with its
source; all other figures of the page are measured by this program.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import multihop
from multihop.measures.stats import estimate
from multihop.plots.style import COLOURS, INK, MARKERS, canvas, legend_below, save, styled
from multihop.store.store import Store

if TYPE_CHECKING:
    from multihop.measures.stats import Estimate

ROOT = Path(__file__).resolve().parents[1]
IMAGES = ROOT / "docs" / "images"
PAGE, KEPT = ROOT / "docs" / "results" / "published.md", ROOT / "out" / "published"
HOPS = (1, 2, 3, 4, 5)
SHARED: Mapping[str, Any] = {
    "air.propagation": "disk",
    "air.range": "250 m",
    "air.sense-range": "1500 m",
    "air.interference-range": "1500 m",
}
"""All stations of a chain of five hops sense each other."""
ONE: Mapping[str, Any] = {"channels.plan": "all", "channels.list": [36]}
FOUR: Mapping[str, Any] = {"channels.plan": "alternate", "channels.list": [36, 52, 100, 149]}
FIVE: Mapping[str, Any] = {"channels.plan": "alternate", "channels.list": [36, 52, 100, 116, 149]}
OLD: Mapping[str, Any] = {
    "mac.standard": "802.11a",
    "mac.data-rate": "6 Mbps",
    "mac.rts-threshold": "3000 B",
    "flow.1.rate": "6 Mbps",
    "flow.1.packet": "1472 B",
}
"""802.11a at its slowest rate and more datagrams than it carries, as in the measured chain."""
CHAINS: Mapping[str, tuple[str, Mapping[str, Any]]] = {
    "one radio, all in reach": ("backhaul-11ac", {**ONE, **SHARED}),
    "one radio": ("backhaul-11ac", ONE),
    "two radios, four channels": ("backhaul-11ac", {}),
    "two radios, five channels": ("backhaul-11ac", FIVE),
    "802.11a, one radio": ("udp-chain", OLD),
    "802.11a, two radios": ("udp-chain", {**OLD, **FOUR}),
}
"""Chains by name: a shipped scenario, and what is set beside the number of hops."""
NEW = tuple(name for name in CHAINS if not name.startswith("802.11a"))
MEASURED: Mapping[str, Mapping[int, float]] = {
    "802.11a, one radio": {1: 5.35, 2: 2.02, 3: 1.47},
    "802.11a, two radios": {2: 5.03, 3: 5.03, 4: 5.03, 5: 5.03},
}
"""What a testbed measured [Mb/s]; of two radios the notes have a range, 5.03 to 5.10, and here is its lower end."""
ROOFNET = {1: 2451, 2: 771, 3: 362, 4: 266, 5: 210}
"""TCP over Roofnet by hops [kb/s]: Bicket and others, MobiCom 2005, table 2."""
DOWN: Mapping[str, Any] = {
    **{
        f"flow.{i}.{end}": node
        for i, station in enumerate(("near", "desk", "garden"), 1)
        for end, node in (("from", "access"), ("to", station))
    },
    "mac.aggregation.window": 64,
}
"""The access point sends aggregates to the three stations."""
CELLS: Mapping[str, tuple[str, Mapping[str, Any]]] = {
    "up, one frame an exchange, without the slow one": ("none", {"flow.3.start": "1000 s"}),
    "up, one frame an exchange": ("none", {}),
    "up, aggregates": ("none", {"mac.aggregation.window": 64}),
    "down, aggregates, FIFO of 1000 packets": ("fifo:1000", DOWN),
    "down, aggregates, airtime fairness": ("airtime-fairness", DOWN),
}
"""The cell of `slow-station` by name: a technique, and what is set."""
THEIRS: Mapping[str, str] = {
    "up, one frame an exchange": "all get about what the slow one gets (Heusse and others, 802.11b)",
    "down, aggregates, FIFO of 1000 packets": "about 7, 6 and 5 (Høiland-Jørgensen and others)",
    "down, aggregates, airtime fairness": "about 39, 36 and 2 (Høiland-Jørgensen and others)",
}
HEAD = """<!-- Written by docs/published.py: do not edit. -->

# What measured networks say

Simulations agree with other simulations more easily than with networks. Here are measurements that others published,
and what shipped scenarios give in like networks. The figures are not expected to be equal: rates, distances and walls
are others. What must be the same is how goodput changes with hops, with a second radio, and with one slow station.
Means of {runs} runs, with 95 % intervals. `tests/test_published.py` holds the statements below against new runs.
"""


def chain(name: str, hops: int, runs: int, more: Mapping[str, Any], threads: int | None = None) -> Estimate:
    """Goodput of a chain [Mb/s]."""
    scenario, settings = CHAINS[name]
    records = multihop.load(scenario).run(
        runs=runs, set={**settings, "topology.hops": hops, **more}, threads=threads, store=Store.open(KEPT)
    )
    return estimate((records.values("goodput_bps") / 1e6).tolist())


def cell(name: str, runs: int, more: Mapping[str, Any], threads: int | None = None) -> list[Estimate]:
    """Goodput of the two fast stations and the slow one [Mb/s]."""
    technique, settings = CELLS[name]
    records = multihop.load("slow-station").run(
        runs=runs, techniques=technique, set={**settings, **more}, threads=threads, store=Store.open(KEPT)
    )
    return [estimate([float(record.flows["goodput_bps"][i]) / 1e6 for record in records]) for i in range(3)]


def written(found: Estimate) -> str:
    """`130.1 ± 0.4`."""
    digits = 0 if found.mean >= 100 else 1 if found.mean >= 10 else 2
    return f"{found.mean:.{digits}f} ± {found.half:.{digits}f}"


def chains_section(found: Mapping[str, Sequence[Estimate]]) -> str:
    """Goodput over the hops of a chain."""
    head = "| " + " | ".join(["chain", *(f"{h} hop{'s' * (h > 1)}" for h in HOPS)]) + " |\n|---|" + "--:|" * len(HOPS)

    def row(name: str, cells: Sequence[str]) -> str:
        return f"| {name} | {' | '.join(cells)} |"

    rows = [row(name, [written(one) for one in found[name]]) for name in NEW]
    first = found["one radio, all in reach"][0].mean
    rows.append(row("*one hop divided by h*", [f"{first / h:.0f}" for h in HOPS]))
    old = []
    for name, measured in MEASURED.items():
        old.append(row(f"{name}, ours", [written(one) for one in found[name]]))
        old.append(row(f"{name}, measured", [f"{measured[h]:.2f}" if h in measured else "" for h in HOPS]))
    one, two = found["one radio"], found["two radios, five channels"]
    last = found["two radios, four channels"][-1]
    shares = ", ".join(f"{kbps / ROOFNET[1]:.2f}" for kbps in ROOFNET.values())
    ours = ", ".join(f"{each.mean / one[0].mean:.2f}" for each in one)
    return f"""
## One radio, and two radios in turn

![Goodput over hops, as a share of one hop](../images/published-hops.svg)

One TCP transfer over [`backhaul-11ac`](../reference/scenarios.md#backhaul-11ac), 802.11ac at MCS 7 with two streams
over 80 MHz and aggregates \\[Mb/s\\]:

{chr(10).join([head, *rows])}

* **Where all stations hear each other, one radio falls as 1/h.** One hop sends at a time. 802.11s meshes were measured
  to do so (Hiertz and others, *IEEE 802.11s: The WLAN Mesh Standard*, IEEE Wireless Communications 17(1), 2010, figure
  6).
* **At 200 m a hop it falls faster**: stations three hops apart do not sense each other, and their frames collide. As
  shares of one hop: {ours}. Roofnet, 802.11b on roofs, had {shares} over one to five hops (Bicket, Aguayo, Biswas and
  Morris, MobiCom 2005, table 2). Its paths differ in their links, too.
* **Two radios a relay, on channels in turn, stay flat**: {two[-1].mean:.0f} Mb/s over five hops,
  {two[0].mean:.0f} over one. With four channels the fifth hop has the channel of the first again, and the goodput is
  {last.mean:.0f} Mb/s. The sender of the fifth hop is 600 m from the receiver of the first, and 19 dB below its signal:
  MCS 7 needs more.

A testbed of 802.11a at 6 Mb/s measured UDP, sent as fast as possible (notes without an author in the wiki of a code
repository, page *Multi-Hop*). Ours is [`udp-chain`](../reference/scenarios.md#udp-chain) with the same rate \\[Mb/s\\]:

{chr(10).join([head, *old])}

Of two radios the notes have 5.03 to 5.10 Mb/s for two to six hops. Their two hops lose more than ours: 40 % of what the
source sends dies at the relay.
"""


def cells_section(found: Mapping[str, Sequence[Estimate]]) -> str:
    """The goodput of fast stations and a slow one."""
    lines = ["| three stations, one access point | fast | fast | slow | measured by others |", "|---|--:|--:|--:|---|"]
    lines += [
        f"| {name} | {' | '.join(written(one) if one.mean else '' for one in each)} | {THEIRS.get(name, '')} |"
        for name, each in found.items()
    ]
    free, anomaly, packed, fifo, fair = found.values()
    gain = (fair[0].mean + fair[1].mean) / (fifo[0].mean + fifo[1].mean)
    return f"""
## The anomaly of one slow station

![Goodput of two fast stations and a slow one](../images/published-slow.svg)

[`slow-station`](../reference/scenarios.md#slow-station), UDP as fast as possible \\[Mb/s\\]:

{chr(10).join(lines)}

* **One frame an exchange**: with the slow station a fast one gets {anomaly[0].mean:.1f} Mb/s, without it
  {free[0].mean:.1f}. Stations take turns by frames, and the slow one's last longest. Heusse, Rousseau, Berger-Sabbatel
  and Duda found it in 802.11b (*Performance Anomaly of 802.11b*, INFOCOM 2003).
* **Aggregates up**: each station fills frames of like length in time, so the fast ones get {packed[0].mean:.0f} Mb/s.
* **Down**, the queue of the access point decides. FIFO gives all three equally many packets. With airtime fairness the
  fast ones get {gain:.1f} times as much, and the slow one {fair[2].mean / fifo[2].mean:.1f} times. Høiland-Jørgensen,
  Kazior, Täht, Hurtig and Brunstrom measured the same turn (*Ending the Anomaly*, USENIX ATC 2017, table 1), with a
  slow station at 7.2 Mb/s. Ours is faster, so that its FIFO costs less.
"""


def draw_hops(found: Mapping[str, Sequence[Estimate]], path: Path) -> None:
    """Shares of one hop over the number of hops."""
    with styled():
        figure, grid = canvas(7.0, 3.6)
        axes = grid[0][0]
        for i, name in enumerate(NEW):
            first = found[name][0].mean
            means, bars = ([getattr(one, what) / first for one in found[name]] for what in ("mean", "half"))
            axes.errorbar(HOPS, means, bars, marker=MARKERS[i], color=COLOURS[i], label=name, capsize=2)
        axes.plot(HOPS, [1 / h for h in HOPS], ":", color=INK, label="1/h")
        roofs = [kbps / ROOFNET[1] for kbps in ROOFNET.values()]
        axes.plot(HOPS, roofs, "*", color=INK, label="Roofnet, measured")
        axes.set(xlabel="hops", ylabel="goodput, share of one hop", ylim=(0, 1.12), xticks=HOPS)
        legend_below(figure, axes, columns=3)
        save(figure, path)


def draw_cells(found: Mapping[str, Sequence[Estimate]], path: Path) -> None:
    """A group of three bars for each setting."""
    with styled():
        figure, grid = canvas(7.0, 3.2)
        axes = grid[0][0]
        for i, (name, hatch) in enumerate((("fast", ""), ("fast, the second", "//"), ("slow", "\\\\"))):
            places = [-(group + 0.25 * (i - 1)) for group in range(len(found))]
            there = [each[i] if each[i].mean else None for each in found.values()]
            means, bars = ([getattr(one, what) if one else math.nan for one in there] for what in ("mean", "half"))
            axes.barh(places, means, 0.23, xerr=bars, color=COLOURS[i], hatch=hatch, label=name, capsize=2)
        axes.set_yticks([-group for group in range(len(found))], list(found))
        axes.set(xlabel="goodput, Mb/s")
        axes.grid(visible=False, axis="y")
        legend_below(figure, axes, columns=3)
        save(figure, path)


def main(arguments: Sequence[str] | None = None) -> int:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=5, help="runs of each network (5)")
    parser.add_argument("--threads", type=int, help="runs at a time; default: one a processor")
    options = parser.parse_args(arguments)
    more: Mapping[str, Any] = {}
    of = partial(chain, runs=options.runs, more=more, threads=options.threads)
    chains = {name: [of(name, hops) for hops in HOPS] for name in CHAINS}
    cells = {name: cell(name, options.runs, more, options.threads) for name in CELLS}
    draw_hops(chains, IMAGES / "published-hops.svg")
    draw_cells(cells, IMAGES / "published-slow.svg")
    text = HEAD.format(runs=options.runs) + chains_section(chains) + cells_section(cells)
    PAGE.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
