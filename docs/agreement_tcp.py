"""Writes docs/models/agreement-tcp.md: TCP of Linux over a wire and queue managements of ns-3, and ours.

    python docs/agreement_tcp.py            writes the page
    python docs/agreement_tcp.py --runs 1   with fewer runs

What Linux measured stands in studies/validation/linux-tcp.csv, what ns-3 measured in ns3-queues.csv beside it. How a
cell becomes a scenario is in benches/wired.py and benches/aqm.py.
"""

from __future__ import annotations

import argparse
import csv
import math
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "benches"))
import aqm  # noqa: E402 - of benches, wherever this is run from
import wired  # noqa: E402

PAGE, FACTS = ROOT / "docs" / "models" / "agreement-tcp.md", ROOT / "studies" / "validation"
KINDS = {
    "bulk": "A transfer of 60 s",
    "drop": "One packet lost after 20 s",
    "burst": "Ten packets lost in a row after 20 s",
    "tail": "The last packets of a transfer lost",
    "outage": "The link is cut for 6 s",
    "reorder": "One packet in a hundred is late",
}
FIGURES = {
    "goodput_mbps": ("goodput Mbit/s", 2),
    "cwnd_mean": ("mean window", 1),
    "retransmissions": ("sent again", 0),
    "event_ms": ("repair ms", 0),
}
"""What is compared: its name, and the digits behind the point."""
NAMES = {"goodput_mbps": "goodput", "cwnd_mean": "window", "retransmissions": "sent again", "event_ms": "repair"}
CHANCE = "Chance:"
"""How the reason begins where no rule differs."""
LOST = f"{CHANCE} of their packets Linux's three runs lost"
OTHER_TWO = f"{CHANCE} one of Linux's three runs lost more when its machine stalled."
PHASE = f"{CHANCE} the phase of BBR is drawn, and decides"
WHY: dict[str, str] = {
    "reno-outage-2m-50ms-q100": "The third timeout comes 6 s after the first loss: just before the return of the link, "
    "or just after it. A timer of Linux is late by up to an eighth.",
    "reno-outage-50m-50ms-q100": f"{OTHER_TWO} The other two have 32.9 and 33.0 Mbit/s.",
    "reno-bulk-50m-50ms-q20": f"{OTHER_TWO} The other two have 29.69 Mbit/s, and send 22 and 23 again.",
    "reno-bulk-50m-50ms-q100": f"{OTHER_TWO} The other two have 41.50 Mbit/s.",
    "cubic-outage-10m-100ms-q100": "One segment of window decides whether a probe goes before the repair "
    "([undo](undo.md)).",
    "bbr-outage-10m-100ms-q100": f"{PHASE}. Over outages that begin at four instants Linux takes 1.2 to 4.3 s.",
    "bbr-burst-10m-50ms-q1000-n10": f"{PHASE} what waits in the queue then.",
    "reno-bulk-10m-100ms-q100-l0.1": f"{CHANCE} the interval of Linux's runs is 0.39 Mbit/s to either side.",
    "reno-bulk-10m-100ms-q100-l1": f"{LOST} 0.88 %, not 1 %.",
    "reno-bulk-10m-50ms-q100-l1": f"{LOST} 1.04 %, not 1 %.",
    "reno-bulk-10m-50ms-q100-l3": f"{LOST} 2.82 %, not 3 %.",
    "reno-bulk-50m-50ms-q100-l1": f"{LOST} 0.90 %, not 1 %.",
    "cubic-bulk-10m-100ms-q100-l0.1": f"{LOST} 0.082 %, not 0.1 %. They have 3.8, 5.7 and 5.1 Mbit/s.",
    "cubic-bulk-10m-10ms-q100-l0.1": f"{LOST} 0.085 %, not 0.1 %. Ours have a window of 47.7 then. Four more runs of "
    "the kernel, by `multihop emulate`, have 38.6 to 49.2.",
    "bbr-bulk-2m-50ms-q100-l0.1": f"{LOST} 0.078 %, not 0.1 %.",
    "cubic-reorder-10m-50ms-q100-h5": f"{CHANCE} 24 runs of ours have a window of 149.5 ± 3.0, which agrees. Single "
    "ones have 135 to 164, and Linux's three 149 to 155.",
    "cubic-reorder-10m-50ms-q100-h30": "The first slow start. Linux's three runs leave it at 177 to 203 segments. 32 "
    "more runs of the kernel, by `multihop emulate`, leave it at 89 to 368, 15 of them at 175 or more; of 24 of ours 6 "
    "do. HyStart ends it by a train of ACKs, which breaks in 11 of the 32 and in 2 of ours. Linux compresses SACK, "
    "ours does not; without that it breaks in 7 of 26. The rest is not found.",
    "cubic-reorder-50m-50ms-q100-h30": f"{CHANCE} the interval of Linux's runs is 2.6 Mbit/s to either side.",
}
"""The rule that differs, by the cell of Linux."""
WHY_QUEUES: dict[str, str] = {}
"""The same by the cell of ns-3."""
HEAD = """<!-- Written by docs/agreement_tcp.py: do not edit. -->

# Agreement with Linux and ns-3 over a wire

One transfer over one wired link, by the TCP of a Linux kernel 6.18.44 and by ours under the profile `linux`. Then queue
managements of ns-3.44 beside ours. Theirs are in `studies/validation/linux-tcp.csv` and `ns3-queues.csv`;
`python docs/agreement_tcp.py` runs ours again and writes this page. **Bold** is what does not agree.

Agreement over radio has pages of its own: [with ns-2 and ns-3](agreement.md), [today's Wi-Fi](agreement-wifi.md).
"""
LINUX = """
## Linux

A cell's name has its congestion control, what happens, rate, one-way delay and queue [packets]. `l1` is 1 % random
loss, `h30` a packet in a hundred 30 ms late, `n10` ten packets lost. With `ecn1-mark20` TCP has ECN, and the link marks
packets that come while at least twenty are in it. Linux's figures are means of three runs. Sender
and receiver are two network namespaces, and a program is the link between them. Segments are not joined (no GSO).

Goodput agrees within 3 %, or 5 % where packets are lost or late at random. The mean window agrees within 5 %,
retransmissions within 25 % or two, a repair within an eighth: timers of Linux are late by up to that. The time of a
repair is that from the first sending of a lost segment to its second. After an outage it is that from the return of the
link to the next byte for the receiver.

Under random loss goodput goes with one over the square root of the share that is lost: a tenth fewer losses are a
twentieth more. Three runs of Linux lost up to 18 % fewer packets than was set.
"""
QUEUES = """
## Queue managements of ns-3

TCP and a stream of 200-byte packets at 64 kbit/s share a link of 10 Mbit/s with a queue of 1000 packets for 40 s. Flows
begin 20 ms after each other. Both sides ran ten times: each time flows begin 0.1 ms further apart, and the stream 1 ms
later. Goodput agrees within 5 %, the mean wait in the queue within 1 ms or 10 %. After ± stands the standard deviation
of one run. `benches/ns3/wire.cc` is the program for ns-3.
"""
RULES = """
### What ns-3 does

Found by its runs, not in its sources. Each has a key here, except the first.

| ns-3.44 | here |
|---|---|"""
NS3: tuple[tuple[str, str], ...] = (
    (
        "The device below the discipline holds one packet, which the discipline does not see.",
        "The target is one packet longer; the wait leaves that packet out.",
    ),
    (
        "CoDel takes its root by one step of Newton's method for each drop, as Linux does.",
        '`queue.codel.root = "newton"`',
    ),
    ("The first segment of a connection is acknowledged at once, then every second.", "`tcp.quick-acks = 1`"),
    (
        "Segments have timestamps. Each echo counts in whole, but none for data that were outstanding at a timeout.",
        '`tcp.timestamps = true`, `tcp.rtt-samples = "every"`',
    ),
    (
        "HyStart goes by the smoothed round trip. It ends slow start when that has doubled, or when a train of ACKs "
        "lasts as long as the least one. A timeout forgets the least one, as in Linux.",
        '`tcp.hystart.rtt = "smoothed"`, `growth = 1.0`, `most = "1 s"`, `train = 1.0`',
    ),
    (
        "A turn of FQ-CoDel is the largest packet of the device: a flow has one packet each time.",
        "`queue.quantum`: 1502 bytes, with those of PPP",
    ),
    (
        "The first repair of a recovery does not restart the retransmission timer. Of the partial ACKs only the first "
        "does, with SACK too.",
        '`tcp.rto-restart = "ns3"`',
    ),
    (
        "After a timeout it keeps what SACK told, and sends only what is missing.",
        "`tcp.keep-sacked = true`",
    ),
)
OPEN = """
### Without TCP

Datagrams of 1000 bytes and the stream, for 40 s, in one run. The managements alone decide.
"""


def marked(text: str, off: bool) -> str:
    """Bold, if it does not agree."""
    return f"**{text}**" if off else text


def pair(here: float, there: float, digits: int, off: bool) -> list[str]:
    """Their figure, ours, and the ratio; nothing if either has none."""
    if math.isnan(here) or math.isnan(there):
        return ["", "", ""]
    ratio = f"{here / there:.3f}" if there else ""
    return [f"{there:.{digits}f}", f"{here:.{digits}f}", marked(ratio or f"{here:.{digits}f}", off)]


def table(names: Sequence[str], lines: Sequence[str]) -> list[str]:
    """A table of cells; columns stand in threes."""
    return ["| " + " | ".join(["cell", *names]) + " |", "|---|" + "--:|" * len(names), *lines]


def difference(cell: str, figures: Sequence[str], why: dict[str, str]) -> str:
    """One line of the list of what does not agree."""
    return f"* `{cell}`: {', '.join(figures)}. {why.get(cell, 'The rule is not found.')}"


def verdict(agree: int, differs: Sequence[str], tail: str) -> list[str]:
    """How many cells agree, and what the others have."""
    chance = sum(f". {CHANCE}" in line for line in differs)
    by_chance = f" Of the others {chance} differ by chance." if chance else ""
    head = f"{agree} of {agree + len(differs)} cells agree, {tail}.{by_chance}"
    return [head, "\nWhat does not agree, as ratios to theirs:\n", *(differs or ["Nothing."])]


def linux(runs: int) -> list[str]:
    """The part of Linux."""
    tables: dict[str, list[str]] = {kind: [] for kind in KINDS}
    differs, agree = [], 0
    with tempfile.TemporaryDirectory() as folder:
        for cell in wired.cells(FACTS / "linux-tcp.csv", ""):
            at_random = float(cell["loss"]) > 0 or cell["kind"] == "reorder"
            row = wired.measure(cell, runs if at_random else min(runs, 3), Path(folder))
            sys.stderr.write(f"{row['cell']} {row['differs'] or ''}\n")
            parts = [f"`{row['cell']}`"]
            for name, (_, digits) in FIGURES.items():
                here, there = row["here"].get(name, math.nan), row["there"][name]
                parts += pair(here, there, digits, name in row["differs"])
            tables[cell["kind"]].append(f"| {' | '.join(parts)} |")
            agree += not row["differs"]
            if row["differs"]:
                ratios = [f"{NAMES[name]} {row['here'][name] / row['there'][name]:.3f}" for name in row["differs"]]
                differs.append(difference(row["cell"], ratios, WHY))
    names = [column for name, _ in FIGURES.values() for column in (f"{name} Linux", "ours", "ratio")]
    parts = [LINUX, *verdict(agree, differs, f"with {runs} runs of ours where packets are lost or late at random")]
    for kind, lines in tables.items():
        if lines:
            parts += [f"\n### {KINDS[kind]}\n", *table(names, lines)]
    return parts


def queues(runs: int) -> list[str]:
    """The part of ns-3."""
    lines, differs, agree = [], [], 0
    for cell in aqm.cells(FACTS / "ns3-queues.csv", ""):
        row = aqm.measure(cell, runs)
        sys.stderr.write(f"{row['id']} {row['differs'] or ''}\n")
        parts = [f"`{row['id']}`"]
        for name, digits in (("goodput_mbps", 2), ("mean_sojourn_ms", 1)):
            here, there = row["here"][name], row["there"][name]
            columns = pair(here, there, digits, name in row["differs"])
            for column, spread in ((0, row["there_sd"][name]), (1, row["here_sd"][name])):
                columns[column] += f" ± {spread:.{digits}f}"
            parts += columns
        lines.append(f"| {' | '.join(parts)} |")
        agree += not row["differs"]
        if row["differs"]:
            ratios = [
                f"{'goodput' if name == 'goodput_mbps' else 'wait'} {row['here'][name] / row['there'][name]:.3f}"
                for name in row["differs"]
            ]
            differs.append(difference(row["id"], ratios, WHY_QUEUES))
    names = [column for name in ("goodput Mbit/s", "wait ms") for column in (f"{name} ns-3", "ours", "ratio")]
    rules = [f"| {theirs} | {ours} |" for theirs, ours in NS3]
    head = verdict(agree, differs, f"with {runs} runs of ours")
    return [QUEUES, *head, "", *table(names, lines), RULES, *rules, OPEN, *without_tcp()]


def without_tcp() -> list[str]:
    """The table of managements under a load that does not answer."""
    lines = []
    with (FACTS / "ns3-queues-open.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            here = aqm.open_loop(row["discipline"], row["offered_mbps"])
            parts = [f"{row['discipline']}, {row['offered_mbps']} Mbit/s"]
            for name, digits in (("drops", 0), ("mean_sojourn_ms", 1)):
                there = float(row[name])
                parts += pair(here[name], there, digits, abs(here[name] - there) > max(1.0, 0.05 * there))
            lines.append(f"| {' | '.join(parts)} |")
    return table(["drops ns-3", "ours", "ratio", "wait ms ns-3", "ours", "ratio"], lines)


def page(runs: int) -> str:
    """The whole page."""
    parts: list[Any] = [HEAD, *linux(runs), *queues(min(runs, 10))]
    return "\n".join(parts) + "\n"


def main(arguments: Sequence[str] | None = None) -> int:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=12, help="runs of each cell (12)")
    options = parser.parse_args(arguments)
    PAGE.write_text(page(options.runs), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
