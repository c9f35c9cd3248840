"""The reproduction of ATCP and its modification, and what studies of transfers need."""

from __future__ import annotations

import itertools
import json
import math
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from conftest import Cli
from multihop.plots.study import draw
from multihop.study import Cell, Claim, Point, Results, Study, StudyError, find, judge, load, names
from multihop.study.judge import parameters
from multihop.study.metrics import evaluate
from multihop.study.select import select

ROOT = Path(__file__).parents[1] / "studies" / "reproductions"

STUDY = """
[study]
name = "times"
title = "Times"
[[experiment]]
name = "move"
techniques = ["none", "modified-atcp", "placebo"]
runs = 4
set = ["tcp.max-window=3"]
scenario = '''
[run]
duration = "3 s"
[measure]
sample = "10 ms"
[topology]
kind = "chain"
hops = 1
[routing]
kind = "static"
[[flow]]
kind = "file"
size = "50 kB"
from = "0"
to = "1"
'''
[[figure]]
name = "took"
kind = "bars"
of = "move"
title = "Times"
metric = "completion"
arguments = { flow = "1" }
series = [{ label = "base", technique = "none" }, { label = "other", of = "move", technique = "placebo" }]
paper = [{ series = "base", x = 0, y = 0.5 }]
[[figure]]
name = "window"
kind = "cwnd"
of = "move"
title = "Window"
arguments = { flow = "1" }
series = [{ label = "base", technique = "none" }, { label = "modified", technique = "modified-atcp" }]
[[figure]]
name = "numbers"
kind = "sequence"
of = "move"
title = "Sequence numbers"
arguments = { flow = "1" }
series = [{ label = "base", technique = "none" }]
[[claim]]
id = "SOONER"
tier = "must"
where = "Table 1"
text = "It is sooner."
paper = "sooner"
value = { metric = "completion", of = "move", flow = "1", technique = "modified-atcp" }
against = { technique = "none" }
accept = { ratio-below = 0.9 }
[claim.gain]
cause = { metric = "timeouts", flow = "1", technique = "none" }
acted = {}
placebo = { technique = "placebo" }
"""


class Run:
    """A run of which little is known."""

    def __init__(self, completion: float | None, windows: Sequence[tuple[float, float, int]] = (), n: int = 30) -> None:
        self.data: dict[str, Any] = {
            "flows": [{"id": "1", "completion_s": completion, "timeouts": n}],
            "techniques": [{"acted": n}],
        }
        self.scenario: dict[str, Any] = {
            "flows": [{"id": "1", "start_s": 1.0}],
            "values": {"tcp.max-window": {"value": 10}},
        }
        self.routes: list[tuple[str, float, str]] = []
        self.events: list[tuple[str, float, str, float]] = []
        rows = [{"flow": "1", "time_s": t, "snd_cwnd": w, "una": una} for t, w, una in windows]
        self._tcp = pd.DataFrame(rows, columns=["flow", "time_s", "snd_cwnd", "una"])

    def series(self, name: str) -> pd.DataFrame:
        if name == "routes":
            return pd.DataFrame(self.routes, columns=["flow", "time_s", "found"])
        if name == "events":
            return pd.DataFrame(self.events, columns=["flow", "time_s", "kind", "snd_cwnd"])
        assert name == "tcp"
        return self._tcp.assign(nxt=self._tcp["una"] + 10)


def small(text: str = STUDY) -> Study:
    return load(text, "times.toml", lambda part: (_ for _ in ()).throw(AssertionError(part)))


def found(claim: Claim, **times: Sequence[float]) -> bool | None:
    """The verdict if the transfers of each technique take so long."""
    cells = []
    for technique, values in times.items():
        point = Point("move", technique.replace("_", "-"), ())
        cells.append(Cell(point, {}, [Run(value) for value in values]))
    return judge(claim, Results(cells)).holds


# --- windows over time ------------------------------------------------------------------------------------------

#: a flow that starts at 1 s, reaches the receiver's 10 segments, hears nothing from 3 s on, goes on with one at 6 s
#: and ends at 8 s
WINDOWS = [(1.0, 2.0, 0), (2.0, 10.0, 100), (3.0, 10.0, 200), (5.0, 9.0, 200), (5.9, 1.0, 200), (6.0, 2.0, 300),
           (7.0, 40.0, 400), (8.0, 10.0, 500), (9.0, 99.0, 500)]  # fmt: skip


@pytest.mark.parametrize(
    ("metric", "arguments", "value"),
    [
        ("cwnd-share", {"level": "10"}, 4 / 8),
        ("cwnd-share", {"level": "10", "from": "1"}, 4 / 7),
        ("cwnd-return", {"after": "4"}, 1.0),
        ("cwnd-recovery", {"after": "4", "level": "10"}, 3.0),
        ("cwnd-kept", {"before": "4", "after": "4"}, 0.1),
    ],
)
def test_windows_are_read_while_the_transfer_lasts(metric: str, arguments: dict[str, str], value: float) -> None:
    assert evaluate(metric, Run(7.0, WINDOWS), {"flow": "1", **arguments}) == pytest.approx(value)


def test_a_window_that_does_not_move_does_not_vary() -> None:
    flat = [(float(t), 5.0, t) for t in range(1, 9)]
    assert evaluate("cwnd-variation", Run(7.0, flat), {"flow": "1"}) == 0
    assert evaluate("cwnd-variation", Run(7.0, WINDOWS), {"flow": "1"}) > 0.5


def test_a_window_is_kept_from_the_last_event_before_to_the_first_segment_after() -> None:
    run, arguments = Run(7.0), {"flow": "1", "before": "3", "after": "5"}
    run.events = [("1", 1.0, "sent", 8.0), ("2", 2.9, "sent", 99.0), ("1", 2.0, "ack", 10.0), ("1", 5.5, "ack", 2.0),
                  ("2", 5.6, "sent", 99.0), ("1", 6.0, "retransmitted", 5.0), ("1", 7.0, "sent", 1.0)]  # fmt: skip
    assert evaluate("cwnd-resumed", run, arguments) == pytest.approx(0.5)
    assert math.isnan(evaluate("cwnd-resumed", run, {**arguments, "after": "8"}))


def test_a_route_is_lost_after_a_time() -> None:
    run = Run(7.0)
    run.routes = [("1", 1.0, "lost"), ("2", 5.1, "lost"), ("1", 5.2, "found"), ("1", 7.5, "lost"), ("1", 9.0, "lost")]
    assert evaluate("route-lost", run, {"flow": "1", "after": "5"}) == pytest.approx(2.5)
    assert math.isnan(evaluate("route-lost", run, {"flow": "1", "after": "9.5"}))


def test_what_never_goes_on_has_no_figure() -> None:
    assert math.isnan(evaluate("cwnd-return", Run(None, WINDOWS), {"flow": "1", "after": "8.5"}))
    assert math.isnan(evaluate("cwnd-recovery", Run(None, WINDOWS), {"flow": "1", "after": "4", "level": "11"}))


# --- judging times ----------------------------------------------------------------------------------------------


def test_a_gain_in_time_needs_a_placebo_that_is_not_sooner() -> None:
    [claim] = small().claims
    base, sooner = [10.0, 10.2, 9.9, 10.1], [8.0, 8.1, 8.2, 7.9]
    assert found(claim, none=base, modified_atcp=sooner, placebo=[10.1, 10.0, 10.1, 10.0]) is True
    # as much sooner: it holds too; a little: it gains; later is no gain
    assert found(claim, none=base, modified_atcp=sooner, placebo=sooner) is None
    assert found(claim, none=base, modified_atcp=sooner, placebo=[9.7, 9.9, 9.6, 9.8]) is None
    assert found(claim, none=base, modified_atcp=sooner, placebo=[10.4, 10.6, 10.3, 10.5]) is True


def test_a_parameter_may_be_every_value_of_a_list() -> None:
    values = {f"event.{n}.rate": {"value": v} for n, v in enumerate(["11 Mbps", "2 Mbps", "11 Mbps"])}
    assert parameters({"values": values}, "event.*.rate") == ["11 Mbps", "2 Mbps"]
    assert parameters({"values": values}, "event.*.at") == [None]
    assert parameters({"values": values}, "event.1.rate") == ["2 Mbps"]


def test_a_series_names_an_experiment_that_there_is() -> None:
    with pytest.raises(StudyError, match="no experiment `mov`: did you mean `move`"):
        small(STUDY.replace('of = "move", technique = "placebo"', 'of = "mov", technique = "placebo"'))


@pytest.mark.parametrize(("name", "highest"), [("window", 10), ("numbers", 510 / 1e6)])
def test_what_is_drawn_can_be_seen(name: str, highest: float) -> None:
    study = small()
    [spec] = [figure for figure in study.figures if figure.name == name]
    cells = [Cell(Point("move", technique, ()), {}, [Run(7.0, WINDOWS)]) for technique in ("none", "modified-atcp")]
    for axes in draw(spec, study, Results(cells)).axes:
        assert list(axes.get_xlim()) == pytest.approx([0, 7.0], rel=0.1)
        assert list(axes.get_ylim()) == pytest.approx([0, highest], rel=0.1)


def test_outages_and_routes_are_marked_under_windows_and_sequence_numbers() -> None:
    study = small()
    run = Run(7.0, WINDOWS)
    run.routes = [("1", 4.0, "lost"), ("2", 4.5, "lost"), ("1", 6.0, "found"), ("1", 60.0, "lost")]
    run.scenario["events"] = [{"at_s": 3.0, "what": "link 0-1 down"}, {"at_s": 3.0, "what": "link 1-0 down"},
                              {"at_s": 4.0, "what": "link 0-1 at 2 Mbps"}, {"at_s": 5.0, "what": "link 0-1 up"},
                              {"at_s": 5.0, "what": "link 1-0 up"}, {"at_s": 50.0, "what": "link 0-1 at 1 Mbps"},
                              ]  # fmt: skip
    cells = [Cell(Point("move", technique, ()), {}, [run]) for technique in ("none", "modified-atcp")]
    wanted = {"link 0-1 down", "the link's rate changes", "route lost", "route found"}
    for spec in study.figures[1:]:
        figure = draw(spec, study, Results(cells))
        [legend] = figure.legends
        words = {text.get_text() for text in legend.get_texts()}
        assert wanted == words - {"acknowledged", "next to send"}
        marks = {line.get_label(): line for line in figure.axes[0].get_lines()}
        assert np.asarray(marks["route lost"].get_xdata()).tolist() == [3.0], "of this flow, in this transfer"


def test_transfers_are_drawn_and_settings_of_an_experiment_win(cli: Cli, here: Path) -> None:
    (here / "times.toml").write_text(STUDY, encoding="utf-8")
    done = cli("reproduce", "times.toml", "--json", "--out", "made")
    assert done.code == 0, done.err
    document = json.loads(done.out)
    assert document["runs"] == 12
    assert sorted(path.stem for path in (here / "made").glob("*.svg")) == ["numbers", "took", "window"]
    page = (here / "made" / "report.html").read_text(encoding="utf-8")
    assert "modified" in page
    # nothing is lost on this link: no gain without a cause
    [claim] = document["claims"]
    assert claim["holds"] is not True


# --- the shipped study ------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def sridhara() -> Study:
    return load((ROOT / "sridhara.toml").read_text(), "sridhara.toml", lambda part: (ROOT / part).read_text())


def test_all_53_claims_are_there_and_two_more(sridhara: Study) -> None:
    more = {"ATCP-S6", "ATCP-LOSTONLY-burst"}
    claims = [claim for claim in sridhara.claims if claim.id not in more]
    assert len({claim.id for claim in claims}) == len(claims) == 53
    assert {claim.tier: sum(c.tier == claim.tier for c in claims) for claim in claims} == {
        "must": 17,
        "should": 35,
        "info": 1,
    }
    assert all(claim.tier == "info" for claim in sridhara.claims if claim.id in more)
    assert "sridhara" in names()
    assert len(find("sridhara").claims) == 55


def test_calibrated_times_do_not_count_and_modified_ones_do(sridhara: Study) -> None:
    times = [claim for claim in sridhara.claims if claim.id.startswith("ATCP-T2-")]
    assert len(times) == 18
    for claim in times:
        assert claim.counted is not claim.id.endswith("-base"), claim.id
        assert (claim.gain is not None) is claim.id.endswith("-faster"), claim.id


def test_the_first_two_duplicates_are_asked_for_where_they_show(sridhara: Study) -> None:
    [claim] = [claim for claim in sridhara.claims if claim.id == "ATCP-FSM1"]
    assert claim.tests, "a time line holds the rule; runs show it only below the largest window"
    assert claim.cause is not None
    assert {measure.arguments["counter"] for measure in claim.cause} == {"tcp.limited-transmits"}


def test_there_are_22_plots_and_what_they_need_is_run(sridhara: Study) -> None:
    plots = [figure for figure in sridhara.figures if figure.kind in ("cwnd", "sequence")]
    of_the_paper = [series for figure in plots for series in figure.series if series.of != "static-drops"]
    assert len(of_the_paper) == 22
    for part in sridhara.parts:
        assert select(sridhara, part).points(), part


#: Range [m] between partitions by the card's data sheet, at each rate.
RANGES = {"11 Mbps": 50.0, "2 Mbps": 90.0}


def number(text: str) -> float:
    """`65 s`, `115 m`."""
    return float(text.split(maxsplit=1)[0])


@pytest.mark.parametrize("name", ["mobile", "away", "two-hop"])
def test_a_walk_is_where_the_link_works_unless_it_is_cut(sridhara: Study, name: str) -> None:
    scenario = tomllib.loads(sridhara.experiments[name].scenario)
    walker = scenario["topology"]["node"][-1]
    path = [(0.0, number(walker["x"])), *((number(w["at"]), number(w["x"])) for w in walker["waypoint"])]
    assert path[-1][0] >= number(scenario["run"]["duration"])
    for (t0, x0), (t1, x1) in itertools.pairwise(path):
        assert abs(x1 - x0) == t1 - t0, "it walks at 1 m/s"
    events = scenario.get("event", [])
    [rate] = {event["rate"] for event in events if event["kind"] == "rate"} or {"11 Mbps"}
    beyond = [(t, x) for t, x in path if x > RANGES[rate]]
    cut = {event["kind"]: number(event["at"]) for event in events if event["kind"].startswith("link")}
    assert bool(beyond) is bool(cut) is (name == "away")
    if cut:
        assert cut["link-up"] - cut["link-down"] == 60
        assert all(cut["link-down"] < t < cut["link-up"] for t, _ in beyond)
        assert (cut["link-down"], 50.0) in path
        assert (cut["link-up"], 50.0) in path


def test_losses_are_shadows_that_outlast_the_mac_and_only_their_distance_is_calibrated(sridhara: Study) -> None:
    for name in ("static", "mobile", "away", "two-hop"):
        air = tomllib.loads(sridhara.experiments[name].scenario)["air"]
        assert air.keys() == {"path-loss-exponent", "burst"}
        assert air["burst"]["bad"] == "0.5 s"
    beside = {reading.name: reading for reading in sridhara.readings if any("burst" in one for one in reading.set)}
    bad = {name: tomllib.loads(reading.set[0].removeprefix("air."))["burst"]["bad"] for name, reading in beside.items()}
    assert bad == {"fades": "50 ms", "short-shadows": "0.2 s", "long-shadows": "1 s"}


@pytest.mark.parametrize("margin_db", [0, 6])
def test_fades_of_a_walker_last_as_clarke_s_model_has_them(sridhara: Study, margin_db: int) -> None:
    """W. C. Jakes, Microwave Mobile Communications (1974), section 1.3: the mean of a fade below a share of the rms."""
    doppler = 1.0 * 2.437e9 / 299_792_458  # Hz, at 1 m/s
    rho = 10 ** (-margin_db / 20)
    fade = (math.exp(rho**2) - 1) / (rho * doppler * math.sqrt(2 * math.pi))
    assert fade == pytest.approx({0: 0.084, 6: 0.028}[margin_db], abs=0.001)
    assert any("28 ms" in note and "84 ms" in note for note in sridhara.notes)


def test_red_does_not_mark_a_window_of_45(sridhara: Study) -> None:
    for name in ("static", "mobile", "away", "two-hop", "fig4", "marked"):
        queue = tomllib.loads(sridhara.experiments[name].scenario.replace("$echo", "true"))["queue"]
        assert (queue["red"]["min-threshold"], queue["red"]["max-threshold"], queue["limit"]) == (45, 50, 100)


def test_a_quick_part_runs_and_is_taken_up_again(cli: Cli, here: Path) -> None:
    taken = []
    for _ in range(2):
        done = cli("reproduce", "sridhara/cwnd-1mb", "--quick", "--json", "--out", "made")
        assert done.code == 0, done.err
        document = json.loads(done.out)
        taken.append((document["from_store"], document["runs"]))
    assert taken == [(0, 12), (12, 12)]
    assert (here / "made" / "cwnd-1mb.svg").is_file()
