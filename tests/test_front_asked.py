"""What a user asks for in the words of other tools, or with a word too many: the answer says what there is instead."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

import multihop
from conftest import Cli
from multihop import _engine
from multihop.cli import hints
from multihop.cli.app import COMMANDS
from multihop.scenario import keys

INSTEAD = {
    "run tiny.toml -t illinois": "this variant of TCP is not modelled",
    "run tiny.toml -t compound+drr": "this variant of TCP is not modelled",
    "run tiny.toml -t retry-limit:14": "`--set mac.short-retry-limit=14`",
    "run tiny.toml -t cwnd:4": "`--set tcp.max-window=4`",
    "run tiny.toml -t none,drr": "To compare them: `multihop compare SCENARIO -t none,drr`",
    "run tiny.toml -t reno,drr": "To combine them, write `-t reno+drr`.",
    "run tiny.toml --duration 10": "`--set run.duration=",
    "run tiny.toml --rate 11": "`--set mac.data-rate=",
    "run tiny.toml --bandwidth=11": "`--set mac.data-rate=",
    "run tiny.toml --max-window 4": "`--set tcp.max-window=",
    "run tiny.toml --channel 5": "sets the channel of a radio",
    "run tiny.toml --repetitions 5": "`--runs` does this",
    "run tiny.toml -j 4": "`--threads` does this",
    "run tiny.toml --rnus 2": "did you mean `--runs`?",
    "run tiny.toml --format csv": "`--json` and `--csv`",
    "plot goodput --format pdf": "like `--out figure.pdf`",
    "run tiny.toml --set run.duration=10": 'like "10 s"; got the bare number 10',
    "run tiny.toml --set mac.data-rate=11": 'like "11 Mbps"; got the bare number 11',
    "run tiny.toml --set flow.to=1": "write which flow: `flow.1.to`",
    "run tiny.toml --set mac.rate=11": "did you mean `mac.data-rate`?",
    "run tiny.toml --set mac.channel=5": "sets the channel of a radio, and `[channels]` those of all nodes",
    "run tiny.toml --set routing.kind=olsr": "this protocol is not modelled",
    "run tiny.toml --set tcp.window=compound": "this variant of TCP is not modelled",
    "run tiny.toml --set queue.aqm=cake": "this queue is not modelled",
    "run tiny.toml --out /proc/x": "no folder can be made there. Runs that were complete are kept",
    "reproduce hamadani/fig99": "its parts: ",
    "reproduce hamadani/fg7": "did you mean `fig7`?",
    "recommend": "`multihop advise SCENARIO`",
    "sql": "`multihop query SQL`",
    "gui": "`multihop report`",
    "simulate tiny.toml": "`multihop run SCENARIO`",
    "chain": "`multihop run chain`",
    "drr": "`multihop info drr`",
    "techniques": "`multihop list techniques`",
    "dctcp": "`multihop info dctcp`",
    "compound": "this variant of TCP is not modelled",
    "compere": "did you mean `compare`?",
    "frobnicate": "the commands are check, run",
    "info frobnicate": "no name that multihop knows",
    "info bandwidth": "`mac.data-rate`",
    "info olsr": "this protocol is not modelled",
}


@pytest.mark.parametrize("line", INSTEAD)
def test_the_refusal_says_what_to_write_instead(cli: Cli, tiny: str, here: Path, line: str) -> None:
    done = cli(*shlex.split(line))
    assert (done.code, done.out) == (2, ""), done
    assert INSTEAD[line] in done.err
    assert len(done.err.splitlines()) == 1


def test_what_is_proposed_exists() -> None:
    """No hint leads to a command or an option that is not there, and none hides one that is."""
    names = [command.__name__.rpartition(".")[2].strip("_") for command in COMMANDS]
    every = {word for words in hints.COMMANDS for word in words}
    assert every.isdisjoint(names)
    for instead in hints.COMMANDS.values():
        for piece in instead.split("`")[1::2]:
            if piece.startswith("multihop "):
                assert piece.split()[1] in names, piece


NAMES = {
    "tcp-dcr": ("technique", "Source: ", "multihop compare chain -t none,tcp-dcr"),
    "small-window": ("technique", "Parameter segments", "tcp.max-window = $segments"),
    "chain": ("scenario", "multihop run chain"),
    "ns2": ("profile", "ns-2.35"),
    "hamadani": ("study", "Parts: ", "fig7", "multihop reproduce hamadani"),
    "cwnd": ("kind of plot", "multihop plot cwnd"),
    "goodput_bps": ("figure of a flow", "kbit/s"),
    "goodput": ("figure of a flow", "word of the output", "kind of plot"),
    "tcp.max-window": ("key of a scenario", "Default: tcp.max-window="),
    "max-window": ("tcp.max-window: key of a scenario",),
    "tcp.window": ("Values: tahoe, reno",),
    "routing": ("section of a scenario", "routing.kind"),
    "ceiling": ("word of the output", "flows[].ceiling_bps"),
    "compare": ("Usage: multihop compare", "--runs"),
    "measured time": ("word of the output", "after the warm-up"),
}


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("command", ["info", "help"])
def test_a_name_is_explained(cli: Cli, command: str, name: str) -> None:
    done = cli(command, *name.split())
    assert (done.code, done.err) == (0, "")
    assert [part for part in NAMES[name] if part not in done.out] == []


@pytest.mark.parametrize("kind", ["techniques", "scenarios", "profiles"])
def test_all_that_is_shipped_is_explained(cli: Cli, kind: str) -> None:
    from multihop.out.meaning import meanings

    for name in _engine.shipped(kind):  # type: ignore[arg-type]  # each is one of its words
        assert meanings(name), name


def test_every_key_has_a_meaning_and_a_page() -> None:
    assert len(keys.every()) > 300
    assert [path for path in keys.every() if not keys.called(path)] == []
    said = [path for path in keys.every() if path.partition(".")[0] in ("tcp", "mac", "queue", "air", "run")]
    assert [path for path in said if not keys.meaning(path)] == ["mac.kind"]  # it has one value


def test_help_alone_is_the_page_of_all_commands_and_version_a_command(cli: Cli) -> None:
    assert cli("help").out == cli("--help").out
    assert cli("info").out == cli("--help").out
    assert cli("version").out == cli("--version").out
    assert multihop.__version__ in cli("version").out


def test_shipped_scenarios_have_no_key_that_the_list_does_not_know() -> None:
    import tomllib

    for text in _engine.shipped("scenarios").values():
        assert keys.stranger(tomllib.loads(text)) is None
    assert keys.stranger({"tcp": {"max_window": 4}}) is not None
    assert keys.stranger({"tpc": {}}) is not None
    assert keys.stranger({"flow": [{"from": "0", "too": "1"}]}) is not None
