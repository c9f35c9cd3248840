"""Advice: what limits a network, what helps, and that "nothing helps" is an answer."""

from __future__ import annotations

import json
import math
import random
from pathlib import Path

import pytest

from conftest import Cli
from multihop.advising.advice import advise
from multihop.advising.candidates import Candidate, candidates, together
from multihop.advising.contest import Contest, Entrant
from multihop.advising.score import Score, percent
from multihop.errors import InputError
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


def test_what_can_be_tried_changes_something(here: Path) -> None:
    chain = scenario(3, FLOW.format(to=3), mac='rts-threshold = "0 B"')
    found = [c.label for c in candidates(chain, (), (), None, "router")]
    assert "rts-off" in found
    assert "rts-on" not in found  # it is on
    assert not any(name.startswith("small-window") for name in found)  # a host's
    hosts = [c.label for c in candidates(chain, (), (), None, "host")]
    assert "small-window:4" in hosts
    everything = [c.label for c in candidates(chain, (), (), None, "all")]
    assert {"persistent-queue", "elfn", "rts-off", "small-window:4"} <= {*everything}
    assert "frn" not in everything
    with pytest.raises(InputError, match="--can"):
        candidates(chain, (), (), None, "nobody")


def test_tcp_settings_are_not_tried_where_no_flow_runs_over_tcp(here: Path) -> None:
    cbr = '[[flow]]\nkind = "cbr"\ntransport = "udp"\nfrom = "0"\nto = "2"\nrate = "50 kbps"\n'
    assert candidates(scenario(2, cbr), (), (), None, "host") == []


def test_two_settings_of_one_key_are_not_joined(here: Path) -> None:
    chain = scenario(3, FLOW.format(to=3))
    few, many = (Candidate((f"retries:{n}",), "router", "") for n in (4, 14))
    queue = Candidate(("queue:10",), "router", "")
    assert together(few, many, chain, (), ()) is None
    both = together(few, queue, chain, (), ())
    assert both is not None
    assert both.label == "retries:4+queue:10"


def run(goodputs: list[float]) -> dict[str, object]:
    return {"flows": [{"kind": "bulk", "goodput_bps": g} for g in goodputs]}


def test_a_flow_that_starves_counts() -> None:
    before, after = run([900.0, 10.0]), run([700.0, 100.0])
    score = Score([before], 10.0)
    assert score(after) > score(before)
    assert score(run([910.0, 0.0])) < score(before)
    many = [run([990.0, 800.0]), run([1089.0, 880.0])]
    assert percent(score(many[1]) - score(many[0])) == pytest.approx(10.0, abs=0.2)


class Runs:
    """Runs of an arm with a known gain: noise that is shared, and noise of its own."""

    def __init__(self, gain: float, shared: list[float], draw: random.Random, runs: int) -> None:
        own = [draw.gauss(0, 0.1) if gain else 0.0 for _ in range(runs)]
        self.runs = [run([math.exp(5 + shared[r] + gain + own[r])]) for r in range(runs)]


def found_by_halving(seed: int) -> str:
    """The winner among twenty arms and the best one, a quarter of which change nothing."""
    draw = random.Random(seed)  # noqa: S311  # no secret
    truth = {f"arm{i}": (0.0 if i % 4 == 0 else draw.uniform(-0.2, 0.15)) for i in range(20)} | {"best": 0.3}
    shared = [draw.gauss(0, 0.05) for _ in range(100)]

    def make(chosen: list[Candidate], runs: int) -> list[Runs]:
        return [Runs(gain, shared, draw, runs) for gain in (0.0, *(truth[c.label] for c in chosen))]

    entrants = [Entrant(Candidate((name,), "router", "")) for name in truth]
    score = Score(make([], 3)[0].runs, 1.0)
    contest = Contest(entrants, score, make, lambda _a, _b: None, lambda _n: True)  # type: ignore[arg-type]
    winner = contest.winner()
    assert winner is not None
    assert not winner.idle
    return winner.candidate.label


def test_halving_finds_the_best() -> None:
    assert [found_by_halving(seed) for seed in range(60)].count("best") >= 55


def test_no_time_is_said() -> None:
    entrants = [Entrant(Candidate(("x",), "router", ""))]
    contest = Contest(entrants, Score([run([1.0])], 1.0), lambda _c, _n: [], lambda _a, _b: None, lambda _n: False)
    assert contest.winner() is None
    assert contest.short


def test_lossy_links_want_more_attempts(here: Path) -> None:
    found = advise(scenario(2, FLOW.format(to=2), air="bit-error-rate = 6e-5"), minutes=0.4, can="router")
    assert found.helps
    assert found.choice is not None
    assert "retries" in found.choice.label
    mean, low, high = found.interval
    assert 0 < low < mean < high
    assert found.limits[0].cause


def test_where_nothing_helps_it_says_so(here: Path, cli: Cli) -> None:
    cbr = '[[flow]]\nkind = "cbr"\ntransport = "udp"\nfrom = "0"\nto = "1"\nrate = "50 kbps"\n'
    text = CHAIN.format(hops=1, air="", mac="", duration="10 s") + cbr
    (here / "calm.toml").write_text(text)
    found = cli("advise", "calm.toml", "--minutes", "0.2")
    assert found.code == 0, found.err
    assert "Nothing" in found.out
    document = json.loads(cli("advise", "calm.toml", "--minutes", "0.2", "--json").out)
    assert document["advice"] is None


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--minutes", "0"], "--minutes"),
        (["--can", "nobody"], "--can"),
        (["-t", "a,b"], "technique"),
        (["--minutes", "nan"], "--minutes"),
    ],
)
def test_what_cannot_be_advised_on(words: list[str], said: str, here: Path, cli: Cli) -> None:
    found = cli("advise", "chain", *words)
    assert (found.code, said in found.err) == (2, True), found.err


def test_the_shipped_chain_resolves_every_knob() -> None:
    found = candidates(load("chain"), (), (), None, "both")
    assert len(found) >= 10
    assert len({c.label for c in found}) == len(found)
