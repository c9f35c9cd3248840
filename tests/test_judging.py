"""Intervals, and the rules by which samples are judged."""

from __future__ import annotations

import math
from typing import Any

import msgspec
import numpy as np
import pytest

from multihop.study.interval import of_difference, of_mean, of_ratio
from multihop.study.predicates import Rule, band, judge_sample, judge_steps


def rule(**accept: Any) -> Any:
    return msgspec.convert({k.replace("_", "-"): v for k, v in accept.items()}, Rule)


# --- intervals --------------------------------------------------------------------------------------------------


def test_the_interval_of_a_mean_is_students() -> None:
    found = of_mean([1.0, 2.0, 3.0, 4.0])
    half = 3.182446305 * math.sqrt(5 / 3) / 2
    assert (found.value, found.n) == (2.5, 4)
    assert (found.low, found.high) == pytest.approx((2.5 - half, 2.5 + half))


def test_one_run_bounds_nothing() -> None:
    assert (of_mean([1.0]).low, of_mean([1.0]).high) == (-math.inf, math.inf)


@pytest.mark.parametrize("k", [0.3, 0.9, 1.5, 2.1])
def test_a_ratio_is_above_k_exactly_if_the_difference_is_above_zero(k: float) -> None:
    rng = np.random.default_rng(7)
    for _ in range(50):
        a, b = rng.normal(1.2, 0.3, 8).tolist(), rng.normal(1.0, 0.2, 8).tolist()
        contrast = of_mean([x - k * y for x, y in zip(a, b, strict=True)])
        assert (of_ratio(a, b).low > k) == (contrast.low > 0)
        assert (of_ratio(a, b).high < k) == (contrast.high < 0)


def test_a_ratio_to_a_starved_flow_is_open_upwards() -> None:
    found = of_ratio([1.0, 1.1, 0.9, 1.0], [0.0, 0.0, 0.01, 0.0])
    assert found.low > 3
    assert found.high == math.inf
    assert of_ratio([1.0, 1.1, 0.9], [0.0, 0.0, 0.0]).low == math.inf


def test_a_run_without_a_partner_does_not_count() -> None:
    longer, shorter = [3.0, 5.0, 4.0, 100.0], [1.0, 2.0, 3.0]
    assert of_difference(longer, shorter) == of_difference(longer[:3], shorter)
    assert of_ratio(shorter, longer).n == 3


# --- predicates -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("accept", "values", "against", "holds"),
    [
        ({"range": [0.5, 1.5]}, [1.0, 1.1, 0.9], None, True),
        ({"range": [2, 3]}, [1.0, 1.1, 0.9], None, False),
        ({"range": [1.0, 1.5]}, [1.0, 1.1, 0.9], None, None),
        ({"below": 0.04}, [0.0, 0.0, 0.0], None, True),
        ({"below": 0.04}, [0.05, 0.051, 0.05], None, False),
        ({"below": 0.04}, [0.01, 0.09, 0.0], None, None),
        ({"above": 0.5}, [0.6, 0.7, 0.65], None, True),
        ({"above": 0}, [0.0, 0.0, 0.0], None, False),
        ({"ratio": [0.85, 1.15]}, [2.0, 2.5, 3.0], [2.01, 2.52, 3.03], True),
        ({"ratio_above": 3}, [1.0, 1.1, 0.9], [0.1, 0.11, 0.1], True),
        ({"ratio_above": 3}, [1.0, 1.1, 0.9], [1.0, 1.1, 0.9], False),
        ({"ratio_below": 0.15}, [0.01, 0.0, 0.02], [1.0, 1.1, 0.9], True),
        ({"order": "greater"}, [2.0, 3.0, 4.0], [1.0, 2.1, 2.9], True),
        ({"order": "less"}, [2.0, 3.0, 4.0], [1.0, 2.1, 2.9], False),
        ({"order": "greater"}, [1.0, 2.0], [1.0, 2.0], False),
        ({"order": "greater"}, [1.0, 2.0, 1.0], [1.5, 1.4, 1.0], None),
        ({"zero": True}, [0.0, 0.0], None, True),
        ({"zero": True}, [0.0, 1.0], None, False),
    ],
)
def test_each_rule(
    accept: dict[str, Any], values: list[float], against: list[float] | None, holds: bool | None
) -> None:
    assert judge_sample(rule(**accept), values, against).holds is holds


def test_one_run_settles_nothing() -> None:
    found = judge_sample(rule(below=1.0), [0.5])
    assert found.holds is None
    assert "more runs" in found.note


def test_an_open_claim_says_how_many_more_runs() -> None:
    found = judge_sample(rule(below=0.55), [0.4, 0.6, 0.5, 0.45])
    assert found.holds is None
    assert "more runs may settle it (about " in found.note


def test_monotone_looks_at_each_step() -> None:
    falling = rule(monotone="falling", noise=0.05)
    down = [[1.0, 1.01, 0.99], [0.5, 0.501, 0.5], [0.505, 0.505, 0.506]]
    assert [o.holds for o in judge_steps(falling, down)] == [True, True]
    assert [o.holds for o in judge_steps(falling, [[0.5, 0.51], [1.0, 1.01]])] == [False]


@pytest.mark.parametrize(
    "accept", [{}, {"range": [1]}, {"range": [2, 1]}, {"order": "up"}, {"rnage": [1, 2]}, {"below": 1, "above": 2}]
)
def test_a_rule_that_says_nothing_is_refused(accept: dict[str, Any]) -> None:
    with pytest.raises(msgspec.ValidationError):
        rule(**accept)


def test_bands_in_words() -> None:
    assert band(rule(range=[0.1, 0.2])) == "0.1 to 0.2"
    assert band(rule(ratio_above=3)) == "ratio above 3"
    assert band(rule(order="less")) == "less"
