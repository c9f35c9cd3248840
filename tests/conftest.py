"""What the tests share: a small network, a folder of one's own, the command line in this process."""

from __future__ import annotations

import signal
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

# Begun by `nohup` or in the background of a script, the tests and all that they start would be deaf to these.
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGHUP, signal.SIG_DFL)

TINY = """\
summary = "three hops, two transfers, a few seconds"

[run]
duration = "4 s"

[measure]
warm-up = "1 s"
window = [{ name = "early", from = "1 s", to = "2 s" }, { name = "late", from = "2 s", to = "4 s" }]

[topology]
kind = "chain"
hops = 3
spacing = "200 m"

[routing]
kind = "static"

[[flow]]
kind = "bulk"
from = "0"
to = "3"

[[flow]]
kind = "bulk"
from = "3"
to = "0"
"""


@dataclass(frozen=True)
class Outcome:
    """What a command left."""

    code: int
    out: str
    err: str


Cli = Callable[..., Outcome]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working folder with a store of its own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("MULTIHOP_HOME", raising=False)
    monkeypatch.delenv("COLUMNS", raising=False)  # pytest-xdist sets it
    return tmp_path


@pytest.fixture
def tiny(here: Path) -> str:
    """A scenario that runs in milliseconds, as a file in the working folder."""
    (here / "tiny.toml").write_text(TINY, encoding="utf-8")
    return "tiny.toml"


@pytest.fixture
def datagrams(here: Path) -> str:
    """A scenario of one hop and datagrams alone, as a file in the working folder."""
    text = """
        run.duration = "60 s"
        topology = { kind = "chain", hops = 1 }
        [[flow]]
        transport = "udp"
        kind = "cbr"
        rate = "400 kbps"
        packet = "500 B"
        from = 0
        to = 1
    """
    (here / "datagrams.toml").write_text(text, encoding="utf-8")
    return "datagrams.toml"


@pytest.fixture
def cli(here: Path, capfd: pytest.CaptureFixture[str]) -> Cli:
    """Runs the command line in this process: `cli("run", "chain")`."""
    from multihop.cli import main

    def call(*arguments: str) -> Outcome:
        capfd.readouterr()
        with pytest.raises(SystemExit) as leave:
            main(arguments)
        out, err = capfd.readouterr()
        code = leave.value.code
        return Outcome(code if isinstance(code, int) else int(code is not None), out, err)

    return call
