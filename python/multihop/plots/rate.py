"""The rate of a transport that has no window, over time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from .choice import Choice, name_of, one_of, over, series_of, span_of
from .style import COLOURS, crown, head, panels

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from multihop.record.record import Records

WIDTH = 6.8
"""Width of a panel [in]."""


def rate(arms: Sequence[Records], choice: Choice) -> Figure:
    """Packets sent in a second, and what the path reported; a panel for each technique with a flow over ATP."""
    arms = over(arms, "atp")
    figure, shown = panels(len(arms), WIDTH, 1.7)
    for axes, arm in zip(shown, arms, strict=True):
        record, flow = one_of(arm, choice, "atp")
        series = series_of(record, "rate", flow)
        time = series["time_s"]
        axes.step(time, series["reported_pps"], where="post", color=COLOURS[0], linewidth=0.8, label="reported")
        axes.step(time, series["rate_pps"], where="post", color=COLOURS[1], linewidth=1.1, label="sending")
        name = f"{arm.label}: " if len(arms) > 1 else f"{name_of(arm)}, {arm.label}: rate of "
        head(figure, axes, f"{name}flow {flow}, run {record.run}", WIDTH)
        axes.set(ylabel="packets/s", xlim=span_of(arms, choice, "atp"))
        axes.label_outer()
    crown(figure, f"{name_of(arms[0])}: rate of packets" if len(arms) > 1 else "")
    shown[0].set_ylim(bottom=0)
    shown[-1].tick_params(labelbottom=True)
    shown[-1].set_xlabel("time [s]")
    figure.legend(*shown[0].get_legend_handles_labels(), loc="outside lower center", ncols=2)
    return figure
