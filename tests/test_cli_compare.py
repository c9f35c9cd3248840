"""`multihop compare` as a user meets it."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path
from typing import Any

import pytest

import multihop
from conftest import Cli
from multihop import InputError
from multihop.measures.stats import estimate, holm, paired
from multihop.measures.summary import value
from multihop.out import comparison as out
from multihop.out.answer import headline, ranked
from multihop.record.comparison import Row, better


def test_the_baseline_comes_first(cli: Cli, tiny: str) -> None:
    done = cli("compare", tiny, "--techniques", 'none,small-window:2,"drr+small-window:2"', "-n", "4")
    assert done.code == 0
    for words in (
        "difference to none",
        "small-window:2",
        "drr+small-window:2",
        "Jain's index",
        "correlation",
        "goodput",
    ):
        assert words in done.out
    assert "packets dropped a run" in done.out


def test_differences_are_taken_run_by_run(cli: Cli, tiny: str) -> None:
    document = json.loads(cli("compare", tiny, "--techniques", "none,small-window:2", "-n", "5", "--json").out)
    base, other = (arm["runs"] for arm in document["arms"])
    expected = paired([value(r, "goodput_bps") for r in base], [value(r, "goodput_bps") for r in other])
    row = next(r for r in document["comparisons"] if r["figure"] == "goodput_bps" and r["flow"] is None)
    assert row["difference"]["mean"] == pytest.approx(expected.difference.mean)
    assert row["difference"]["ci95"] == pytest.approx([expected.difference.low, expected.difference.high])
    assert row["verdict"] == expected.verdict
    assert row["more_runs"] == expected.more_runs
    assert document["baseline"] == "none"
    assert document["run_numbers"] == [1, 2, 3, 4, 5]


def test_an_overlay_that_sets_what_is_there_changes_nothing(cli: Cli, tiny: str, here: Path) -> None:
    (here / "idle.toml").write_text('summary = "what the scenario says anyway"\n[set]\nrouting.kind = "static"\n')
    document = json.loads(cli("compare", tiny, "--techniques", "none,idle.toml", "-n", "3", "--json").out)
    assert {row["verdict"] for row in document["comparisons"]} == {"equal"}
    first, second = ([run["fingerprint"] for run in arm["runs"]] for arm in document["arms"])
    assert first == second
    assert (
        "the same goodput of all 2 flows together in every run"
        in cli("compare", tiny, "--techniques", "none,idle.toml", "-n", "3").out
    )


def test_comparing_uses_the_store(cli: Cli, tiny: str) -> None:
    cli("run", tiny, "-n", "3")
    document = json.loads(cli("compare", tiny, "--techniques", "none,drr", "-n", "3", "--json").out)
    assert document["runs_from_store"] == 3


def test_settings_hold_for_all(cli: Cli, tiny: str) -> None:
    arguments = ("compare", tiny, "--techniques", "none,drr", "-n", "1", "--set", "tcp.max-window=3", "--json")
    document = json.loads(cli(*arguments).out)
    windows = [arm["scenario"]["values"]["tcp.max-window"]["value"] for arm in document["arms"]]
    assert windows == [3, 3]


def test_who_acted_in_which_arm(cli: Cli, tiny: str) -> None:
    lossy = ("--set", "air.bit-error-rate=5e-5", "-n", "2")
    said = cli("compare", tiny, "-t", "none,persistent-queue,persistent-queue+reno", *lossy).out
    assert re.search(r"^persistent-queue was used [0-9.]+ times? a run \(queue.kept\)$", said, re.MULTILINE)
    assert re.search(r"^persistent-queue in persistent-queue\+reno was used [0-9.]+ times? a run", said, re.MULTILINE)


def test_a_technique_is_called_unused_no_longer_than_it_was_counted(cli: Cli, tiny: str) -> None:
    """The counters begin after the warm-up, in which ARP asks for all that it ever needs to know."""
    warm, cold = (
        (cli("run", tiny, "-t", "arp", "-n", "1", "-s", f"measure.warm-up={time}")).out for time in ("1s", "0s")
    )
    assert "\narp was not used in the measured time (arp.requests is 0)\n" in warm
    assert re.search(r"^arp was used [0-9.]+ times a run \(arp.requests\)$", cold, re.MULTILINE)
    clean = cli(
        "run",
        tiny,
        "-t",
        "persistent-queue",
        "-n",
        "1",
        "-s",
        "measure.warm-up=0s",
        "-s",
        "flow.1.start=4s",
        "-s",
        "flow.2.start=4s",
    ).out
    assert "\npersistent-queue was never used (queue.kept is 0)\n" in clean


def test_what_another_has_replaced_cannot_act_and_is_told(cli: Cli, tiny: str) -> None:
    """With ATP in the place of TCP, neither its window nor its shims and agents are there; its segment length is."""
    replaced = "no flow runs over TCP, which ATP replaces, and it sets"
    said = cli("compare", tiny, "-n", "1", "-t", "atp,atp+sack,atp+elfn,snoop+atp,small-segment+atp,sack").out
    said = " ".join(said.split())
    assert f"sack in atp+sack cannot act: {replaced} `tcp.loss`" in said
    assert f"elfn in atp+elfn acts in part only: {replaced} `shim.kind`" in said
    assert f"snoop in snoop+atp cannot act: {replaced} `agent.0.kind` and `agent.0.place`" in said
    assert said.count(replaced) == 3
    warned = " ".join(cli("check", tiny, "-t", "atp+sack").out.split())
    assert f"warning: sack cannot act: {replaced} `tcp.loss`" in warned
    assert "cannot act" not in cli("check", tiny, "-t", "sack").out


def test_over_datagrams_nothing_that_tells_sources_can_act(cli: Cli, datagrams: str) -> None:
    said = " ".join(cli("compare", datagrams, "-n", "1", "-t", "none,elfn,tcp-f,ebsn,hop-by-hop-rate").out.split())
    for technique in ("elfn", "tcp-f", "ebsn", "hop-by-hop-rate"):
        assert f"{technique} cannot act: no flow runs over TCP" in said, technique


def test_one_run_settles_nothing(cli: Cli, tiny: str) -> None:
    said = cli("compare", tiny, "--techniques", "none,small-window:2", "-n", "1").out
    assert "one run says nothing" in said
    assert "One run of each technique has no interval: it settles nothing." in said
    assert "Holm" not in said
    one = multihop.load(tiny).compare("none,drr", runs=1)
    assert "1 run, so no intervals" in repr(one)
    assert "no interval" in (one._repr_html_() or "")


SEVERAL = "none,drr,small-window:1,small-window:2,delayed-ack,sack"


def test_the_answer_comes_first_and_the_best_in_it(cli: Cli, tiny: str) -> None:
    said = cli("compare", tiny, "-t", SEVERAL, "-n", "3").out
    comparison = multihop.load(tiny).compare(SEVERAL, runs=3)
    assert said.splitlines()[3] == f"{headline(comparison)}."
    told = re.findall(r"^• (\S+) against none", said, re.MULTILINE)
    assert told == [arm.label for arm in ranked(comparison)]
    assert sorted(told) == sorted(SEVERAL.split(",")[1:])
    rows = [comparison.row(arm, "goodput_bps") for arm in ranked(comparison)]
    kinds = [{True: 0, None: 1, False: 2}[better(row)] for row in rows]
    assert kinds == sorted(kinds)
    for kind in (0, 2):
        gains = [row.relative.mean for row, k in zip(rows, kinds, strict=True) if k == kind and row.relative]
        assert gains == sorted(gains, reverse=True)


def test_many_techniques_have_a_line_each_and_details_show_all(cli: Cli, tiny: str) -> None:
    short = cli("compare", tiny, "-t", SEVERAL, "-n", "3").out
    assert "change to none" in short
    assert "difference to none" not in short
    assert len(short.splitlines()) < 60
    full = cli("compare", tiny, "-t", SEVERAL, "-n", "3", "--details").out
    assert "difference to none" in full
    assert "flow 1 goodput kbit/s" in full
    assert len(full.splitlines()) > 80
    few = cli("compare", tiny, "-t", "none,drr", "-n", "3").out
    assert "difference to none" in few
    assert "flow 1 goodput" not in few
    assert "\n--details shows each flow" in few
    shown = multihop.load(tiny).compare("none,drr", runs=3)._repr_html_() or ""
    assert "`multihop compare --details` shows each flow" in shown


def test_verdicts_are_corrected_over_all_of_a_comparison(cli: Cli, tiny: str) -> None:
    document = json.loads(cli("compare", tiny, "-t", SEVERAL, "-n", "3", "--json").out)
    rows = document["comparisons"]
    known = [row for row in rows if row["p_value"] is not None]
    groups: dict[bool, list[dict[str, Any]]] = {True: [], False: []}
    for row in known:
        groups[row["figure"] == "goodput_bps" and row["flow"] is None].append(row)
    assert len(groups[True]) == 5
    for group in groups.values():
        assert [row["adjusted_p_value"] for row in group] == pytest.approx(holm([row["p_value"] for row in group]))
    alone = [row for row in known if row["verdict"] in ("higher", "lower")]
    unsure = [row for row in alone if row["adjusted_verdict"] == "open"]
    assert 0 < len(unsure) < len(alone)
    assert all(row["adjusted_p_value"] > 0.05 for row in unsure)
    assert all(row["adjusted_verdict"] == row["verdict"] for row in rows if row not in unsure)
    said = " ".join(cli("compare", tiny, "-t", SEVERAL, "-n", "3", "--details").out.split())
    assert f"5 verdicts on goodput, {len(known) - 5} on other figures and single flows." in said
    assert f"It leaves {len(unsure)} of {len(alone)} differences unsure" in said
    assert len(re.findall("perhaps (?:higher|lower)", said)) == len(unsure)


def test_a_sure_difference_that_hardly_matters_says_so() -> None:
    base = [1000.0, 1010.0, 990.0, 1005.0]

    def found(factor: float) -> str:
        other = [b * factor + i % 2 / 10 for i, b in enumerate(base)]
        pair = paired(base, other)
        return out.verdict(Row("x", "goodput_bps", None, estimate(base), estimate(other), pair, 4, pair.p_value)).plain

    assert found(1.003) == "higher, below 1 %"
    assert found(0.996) == "lower, below 1 %"
    assert found(1.02) == "higher"


@pytest.mark.parametrize(
    ("techniques", "words"),
    [
        ("none", "at least two"),
        ("none,none", "twice"),
        ("none,,drr", "empty technique"),
        ("none,dr", "no technique `dr`"),
        ("none,reno+tahoe", "tahoe"),
    ],
)
def test_bad_lists_are_one_paragraph(cli: Cli, tiny: str, here: Path, techniques: str, words: str) -> None:
    done = cli("compare", tiny, "--techniques", techniques, "-n", "1")
    assert done.code == 2
    assert words in done.err
    assert len(done.err.strip().splitlines()) == 1


def test_from_python(tiny: str) -> None:
    comparison = multihop.load(tiny).compare(["none", ["drr", "small-window:2"]], runs=2)
    assert [arm.label for arm in comparison.arms] == ["none", "drr+small-window:2"]
    assert (comparison._repr_html_() or "").startswith("<pre")
    assert "drr+small-window:2" in repr(comparison)
    with pytest.raises(InputError, match="at least two"):
        multihop.load(tiny).compare(["none"])


def test_joules_stand_in_every_comparison_and_a_section_says_whose(cli: Cli, tiny: str) -> None:
    bare = cli("compare", tiny, "-t", "none,small-window:2", "-n", "2").out
    assert "energy J" in bare
    assert "energy per bit J/Mbit" in bare
    assert "of ORiNOCO cards" in bare
    document = json.loads(cli("compare", tiny, "-t", "none,small-window:2", "-n", "2", "--json").out)
    said = {r["figure"]: r["baseline"]["mean"] for r in document["comparisons"] if r["flow"] is None}
    run = document["arms"][0]["runs"]
    assert said["energy_j"] == pytest.approx(sum(r["energy_j"] for r in run) / 2)
    assert said["energy_per_bit_j"] > 0
    other = cli("compare", tiny, "-t", "none,small-window:2", "-n", "2", "--set", "energy.card=ns2").out
    assert "energy J" in other
    assert "ORiNOCO" not in other


def test_a_figure_that_one_side_lacks_is_not_called_open() -> None:
    nan = math.nan

    def verdict(base: list[float], other: list[float]) -> str:
        row = Row("x", "resume_s", None, estimate(base), estimate(other), paired(base, other), len(base))
        return out.verdict(row).plain

    assert verdict([nan, nan], [1.0, 2.0]) == verdict([1.0, 2.0], [nan, nan]) == "nothing to compare"
    assert verdict([1.0, nan], [nan, 2.0]) == "no run has both"
    assert verdict([1.0, nan], [1.5, 2.0]) == "open: one run alone has both"
    assert verdict([1.0], [2.0]) == "open: one run says nothing"
    assert verdict([1.0, 1.1], [2.0, 2.1]) == "higher"
