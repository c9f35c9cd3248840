"""Speed beside ns-2 and ns-3: the same chain, the same minute, CPU time and MAC frames.

    python benches/side_by_side.py [--quick] [--instructions] [--json FILE] [--record]

Bulk TCP over 1, 3 and 7 hops (200 m, 2 Mb/s, RTS, NewReno, window 40, standing routes in ns-2, DSDV in
ns-3). Rounds are interleaved, so that a slow minute hits everyone; medians are shown. Start-up is
measured by a twin of nearly no simulated time and removed. CPU time means little unless the work is the
same, so goodput and frames per simulated second stand beside it. A simulator that is not installed is
left out, with a line saying how to get it.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import platform
import re
import shutil
import statistics
import subprocess
import sys
from pathlib import Path

from peers import BENCHES, PEERS, MissingError, Peer, build_engine, run, valgrind_instructions

HOPS = (1, 3, 7)
INSTRUCTION_SHARE = 0.1  # of a peer's transfer: an instruction count needs no repetition, and valgrind is slow


class Cell:
    """What was measured of one simulator on one chain."""

    def __init__(self, peer: Peer, hops: int, seconds: float) -> None:
        self.peer, self.hops, self.seconds = peer, hops, seconds
        self.cpu_s: list[float] = []
        self.goodput_kbps = self.frames = 0.0
        self.instructions_per_frame: float | None = None

    def measure(self, seed: int) -> None:
        """One round: a run and its start-up twin."""
        command = self.peer.command(self.hops, self.seconds, seed)
        twin = run(self.peer.command(self.hops, 0, seed))
        outcome = run(command)
        self.cpu_s.append(outcome.cpu_s - twin.cpu_s)
        self.goodput_kbps = outcome.values["goodput_kbps"]
        if not self.frames:
            count = self.peer.frames
            self.frames = count(self.hops, self.seconds, seed) if count else outcome.values["frames"]

    def count_instructions(self, seed: int) -> None:
        """User instructions per frame, start-up removed."""
        seconds = self.seconds * INSTRUCTION_SHARE
        twin = instructions(self.peer.command(self.hops, 0, seed))
        whole = instructions(self.peer.command(self.hops, seconds, seed))
        count = self.peer.frames
        if count:
            frames = count(self.hops, seconds, seed)
        else:
            frames = run(self.peer.command(self.hops, seconds, seed)).values["frames"]
        self.instructions_per_frame = (whole - twin) / frames

    @property
    def cpu_per_second(self) -> float:
        """CPU seconds per simulated second of the transfer."""
        return statistics.median(self.cpu_s) / self.seconds

    @property
    def cpu_per_frame(self) -> float:
        """CPU seconds per MAC frame."""
        return statistics.median(self.cpu_s) / self.frames

    def values(self) -> dict[str, object]:
        """For `--json`."""
        return {
            "simulator": self.peer.name,
            "hops": self.hops,
            "seconds": self.seconds,
            "goodput_kbps": self.goodput_kbps,
            "frames_per_s": self.frames / self.seconds,
            "cpu_s_per_simulated_s": self.cpu_per_second,
            "cpu_s_per_frame": self.cpu_per_frame,
            "instructions_per_frame": self.instructions_per_frame,
            "cpu_s": self.cpu_s,
        }


def instructions(command: list[str]) -> float:
    """User instructions of a child: by the processor's counter, or by valgrind where there is none."""
    if shutil.which("perf"):
        counted = subprocess.run(
            ["perf", "stat", "-x", ";", "-e", "instructions:u", *command],
            capture_output=True,
            text=True,
            check=False,
        )
        match = re.search(r"^(\d+);;instructions", counted.stderr, re.MULTILINE)
        if match:
            return float(match[1])
    return valgrind_instructions(command)


def table(cells: list[Cell]) -> str:
    """Markdown; ratios are against the multihop engine on the same chain."""
    ours = {cell.hops: cell for cell in cells if cell.peer is PEERS[0]}
    lines = [
        "| hops | simulator | goodput kbit/s | frames/s | CPU per simulated s | CPU per frame "
        "| instructions per frame | CPU per s, times multihop | CPU per frame, times multihop |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for cell in sorted(cells, key=lambda cell: (cell.hops, PEERS.index(cell.peer))):
        base = ours.get(cell.hops)
        ratios = [
            f"{cell.cpu_per_second / base.cpu_per_second:.1f}" if base else "–",
            f"{cell.cpu_per_frame / base.cpu_per_frame:.1f}" if base else "–",
        ]
        counted = f"{cell.instructions_per_frame:,.0f}" if cell.instructions_per_frame else "–"
        lines.append(
            f"| {cell.hops} | {cell.peer.name} | {cell.goodput_kbps:.0f} | {cell.frames / cell.seconds:.0f} "
            f"| {cell.cpu_per_second * 1e6:,.0f} µs | {cell.cpu_per_frame * 1e9:,.0f} ns | {counted} "
            f"| {ratios[0]} | {ratios[1]} |"
        )
    return "\n".join(lines)


def machine() -> str:
    """What kind of machine this is (never which one)."""
    model = platform.machine()
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        found = re.search(r"^model name\s*:\s*(.+)$", cpuinfo.read_text(), re.MULTILINE)
        model = found[1] if found else model
    return f"{os.cpu_count()} cores, {model}, {platform.system()}"


def usable(only: list[str]) -> list[Peer]:
    """The peers that are here; says how to get the others."""
    found = []
    for peer in PEERS:
        if only and peer.name not in only:
            continue
        try:
            peer.command(1, 0, 1)
            found.append(peer)
        except MissingError as missing:
            print(f"left out: {missing}", file=sys.stderr)
    return found


def progress(text: str) -> None:
    """One line on a terminal, overwritten by the next; nothing elsewhere."""
    if sys.stderr.isatty():
        print(f"\r\x1b[K{text}", end="", file=sys.stderr, flush=True)


def measure_all(options: argparse.Namespace) -> list[Cell]:
    """All rounds of all cells."""
    peers = usable(options.only)
    share = 0.25 if options.quick else 1.0
    cells = [Cell(peer, hops, peer.seconds * share) for hops in options.hops for peer in peers]
    for number in range(options.rounds):
        for cell in cells:
            if number and cell.peer.name == "ns-3":
                continue  # half a minute of CPU a round; its ratio needs no third digit
            progress(f"round {number + 1}/{options.rounds}: {cell.peer.name}, {cell.hops} hops")
            cell.measure(options.seed)
    if options.instructions:
        for cell in cells:
            progress(f"instructions: {cell.peer.name}, {cell.hops} hops")
            cell.count_instructions(options.seed)
    progress("")
    return cells


def main() -> int:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="one round of quarter-length transfers")
    parser.add_argument("--rounds", type=int, help="interleaved rounds (default 5; 1 with --quick)")
    parser.add_argument("--hops", type=int, nargs="+", default=list(HOPS), help="chains (default 1 3 7)")
    parser.add_argument("--seed", type=int, default=1, help="seed of every simulator (default 1)")
    parser.add_argument("--only", action="append", default=[], choices=[peer.name for peer in PEERS])
    parser.add_argument(
        "--instructions", action="store_true", help="count instructions too (perf, or valgrind: minutes)"
    )
    parser.add_argument("--json", type=Path, help="write all figures to this file")
    parser.add_argument("--record", action="store_true", help="write the table to benches/RESULTS.md")
    options = parser.parse_args()
    options.rounds = options.rounds or (1 if options.quick else 5)
    if not options.only or PEERS[0].name in options.only:
        build_engine()
    cells = measure_all(options)
    if not cells:
        print("nothing to measure", file=sys.stderr)
        return 1
    head = f"{datetime.date.today():%Y-%m}; {machine()}; {options.rounds} rounds, medians; start-up removed"
    print(f"{head}\n\n{table(cells)}")
    if options.json:
        document = {"measured": head, "cells": [cell.values() for cell in cells]}
        options.json.write_text(json.dumps(document, indent=2) + "\n")
    if options.record:
        note = "Written by `python benches/side_by_side.py --record`; what is compared is said at its head."
        (BENCHES / "RESULTS.md").write_text(f"# Speed side by side\n\n{note}\n\n{head}.\n\n{table(cells)}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
