"""The reproduction of the thesis on the Flexible Radio Network, and what its study needs: figures of several points."""

from __future__ import annotations

import json
import math
import random
import re
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from conftest import TINY, Cli
from multihop.plots import effects
from multihop.plots.study import draw
from multihop.running.run import Task, execute
from multihop.scenario.scenario import Scenario
from multihop.study import Cell, Point, Results, Study, StudyError, find, judge, load
from multihop.study.interval import of_mean, of_ratio
from multihop.study.measure import read_measures
from multihop.study.metrics import evaluate
from multihop.study.results import points, scenario_at
from multihop.study.select import select
from multihop.study.together import best, luckiest, ratio
from multihop.study.view import Lean

ROOT = Path(__file__).parents[1] / "studies" / "reproductions"

STUDY = """
[study]
name = "waits"
title = "Waits"
[[experiment]]
name = "waits"
techniques = ["stay-1", "stay-2", "grow-1", "grow-2", "idle-1", "idle-2"]
groups.stays = ["stay-1", "stay-2"]
groups.grows = ["grow-1", "grow-2"]
groups.idles = ["idle-1", "idle-2"]
runs = 6
sweep.hops = [2, 3]
scenario = "hops = $hops $words"
[experiment.beside.hops]
2.words = "two"
3.words = "three"
"""
GAIN = """
[[claim]]
id = "G"
tier = "must"
where = "Fig 1"
text = "What grows gains a tenth."
paper = 10
value = { metric = "goodput", of = "waits", flow = "all", technique = "grows", best = "technique", hops = 2 }
against = { technique = "stays" }
accept = { ratio = [1.05, 1.15] }
[claim.gain]
cause = { metric = "counter", counter = "missed", technique = "stay-1" }
acted = {}
placebo = { technique = "idles" }
"""


class Run:
    """A run of which only the goodput is known [Mbit/s], and that everything happened often."""

    def __init__(self, goodput: float, n: int = 100) -> None:
        self.data: dict[str, Any] = {
            "flows": [{"id": "1", "goodput_bps": goodput * 1e6}],
            "counters": {"missed": n},
            "techniques": [{"acted": n}],
        }
        self.scenario: dict[str, Any] = {}

    def series(self, name: str) -> pd.DataFrame:
        raise AssertionError(name)


def waits(more: str = "") -> Study:
    return load(STUDY + more, "waits.toml", lambda part: (_ for _ in ()).throw(AssertionError(part)))


def found(hops: int = 2, n: int = 100, **lines: Sequence[float]) -> Results:
    """Results with the goodputs of each technique."""
    cells = []
    for technique, values in lines.items():
        point = Point("waits", technique.replace("_", "-"), (("hops", hops),))
        cells.append(Cell(point, {}, [Run(value, n) for value in values]))
    return Results(cells)


def measured(results: Results, **table: Any) -> list[float]:
    """The sample of one measure."""
    raw = {"metric": "goodput", "of": "waits", "flow": "all", "hops": 2, **table}
    (measure,) = read_measures(raw, waits().experiments)
    return results.sample(measure)


# --- figures of several points ----------------------------------------------------------------------------------


def test_the_best_is_chosen_on_other_runs_than_it_is_measured_on() -> None:
    # the first is the better one on runs 1, 3 and 5, and much the worse one on the others
    assert best([[5, 1, 5, 2, 5, 3], [4, 9, 4, 9, 4, 9]])[1::2] == [1, 2, 3]
    assert all(math.isnan(x) for x in best([[5, 1, 5, 2], [4, 9, 4, 9]])[::2])
    assert best([[1.0, 2.0]]) == [1.0, 2.0], "nothing is chosen of one"
    assert luckiest([[5, 1], [4, 9]]) == [5, 9]


def test_the_largest_of_many_is_too_large_and_the_best_is_not() -> None:
    draws = np.random.default_rng(1)
    fair, lucky = [], []
    for _ in range(200):
        lines = draws.normal(1.0, 0.2, (14, 20)).tolist()
        fair.append(of_mean(best(lines)).value)
        lucky.append(of_mean(luckiest(lines)).value)
    assert np.mean(fair) == pytest.approx(1.0, abs=0.01)
    assert np.mean(lucky) > 1.3


def test_a_ratio_has_the_interval_of_a_ratio() -> None:
    draws = np.random.default_rng(2)
    a, b = draws.normal(3, 0.3, 40).tolist(), draws.normal(2, 0.2, 40).tolist()
    ours, fieller = of_mean(ratio(a, b)), of_ratio(a, b)
    assert ours.value == pytest.approx(fieller.value, rel=1e-3)
    assert (ours.low, ours.high) == pytest.approx((fieller.low, fieller.high), rel=1e-2)
    assert ratio([3.0], [2.0]) == [1.5]
    assert all(math.isnan(x) for x in ratio([1.0, 2.0], [0.0, 0.0]))
    held = ratio([1.0, math.nan, 3.0], [1.0, 5.0, 3.0])
    assert math.isnan(held[1])
    assert held[0] == pytest.approx(1)


def test_measures_put_points_together() -> None:
    results = found(stay_1=[1, 1, 1, 1], stay_2=[2, 2, 2, 2], grow_1=[3, 3, 3, 3], grow_2=[8, 1, 8, 1])
    assert measured(results, technique="grows", best="technique")[1::2] == [1, 1]
    assert measured(results, technique="grows", luckiest="technique") == [8, 3, 8, 3]
    assert measured(results, technique="grows", mean="technique") == [5.5, 2, 5.5, 2]
    assert measured(results, technique="grows", each="technique") == [3, 4.5]
    per = {"technique": "stays"}
    assert measured(results, technique="grows", each="technique", per=per) == [3, 2.25]
    assert measured(results, technique="grow-1", per={"technique": "stay-2"}) == pytest.approx([1.5] * 4)
    lucky = measured(results, technique="grows", luckiest="technique", per=per)
    assert of_mean(lucky).value == pytest.approx(5.5 / 2)


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({"technique": "grows", "best": "hop"}, "must name an axis of `waits`"),
        ({"technique": "grows", "best": "flow"}, "must name an axis of `waits`"),
        ({"technique": "grows", "best": "technique", "mean": "technique"}, "best and mean"),
        ({"technique": "grow"}, "is not run by `waits`"),
        ({"technique": "stay-1", "per": "stay-2"}, "a table is expected"),
        ({"technique": "stay-1", "per": {"technique": "grows"}}, "one figure is expected"),
    ],
)
def test_a_measure_that_means_nothing_says_why(table: Mapping[str, Any], message: str) -> None:
    with pytest.raises(Exception, match=re.escape(message)):
        measured(found(), **table)


# --- judging ----------------------------------------------------------------------------------------------------

FLAT = [1.0, 1.01, 0.99, 1.0, 1.01, 0.99]


def judged(times: float, idle: float = 1.0, n: int = 100) -> tuple[bool | None, str]:
    """The verdict on the gain if what grows has so much more than what stays, and idle techniques so much."""
    lines: dict[str, Any] = {
        f"{name}_{i}": [x * f for x in FLAT]
        for name, f in (("stay", 1), ("grow", times), ("idle", idle))
        for i in (1, 2)
    }
    # never the same figures twice, or the interval would have no width
    lines["grow_1"] = [x + 0.002 * i for i, x in enumerate(lines["grow_1"])]
    verdict = judge(waits(GAIN).claims[0], found(n=n, **lines))
    return verdict.holds, verdict.reason


def test_the_best_of_several_gains_if_placebos_do_not() -> None:
    assert judged(1.1)[0] is True
    holds, reason = judged(1.1, idle=1.1)
    assert (holds, "placebo in its place holds too" in reason) == (None, True)
    holds, reason = judged(1.1, n=1)
    assert (holds, "only 6 times" in reason) == (None, True)


def test_where_only_the_sign_holds_the_claim_does_not() -> None:
    holds, reason = judged(1.02)
    assert (holds, reason[:11]) == (False, "sign only: ")
    holds, reason = judged(0.9)
    assert (holds, reason[:14]) == (False, "should be a ra"), "the sign is wrong too"


def test_as_many_placebos_as_techniques_are_asked_for() -> None:
    with pytest.raises(StudyError, match="as many placebos"):
        waits(GAIN.replace('placebo = { technique = "idles" }', 'placebo = { technique = "idle-1" }'))


def test_one_check_may_be_enough() -> None:
    text = """
[[claim]]
id = "ONE"
tier = "must"
where = "Fig 1"
text = "Either."
paper = "either"
enough = "one"
[[claim.check]]
value = { metric = "goodput", of = "waits", flow = "all", technique = "stay-1", hops = 2 }
accept = { above = 5 }
[[claim.check]]
value = { metric = "goodput", of = "waits", flow = "all", technique = "stay-2", hops = 2 }
accept = { above = 1 }
"""
    claim = waits(text).claims[0]
    assert judge(claim, found(stay_1=[1, 2, 1], stay_2=[2, 2.1, 2])).holds is True
    assert judge(claim, found(stay_1=[1, 2, 1], stay_2=[0, 2, 1])).holds is None
    verdict = judge(claim, found(stay_1=[1, 2, 1], stay_2=[0, 0.1, 0]))
    assert verdict.holds is False
    assert len(verdict.findings) == 2
    assert (
        judge(waits(text.replace('enough = "one"', "")).claims[0], found(stay_1=[1, 2, 1], stay_2=[2, 2.1, 2])).holds
        is False
    )


def test_texts_stand_beside_the_values_of_an_axis() -> None:
    experiment = waits().experiments["waits"]
    assert [scenario_at(experiment, p).strip() for p in points(experiment)][::6] == ["hops = 2 two", "hops = 3 three"]
    for old, new, message in (
        ("3.words", "4.words", "`beside.hops.3` is missing"),
        ("3.words", "3.word", "not the same names"),
        ("beside.hops", "beside.hop", "no axis `hop`"),
    ):
        with pytest.raises(StudyError, match=re.escape(message)):
            load(STUDY.replace(old, new), "waits.toml", str)


def test_packets_are_counted_by_slots() -> None:
    run = Run(0.08)
    run.scenario = {
        "flows": [],
        "values": {"link.kind": {"value": "frn"}, "frn.slot": {"value": "10 ms"}, "tcp.segment": {"value": "1 kB"}},
    }
    assert evaluate("packets-per-slot", run, {"flow": "all"}) == pytest.approx(0.1)
    own = {**run.scenario["values"], "flow.0.tcp.segment": {"value": "500 B"}}
    run.scenario = {"flows": [{"id": run.data["flows"][0]["id"]}], "values": own}
    assert evaluate("packets-per-slot", run, {"flow": "all"}) == pytest.approx(0.2)
    run.scenario = {"values": {"tcp.segment": {"value": "1 kB"}}}
    with pytest.raises(LookupError, match="no slots"):
        evaluate("packets-per-slot", run, {"flow": "all"})


EFFECTS = """
[[figure]]
name = "all"
kind = "effects"
of = "waits"
title = "All against all"
metric = "goodput"
arguments = { flow = "all" }
series = [{ label = "gain", technique = "grows", hops = "all", per = { technique = "stay-1" } }]
paper = [{ series = "gain", x = 0, y = 1.5 }]
"""


def test_the_effects_of_factors_are_counted_and_drawn() -> None:
    study = waits(EFFECTS)
    cells = [
        cell
        for hops, times in ((2, 2.0), (3, 1.0))
        for cell in found(hops, stay_1=FLAT, grow_1=[times * x for x in FLAT], grow_2=[3 * x for x in FLAT])
    ]
    spec, results = study.figures[0], Results(cells)
    head, rows = effects.numbers(spec, study, results)
    assert head == ["median", "gain"]
    assert rows == [
        ["technique grow-1", "1.500, above 1: 1/2"],
        ["technique grow-2", "3.000, above 1: 2/2"],
        ["hops 2", "2.500, above 1: 2/2"],
        ["hops 3", "2.000, above 1: 1/2"],
    ]
    assert len(draw(spec, study, results).axes) == 1


@pytest.mark.parametrize("kind", ["bars", "lines"])
def test_a_level_is_drawn_across(kind: str) -> None:
    figure = EFFECTS.replace('"effects"', f'"{kind}"\nx = "hops"\nlevel = 0.75')
    figure = figure.replace('technique = "grows", hops = "all"', 'technique = "grow-1", hops = 2')
    study = waits(figure.replace("x = 0", "x = 2"))
    results = found(stay_1=FLAT, grow_1=[2 * x for x in FLAT])
    along = 0 if kind == "bars" else 1
    for drawn, there in ((study, True), (waits(figure.replace("x = 0", "x = 2").replace("level = 0.75", "")), False)):
        (axes,) = draw(drawn.figures[0], drawn, results).axes
        assert ([0.75, 0.75] in [np.asarray(line.get_data()[along]).tolist() for line in axes.lines]) is there


def test_lines_leave_room_where_numbers_of_the_paper_stand() -> None:
    text = EFFECTS.replace('"effects"', '"lines"\nx = "hops"')
    text = text.replace('technique = "grows"', 'technique = "grow-1"').replace("x = 0", "x = 2")
    results = Results([cell for hops in (2, 3) for cell in found(hops, stay_1=FLAT, grow_1=FLAT)])
    for drawn, right in ((waits(text), 4.4), (waits(text[: text.index("paper =")]), 3.4)):
        (axes,) = draw(drawn.figures[0], drawn, results).axes
        assert axes.get_xlim() == pytest.approx((1.6, right))


# --- the study --------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def yuki() -> Study:
    return find(str(ROOT / "yuki.toml"))


def test_it_has_every_figure_that_has_curves_and_every_table_of_results(yuki: Study) -> None:
    asked = {*(f"fig{n}" for n in (6, 7, 8, 9, 10, *range(14, 24))), "table5"}
    assert asked <= set(yuki.parts)
    assert len(select(yuki, "fig6").claims) >= 8
    assert {c.id for c in select(yuki, "table5").claims} > {f"FRN-T5-{n}-{w}" for n in (3, 6, 9) for w in ("on", "off")}


def test_both_readings_of_who_answers_later_are_drawn_in_chapter_3(yuki: Study) -> None:
    for name in ("fig6", "fig7", "fig8", "fig9", "fig10", "table5"):
        (figure,) = select(yuki, name).figures
        drawn = {series.of.removeprefix(figure.of) for series in figure.series}
        assert {"", "-data", "-calm", "-calm-data"} == {re.sub(r"^.*?(-calm)?(-data)?$", r"\1\2", of) for of in drawn}


def test_every_number_of_a_gain_has_cause_counter_and_placebo(yuki: Study) -> None:
    gains = [c for c in yuki.claims if re.fullmatch(r"FRN-(\d+.?-gain|T5-\d-o.*)", c.id)]
    assert len(gains) == 6 + 6 + 7
    assert all(claim.gain is not None for claim in gains)


def test_the_20_patterns_are_those_that_the_file_says(yuki: Study) -> None:
    drawn = random.Random(2004)  # noqa: S311
    for pattern in range(1, 21):
        pairs = [drawn.sample(range(19), 2) for _ in range(9)]
        for load_ in (3, 6, 9):
            text = yuki.experiments[f"random-{load_}"].beside["pattern"][str(pattern)]["flows"]
            flows = tomllib.loads(f"flow = [{text}]")["flow"]
            assert [[int(f["from"]), int(f["to"])] for f in flows] == pairs[:load_]


@pytest.mark.usefixtures("here")
def test_the_runs_of_a_study_are_read_again_and_not_kept() -> None:
    (records,) = execute([Task(Scenario("tiny", TINY, "tiny.toml"), runs=(1, 2))], lean=True)
    run = records[0]
    assert "data" not in vars(run)
    view = Lean(run, run.lean().scenario)
    assert evaluate("goodput", view, {"flow": "1"}) > 0
    assert not view.series("goodput").empty
    assert "data" not in vars(run)


def test_a_tiny_version_runs_and_is_drawn(cli: Cli, here: Path) -> None:
    small = here / "yuki"
    small.mkdir()
    for part in (ROOT / "yuki").glob("*.toml"):
        (small / part.name).write_text(part.read_text())
    text = (ROOT / "yuki.toml").read_text().replace('set = ["run.duration=220 s"]', 'set = ["run.duration=30 s"]')
    text = re.sub(r"quick = \{ runs = \d+", "quick = { runs = 2", text)
    (here / "yuki.toml").write_text(text)
    done = cli("reproduce", "yuki.toml/fig20", "--quick", "--json", "--out", "out")
    assert done.code == 0, done.err
    found = json.loads(done.out)
    assert found["quick"] is True
    assert {claim["id"] for claim in found["claims"]} == {"FRN-20-few", "FRN-20-many"}
    assert (here / "out" / "fig20.png").stat().st_size > 10_000


def test_the_readings_are_all_against_all() -> None:
    readings = find(str(ROOT / "frn-readings.toml"))
    measures = readings.claims[0].check[0].value
    assert len({tuple(m.where.items()) for m in measures}) == len(measures) == 192
    assert {f.kind for f in readings.figures} == {"effects"}
    assert [c.id for c in select(readings, "load").claims] == ["READING-load-chain", "READING-load-mesh"]
    assert all(claim.tier == "info" for claim in readings.claims), "none is chosen by its gain"
