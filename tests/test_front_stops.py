"""Whatever stops a command or its output: no traceback, and what has finished stays."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import multihop
from conftest import Cli
from test_json_documents import STUDY

COMMAND = [sys.executable, "-c", "from multihop.cli import main; main()"]
PRINTING = [
    ("explain",),
    ("explain", "--csv", "losses"),
    ("check", "tiny.toml"),
    ("compare", "tiny.toml", "-t", "none,drr", "-n", "2"),
    ("reproduce", "small.toml", "--quick"),
    ("list", "words"),
    ("plot", "goodput"),
    ("export", "--out", "copies"),
    ("--help",),
]


@pytest.fixture
def known(cli: Cli, tiny: str, here: Path) -> None:
    """A record and a study."""
    assert cli("run", tiny, "-n", "2").code == 0
    (here / "small.toml").write_text(STUDY, encoding="utf-8")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
@pytest.mark.parametrize("command", PRINTING, ids=" ".join)
@pytest.mark.usefixtures("known")
def test_a_full_device_is_one_line(command: tuple[str, ...]) -> None:
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run([*COMMAND, *command], stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert (done.returncode, len(done.stderr.splitlines())) == (2, 1)
    assert "the disk is full" in done.stderr


@pytest.mark.parametrize("command", [*PRINTING, ("run", "tiny.toml", "-n", "2")], ids=" ".join)
@pytest.mark.usefixtures("known")
def test_a_reader_that_has_left_is_as_sigpipe(command: tuple[str, ...]) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run([*COMMAND, *command], stdout=writer, stderr=subprocess.PIPE, text=True, check=False)
    os.close(writer)
    assert (done.returncode, done.stderr) == (141, "")


@pytest.mark.parametrize("command", PRINTING, ids=" ".join)
@pytest.mark.usefixtures("known")
def test_letters_that_an_output_has_not_are_written_otherwise(command: tuple[str, ...]) -> None:
    plain = {"LANG": "C", "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "PYTHONIOENCODING": "ascii"}
    done = subprocess.run([*COMMAND, *command], capture_output=True, env={**os.environ, **plain}, check=False)
    assert done.returncode == 0, done.stderr
    (done.stdout + done.stderr).decode("ascii")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize("command", ["compare tiny.toml -t none,drr", "run tiny.toml --csv flows"])
def test_a_signal_is_one_line_and_its_code(here: Path, tiny: str, command: str, number: signal.Signals) -> None:
    many = [*COMMAND, *command.split(), "--runs", "2000", "--threads", "1"]
    process = subprocess.Popen(many, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    _wait_for_a_record(here)
    process.send_signal(number)
    _, err = process.communicate(timeout=300)
    assert process.returncode == 128 + number, err
    assert "Traceback" not in err


def test_a_run_that_has_finished_is_on_the_disk_at_once(here: Path, tiny: str) -> None:
    """Not at the end of the command, nor when many have gathered: a process killed outright leaves it whole."""
    many = [*COMMAND, "run", tiny, "--runs", "2000", "--threads", "1"]
    process = subprocess.Popen(many, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _wait_for_a_record(here)
    process.kill()
    process.wait(timeout=300)
    keys = multihop.Store.open().keys()
    stored = [multihop.records(key)[0].run for key in keys]
    assert 1 <= len(stored) < 1000
    assert multihop.load(tiny).run(runs=max(stored)).store_hits == len(stored)


DIES = """
import os, signal, threading, time
from multihop.running import run
from multihop.cli import main
take = run._Batch._take

def die_in_a_second():
    begin = time.process_time()  # of this process: others may keep the machine busy
    while time.process_time() - begin < 1.0:
        time.sleep(0.01)
    os.kill(os.getpid(), signal.SIGKILL)

def watched(self, shelf):
    take(self, shelf)
    if self._simulated_s and not hasattr(self, "dying"):
        self.dying = threading.Thread(target=die_in_a_second, daemon=True)
        self.dying.start()

run._Batch._take = watched
main(["run", "tiny.toml", "-n", "4", "--threads", "1", "--set", "run.duration=20000 s"])
"""
"""A command that is killed outright a second after its first run has come out of the engine."""


def test_a_run_is_on_the_disk_a_second_after_it_has_finished(here: Path, tiny: str) -> None:
    """The runs after it take seconds each, and nothing is tidied up."""
    died = subprocess.run([sys.executable, "-c", DIES], capture_output=True, text=True, check=False, timeout=300)
    assert died.returncode == -signal.SIGKILL, died.stderr
    keys = multihop.Store.open().keys()
    assert 1 <= len(keys) < 4
    again = multihop.load(tiny).run(runs=1, set={"run.duration": "20000 s"})
    assert (again.store_hits, again[0].key in keys) == (1, True)


def _wait_for_a_record(here: Path) -> None:
    records, deadline = here / ".multihop" / "records", time.monotonic() + 300
    while time.monotonic() < deadline and not (records.is_dir() and any(records.iterdir())):
        time.sleep(0.01)
    assert any(records.iterdir())
