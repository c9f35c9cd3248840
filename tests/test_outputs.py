"""Where output goes: into what was named, whatever that is, and over nothing that was not named."""

from __future__ import annotations

import os
import stat
import threading
from pathlib import Path

import pytest

from conftest import Cli
from small_study import SMALL
from test_foreign import seen

REPORT = "<!doctype html>"


@pytest.fixture
def ran(cli: Cli, tiny: str) -> Cli:
    """The command line, with a record to show."""
    assert cli("run", tiny, "--runs", "2").code == 0
    return cli


@pytest.mark.parametrize("there", [True, False])
def test_a_link_is_followed(ran: Cli, here: Path, *, there: bool) -> None:
    if there:
        (here / "target.html").write_text("before")
        (here / "target.html").chmod(0o640)
    (here / "link.html").symlink_to("target.html")
    assert ran("report", "--out", "link.html").code == 0
    assert (here / "link.html").is_symlink()
    assert (here / "target.html").read_text().startswith(REPORT)
    if there:
        assert stat.S_IMODE((here / "target.html").stat().st_mode) == 0o640


def test_a_fifo_is_written_to(ran: Cli, here: Path) -> None:
    os.mkfifo(here / "pipe.html")
    read: list[str] = []
    reader = threading.Thread(target=lambda: read.append((here / "pipe.html").read_text()), daemon=True)
    reader.start()
    assert ran("report", "--out", "pipe.html").code == 0
    reader.join(10)
    assert read[0].startswith(REPORT)
    assert read[0].rstrip().endswith("</html>")
    assert (here / "pipe.html").is_fifo()


@pytest.mark.parametrize("command", [("report", "--out"), ("plot", "goodput", "--out"), ("check", "chain", "--map")])
def test_a_device_is_written_to(ran: Cli, here: Path, command: tuple[str, ...]) -> None:
    (here / "null.svg").symlink_to(os.devnull)
    names = ["null.svg"]
    try:
        os.mknod(here / "node.svg", stat.S_IFCHR | 0o666, os.makedev(1, 3))
        names.append("node.svg")
    except PermissionError:
        pass  # for root alone
    for name in names:
        assert ran(*command, name).code == 0
        assert stat.S_ISCHR((here / name).stat().st_mode)
    assert (here / "null.svg").is_symlink()


@pytest.mark.parametrize("command", [("report", "--out"), ("plot", "goodput", "--out"), ("check", "chain", "--map")])
def test_what_cannot_be_written_is_said_and_stays(ran: Cli, here: Path, command: tuple[str, ...]) -> None:
    (here / "mine.svg").write_text("before")
    (here / "mine.svg").chmod(0o444)
    (here / "turn.svg").symlink_to("turn.svg")
    (here / "deep").mkdir()
    (here / "deep.svg").symlink_to("deep")
    for name, why in (("mine.svg", "no permission"), ("turn.svg", "links"), ("deep.svg", "folder")):
        done = ran(*command, name)
        assert (done.code, len(done.err.splitlines())) == (2, 1), done.err
        assert name in done.err or why == "folder"
        if why != "folder":
            assert why in done.err
    assert (here / "mine.svg").read_text() == "before"
    assert not [path for path in here.iterdir() if path.suffix == ".multihop" and path.is_file()]


@pytest.mark.parametrize(("command", "name"), [(("report",), "report.html"), (("plot", "goodput"), "goodput.svg")])
def test_a_name_that_was_not_named_takes_no_file_of_another(
    ran: Cli, here: Path, command: tuple[str, ...], name: str
) -> None:
    (here / name).write_text("my own <svg> on multihop")
    before = seen(here)
    done = ran(*command)
    assert (done.code, done.out, len(done.err.splitlines())) == (2, "", 1)
    assert f"{name} is there already, and multihop did not write it" in done.err
    assert seen(here) == before
    (here / name).unlink()
    assert ran(*command).code == 0
    assert ran(*command).code == 0  # its own it writes again
    assert ran(*command, "--out", name).code == 0


@pytest.mark.parametrize("kind", ["svg", "png", "pdf"])
def test_figures_of_each_format_are_known_again(ran: Cli, here: Path, kind: str) -> None:
    from multihop.files.output import demand_own

    assert ran("plot", "goodput", "--out", f"goodput.{kind}").code == 0
    demand_own(here / f"goodput.{kind}")


def test_a_study_overwrites_no_file_of_another(cli: Cli, here: Path) -> None:
    (here / "small.toml").write_text(SMALL, encoding="utf-8")
    (here / "made").mkdir()
    (here / "made" / "report.html").write_text("mine")
    before = seen(here)
    done = cli("reproduce", "small.toml", "--quick", "--out", "made")
    assert (done.code, done.out, len(done.err.splitlines())) == (2, "", 1)
    assert seen(here) == before  # not a run was made


@pytest.mark.parametrize("command", [("new",), ("import", "sites.csv")])
def test_a_new_file_is_written_where_nothing_is(cli: Cli, here: Path, command: tuple[str, ...]) -> None:
    (here / "sites.csv").write_text("name,x,y\na,0,0\nb,100,0\nc,200,0\n")
    (here / "link.toml").symlink_to("nowhere.toml")
    (here / "taken.toml").write_text("mine")
    before = seen(here)
    for name in ("link", "taken", str(here / "none" / "x"), "../none-such/x"):
        done = cli(*command, name)
        assert (done.code, done.out, len(done.err.splitlines())) == (2, "", 1), done
    assert seen(here) == before
    assert not (here / "none").exists()
    assert cli(*command, "in/here").code == 0
    assert (here / "in" / "here.toml").is_file()


def test_a_store_on_no_disk_says_why_it_cannot_be(cli: Cli, tiny: str) -> None:
    done = cli("run", tiny, "--runs", "1", "--out", "/proc/x")
    assert (done.code, len(done.err.splitlines())) == (2, 1)
    assert "the records cannot be written to /proc/x" in done.err
