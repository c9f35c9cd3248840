"""Advice: what limits a network, what helps, and that "nothing helps" is an answer."""

from __future__ import annotations

import json
import math
import random
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import multihop
from conftest import Cli
from multihop import _engine
from multihop.advising.candidates import Candidate, Left, Part, options
from multihop.advising.contest import Contest, Entrant
from multihop.advising.knobs import KNOBS
from multihop.advising.score import Score, percent
from multihop.measures.stats import Estimate
from multihop.running.plan import Task
from multihop.scenario.scenario import Scenario, load

CHAIN = """
profile = "rfc"
[run]
duration = "{duration}"
[measure]
warm-up = "2 s"
[topology]
kind = "chain"
hops = {hops}
spacing = "200 m"
[routing]
kind = "static"
[air]
{air}
[mac]
{mac}
"""
FLOW = '[[flow]]\nkind = "bulk"\nfrom = "0"\nto = "{to}"\n'


def scenario(hops: int, flow: str, *, air: str = "", mac: str = "", duration: str = "20 s") -> Scenario:
    text = CHAIN.format(hops=hops, air=air, mac=mac, duration=duration) + flow
    return Scenario("mine.toml", text, "mine.toml")


def task(scenario: Scenario) -> Task:
    return Task(scenario, runs=range(1, 4))


def labels(chosen: Sequence[Candidate]) -> list[str]:
    return [c.label for c in chosen]


@pytest.mark.usefixtures("here")
def test_what_can_be_tried_changes_something() -> None:
    chain = task(scenario(3, FLOW.format(to=3), mac='rts-threshold = "0 B"'))
    router = options(chain, "router", moving=False)
    assert "rts-off" in labels(router.today)
    assert "rts-on" not in labels(router.today)
    assert Left("rts-on", "it is set so already") in router.left
    assert not any(name.startswith("small-window") for name in labels(router.today))  # a host's
    assert "persistent-queue" in labels(router.new)
    host = options(chain, "host", moving=False)
    assert {"small-window:4", "max-rto:1"} <= {*labels(host.today)}
    assert "elfn" in labels(host.new)
    assert "persistent-queue" not in labels(host.new)
    openwrt = options(chain, None, moving=False)
    assert {"rts-off", "small-window:4"} <= {*labels(openwrt.today)}
    assert openwrt.new == []
    both = options(chain, "both", moving=False)
    assert {"persistent-queue", "elfn", "e-dcr"} <= {*labels(both.new)}
    assert not {"frn", "placebo", "none"} & {*labels(both.new)}


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(
    ("changes", "name", "why"),
    [
        ({"air": "bit-error-rate = 1e-6", "mac": 'data-rate = "2 Mbps"'}, "data-rate", "same at all rates"),
        ({"air": "", "mac": ""}, "data-rate", "does not say"),
        ({"air": 'reception = "ns2"', "mac": 'data-rate = "2 Mbps"'}, "data-rate", "equally far"),
        ({}, "dsdv", "stay as they are"),
    ],
)
def test_what_a_run_cannot_say_is_not_tried(changes: dict[str, str], name: str, why: str) -> None:
    left = options(task(scenario(3, FLOW.format(to=3), **changes)), None, moving=False).left
    assert any(name in one.label and why in one.why for one in left), left


@pytest.mark.usefixtures("here")
def test_rates_are_tried_where_the_air_tells_them_apart() -> None:
    chain = scenario(3, FLOW.format(to=3), mac='data-rate = "2 Mbps"')
    assert "data-rate:11" in labels(options(task(chain), "router", moving=False).today)


@pytest.mark.usefixtures("here")
def test_tcp_settings_are_not_tried_where_no_flow_runs_over_tcp() -> None:
    cbr = '[[flow]]\nkind = "cbr"\ntransport = "udp"\nfrom = "0"\nto = "2"\nrate = "50 kbps"\n'
    found = options(task(scenario(2, cbr)), "host", moving=False)
    assert (found.today, found.new) == ([], [])
    assert Left("small-window:4", "no flow runs over TCP") in found.left


@pytest.mark.usefixtures("here")
def test_what_looks_good_is_tried_at_other_values_and_in_pairs() -> None:
    found = options(task(scenario(3, FLOW.format(to=3))), "router", moving=False)
    by = {c.label: c for c in found.today}
    assert found.together(by["retries:4"], by["retries:10"]) is None  # the same keys
    grown = labels(found.grow([by["retries:10"], by["queue:10"], by["retries:4"]]))
    assert {"retries:14", "queue:5", "retries:10+queue:10"} <= {*grown}
    assert not {"retries:10", "retries:4+queue:10"} & {*grown}


@pytest.mark.usefixtures("here")
def test_every_command_has_its_numbers() -> None:
    chain = task(scenario(3, FLOW.format(to=3), mac='rts-threshold = "0 B"\ndata-rate = "2 Mbps"'))
    found = {c.label: c.parts[0].device for c in options(chain, None, moving=True).today}
    assert len(found) >= 18
    for name, device in found.items():
        assert "{" not in device, name
        assert "…" not in device, name
    assert "window 5840 " in found["small-window:4"]
    assert found["retries:10"] == "iw phy phy0 set retry short 10 long 10"
    assert "tcp_rto_max_ms=1000 " in found["max-rto:1"]


@pytest.mark.usefixtures("here")
def test_what_is_said_for_a_scenario_does_the_same() -> None:
    chain = scenario(3, FLOW.format(to=3))
    for candidate in options(task(chain), "both", moving=True).today:
        same = chain.resolve((), candidate.settings)
        with_technique = chain.resolve(candidate.techniques)
        values = [
            {key: entry["value"] for key, entry in json.loads(r.json())["values"].items()}
            for r in (same, with_technique)
        ]
        assert values[0] == values[1], candidate.label


def run(goodputs: list[float]) -> dict[str, object]:
    return {"flows": [{"kind": "bulk", "goodput_bps": g} for g in goodputs]}


def gain(before: Sequence[list[float]], after: Sequence[list[float]]) -> Estimate:
    baseline = [run(goodputs) for goodputs in before]
    return Score(baseline, 10.0).gain(baseline, [run(goodputs) for goodputs in after])


def test_a_flow_that_starves_counts() -> None:
    before = [[900.0, 10.0]] * 3
    assert gain(before, [[700.0, 100.0]] * 3).mean > 0
    assert gain(before, [[910.0, 0.0]] * 3).mean < 0
    assert percent(gain([[990.0, 800.0]] * 3, [[1089.0, 880.0]] * 3).mean) == pytest.approx(10.0, abs=0.2)


def test_the_gain_of_one_flow_is_that_of_compare() -> None:
    assert percent(gain([[1e5], [3e5]], [[1.5e5], [4.5e5]]).mean) == pytest.approx(50.0, abs=0.01)
    assert percent(gain([[1e5], [3e5]], [[3e5], [3e5]]).mean) == pytest.approx(50.0, abs=0.01)


def test_the_interval_knows_of_pairs_and_holds_what_it_says() -> None:
    """Of runs with a known gain, shared noise and skewed noise of their own, 95 % of the intervals hold the gain."""
    draw = np.random.default_rng(1)
    inside, true, n = 0, 1.3, 12
    for _ in range(1000):
        base = 100 * draw.lognormal(0, 0.4, n)
        other = true * base * draw.lognormal(-0.02, 0.2, n)
        found = gain([[x] for x in base], [[y] for y in other])
        inside += found.low <= math.log(true) <= found.high
        assert found.half < 0.4  # far less than without pairs
    assert 920 <= inside <= 975


class Made:
    """Runs of an arm with a known gain: noise that is shared, and noise of its own."""

    def __init__(self, gain: float, shared: list[float], draw: random.Random, runs: int) -> None:
        own = [draw.gauss(0, 0.1) if gain else 0.0 for _ in range(runs)]
        self.runs = [run([math.exp(5 + shared[r] + gain + own[r])]) for r in range(runs)]


def candidate(*specs: str) -> Candidate:
    return Candidate(tuple(Part(spec, "router", "", ()) for spec in specs))


def contest(truth: dict[str, float], seed: int, most: int = 10**6) -> Contest:
    draw = random.Random(seed)  # noqa: S311  # no secret
    shared = [draw.gauss(0, 0.05) for _ in range(100)]

    def make(chosen: Sequence[Candidate], runs: int) -> list[Made]:
        return [Made(gain, shared, draw, runs) for gain in (0.0, *(truth[c.label] for c in chosen))]

    score = Score(make([], 3)[0].runs, 1.0)
    made: Any = make
    return Contest([Entrant(candidate(name)) for name in truth], score, made, lambda _: [], lambda n: n <= most)


def found_by_halving(seed: int) -> str:
    """The winner among twenty arms and the best one, a quarter of which change nothing."""
    draw = random.Random(seed)  # noqa: S311  # no secret
    truth = {f"arm{i}": (0.0 if i % 4 == 0 else draw.uniform(-0.2, 0.15)) for i in range(20)} | {"best": 0.3}
    winner = contest(truth, seed).winner()
    assert winner is not None
    assert not winner.idle
    return winner.candidate.label


def test_halving_finds_the_best() -> None:
    assert [found_by_halving(seed) for seed in range(60)].count("best") >= 55


def test_it_stops_where_the_rest_is_surely_worse() -> None:
    clear = contest({"best": 2.0, "bad": -1.0, "small": 0.2, "idle": 0.0}, 1)
    winner = clear.winner()
    assert winner is not None
    assert (winner.candidate.label, len(winner.runs)) == ("best", 3)


def test_a_second_setting_must_be_worth_it() -> None:
    made = contest({"one": 0.5, "one+two": 0.505}, 1)
    made.entrants[1] = Entrant(candidate("one", "two"))
    same, more = ([run([100.0 * x])] * 3 for x in (1.5, 1.51))
    for entrant, runs in zip(made.entrants, (same, more), strict=True):
        entrant.runs, entrant.gain = runs, made.score.gain([run([100.0])] * 3, runs)
    assert made._simplest(made.entrants[1]) is made.entrants[0]


def test_a_short_budget_tries_the_likeliest_and_says_so() -> None:
    short = contest({"likely": 0.5, "b": 0.1, "c": 0.1}, 1, most=6)
    winner = short.winner()
    assert winner is not None
    assert winner.candidate.label == "likely"
    assert short.short
    none = contest({"x": 1.0}, 1, most=0)
    assert none.winner() is None
    assert none.short


CALM = CHAIN.format(hops=1, air="", mac="", duration="10 s") + (
    '[[flow]]\nkind = "cbr"\ntransport = "udp"\nfrom = "0"\nto = "1"\nrate = "50 kbps"\n'
)
LOSSY = CHAIN.format(
    hops=2, air="packet-error-rate = 0.3", mac="short-retry-limit = 2\nlong-retry-limit = 2", duration="10 s"
)


@pytest.fixture
def lossy(here: Path) -> str:
    (here / "lossy.toml").write_text(LOSSY + FLOW.format(to=2))
    return "lossy.toml"


def test_the_answer_fits_a_screen_and_can_be_repeated(lossy: str, cli: Cli) -> None:
    found = cli("advise", lossy, "--budget-runs", "90", "--can", "router")
    assert found.code == 0, found.err
    lines = found.out.splitlines()
    assert len(lines) <= 32
    assert "retries" in lines[0]
    assert "goodput" in lines[0]
    for said in ("What limits it", "Do this first", "What it changes besides", "What does not help", "How sure"):
        assert said in found.out
    assert "iw phy phy0 set retry short" in found.out
    document = json.loads(cli("advise", lossy, "--budget-runs", "90", "--can", "router", "--json").out)
    assert document["helps"]
    best = document["advice"]
    words = shlex.split(best["command"])
    assert words[:2] == ["multihop", "compare"]
    repeated = json.loads(cli(*words[1:], "--json").out)
    [row] = [r for r in repeated["comparisons"] if r["figure"] == "goodput_bps" and r["flow"] is None]
    assert 100 * row["relative"]["mean"] == pytest.approx(best["gain_percent"]["mean"], abs=0.2)
    assert row["baseline"]["n"] == best["runs"]


def test_a_budget_of_runs_gives_the_same_answer_each_time(lossy: str) -> None:
    def answer() -> dict[str, Any]:
        return multihop.advise(lossy, budget_runs=60, can="router").json()

    assert answer() == answer()


def test_the_report_says_the_same(lossy: str, here: Path, cli: Cli) -> None:
    found = cli("advise", lossy, "--budget-runs", "90", "--can", "both", "--html", "advice.html")
    assert found.code == 0, found.err
    page = (here / "advice.html").read_text()
    headline = found.out.splitlines()[0]
    assert headline[:20] in page
    for said in ("<svg", "What limits it", "How sure", "that cannot act here", "Figures of the fresh runs"):
        assert said in page
    assert "http" not in page.replace("http://www.w3.org", "")  # it loads nothing


def test_where_nothing_helps_it_says_so(here: Path, cli: Cli) -> None:
    (here / "calm.toml").write_text(CALM)
    found = cli("advise", "calm.toml", "--budget-runs", "60", "--html", "calm.html")
    assert found.code == 0, found.err
    assert "nothing that can be set surely helps" in found.out
    assert "That is all that its application sends." in found.out
    assert "nothing" in (here / "calm.html").read_text()
    document = json.loads(cli("advise", "calm.toml", "--budget-runs", "60", "--json").out)
    assert document["helps"] is False
    assert document["advice"] is None


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--minutes", "0"], "--minutes"),
        (["--minutes", "nan"], "--minutes"),
        (["--minutes", "1e9"], "--minutes"),
        (["--budget-runs", "3"], "--budget-runs"),
        (["--can", "rooter"], "did you mean `router`"),
        (["--can", "nobody"], "router, host or both"),
        (["-t", "a,b"], "technique"),
        (["-t", "no-such"], "there is no technique `no-such`"),
        (["--set", "mac.nothing=1"], "mac.nothing"),
    ],
)
def test_what_cannot_be_advised_on(words: list[str], said: str, here: Path, cli: Cli) -> None:
    found = cli("advise", "chain", *words)
    assert (found.code, said in found.err) == (2, True), found.err
    assert "Traceback" not in found.err
    assert list(here.glob("*")) == []


def test_no_time_is_no_answer(here: Path, cli: Cli) -> None:
    (here / "calm.toml").write_text(CALM)
    found = cli("advise", "calm.toml", "--minutes", "0.0001")
    assert found.code == 0, found.err
    assert "too short to try anything" in found.out.splitlines()[0]
    assert "Nothing was tried." in found.out


def test_a_scenario_without_flows_is_refused(here: Path, cli: Cli) -> None:
    (here / "empty.toml").write_text(CHAIN.format(hops=2, air="", mac="", duration="10 s"))
    found = cli("advise", "empty.toml")
    assert (found.code, "no [[flow]]" in found.err) == (2, True), found.err


def test_the_shipped_chain_resolves_every_knob() -> None:
    found = options(task(load("chain")), None, moving=False)
    assert len(found.today) >= 10
    assert len({c.label for c in found.today}) == len(found.today)


def test_each_knob_is_a_technique_with_its_values() -> None:
    shipped = _engine.shipped("techniques")
    for knob in KNOBS:
        assert knob.technique in shipped
        assert {*knob.first} <= {*knob.ladder}
        assert [*knob.ladder] == sorted(knob.ladder, key=float)
