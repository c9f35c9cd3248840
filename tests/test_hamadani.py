"""The reproduction of the contention paper, and the figures of drops and attempts that its study needs."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import multihop
from conftest import Cli
from multihop.study import Study, load, names
from multihop.study.metrics import evaluate
from multihop.study.select import select
from multihop.study.view import MetricError

ROOT = Path(__file__).parents[1] / "studies" / "reproductions"


class Run:
    """A run of two nodes, of which only counts are known."""

    def __init__(self, **counters: int) -> None:
        def node(name: str, data: int, failed: int, rts: int, long: int) -> dict[str, Any]:
            return {
                "name": name,
                "frames": {"data": data},
                "ack_failures": failed,
                "given_up_rts": rts,
                "given_up_data": long,
            }

        def drop(node: str, reason: str, n: int, **killers: int) -> dict[str, Any]:
            found = [{"by": by, "hidden": by != "b", "n": k} for by, k in killers.items()]
            return {"node": node, "reason": reason, "n": n, "killers": found}

        self.data: dict[str, Any] = {
            "nodes": [node("a", 60, 10, 3, 1), node("b", 50, 8, 0, 2)],
            "drops": [
                drop("a", "retry-limit-rts", 3, c=2, b=1),
                drop("a", "retry-limit-data", 1, d=1),
                drop("b", "retry-limit-data", 2, d=1),
                drop("b", "queue-full", 2),
            ],
            "ledger_measured": {"created": 50},
            "counters": counters,
        }
        self.scenario: dict[str, Any] = {}

    def series(self, name: str) -> pd.DataFrame:
        raise AssertionError(name)


@pytest.mark.parametrize(
    ("by", "among", "share"),
    [
        ("contention", "packets", 100 * 6 / 50),
        ("congestion", "packets", 100 * 2 / 50),
        # 92 got through, 6 were given up, 2 found no room
        ("contention", "hops", 6.0),
        ("congestion", "hops", 2.0),
    ],
)
def test_shares_of_drops(by: str, among: str, share: float) -> None:
    assert evaluate("drop-share", Run(), {"by": by, "among": among}) == pytest.approx(share)


def test_who_killed_how_many() -> None:
    found = {
        (node, by): evaluate("killed", Run(), {"node": node, "by": by}) for node in ("a", "all") for by in ("d", "all")
    }
    assert found == {("a", "d"): 1, ("a", "all"): 4, ("all", "d"): 2, ("all", "all"): 5}
    assert evaluate("killed", Run(), {"node": "all", "by": "hidden"}) == 4
    named = Run()
    named.data["nodes"][1]["name"] = "all"
    with pytest.raises(MetricError, match="a node has the name `all`, which stands for every node"):
        evaluate("killed", named, {"node": "a", "by": "all"})


def test_attempts_count_against_one_limit_or_the_other() -> None:
    run = Run(**{"mac.rts-failures": 70, "mac.ack-failures": 30, "mac.long-failures": 12})
    assert evaluate("failed-attempts", run, {"limit": "long"}) == 12
    assert evaluate("failed-attempts", run, {"limit": "short"}) == 88
    with pytest.raises(MetricError, match="`limit` is one of short, long, not `middle`"):
        evaluate("failed-attempts", run, {"limit": "middle"})


def test_the_paper_s_chain_has_both_kinds_of_failures() -> None:
    """TCP ACKs go without RTS and count against the short limit, segments against the long one."""
    [run] = multihop.load("ham7").run(runs=1, set={"run.duration": "30 s"})
    counters = run.data["counters"]
    long = evaluate("failed-attempts", run, {"limit": "long"})
    assert 100 < long < counters["mac.ack-failures"] - 100
    assert evaluate("failed-attempts", run, {"limit": "short"}) > counters["mac.rts-failures"]


def shortened(here: Path) -> None:
    """The study in the working directory, with 4 s in the place of 200 s."""
    for path in [ROOT / "hamadani.toml", *(ROOT / "hamadani").glob("*.toml")]:
        text = path.read_text(encoding="utf-8").replace('"run.duration=200 s"', '"run.duration=4 s"')
        place = here / path.relative_to(ROOT)
        place.parent.mkdir(exist_ok=True)
        place.write_text(text, encoding="utf-8")


@pytest.fixture(scope="module")
def hamadani() -> Study:
    return load((ROOT / "hamadani.toml").read_text(), "hamadani.toml", lambda part: (ROOT / part).read_text())


def test_all_30_claims_are_there_and_one_more(hamadani: Study) -> None:
    assert "hamadani" in names()
    claims = {claim.id: claim for claim in hamadani.claims}
    assert len(claims) == len(hamadani.claims) == 31
    assert claims["HAM-FUTURE-tcp"].tier == "info"


def test_of_the_adaptive_limit_is_asked_what_the_paper_says_of_it(hamadani: Study) -> None:
    [claim] = [claim for claim in hamadani.claims if claim.id == "HAM-FUTURE"]
    assert {check.value[0].metric for check in claim.check} == {"failed-attempts"}
    assert claim.changed == "", "the list asks for the attempts of the MAC alone too"


def test_the_chain_runs_the_paper_s_routing_and_fixed_routes_stand_beside(hamadani: Study) -> None:
    assert tomllib.loads(hamadani.experiments["chain"].scenario)["routing"] == {"kind": "dsr"}
    [fixed] = [reading for reading in hamadani.readings if reading.name == "static"]
    assert fixed.set == ("routing.kind=static",)
    performance = [c for c in hamadani.claims if c.counted and c.tier != "info" and c.check and c.id != "HAM-S3-rule"]
    assert all(fixed.looks_at(claim) for claim in performance)


def test_a_break_is_shorter_than_the_shortest_timeout_and_no_break_of_the_delivery_alone(hamadani: Study) -> None:
    scenario = tomllib.loads(hamadani.experiments["chain"].scenario)
    assert scenario["measure"]["sample"] == "0.2 s"
    [claim] = [claim for claim in hamadani.claims if claim.id == "HAM-F7"]
    assert claim.check[0].value[0].metric == "bins-without-arrival"
    assert claim.listed[0].value[0].metric == "bins-without-delivery"


def test_what_arrives_out_of_order_arrives() -> None:
    """A segment that is waited for stops the delivery in order, and not what arrives."""
    [run] = multihop.load("ham7").run(runs=1, set={"run.duration": "30 s", "measure.sample": "0.2 s"})
    frame = run.series("goodput")
    assert ((frame["arrived"] > 0) & (frame["bps"] == 0)).any()
    silent = evaluate("bins-without-arrival", run, {"flow": "1"})
    assert silent == (frame["arrived"] == 0).sum()
    assert 0 <= silent < evaluate("bins-without-delivery", run, {"flow": "1"}) == (frame["bps"] == 0).sum()
    # every new packet is counted once: what was delivered is no more than what arrived
    assert frame["bps"].sum() * 0.2 / 8 <= frame["arrived"].sum() * 1460


def test_every_figure_shows_three_scenarios(hamadani: Study) -> None:
    for figure in (figure for figure in hamadani.figures if figure.kind != "throughput"):
        shown = {series.where["technique"] for series in figure.series}
        assert len(shown) == len(figure.series) == 3, figure.name
    for part in hamadani.parts:
        assert select(hamadani, part).points(), part


def test_a_reading_does_not_remark_on_what_its_study_sets_for_others(cli: Cli, here: Path) -> None:
    """In free space the ranges of disks mean nothing: the reading is so on purpose."""
    shortened(here)
    done = cli("reproduce", "hamadani.toml/drops", "--quick", "--out", "made")
    assert done.code == 0, done.err
    assert "changes nothing" not in done.err + done.out


def test_it_runs_small(cli: Cli, here: Path) -> None:
    """Every experiment, claim, reading and figure, with 4 s in the place of 1000 s."""
    shortened(here)
    done = cli("reproduce", "hamadani.toml", "--quick", "--json", "--out", "made")
    assert done.code == 0, done.err
    document = json.loads(done.out)
    by_id = {claim["id"]: claim for claim in document["claims"]}
    assert len(by_id) == 31
    # a rule, however short the runs: 14 RTS for a station that is not there, and 7
    assert by_id["HAM-S3-rule"]["holds"] is True
    assert [point["ours"] for point in by_id["HAM-S3-rule"]["points"]] == pytest.approx([14, 7])
    drawn = {path.stem for path in (here / "made").glob("*.svg")}
    assert drawn == {"drops", "overflows", "fig4", "fig5", "fig6", "fig7", "fig7-run", "table1-short", "table1-long"}
