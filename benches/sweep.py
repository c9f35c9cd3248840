"""What handing a sweep to a Dask cluster costs: processor time of all its processes over that of one machine.

    python benches/sweep.py [--rounds 3] [--runs 1200] [--batch 1]

A scheduler and two workers run on loopback. Both ways make the same runs into empty stores, in turn. The time to start
processes and load modules is left out: each way has made a small sweep before. The table has a line a round; the last
line has the median. It leaves with 1 if the cluster costs more than 3 %.
"""

from __future__ import annotations

import argparse
import os
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import psutil

import multihop
from multihop.store.store import Store
from multihop.sweeping import cluster

LIMIT = 0.03
"""Share of the processor time that a cluster may cost."""
WORKERS = 2


@contextmanager
def machines(folder: Path) -> Iterator[tuple[str, list[psutil.Process]]]:
    """The address of a scheduler with two workers of one thread each, and their processes."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    address = f"tcp://127.0.0.1:{port}"
    seldom = {**os.environ, **cluster.environment()}
    worker = (address, "--nthreads", "1", "--no-nanny", "--local-directory", str(folder))
    with ExitStack() as stack:

        def start(module: str, *words: str) -> psutil.Process:
            command = [
                sys.executable,
                "-m",
                f"distributed.cli.{module}",
                "--host",
                "127.0.0.1",
                "--no-dashboard",
                *words,
            ]
            process = psutil.Popen(command, env=seldom, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            stack.callback(process.wait)
            stack.callback(process.kill)
            return process

        scheduler = start("dask_scheduler", "--port", str(port))
        yield address, [scheduler, *(start("dask_worker", *worker) for _ in range(WORKERS))]


def spent(processes: list[psutil.Process]) -> float:
    """Processor time of this process and the others so far [s]."""
    times = [process.cpu_times() for process in processes]
    return time.process_time() + sum(t.user + t.system for t in times)


def sweep(runs: int, address: str | None) -> None:
    """Makes runs of 0.04 s of processor time each, in an empty store."""
    with tempfile.TemporaryDirectory() as folder:
        windows, store = {"tcp.max-window": [4, 40]}, Store.open(folder)
        multihop.sweep("chain", windows, runs=runs // 2, threads=WORKERS, store=store, executor=address)


def main() -> int:
    """Measures, prints the table; returns the exit code."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--rounds", type=int, default=3)
    options.add_argument("--runs", type=int, default=1200)
    options.add_argument("--batch", type=float, default=cluster.BATCH_S, help="processor time of a batch [s]")
    chosen = options.parse_args()
    cluster.BATCH_S = chosen.batch
    print(f"{chosen.runs} runs, batches of {chosen.batch:g} s, {WORKERS} workers: processor time [s]")
    print("round   one machine   client   scheduler, workers   cluster   overhead")
    shares = []
    with tempfile.TemporaryDirectory() as folder, machines(Path(folder)) as (address, processes):
        for where in (None, address):
            sweep(20, where)
        for round_ in range(chosen.rounds):
            begin = spent([])
            sweep(chosen.runs, None)
            local = spent([]) - begin
            client, all_ = spent([]), spent(processes)
            sweep(chosen.runs, address)
            client, all_ = spent([]) - client, spent(processes) - all_
            shares.append(all_ / local - 1)
            times = f"{local:13.1f} {client:8.1f} {all_ - client:20.1f} {all_:9.1f}"
            print(f"{round_ + 1:5} {times} {shares[-1]:+10.1%}", flush=True)
    median = statistics.median(shares)
    print(f"median {median:+.1%}; at most {LIMIT:.0%}")
    return int(median > LIMIT)


if __name__ == "__main__":
    sys.exit(main())
