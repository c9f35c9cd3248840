"""How figures are written: units, digits, intervals, verdicts. Shared by tables, reports and notebooks."""

from __future__ import annotations

import math

from multihop.measures.stats import Estimate

NOTHING = "–"
"""What stands where nothing is known."""


def number(x: float, half: float = math.nan) -> str:
    """A number with as many decimals as its uncertainty deserves: two digits of the half width, else four in all."""
    if math.isnan(x):
        return NOTHING
    return f"{x:.{_decimals(x, half)}f}"


def plus_minus(estimate: Estimate, scale: float = 1.0, *, signed: bool = False) -> str:
    """`220.1 ± 3.4` in units of `scale`; without an interval, the mean alone."""
    if math.isnan(estimate.mean):
        return NOTHING
    mean, half = estimate.mean / scale, estimate.half / scale
    text = number(mean, half)
    if signed and not text.startswith("-"):
        text = f"+{text}"
    return text if math.isnan(half) else f"{text} ± {half:.{_decimals(mean, half)}f}"


def figure(x: float | str | None) -> str:
    """A number with four digits that count: `0.2471`, `1.236`, `645.1`; words stay words."""
    if x is None or (isinstance(x, float) and not math.isfinite(x)):
        return NOTHING
    if isinstance(x, str):
        return x
    return f"{x:.4g}"


def interval(ends: tuple[float | None, float | None] | None) -> str:
    """`[0.236, 0.246]`; an end without a bound is ∞."""
    if ends is None:
        return ""
    low, high = ends
    return f"[{'-∞' if low is None else figure(low)}, {'∞' if high is None else figure(high)}]"


def count(x: float) -> str:
    """A mean of counts: `7551`, `2.3`."""
    return f"{x:.1f}".removesuffix(".0")


def percent(estimate: Estimate | None) -> str:
    """A share as `+29.8 % ± 2.3 %`."""
    if estimate is None or math.isnan(estimate.mean):
        return NOTHING
    mean, half = 100 * estimate.mean, 100 * estimate.half
    text = f"{mean:+.1f} %"
    return text if math.isnan(half) else f"{text} ± {half:.1f} %"


def seconds(s: float) -> str:
    """A time without needless decimals: `100 s`, `0.5 s`, `20 us`."""
    return f"{s:g} s" if s == 0 or s >= 1e-3 else f"{s * 1e6:g} us"


def _decimals(x: float, half: float) -> int:
    if math.isnan(half) or half == 0:
        if x == int(x):
            return 0
        return max(0, min(4, 3 - math.floor(math.log10(abs(x)))))
    return max(0, min(4, 1 - math.floor(math.log10(half))))
