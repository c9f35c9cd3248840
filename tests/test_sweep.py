"""Sweeps: which points there are, that nothing is run twice or lost, what the table and the pictures say."""

from __future__ import annotations

import contextlib
import json
import math
import os
import pty
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import multihop
from conftest import Cli
from multihop.errors import InputError
from multihop.measures.stats import estimate
from multihop.scenario.scenario import load
from multihop.store.store import Store
from multihop.sweeping.axes import axes
from multihop.sweeping.build import campaign
from multihop.sweeping.file import shipped
from multihop.sweeping.until import LEAST_RUNS, Until, until

SHORT = ("--set", "run.duration=8 s", "--set", "measure.warm-up=1 s", "--set", "flow.1.start=0 s")
BRIEF = {"run.duration": "8 s", "measure.warm-up": "1 s", "flow.1.start": "0 s"}


def values(text: str) -> list[str]:
    [axis] = axes([text])
    return ["+".join(value) for value in axis.values]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("tcp.window=newreno,sack", ["newreno", "sack"]),
        ("topology.hops=1..4", ["1", "2", "3", "4"]),
        ("mac.data-rate=6..24:6 Mbps", ["6 Mbps", "12 Mbps", "18 Mbps", "24 Mbps"]),
        ("mac.data-rate=1,2,5.5 Mbps", ["1 Mbps", "2 Mbps", "5.5 Mbps"]),
        ("air.bit-error-rate=1e-6..1e-3:x10", ["1e-6", "1e-5", "0.0001", "0.001"]),
        ("x.y=0.1..0.5:0.1", ["0.1", "0.2", "0.3", "0.4", "0.5"]),
        ("x.y=-2..2:2", ["-2", "0", "2"]),
        ("a.b+c.d=2+200 m,4+1e+2 m", ["2+200 m", "4+1e+2 m"]),
    ],
)
def test_values_are_spelled_out(text: str, expected: list[str]) -> None:
    assert values(text) == expected


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("x", "values are missing"),
        ("x=", "values are missing"),
        ("x=3..1", "the range is empty"),
        ("x=1.5..2", "say the step"),
        ("x=1..2:0", "must be above 0"),
        ("x=0..8:x2", "begins above 0"),
        ("x=1..8:x1", "begins above 0"),
        ("x=1,1", "stands twice"),
        ("x=1,,2", "a value is empty"),
        ("x=0..1e9", "larger step"),
        ("x=1..", "is not a range"),
        ("a+b=1", "has 1"),
        ("topology.file=none-of-this/*.toml", "no file matches"),
        ("x y=1", "is not a key"),
    ],
)
def test_what_is_no_axis_is_refused(text: str, words: str) -> None:
    with pytest.raises(InputError, match=words):
        axes([text])


def test_files_are_found_in_order(here: Path) -> None:
    for name in ("b.toml", "a.toml"):
        (here / name).write_text("")
    assert values("topology.file=*.toml") == ["a.toml", "b.toml"]


@given(st.text(alphabet="ab.+=,:x*0123456789e- m/[]{}\"'", max_size=40))
def test_any_text_is_an_axis_or_an_error(text: str) -> None:
    with contextlib.suppress(InputError):
        assert all(len(axis) for axis in axes([text]))


@pytest.mark.parametrize(
    ("over", "options", "words"),
    [
        ([], {}, "needs a key"),
        (["tcp.max-window=1..1000", "topology.hops=1..1000"], {}, "at most"),
        (["tcp.max-window=1..4"], {"techniques": "small-window:3"}, "leave out one of them"),
        (["tcp.max-window=1..4"], {"settings": ["tcp.max-window=3"]}, "give it once"),
        (["tcp.max-window=1..4"], {"techniques": "sack,sack"}, "stands twice"),
        (["tcp.max-window=1..4", "tcp.max-window=6"], {}, "swept twice"),
        (["tcp.max-window=1..4"], {"most": 9}, "not given"),
        (["tcp.max-window=1..4"], {"until": "goodput"}, "a width in percent"),
        (["tcp.max-window=1..4"], {"until": "godput:2%"}, "did you mean"),
        (["tcp.max-window=1..4"], {"runs": 0}, "at least 1"),
        (["tcp.max-window=1..4"], {"cross": ["none,fq-codle"]}, "did you mean"),
        (["tcp.max-window=1..4"], {"cross": [""]}, "an empty"),
    ],
)
def test_a_sweep_that_cannot_run_is_refused(over: list[str], options: dict[str, object], words: str) -> None:
    with pytest.raises(InputError, match=words):
        campaign("chain", over, **options)  # type: ignore[arg-type]


def test_a_point_that_cannot_run_is_named_before_anything_runs(here: Path, cli: Cli) -> None:
    found = cli("sweep", "chain", "--over", "topology.hops=7..3:1")
    assert (found.code, "range is empty" in found.err) == (2, True)
    found = cli("sweep", "chain", "--over", "topology.hops=8,7,6", "--set", "flow.1.to=7", *SHORT)
    assert found.code == 2
    assert "topology.hops=6" in found.err
    assert "known: 0, 1, 2, 3, 4, 5, 6 (or `last`)" in found.err
    found = cli("sweep", "chain", "--over", "topology.hpos=6,7", *SHORT)
    assert (found.code, "hpos" in found.err) == (2, True)
    assert not (here / ".multihop" / "records").exists()


def test_a_file_says_the_same_as_the_options(here: Path, cli: Cli) -> None:
    (here / "mine.toml").write_text(
        '[sweep]\nscenario = "chain"\ntechniques = ["none,sack"]\nruns = 2\n'
        'set = ["run.duration=8 s", "measure.warm-up=1 s", "flow.1.start=0 s"]\n'
        '[sweep.over]\n"tcp.max-window" = [2, 4]\n'
    )
    options = ["--over", "tcp.max-window=2,4", "-t", "none,sack", "-n", "2", *SHORT]
    both = [json.loads(cli("sweep", *words, "--json").out) for words in (["mine.toml"], ["chain", *options])]
    assert both[0]["points"] == both[1]["points"]
    assert len(both[0]["points"]) == 4


def test_crossed_techniques_run_in_every_combination_that_works(here: Path, cli: Cli) -> None:
    (here / "mine.toml").write_text(
        '[sweep]\nscenario = "chain"\nruns = 1\ncross = [["none", "fq-codel"]]\n'
        'techniques = ["none", "drr"]\n'
        'set = ["run.duration=8 s", "measure.warm-up=1 s", "flow.1.start=0 s"]\n[sweep.over]\n"tcp.max-window" = [2]\n'
    )
    options = [
        "--over",
        "tcp.max-window=2",
        "--cross",
        "none,fq-codel",
        "-t",
        "none,drr",
        "-n",
        "1",
        *SHORT,
    ]
    found = [cli("sweep", *words, "--json") for words in (["mine.toml"], ["chain", *options])]
    both = [json.loads(outcome.out)["points"] for outcome in found]
    assert both[0] == both[1]
    assert [point["technique"] for point in both[0]] == ["none", "drr", "fq-codel"]
    # both say which service the queue has
    assert "contradict each other: fq-codel+drr" in " ".join(found[0].err.split())


def test_a_scenario_that_refuses_a_technique_goes_without_it(here: Path, cli: Cli) -> None:
    over = ["--over", "scenario=chain,mesh-11n", "--set", "run.duration=2 s", "--set", "measure.warm-up=1 s"]
    found = cli("sweep", "chain", *over, "-t", "none,adaptive-pacing", "-n", "1", "--json")
    points = [(point["values"]["scenario"], point["technique"]) for point in json.loads(found.out)["points"]]
    assert points == [("chain", "none"), ("chain", "adaptive-pacing"), ("mesh-11n", "none")]
    assert "left out, as mesh-11n refuses them: adaptive-pacing" in " ".join(found.err.split())
    found = cli("sweep", "chain", *over, "-t", "none,load-spreading", "-n", "1")
    assert found.code == 2  # no scenario takes it
    assert "the point scenario=chain, load-spreading cannot run" in " ".join(found.err.split())


def test_shipped_sweeps_can_run(here: Path) -> None:
    assert "today" in shipped()
    for name in shipped():
        planned, _ = campaign(name)
        assert planned.size - len(planned.refused) == len(planned.cells)
        for cell in planned.cells:
            cell.scenario.resolve(cell.techniques, cell.settings)


def test_a_scenario_may_hold_its_sweep(here: Path, cli: Cli, tiny: str) -> None:
    plain = cli("run", tiny, "-n", "1", "--json").out
    (here / tiny).write_text(
        (here / tiny).read_text() + '\n[sweep]\nruns = 1\n[sweep.over]\n"tcp.max-window" = "2..3"\n'
    )
    assert json.loads(cli("run", tiny, "-n", "1", "--json").out)["runs"] == json.loads(plain)["runs"]
    assert [p["values"] for p in json.loads(cli("sweep", tiny, "--json").out)["points"]] == [
        {"tcp.max-window": "2"},
        {"tcp.max-window": "3"},
    ]
    (here / tiny).write_text((here / tiny).read_text().replace("runs = 1", "rums = 1"))
    found = cli("sweep", tiny)
    assert found.code == 2
    assert f"{tiny}:" in found.err
    assert "runs" in found.err


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ("over = 3", "`sweep.over` must be a table, not 3"),
        ('runs = "two"\n[sweep.over]', "`sweep.runs` must be a whole number, not 'two'"),
        ("runs = 2.5\n[sweep.over]", "`sweep.runs` must be a whole number, not 2.5"),
        ("set = [3]\n[sweep.over]", "`sweep.set` must be a list of texts, not [3]"),
        ('techniques = "sack"\n[sweep.over]', "`sweep.techniques` must be a list of texts, not 'sack'"),
        ("rums = 3\n[sweep.over]", "unknown key `sweep.rums` (did you mean `runs`?)"),
        ("runs = 3", "`sweep.over` is missing"),
        ('scenario = "gone.toml"\n[sweep.over]', "there is no scenario file gone.toml"),
    ],
)
def test_a_file_that_says_no_sweep_is_refused_in_plain_words(lines: str, said: str, here: Path, cli: Cli) -> None:
    (here / "mine.toml").write_text(f"# a comment\n[sweep]\n{lines}\n")
    found = cli("sweep", "mine.toml")
    assert (found.code, found.out) == (2, "")
    assert found.err.startswith("multihop: mine.toml:2: ")
    assert said in found.err
    assert len(found.err.strip().splitlines()) == 1
    assert not (here / ".multihop").exists()


def test_a_flow_to_the_last_node_goes_over_any_number_of_hops(here: Path, cli: Cli) -> None:
    swept = json.loads(cli("sweep", "chain", "--over", "topology.hops=1..3", "-n", "1", *SHORT, "--json").out)
    goodput = [point["figures"]["goodput_bps"]["mean"] for point in swept["points"]]
    assert goodput == sorted(goodput, reverse=True)
    # it is the same scenario as with the node's name, so that the runs of either are those of the other
    named = multihop.load("chain").run(runs=1, set={"topology.hops": 3, "flow.1.to": "3", **BRIEF})
    assert named.stored


def test_only_what_is_missing_is_run(here: Path) -> None:
    first = multihop.sweep("chain", {"tcp.max-window": [2, 3]}, runs=2, set=BRIEF)
    made = set(Store.open().keys())
    wider = multihop.sweep("chain", {"tcp.max-window": [2, 3, 4]}, "none,sack", runs=3, set=BRIEF)
    assert len(set(Store.open().keys()) - made) == 18 - 4
    table = wider.table()
    old = table[(table.technique == "none") & (table.run < 3) & (table.tcp_max_window < 4)]
    assert old.reset_index(drop=True).equals(first.table())
    # paired: run r has the same seed and run number everywhere
    assert table.groupby("run").seed.nunique().eq(1).all()
    assert multihop.sweeps(wider.id[:8]).table().equals(table)


def test_columns_carry_their_unit(here: Path) -> None:
    found = multihop.sweep(
        "chain",
        ["mac.data-rate=1 Mbps,2000 kbps", "tcp.window=newreno,reno"],
        runs=1,
        set=["run.duration=8 s", "measure.warm-up=1 s", "flow.1.start=0 s"],
    )
    table = found.table()
    assert list(table.mac_data_rate_mbps.unique()) == [1, 2]
    assert list(table.tcp_window.unique()) == ["newreno", "reno"]


PROGRAM = """
import sys, multihop
table, windows, runs, seconds = sys.argv[1:]
made = multihop.sweep("chain", {"tcp.max-window": f"1..{windows}"}, "none,sack", runs=int(runs), threads=2,
    set={"run.duration": f"{seconds} s", "measure.warm-up": "1 s", "flow.1.start": "0 s"})
made.table().to_csv(table, index=False)
"""


@pytest.mark.parametrize(
    ("windows", "runs", "seconds"),
    [pytest.param(6, 4, 15, id="48 runs"), pytest.param(10, 100, 8, id="2000 runs", marks=pytest.mark.long)],
)
def test_killed_and_resumed_it_gives_the_same_table(windows: int, runs: int, seconds: int, tmp_path: Path) -> None:
    """Killed three times with -9, nothing is lost, nothing is run twice, and the table is the same to the digit."""
    program, sizes = [sys.executable, "-c", PROGRAM], [str(windows), str(runs), str(seconds)]
    total = 2 * windows * runs
    tables = []
    for name, kills in (("calm", 0), ("killed", 3)):
        folder = tmp_path / name
        folder.mkdir()
        environment = {**os.environ, "MULTIHOP_HOME": str(folder / "store")}
        kept: dict[Path, int] = {}
        for _ in range(kills):
            process = subprocess.Popen([*program, "never.csv", *sizes], cwd=folder, env=environment)
            deadline = time.monotonic() + 120
            while len(list(folder.glob("store/records/*/manifest.json"))) <= len(kept) + total // 8:
                assert process.poll() is None, "it ended before it could be killed"
                assert time.monotonic() < deadline, "it makes no runs"
                time.sleep(0.005)
            process.send_signal(signal.SIGKILL)
            process.wait()
            now = {path: path.stat().st_mtime_ns for path in folder.glob("store/records/*/manifest.json")}
            assert {path: now.get(path) for path in kept} == kept  # what was there was taken as it was
            kept = now
            assert len(kept) < total
        subprocess.run([*program, "table.csv", *sizes], cwd=folder, env=environment, check=True)
        assert all(path.stat().st_mtime_ns == stamp for path, stamp in kept.items())
        assert len(list(folder.glob("store/records/*/manifest.json"))) == total
        tables.append((folder / "table.csv").read_text())
    assert tables[0] == tables[1]
    assert tables[0].count("\n") == total + 1


def test_joined_keys_are_one_axis_of_a_picture(cli: Cli, here: Path) -> None:
    """They make no panels, whichever of them is named."""
    from multihop.plots.cells import Asked
    from multihop.plots.sweep import draw_sweep

    over = ("--over", "topology.hops+flow.1.to=1+1,2+2,3+3", "--over", "tcp.max-window=2,8")
    assert cli("sweep", "chain", *over, "-n", "2", "-t", "none,delayed-ack", *SHORT).code == 0
    swept = multihop.sweeps()
    for x, panels in (("topology.hops", 2), ("flow.1.to", 2), ("tcp.max-window", 3)):
        picture = draw_sweep("lines", swept, Asked(x=x, by="technique"))
        assert len([axes for axes in picture.axes if axes.lines]) == panels
        assert len(picture.axes[0].lines) >= 2


def test_gains_are_those_of_compare(cli: Cli, here: Path) -> None:
    """In the table, in JSON and in pictures; point by point, run by run."""
    from multihop.plots.cells import Asked
    from multihop.plots.sweep import draw_sweep

    words = ("sweep", "chain", "--over", "tcp.max-window=2,8", "-n", "3", "-t", "none,delayed-ack,sack", *SHORT)
    printed = cli(*words)
    assert "against none" in printed.out
    points = json.loads(cli(*words, "--json").out)["points"]
    assert [bool(point["gains"]) for point in points] == [False, True, True] * 2
    compared = cli("compare", "chain", "-t", "none,delayed-ack", "-n", "3", "-s", "tcp.max-window=8", *SHORT, "--json")
    [row] = [
        row
        for row in json.loads(compared.out)["comparisons"]
        if row["figure"] == "goodput_bps" and row["flow"] is None and row["technique"] == "delayed-ack"
    ]
    assert points[4]["gains"]["goodput_bps"] == row["relative"]
    swept = multihop.sweeps()
    [axes] = draw_sweep("lines", swept, Asked(against="none")).axes
    drawn = {float(y) for line in axes.lines for y in np.ravel(np.asarray(line.get_ydata()))}
    gains = sorted(100 * points[i]["gains"]["goodput_bps"]["mean"] for i in (1, 2, 4, 5))
    assert set(gains) <= drawn
    heat = draw_sweep("heat", swept, Asked(by="technique", against="none"))
    assert {text.get_text() for text in heat.axes[0].texts} == {f"{gain:.3g}" for gain in gains}


@pytest.mark.parametrize(
    ("kind", "against", "words"),
    [
        ("lines", "nune", "did you mean `none`?"),
        ("ecdf", "none", "goes with `lines` and `heat`"),
        ("pareto", "none", "goes with `lines` and `heat`"),
    ],
)
def test_a_baseline_that_cannot_be_is_refused(kind: str, against: str, words: str, cli: Cli, here: Path) -> None:
    assert cli("sweep", "chain", "--over", "tcp.max-window=2,8", "-n", "2", "-t", "none,sack", *SHORT).code == 0
    found = cli("plot", kind, "--against", against)
    assert (found.code, words in found.err) == (2, True), found.err


@settings(max_examples=60, deadline=None)
@given(st.floats(0.02, 0.6), st.floats(0.01, 0.2), st.integers(0, 10**6))
def test_until_reaches_its_width_with_few_runs_too_many(spread: float, share: float, seed: int) -> None:
    draw = random.Random(seed)  # noqa: S311  # no secret
    rule = Until("goodput_bps", share, 5000)
    sample = [draw.gauss(100.0, 100.0 * spread) for _ in range(5000)]
    runs = LEAST_RUNS
    while (following := rule.next(sample, runs)) > runs:
        runs = following

    def narrow(n: int) -> bool:
        found = estimate(sample[:n])
        return found.half <= share * abs(found.mean)

    assert narrow(runs) or runs == 5000
    needed = runs  # from here on the interval was narrow
    while needed > LEAST_RUNS and narrow(needed - 1):
        needed -= 1
    assert runs <= max(needed + 1, math.floor(1.2 * needed))


def test_until_is_bound_and_ends_where_there_is_nothing_to_measure() -> None:
    rule = until("rtt-mean:1%", 12)
    assert (rule.figure, rule.most) == ("rtt_mean_s", 12)
    assert rule.next([1.0, 100.0] * 6, 12) == 12
    assert rule.next([math.nan] * LEAST_RUNS, LEAST_RUNS) == LEAST_RUNS


def test_until_adds_runs_at_each_point(here: Path) -> None:
    found = multihop.sweep("chain", {"tcp.max-window": [1, 16]}, until="goodput:4%", most=30, set=BRIEF)
    for records in found.records:
        it = estimate(records.values("goodput_bps").tolist())
        assert it.half <= 0.04 * it.mean or len(records) == 30
    assert len(found.records[0]) < len(found.records[1])


def test_progress_is_drawn_beside_a_document(here: Path) -> None:
    """With `--json` too: the document goes to standard output, progress to the terminal."""
    terminal, side = pty.openpty()
    program = [sys.executable, "-c", "from multihop.cli import main; main()"]
    command = [*program, "sweep", "chain", "--over", "tcp.max-window=2,3", "-n", "4", "--json", *SHORT]
    done = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=side)
    os.close(side)
    drawn = b""
    with contextlib.suppress(OSError):  # the terminal is closed when the command ends
        while piece := os.read(terminal, 4096):
            drawn += piece
    os.close(terminal)
    assert len(json.loads(done.communicate()[0])["points"]) == 2
    assert done.returncode == 0
    assert "of 8 runs" in drawn.decode()
    assert ", -" not in drawn.decode()  # no negative number of runs from the store


def test_pictures_and_table(here: Path, cli: Cli) -> None:
    made = cli(
        *("sweep", "chain", "--over", "tcp.max-window=2,4", "--over", "air.bit-error-rate=0,1e-5"),
        *("-t", "none,sack", "-n", "2", "--table", "t.parquet", *SHORT),
    )
    assert made.code == 0
    assert "8 points, 16 runs" in made.err
    for words in (
        ["lines"],
        ["lines", "--x", "air.bit-error-rate", "--by", "tcp.max-window", "--facet", "technique", "--y", "rtt-mean"],
        ["heat"],
        ["ecdf", "--at", "tcp.max-window=4"],
        ["pareto"],
    ):
        drawn = cli("plot", *words, "--out", "p.svg")
        assert drawn.code == 0, drawn.err
        assert (here / "p.svg").read_text().startswith("<?xml")
    for words, said in (
        (["lines", "--by", "tcp.windw"], "did you mean"),
        (["lines", "--at", "tcp.max-window=9"], "it has: 2, 4"),
        (["pareto", "--x", "goodput"], "another figure"),
        (["goodput", "--by", "technique"], "pictures of sweeps"),
    ):
        refused = cli("plot", *words)
        assert (refused.code, said in refused.err) == (2, True), refused.err
    import pyarrow.parquet as pq

    kept = pq.read_table(here / "t.parquet")
    assert kept.num_rows == 16


def test_sql_over_the_store(here: Path, cli: Cli) -> None:
    cli(
        "sweep",
        "chain",
        "--over",
        "tcp.max-window=2,4",
        "--over",
        "air.bit-error-rate=0,1e-5",
        "-t",
        "none,sack",
        *SHORT,
    )
    answer = cli("query", "select technique, count(*) as n from sweep group by all order by all", "--csv")
    assert answer.out.splitlines() == ["technique,n", "none,20", "sack,20"]
    joined = cli(
        "query", "select count(*) as n, min(goodput_bps) > 0 as some from runs join flows using (record)", "--csv"
    )
    assert joined.out.splitlines() == ["n,some", "40,True"]
    for query, said in (("select * from foo", "the tables are"), ("selct", "syntax"), ("", "empty")):
        refused = cli("query", query)
        assert (refused.code, said in refused.err) == (2, True), refused.err
    assert multihop.sql("select count(*) as n from runs").n[0] == 40
    named = multihop.sql("select any_value(node) as node, any_value(flow) as flow from nodes, flows")
    assert (list(named.node), list(named.flow)) == (["0"], ["1"]), "columns have the names of Record.table"


def test_runs_of_a_sweep_outlive_a_record_that_shares_them(here: Path, cli: Cli) -> None:
    words = ["-n", "2", "--set", "tcp.max-window=2", *SHORT]
    cli("sweep", "chain", "--over", "tcp.max-window=2,3", "-n", "2", *SHORT)
    cli("run", "chain", *words)
    store = Store.open()
    [record], [swept] = store.ids(), store.sweeps()
    assert "chain over tcp.max-window" in cli("list", "records").out
    assert "0 runs" in cli("remove", record[:8]).out
    assert len(store.keys()) == 4
    assert "4 runs" in cli("remove", swept[:8]).out
    assert store.keys() == []


def test_a_shipped_scenario_has_no_table_of_its_own() -> None:
    assert "[sweep]" not in load("chain").text


def test_sql_over_some_records_sees_these_only(here: Path) -> None:
    short = {"run.duration": "8 s", "measure.warm-up": "1 s", "flow.1.start": "0 s"}
    some = multihop.load("chain").run(runs=2, set=short)
    multihop.load("chain").run(runs=3, set={**short, "tcp.max-window": 4})
    assert list(some.sql("select run from runs order by run").run) == [1, 2]
    asked = some.sql("select goodput_bps from flows join runs using (record) order by run")
    assert list(asked.goodput_bps) == [record.data["flows"][0]["goodput_bps"] for record in some]
    assert len(multihop.sql("select * from runs")) == 5
    with pytest.raises(InputError, match=r"the tables are: .*flows.*runs"):
        some.sql("select * from sweep")
