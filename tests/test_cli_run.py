"""`multihop run` as a user meets it."""

from __future__ import annotations

import itertools
import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

import multihop
from conftest import Cli
from multihop.errors import InputError
from multihop.record.record import Record
from multihop.running import resources
from multihop.running.plan import Arm, Plan, Task
from multihop.running.run import Interrupted
from multihop.store.store import Store, Writer


def test_the_tables_say_what_happened(cli: Cli, tiny: str) -> None:
    done = cli("run", tiny, "--runs", "3")
    assert done.code == 0
    for words in (
        "goodput kbit/s",
        "±",
        "early",
        "packets dropped because of",
        "it balances",
        "0 of 3 runs came from the store",
    ):
        assert words in done.out
    assert "3 of 3 runs came from the store" in cli("run", tiny, "--runs", "3").out
    assert "0 of 3 runs came from the store" in cli("run", tiny, "--runs", "3", "--fresh").out


def test_the_record_is_found_where_it_is_said_to_be(cli: Cli, tiny: str) -> None:
    for command in (("run", tiny), ("compare", tiny, "-t", "none,drr")):
        said = re.search(r"^Run 1 lies in (\S+), the others beside it\.", cli(*command, "-n", "2").out, re.MULTILINE)
        assert said
        assert (Path(said[1]) / "run.json").is_file()
    assert "Run 1 lies in results/records/" in cli("run", tiny, "-n", "1", "--out", "results").out


@pytest.mark.parametrize(
    "command",
    [
        ("run", "tiny.toml", "--csv", "flows"),
        ("check", "tiny.toml", "--csv", "flows"),
        ("compare", "tiny.toml", "-t", "none,drr", "--csv", "flows"),
        ("explain", "--csv", "flows"),
        ("list", "words", "--csv"),
        ("reproduce", "ohzahata", "--csv"),
    ],
    ids=" ".join,
)
def test_one_output_has_one_format(cli: Cli, tiny: str, command: tuple[str, ...]) -> None:
    said = cli(*command, "--json")
    assert (said.code, said.out) == (2, "")
    assert said.err == "multihop: --json and --csv: only one of them can be given\n"


def test_an_empty_id_is_no_folder(cli: Cli, tiny: str) -> None:
    said = cli("explain", "")
    assert said.code == 2
    assert said.err.startswith("multihop: the id of a record is empty")


def test_the_heading_tells_what_was_altered(cli: Cli, tiny: str) -> None:
    summary = "three hops, two transfers, a few seconds"
    assert f"tiny.toml  {summary}" in cli("run", tiny, "-n", "1").out
    drr = cli("run", tiny, "-n", "1", "-t", "drr", "--set", "tcp.max-window=4", "--seed", "3").out
    assert f"tiny.toml with drr, tcp.max-window=4  altered from: {summary}" in drr
    assert "tiny.toml, drr, tcp.max-window=4: 1 run" in cli("explain").out
    both = cli("compare", tiny, "-n", "1", "-t", "none,drr", "--set", "tcp.max-window=4").out
    assert f"tiny.toml with tcp.max-window=4  altered from: {summary}" in both


def test_udp_has_no_retransmissions(cli: Cli, tiny: str, here: Path) -> None:
    text = (here / tiny).read_text() + '\n[[flow]]\nkind = "cbr"\nfrom = "1"\nto = "2"\nrate = "20 kbps"\n'
    (here / "mixed.toml").write_text(text)
    lines = [line for line in cli("run", "mixed.toml", "-n", "2").out.splitlines() if "cbr udp" in line]
    assert lines[0].split("cbr udp")[1].count("–") == 4  # retransmissions, timeouts, fast retransmits, RTT


def test_one_run_has_no_interval(cli: Cli, tiny: str) -> None:
    done = cli("run", tiny, "-n", "1", "--json")
    summary = json.loads(done.out)["summary"]
    assert summary["goodput_bps"]["ci95"] is None
    assert summary["goodput_bps"]["mean"] > 0
    assert "±" not in cli("run", tiny, "-n", "1").out


def test_json_is_one_document_and_nothing_else(cli: Cli, tiny: str) -> None:
    done = cli("run", tiny, "--json", "-n", "2", "--seed", "7")
    document = json.loads(done.out)
    assert done.err == ""
    assert document["schema"] == 1
    assert [run["run"] for run in document["runs"]] == [1, 2]
    assert {run["seed"] for run in document["runs"]} == {7}
    assert [flow["id"] for flow in document["summary"]["flows"]] == ["1", "2"]


def test_the_same_command_gives_the_same_results(cli: Cli, tiny: str) -> None:
    first, second = (json.loads(cli("run", tiny, "--json", "--fresh", "--threads", n).out) for n in ("1", "2"))
    assert [r["fingerprint"] for r in first["runs"]] == [r["fingerprint"] for r in second["runs"]]
    assert first["summary"] == second["summary"]


def test_runs_differ_and_seeds_differ(cli: Cli, tiny: str) -> None:
    prints = [
        run["fingerprint"]
        for seed in ("1", "2")
        for run in json.loads(cli("run", tiny, "--json", "--seed", seed, "-n", "2").out)["runs"]
    ]
    assert len(set(prints)) == 4


def test_a_technique_is_laid_over(cli: Cli, tiny: str) -> None:
    document = json.loads(cli("run", tiny, "-t", "drr+small-window:2", "--json", "-n", "1").out)
    assert document["techniques"] == ["drr", "small-window:2"]
    assert document["scenario"]["values"]["tcp.max-window"]["value"] == 2
    again = json.loads(cli("run", tiny, "-t", "drr+small-window:2", "--json", "-n", "1").out)
    assert again["runs_from_store"] == 1


def test_an_overlay_of_ones_own(cli: Cli, tiny: str, here: Path) -> None:
    (here / "mine.toml").write_text('summary = "a window of three"\n[set]\ntcp.max-window = 3\n')
    document = json.loads(cli("run", tiny, "-t", "mine.toml", "--json", "-n", "1").out)
    assert document["scenario"]["values"]["tcp.max-window"]["value"] == 3


def test_out_keeps_the_records_elsewhere(cli: Cli, tiny: str, here: Path) -> None:
    assert cli("run", tiny, "-n", "1", "--out", "results").code == 0
    assert (here / "results" / "latest.json").exists()
    assert not (here / ".multihop").exists()


def test_the_home_may_be_elsewhere(cli: Cli, tiny: str, here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MULTIHOP_HOME", str(here / "home"))
    assert cli("run", tiny, "-n", "1").code == 0
    assert (here / "home" / "records").is_dir()


def test_captures_are_part_of_the_record(cli: Cli, tiny: str, here: Path) -> None:
    cli("run", tiny, "-n", "1")
    done = cli("run", tiny, "-n", "1", "--pcap")
    assert "0 of 1 run came from the store" in done.out  # the first run had none
    assert list((here / ".multihop" / "records").glob("*/pcap/*.pcapng"))
    assert "1 of 1 run came from the store" in cli("run", tiny, "-n", "1", "--pcap").out
    assert "1 of 1 run came from the store" in cli("run", tiny, "-n", "1").out


BAD = {
    "unknown scenario": (["run", "chian"], "no scenario `chian`"),
    "missing file": (["run", "no/such.toml"], "no scenario file"),
    "unknown technique": (["run", "tiny.toml", "-t", "persistant-queue"], "did you mean `persistent-queue`?"),
    "unknown key": (["run", "tiny.toml", "--set", "tcp.windw=reno"], "tcp.windw"),
    "missing unit": (["run", "tiny.toml", "--set", "run.duration=4"], "unit"),
    "negative number": (["run", "tiny.toml", "--set", "topology.hops=-1"], "hops"),
    "absurd number": (["run", "tiny.toml", "--set", "air.bit-error-rate=2"], "bit-error-rate"),
    "no value": (["run", "tiny.toml", "--set", "tcp.max-window"], "tcp.max-window"),
    "no runs": (["run", "tiny.toml", "--runs", "0"], "--runs"),
    "no threads": (["run", "tiny.toml", "--threads", "0"], "--threads"),
    "no number": (["run", "tiny.toml", "--runs", "many"], "--runs"),
    "negative seed": (["run", "tiny.toml", "--seed", "-1"], "run.seed"),
    "unknown option": (["run", "tiny.toml", "--rnus", "2"], "--rnus"),
    "no scenario at all": (["run"], "SCENARIO"),
    "out is a file": (["run", "tiny.toml", "--out", "tiny.toml"], "--out"),
    "half a technique": (["run", "tiny.toml", "-t", "drr+"], "empty technique"),
    "conflict": (["run", "tiny.toml", "-t", "reno", "-t", "tahoe"], "tahoe"),
    "a folder": (["run", "./"], "scenario"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_one_paragraph_and_code_2(cli: Cli, tiny: str, here: Path, case: str) -> None:
    arguments, words = BAD[case]
    done = cli(*arguments)
    assert done.code == 2
    assert done.out == ""
    assert words in done.err
    assert "Traceback" not in done.err
    assert len(done.err.strip().splitlines()) == 1
    assert done.err.startswith("multihop: ")
    assert not (here / ".multihop").exists()


def test_a_mistake_in_a_file_is_found_by_line_and_column(cli: Cli, tiny: str, here: Path) -> None:
    text = (here / tiny).read_text().replace("duration", "duratoin")
    (here / tiny).write_text(text)
    done = cli("run", tiny)
    assert done.code == 2
    assert "tiny.toml:4:1" in done.err
    assert "`duration`" in done.err


def test_a_scenario_that_is_no_text(cli: Cli, here: Path) -> None:
    (here / "picture.toml").write_bytes(b"\x89PNG\xff\xfe")
    done = cli("run", "picture.toml")
    assert (done.code, len(done.err.splitlines())) == (2, 1)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_keeps_what_has_finished(here: Path, tiny: str, number: signal.Signals) -> None:
    """A real signal, to a process of its own: finished runs are stored, shown, and taken next time."""
    command = [sys.executable, "-c", "from multihop.cli import main; main()", "run", tiny, "--threads", "1"]
    many = [*command, "--runs", "2000", "--json"]
    process = subprocess.Popen(many, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    records = here / ".multihop" / "records"
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and not (records.is_dir() and len(list(records.iterdir())) >= 2):
        time.sleep(0.02)
    process.send_signal(number)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 128 + number
    assert "the same command goes on from there" in err
    finished = len(json.loads(out)["runs"])
    assert 2 <= finished < 2000
    assert not list((here / ".multihop" / "tmp").iterdir())
    again = subprocess.run([*command, "--runs", "2", "--json"], capture_output=True, text=True, check=True)
    assert json.loads(again.stdout)["runs_from_store"] == 2


def test_ctrl_c_is_heard_while_records_are_stored(tiny: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """All runs have been made, the disk is slow: what is not yet begun is left out."""
    keep = Writer.put
    storing = itertools.count()

    def slow(*arguments: Any) -> Record:
        if next(storing) == 0:
            threading.Timer(0.5, signal.raise_signal, [signal.SIGINT]).start()
        time.sleep(1.0)
        return keep(*arguments)

    monkeypatch.setattr(Writer, "put", slow)
    with pytest.raises(Interrupted) as stopped:
        multihop.load(tiny).run(runs=60, threads=2)
    assert 0 < len(stopped.value.records[0]) < 60


def test_a_reader_that_leaves_is_no_error(here: Path, tiny: str) -> None:
    command = [sys.executable, "-c", "from multihop.cli import main; main()", "run", tiny, "-n", "2", "--json"]
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(command, stdout=writing, stderr=subprocess.PIPE, text=True, check=False)
    os.close(writing)
    assert "Traceback" not in done.stderr


def test_more_runs_than_fit_are_refused_before_anything_runs(cli: Cli, tiny: str, here: Path) -> None:
    done = cli("run", tiny, "--runs", "1000000000")
    assert (done.code, done.out) == (2, "")
    assert "these runs need about" in done.err
    assert "TB of disk" in done.err
    assert not (here / ".multihop").exists()


def test_runs_are_planned_one_at_a_time(tiny: str, here: Path) -> None:
    scenario = multihop.load(tiny)
    arms = [Arm.of(Task(scenario, runs=range(1, n))) for n in (10**9, 10**8)]
    plan = Plan(arms, Store(here / "store"), fresh=False, pcap=False)
    assert len(plan) == 10**9 - 1
    first = [job.identity.run for job in itertools.islice(plan.jobs(), 3) if job]
    assert first == [1, 2, 3]


def test_no_more_runs_at_once_than_fit_into_the_memory(tiny: str, here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plan = Plan([Arm.of(Task(multihop.load(tiny), runs=range(1, 9)))], Store(here), fresh=False, pcap=True)
    one = plan.arms[0].resolved.needs()[0]
    monkeypatch.setenv("MULTIHOP_MEMORY", f"{3.5 * one / 1e9:.6f} GB")
    assert (resources.threads(plan, 2), resources.threads(plan, 64)) == (2, 3)
    assert resources.check(plan, 3, 64) == ["3 runs at once instead of 64: more would not fit into the memory"]
    monkeypatch.setattr(resources, "_free_disk", lambda _: 9e6)
    assert any("the captures may take up to" in said for said in resources.check(plan, 3, 3))


def test_runs_that_the_store_has_take_no_more_disk(tiny: str, here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = Store(here / "store")
    multihop.load(tiny).run(runs=5, store=store)
    monkeypatch.setattr(resources, "_free_disk", lambda _: 4.5 * resources.RECORD_BYTES)

    def checked(runs: int, *, fresh: bool = False, pcap: bool = False) -> list[str]:
        arms = [Arm.of(Task(multihop.load(tiny), runs=range(1, runs + 1)))]
        return resources.check(Plan(arms, store, fresh=fresh, pcap=pcap, limit=0), 1, 1)

    assert checked(5) == checked(6) == []
    assert "of disk; " in checked(8)[0]
    for runs, fresh, pcap in ((12, False, False), (10**9, False, False), (5, True, False), (5, False, True)):
        with pytest.raises(InputError, match="of disk, and"):
            checked(runs, fresh=fresh, pcap=pcap)


def test_a_scenario_without_flows_is_refused_in_one_sentence(cli: Cli, here: Path) -> None:
    (here / "empty.toml").write_text('topology = { kind = "chain", hops = 2 }\n', encoding="utf-8")
    for command in (("run", "empty.toml"), ("compare", "empty.toml", "-t", "none,drr")):
        done = cli(*command)
        assert (done.code, done.out) == (2, "")
        assert "there is no [[flow]]: no application would send anything" in done.err
    for words in ("explain", "report", "plot goodput"):
        done = cli(*words.split())
        assert (done.code, done.out) == (2, "")
        assert "there is no record" in done.err
        assert "Traceback" not in done.err


def test_what_was_thinned_is_said(cli: Cli, tiny: str) -> None:
    done = cli("run", tiny, "-n", "1", "--set", "measure.rows=2", "--set", "queue.limit=2")
    said = "The series `drops` has only one row in "
    assert said in done.out
    assert said in cli("explain").out
