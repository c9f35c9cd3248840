"""Runs every case that was measured with ns-2 and ns-3 in multihop too; writes docs/models/agreement.md.

README's table is written with it.

    python docs/agreement.py
    python docs/agreement.py --suite aodv     # that suite of ns-2 alone, into the page docs/models/aodv.md

The other side stands in studies/validation, one row a run, with the programs that measured it. Records of ours are
kept in out/agreement, so that a second call runs only what has changed.
"""

from __future__ import annotations

import argparse
import math
import sys
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import agreement_motion
import numpy as np
from agreement_cases import MEASURED, SUITES, Case, Figures, cases, our_counts, ours, their_counts, theirs

from multihop import __version__
from multihop.measures.stats import Estimate, estimate
from multihop.running.run import execute
from multihop.store.store import Store

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "models" / "agreement.md"
BEGIN, END = "<!-- table by docs/agreement.py -->", "<!-- end of table -->"
LIMIT = {"ns-2": 0.05, "ns-3": 0.03}
"""Ratios further than this from 1, and told apart from it, do not agree."""
JUDGED = {"ns-2": ("goodput", "frames"), "ns-3": ("goodput", "rts per cts")}
LEVEL, RESAMPLES = 0.95, 2000

HEAD = """<!-- Written by docs/agreement.py: do not edit. -->

# Agreement with ns-2 and ns-3

Every case below was run in another simulator and in multihop {version}, as many runs of ours as there were of theirs.
Unless a case says otherwise: nodes 200 m apart, 2 Mb/s, RTS/CTS, routes that stand, bulk transfers of 1460-byte
segments, NewReno.

| | ns-2 | ns-3 |
|---|---|---|
| version | 2.35, Debian package 2.35+dfsg-5 | 3.44, PyPI package 3.44.post0 |
| our profile | `ns2` | `ns3` |
| measured | 200 s, window 40 | 100 s |
| agrees | goodput and frames per second within {ns2:.0%}, or not told apart | goodput and RTS per CTS within \
{ns3:.0%}, or not told apart |
| compared | means; medians (marked m) where a route or the whole transfer may be lost for long | medians |

*Not told apart*: the 95 % interval of the difference includes zero. Ratios that do not agree are bold. Goodput alone
would hide much: frames per second on the air are sharper, and the RTS it takes to get a CTS is sharper still.

Against ns-2 goodput of TCP is what was acknowledged to the sender, as ns-2's script counts. That is up to a window
less than what arrived. By default our signals take no time. With `air.propagation-delay = "667 ns"`, the way of light
over 200 m, frames per second agree better still. Twenty runs of `seok5` a side:

| frames/s of ns-2's | at once | after 667 ns |
|---|---:|---:|
| 2 Mb/s, 0.4 | 1.0009 ± 0.0008 | 1.0003 ± 0.0009 |
| 2 Mb/s, 0.6 | 1.0011 ± 0.0007 | 1.0001 ± 0.0008 |
| 11 Mb/s, 0.4 | 1.0020 ± 0.0002 | 1.0003 ± 0.0003 |
| 11 Mb/s, 0.6 | 1.0021 ± 0.0002 | 1.0003 ± 0.0003 |

Runs of theirs, one a row, with the programs and parameters that made them: `studies/validation`.
`python docs/agreement.py` runs ours again and writes this page. [Another page](agreement-wifi.md) has 802.11a to ax
beside ns-3, [a third](agreement-tcp.md) TCP over a wire beside Linux and ns-3.

Against theory: the saturation throughput of 5, 10, 20 and 50 stations of DSSS is that of Bianchi's model (IEEE JSAC
18(3), 2000) within 3 %, with and without RTS/CTS, with and without EIFS. So is that of 802.11n with aggregates of 28
MPDUs: `crates/sim/tests/suite/bianchi.rs`.
"""
WORDS = tomllib.loads((MEASURED / "agreement.toml").read_text(encoding="utf-8"))
"""Titles of the sections, and why a case does not agree."""


@dataclass(frozen=True)
class Row:
    """A case with both sides."""

    case: Case
    theirs: Figures
    ours: Figures

    def ratio(self, figure: str) -> float:
        """Ours through theirs."""
        left = _middle(self.theirs[figure], self.case).mean
        return _middle(self.ours[figure], self.case).mean / left if left else math.nan

    def apart(self, figure: str) -> bool:
        """Whether a figure does not agree."""
        if not abs(self.ratio(figure) - 1) > LIMIT[self.case.peer]:
            return False
        low, high = _difference(self.theirs[figure], self.ours[figure], self.case)
        return not low <= 0 <= high

    @property
    def agrees(self) -> bool:
        """Whether all figures that are judged do."""
        return not any(self.apart(figure) for figure in [*JUDGED[self.case.peer], *self.each, *self.energies])

    @property
    def each(self) -> list[str]:
        """Goodput of each flow, where there are several."""
        flows = [key for key in self.theirs if key.startswith("flow ")]
        return flows if len(flows) > 1 else []

    @property
    def energies(self) -> list[str]:
        """Energy of each node, where it was metered."""
        return [key for key in self.theirs if key.startswith("node ")]

    def cells(self, figure: str) -> list[str]:
        """Theirs, ours, ratio."""
        ratio = self.ratio(figure)
        if math.isnan(ratio):
            return ["", "", ""]
        mark = "**" if self.apart(figure) else ""
        values = [_shown(_middle(side[figure], self.case)) for side in (self.theirs, self.ours)]
        return [*values, f"{mark}{ratio:.3f}{mark}"]

    def line(self) -> str:
        """Of the table."""
        median = " m" if self.case.by_median and self.case.peer == "ns-2" else ""
        cells = [self.case.name, self.case.hops, f"{len(self.case.rows)}{median}"]
        for figure in ("goodput", "frames", "rts per cts"):
            cells += self.cells(figure)
        for figure in _counts(self.case.peer):
            cells.append(" / ".join(_count(side[figure], self.case) for side in (self.theirs, self.ours)))
        return "| " + " | ".join(cells) + " |"


def _counts(peer: str) -> list[str]:
    return ["given up", "retransmissions"] + (["timeouts"] if peer == "ns-2" else [])


def _middle(values: Sequence[float], case: Case) -> Estimate:
    known = [x for x in values if not math.isnan(x)]
    if case.by_median and known:
        return Estimate(float(np.median(known)), math.nan, len(known))
    return estimate(values)


def _difference(a: Sequence[float], b: Sequence[float], case: Case) -> tuple[float, float]:
    """95 % interval of the difference: by t-intervals of the means, or by resampling for medians."""
    if not case.by_median:
        left, right = estimate(a), estimate(b)
        half = math.hypot(left.half, right.half)
        middle = right.mean - left.mean
        return (middle - half, middle + half)
    draw = np.random.Generator(np.random.PCG64(1))
    sides = [np.median(draw.choice(np.array(x), (RESAMPLES, len(x))), axis=1) for x in (a, b)]
    low, high = np.quantile(sides[1] - sides[0], [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return float(low), float(high)


def _shown(e: Estimate) -> str:
    digits = 3 if e.mean < 10 else 1 if e.mean < 100 else 0
    return f"{e.mean:.{digits}f}" + ("" if math.isnan(e.half) else f" ± {e.half:.{digits}f}")


def _count(values: Sequence[float], case: Case) -> str:
    mean = _middle(values, case).mean
    return "" if math.isnan(mean) else f"{mean:.0f}" if mean >= 10 else f"{mean:.1f}"


def measured() -> list[Row]:
    """All cases with our runs of them; those that have records are not run again."""
    found = [case for peer in SUITES for case in cases(peer)]
    records = execute([case.task() for case in found], store=Store.open(ROOT / "out" / "agreement"), register=False)
    return [Row(case, theirs(case), ours(case, arm)) for case, arm in zip(found, records, strict=True)]


def page(rows: Sequence[Row]) -> str:
    """The page."""
    parts = [HEAD.format(version=__version__, ns2=LIMIT["ns-2"], ns3=LIMIT["ns-3"]), _summary(rows), _apart(rows)]
    for peer in SUITES:
        parts.append(f"\n## {peer}")
        for suite in SUITES[peer]:
            mine = [row for row in rows if (row.case.peer, row.case.suite) == (peer, suite)]
            if mine:
                parts += _section(peer, suite, mine)
        if peer == "ns-2":
            parts += agreement_motion.section()
    return "\n".join(parts) + "\n"


def _section(peer: str, suite: str, rows: Sequence[Row]) -> Iterator[str]:
    words = next(section for section in WORDS["section"] if section["suite"] == f"{peer} {suite}")
    yield f"\n### {words['title']} {{ #{peer}-{suite} }}\n"
    if "about" in words:
        yield f"{words['about'].strip()}\n"
    heads = ["case", "hops", "runs"]
    for figure in ("goodput kbit/s", "frames/s", "RTS per CTS"):
        heads += [f"{figure} {peer}", "ours", "ratio"]
    heads += [f"{figure} {peer} / ours" for figure in _counts(peer)]
    yield "\n".join([_line(heads), "|---|" + "---:|" * (len(heads) - 1), *(row.line() for row in rows)])
    several = [row for row in rows if row.each]
    if several:
        heads = ["case", "flow", f"goodput kbit/s {peer}", "ours", "ratio"]
        lines = [
            _line([row.case.name, row.case.flows[i].split(",")[0].replace(":", " "), *row.cells(flow)])
            for row in several
            for i, flow in enumerate(row.each)
        ]
        yield "\nFlow by flow:\n"
        yield "\n".join([_line(heads), "|---|---|---:|---:|---:|", *lines])
    metered = [row for row in rows if row.energies]
    if metered:
        heads = ["case", "node", f"energy J {peer}", "ours", "ratio"]
        lines = [_line([row.case.name, node[5:], *row.cells(node)]) for row in metered for node in row.energies]
        yield "\nNode by node:\n"
        yield "\n".join([_line(heads), "|---|---|---:|---:|---:|", *lines])


def _line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def _summary(rows: Sequence[Row]) -> str:
    lines = [
        "| | cases | agree | goodput within 1 % | 3 % | 5 % | frames/s within 1 % | 3 % "
        "| RTS per CTS within 1 % | 3 % |"
    ]
    lines.append("|---|" + "---:|" * 9)
    for peer in SUITES:
        mine = [row for row in rows if row.case.peer == peer]

        def near(figure: str, limit: float, mine: Sequence[Row] = mine) -> str:
            ratios = [row.ratio(figure) for row in mine]
            known = [abs(ratio - 1) for ratio in ratios if not math.isnan(ratio)]
            return f"{sum(distance <= limit for distance in known)} of {len(known)}"

        cells = [peer, str(len(mine)), str(sum(row.agrees for row in mine))]
        cells += [near("goodput", limit) for limit in (0.01, 0.03, 0.05)]
        cells += [near(figure, limit) for figure in ("frames", "rts per cts") for limit in (0.01, 0.03)]
        lines.append(_line(cells))
    return "\n".join(lines)


def _apart(rows: Sequence[Row]) -> str:
    """The cases that do not agree, under what explains them."""
    found: dict[str, list[str]] = {}
    for row in rows:
        off = [
            f"{_named(row, f)} {row.ratio(f):.2f}"
            for f in [*JUDGED[row.case.peer], *row.each, *row.energies]
            if row.apart(f)
        ]
        if off:
            found.setdefault(_cause(row.case), []).append(f"    * {_headline(row)}: {'; '.join(off)}")
    lines = [line for cause, its in found.items() for line in (f"* {cause}\n", *its)]
    return "\n## Where it does not agree\n\nRatios to the other simulator's figure.\n\n" + (
        "\n".join(lines) or "* nowhere"
    )


def _headline(row: Row) -> str:
    case = row.case
    return f"{case.peer}, {case.name}" + (f", {case.hops} hops" if case.hops and "x" not in case.parameters else "")


def _cause(case: Case) -> str:
    suite = f"{case.peer} {case.suite}"
    for cause in WORDS.get("cause", []):
        if cause["suite"] == suite and case.name in cause["cases"] and case.hops in cause.get("hops", [case.hops]):
            return str(cause["why"]).strip().replace("\n", " ")
    return "Not explained yet."


def _named(row: Row, figure: str) -> str:
    if figure.startswith("flow "):
        return f"goodput of {row.case.flows[int(figure[5:])].split(',')[0].replace(':', ' ')}"
    if figure.startswith("node "):
        return f"energy of {figure}"
    return {"rts per cts": "RTS per CTS"}.get(figure, figure)


def front(text: str, rows: Sequence[Row]) -> str:
    """README with the chains over standing routes in its table."""
    chains = {
        "ns-2.35": [row for row in rows if (row.case.suite, row.case.name) == ("chain", "static")],
        "ns-3.44": [row for row in rows if (row.case.suite, row.case.name) == ("static", "window 40")],
    }
    hops = [row.case.hops for row in chains["ns-2.35"]]
    lines = [_line(["hops", *hops]), "|---|" + "---:|" * len(hops)]
    figures = [("ns-2.35", "goodput", "goodput, kbit/s"), ("ns-2.35", "frames", "MAC frames/s")]
    for peer, figure, words in [
        *figures,
        ("ns-3.44", "goodput", "goodput, kbit/s"),
        ("ns-3.44", "frames", "MAC frames/s"),
    ]:
        for name in (peer, f"multihop as {peer[:4]}"):
            cells = {
                r.case.hops: _middle((r.theirs if name == peer else r.ours)[figure], r.case).mean for r in chains[peer]
            }
            lines.append(_line([f"{words}: {name}", *(f"{cells[h]:.0f}" if h in cells else "" for h in hops)]))
    counts = []
    for peer in SUITES:
        mine = [row for row in rows if row.case.peer == peer]
        counts.append(f"{sum(row.agrees for row in mine)} of {len(mine)} cases")
    lines += [
        "",
        f"Goodput and frames per second agree with ns-2 in {counts[0]} (within 5 % or not told apart). Goodput",
        f"and RTS per CTS agree with ns-3 in {counts[1]} (within 3 % or not told apart).",
    ]
    head, rest = text.split(BEGIN)
    return "\n".join([head + BEGIN, "", *lines, "", END + rest.split(END)[1]])


def searched(text: str, suite: str) -> str:
    """A protocol's page with its own table: both sides, message by message and loss by loss."""
    found = [case for case in cases("ns-2") if case.suite == suite]
    store = Store.open(ROOT / "out" / "agreement")
    records = execute([case.task() for case in found], store=store, register=False)
    parts = []
    for case, arm in sorted(zip(found, records, strict=True), key=lambda pair: pair[0].hops):
        sides = (theirs(case) | their_counts(case), ours(case, arm) | our_counts(case, arm.runs))
        per = [
            [frames * case.seconds / (kbps * 1e3 * case.seconds / 8 / 1460) for frames, kbps in zip(*pair, strict=True)]
            for pair in ((side["frames"], side["goodput"]) for side in sides)
        ]
        for side, values in zip(sides, per, strict=True):
            side["frames per segment"] = values
        skipped = {"flow 0", "frames", "rts per cts", "given up"}
        for figure in dict.fromkeys(key for side in sides for key in side if key not in skipped):
            left, right = (estimate(side.get(figure, [0.0] * len(case.rows))) for side in sides)
            if max(left.mean, right.mean) >= 1:
                ratio = f"{right.mean / left.mean:.3f}" if left.mean else ""
                parts.append(_line([case.hops, figure, _shown(left), _shown(right), ratio]))
    lines = [_line(["hops", "figure", "ns-2.35", "ours", "ratio"]), "|---:|---|---:|---:|---:|", *parts]
    head, rest = text.split(BEGIN)
    return "\n".join([head + BEGIN, "", *lines, "", END + rest.split(END)[1]])


def main() -> None:
    """Writes both, or the table of one suite."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--suite", help="a routing protocol that searches")
    if suite := parser.parse_args().suite:
        path = ROOT / "docs" / "models" / f"{suite}.md"
        path.write_text(searched(path.read_text(encoding="utf-8"), suite), encoding="utf-8")
        return
    rows = measured()
    readme = ROOT / "README.md"
    for path, text in ((PAGE, page(rows)), (readme, front(readme.read_text(encoding="utf-8"), rows))):
        path.write_text(text, encoding="utf-8")
        sys.stdout.write(f"{path.relative_to(ROOT)} is written\n")


if __name__ == "__main__":
    main()
