"""What every figure of a study says by itself, and what arrives in a part of one run."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from multihop.errors import InputError
from multihop.plots.study import draw
from multihop.plots.style import COLOURS, INK, inline, rendered
from multihop.study.measure import Point
from multihop.study.results import Cell, Results
from small_study import SMALL
from small_study import study as small

FIGURES = """
[[figure]]
name = "time"
kind = "throughput"
of = "paths"
title = "Fig 7: what arrives"
note = "DRR: as in ns-2."
arguments = { flow = "1", from = "20", to = "24" }
series = [{ label = "DRR", technique = "drr", hops = 2, ber = 1e-6 }]
[[figure]]
name = "lines"
kind = "lines"
of = "paths"
title = "Fig 8: goodput"
arguments = { flow = "1" }
x = "hops"
xlabel = "interval"
ylabel = "goodput"
tick = "3-{x}"
series = [{ label = "DRR", technique = "drr", ber = 1e-6 }]
[[figure]]
name = "bars"
kind = "bars"
of = "paths"
title = "Fig 9: goodput"
arguments = { flow = "1" }
xlabel = "goodput"
series = [
  { label = "DRR, short", panel = "DRR", technique = "drr", ber = 1e-6, hops = 2 },
  { label = "DRR, long", panel = "DRR", technique = "drr", ber = 1e-6, hops = 3 },
]
"""


class Run:
    """A run of 30 s, of which is known what arrives in each second."""

    def __init__(self, mbps: float) -> None:
        times = np.arange(1.0, 31.0)
        silent = (times == 22) | (times == 29)
        self.goodput = pd.DataFrame({"time_s": times, "flow": "1", "arrived": np.where(silent, 0, times)})
        self.data: dict[str, Any] = {"flows": [{"id": "1", "goodput_bps": mbps * 1e6, "windows": []}], "nodes": []}
        self.scenario: dict[str, Any] = {"duration_s": 30.0, "flows": [], "values": {}}

    def series(self, name: str) -> pd.DataFrame:
        assert name == "goodput"
        return self.goodput


def shown(name: str, old: str = "", new: str = "") -> Figure:
    study = small(SMALL + FIGURES.replace(old, new))
    [spec] = [figure for figure in study.figures if figure.name == name]
    cells = [
        Cell(Point("paths", "drr", (("hops", hops), ("ber", ber))), {}, [Run(hops), Run(hops + 0.5), Run(hops + 0.2)])
        for hops in (2, 3)
        for ber in (1e-6, 5e-5)
    ]
    return draw(spec, study, Results(cells))


@pytest.mark.parametrize(
    ("name", "title"),
    [("time", "Fig 7: what arrives\nDRR: as in ns-2."), ("lines", "Fig 8: goodput"), ("bars", "Fig 9: goodput")],
)
def test_every_figure_has_its_title_and_no_colour_of_paper_alone(name: str, title: str) -> None:
    figure = shown(name)
    assert figure.get_suptitle() == title
    text = inline(rendered(figure, "svg", name), name)
    assert re.findall(r"#[0-9a-fA-F]{6}\b", text) == []


def test_what_arrives_in_a_part_of_a_run() -> None:
    """From 20 to 24 s, in bins of 1 s; nothing in that which ends at 22 s."""
    [axes] = shown("time").axes
    assert axes.get_xlim() == (20, 24)
    blue = [bar for bar in axes.patches if isinstance(bar, Rectangle) and to_hex(bar.get_facecolor()) == COLOURS[1]]
    bars = {round(bar.get_x(), 6): bar.get_height() for bar in blue}
    assert bars == {20.0: 21.0, 21.0: 0.0, 22.0: 23.0, 23.0: 24.0}
    handles, labels = axes.get_legend_handles_labels()
    assert labels == ["nothing arrives"]
    assert isinstance(handles[0], Rectangle)
    assert handles[0].get_x() == 21


def test_of_a_run_that_is_shorter_its_end_is_shown() -> None:
    [axes] = shown("time", 'from = "20", to = "24"', 'from = "900", to = "904"').axes
    assert axes.get_xlim() == (26, 30)


def test_ticks_are_written_as_the_paper_writes_them() -> None:
    [axes] = shown("lines").axes
    assert [label.get_text() for label in axes.get_xticklabels()] == ["3-2", "3-3"]


def test_a_legend_does_not_repeat_the_labels_and_error_bars_are_ink() -> None:
    figure = shown("bars")
    assert figure.legends == []
    bars = [to_hex(tuple(np.asarray(found.get_edgecolor())[0])) for found in figure.axes[0].collections]
    assert bars == [INK, INK]


GAIN = 'series = [{ label = "DRR", technique = "drr", ber = 1e-6 }'


def test_a_printed_gain_stands_over_the_series_that_it_is_a_gain_over() -> None:
    mark = ']\npaper = [{ series = "noisy", x = 3, y = 1.5, over = "DRR", label = "half more" }]'
    [axes] = shown("lines", f"{GAIN}]", f'{GAIN}, {{ label = "noisy", technique = "drr", ber = 5e-5 }}{mark}').axes
    [diamond] = [line for line in axes.lines if line.get_marker() == "D"]
    assert np.asarray(diamond.get_data()).ravel() == pytest.approx([3, 1.5 * (3 + 0.7 / 3)])
    assert [text.get_text() for text in axes.texts] == ["half more"]


def test_a_printed_gain_over_no_series_is_refused() -> None:
    mark = ']\npaper = [{ series = "DRR", x = 3, y = 1.5, over = "DDR" }]'
    with pytest.raises(InputError, match=r"`over = 'DDR'` is no series of the figure: did you mean `DRR`\?"):
        shown("lines", f"{GAIN}]", f"{GAIN}{mark}")
