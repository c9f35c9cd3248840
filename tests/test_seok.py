"""The reproduction of the flow-control paper, and figures that are made of two."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

from conftest import Cli
from multihop.plots.study import draw
from multihop.study import Cell, Point, Results, Study, StudyError, find, judge, load, names
from multihop.study.metrics import evaluate
from multihop.study.predicates import Rule, judge_ranks
from multihop.study.select import select

ROOT = Path(__file__).parents[1] / "studies" / "reproductions"
BOTH = "vertical-flow-control+horizontal-flow-control"

STUDY = """
[study]
name = "two"
title = "Two"
[[experiment]]
name = "star"
techniques = ["none", "drr", "placebo"]
runs = 4
sweep.kbps = [200, 600]
scenario = '''
[topology]
kind = "chain"
hops = 1
[[flow]]
from = "0"
to = "1"
start = "$kbps ms"
'''
[[claim]]
id = "SLOWER"
tier = "must"
where = "Fig 1"
text = "It falls more slowly."
paper = "more slowly"
value = { metric = "goodput", of = "star", flow = "1", technique = "drr", kbps = 200, minus = { kbps = 600 } }
against = { technique = "none" }
accept = { order = "less" }
[[claim]]
id = "MORE"
tier = "must"
where = "Fig 1"
text = "The gain is larger."
paper = "larger"
value = { metric = "goodput", of = "star", flow = "1", technique = "drr", kbps = 600, per = { technique = "none" } }
against = { kbps = 200 }
accept = { order = "greater" }
[claim.gain]
cause = { metric = "drops", cause = "queue-full", technique = "none" }
acted = {}
placebo = { technique = "placebo" }
"""


class Run:
    """A run of which little is known."""

    def __init__(self, mbps: float, joules: float | None = 100.0, lost: int = 30) -> None:
        flow = {"id": "1", "goodput_bps": mbps * 1e6}
        drops = [{"reason": "queue-full", "n": lost}]
        acted = [{"acted": 30}]
        self.data: dict[str, Any] = {"flows": [flow], "drops": drops, "techniques": acted, "energy_j": joules}
        self.scenario: dict[str, Any] = {"measure": {"from_s": 10.0, "to_s": 60.0}}

    def series(self, name: str) -> Any:
        raise AssertionError(name)


def small(text: str = STUDY) -> Study:
    return load(text, "two.toml", lambda part: (_ for _ in ()).throw(AssertionError(part)))


def results(goodputs: Mapping[tuple[str, int], float], lost: int = 30) -> Results:
    """Four runs a point, a little apart."""
    spread = (0.0, 0.01, -0.01, 0.005)
    return Results(
        [
            Cell(Point("star", technique, (("kbps", kbps),)), {}, [Run(mbps + s, lost=lost) for s in spread])
            for (technique, kbps), mbps in goodputs.items()
        ]
    )


POINTS = {("none", 200): 2.0, ("none", 600): 1.0, ("drr", 200): 2.1, ("drr", 600): 1.6, ("placebo", 200): 2.0}
POINTS[("placebo", 600)] = 1.0


def verdicts(goodputs: Mapping[tuple[str, int], float], lost: int = 30) -> list[bool | None]:
    found = results(goodputs, lost)
    return [judge(claim, found).holds for claim in small().claims]


def test_a_figure_may_be_a_fall_or_a_gain_over_another_run_by_run() -> None:
    [slower, more] = small().claims
    found = results(POINTS)
    assert found.sample(slower.check[0].value[0]) == pytest.approx([0.5] * 4)
    assert found.sample(slower.check[0].against[0]) == pytest.approx([1.0] * 4)
    assert found.sample(more.check[0].value[0])[0] == pytest.approx(1.6)
    assert found.sample(more.check[0].against[0])[0] == pytest.approx(1.05)
    assert "over that of" in more.check[0].value[0].label
    assert verdicts(POINTS) == [True, True]
    # as steep, and as large a gain
    assert verdicts({**POINTS, ("drr", 200): 2.6}) == [None, True]
    assert verdicts({**POINTS, ("drr", 200): 3.4}) == [False, False]


def test_a_placebo_takes_the_place_of_the_technique_alone() -> None:
    [_, more] = small().claims
    [check] = more.with_placebo()
    [measure] = check.value
    assert measure.per is not None
    assert (measure.where["technique"], measure.per.where["technique"]) == ("placebo", "none")
    # swapped, both change
    swapped = more.check[0].changed({"none": ("drr", ""), "drr": ("none", "")}).value[0]
    assert swapped.per is not None
    assert (swapped.where["technique"], swapped.per.where["technique"]) == ("none", "drr")
    # a placebo that gains as much, and a cause that was not there
    assert verdicts({**POINTS, ("placebo", 600): 1.6})[1] is None
    assert verdicts(POINTS, lost=0)[1] is None
    assert {part.where["technique"] for part in more.measures()} == {"none", "drr", "placebo"}


@pytest.mark.parametrize(
    ("values", "holds"),
    [
        ((9, 8, 7, 6, 5), True),
        ((9, 8, 7, 5, 6), True),  # -0.9
        ((9, 9, 9, 9, 9), False),
        ((5, 6, 7, 8, 9), False),
        ((9, 5, 6, 7, 8), False),
    ],
)
def test_a_fall_may_be_a_rank_correlation(values: tuple[float, ...], holds: bool) -> None:
    rule = msgspec.convert({"rank-below": -0.8}, Rule)
    samples = [[value, value + 0.1, value + 0.3] for value in values]
    assert judge_ranks(rule, samples).holds is holds


def test_ranks_that_differ_from_run_to_run_leave_it_open() -> None:
    rule = msgspec.convert({"rank-below": -0.8}, Rule)
    found = judge_ranks(rule, [[4, 4, 2], [3, 3, 3], [2, 2, 4], [1, 1, 1]])
    assert found.holds is None
    assert found.interval.value == pytest.approx((-1 - 1 - 0.2) / 3)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ("per = 3", "a table is expected, not 3"),
        ('per = { technique = "atcp" }', "is not run by `star`"),
        ('per = { technique = ["none", "drr"] }', "one figure is expected, not a list"),
        ("per = { hops = 3 }", "`hops` is neither an axis"),
    ],
)
def test_a_second_figure_that_is_none_is_refused(wrong: str, message: str) -> None:
    with pytest.raises(StudyError, match=message):
        small(STUDY.replace('per = { technique = "none" }', wrong))


def test_energy_for_each_megabit_of_a_flow() -> None:
    assert evaluate("energy-per-megabit", Run(2.0), {"flow": "1"}) == pytest.approx(1.0)
    assert math.isnan(evaluate("energy-per-megabit", Run(0.0), {"flow": "1"}))
    assert math.isnan(evaluate("energy-per-megabit", Run(2.0, None), {"flow": "1"}))


def test_drops_of_a_flow_at_a_node() -> None:
    run = Run(2.0)
    run.data |= {"flows": [{"id": "transfer"}, {"id": "other"}], "nodes": [{"name": "C"}, {"name": "D"}]}
    of = [
        ("transfer", "C", "queue-full", 3),
        ("transfer", "D", "queue-full", 5),
        ("other", "C", "queue-full-forced", 7),
    ]
    run.data["drops"] = [{"flow": f, "node": v, "reason": r, "n": n} for f, v, r, n in of]
    full = {"cause": "queue-full", "node": "C"}
    assert evaluate("drops", run, {**full, "flow": "transfer"}) == 3
    assert evaluate("drops", run, full) == 10
    assert evaluate("drops", run, {**full, "cause": "retry-limit"}) == 0


def test_lines_may_be_of_another_experiment() -> None:
    more = """
[[experiment]]
name = "beside"
like = "star"
[[figure]]
name = "fig1"
kind = "lines"
of = "star"
title = "Goodput"
metric = "goodput"
arguments = { flow = "1" }
x = "kbps"
xlabel = "rate"
ylabel = "goodput"
series = [{ label = "here", technique = "none" }, { label = "there", of = "beside", technique = "none" }]
"""
    study = small(STUDY.replace("[[claim]]", more + "[[claim]]", 1))
    cells = [
        Cell(Point(name, "none", (("kbps", kbps),)), {}, [Run(mbps)])
        for name, mbps in (("star", 2.0), ("beside", 1.0))
        for kbps in (200, 600)
    ]
    [axes] = draw(study.figures[0], study, Results(cells)).axes
    heights = {float(y) for line in axes.get_lines() for y in np.asarray(line.get_ydata())}
    assert sorted(heights) == [1.0, 2.0]


# --- the shipped study ------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def seok() -> Study:
    return load((ROOT / "seok.toml").read_text(), "seok.toml", lambda part: (ROOT / part).read_text())


def test_all_13_claims_are_there_and_three_more(seok: Study) -> None:
    more = {"SEOK-F5-all", "SEOK-F6-run", "SEOK-F6-all"}
    claims = [claim for claim in seok.claims if claim.id not in more]
    assert len({claim.id for claim in claims}) == len(claims) == 13
    assert {tier: sum(c.tier == tier for c in claims) for tier in ("must", "should")} == {"must": 7, "should": 6}
    assert all(claim.tier == "info" for claim in seok.claims if claim.id in more)
    assert "seok" in names()
    assert len(find("seok").claims) == 16


def test_every_gain_has_its_cause_its_counter_and_a_placebo(seok: Study) -> None:
    gains = {claim.id for claim in seok.claims if claim.gain is not None}
    assert gains == {"SEOK-F5-slower", "SEOK-F5-gain", "SEOK-F5-better", "SEOK-F6"}
    for claim in seok.claims:
        if claim.gain is not None:
            assert {measure.arguments["flow"] for measure in claim.gain.cause} == {"transfer"}
            assert claim.gain.acted[0].where["technique"] == BOTH
            assert claim.gain.placebo.technique == ("placebo",)


def test_figures_and_readings_have_what_they_need(seok: Study) -> None:
    for part in seok.parts:
        assert select(seok, part).points(), part
    whole = select(seok, "")
    assert {reading.name for reading in seok.readings if not whole.points_of(reading)} == {"swapped", "placebo"}


def test_a_tiny_version_of_a_figure_runs(cli: Cli, here: Path) -> None:
    text = (ROOT / "seok.toml").read_text()
    tiny = text.replace('runs = 3, set = ["run.duration=80 s"]', 'runs = 2, set = ["run.duration=40 s"]')
    assert tiny != text
    (here / "seok").mkdir()
    for part in (ROOT / "seok").glob("*.toml"):
        (here / "seok" / part.name).write_text(part.read_text())
    (here / "seok.toml").write_text(tiny)
    done = cli("reproduce", "seok.toml/energy", "--quick", "--json", "--out", "made")
    assert done.code == 0, done.err
    document = json.loads(done.out)
    assert document["runs"] == 2 * 9 * 5
    assert (here / "made" / "energy.svg").is_file()
