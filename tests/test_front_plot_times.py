"""Pictures of a part of the time, of events and losses in it, and of networks that change meanwhile."""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.text import Annotation, Text

import multihop
from multihop.ceiling.reach import Reach
from multihop.plots.events import MOST_NAMED
from multihop.plots.map import draw_map
from multihop.plots.record import Choice, draw
from multihop.record.record import Records

CUT = """
[[event]]
at = "1.5 s"
kind = "link-down"
from = "1"
to = "2"

[[event]]
at = "2.5 s"
kind = "link-up"
from = "1"
to = "2"
"""


@pytest.fixture
def cut(tiny: str, here: Path) -> list[Records]:
    """Runs of a network in which a link is away for a second."""
    (here / tiny).write_text((here / tiny).read_text(encoding="utf-8") + CUT, encoding="utf-8")
    return multihop.load(tiny).compare("none,reno,sack,small-window:2,small-window:3", runs=1).arms


@pytest.mark.parametrize(
    ("span", "names"),
    [
        ((3.0, 3.5), []),
        ((1.0, 2.0), ["link 1-2 down"]),
        ((1.0, 3.0), ["link 1-2 down", "link 1-2 up"]),
        (None, ["link 1-2 down", "link 1-2 up"]),
    ],
)
@pytest.mark.parametrize("kind", ["cwnd", "time-sequence"])
@pytest.mark.parametrize("panels", [1, 5])
@pytest.mark.filterwarnings("error")
def test_the_events_of_the_time_shown_are_named_within_the_axes(
    cut: list[Records], kind: str, span: tuple[float, float] | None, names: list[str], panels: int
) -> None:
    figure = draw(kind, cut[:panels], Choice(span=span))
    figure.draw_without_rendering()
    shown = [axes for axes in figure.axes if axes.get_visible()]
    [legend] = figure.legends
    for axes in shown:
        found = [text for text in axes.texts if text.get_text().startswith("link ")]
        assert [text.get_text() for text in found] == names
        around = axes.get_window_extent()
        assert around.width > 0.7 * figure.bbox.width / (1 if panels == 1 else 2)
        assert legend.get_window_extent().y1 < around.y0
        for text in found:
            box = text.get_window_extent()
            assert around.x0 - 1 <= box.x0 < box.x1 <= around.x1 + 1


def names_of(axes: Axes) -> list[Annotation]:
    return [text for text in axes.texts if isinstance(text, Annotation) and text.get_text()]


@pytest.mark.parametrize("kind", ["cwnd", "time-sequence"])
def test_names_of_events_stand_above_the_curves_and_not_on_each_other(tiny: str, here: Path, kind: str) -> None:
    """Events a hundredth of the picture apart, up to its end; both directions of a link are one."""
    instants = ("1.5", "1.51", "1.53", "3.98", "3.99", "3.995")
    kinds = ("link-down", "link-up") * 3
    pairs = zip(kinds, instants, strict=True)
    events = "".join(f'[[event]]\nat = "{at} s"\nkind = "{what}"\nfrom = "1"\nto = "2"\n' for what, at in pairs)
    (here / tiny).write_text(f"{(here / tiny).read_text(encoding='utf-8')}\n{events}", encoding="utf-8")
    figure = draw(kind, [multihop.load(tiny).run(runs=1)])
    figure.draw_without_rendering()
    [axes] = figure.axes
    named = [text for text in names_of(axes) if text.get_text().startswith("link ")]
    assert [text.get_text() for text in named] == ["link 1-2 down", "link 1-2 up"] * 3
    boxes = [text.get_window_extent() for text in named]
    around = axes.get_window_extent()
    words = axes.get_title(loc="left")
    [title] = [text for text in axes.get_children() if isinstance(text, Text) and text.get_text() == words]
    top = title.get_window_extent().y0
    assert all(around.y1 <= box.y0 and box.y1 <= top and box.x1 <= figure.bbox.x1 for box in boxes)
    assert not any(one.overlaps(other) for one, other in itertools.combinations(boxes, 2))
    assert [text.get_horizontalalignment() for text in named] == ["left"] * 3 + ["right"] * 3


def test_a_name_that_is_wider_than_the_picture_is_cut(tiny: str, here: Path) -> None:
    """Twenty nodes that go down at once."""
    chain = (here / tiny).read_text(encoding="utf-8").replace("hops = 3", "hops = 30")
    events = "".join(f'[[event]]\nat = "2 s"\nkind = "node-down"\nnode = "{n}"\n' for n in range(4, 24))
    (here / tiny).write_text(f"{chain}\n{events}", encoding="utf-8")
    figure = draw("cwnd", [multihop.load(tiny).run(runs=1)])
    figure.draw_without_rendering()
    [axes] = figure.axes
    [name] = names_of(axes)
    assert name.get_text().startswith("node 4 down, node 5 down")
    assert name.get_text().endswith("…")
    assert name.get_window_extent().x1 <= axes.get_window_extent().x1 + 1


def test_a_lone_probe_is_seen_beside_megabytes(cut: list[Records], tiny: str) -> None:
    """ELFN sends one segment again and again, which the scale makes lower than a point."""
    records = multihop.load(tiny).run(runs=1, techniques="elfn", set={"measure.events": 100000})
    figure = draw("time-sequence", [records], Choice(flow="1"))
    events = records.series("events")
    again = events[(events["flow"] == "1") & (events["kind"] == "retransmitted")]
    assert len(again)
    marks = [line for axes in figure.axes for line in axes.lines if line.get_marker() == "^"]
    assert any(set(line.get_xdata()) == set(again["time_s"]) for line in marks)  # type: ignore[arg-type]


def test_routes_outside_of_the_time_shown_are_not_in_the_legend(tiny: str) -> None:
    records = multihop.load(tiny).run(runs=1, techniques="aodv")
    labels = [
        draw("cwnd", [records], Choice(span=span)).axes[0].get_legend_handles_labels()[1] for span in (None, (2.2, 2.8))
    ]
    assert ["route found" in found for found in labels] == [True, False]


def test_words_under_losses_do_not_lie_on_each_other(cut: list[Records], tiny: str) -> None:
    """Losses close to each other: each has its mark, the first its words."""
    del cut
    long = multihop.load(tiny).run(runs=1, set={"run.duration": "60 s", "event.1.at": "50 s"})
    whole = long.series("losses").query("flow == '1'")
    losses = whole[whole["time_s"] < 45]
    assert 2 < len(losses) <= MOST_NAMED
    figure = draw("time-sequence", [long], Choice(span=(0.0, 45.0)))
    figure.draw_without_rendering()
    axes = figure.axes[0]
    boxes = [text.get_window_extent() for text in axes.texts if not text.get_text().startswith("link ")]
    marks = [line for line in axes.get_lines() if str(line.get_label()).startswith(("timeout: ", "dup-acks: "))]
    assert sum(len(np.asarray(line.get_xdata())) for line in marks) == len(losses)
    assert 0 < len(boxes) < len(losses)
    assert not any(one.overlaps(other) for one, other in itertools.combinations(boxes, 2))
    inside = axes.get_window_extent()
    for mark in marks:
        for place in np.column_stack([np.asarray(data, float) for data in mark.get_data()]):
            assert not any(box.contains(*axes.transData.transform(place)) for box in boxes)
    assert all(inside.x0 <= box.x0 and box.x1 <= inside.x1 and inside.y0 <= box.y0 for box in boxes)


@pytest.mark.parametrize("dpi", [72, 200])
def test_words_at_the_right_end_are_whole_at_every_resolution(here: Path, dpi: int) -> None:
    """Letters are hinted, and up to a tenth wider at some: the part of the time ends just after a loss."""
    kept = {"measure.events": 100_000, "measure.warm-up": "0 s", "run.duration": "120 s"}
    records = multihop.load("chain").run(runs=1, techniques="sack", set=kept)
    times = records.series("losses")["time_s"]
    assert len(times) > 4
    for after in (0.3, 0.64, 0.66, 0.68, 0.7):
        end = float(times.iloc[3]) + after
        figure = draw("time-sequence", [records], Choice(span=(end - 6, end)))
        figure.set_dpi(dpi)
        figure.draw_without_rendering()
        [axes] = figure.axes
        assert axes.texts
        assert all(text.get_window_extent().x1 <= axes.get_window_extent().x1 + 1 for text in axes.texts)


def test_losses_of_the_time_shown_are_in_the_picture(tiny: str) -> None:
    """Also where nothing was acknowledged in it."""
    noisy = {"air.bit-error-rate": 8e-5, "measure.events": 100_000}
    axes = draw("time-sequence", [multihop.load(tiny).run(runs=1, set=noisy)], Choice(span=(1.0, 2.0))).axes[0]
    low, high = axes.get_ylim()
    marks = [line for line in axes.get_lines() if str(line.get_label()).startswith(("timeout: ", "dup-acks: "))]
    assert marks
    assert all(low < seq < high for mark in marks for seq in np.asarray(mark.get_ydata(), float))


WALK = '{ kind = "random-waypoint", max-speed = "9 m/s", area = { width = "1 km", height = "1 m" } }'
AWAY = '[{ name = "0", x = "0 m" }, { name = "3", x = "200 m", waypoint = [{ at = "3 s", x = "210 m" }] }]'


@pytest.mark.parametrize(
    ("settings", "moves"),
    [
        ([], False),
        (['mobility={ kind = "static" }'], False),
        ([f"mobility={WALK}"], True),
        ([f'node=[{{ names = ["1"], mobility = {WALK} }}]'], True),
        ([f'topology={{ kind = "explicit", node = {AWAY} }}'], True),
    ],
)
def test_the_map_of_a_moving_network_says_of_when_it_is(tiny: str, settings: list[str], moves: bool) -> None:
    scenario = multihop.load(tiny)
    before = draw_map(Reach(scenario.resolve(set=settings)), "x")
    after = draw("map", [scenario.run(runs=1, set=settings)])
    for figure in (before, after):
        assert ("(places, links and paths at 0 s)" in " ".join(figure.axes[0].get_title(loc="left").split())) == moves
