"""`list`, `new`, help and completion."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

import multihop
from conftest import Cli
from multihop.cli import complete
from multihop.cli.app import COMMANDS

NAMES = (
    *("check", "run", "compare", "sweep", "advise", "explain", "plot", "query", "report", "reproduce"),
    *("emulate", "shell", "deploy", "list", "info", "cite", "new", "import", "export", "remove"),
)
SHIPPED = {"none", "drr", "persistent-queue", "tahoe", "reno", "newreno", "sack", "delayed-ack", "small-window"}


def test_all_commands_are_there(cli: Cli) -> None:
    done = cli("--help")
    assert done.code == 0
    for name in NAMES:
        assert re.search(rf"\b{name}\b", done.out)
    assert len(COMMANDS) == len(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_every_command_has_help_with_examples(cli: Cli, name: str) -> None:
    done = cli(name, "--help")
    assert done.code == 0
    assert "Examples" in done.out
    assert f"multihop {name}" in done.out


def test_paragraphs_of_help_flow(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    """They end where the page does, not where a line of the source did."""
    monkeypatch.setenv("COLUMNS", "110")
    first, second, *_ = cli("compare", "--help").out.partition("  The answer")[2].splitlines()
    assert len("  The answer" + first) <= 110 < len("  The answer" + first + " " + second.split()[0])


def test_help_fits_the_screen_and_commands_to_copy_stay_whole(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    for columns in (40, 60, 80):
        monkeypatch.setenv("COLUMNS", str(columns))
        page = cli("plot", "--help").out
        assert [line for line in page.splitlines() if len(line) > columns and "multihop plot" not in line] == []
        assert "  multihop plot 3f2a91 cwnd --flow 1 --run 2 --out cwnd.pdf\n" in page
        assert not re.search(r" \n", page)


@pytest.mark.parametrize("name", NAMES)
def test_help_shows_no_words_of_the_library(cli: Cli, name: str) -> None:
    """Neither names of its types nor markup, and no value beside what takes none."""
    page = cli(name, "--help").out
    assert not re.search(r"<\w+>|\[/?bold|\[x[<>]=|INTEGER|--json [A-Z]|--fresh [A-Z]", page)


def test_the_version_names_the_build(cli: Cli) -> None:
    done = cli("--version")
    assert multihop.__version__ in done.out
    assert multihop.BUILD in done.out


def test_the_package_is_a_command_too(cli: Cli) -> None:
    done = subprocess.run([sys.executable, "-m", "multihop", "--version"], capture_output=True, text=True, check=True)
    assert done.stdout == cli("--version").out


def test_an_unknown_command_is_answered_with_the_nearest(cli: Cli) -> None:
    done = cli("compere")
    assert done.code == 2
    assert "compare" in done.err


def test_help_answers_at_once() -> None:
    """None of the heavy libraries is loaded for the help page."""
    code = (
        "import sys, contextlib\nfrom multihop.cli import main\n"
        "with contextlib.suppress(SystemExit): main(['--help'])\n"
        "print([m for m in ('pandas', 'scipy', 'pyarrow', 'matplotlib', 'jinja2') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip().endswith("[]")


@pytest.mark.parametrize("kind", ["techniques", "scenarios", "profiles", "studies", "sweeps"])
def test_lists(cli: Cli, kind: str) -> None:
    document = json.loads(cli("list", kind, "--json").out)
    items = document[kind]
    assert items
    assert all(item["summary"] for item in items)
    table = cli("list", kind).out
    assert all(item["name"] in table for item in items)


def test_the_techniques_are_listed_by_their_names(cli: Cli) -> None:
    items = json.loads(cli("list", "techniques", "--json").out)["techniques"]
    assert {item["name"] for item in items} >= SHIPPED
    window = next(item for item in items if item["name"] == "small-window")
    assert window["parameters"]


def test_a_shipped_sweep_is_found_by_its_name(cli: Cli) -> None:
    assert "multihop sweep today" in cli("info", "today").out
    assert "Crossed with: newreno, cubic, bbr." in cli("info", "today").out
    assert "`today` is a sweep, not a study: `multihop sweep today` runs it" in cli("reproduce", "today").err
    assert "`today` is a sweep, not a scenario: `multihop sweep today` runs it" in cli("run", "today").err
    assert "multihop list sweeps" in " ".join(cli("sweep", "--help").out.split())


def test_new_writes_a_scenario_that_runs(cli: Cli, here: Path) -> None:
    done = cli("new", "mesh/mine")
    assert done.code == 0
    assert "mesh/mine.toml" in done.out
    assert cli("run", "mesh/mine.toml", "-n", "1").code == 0


@pytest.mark.parametrize(
    ("wifi", "keys"),
    [
        (None, {"mac.standard": "802.11n", "mac.width": "20 MHz", "mac.mcs": 7, "mac.rate-control": "minstrel-ht"}),
        ("802.11n", {"mac.standard": "802.11n", "mac.edca.on": True, "queue.service": "fq"}),
        ("802.11ac", {"mac.standard": "802.11ac", "mac.width": "80 MHz", "mac.mcs": 9, "mac.streams": 2}),
        ("802.11ax", {"mac.standard": "802.11ax", "mac.width": "80 MHz", "mac.mcs": 11, "mac.streams": 2}),
        ("802.11a", {"mac.standard": "802.11a", "mac.rate-control": "minstrel", "air.frequency": "5.18 GHz"}),
        ("802.11g", {"mac.standard": "802.11g", "mac.data-rate": "54 Mbps", "air.frequency": "2437 MHz"}),
        ("802.11b", {"mac.standard": "802.11b", "mac.data-rate": "11 Mbps", "air.bit-error-rate": 1e-6}),
    ],
)
def test_new_writes_the_wifi_that_is_asked_for(cli: Cli, here: Path, wifi: str | None, keys: dict[str, object]) -> None:
    done = cli("new", "mine", *(["--wifi", wifi] if wifi else []))
    assert done.code == 0
    assert f"Model: {wifi or '802.11n'}" in done.out
    info = json.loads(multihop.load("mine.toml").resolve().json())
    assert {key: info["values"][key]["value"] for key in keys} == keys
    assert info["warnings"] == []
    assert cli("run", "mine.toml", "-n", "1", "--set", "run.duration=12 s", "--set", "measure.window=[]").code == 0


def test_new_takes_no_wifi_for_a_scenario_that_has_its_own(cli: Cli, here: Path) -> None:
    done = cli("new", "mine", "--from", "grid", "--wifi", "802.11n")
    assert done.code == 2
    assert "grid has its own Wi-Fi" in done.err
    assert not list(here.iterdir())


@pytest.mark.parametrize("source", ["grid", "udp-chain", "tiny.toml"])
def test_new_starts_from_a_scenario_that_is_there(cli: Cli, tiny: str, here: Path, source: str) -> None:
    assert cli("new", "mine", "--from", source).code == 0
    first, _, rest = (here / "mine.toml").read_text().partition("\n")
    assert first.startswith("#:schema file:///")
    assert rest == multihop.load(source).text
    multihop.load("mine.toml").resolve()


def test_new_from_what_is_not_there_writes_nothing(cli: Cli, here: Path) -> None:
    done = cli("new", "mine", "--from", "gird")
    assert done.code == 2
    assert "did you mean `grid`?" in done.err
    assert not list(here.iterdir())


def test_new_overwrites_nothing(cli: Cli, here: Path) -> None:
    (here / "mine.toml").write_text("keep me")
    done = cli("new", "mine.toml")
    assert done.code == 2
    assert "exists already" in done.err
    assert (here / "mine.toml").read_text() == "keep me"


def test_completion_of_lists(here: Path) -> None:
    assert "persistent-queue" in [name for name, _ in complete.technique_lists("pers")]
    assert "drr+persistent-queue" in [name for name, _ in complete.technique_lists("drr+pers")]
    assert "none,drr+sack" in [name for name, _ in complete.technique_lists("none,drr+sa")]
    assert [name for name, _ in complete.technique_lists("none,zzz")] == []


def test_completion_of_scenarios_and_records(tiny: str) -> None:
    assert tiny in [name for name, _ in complete.scenarios("ti")]
    records = multihop.load(tiny).run(runs=1)
    assert [name for name, _ in complete.records(records.id[:3])] == [records.id[:12]]


def test_the_shell_completes(here: Path) -> None:
    """The way a shell asks: through the environment, with typer's own protocol."""
    done = subprocess.run(
        [sys.executable, "-c", "from multihop.cli import main; main()"],
        env={"_MULTIHOP_COMPLETE": "complete_bash", "COMP_WORDS": "multihop run chain -t pers", "COMP_CWORD": "4"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert "persistent-queue" in done.stdout
