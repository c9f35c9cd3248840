"""What is printed, wherever it goes: full and closed devices, other encodings, names that a terminal would obey."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

import multihop
from conftest import Cli
from multihop.out.table import records_view
from multihop.plots.record import draw
from multihop.plots.style import rendered
from multihop.record.record import Records
from multihop.report.page import render
from multihop.terminal import console
from multihop.text import printable

COMMAND = [sys.executable, "-c", "from multihop.cli import main; main()"]
ESCAPE = "\x1b[31mred\x07\u202e"
EMPTY = 'run.duration = "1 s"\ntopology = { kind = "chain", hops = 2, spacing = "200 m" }\n'
FORBIDDEN = [chr(c) for c in range(32) if chr(c) not in "\n\t"] + ["\x7f", "\x9b", "\u202e", "\u2028"]


def run(*arguments: str, **options: object) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([*COMMAND, *arguments], check=False, stderr=subprocess.PIPE, **options)  # type: ignore[call-overload, no-any-return]


def test_what_a_terminal_obeys_becomes_visible() -> None:
    assert printable("a\x1b[31m\x00\x7f\x9b\u202eb\n\tc") == "a�[31m����b\n\tc"
    assert printable("ä ± → 日本") == "ä ± → 日本"
    assert not set(printable("".join(FORBIDDEN))) & set(FORBIDDEN)


def test_names_that_cannot_be_printed_are_refused_in_words_that_can(cli: Cli, tiny: str, here: Path) -> None:
    (here / f"{ESCAPE}.toml").write_text((here / tiny).read_text())
    for name in (f"{ESCAPE}.toml", f"{ESCAPE}missing.toml"):
        done = cli("run", name, "-n", "1")
        assert (done.code, done.out, len(done.err.splitlines())) == (2, "", 1)
        assert "red" in done.err
        assert not set(done.err) & set(FORBIDDEN)


def test_names_of_a_record_reach_neither_terminal_nor_figure_nor_page(
    tiny: str, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    runs = list(multihop.load(tiny).run(runs=1))
    for run in runs[0].data["flows"], runs[0].data["nodes"]:
        for thing in run:
            thing["id" if "id" in thing else "name"] += ESCAPE
    named = Records(runs, name=ESCAPE, techniques=[ESCAPE])
    console.out().print(records_view(named))
    said = capsys.readouterr().out
    assert "red" in said
    for kind in ("goodput", "drops"):
        svg = rendered(draw(kind, [named]), "svg", kind)
        assert not set(svg.decode()) & set(FORBIDDEN)
        ET.fromstring(svg)  # noqa: S314
    page = render("records.html.j2", title=ESCAPE, groups=[], techniques={ESCAPE: ESCAPE}, records=[[ESCAPE] * 9])
    for text in (said, page, named._repr_html_() or ""):
        assert "red" in text
        assert not set(text) & set(FORBIDDEN)


def test_letters_that_no_font_has_are_told_in_one_sentence(
    cli: Cli, tiny: str, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a machine that has no other font; Matplotlib's own warnings would be errors here."""
    from matplotlib import font_manager

    from multihop.plots import fonts

    alone = [font for font in font_manager.fontManager.ttflist if font.name == fonts.FAMILY]
    monkeypatch.setattr(font_manager.fontManager, "ttflist", alone)
    monkeypatch.setattr(fonts, "_told", set())
    fonts._families.cache_clear()
    (here / "北京.toml").write_text((here / tiny).read_text())
    assert cli("run", "北京.toml", "-n", "1").code == 0
    for kind, times in (("time-sequence", 1), ("cwnd", 0)):
        done = cli("plot", kind)
        assert done.code == 0
        assert done.err.count("no installed font has 京北: boxes stand for them") == times
        assert len(done.err.splitlines()) == times
    assert cli("report").err == ""


def test_letters_that_the_font_lacks_are_taken_from_one_that_has_them() -> None:
    from matplotlib.figure import Figure

    from multihop.plots.fonts import FAMILY, families, legible

    assert families("Ä → 7") == [FAMILY]
    needed = families("a\u20dd")  # in a font that comes with Matplotlib
    assert needed[0] == FAMILY
    assert len(needed) == 2
    figure = Figure()
    text = figure.text(0, 0, "a\u20dd")
    with legible(figure):
        assert text.get_fontfamily() == needed
        figure.draw_without_rendering()


def test_a_name_with_dollars_is_no_formula(cli: Cli, tiny: str, here: Path) -> None:
    (here / "$a$_{.toml").write_text((here / tiny).read_text())
    assert cli("run", "$a$_{.toml", "-n", "1").code == 0
    assert cli("plot", "goodput").code == 0


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
@pytest.mark.parametrize("command", [("run", "tiny.toml", "-n", "1"), ("list", "scenarios", "--json"), ("--version",)])
def test_a_full_device_is_said_in_one_line(tiny: str, command: tuple[str, ...]) -> None:
    with Path("/dev/full").open("wb") as full:
        done = run(*command, stdout=full)
    assert done.returncode == 2
    assert done.stderr.decode() == "multihop: the output cannot be written: the disk is full\n"


def test_a_closed_output_is_no_error(tiny: str) -> None:
    shell = f"'{sys.executable}' -c 'from multihop.cli import main; main()' run tiny.toml -n 1"
    for closed in (">&-", ">&- 2>&-", "2>&-", "2>/dev/full"):
        done = subprocess.run(["sh", "-c", f"{shell} {closed}"], check=False, capture_output=True, text=True)
        assert (done.returncode, done.stderr) == (0, "")


def test_a_reader_that_leaves_is_no_error(tiny: str) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    done = run("list", "scenarios", "--json", stdout=writing)
    os.close(writing)
    assert (done.returncode, done.stderr) == (141, b"")


def test_an_encoding_without_our_signs(tiny: str, here: Path) -> None:
    environment = {**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    (here / "mäß.toml").write_text((here / tiny).read_text())
    for arguments in (("run", "mäß.toml", "-n", "2"), ("explain",), ("list", "techniques"), ("run", "fehlt-ä.toml")):
        done = run(*arguments, stdout=subprocess.PIPE, env=environment)
        assert b"Traceback" not in done.stderr
        (done.stdout + done.stderr).decode("ascii")
    done = run("run", "mäß.toml", "-n", "1", "--json", stdout=subprocess.PIPE, env=environment)
    assert json.loads(done.stdout.decode("ascii"))["name"] == "mäß.toml"
    assert b"+-" in run("run", "mäß.toml", "-n", "2", stdout=subprocess.PIPE, env=environment).stdout


@pytest.mark.parametrize("method", ["make_context", "invoke"])
def test_ctrl_c_while_the_command_line_is_read_is_one_line(
    cli: Cli, method: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(f"typer.core.TyperGroup.{method}", stop)
    done = cli("list", "scenarios")
    assert (done.code, done.out, done.err) == (130, "", "multihop: stopped\n")


@pytest.mark.parametrize("after_s", [0.03, 0.1, 0.2, 0.4])
def test_ctrl_c_while_it_starts_is_one_line(tiny: str, after_s: float) -> None:
    timer = f"t = threading.Timer({after_s}, os.kill, (os.getpid(), signal.SIGINT)); t.daemon = True; t.start()"
    code = f"import os, signal, threading\nfrom multihop.cli import main\n{timer}\nmain()"
    command = [sys.executable, "-c", code, "run", "tiny.toml", "-n", "2000", "--json"]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    assert done.returncode == 130
    assert done.stderr.startswith("multihop: stopped") or "the same command goes on from there" in done.stderr
    assert "Traceback" not in done.stderr


def test_ctrl_c_within_an_import_is_not_lost() -> None:
    """Python swallows what is raised in the callbacks by which it forgets the locks of its imports."""
    code = (
        "import os, signal, sys, types\n"
        "from multihop import cli\n"
        "cli._load()\n"
        "stop = 'import os, signal; os.kill(os.getpid(), signal.SIGINT)'\n"
        "cb = compile(stop, '<frozen importlib._bootstrap>', 'exec')\n"
        "try:\n    exec(cb)\nexcept KeyboardInterrupt:\n    pass\n"
        "sys.exit(0)"
    )
    done = subprocess.run([sys.executable, "-c", code], check=False, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (130, "multihop: stopped\n")


def test_a_scenario_without_flows_is_refused_before_it_runs(cli: Cli, here: Path) -> None:
    (here / "empty.toml").write_text(EMPTY)
    for command in (("run", "empty.toml", "-n", "2"), ("compare", "empty.toml", "-t", "none,drr")):
        done = cli(*command)
        assert (done.code, done.out, len(done.err.splitlines())) == (2, "", 1)
        assert "flow" in done.err
    assert not (here / ".multihop").exists()


def test_a_record_without_flows_is_told_as_such(cli: Cli, here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("multihop.running.plan.check_ready", lambda _: None)
    (here / "empty.toml").write_text(EMPTY)
    assert cli("run", "empty.toml", "-n", "2").code == 0
    assert "no flow" in cli("explain").out
    assert json.loads(cli("explain", "--json").out)["flows"] == []
    plotted = cli("plot", "goodput")
    assert (plotted.code, len(plotted.err.splitlines())) == (2, 1)
    assert cli("plot", "drops").code == 0
    assert cli("report").code == 0
    assert cli("compare", "empty.toml", "-n", "2", "-t", "none,drr").code == 0
    assert multihop.records().summary()["flows"] == []
