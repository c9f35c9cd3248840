"""An outage under TCP of Linux, with and without the kick, beside our TCP, for several lengths and phases.

    sudo -E python benches/partition.py                # 10 to 100 s, three phases
    sudo -E python benches/partition.py 10,30 --phases 2 --jobs 4
    sudo -E python benches/partition.py --only ATCP    # the lines with this in their name

The scenario is `partition`: the middle node of a chain of four hops goes away and comes back. For each length of the
outage the table has the time from its return to the first new acknowledgment, and the kilobytes that were acknowledged
in the 30 s after it: median, and the least and the most in parentheses. The timer of TCP backs off during the outage,
and its phase decides: so each length is run with several starts, each with a seed of its own.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from statistics import median
from typing import Any

import pandas as pd
from emulation import TRANSFER, as_linux

from multihop.running.run import Task, execute
from multihop.scenario.scenario import Scenario, load
from multihop.store.store import Store

SCENARIO = Path(__file__).parents[1] / "scenarios" / "partition.toml"
BEGIN_S = 12.0
"""When the first outage begins [s]: the window has found its size."""
START_S = 3.0
"""When programs send from [s]: a congestion control takes a moment to compile."""
STEP_S = 0.37
"""How much later it begins in the next phase [s]."""
AFTER_S = 30.0
"""Over how long what is acknowledged after the return counts [s]."""
LONGEST_S = 130.0
"""How long after the return a run waits for TCP at most [s]: the timer of Linux has 120 s."""
TRIES = 3
"""How often a run is tried whose lag is beyond the bound, or whose transfer begins too late."""
FREEZE = "Linux, freeze, probes every 2 s"
LAYER = "Linux, modified ATCP deployed"
REAL: dict[str, list[str]] = {
    "Linux": [],
    "Linux, relays say unreachable": ["-s", "signals.unreachable=true"],
    "Linux, kick every 2 s": ["--kick", "2s"],
    "Linux, ATCP below it": ["-t", "atcp"],
    "Linux, modified ATCP below it": ["-t", "modified-atcp"],
    "Linux, ELFN below it": ["-t", "elfn"],
    "Linux, TCP-F below it": ["-t", "tcp-f"],
    "Linux, Freeze-TCP below it": ["-t", "freeze-tcp"],
    FREEZE: [],
    LAYER: ["-s", "signals.unreachable=true"],
}
"""What is emulated, with the words of the command line."""
DEPLOYED = {FREEZE: "freeze --every 2s --name", LAYER: "modified-atcp --interface air0"}
"""What `multihop deploy` runs at the sender, with its words."""
OURS = {"ours": (), "ours, ATCP": ("atcp",), "ours, modified ATCP": ("modified-atcp",), "ours, ELFN": ("elfn",)}
"""What is simulated, with its techniques."""


@dataclass(frozen=True, slots=True)
class Outage:
    """One outage."""

    length_s: float
    phase: int

    @property
    def begin_s(self) -> float:
        """When it begins [s]."""
        return BEGIN_S + self.phase * STEP_S

    @property
    def back_s(self) -> float:
        """When it is over [s]."""
        return self.begin_s + self.length_s

    @property
    def end_s(self) -> float:
        """When the run ends [s]: Linux doubles its timer, so it sends again before another outage has passed."""
        return self.back_s + max(AFTER_S, min(LONGEST_S, self.length_s + 20.0)) + 5.0

    def write(self, folder: Path) -> Path:
        """The scenario file."""
        lines = [SCENARIO.read_text(encoding="utf-8").split("[[event]]")[0]]
        for kind, at in (("node-down", self.begin_s), ("node-up", self.back_s)):
            lines.append(f'[[event]]\nat = "{at:.2f} s"\nkind = "{kind}"\nnode = "2"\n')
        file = folder / f"away-{self.length_s:g}-{self.phase}.toml"
        file.write_text("\n".join(lines), encoding="utf-8")
        return file

    def sets(self) -> tuple[str, ...]:
        """What it sets beside: as long as it lasts, measured from the beginning, and a seed.

        With the same seed, transfers before the outage would be nearly the same, and so would be their RTO.
        """
        measured = ("measure.warm-up=0 s", "measure.sample=0.1 s", "flow.1.start=0 s")
        return (f"run.duration={self.end_s:.2f} s", *measured, f"run.seed={self.phase + 1}")


@dataclass(frozen=True, slots=True)
class Found:
    """What one run has shown."""

    resumed_s: float | None
    """Time from the return to the first new acknowledgment [s]; None if there was none."""
    kilobytes: float
    """Acknowledged in the time after the return [kB]."""
    lag_us: float = 0.0


def sent_before(tcp: pd.DataFrame, outage: Outage) -> bool:
    """Whether the transfer was under way when the outage began: on a busy machine programs may start too late."""
    return bool((tcp["una"][tcp["time_s"] <= outage.begin_s] > 0).any())


def found(tcp: pd.DataFrame, outage: Outage, lag_us: float = 0.0) -> Found:
    """From the series of a run."""
    tcp = tcp.sort_values("time_s")
    before = tcp["una"][tcp["time_s"] <= outage.back_s].max()
    later = tcp[(tcp["time_s"] > outage.back_s) & (tcp["una"] > before)]
    resumed = float(later["time_s"].iloc[0]) - outage.back_s if len(later) else None
    until = tcp["una"][tcp["time_s"] <= outage.back_s + AFTER_S].max()
    return Found(resumed, float(until - before) / 1e3, lag_us)


def line(outage: Outage, way: str, folder: Path, out: Path, number: int) -> list[str]:
    """The command of an emulation."""
    multihop = str(Path(sys.executable).with_name("multihop"))
    control = f"frz_{os.getpid() % 100_000}_{number}" if way == FREEZE else "reno"  # all of them meet in one kernel
    seconds = outage.end_s - 2 - START_S
    commands = {
        f"{sys.executable} {TRANSFER} receive 5000": 'at = "4"\nserve = true',
        f"{sys.executable} {TRANSFER} send {{node:4}} 5000 {seconds:g} {control}": f'at = "0"\nstart = "{START_S:g} s"',
    }
    if way in DEPLOYED:
        words = f"{DEPLOYED[way]} {control}" if way == FREEZE else DEPLOYED[way]
        commands[f"{multihop} deploy {words} --any-kernel"] = 'at = "0"\nserve = true'
    file = out.with_suffix(".toml")
    file.write_text(
        "".join(f"[[command]]\nrun = '{run}'\n{rest}\n" for run, rest in commands.items()), encoding="utf-8"
    )
    sets = [word for one in outage.sets() for word in ("-s", one)]
    scenario = str(outage.write(folder))
    return [multihop, "emulate", scenario, *REAL[way], *sets, "--commands", str(file), "--out", str(out), "--json"]


def emulated(
    jobs: Sequence[tuple[str, Outage]], folder: Path, tries: int = TRIES
) -> Iterator[tuple[str, Outage, Found]]:
    """Emulations side by side; those that were too late are run again."""
    running = []
    for number, (name, outage) in enumerate(jobs):
        out = folder / f"store-{tries}-{outage.length_s:g}-{number}"
        words = line(outage, name, folder, out, number)
        log = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        running.append((name, outage, out, log))
    again = []
    for name, outage, out, log in running:
        said = json.loads(log.communicate()[0])["runs"][0]["emulation"]
        tcp = Store.open(out).one()[0].series("tcp")
        if said["valid"] and sent_before(tcp, outage):
            yield name, outage, found(tcp, outage, said["lag_p99_us"])
        elif tries > 1:
            again.append((name, outage))
        else:
            sys.stderr.write(f"{name}, {outage.length_s:g} s: lag {said['lag_p99_us']:.0f} us, left out\n")
    if again:
        yield from emulated(again, folder, tries - 1)


def simulated(
    ours: Sequence[str], outages: Sequence[Outage], folder: Path, runs: int
) -> Iterator[tuple[str, Outage, Found]]:
    """Our TCP over the same outages, set up as Linux has it, as far as it has a key for that."""
    store = Store.open(folder / "simulated")
    for name, outage in product(ours, outages):
        scenario: Scenario = load(str(outage.write(folder)))
        task = Task(scenario, OURS[name], (*outage.sets(), *as_linux("reno")), None, range(1, runs + 1))
        [records] = execute([task], store=store)
        for record in records:
            yield name, outage, found(record.series("tcp"), outage)


def spread(values: Sequence[float | None], digits: int) -> str:
    """Median, and least and most in parentheses; a run that did not go on counts as longest."""
    ordered = sorted(float("inf") if value is None else value for value in values)

    def shown(value: float) -> str:
        return "never" if value == float("inf") else f"{value:.{digits}f}"

    return f"{shown(median(ordered))} ({shown(ordered[0])}–{shown(ordered[-1])})" if ordered else "–"


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("lengths", nargs="?", default="10,30,45,60,75,100")
    parser.add_argument("--phases", type=int, default=3)
    parser.add_argument("--jobs", type=int, default=6, help="emulations side by side")
    parser.add_argument("--runs", type=int, default=3, help="simulated runs of each phase")
    parser.add_argument("--only", default="", metavar="TEXT", help="lines that have this in their name")
    asked = parser.parse_args()
    real, ours = ([one for one in ways if asked.only in one] for ways in (REAL, OURS))
    outages = [Outage(float(length), phase) for length in asked.lengths.split(",") for phase in range(asked.phases)]
    results: dict[tuple[str, float], list[Found]] = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        longest_first = sorted(product(real, outages), key=lambda job: -job[1].length_s)
        parts: list[Iterator[tuple[str, Outage, Found]]] = [
            emulated(longest_first[first : first + asked.jobs], folder)
            for first in range(0, len(longest_first), asked.jobs)
        ]
        for part in [*parts, simulated(ours, outages, folder, asked.runs)]:
            for who, outage, what in part:
                results.setdefault((who, outage.length_s), []).append(what)
    print("| away s | | runs | goes on after s | kB in 30 s | lag p99 us |")
    print("|--:|---|--:|--:|--:|--:|")
    for length, who in product(sorted({outage.length_s for outage in outages}), [*real, *ours]):
        print(row(length, who, results.get((who, length), [])))


def row(length: float, who: str, runs: Sequence[Found]) -> str:
    """A line of the table."""
    lag = f"{max(run.lag_us for run in runs):.0f}" if runs and who in REAL else ""
    cells: list[Any] = [f"{length:g}", who, len(runs), spread([run.resumed_s for run in runs], 1)]
    cells += [spread([run.kilobytes for run in runs], 0), lag]
    return f"| {' | '.join(map(str, cells))} |"


if __name__ == "__main__":
    main()
