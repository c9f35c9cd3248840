"""What is no input: endless or huge files, numbers that nothing can hold."""

from __future__ import annotations

import contextlib
import gzip
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

import multihop
from conftest import Cli
from multihop import InputError
from multihop.files import intake
from small_study import SMALL


def bounded(*arguments: str, seconds: float = 60.0) -> subprocess.CompletedProcess[str]:
    """The command in a process that may have 2 GB of memory, which endless input would need more than."""
    code = (
        "import resource, sys; from multihop.cli import main; "
        "resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30)); main(sys.argv[1:])"
    )
    command = [sys.executable, "-c", code, *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=seconds, check=False)


@pytest.mark.parametrize(
    ("arguments", "file"),
    [
        (("check", "/dev/zero"), "/dev/zero"),
        (("check", "zero.toml"), "zero.toml"),
        (("compare", "chain", "-t", "none,/dev/zero"), "/dev/zero"),
        (("reproduce", "zero.toml"), "zero.toml"),
        (("reproduce", "study.toml"), "zero.toml"),
        (("check", "moving.toml"), "/dev/zero"),
        (("check", "bomb.toml"), "bomb.gz"),
    ],
)
def test_input_without_an_end_is_refused(here: Path, arguments: tuple[str, ...], file: str) -> None:
    (here / "zero.toml").symlink_to("/dev/zero")
    (here / "study.toml").write_text(SMALL.replace("[study]", '[study]\ninclude = ["zero.toml"]'))
    for name, motion in (("moving", "/dev/zero"), ("bomb", "bomb.gz")):
        (here / f"{name}.toml").write_text(
            f'topology = {{ kind = "explicit", file = "{motion}" }}\n[[flow]]\nkind = "bulk"\nfrom = 0\nto = 1\n'
        )
    if file == "bomb.gz":
        with gzip.open(here / "bomb.gz", "wb", compresslevel=1) as out:
            for _ in range(300):
                out.write(b"#" * 1_000_000)
    done = bounded(*arguments)
    assert (done.returncode, done.stdout, len(done.stderr.splitlines())) == (2, "", 1), done.stderr
    assert file in done.stderr
    assert "more than" in done.stderr


def test_a_pipe_is_an_input(cli: Cli, tiny: str, here: Path) -> None:
    os.mkfifo(here / "pipe")
    writer = threading.Thread(target=lambda: (here / "pipe").write_text(Path(tiny).read_text()), daemon=True)
    writer.start()
    assert cli("check", "./pipe").code == 0


def test_the_limit_is_the_last_size_that_is_read(here: Path) -> None:
    (here / "x").write_bytes(b"a" * 1000)
    assert len(intake.text_of(here / "x", most=1000)) == 1000
    with pytest.raises(InputError, match=r"the file .*x has more than 999 bytes"):
        intake.text_of(here / "x", most=999)
    with pytest.raises(InputError, match="null"):
        intake.text_of(here / "x\0y")


HUGE = ("99999999999999999999", "9" * 400, "9" * 5000, "-1", "0", "1e400", "nan", "")


@pytest.mark.parametrize("number", HUGE)
@pytest.mark.parametrize(
    "arguments",
    [
        ("run", "{tiny}", "--runs", "{n}"),
        ("run", "{tiny}", "--runs", "1", "--threads", "{n}"),
        ("run", "{tiny}", "--runs", "1", "--seed", "{n}"),
        ("run", "{tiny}", "--runs", "1", "--set", "run.duration={n} s"),
        ("run", "{tiny}", "--runs", "1", "--set", "measure.events={n}"),
        ("compare", "{tiny}", "-t", "none,small-window:{n}", "--runs", "1"),
        ("compare", "{tiny}", "-t", "none,drr", "--runs", "{n}"),
        ("explain", "--run", "{n}"),
        ("explain", "--flow", "{n}"),
        ("plot", "cwnd", "--run", "{n}"),
        ("plot", "cwnd", "--time", "0:{n}"),
        ("import", "sites.csv", "out.toml", "--flows", "{n}"),
        ("import", "sites.csv", "out.toml", "--range", "{n}"),
    ],
)
def test_absurd_numbers_end_in_a_sentence(
    cli: Cli, tiny: str, here: Path, arguments: tuple[str, ...], number: str
) -> None:
    (here / "sites.csv").write_text("name,x,y\na,0,0\nb,100,0\nc,200,0\n")
    if arguments[0] in ("explain", "plot"):
        assert cli("run", tiny, "--runs", "1").code == 0
    done = cli(*(word.format(tiny=tiny, n=number) for word in arguments))
    assert done.code in (0, 2)
    assert "Traceback" not in done.err
    if done.code:
        assert (done.out, len(done.err.splitlines())) == ("", 1)


@pytest.mark.parametrize("name", ["MULTIHOP_MEMORY", "MULTIHOP_CAPTURE"])
@pytest.mark.parametrize("size", ["9" * 400 + " GB", "9" * 400, "0 GB", "-1 GB", "1e9 GB", ""])
def test_absurd_sizes_in_the_environment(
    cli: Cli, tiny: str, monkeypatch: pytest.MonkeyPatch, name: str, size: str
) -> None:
    monkeypatch.setenv(name, size)
    done = cli("run", tiny, "--runs", "1")
    assert done.code in (0, 2)
    if done.code:
        assert (done.out, len(done.err.splitlines())) == ("", 1)
        assert name in done.err


@pytest.mark.parametrize("number", [10**20, 10**30, -1, 0, 1.5, "3", None, True, float("nan")])
@pytest.mark.parametrize("argument", ["runs", "threads", "seed"])
def test_absurd_numbers_in_python(tiny: str, argument: str, number: object) -> None:
    scenario = multihop.load(tiny)
    with contextlib.suppress(multihop.MultihopError):
        scenario.run(**{"runs": 1, argument: number})  # type: ignore[arg-type]
