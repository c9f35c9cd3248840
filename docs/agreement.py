"""Runs every case that was measured with ns-2 in multihop too; writes docs/models/agreement.md and a table of README.

    python docs/agreement.py

The ns-2 side stands in studies/validation/ns2-*.csv, one row a run, with the program that measured it. Takes some
minutes; records are kept in out/agreement, so that a second call runs only what has changed.
"""

from __future__ import annotations

import csv
import statistics
import sys
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from multihop import __version__
from multihop.run import Task, execute
from multihop.scenario import Scenario
from multihop.stats import Estimate, estimate
from multihop.store import Store

ROOT = Path(__file__).resolve().parents[1]
MEASURED = ROOT / "studies" / "validation"
PAGE = ROOT / "docs" / "models" / "agreement.md"
SUITES = ("chain", "tcp", "air", "flows", "pair")
BEGIN, END = "<!-- table by docs/agreement.py -->", "<!-- end of table -->"
SECONDS = 200.0
"""Length of every transfer, in both."""
CLOSE = 0.03
LOOSE = 0.05
"""Ratios further than this from 1 are printed in bold."""

TEXT = """
profile = "{profile}"
[run]
duration = "300 s"
[measure]
warm-up = "100 s"
sample = "0 s"
[topology]
kind = "explicit"
node = [{nodes}]
[mac]
data-rate = "2 Mbps"
[routing]
kind = "{routing}"
[tcp]
max-window = {window}
{flows}
"""
TECHNIQUES = {"Tahoe": ["tahoe"], "Reno": ["reno"], "Newreno": [], "Sack1": ["sack"]}
TCP_OF_2001 = [
    "tcp.initial-rto=6 s",
    "tcp.min-rto=1 s",
    "tcp.max-rto=100000 s",
    "tcp.tick=100 ms",
    "tcp.limited-transmit=off",
    "tcp.partial-ack-restart=every",
    "tcp.partial-deflation=false",
]
HEAD = """<!-- Written by docs/agreement.py: do not edit. -->

# Agreement with ns-2

Every case below was run in ns-2.35 (Debian package 2.35+dfsg-5) and in multihop {version} with profile `ns2`: 2 Mb/s,
RTS/CTS, 200 m spacing, transfers of 1460-byte segments from 100 s to 300 s, NewReno with a window of 40 unless the case
says otherwise. `static` in ns-2 is DSDV that never loses a route. As many runs of ours as there were of ns-2.

Goodput alone would hide much: frames per second on the air are the sharper check, and the share of RTS that no CTS
answered is sharper still. Means and their 95 % intervals; of DSDV medians, since single runs in which it loses the
route for long dominate every mean. Ratios further than {loose:.0%} from 1 are bold.

The ns-2 side, run by run, with the program that measured it, is in `studies/validation`; `python docs/agreement.py`
runs ours again and writes this page.
"""
TITLES = {
    "chain": "Chains of 1 to 7 hops",
    "tcp": "Windows, TCP variants, delayed ACK",
    "air": "Bit errors, no RTS, closer nodes, DRR",
    "flows": "Several flows over seven hops",
    "pair": "Saturated senders",
}
APART = f"""Cases further than {LOOSE:.0%} off, in goodput or in frames. At a bit error rate of 5e-5 a transfer over
seven hops hardly lives, and a few runs of either say little: see the intervals above. With DSDV over seven
hops a median of 20 runs of ns-2 may be anything from 202 to 219: [DSDV](dsdv.md#checked) compares hundreds.
"""
ABOUT = {
    "pair": "Two senders, the receiver half-way between them. ns-2 counts the headers of UDP and IP in the 1460 bytes "
    "of a CBR packet, so ours carry 1432; goodput is packets of 1460 bytes in both."
}
CBR_SHARE = 1432 / 1460
"""Payload of a CBR packet of ns-2, whose size includes UDP and IP headers."""
COLUMNS = (
    "| case | hops | runs | goodput ns-2 | ours | ratio | frames/s ns-2 | ours | ratio | RTS unanswered ns-2 | ours |"
)
MORE = " given up ns-2 | ours | retransmissions ns-2 | ours | timeouts ns-2 | ours |"


@dataclass(frozen=True)
class Case:
    """One case of the reference measurements."""

    suite: str
    name: str
    hops: str
    rows: tuple[Mapping[str, str], ...]
    parameters: Mapping[str, Any]

    @property
    def by_median(self) -> bool:
        """Whether medians are compared."""
        return self.name == "dsdv"

    def task(self) -> Task:
        """The same in multihop."""
        p = self.parameters
        places = [float(x) for x in str(p["x"]).split()] if "x" in p else None
        places = places or [i * float(p.get("spacing", 200)) for i in range(int(self.hops) + 1)]
        flows = str(p.get("flow", f"0>{len(places) - 1}:tcp")).split()
        text = TEXT.format(
            profile="ns2",
            nodes=", ".join(f'{{ name = "{i}", x = "{x:g} m" }}' for i, x in enumerate(places)),
            routing=p.get("routing", "dsdv"),
            window=p.get("window", 40),
            flows="\n".join(_flow(flow) for flow in flows),
        )
        techniques = [*TECHNIQUES[str(p.get("tcp", "Newreno"))]]
        techniques += ["delayed-ack"] if p.get("delack") else []
        techniques += ["drr"] if p.get("queue") == "Queue/DRR" else []
        sets = [f"air.bit-error-rate={p['ber']}"] if "ber" in p else []
        sets += [f'mac.rts-threshold="{p["rts"]} B"'] if "rts" in p else []
        # ns-2.35 has only the TCP of 2.1b8: its options still choose that.
        sets += TCP_OF_2001 if self.name.startswith("21b8") else []
        name = f"{self.suite} {self.name} {self.hops}"
        runs = tuple(range(1, len(self.rows) + 1))
        return Task(Scenario(name, text, name), tuple(techniques), tuple(sets), None, runs)


def _flow(spec: str) -> str:
    ends, kind = spec.split(":")
    source, sink = ends.split(">")
    lines = ["[[flow]]", f'from = "{source}"', f'to = "{sink}"', 'start = "100 s"']
    lines += ['kind = "cbr"', 'rate = "2 Mbps"', 'packet = "1432 B"'] if kind == "cbr" else []
    return "\n".join(lines)


def cases() -> Iterator[Case]:
    """All cases that were measured."""
    stated = tomllib.loads((MEASURED / "ns2-cases.toml").read_text(encoding="utf-8"))
    for suite in SUITES:
        common = {key: value for key, value in stated[suite].items() if key != "case"}
        parameters = {case["case"]: common | case for case in stated[suite]["case"]}
        with (MEASURED / f"ns2-{suite}.csv").open(encoding="utf-8") as file:
            rows = list(csv.DictReader(line for line in file if not line.startswith("#")))
        for name, hops in dict.fromkeys((row["case"], row["hops"]) for row in rows):
            mine = tuple(row for row in rows if (row["case"], row["hops"]) == (name, hops))
            if any(float(one["goodput_kbps"]) for one in mine):  # a receiver out of reach is no measurement
                yield Case(suite, name, hops, mine, parameters[name])


def theirs(case: Case) -> dict[str, list[float]]:
    """Figures of ns-2, run by run."""
    lost = ("given_up_rts_data", "given_up_rts_ack", "given_up_data_data", "given_up_data_ack")
    return {
        "goodput": [float(row["goodput_kbps"]) for row in case.rows],
        "frames": [float(row["frames_per_s"]) for row in case.rows],
        "failed": [100 * float(row["rts_failed_share"] or "nan") for row in case.rows],
        "given_up": [sum(float(row[column]) for column in lost) for row in case.rows],
        "retransmissions": [float(row["retransmissions"]) for row in case.rows],
        "timeouts": [float(row["timeouts"]) for row in case.rows],
    }


def ours(runs: Sequence[Mapping[str, Any]]) -> dict[str, list[float]]:
    """The same figures of ours."""

    def nodes(run: Mapping[str, Any], key: str) -> float:
        return float(sum(node[key] for node in run["nodes"]))

    def flows(run: Mapping[str, Any], key: str) -> float:
        return float(sum(flow[key] for flow in run["flows"]))

    rts = [sum(node["frames"]["rts"] for node in run["nodes"]) for run in runs]
    return {
        "goodput": [sum(flow["goodput_bps"] * _scale(flow) for flow in run["flows"]) / 1e3 for run in runs],
        "frames": [sum(sum(node["frames"].values()) for node in run["nodes"]) / SECONDS for run in runs],
        "failed": [
            100 * nodes(run, "rts_failures") / n if n else float("nan") for run, n in zip(runs, rts, strict=True)
        ],
        "given_up": [nodes(run, "given_up_rts") + nodes(run, "given_up_data") for run in runs],
        "retransmissions": [flows(run, "retransmissions") for run in runs],
        "timeouts": [flows(run, "timeouts") for run in runs],
    }


def _scale(flow: Mapping[str, Any]) -> float:
    return 1 / CBR_SHARE if flow["kind"] == "cbr" else 1.0


def row(case: Case, runs: Sequence[Mapping[str, Any]]) -> tuple[str, dict[str, float]]:
    """A line of the table, and the ratios in it."""
    a, b = theirs(case), ours(runs)
    cells, ratios = [case.name, case.hops, str(len(case.rows))], {}
    for figure in ("goodput", "frames"):
        left, right = _middle(a[figure], case), _middle(b[figure], case)
        ratio = ratios[figure] = right.mean / left.mean if left.mean else float("nan")
        mark = "**" if abs(ratio - 1) > LOOSE else ""
        cells += [_shown(left), _shown(right), f"{mark}{ratio:.3f}{mark}"]
    cells += [f"{_middle(x['failed'], case).mean:.1f} %".replace("nan %", "") for x in (a, b)]
    for figure in ("given_up", "retransmissions", "timeouts"):
        cells += [f"{_middle(x[figure], case).mean:.3g}".replace("nan", "") for x in (a, b)]
    return "| " + " | ".join(cells) + " |", ratios


def _middle(values: Sequence[float], case: Case) -> Estimate:
    if case.by_median:
        return Estimate(statistics.median(values), float("nan"), len(values))
    return estimate(values)


def _shown(e: Estimate) -> str:
    digits = 1 if e.mean < 100 else 0
    return f"{e.mean:.{digits}f}" + ("" if e.half != e.half else f" ± {e.half:.{digits}f}")


def measured() -> list[tuple[Case, list[dict[str, Any]]]]:
    """All cases with our runs of them; those that have records are not run again."""
    found = list(cases())
    store = Store.open(ROOT / "out" / "agreement")
    records = execute([case.task() for case in found], store=store, register=False)
    return [(case, arm.runs) for case, arm in zip(found, records, strict=True)]


def page(found: Sequence[tuple[Case, Sequence[Mapping[str, Any]]]]) -> str:
    """The page."""
    rows = [(case, *row(case, runs)) for case, runs in found]
    parts = [HEAD.format(version=__version__, loose=LOOSE), _counts([ratios for _, _, ratios in rows])]
    for suite in SUITES:
        lines = [line for case, line, _ in rows if case.suite == suite]
        if lines:
            table = [COLUMNS + MORE, "|---|" + "---:|" * (COLUMNS + MORE).count("|", 2)]
            about = f"Goodput in kbit/s; counts in {SECONDS:g} s. {ABOUT.get(suite, '')}".strip()
            parts.append(f"\n## {TITLES[suite]}\n\n{about}\n")
            parts.append("\n".join([*table, *lines]))
    parts.append(_apart(rows))
    return "\n".join(parts) + "\n"


def _apart(rows: Sequence[tuple[Case, str, Mapping[str, float]]]) -> str:
    """The cases that are too far off, by name."""
    far = [
        f"* {case.name}{f', {case.hops} hops' if case.hops else ''}: goodput {ratios['goodput']:.2f}, "
        f"frames {ratios['frames']:.2f} of ns-2's"
        for case, _, ratios in rows
        if any(abs(ratio - 1) > LOOSE for ratio in ratios.values())
    ]
    return "\n## Where it does not agree\n\n" + APART + "\n" + ("\n".join(far) or "* nowhere")


def _counts(ratios: Sequence[Mapping[str, float]]) -> str:
    lines = ["| within | goodput | frames/s |", "|---|---:|---:|"]
    for limit in (0.01, 0.03, 0.05, 0.10):
        near = [sum(abs(r[figure] - 1) <= limit for r in ratios) for figure in ("goodput", "frames")]
        lines.append(f"| {limit:.0%} | {near[0]} of {len(ratios)} | {near[1]} of {len(ratios)} |")
    return "\n".join(lines)


def front(text: str, found: Sequence[tuple[Case, Sequence[Mapping[str, Any]]]]) -> str:
    """README with the chains over static routes in its table."""
    chains = [(case, runs) for case, runs in found if (case.suite, case.name) == ("chain", "static")]
    lines = ["| hops | " + " | ".join(case.hops for case, _ in chains) + " |", "|---|" + "---:|" * len(chains)]
    for figure, words in (("goodput", "goodput, kbit/s"), ("frames", "MAC frames/s")):
        for name, values in (("ns-2.35", theirs), ("multihop", ours)):
            cells = [_middle((theirs(c) if values is theirs else ours(runs))[figure], c).mean for c, runs in chains]
            lines.append(f"| {words}: {name} | " + " | ".join(f"{cell:.0f}" for cell in cells) + " |")
    ratios = [row(case, runs)[1] for case, runs in found]
    near = [sum(abs(r[figure] - 1) <= CLOSE for r in ratios) for figure in ("goodput", "frames")]
    lines += [
        "",
        f"Within {CLOSE:.0%}: goodput in {near[0]} and frames per second in {near[1]} of {len(ratios)} cases.",
    ]
    head, rest = text.split(BEGIN)
    return "\n".join([head + BEGIN, "", *lines, "", END + rest.split(END)[1]])


def main() -> None:
    """Writes both."""
    found = measured()
    readme = ROOT / "README.md"
    for path, text in ((PAGE, page(found)), (readme, front(readme.read_text(encoding="utf-8"), found))):
        path.write_text(text, encoding="utf-8")
        sys.stdout.write(f"{path.relative_to(ROOT)} is written\n")


if __name__ == "__main__":
    main()
