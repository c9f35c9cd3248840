"""One spelling, one name, nothing run in vain: the command line as people type it."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import multihop
from conftest import Cli
from multihop.errors import InputError, ScenarioError
from multihop.scenario.places import by_name, by_place, flows_named
from multihop.scenario.scenario import alternatives, check_arms, only
from multihop.store.store import Store
from multihop.study.metrics import evaluate
from multihop.study.view import MetricError

ROOT = Path(__file__).resolve().parents[1]

NAMED = """\
[run]
duration = "4 s"
[measure]
warm-up = "1 s"
[topology]
kind = "explicit"
node = [{ name = "gate", x = "0 m" }, { name = "roof", x = "200 m" }, { name = "far.end", x = "400 m" }]
[[flow]]
name = "web"
from = "gate"
to = "roof"
[[flow]]
from = "gate"
to = "far.end"
"""


@pytest.fixture
def named(here: Path) -> str:
    (here / "named.toml").write_text(NAMED, encoding="utf-8")
    return "named.toml"


def test_commas_and_repetition_list_alternatives_and_plus_composes() -> None:
    assert alternatives("a,b+c") == [["a"], ["b", "c"]] == alternatives(["a", "b+c"])
    assert only(alternatives(["a+b"])) == ["a", "b"]
    assert only([]) == []
    with pytest.raises(InputError, match=r"compare SCENARIO -t none,a,b.*") as e:
        only(alternatives("none,a,b"))
    assert "-t a+b" in str(e.value)


@pytest.mark.parametrize("option", ["-t", "--technique", "--techniques"])
def test_every_command_knows_every_spelling(cli: Cli, tiny: str, option: str) -> None:
    assert cli("run", tiny, option, "drr", "-n", "1").code == 0
    assert cli("compare", tiny, option, "none,drr", "-n", "1").code == 0
    assert cli("compare", tiny, option, "none", option, "drr", "-n", "1").code == 0


@pytest.mark.parametrize("wrong", [("run", "-t", "none,drr"), ("compare", "-t", "none"), ("compare", "-t", "drr,drr")])
def test_what_cannot_be_done_is_refused_before_anything_runs(
    cli: Cli, tiny: str, here: Path, wrong: tuple[str, str, str]
) -> None:
    command, *options = wrong
    done = cli(command, tiny, *options)
    assert (done.code, done.out) == (2, "")
    assert len(done.err.strip().splitlines()) == 1
    assert not Store.open().root.exists()


def test_a_comparison_refused_leaves_the_latest_record(cli: Cli, tiny: str) -> None:
    before = multihop.load(tiny).run(runs=1)
    assert cli("compare", tiny, "-t", "drr").code == 2
    assert multihop.records().id == before.id


def test_one_technique_is_named_in_the_refusal() -> None:
    with pytest.raises(InputError, match="`drr` is one: give the baseline first, like `-t none,drr`"):
        check_arms([["drr"]])


def test_flows_and_nodes_are_set_by_their_names() -> None:
    assert by_place("flow.web.to=far.end", NAMED) == "flow.0.to=far.end"
    assert by_place("flow.2.to=roof", NAMED) == "flow.1.to=roof"
    assert by_place("topology.node.far.end.x=5 m", NAMED) == "topology.node.2.x=5 m"
    assert by_place("tcp.max-window=3", NAMED) == "tcp.max-window=3"
    assert by_name("flow.0.to", ["web", "2"]) == "flow.web.to"
    assert by_name("tcp.max-window", ["web"]) == "tcp.max-window"
    assert by_place("flow.1.to=roof", NAMED) == "flow.0.to=roof"
    assert by_place("topology.node.1.x=9 m", NAMED) == "topology.node.1.x=9 m"
    for number in (0, 3):
        with pytest.raises(InputError, match=rf"there is no flow `{number}`; there are: web, 2"):
            by_place(f"flow.{number}.to=roof", NAMED)


def test_a_named_flow_is_found_by_its_number_too(cli: Cli, named: str) -> None:
    assert cli("run", named, "-n", "1").code == 0
    assert cli("explain", "--flow", "1").out == cli("explain", "--flow", "web").out
    assert cli("explain", "--flow", "1", "--csv", "flows").out == cli("explain", "--flow", "web", "--csv", "flows").out
    assert cli("plot", "cwnd", "--flow", "1").code == 0
    assert cli("explain", "--flow", "3").code == 2


def test_a_flow_may_be_called_as_all_are(cli: Cli, tiny: str, here: Path) -> None:
    """The sum is called otherwise then; a study, where the word means every flow, says so."""
    (here / "all.toml").write_text((here / tiny).read_text().replace('from = "0"', 'name = "all"\nfrom = "0"'))
    for name, rows in ((tiny, ["1", "2", "all"]), ("all.toml", ["all", "2", "all flows"])):
        table = cli("run", name, "-n", "1").out.split("─\n")[1].split("\n\n")[0]
        assert [re.split(r"\s{2,}", line)[0] for line in table.splitlines()] == rows
    [record] = multihop.records()
    assert evaluate("jain", record, {"window": ""}) > 0
    assert evaluate("retransmissions", record, {"flow": "2"}) >= 0
    with pytest.raises(MetricError, match="a flow has the name `all`, which stands for every flow"):
        evaluate("goodput", record, {"flow": "all", "window": ""})


def test_the_heading_and_errors_say_flows_as_they_were_said(cli: Cli, named: str) -> None:
    done = cli("run", named, "-n", "1", "--set", "flow.web.start=2 s")
    assert "with flow.web.start=2" in done.out
    done = cli("run", named, "-n", "1", "--set", "flow.2.to=nowhere")
    assert done.err.startswith("multihop: --set flow.2.to=nowhere: `flow.2.to`: there is no node `nowhere`")
    with pytest.raises(ScenarioError) as e:
        multihop.load(named).resolve(set={"flow.2.start": "fast"})
    assert (e.value.key, e.value.file) == ("flow.2.start", "--set flow.2.start=fast")


def test_an_error_in_a_file_counts_flows_as_a_setting_does(cli: Cli, here: Path) -> None:
    flows = ['[[flow]]\nfrom = "0"\nto = "1"\n', '[[flow]]\nkind = "bulkk"\nfrom = "0"\nto = "1"\n']
    text = 'run.duration = "2 s"\ntopology = { kind = "chain", hops = 1 }\n' + "".join(flows)
    for words, called in {text: "2", text.replace("[[flow]]\nkind", '[[flow]]\nname = "web"\nkind'): "web"}.items():
        (here / "my.toml").write_text(words)
        line = words[: words.index("bulkk")].count("\n") + 1
        expected = f'`flow.{called}.kind` has no value "bulkk"; did you mean "bulk"?'
        assert cli("check", "my.toml").err == f"multihop: my.toml:{line}:8: {expected}\n"
        said = f"flow.{called}.kind=bulkk"
        assert cli("check", "my.toml", "--set", said).err == f"multihop: --set {said}: {expected}\n"
        with pytest.raises(ScenarioError) as e:
            multihop.load("my.toml").resolve()
        assert e.value.key == f"flow.{called}.kind"
    # a list of flows may be many: they have numbers alone
    assert (
        flows_named("`flow.3.to` and `flow.0`: flow.0", "flow = [{ list = [] }]") == "`flow.4.to` and `flow.1`: flow.0"
    )


def test_values_that_are_none_are_said_in_our_words(cli: Cli, tiny: str) -> None:
    for option, words in {
        "--runs=abc": "--runs: a whole number is expected, not `abc`",
        "--runs=0": "--runs: at least 1 is expected, not `0`",
        "--seed=x": "--seed: a whole number is expected, not `x`",
    }.items():
        assert words in cli("run", tiny, option).err
    assert "one of techniques, scenarios" in cli("list", "foo").err


def test_flags_have_no_type_and_outputs_no_empty_first_line(cli: Cli, tiny: str) -> None:
    assert "<bool>" not in cli("run", "--help").out + cli("--help").out
    for command in (("run", tiny, "-n", "1"), ("compare", tiny, "-t", "none,drr", "-n", "1"), ("explain",)):
        assert cli(*command).out.splitlines()[0].strip()


def test_one_cause_has_one_name(cli: Cli, tiny: str) -> None:
    said = [
        cli("run", tiny, "-n", "2").out,
        cli("explain").out,
        cli("compare", tiny, "-t", "none,drr", "-n", "2").out,
        cli("list", "techniques").out,
    ]
    assert "contention (rts)" in said[0]
    assert all("retry-limit" not in text for text in said[:3])
    for word in ("absorbed", "copied", "taken in silently", "acted", "died"):
        assert all(word not in text for text in said[:3]), word


def test_explain_says_towards_whom_what_and_who_killed_it(cli: Cli, tiny: str) -> None:
    records = multihop.load(tiny).run(runs=3)
    text = " ".join(cli("explain", "--flow", "1").out.split())
    assert re.search(r"Contention killed \d+ packets\. For \d+ \(\d+ %\) a hidden station was sending\.", text)
    told = (
        r"\d+ % of them were lost at node \d: in (all|\d+ % of) these cases node \d was sending, which it cannot sense"
    )
    assert re.search(told, text)
    document = json.loads(cli("explain", "--json").out)
    kinds = {death["kind"] for flow in document["flows"] for death in flow["deaths"]}
    assert kinds <= {"tcp-data", "tcp-ack"}
    assert "data segment" in text or "ACK" in text
    assert len(records) == 3


def test_the_words_of_the_output_are_explained(cli: Cli, tiny: str) -> None:
    document = json.loads(cli("list", "words", "--json").out)
    words = {word["name"] for word in document["words"]}
    cli("run", tiny, "-n", "2")
    told = cli("explain").out
    assert "multihop list words" in told
    # every cause that is told here, and the terms of the ledger, are in the glossary
    causes = {drop["cause"] for run in multihop.records().runs for drop in run["drops"]}
    assert causes
    assert causes <= words
    assert {"duplicated", "discarded as duplicates", "hidden", "starved", "ceiling", "measured time"} <= words


def test_records_are_listed_with_scenario_and_technique(cli: Cli, tiny: str) -> None:
    cli("compare", tiny, "-t", "none,drr", "-n", "2")
    document = json.loads(cli("list", "records", "--json").out)
    found = {(r["summary"], "+".join(r["techniques"]), r["runs"]) for r in document["records"]}
    assert found == {(tiny, "", 2), (tiny, "drr", 2)}
    table = cli("list", "records").out
    assert all(record["name"][:12] in table for record in document["records"])
    assert cli("explain", document["records"][0]["name"][:12]).code == 0


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        (["run.duration=50 s"], "--set run.duration=50 s does not go with two-flows: `measure.warm-up` is 200 s"),
        (
            ["tcp.segment=500 B", "topology.hops=2"],
            "--set topology.hops=2 does not go with two-flows: `flow.1.to`: there is no node `7`",
        ),
        (["tcp.max-window=0"], "--set tcp.max-window=0: `tcp.max-window` is 0"),
        (["flow.1.to=99"], "--set flow.1.to=99: `flow.1.to`: there is no node `99`"),
    ],
)
def test_an_error_of_a_setting_points_at_the_setting_not_into_a_shipped_file(
    cli: Cli, settings: list[str], words: str
) -> None:
    done = cli("run", "two-flows", *(word for setting in settings for word in ("--set", setting)))
    assert (done.code, len(done.err.splitlines())) == (2, 1)
    assert done.err.startswith(f"multihop: {words}")
    assert "two-flows.toml" not in done.err


def test_in_a_file_of_ones_own_the_place_is_named_too(cli: Cli, tiny: str, here: Path) -> None:
    done = cli("run", tiny, "--set", "run.duration=2 s")
    assert "--set run.duration=2 s does not go with tiny.toml:8:" in done.err
    (here / tiny).write_text((here / tiny).read_text().replace("hops = 3", "hosp = 3"))
    assert cli("run", tiny, "--set", "run.duration=3 s").err.startswith("multihop: tiny.toml:12:")
