"""TCP of Linux over the emulated air beside our TCP over the simulated one: `chain`, 1 to 7 hops, one bulk transfer.

    sudo -E python benches/emulation.py   # reno, cubic and bbr, 1 to 7 hops, two each: 12 minutes
    sudo -E python benches/emulation.py 1,3 reno --runs 1 --seconds 5

The table goes to standard output. Our TCP is set up as the profile `linux` says.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import tomllib
from collections.abc import Iterator
from pathlib import Path
from statistics import mean
from typing import Any

from multihop.emulating.commands import Command, served
from multihop.emulating.emulate import Wish, emulate
from multihop.record.record import Record
from multihop.running.run import Task, execute
from multihop.scenario.scenario import Scenario, load
from multihop.store.store import Store

TRANSFER = Path(__file__).parents[1] / "tests" / "transfer.py"
LINUX = 'profile = "linux"\n[topology]\nkind = "chain"\nhops = 1\n[[flow]]\nfrom = "0"\nto = "1"\n'
"""A scenario whose TCP is that of the profile `linux`."""
CONTROLS: dict[str, tuple[str, ...]] = {
    "reno": ("tcp.window=newreno",),
    "cubic": ("tcp.window=cubic", "tcp.slow-start=hystart"),
}
"""What our TCP has for the congestion control of Linux; BBR is a technique."""
OF_THE_CONTROL = {"tcp.window", "tcp.slow-start"}
"""Keys that a congestion control sets itself."""
SAMPLE = "measure.sample=0.1 s"
SIMULATED = 10
"""Simulated runs of each row."""


def settled(scenario: Scenario) -> dict[str, str]:
    """All values of the TCP of a scenario, by key."""
    return dict(keys(tomllib.loads(scenario.resolve().toml())["tcp"], "tcp"))


def keys(table: dict[str, Any], above: str) -> Iterator[tuple[str, str]]:
    """The keys of a table and those inside, with their paths, and the values as `--set` takes them."""
    for key, value in table.items():
        path = f"{above}.{key}"
        if isinstance(value, dict):
            yield from keys(value, path)
        else:
            yield path, str(value).lower() if isinstance(value, bool) else str(value)


def as_linux(control: str) -> tuple[str, ...]:
    """Settings for our TCP as Linux has it under this congestion control: the scenario keeps its radio and its MAC."""
    own, wanted = settled(load("chain")), settled(Scenario("linux", LINUX, "linux"))
    wanted["tcp.initial-ssthresh"] = wanted["tcp.max-window"]  # what it means where it is not set
    differing = [f"{key}={value}" for key, value in wanted.items() if own.get(key) != value]
    plain = [setting for setting in differing if setting.split("=")[0] not in OF_THE_CONTROL]
    return (*plain, *CONTROLS.get(control, ()))


def window(record: Record) -> float:
    """The mean congestion window while the transfer ran [segments]."""
    tcp = record.series("tcp")
    running = tcp["una"] > tcp["una"].min()
    return float(tcp["snd_cwnd"][running].mean())


def emulated(hops: int, control: str, seconds: float, store: Store) -> dict[str, Any]:
    """One emulation: the flow's figures and the lag."""
    words = (sys.executable, str(TRANSFER), "send", f"{{node:{hops}}}", "5000", f"{seconds:g}", control)
    commands = [*served([f"{hops}: {sys.executable} {TRANSFER} receive 5000"]), Command("0", words)]
    done = emulate(Wish(load("chain"), commands, sets=(f"topology.hops={hops}", SAMPLE)), store, output=sys.stderr)
    run = done.records[0].data
    flow = run["flows"][0]
    # Programs start and end in the time of the emulation as well: over the time of sending it is as in a simulation.
    goodput = flow["goodput_bps"] * run["sim_s"] / seconds
    return {**flow, "goodput_bps": goodput, "cwnd": window(done.records[0]), **done.said}


def simulated(hops: int, control: str, seconds: float, store: Store) -> list[dict[str, Any]]:
    """Our TCP on the same scenario for as long."""
    time = (f"run.duration={seconds:g} s", "measure.warm-up=0 s", "flow.1.start=0 s", SAMPLE)
    techniques = () if control in CONTROLS else (control,)
    sets = (f"topology.hops={hops}", *time, *as_linux(control))
    [records] = execute([Task(load("chain"), techniques, sets, None, range(1, SIMULATED + 1))], store=store)
    return [{**record.data["flows"][0], "cwnd": window(record)} for record in records]


def row(hops: int, control: str, real: list[dict[str, Any]], ours: list[dict[str, Any]]) -> str:
    """A line of the table."""

    def of(flows: list[dict[str, Any]], name: str, scale: float = 1.0) -> str:
        return f"{scale * mean(float(flow[name] or 0.0) for flow in flows):.0f}" if flows else "–"

    cells = [str(hops), control]
    for name, scale in (
        ("goodput_bps", 1e-3),
        ("retransmissions", 1.0),
        ("timeouts", 1.0),
        ("cwnd", 1.0),
        ("rtt_mean_s", 1e3),
    ):
        cells += [of(real, name, scale), of(ours, name, scale)]
    cells.append(f"{max(flow['lag_p99_us'] for flow in real):.0f}")
    return f"| {' | '.join(cells)} |"


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("hops", nargs="?", default="1,2,3,4,5,6,7")
    parser.add_argument("controls", nargs="?", default="reno,cubic,bbr")
    parser.add_argument("--runs", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=15.0)
    asked = parser.parse_args()
    figures = ("goodput kbit/s", "retransmissions", "timeouts", "cwnd", "RTT ms")
    print(f"| hops | | {' | '.join(f'{figure} | ours' for figure in figures)} | lag p99 us |")
    print(f"|--:|---|{'--:|' * 11}")
    with tempfile.TemporaryDirectory() as folder:
        store = Store.open(folder)
        for control in asked.controls.split(","):
            for hops in map(int, asked.hops.split(",")):
                real = [emulated(hops, control, asked.seconds, store) for _ in range(asked.runs)]
                print(row(hops, control, real, simulated(hops, control, asked.seconds, store)), flush=True)


if __name__ == "__main__":
    main()
