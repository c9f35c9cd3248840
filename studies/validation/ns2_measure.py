"""Measure the ns-2 side of the validation: run the cases of `ns2-cases.toml`, write one CSV row per run.

    python studies/validation/ns2_measure.py chain --jobs 1          # -> studies/validation/ns2-chain.csv
    python studies/validation/ns2_measure.py air --again drr         # only that case, and what is missing
    python studies/validation/ns2_measure.py --table ns2-chain.csv   # medians, quartiles, means as Markdown

A suite is a table of `ns2-cases.toml`; each of its cases is a list of parameters of
`benches/ns2/chain.tcl`, crossed with `hops` and `seeds`. A seed is *undisturbed* when DSDV lost no route
and let no packet wait for one between start and stop. A case with `trace-mac = 1` is measured by the
MAC's trace alone, one with `received = 0` by what is sent and dropped: faster, and what needs the others stays empty.
Needs ns-2.35 (`apt install ns2`) and nothing but the standard library.
"""

from __future__ import annotations

import argparse
import csv
import itertools
import shutil
import statistics
import subprocess
import sys
import tomllib
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

from ns2_trace import Trace

HERE = Path(__file__).resolve().parent
SCRIPT = HERE.parents[1] / "benches" / "ns2" / "chain.tcl"
FRAMES = ("rts", "cts", "tcp_data", "tcp_ack", "cbr", "mac_ack", "broadcast", "other")
KEY = ("suite", "case", "hops", "seed")
RATES = {"data": "2Mb", "basic": "1Mb", "plcp": "1Mb"}
SHOWN = (
    *(
        "goodput_kbps",
        "frames_per_s",
        "rts_per_s",
        "rts_failed_share",
        "given_up_rts_data",
        "given_up_rts_ack",
    ),
    *(
        "given_up_data_data",
        "given_up_data_ack",
        "queue_drops",
        "retransmissions",
        "timeouts",
        "fast_retransmits",
    ),
)


def case_runs(suite: dict) -> Iterator[dict[str, str]]:
    """Every run of a suite, as parameters of the Tcl script plus `case`."""
    for case in suite["case"]:
        common = {key: value for key, value in suite.items() if key != "case"} | case
        seeds = range(1, common.pop("seeds") + 1)
        hops = common.pop("hops", [None])
        for hop, seed in itertools.product(hops, seeds):
            run = dict(common, seed=seed)
            if hop is not None:
                run["hops"] = hop
            yield {key: str(value) for key, value in run.items()}


def one_run(run: dict[str, str]) -> Trace:
    """Run ns-2 once and read its trace while it is written."""
    arguments = [item for key, value in run.items() if key not in ("case", "received") for item in (key, value)]
    command = ["ns", str(SCRIPT), *arguments, "trace", "-", "sample", "0.1"]
    start, stop = float(run.get("start", 100)), float(run.get("stop", run.get("duration", 300)))
    rates = (float(run.get(f"{kind}-rate", default).removesuffix("Mb")) * 1e6 for kind, default in RATES.items())
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        if received(run):
            trace = Trace(start, stop, *rates).read(process.stdout)
        else:
            sent = ["grep", "-v", "^r "]
            with subprocess.Popen(sent, stdin=process.stdout, stdout=subprocess.PIPE, text=True) as kept:
                trace = Trace(start, stop, *rates).read(kept.stdout)
        try:
            process.wait(60)
        finally:
            process.kill()
    if process.returncode != 0:
        raise RuntimeError(f"ns-2 ended with status {process.returncode}: {' '.join(command)}")
    return trace


def received(run: dict[str, str]) -> bool:
    """Whether what nodes receive is read too."""
    return run.get("received") != "0"


def row(suite: str, run: dict[str, str], trace: Trace) -> dict[str, object]:
    """The CSV row of one run."""
    span = trace.stop - trace.start
    flows = [trace.results[key] for key in sorted(trace.results)]
    goodputs = [flow["goodput_kbps"] for flow in flows]
    rts = trace.frames["rts"]
    windows = [flow["cwnd"] for flow in flows if "cwnd" in flow]
    occupancy = trace.occupancy()
    stations = sorted(trace.node_frames, key=int)
    energy = trace.energy()

    def total(key: str) -> float:
        return sum(flow.get(key, 0) for flow in flows)

    def dropped(level_and_reason: str) -> int:
        return sum(n for key, n in trace.drops.items() if key.startswith(level_and_reason))

    # Sack1 logs its fast retransmits as the recoveries that they begin.
    fast_retransmit = "FAST_RECOVERY" if run.get("tcp") == "Sack1" else "FAST_RETX"
    given_up = trace.given_up

    def counts(counter: Counter[str]) -> str:
        return " ".join(f"{key.replace(' ', '/')}:{n}" for key, n in sorted(counter.items()))

    # Of a protocol that searches: its messages by type, and all losses above the MAC by layer, cause and kind.
    searched = (
        {"routing_messages": counts(trace.searching_messages), "losses": counts(trace.drops)}
        if trace.searching_messages
        else {}
    )

    def upper(value: object) -> object:  # of the router's and the agents' traces
        return "" if run.get("trace-mac") == "1" or not received(run) else value

    def heard(value: object) -> object:  # of what nodes receive
        return value if received(run) else ""

    metered = {"node_energy_j": " ".join(f"{energy[node]:.6f}" for node in sorted(energy, key=int))} if energy else {}
    return {
        "suite": suite, "case": run["case"], "hops": run.get("hops", ""), "seed": run["seed"],
        "goodput_kbps": round(sum(goodputs), 3),
        "flow_goodputs_kbps": " ".join(f"{value:.3f}" for value in goodputs),
        "frames_per_s": round(sum(trace.frames.values()) / span, 3),
        **{f"{name}_per_s": round(trace.frames[name] / span, 3) for name in FRAMES},
        "rts_failed": heard(rts - trace.cts_heard),
        "rts_failed_share": heard(round((rts - trace.cts_heard) / rts, 6) if rts else ""),
        "rts_heard": heard(trace.rts_heard),
        "rts_collided": trace.collided["RTS"],
        "given_up_rts_data": given_up["rts_tcp_data"] + given_up["rts_cbr"],
        "given_up_rts_ack": given_up["rts_tcp_ack"],
        "given_up_data_data": given_up["data_tcp_data"] + given_up["data_cbr"],
        "given_up_data_ack": given_up["data_tcp_ack"],
        "queue_drops": dropped("IFQ ---"), "arp_drops": dropped("IFQ ARP"),
        "no_route_drops": upper(dropped("RTR NRTE")), "route_buffer_drops": upper(dropped("RTR IFQ")),
        "sent": int(total("sent")), "retransmissions": int(total("retransmissions")),
        "timeouts": int(total("timeouts")),
        "fast_retransmits": sum(n for key, n in trace.events.items() if key.endswith(fast_retransmit)),
        "cwnd_mean": round(statistics.fmean(windows), 3) if windows else "",
        "rtt_mean_s": round(trace.rtt_sum / trace.rtt_n, 5) if trace.rtt_n else "",
        "first_ack_s": "" if trace.first_ack_s is None else round(trace.first_ack_s - trace.start, 3),
        "route_losses": upper(trace.route_losses), "route_waits": upper(trace.route_waits),
        "undisturbed": upper(int(trace.route_losses + trace.route_waits == 0)),
        "converged_s": upper(round(trace.converged_s, 3)), "pairs_routed": upper(trace.pairs_routed),
        "dsdv_messages": upper(len(trace.dsdv_sizes)), "dsdv_bytes": upper(sum(trace.dsdv_sizes)),
        "node_frames": " ".join(str(sum(trace.node_frames[node].values())) for node in stations),
        "node_rts": " ".join(str(trace.node_frames[node]["rts"]) for node in stations),
        "node_given_up": " ".join(str(trace.node_given_up[node]) for node in stations),
        "node_held_mean": upper(" ".join(f"{occupancy.get(node, 0):.3f}" for node in stations)),
        "airtime_share": " ".join(f"{name}:{trace.airtime_s[name] / span:.5f}" for name in FRAMES),
        "rts_attempts": heard(" ".join(f"{count}:{n}" for count, n in sorted(trace.rts_attempts.items()))),
        **searched,
        **metered,
    }  # fmt: skip


def measure(name: str, jobs: int, head: str, again: list[str]) -> None:
    """A suite of `ns2-cases.toml`."""
    suite = tomllib.loads((HERE / "ns2-cases.toml").read_text())[name]
    about = suite.pop("about")
    complete(
        HERE / f"ns2-{name}.csv", f"# {about}\n# {head}\n", list(case_runs(suite)), partial(one_row, name), jobs, again
    )


def complete(
    target: Path,
    head: str,
    runs: list[dict[str, str]],
    one: Callable[[dict[str, str]], dict[str, object] | None],
    jobs: int,
    again: list[str],
) -> None:
    """Run what the CSV has not yet, and the cases `again`; write it anew after every run, in the order of `runs`."""
    kept = [entry for entry in (rows_of(target) if target.exists() else []) if entry["case"] not in again]
    found: dict[tuple[str, ...], dict] = {run_key(entry): entry for entry in kept}
    missing = [run for run in runs if run_key(run) not in found]
    with ThreadPoolExecutor(jobs) as pool:
        for run, values in zip(missing, pool.map(one, missing), strict=True):
            if values is None:
                continue
            found[run_key(run)] = values
            print(target.stem, *run_key(run), values["goodput_kbps"], values["frames_per_s"], flush=True)
            write(target, head, [found[key] for key in map(run_key, runs) if key in found])


def run_key(run: dict[str, object]) -> tuple[str, ...]:
    """What names a run within its suite."""
    return tuple(str(run.get(key, "")) for key in ("case", "hops", "seed"))


def write(target: Path, head: str, rows: list[dict]) -> None:
    """The CSV, whole, in one step."""
    part = target.with_suffix(".part")
    with part.open("w", newline="") as file:
        file.write(head)
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    part.replace(target)


def one_row(suite: str, run: dict[str, str]) -> dict[str, object] | None:
    """The CSV row of one run; one that ns-2 does not survive is reported, not fatal."""
    try:
        return row(suite, run, one_run(run))
    except RuntimeError as error:
        print(error, file=sys.stderr, flush=True)
        return None


def rows_of(path: Path) -> list[dict[str, str]]:
    """The rows of a CSV that this script wrote."""
    with path.open(newline="") as file:
        return list(csv.DictReader(line for line in file if not line.startswith("#")))


def table(path: Path, columns: tuple[str, ...] = SHOWN, undisturbed: bool = False) -> str:
    """Median [quartiles] (mean) of the shown columns for each case and number of hops, as Markdown."""
    groups: dict[tuple[str, str], list[dict[str, str]]] = {}
    for entry in rows_of(path):
        if not undisturbed or entry["undisturbed"] == "1":
            groups.setdefault((entry["case"], entry["hops"]), []).append(entry)
    lines = ["| case | hops | n | " + " | ".join(columns) + " |", "|" + "---|" * (len(columns) + 3)]
    for (case, hops), entries in groups.items():
        cells = [summary([float(entry[column]) for entry in entries if entry[column]]) for column in columns]
        lines.append(f"| {case} | {hops} | {len(entries)} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def summary(values: list[float]) -> str:
    """`median [lower quartile, upper quartile] mean`."""
    if not values:
        return ""
    if len(values) == 1:
        return f"{values[0]:.4g}"
    low, _, high = statistics.quantiles(values, n=4, method="inclusive")
    return f"{statistics.median(values):.4g} [{low:.4g}, {high:.4g}] {statistics.fmean(values):.4g}"


def main() -> int:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("suite", nargs="*", help="suites of ns2-cases.toml to run")
    parser.add_argument("--jobs", type=int, default=1, help="runs at a time (default 1)")
    parser.add_argument("--measured", default="", help="a line for the head of the CSV: date, package version")
    parser.add_argument("--again", action="append", default=[], metavar="CASE", help="measure this case anew")
    parser.add_argument("--table", type=Path, action="append", default=[], help="print the table of this CSV")
    parser.add_argument("--undisturbed", action="store_true", help="with --table: undisturbed seeds only")
    options = parser.parse_args()
    if options.suite and not shutil.which("ns"):
        parser.error("ns-2 is not installed; on Debian: apt install ns2")
    for name in options.suite:
        measure(name, options.jobs, options.measured, options.again)
    for path in options.table:
        print(table(path, undisturbed=options.undisturbed))
    return 0


if __name__ == "__main__":
    sys.exit(main())
