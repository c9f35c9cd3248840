"""The tables in terminals of several widths, and how figures are written."""

from __future__ import annotations

import io
import math
import re

import pytest
from rich.console import Console

import multihop
from multihop.measures.notation import count, number, percent, plus_minus
from multihop.measures.stats import Estimate
from multihop.out.comparison import comparison_view
from multihop.out.table import records_view
from multihop.text import listing


@pytest.mark.parametrize("width", [60, 80, 100, 160])
def test_no_line_is_cut_or_broken(tiny: str, width: int) -> None:
    scenario = multihop.load(tiny)
    comparison = scenario.compare(["none", "small-window:2"], runs=2)
    console = Console(width=width, file=io.StringIO(), highlight=False)
    console.print(records_view(comparison.baseline), comparison_view(comparison))
    assert isinstance(console.file, io.StringIO)
    text = console.file.getvalue()
    assert max(map(len, text.splitlines())) <= width
    assert "±" in text
    assert "…" not in text
    joined = " ".join(text.split())
    assert ("fast retransmits" in joined) == (width >= 60)  # as a column, or as what there was no room for
    left_out = re.search("no room for: [^;]*fast retransmits", joined) is not None
    assert left_out == (width < 124)


def test_digits_follow_the_uncertainty() -> None:
    assert plus_minus(Estimate(216.634, 3.14159, 5)) == "216.6 ± 3.1"
    assert plus_minus(Estimate(216634.0, 3141.59, 5), 1e3) == "216.6 ± 3.1"
    assert plus_minus(Estimate(1123.5, 131.0, 5)) == "1124 ± 131"
    assert plus_minus(Estimate(0.98765, 0.00123, 5)) == "0.9877 ± 0.0012"
    assert plus_minus(Estimate(5.0, 1.0, 5), signed=True) == "+5.0 ± 1.0"
    assert plus_minus(Estimate(12.0, math.nan, 1)) == "12"
    assert plus_minus(Estimate(math.nan, math.nan, 0)) == "–"


def test_words_and_shares() -> None:
    assert number(0.0) == "0"
    assert count(7551.0) == "7551"
    assert count(2.34) == "2.3"
    assert percent(Estimate(0.298, 0.017, 5)) == "+29.8 % ± 1.7 %"
    assert percent(None) == "–"
    assert listing(["a", "b", "c"]) == "a, b and c"
    assert listing(["a"]) == "a"
