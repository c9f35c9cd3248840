"""Studies: the study file, judging, other readings, and the command."""

from __future__ import annotations

import contextlib
import json
import re
import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conftest import Cli
from multihop.study import Cell, Point, Results, StudyError, judge
from multihop.study.interval import surely_greater
from multihop.study.judge import figures_hold
from multihop.study.metrics import evaluate
from multihop.study.outcome import count_by_tier
from multihop.study.results import points, scenario_at
from multihop.study.select import parts_of, split
from small_study import CLAIM, READINGS, SMALL, TABLE, study

# --- the study file ---------------------------------------------------------------------------------------------


def test_every_point_has_its_scenario() -> None:
    experiment = study(SMALL).experiments["paths"]
    every = points(experiment)
    assert len(every) == 12
    assert every[-1].label == "hops 3, ber 5e-5, drr+placebo"
    text = scenario_at(experiment, every[-1])
    assert "hops = 3\n" in text
    assert 'to = "3"' in text
    assert "bit-error-rate = 5e-5" in text
    # a line of the scenario stands where it stands in the study
    assert text.splitlines()[SMALL.splitlines().index("hops = $hops")] == "hops = 3"


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('metric = "goodput"', 'metric = "godput"', "did you mean `goodput`"),
        ('of = "paths"', 'of = "path"', "did you mean `paths`"),
        ("hops = 3 }", "hop = 3 }", "did you mean `hops`"),
        ("hops = 3 }", "hops = 9 }", "is not run by"),
        (", hops = 3 }", " }", "`hops` is missing"),
        ('technique = "drr" }\naccept', "technique = { name = 'drr' } }\naccept", "is not run by"),
        ('flow = "1", ', "", "`flow` is missing"),
        ('technique = "drr" }\naccept', 'technique = "dr" }\naccept', "is not run by"),
        ("ratio-above = 2", "ratio = [0.9, 2]", "must not contain a ratio of 1"),
        (
            'tier = "must"',
            'tier = "maybe"',
            ":33: claim A: `tier` must be 'info', 'must' or 'should', not 'maybe'",
        ),
        ('text = "The', 'txt = "The', "small.toml:35: claim A: unknown key `txt`: did you mean `text`?"),
        ('text = "The queue gains."\n', "", "small.toml:31: claim A: `text` is missing"),
        ("accept = {", "acept = {", "`accept` is missing: how is this claim judged? (not `acept`)"),
        ("ratio-above = 2", "ratio-abov = 2", "did you mean `ratio-above`"),
        ("sweep.ber = [1e-6, 5e-5]", "sweep.bar = [1e-6, 5e-5]", "no place for the axis `bar`"),
        ("runs = 4", "runs = 0", "small.toml:8: experiment paths: `runs` must be an integer of at least 1, not 0"),
        ("hops = [2, 3]", "hops = 2", "experiment paths: `hops` must be a list, not 2"),
        ('paper = "gain"', "paper = []", "claim A: `paper` must be an integer, a number or a text, not []"),
        ("runs = 4", "runs = true", "`runs` must be an integer, not True"),
        ('placebo = { technique = "drr+placebo" }\n', "", "`placebo` is missing"),
        (
            'placebo = { technique = "drr+placebo" }',
            'placebo = { technique = "drr+palcebo" }',
            "the placebo is not run at",
        ),
        ("[[claim]]", '[[experiment]]\nname = "x"\nlike = "pahts"\n[[claim]]', "must name an earlier experiment"),
        ("[study]", "[study", "small.toml"),
    ],
)
def test_a_study_that_cannot_be_used_says_why(old: str, new: str, message: str) -> None:
    text = SMALL + CLAIM
    assert old in text
    with pytest.raises(StudyError, match=r"small\.toml") as caught:
        study(text.replace(old, new, 1))
    assert message in str(caught.value)


@given(st.data())
@settings(max_examples=100, deadline=None)
def test_any_file_is_read_or_refused(data: st.DataObject) -> None:
    """One value of a study that works is replaced or taken away: what comes is a study or a `StudyError`."""
    raw = tomllib.loads(SMALL + READINGS + CLAIM + TABLE)
    here: Any = raw
    while True:
        keys = list(here) if isinstance(here, dict) else list(range(len(here)))
        key = data.draw(st.sampled_from(keys))
        if not isinstance(here[key], dict | list) or not here[key] or data.draw(st.booleans()):
            break
        here = here[key]
    junk: list[Any] = [3, -1, 0.5, "x", "{}", "{row}", "", True, [], [1], ["drr"], {}, {"a": 1}, [{}], [[]]]
    here[key] = data.draw(st.sampled_from(junk))
    if data.draw(st.booleans()) and isinstance(here, dict):
        del here[key]
    text = "\n".join(f"{k} = {_toml(v)}" for k, v in raw.items())
    with contextlib.suppress(StudyError):
        study(text)


def _toml(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(k)} = {_toml(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_toml, value)) + "]"
    return json.dumps(value)


def test_parts_of_a_study() -> None:
    assert parts_of("Fig 10 / Table 1") == ["fig10", "table1"]
    assert parts_of("Tables 3-4") == ["table3", "table4"]
    assert parts_of("Section 3.1") == []
    assert split("ohzahata/fig3") == ("ohzahata", "fig3")
    assert split("dir/mine.toml") == ("dir/mine.toml", "")
    assert split("dir/mine.toml/fig3") == ("dir/mine.toml", "fig3")


# --- judging ----------------------------------------------------------------------------------------------------


@dataclass
class FakeRun:
    data: dict[str, Any]
    scenario: dict[str, Any] = field(default_factory=lambda: {"measure": {"from_s": 0, "to_s": 10}, "values": {}})

    def series(self, name: str) -> pd.DataFrame:
        assert name == "goodput"
        return pd.DataFrame({"time_s": [1.0, 2.0], "flow": ["1", "1"], "bps": [0.0, 5.0]})


def cells(drr: float, persistent: float, placebo: float, *, drops: int = 50, kept: int = 50) -> Results:
    found = []
    for technique, mean in (("drr", drr), ("persistent-queue", persistent), ("drr+placebo", placebo)):
        runs = []
        for index in range(4):
            flow = {"id": "1", "goodput_bps": (mean + 0.01 * (index - 1.5)) * 1e6, "windows": [], "losses": []}
            dropped = {"reason": "retry-limit-rts", "n": drops if technique == "drr" else 0}
            acted = kept if technique == "persistent-queue" else None
            runs.append(
                FakeRun(
                    {
                        "flows": [flow],
                        "drops": [dropped],
                        "techniques": [{"name": technique, "acted": acted}],
                    }
                )
            )
        point = Point("paths", technique, (("hops", 3), ("ber", 5e-5)))
        found.append(Cell(point, runs[0].scenario, runs))
    return Results(found)


@pytest.mark.parametrize(
    ("results", "holds", "said"),
    [
        (cells(0.1, 0.5, 0.1), True, "cause counted 200 times; technique used 200 times; placebo shows none"),
        (cells(0.1, 0.15, 0.1), False, "should be a ratio above 2"),
        (cells(0.1, 0.21, 0.1), None, "more runs"),
        (cells(0.1, 0.5, 0.1, drops=3), None, "null: cause absent, cause counted only 12 times"),
        (cells(0.1, 0.15, 0.1, drops=3), None, "null: cause absent (12 times)"),
        (cells(0.1, 0.5, 0.1, kept=0), None, "technique used only 0 times"),
        (cells(0.1, 0.5, 0.15), None, "gains too, at 1 of 1 figure, as +0.05 Mbit/s at flow 1, drr+placebo"),
        (cells(0.1, 0.5, 0.4), None, "a placebo in its place holds too"),
    ],
)
def test_a_gain_must_be_explained(results: Results, holds: bool | None, said: str) -> None:
    verdict = judge(study(SMALL + CLAIM).claims[0], results)
    assert verdict.holds is holds
    assert said in verdict.reason


def test_the_deciding_point_is_the_one_that_fails() -> None:
    text = CLAIM[: CLAIM.index("[claim.gain]")].replace('"persistent-queue"', '["persistent-queue", "drr"]')
    text = text.replace('against = { technique = "drr" }\n', "").replace("ratio-above = 2", "above = 0.3")
    verdict = judge(study(SMALL + text).claims[0], cells(0.1, 0.5, 0.1))
    assert verdict.holds is False
    assert verdict.ours == pytest.approx(0.1)
    assert "at 1 of 2 points" in verdict.reason


def test_a_cause_of_its_own_must_be_there_at_every_point() -> None:
    text = (
        CLAIM[: CLAIM.index("[claim.gain]")]
        + 'cause = { metric = "drops", cause = "retry-limit", technique = "drr" }\n'
    )
    verdict = judge(study(SMALL + text).claims[0], cells(0.1, 0.5, 0.1, drops=5))
    assert verdict.holds
    assert "cause (drops) at least 20 times" in verdict.reason
    verdict = judge(study(SMALL + text).claims[0], cells(0.1, 0.5, 0.1, drops=4))
    assert verdict.holds is None
    assert "null: cause absent: cause (drops) fewer than 20 times at 1 of 1 points" in verdict.reason
    # what fails without its cause says as little
    assert judge(study(SMALL + text).claims[0], cells(0.1, 0.1, 0.1, drops=4)).holds is None
    assert judge(study(SMALL + text).claims[0], cells(0.1, 0.1, 0.1, drops=5)).holds is False


def test_the_band_of_the_list_is_judged_beside_a_stricter_one() -> None:
    text = CLAIM.replace("accept = {", "changed = 'twice'\nlisted = { accept = { ratio-above = 1 } }\naccept = {")
    [claim] = study(SMALL + text).claims
    verdict = judge(claim, cells(0.1, 0.15, 0.1))
    assert verdict.listed is not None
    assert (verdict.holds, verdict.listed.holds, verdict.listed.rule) == (False, True, "ratio above 1")
    # the list asks for no placebo; without the cause it is as open as the other
    placebo = judge(claim, cells(0.1, 0.5, 0.4)).listed
    absent = judge(claim, cells(0.1, 0.5, 0.1, drops=3)).listed
    assert placebo is not None
    assert placebo.holds is True
    assert absent is not None
    assert absent.holds is None
    # a check of its own
    own = "listed = { value = { metric = 'rtt', of = 'paths', flow = '1', technique = 'drr', hops = 2, ber = 5e-5 }, "
    [claim] = study(SMALL + text.replace("listed = { ", own).replace("ratio-above = 1 }", "below = 9 }")).claims
    assert [check.value[0].metric for check in claim.listed] == ["rtt"]
    assert "rtt" in {measure.metric for measure in claim.measures()}


def test_a_check_may_miss_at_some_of_its_points() -> None:
    text = CLAIM[: CLAIM.index("[claim.gain]")].replace('"persistent-queue"', '["persistent-queue", "drr"]')
    text = text.replace('against = { technique = "drr" }\n', "").replace("ratio-above = 2", "above = 0.3")
    verdict = judge(study(SMALL + text + "misses = 1\n").claims[0], cells(0.1, 0.5, 0.1))
    assert verdict.holds is True
    assert verdict.ours == pytest.approx(0.5)
    assert "above 0.3 at 1 of 2 points" in verdict.reason
    assert judge(study(SMALL + text + "misses = 1\n").claims[0], cells(0.1, 0.2, 0.1)).holds is False


def test_a_rule_that_tests_hold_says_so() -> None:
    head = CLAIM[: CLAIM.index("value =")]
    [claim] = study(SMALL + head + 'tests = ["tests/test_study.py::test_parts_of_a_study"]\n').claims
    verdict = judge(claim, Results([]))
    assert (verdict.word, verdict.holds) == ("held by a test", None)
    assert verdict.reason == "held by a test, tests/test_study.py::test_parts_of_a_study"
    assert count_by_tier([verdict])["must"] == {"holds": 0, "fails": 0, "open": 0, "tested": 1}
    # beside runs they decide nothing
    text = CLAIM.replace("accept =", 'tests = ["a.rs::b"]\naccept =')
    verdict = judge(study(SMALL + text).claims[0], cells(0.1, 0.15, 0.1))
    assert (verdict.word, "; held by a test, a.rs::b too" in verdict.reason) == ("does not hold", True)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('tests = ["contention"]\n', "`tests` must be a list of `FILE::NAME`"),
        ('tests = ["a.rs::b"]\nlisted = { accept = { below = 1 } }\n', "`value` is missing: what is judged?"),
    ],
)
def test_tests_are_named_by_file_and_name(line: str, message: str) -> None:
    with pytest.raises(StudyError, match=r"small\.toml") as caught:
        study(SMALL + CLAIM[: CLAIM.index("value =")] + line)
    assert message in str(caught.value)


def test_a_claim_about_one_technique_alone_has_a_placebo_too() -> None:
    text = CLAIM.replace('against = { technique = "drr" }\n', "").replace("ratio-above = 2", "above = 0.05")
    verdict = judge(study(SMALL + text).claims[0], cells(0.1, 0.5, 0.1))
    assert verdict.holds is None
    assert "a placebo in its place holds too" in verdict.reason


def test_many_points_do_not_make_a_placebo_gain_by_chance() -> None:
    rng = np.random.default_rng(5)
    wrong = 0
    for _ in range(400):
        pairs = [(rng.normal(1, 0.1, 8).tolist(), rng.normal(1, 0.1, 8).tolist()) for _ in range(14)]
        wrong += bool(surely_greater(pairs))
    assert wrong < 0.05 * 400
    assert surely_greater([([1.0, 1.1, 0.9], [1.0, 1.0, 1.0]), ([2.0, 2.1, 1.9], [1.0, 1.1, 1.0])]) == [1]


def test_order_is_measured_where_packets_arrive() -> None:
    run = FakeRun({"flows": [{"id": "1", "reordered": 2}, {"id": "2", "reordered": 3}], "nodes": []})
    assert evaluate("reordered", run, {"flow": "2"}) == 3
    assert evaluate("reordered", run, {"flow": "all"}) == 5


def test_give_ups_are_those_of_the_mac() -> None:
    nodes = [{"name": "0", "given_up_rts": 3, "given_up_data": 1}, {"name": "1", "given_up_rts": 0, "given_up_data": 2}]
    run = FakeRun({"flows": [], "nodes": nodes})
    assert (evaluate("give-ups", run, {"node": "0"}), evaluate("give-ups", run, {"node": "all"})) == (4, 6)


def test_drops_are_those_of_the_measured_time_whoever_is_named() -> None:
    drop = {"reason": "queue-full", "flow": "1", "node": "a", "n": 2}
    others = [{**drop, "flow": "2", "n": 3}, {**drop, "node": "b", "n": 4}, {**drop, "reason": "no-route"}]
    whole = {"dropped": {"queue-full": 90}}
    flows = [{"id": name, "ledger": whole} for name in "12"]
    nodes = [{"name": name} for name in "ab"]
    run = FakeRun({"flows": flows, "nodes": nodes, "drops": [drop, *others], "ledger": whole})
    for named, n in (({}, 9), ({"node": "a"}, 5), ({"flow": "1"}, 6), ({"flow": "1", "node": "a"}, 2)):
        assert evaluate("drops", run, {"cause": "queue", **named}) == n
    for named in ({"node": "c"}, {"flow": "c"}):
        with pytest.raises(LookupError, match=r"no (node|flow) `c`"):
            evaluate("drops", run, {"cause": "queue", **named})


@pytest.mark.parametrize(
    ("value", "holds"),
    [
        ("2 kB", True),
        ("1.9 kB", False),
        ("1 min", False),
        ("2 Mbps", True),
        (2000, True),
        (None, False),
        ("reno", None),
    ],
)
def test_a_parameter_is_at_least_so_much_in_its_own_unit(value: object, holds: bool | None) -> None:
    text = CLAIM[: CLAIM.index("value =")] + 'of = "paths"\nparameter = "it"\naccept = { at-least = 2000 }\n'
    results = Results([Cell(Point("paths", "drr", ()), {"values": {"it": {"value": value}}}, [])])
    assert judge(study(SMALL + text).claims[0], results).holds is holds


def test_a_parameter_is_checked_in_every_experiment_named() -> None:
    twice = SMALL + '[[experiment]]\nname = "more"\nlike = "paths"\n'
    text = (
        CLAIM[: CLAIM.index("value =")] + 'of = ["paths", "more"]\nparameter = "queue.limit"\naccept = { exact = 50 }\n'
    )
    claim = study(twice + text).claims[0]

    def found(limits: dict[str, int]) -> Results:
        return Results(
            [
                Cell(Point(name, "drr", ()), {"values": {"queue.limit": {"value": limit}}}, [])
                for name, limit in limits.items()
            ]
        )

    assert judge(claim, found({"paths": 50, "more": 50})).holds
    verdict = judge(claim, found({"paths": 50, "more": 20}))
    assert verdict.holds is False
    assert "50, 20 in paths and more" in verdict.reason


# --- other readings ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('["drr", "persistent-queue"]\n[[reading]]', '["drr"]\n[[reading]]', "two techniques are expected"),
        ('set = ["queue.limit=5"]\n', "", "one of `set`, `swap` and `instead` is expected"),
        ("swap =", 'instead = ["drr", "drr+placebo"]\nswap =', "one of `set`, `swap` and `instead` is expected"),
        ("set = [", 'claims = ["B"]\nset = [', "no claim `B`"),
        ("set = [", 'experiments = ["path"]\nset = [', "did you mean `paths`"),
        ('metric = "counter"', 'metric = "countr"', "did you mean `counter`"),
    ],
)
def test_a_reading_that_cannot_be_made_says_why(old: str, new: str, message: str) -> None:
    text = SMALL + READINGS + CLAIM
    assert old in text
    with pytest.raises(StudyError, match=r"small\.toml") as caught:
        study(text.replace(old, new, 1))
    assert message in str(caught.value)


def test_a_swap_takes_each_technique_for_the_other() -> None:
    claim = study(SMALL + CLAIM).claims[0]
    swap = {"drr": ("persistent-queue", ""), "persistent-queue": ("drr", "")}
    checks = [check.changed(swap) for check in claim.check]
    assert figures_hold(claim, checks, cells(0.1, 0.5, 0.1)) is False
    assert figures_hold(claim, checks, cells(0.5, 0.1, 0.1)) is True


def test_what_needs_something_else_stays_open() -> None:
    text = CLAIM[: CLAIM.index("value =")] + 'accept = { not-judged = "needs snoop" }\n'
    verdict = judge(study(SMALL + text).claims[0], Results([]))
    assert (verdict.holds, verdict.reason, verdict.ours) == (None, "needs snoop", None)


# --- the command ------------------------------------------------------------------------------------------------


def test_reproduce_prints_the_document(cli: Cli, here: Path) -> None:
    (here / "small.toml").write_text(SMALL + CLAIM, encoding="utf-8")
    done = cli("reproduce", "small.toml", "--quick", "--json", "--out", "made")
    assert done.code == 0, done.err
    document = json.loads(done.out)
    assert (document["schema"], document["study"], document["quick"]) == (1, "small", True)
    [claim] = document["claims"]
    assert {"id", "tier", "paper", "ours", "ci95", "holds", "reason"} <= claim.keys()
    assert claim["holds"] in (True, False, None)
    assert (here / "made" / "report.html").is_file()


def test_readings_stand_beside_and_share_runs(cli: Cli, here: Path) -> None:
    claim = CLAIM[: CLAIM.index("[claim.gain]")].replace("ratio-above = 2", "ratio = [0, 1000]")
    (here / "small.toml").write_text(SMALL + READINGS + claim, encoding="utf-8")
    document = json.loads(cli("reproduce", "small.toml", "--quick", "--json", "--out", "made").out)
    swapped, short = document["readings"]
    # a swap looks at the same runs; the other reading makes those again that its claim needs: two points of twelve
    assert (document["runs"], swapped["runs"], short["runs"]) == (36 + 6, 0, 6)
    assert swapped["also_hold"] == ["A"]
    assert [w["technique"] for w in short["watched"]] == ["drr", "persistent-queue"]
    [judged] = document["claims"]
    assert judged["readings"].keys() == {"swapped", "short"}
    assert judged["readings"]["short"]["ours"] != judged["ours"]
    assert document["counts"]["must"]["holds"] == 1
    # a part that needs one of the techniques only has nothing to swap
    (here / "small.toml").write_text(SMALL + READINGS + claim + TABLE, encoding="utf-8")
    document = json.loads(cli("reproduce", "small.toml/table1", "--quick", "--json", "--out", "part").out)
    assert document["readings"][0]["also_hold"] == []
    page = (here / "made" / "report.html").read_text(encoding="utf-8")
    assert "With a short queue" in page
    assert "1 of the 1 claims that hold still hold: <code>A</code>" in page


def test_claims_are_marked_that_hold_with_a_placebo_too_or_repeat_others(cli: Cli, here: Path) -> None:
    claim = CLAIM[: CLAIM.index("[claim.gain]")].replace('against = { technique = "drr" }\n', "")
    claim = claim.replace("ratio-above = 2", "above = -1")
    other = claim.replace("above = -1", "below = 9").replace('"A"', '"B"')
    instead = '[[reading]]\nname = "idle"\ntitle = "Idle"\ninstead = ["persistent-queue", "drr+placebo"]\n'
    (here / "small.toml").write_text(SMALL + instead + claim + other, encoding="utf-8")
    document = json.loads(cli("reproduce", "small.toml", "--quick", "--json", "--out", "made").out)
    assert [(c["id"], c["also_holds"], c["repeats"]) for c in document["claims"]] == [
        ("A", ["idle"], None),
        ("B", ["idle"], "A"),
    ]
    page = (here / "made" / "report.html").read_text(encoding="utf-8")
    assert re.search(r">too with [^<]* in the place of [^<]*<", page)
    assert "same figures as A" in page
    done = cli("reproduce", "small.toml", "--quick", "--out", "made")
    assert "The same figures once more: B of A" in done.out
    assert "Idle: 2 claims still hold: A, B" in done.out


def test_the_reason_has_a_line_of_its_own_and_readings_a_column_where_they_say_something(cli: Cli, here: Path) -> None:
    claim = CLAIM[: CLAIM.index("[claim.gain]")].replace("ratio-above = 2", "ratio = [0, 1000]")
    missed = claim.replace('id = "A"', 'id = "B"').replace("[0, 1000]", "[1e6, 2e6]")
    (here / "small.toml").write_text(SMALL + READINGS + claim + missed, encoding="utf-8")
    done = cli("reproduce", "small.toml", "--quick", "--out", "made")
    assert done.code == 0, done.err
    page = (here / "made" / "report.html").read_text(encoding="utf-8")
    misses = page[page.index('<h2 id="misses">') : page.index('<h2 id="beside">')]
    # swapped looks at what holds alone: it has nothing to say of what does not
    assert [">swapped</th>" in misses, ">short</th>" in misses] == [False, True]
    assert '<td colspan="7" class="small soft">should be a ratio 1e+06 to 2e+06</td>' in misses
    assert ">swapped</th>" in page[page.index('<h2 id="claims">') :]


def test_reproduce_takes_stored_runs_unless_fresh(cli: Cli, here: Path) -> None:
    (here / "small.toml").write_text(SMALL + CLAIM, encoding="utf-8")
    counts = []
    for options in ([], [], ["--fresh"]):
        document = json.loads(cli("reproduce", "small.toml", "--quick", "--json", *options).out)
        counts.append(document["from_store"])
    assert counts == [0, 36, 0]


@pytest.mark.parametrize(("name", "said"), [("ohzahat", "did you mean `ohzahata`"), ("ohzahata/fig99", "no part")])
def test_reproduce_of_what_is_not_there(cli: Cli, name: str, said: str) -> None:
    done = cli("reproduce", name)
    assert done.code == 2
    assert said in done.err
