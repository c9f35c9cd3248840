"""The map: names that can be read, a picture without empty thirds, and the ways of nodes that move."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.transforms import Bbox

import multihop
from multihop.ceiling.reach import Reach
from multihop.plots.map import draw_map
from multihop.scenario.scenario import Scenario


def drawn(text: str) -> tuple[Figure, Axes, Reach]:
    reach = Reach(Scenario("x", text, "x.toml").resolve())
    figure = draw_map(reach, "x")
    figure.draw_without_rendering()
    return figure, figure.axes[0], reach


def names(axes: Axes, reach: Reach) -> dict[str, Bbox]:
    return {text.get_text(): text.get_window_extent() for text in axes.texts if text.get_text() in reach.places}


def network(places: dict[str, tuple[float, float]], flow: tuple[str, str]) -> str:
    nodes = ", ".join(f'{{ name = "{name}", x = "{x} m", y = "{y} m" }}' for name, (x, y) in places.items())
    return (
        f'profile = "ns2"\ntopology = {{ kind = "explicit", node = [{nodes}] }}\n'
        f'[[flow]]\nfrom = "{flow[0]}"\nto = "{flow[1]}"\n'
    )


@pytest.mark.parametrize("scenario", ["random", "grid", "rwp", "chain", "cross-8"])
def test_no_two_names_overlap(scenario: str) -> None:
    _, axes, reach = drawn(multihop.load(scenario).text)
    found = names(axes, reach)
    assert len(found) > 0.8 * len(reach.places)
    for one, other in itertools.combinations(found.values(), 2):
        middle = Bbox.from_extents(one.x0 + 2, one.y0 + 3, one.x1 - 2, one.y1 - 3)  # letters have room around them
        assert middle.width <= 0 or not middle.overlaps(other)


def test_names_keep_off_paths_where_there_is_room() -> None:
    """A street that bends at each house: right above a house runs the path."""
    street = {f"house-{i}": (200.0 * i, 120.0 * (i % 2)) for i in range(8)}
    _, axes, reach = drawn(network(street, ("house-0", "house-7")))
    found = names(axes, reach)
    assert found.keys() == street.keys()
    hops = [axes.transData.transform([street[f"house-{i}"], street[f"house-{i + 1}"]]) for i in range(7)]
    points = np.concatenate([hop[0] + np.linspace(0, 1, 200)[:, None] * (hop[1] - hop[0]) for hop in hops])
    for box in found.values():
        assert not any(box.contains(x, y) for x, y in points)


@pytest.mark.parametrize(("across", "up"), [(3000.0, 300.0), (300.0, 3000.0), (900.0, 900.0)])
def test_a_map_fills_its_picture(across: float, up: float) -> None:
    """Neither a flat nor a tall network leaves empty thirds, and the axes begin near the outermost node."""
    places = {f"n{i}": (across * i / 14, up * i / 14) for i in range(15)}
    figure, axes, _ = drawn(network(places, ("n0", "n1")))
    page, used = figure.bbox, axes.get_tightbbox()
    assert used is not None
    below = max(legend.get_window_extent().y1 for legend in figure.legends)
    assert page.y1 - used.y1 < 0.15 * page.height
    assert used.y0 - below < 0.15 * page.height
    low, high = axes.get_ylim()
    assert low > -0.1 * max(across, up)
    assert high < up + 0.1 * max(across, up)


def test_the_way_of_a_node_that_moves_is_drawn_and_fits() -> None:
    """It walks 100 s in two legs; the run ends after the first half of the second."""
    way = '[{ at = "40 s", x = "800 m", y = "0 m" }, { at = "80 s", x = "800 m", y = "400 m" }]'
    walker = f'{{ name = "walker", x = "0 m", y = "0 m", waypoint = {way} }}'
    text = (
        f'profile = "ns2"\nrun.duration = "60 s"\ntopology = {{ kind = "explicit", node = [{walker}, '
        '{ name = "mast", x = "100 m", y = "0 m" }] }\n[[flow]]\nfrom = "walker"\nto = "mast"\n'
    )
    _, axes, reach = drawn(text)
    assert [tuple(point) for point in reach.traces["walker"]] == [(0, 0), (800, 0), (800, 200)]
    assert reach.traces.keys() == {"walker"}
    ways = [np.asarray(line.get_xydata()) for line in axes.get_lines() if len(np.asarray(line.get_xdata())) == 3]
    assert any(np.allclose(way, [(0, 0), (800, 0), (800, 200)]) for way in ways)
    assert axes.get_xlim()[1] > 800
    assert axes.get_ylim()[1] > 200


def test_nodes_that_stay_have_no_way() -> None:
    assert Reach(multihop.load("chain").resolve()).traces == {}
    assert len(Reach(multihop.load("rwp").resolve()).traces) == 50


def test_the_rates_of_links_are_told_where_a_rule_chooses_them() -> None:
    figure, axes, reach = drawn(multihop.load("mesh-11n").text)
    labels = [text.get_text() for text in figure.legends[0].get_texts()]
    assert labels[-2:] == ["slowest link: 86.67 Mb/s", "fastest link: 144.4 Mb/s"]
    assert labels[0].endswith("1 hop at 115.6 Mb/s")
    assert labels[2].endswith("4 hops at 86.67 Mb/s or more")
    (x, y), near, far = (reach.places[f"house-{number}"] for number in (1, 2, 5))
    ends = [np.asarray(line.get_xydata()).tolist() for line in axes.lines]
    widths = [line.get_linewidth() for line in axes.lines]
    assert widths[ends.index([[x, y], [*near]])] > widths[ends.index([[x, y], [*far]])]


def test_links_of_one_rate_are_drawn_alike() -> None:
    figure, _, reach = drawn(multihop.load("chain").text)
    assert all(link.rate_bps is None for link in reach.links.values())
    assert not any("link:" in text.get_text() for text in figure.legends[0].get_texts())


MESH = """
profile = "openwrt"
topology = { kind = "explicit", node = [
    { name = "mast", x = "0 m", y = "0 m" }, { name = "barn", x = "180 m", y = "60 m" },
    { name = "mill", x = "250 m", y = "-120 m" }, { name = "inn", x = "330 m", y = "90 m" },
] }
mac.standard = "802.11n"
[[flow]]
from = "inn"
to = "mast"
"""


def test_links_carry_their_rates_where_there_is_room() -> None:
    _, axes, reach = drawn(MESH)
    rates = {
        frozenset(ends): min(link.rate_bps or 0, reach.links[ends[::-1]].rate_bps or 0)
        for ends, link in reach.links.items()
        if link.decodable
    }
    assert len(set(rates.values())) > 1
    labels = {text.get_text(): text for text in axes.texts if text.get_text().endswith("Mb/s")}
    assert labels.keys() == {f"{rate / 1e6:.3g} Mb/s" for rate in rates.values()}
    boxes = [text.get_window_extent() for text in axes.texts if text.get_text().endswith("Mb/s")]
    assert len(boxes) == len(rates)
    found = names(axes, reach)
    assert found.keys() == reach.places.keys()
    # a label lies along its link: near its middle, turned like it
    for ends, rate in rates.items():
        (x0, y0), (x1, y1) = axes.transData.transform([reach.places[name] for name in sorted(ends)])
        mine = [
            text
            for text in axes.texts
            if text.get_text() == f"{rate / 1e6:.3g} Mb/s"
            and text.get_rotation() % 180 == pytest.approx(np.degrees(np.arctan2(y1 - y0, x1 - x0)) % 180, abs=1)
        ]
        middles = [((box := text.get_window_extent()).x0 + box.x1) / 2 - (x0 + x1) / 2 for text in mine]
        assert min(map(abs, middles)) < 15


def test_a_crowded_network_has_no_labels_on_links() -> None:
    _, axes, reach = drawn(multihop.load("mesh-11n").text)
    assert len([link for link in reach.links.values() if link.decodable]) / 2 > 30
    assert not any(text.get_text().endswith("Mb/s") for text in axes.texts)


def test_links_show_their_channels_and_what_all_have_in_common() -> None:
    figure, axes, _ = drawn(multihop.load("backhaul-11ac").text)
    along = [text.get_text() for text in axes.texts if text.get_text().startswith("ch ")]
    assert along == ["ch 36", "ch 52", "ch 100", "ch 149", "ch 36"]
    shown = figure.legends[0]
    legend = {text.get_text(): line for text, line in zip(shown.get_texts(), shown.get_lines(), strict=True)}
    assert "all links: MCS 7, 2 streams" in legend
    tuned = {label: line.get_color() for label, line in legend.items() if label.startswith("channel ")}
    assert [*tuned] == [f"channel {number} (ch)" for number in (36, 52, 100, 149)]
    assert len(set(tuned.values())) == 4
    flow = next(line.get_color() for label, line in legend.items() if label.startswith("flow"))
    assert flow not in tuned.values()
