"""Kills `multihop run` and `compare` at random moments: what was whole stays whole, nothing half-written is taken.

`python -m torture.kills 1000` in `tests/` kills so many times; `pytest tests/test_torture.py` a few. In each round one
or two processes write into one store (empty, filled, filled without captures, damaged) and are killed with SIGKILL.
Then every record that there is must be whole or known not to be, all that were whole must still be, the documents of
the store must be sealed, and the same command must come to its end with the same results.
"""

from __future__ import annotations

import os
import random
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from multihop.cli import main
from multihop.errors import RecordError
from multihop.files.manifest import LATEST, Latest, Set, opened
from multihop.store.archive import Archive
from torture.common import TINY, call, inside, results

STORE = Path(".multihop")
BASE = ("--runs", "3", "--threads", "2", "--json")
COMMANDS = {
    "run": ("run", "tiny.toml", *BASE),
    "compare": ("compare", "tiny.toml", "--techniques", "none,placebo", *BASE),
}
OPTIONS = ((), ("--fresh",), ("--pcap",), ("--pcap", "--fresh"))
STORES = ("empty", "plain", "captured", "damaged")


class WrongError(AssertionError):
    """Something that was whole is lost, or something half-written was taken."""


def kills(rounds: int, folder: Path, seed: int = 1) -> Counter[str]:
    """So many rounds; counts the kills by the state of the store before and after. Raises WrongError."""
    rng = random.Random(seed)
    counts: Counter[str] = Counter()
    with inside(folder):
        Path("tiny.toml").write_text(TINY, encoding="utf-8")
        truth, longest = _templates()
        for number in range(rounds):
            kind, options = rng.choice(STORES), rng.choice(OPTIONS)
            name = "run" if "--pcap" in options else rng.choice([*COMMANDS])
            command = (*COMMANDS[name], *options)
            where = f"round {number} of seed {seed}: {' '.join(command)} into a store that was {kind}"
            _fill(kind, rng)
            before = _whole()
            processes = [start(command) for _ in range(rng.choice((1, 2)))]
            for pid in processes:
                time.sleep(rng.random() * longest)
                counts["killed" if _kill(pid) else "had ended"] += 1
            counts[f"{kind} {' '.join((name, *options))}"] += 1
            counts["left a .next"] += any((STORE / "records").glob("*.next"))  # before looking, which moves it on
            after = _whole()
            if not before <= after:
                raise WrongError(f"{where}: {sorted(before - after)} were whole and are not")
            counts["left in tmp"] += any((STORE / "tmp").iterdir()) if (STORE / "tmp").is_dir() else 0
            _documents(where)
            code, out, err = call(command)
            if code != 0 or results(out) != truth[name]:
                raise WrongError(f"{where}: the same command again: code {code}, {err[:2000]}")
            if any((STORE / "tmp").iterdir()):
                raise WrongError(f"{where}: left in tmp: {[*(STORE / 'tmp').iterdir()]}")
    return counts


def _templates() -> tuple[dict[str, object], float]:
    """Stores to begin with, the results that every round must come to, and how long the quickest command took [s]."""
    truth: dict[str, object] = {}
    longest = 60.0
    for kind, options in (("plain", ()), ("captured", ("--pcap",))):
        for name, command in COMMANDS.items():
            begin = time.monotonic()
            code, out, err = call((*command, *(options if name == "run" else ())))
            longest = min(longest, time.monotonic() - begin)
            if code:
                raise WrongError(f"{name}: {err}")
            truth[name] = results(out)
        shutil.copytree(STORE, Path(kind))
        shutil.rmtree(STORE)
    return truth, longest


def _fill(kind: str, rng: random.Random) -> None:
    shutil.rmtree(STORE, ignore_errors=True)
    if kind != "empty":
        shutil.copytree("captured" if kind == "damaged" else kind, STORE)
    if kind == "damaged":
        record = rng.choice(sorted((STORE / "records").iterdir()))
        file = rng.choice(sorted(f for f in record.rglob("*") if f.is_file()))
        file.write_bytes(file.read_bytes()[:-1])


def start(command: Sequence[str]) -> int:
    """A process of its own that runs the command: a fork, so that all time is spent in what is to be killed."""
    pid = os.fork()
    if pid == 0:
        try:
            silent = os.open(os.devnull, os.O_RDWR)
            for stream in (0, 1, 2):
                os.dup2(silent, stream)
            main(command)
        finally:
            os._exit(0)
    return pid


def _kill(pid: int) -> bool:
    """Kills the process; whether it was still at work."""
    ended, _ = os.waitpid(pid, os.WNOHANG)
    if ended:
        return False
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    return True


def _whole() -> set[str]:
    """Addresses of the records that are whole, and which of them have captures."""
    archive = Archive(STORE)
    found = set()
    for key in archive.beginning(""):
        try:
            record = archive.read(key)
        except RecordError:
            continue
        found.add(key)
        if record.pcap:
            found.add(f"{key} with captures")
    return found


def _documents(where: str) -> None:
    """Sets and latest are as they were written, if they are there."""
    try:
        for file in (STORE / "sets").glob("*.json"):
            opened(file, Set)
        if (STORE / LATEST).exists():
            opened(STORE / LATEST, Latest)
    except RecordError as e:
        raise WrongError(f"{where}: {e}") from None


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as scratch:
        tally = kills(int(sys.argv[1]), Path(scratch), int(sys.argv[2]) if len(sys.argv) > 2 else 1)
    sys.stdout.write(f"{tally}\n")
