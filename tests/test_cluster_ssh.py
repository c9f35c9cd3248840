"""Sweeps on hosts that are reached by SSH: a real SSH server on loopback, under two names."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import asyncssh
import pytest

from conftest import Cli

SERVER = Path(__file__).with_name("ssh_server.py")
SWEEP = ["sweep", "chain", "--over", "tcp.max-window=1,4", "-t", "none", "-n", "4"]
BRIEF = ["-s", "run.duration=8 s", "-s", "measure.warm-up=1 s", "-s", "flow.1.start=0 s"]


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Path]:
    """A home folder with a client's settings, by which `alpha` and `beta` are a server that runs."""
    folder = tmp_path / "home" / ".ssh"
    folder.mkdir(parents=True)
    key, own = asyncssh.generate_private_key("ssh-ed25519"), asyncssh.generate_private_key("ssh-ed25519")
    for name, private in (("id_ed25519", key), ("host", own)):
        private.write_private_key(folder / name)
        (folder / name).chmod(0o600)
    key.write_public_key(folder / "authorized")
    with subprocess.Popen([sys.executable, str(SERVER), str(folder)], stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        port = server.stdout.readline().strip()
        public = own.export_public_key().decode().strip()
        names = ",".join(f"[{name}]:{port}" for name in ("alpha", "beta", "127.0.0.1"))
        (folder / "known_hosts").write_text(f"{names} {public}\n")
        (folder / "config").write_text(
            f"Host alpha beta\n  HostName 127.0.0.1\n  Port {port}\n  IdentityFile {folder}/id_ed25519\n"
        )
        yield folder.parent
        server.kill()


def sweep(home: Path, store: str, *words: str) -> subprocess.CompletedProcess[str]:
    """A sweep in a process of its own, with a home and a store of its own; its table is STORE.csv."""
    environment = {**os.environ, "HOME": str(home), "MULTIHOP_HOME": str(home / store)}
    command = [
        sys.executable,
        "-c",
        "from multihop.cli import main; main()",
        *SWEEP,
        *BRIEF,
        "--table",
        f"{store}.csv",
        *words,
    ]
    return subprocess.run(command, cwd=home, env=environment, capture_output=True, text=True, timeout=120, check=False)


def test_hosts_reached_by_ssh_make_the_same_runs(home: Path) -> None:
    (home / "hosts.toml").write_text('[ssh]\nhosts = ["beta", "alpha"]\n')
    for store, *on in (["here"], ["named", "--on", "ssh:alpha,beta"], ["listed", "--on", "hosts.toml"]):
        made = sweep(home, store, *on)
        assert made.returncode == 0, made.stderr
        assert (home / f"{store}.csv").read_text() == (home / "here.csv").read_text()
    started = [line for line in (home / ".ssh" / "commands").read_text().splitlines() if "dask_spec" in line]
    kinds = ["Scheduler" if "distributed.Scheduler" in it else "worker" for it in started]
    assert kinds == ["Scheduler", "worker", "worker"] * 2
    assert all("idle_timeout" in it or "death_timeout" in it for it in started)


def test_a_key_that_is_refused_is_said(home: Path) -> None:
    (home / ".ssh" / "authorized").write_text("")
    made = sweep(home, "far", "--on", "ssh:alpha")
    assert (made.returncode, "the cluster does not start" in made.stderr) == (2, True), made.stderr
    assert "Traceback" not in made.stderr


def test_a_host_that_is_not_there_is_said(tmp_path: Path) -> None:
    (tmp_path / ".ssh").mkdir()
    (tmp_path / ".ssh" / "config").write_text("Host alpha\n  HostName 127.0.0.1\n  Port 9\n")
    made = sweep(tmp_path, "far", "--on", "ssh:alpha")
    assert (made.returncode, "the cluster does not start" in made.stderr) == (2, True), made.stderr


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[ssh]\n", "ssh.hosts must be a list of names"),
        ("[ssh]\nhosts = []\n", "ssh.hosts must be a list of names"),
        ('[ssh]\nhosts = ["a"]\npython = 3\n', "ssh.python must be the path of a Python"),
        ('[ssh]\nhosts = ["a"]\nport = 22\n', "ssh.port: unknown key"),
    ],
)
def test_a_file_of_hosts_is_checked_first(text: str, words: str, here: Path, cli: Cli) -> None:
    (here / "hosts.toml").write_text(text)
    found = cli("sweep", "chain", "--over", "tcp.max-window=2,4", "-n", "1", "--on", "hosts.toml")
    assert (found.code, words in found.err) == (2, True), found.err
