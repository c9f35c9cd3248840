"""The statistics against scipy and against values worked out by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats as scipy_stats

from multihop.measures.stats import (
    MOST_RUNS,
    correlation,
    estimate,
    holm,
    jain,
    more_runs,
    paired,
    quantile,
    t_quantile,
)

numbers = st.floats(-1e6, 1e6, allow_nan=False)
samples = st.lists(numbers, min_size=2, max_size=40)


@given(samples)
def test_the_interval_is_scipys(values: list[float]) -> None:
    found = estimate(values)
    assume(float(np.std(values)) > 1e-9)
    low, high = scipy_stats.t.interval(0.95, len(values) - 1, np.mean(values), scipy_stats.sem(values))
    assert found.n == len(values)
    assert found.low == pytest.approx(low, rel=1e-9, abs=1e-6)
    assert found.high == pytest.approx(high, rel=1e-9, abs=1e-6)


def test_an_interval_worked_out_by_hand() -> None:
    # mean 3, s = sqrt(2.5), t(4) = 2.776: half = 2.776 * 1.5811 / 2.2361
    found = estimate([1, 2, 3, 4, 5])
    assert found.mean == 3
    assert found.half == pytest.approx(1.9632, abs=1e-4)
    assert found.json() == {"mean": 3.0, "ci95": [found.low, found.high], "n": 5}


def test_runs_without_a_value_are_left_out_and_counted() -> None:
    assert estimate([1.0, None, 3.0, math.nan]).n == 2
    assert estimate([None]).json() == {"mean": None, "ci95": None, "n": 0}
    assert estimate([7]).json() == {"mean": 7.0, "ci95": None, "n": 1}


@pytest.mark.parametrize("freedom", [1, 4, 9, 29, 1000])
def test_the_quantile_is_scipys(freedom: int) -> None:
    assert t_quantile(freedom) == pytest.approx(scipy_stats.t.ppf(0.975, freedom), rel=1e-12)


@given(st.lists(st.tuples(numbers, numbers), min_size=3, max_size=30))
def test_the_correlation_is_numpys(pairs: list[tuple[float, float]]) -> None:
    a, b = np.array(pairs).T
    assume(a.std() > 1e-3 and b.std() > 1e-3)
    assert correlation(a, b) == pytest.approx(np.corrcoef(a, b)[0, 1], abs=1e-6)


def test_a_constant_correlates_with_nothing() -> None:
    assert math.isnan(correlation([1, 1, 1], [1, 2, 3]))
    assert math.isnan(correlation([1], [2]))


@given(samples, numbers)
def test_pairing_removes_what_both_share(values: list[float], step: float) -> None:
    """Two techniques that differ by a constant are settled however much the runs scatter."""
    rounded = [round(v) for v in values]
    found = paired(rounded, [v + round(step) for v in rounded])
    assert found.difference.mean == round(step)
    assert found.more_runs == 0
    assert found.verdict == ("higher" if round(step) > 0 else "lower" if round(step) < 0 else "equal")


def test_pairing_is_scipys_paired_t_test() -> None:
    base, other = [10.0, 12.0, 9.0, 11.0, 14.0], [11.0, 12.5, 10.5, 11.2, 15.0]
    found = paired(base, other)
    p = scipy_stats.ttest_rel(other, base).pvalue
    assert (found.verdict == "higher") == (p < 0.05)
    low, high = scipy_stats.ttest_rel(other, base).confidence_interval(0.95)
    assert (found.difference.low, found.difference.high) == pytest.approx((low, high))


@given(samples, st.floats(0.1, 10))
def test_a_verdict_and_its_p_value_agree(values: list[float], step: float) -> None:
    other = [v + step * (i % 3) for i, v in enumerate(values)]
    found = paired(values, other)
    assume(found.difference.half > 1e-6)
    p = scipy_stats.ttest_rel(other, values).pvalue
    assert found.p_value == pytest.approx(p, rel=1e-3, abs=1e-9)
    assert (found.verdict == "open") == (found.p_value >= 0.05) or found.p_value == pytest.approx(0.05)


def test_p_values_of_what_does_not_vary() -> None:
    assert paired([1.0, 2.0], [1.0, 2.0]).p_value == 1
    assert paired([1.0, 2.0], [2.0, 3.0]).p_value == 0
    assert math.isnan(paired([1.0], [2.0]).p_value)


def test_holms_correction_worked_out_by_hand() -> None:
    # ranked 0.005, 0.01, 0.03, 0.04: times 4, 3, 2, 1 and never falling
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.9, 0.8]) == [1.0, 1.0]
    first, lacking, second = holm([0.02, math.nan, 0.02])
    assert math.isnan(lacking)
    assert first == second == 0.04
    assert holm([]) == []


@given(st.lists(st.floats(0, 1), max_size=12))
def test_holms_correction_rejects_as_the_procedure_does(p_values: list[float]) -> None:
    """One after the other, the smallest first, until one is too large for those that are left."""
    rejected, left = set(), sorted((p, i) for i, p in enumerate(p_values))
    while left and left[0][0] * len(left) <= 0.05:
        rejected.add(left.pop(0)[1])
    assert {i for i, p in enumerate(holm(p_values)) if p <= 0.05} == rejected


def test_a_run_that_one_side_lacks_is_no_pair() -> None:
    assert paired([1.0, None, 3.0], [2.0, 5.0, 4.0]).difference.n == 2


def test_lists_of_different_length_are_no_pairs() -> None:
    with pytest.raises(ValueError, match="zip"):
        paired([1.0], [1.0, 2.0])


@given(st.lists(st.floats(-100, 100).map(lambda x: round(x, 3)), min_size=3, max_size=20))
def test_so_many_more_runs_would_settle_it(differences: list[float]) -> None:
    """The promised number suffices and one less does not, when mean and spread stay."""
    more = more_runs(differences)
    mean, spread, n = abs(float(np.mean(differences))), float(np.std(differences, ddof=1)), len(differences)

    def settled(runs: int) -> bool:
        return mean > t_quantile(runs - 1) * spread / math.sqrt(runs)

    if more is None:
        assert not settled(MOST_RUNS)
    elif more > 0:
        assert settled(n + more)
        assert not settled(n + more - 1)


def test_nothing_settles_no_difference() -> None:
    assert more_runs([1.0, -1.0, 1.0, -1.0]) is None
    assert more_runs([0.0, 0.0, 0.0]) == 0


def test_one_run_is_open() -> None:
    found = paired([1.0], [2.0])
    assert found.verdict == "open"
    assert found.more_runs is None


def test_jains_index() -> None:
    assert jain([5, 5, 5, 5]) == 1
    assert jain([8, 0, 0, 0]) == 0.25
    assert jain([1, 2, 3]) == pytest.approx(36 / 42)
    assert math.isnan(jain([0, 0]))
    assert math.isnan(jain([]))


@given(st.lists(st.floats(0, 1e9), min_size=1, max_size=20), st.floats(1e-3, 1e3))
def test_jains_index_knows_no_unit(shares: list[float], unit: float) -> None:
    assume(max(shares) > 1)
    index = jain(shares)
    assert 1 / len(shares) - 1e-9 <= index <= 1 + 1e-9
    assert jain(x * unit for x in shares) == pytest.approx(index)


@given(samples, st.floats(0, 1))
def test_quantiles_are_numpys(values: list[float], q: float) -> None:
    assert quantile([*values, None], q) == pytest.approx(float(np.quantile(values, q)))
