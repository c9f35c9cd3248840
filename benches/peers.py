"""The simulators that are measured side by side: how each is found, started and read.

Every simulator runs as a child process that prints its goodput and its MAC frames; its CPU time is what the
kernel charged to it. A transfer lasts `seconds`; 0 means "build the network and stop at once", which measures
start-up.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

BENCHES = Path(__file__).resolve().parent
ROOT = BENCHES.parent
TARGET = Path(os.environ.get("CARGO_TARGET_DIR") or ROOT / "target")
WARM_UP = 100.0  # both ns simulators let DSDV find its routes first
NEARLY_NOTHING = 0.001  # simulated seconds of a start-up twin
NS3_MODULES = (
    *("wifi", "dsdv", "internet", "applications", "mobility", "propagation", "network", "core"),
    *("traffic-control", "spectrum", "antenna", "bridge", "stats"),
)


# valgrind counts `rep stos` once a byte, the processor once; ns-2 clears a kilobyte a packet with it. Without
# string instructions valgrind's count agrees with the processor's (8 300 a frame for ns-2 on one hop).
NO_STRING_INSTRUCTIONS = ":".join(f"glibc.cpu.x86_rep_{name}_threshold=2000000000" for name in ("stosb", "movsb"))


class MissingError(Exception):
    """A simulator is not on this machine; the message says how to get it."""


@dataclass(frozen=True)
class Peer:
    """One simulator."""

    name: str
    seconds: float
    """Length of its transfer: long enough to measure, short enough to wait for."""
    command: Callable[[int, float, int], list[str]]
    """(hops, seconds, seed) to the command line; raises `MissingError`."""
    frames: Callable[[int, float, int], float] | None = None
    """Where the simulator cannot count its own frames: counts them in a run of their own."""


@dataclass(frozen=True)
class Outcome:
    """What one child process printed and cost."""

    values: dict[str, float]
    cpu_s: float


def run(command: list[str]) -> Outcome:
    """Run a child to its end, and read what it prints."""
    output, cpu_s = output_of(command)
    return Outcome(values_of(output), cpu_s)


def output_of(command: list[str]) -> tuple[str, float]:
    """Run a child to its end: what it prints, and its CPU time, user + system, as charged by the kernel."""
    child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    output = child.stdout.read() if child.stdout else ""
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.stdout:
        child.stdout.close()
    if child.returncode:
        raise RuntimeError(f"{' '.join(command)} ended with status {child.returncode}:\n{output[-2000:]}")
    return output, usage.ru_utime + usage.ru_stime


def valgrind_instructions(command: list[str]) -> float:
    """User instructions of a child, by valgrind: the same on every machine that runs the same code.

    Python hashes names by chance from one start to the next, which moves a difference of two starts by 0.2 %: here by
    one seed.
    """
    if not shutil.which("valgrind"):
        raise MissingError("no instruction counts without valgrind; on Debian and Ubuntu: apt install valgrind")
    with tempfile.TemporaryDirectory() as folder:
        valgrind = ["valgrind", "--tool=cachegrind", "--cache-sim=no", f"--cachegrind-out-file={folder}/out"]
        environment = os.environ | {"GLIBC_TUNABLES": NO_STRING_INSTRUCTIONS, "PYTHONHASHSEED": "0"}
        counted = subprocess.run([*valgrind, *command], capture_output=True, text=True, check=True, env=environment)
    match = re.search(r"I\s+refs:\s+([\d,]+)", counted.stderr)
    if not match:
        raise RuntimeError("valgrind printed no instruction count")
    return float(match[1].replace(",", ""))


def values_of(output: str) -> dict[str, float]:
    """`goodput_kbps` and `frames`, from `... key value` lines (flows are added up) or a run's JSON document."""
    values: dict[str, float] = {}
    for line in output.splitlines():
        if line.startswith("{"):
            result = json.loads(line)
            values["goodput_kbps"] = sum(flow["goodput_bps"] for flow in result["flows"]) / 1000
            values["frames"] = result["frames"]
            continue
        key, _, value = line.rpartition(" ")
        name = key.split(" ")[-1]
        if name in ("goodput_kbps", "frames"):
            values[name] = values.get(name, 0.0) + float(value)
    return values


def ns2_command(hops: int, seconds: float, seed: int, *more: str) -> list[str]:
    """ns-2 with routes that stand: its DSDV runs, but never gives up a neighbour (see chain.tcl)."""
    if not shutil.which("ns"):
        raise MissingError("ns-2 is not installed; on Debian and Ubuntu: apt install ns2")
    end = WARM_UP + seconds if seconds else NEARLY_NOTHING
    script = str(BENCHES / "ns2" / "chain.tcl")
    options = {"hops": hops, "seed": seed, "start": WARM_UP, "duration": end, "routing": "static"}
    return ["ns", script, *(str(item) for pair in options.items() for item in pair), *more]


def ns2_frames(hops: int, seconds: float, seed: int) -> float:
    """MAC frames of the transfer, counted in the trace of a run of its own (same seed, same run)."""
    command = ns2_command(hops, seconds, seed, "trace", "-")
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as child:
        lines = child.stdout or ()
        return sum(
            1 for line in lines if line[:2] == "s " and " MAC " in line and float(line.split(" ", 2)[1]) >= WARM_UP
        )


def ns3_folder() -> Path:
    """The folder of the PyPI package `ns3` with its headers and libraries."""
    named = os.environ.get("NS3_DIR")
    spec = importlib.util.find_spec("ns3")
    for folder in [named] if named else list(spec.submodule_search_locations or []) if spec else []:
        if (Path(folder) / "include" / "ns3" / "wifi-module.h").exists():
            return Path(folder)
    raise MissingError(
        "ns-3 is not installed; either `pip install ns3==3.44.post0`, or unzip that wheel and set NS3_DIR to "
        "its folder `ns3` (the one with include/ and lib64/)"
    )


def ns3_build(name: str) -> Path:
    """A small C++ driver for ns-3, linked against the wheel when it is first needed."""
    folder = ns3_folder()
    if not shutil.which("g++"):
        raise MissingError("ns-3 needs a C++ compiler for its driver: apt install g++")
    source, binary = BENCHES / "ns3" / f"{name}.cc", TARGET / "benches" / f"ns3-{name}"
    if not binary.exists() or binary.stat().st_mtime < source.stat().st_mtime:
        binary.parent.mkdir(parents=True, exist_ok=True)
        libraries = [
            f"-l{file.name[3:-3]}" for module in NS3_MODULES for file in folder.glob(f"lib64/libns3.*-{module}.so")
        ]
        link = ["-L", folder / "lib64", f"-Wl,-rpath,{folder}/lib64", "-Wl,--allow-shlib-undefined"]
        compiler = ["g++", "-O2", "-std=c++20", "-I", folder / "include"]
        subprocess.run([*compiler, "-o", binary, source, *link, *libraries], check=True)
    return binary


def ns3_command(hops: int, seconds: float, seed: int, *more: str) -> list[str]:
    """The chain in ns-3."""
    binary = ns3_build("chain")
    end = WARM_UP + seconds if seconds else NEARLY_NOTHING
    return [str(binary), f"--hops={hops}", f"--seed={seed}", f"--stop={end}", f"--start={WARM_UP}", *more]


def engine_command(hops: int | str, seconds: float, seed: int) -> list[str]:
    """The Rust engine alone, built as the wheels are; in place of the hops, a file of motion is the nodes of that."""
    binary = TARGET / "dist" / "examples" / "bench_chain"
    if not binary.exists():
        raise MissingError("multihop's engine example is not built: cargo build --profile dist --example bench_chain")
    return [str(binary), str(hops), str(seconds or NEARLY_NOTHING), str(seed)]


def package_command(hops: int | str, seconds: float, seed: int) -> list[str]:
    """The installed Python package, as a user calls it."""
    if not importlib.util.find_spec("multihop"):
        raise MissingError("multihop's Python package is not installed: make run")
    return [
        sys.executable,
        str(BENCHES / "package_chain.py"),
        str(hops),
        str(seconds or NEARLY_NOTHING),
        str(seed),
    ]


def build_engine() -> None:
    """Build the engine's example as the wheels are, so that what is measured is what stands in the tree.

    That is in two steps if rustup's LLVM tools are there: an example that counts which way branches go runs the
    training, then the one to measure is built by its counts.
    """
    if not shutil.which("cargo"):
        return
    merge = profile_merger()
    if not merge:
        print("rustup's llvm-tools are missing: the engine is not guided by a profile, as wheels are", file=sys.stderr)
        build_example(TARGET)
        return
    folder = TARGET / "guided"
    build_example(folder, f"-Cprofile-generate={folder / 'counts'}")
    counting = folder / "dist" / "examples" / "bench_chain"
    profile = folder / f"{hashlib.sha256(counting.read_bytes()).hexdigest()[:16]}.profdata"
    if not profile.exists():
        shutil.rmtree(folder / "counts", ignore_errors=True)
        for file, seconds in shipped().items():
            output_of([str(counting), str(file), str(seconds), "1"])
        subprocess.run([merge, "merge", "-o", profile, folder / "counts"], check=True)
    build_example(TARGET, f"-Cprofile-use={profile}")


def shipped() -> dict[Path, float]:
    """Each shipped scenario, and the simulated seconds that it lasts: what a guided build learns from."""
    files = sorted((ROOT / "scenarios").glob("*.toml"))
    runs = {file: tomllib.loads(file.read_text(encoding="utf-8"))["run"] for file in files}
    return {file: float(run["duration"].removesuffix(" s")) for file, run in runs.items()}


def build_example(target: Path, *flags: str) -> None:
    """Build it into a folder, with more flags of the compiler."""
    example = ["-p", "multihop-sim", "--example", "bench_chain"]
    command = ["cargo", "build", "-q", "--profile", "dist", "--locked", *example]
    more = {"CARGO_TARGET_DIR": str(target), "CARGO_ENCODED_RUSTFLAGS": "\x1f".join(flags)}
    subprocess.run(command, cwd=ROOT, check=True, env={**os.environ, **more})


def profile_merger() -> Path | None:
    """The tool of this Rust that merges the counts of runs; `rustup component add llvm-tools` installs it."""
    ask = ["rustc", "--print", "target-libdir"]
    libraries = subprocess.run(ask, capture_output=True, text=True, check=True).stdout.strip()
    return next(Path(libraries).parent.glob("bin/llvm-profdata*"), None)


PEERS = (
    Peer("multihop engine", 2000.0, engine_command),
    Peer("multihop package", 2000.0, package_command),
    Peer("ns-2", 200.0, ns2_command, ns2_frames),
    Peer("ns-3", 50.0, ns3_command),
)
