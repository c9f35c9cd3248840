"""Figures: every kind is drawn from records, in every format, the same each time."""

from __future__ import annotations

import errno
import re
import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import pytest

import multihop
from conftest import Cli
from multihop.errors import InputError, StoreError
from multihop.measures.summary import value
from multihop.plots.record import KINDS, Choice, draw
from multihop.plots.style import canvas, inline, legend_below, rendered, save, styled

LOSSY = {"air.bit-error-rate": "5e-5"}


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_is_drawn(tiny: str, kind: str) -> None:
    # A rate is of ATP's flows.
    techniques = ["atp", "none"] if kind == "rate" else ["none", "persistent-queue"]
    arms = multihop.load(tiny).compare(techniques, runs=3, set=LOSSY).arms
    for some in (arms[:1], arms):
        svg = rendered(draw(kind, some), "svg", kind)
        assert ET.fromstring(svg).tag.endswith("svg")  # noqa: S314 - our own file


@pytest.mark.parametrize(("lines", "columns"), [(3, 3), (5, 3), (6, 3), (7, 4), (10, 5)])
def test_a_legend_fills_its_columns_evenly(lines: int, columns: int) -> None:
    figure, grid = canvas(8.0, 3.0)
    for n in range(lines):
        grid[0][0].plot([0, 1], [0, n], label=f"line {n}")
    legend_below(figure, grid[0][0], columns=5 if lines > 8 else 4)
    (legend,) = figure.legends
    figure.draw_without_rendering()
    assert len({round(text.get_window_extent().x0) for text in legend.get_texts()}) == columns


def test_a_long_legend_leaves_the_panel_its_height() -> None:
    heights = []
    for lines in (3, 12):
        with styled():
            figure, grid = canvas(3.0, 3.0)
            for n in range(lines):
                grid[0][0].plot([0, 1], [0, 1], label=f"one of the many lines {n:2}")
            legend_below(figure, grid[0][0])
            figure.draw_without_rendering()
        heights.append(grid[0][0].get_window_extent().height)
    assert heights[1] == pytest.approx(heights[0], rel=0.05)


def test_the_same_figure_is_the_same_bytes(tiny: str, here: Path) -> None:
    records = multihop.load(tiny).run(runs=2)
    for suffix in (".svg", ".png", ".pdf"):
        for name in ("a", "b"):
            save(draw("goodput", [records]), here / name / f"goodput{suffix}")
        one, two = ((here / name / f"goodput{suffix}").read_bytes() for name in ("a", "b"))
        assert one == two
        assert len(one) > 1000


def test_an_inline_figure_takes_the_pages_colours(tiny: str) -> None:
    records = multihop.load(tiny).run(runs=2)
    text = inline(rendered(draw("goodput", [records]), "svg", "one"), "one")
    assert text.startswith("<svg")
    assert "currentColor" in text
    assert "#1c1c1e" not in text
    assert "http://www.w3.org" in text
    assert 'id="one-' in text
    assert 'href="#one-' in text


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "rate"])
def test_on_a_dark_page_no_colour_stays_that_of_paper(tiny: str, kind: str) -> None:
    """What is drawn black has no colour in an SVG, or is #000000: neither could be seen there."""
    arms = multihop.load(tiny).compare("none,small-window:2", runs=3, set={**LOSSY, "measure.events": 10000}).arms
    text = inline(rendered(draw(kind, arms), "svg", kind), kind)
    assert re.findall(r"#[0-9a-fA-F]{6}\b", text) == []
    assert re.match(r'<svg [^>]*\bfill="currentColor"', text)
    assert not re.search(r"(?:fill|stroke): *(?:black|rgb)", text)


def test_many_nodes_have_a_bar_and_a_name_each(tiny: str) -> None:
    """A network of 30 nodes: those that dropped are named, not only the first."""
    arms = (
        multihop.load("random").compare("none,drr", runs=1, set={"run.duration": "40 s", "measure.warm-up": "5 s"}).arms
    )
    dropped = {str(drop["node"]) for arm in arms for run in arm.runs for drop in run["drops"]}
    figure = draw("drops", arms)
    assert dropped
    assert {label.get_text() for label in figure.axes[-1].get_xticklabels()} == dropped
    assert len(draw("airtime", arms).axes[-1].get_xticklabels()) == 24


def test_goodput_of_many_techniques_and_flows_fits_a_page(tiny: str) -> None:
    arms = (
        multihop.load("random")
        .compare(
            "none,drr,sack,small-window:2,small-window:3,red-ecn",
            runs=1,
            set={"run.duration": "30 s", "measure.warm-up": "5 s"},
        )
        .arms
    )
    figure = draw("goodput", arms)
    assert figure.get_figwidth() <= 10
    panels = [axes for axes in figure.axes if axes.get_visible()]
    titles = [axes.get_title(loc="left").replace("\n", " ") for axes in panels]
    assert titles[0] == "all 5 flows together"
    assert [title.split(":")[0] for title in titles[1:]] == [f"flow {n}" for n in range(1, 6)]
    measured = [max(value(arm.runs[0], "goodput_bps", flow) for arm in arms) for flow in (None, *"12345")]
    for axes, most in zip(panels, measured, strict=True):
        scale = 1e6 if "Mbit" in axes.get_xlabel() else 1e3
        assert most == 0 or most / scale <= axes.get_xlim()[1] <= 1.3 * most / scale  # a scale of its own


def test_figures_stand_on_white_and_in_the_report_on_the_page(tiny: str) -> None:
    """Dark text on a transparent ground cannot be read on a dark page."""
    svg = rendered(draw("goodput", [multihop.load(tiny).run(runs=1)]), "svg", "one")
    first = re.search(r'<path [^>]*style="fill: (#[0-9a-f]{6})', svg.decode())
    assert first
    assert first[1] == "#ffffff"
    assert "#ffffff" not in inline(svg, "one")
    assert "fill: var(--page)" in inline(svg, "one")


def test_a_figure_that_cannot_be_written_leaves_nothing(tiny: str, here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    figure = draw("goodput", [multihop.load(tiny).run(runs=1)])

    def full(path: Path, content: bytes) -> int:
        with path.open("wb") as out:
            out.write(content[:100])
        raise OSError(errno.ENOSPC, "No space left on device")

    (here / "old.svg").write_text("old")
    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(StoreError, match=r"old\.svg cannot be written: the disk is full"):
        save(figure, here / "old.svg")
    assert (here / "old.svg").read_text() == "old"
    assert not [p for p in here.iterdir() if p.name.startswith(".old")]


def test_names_that_would_run_into_each_other_are_slanted(tiny: str, here: Path) -> None:
    def slants(records: multihop.Records, kind: str) -> set[float]:
        [axes] = draw(kind, [records]).axes
        return {label.get_rotation() for label in axes.get_xticklabels()}

    text = (here / tiny).read_text().replace('kind = "bulk"', 'kind = "bulk"\nname = "films of the village"', 1)
    (here / "long.toml").write_text(text)
    assert slants(multihop.load("long.toml").run(runs=1), "goodput") == {40.0}
    for kind in ("goodput", "drops", "airtime"):
        assert slants(multihop.load(tiny).run(runs=1), kind) == {0.0}


def test_titles_say_what_was_set_and_stay_inside(tiny: str) -> None:
    from matplotlib.text import Text

    records = multihop.load(tiny).run(runs=3, set=LOSSY)
    for kind in (kind for kind in KINDS if kind != "rate"):  # which no TCP flow has
        figure = draw(kind, [records])
        rendered(figure, "png", kind)  # which places everything
        title = figure.axes[0].get_title(loc="left")
        assert title.replace("\n", " ").startswith("tiny.toml with air.bit-error-rate=5e-5")
        [drawn] = [t for t in figure.axes[0].get_children() if isinstance(t, Text) and t.get_text() == title]
        assert drawn.get_window_extent().x1 <= figure.get_figwidth() * 200  # the dots of an inch of a PNG


def test_what_cannot_be_drawn(tiny: str, here: Path) -> None:
    records = multihop.load(tiny).run(runs=1)
    with pytest.raises(InputError, match="there is no figure `goodputs`"):
        draw("goodputs", [records])
    with pytest.raises(InputError, match="there is no TCP flow `9`"):
        draw("cwnd", [records], Choice(flow="9"))
    with pytest.raises(InputError, match="there is no run 7"):
        draw("cwnd", [records], Choice(run=7))
    with pytest.raises(InputError, match="must end in"):
        save(draw("goodput", [records]), here / "goodput.gif")
    (here / "file").write_text("")
    with pytest.raises(StoreError, match="cannot be written"):
        save(draw("goodput", [records]), here / "file" / "goodput.svg")


def test_plot_draws_the_latest_or_a_record(cli: Cli, tiny: str, here: Path) -> None:
    records = multihop.load(tiny).run(runs=2)
    assert cli("plot", "goodput").code == 0
    assert (here / "goodput.svg").is_file()
    assert cli("plot", records.id[:8], "airtime", "--out", "air.png").code == 0
    assert (here / "air.png").read_bytes().startswith(b"\x89PNG")
    assert cli("plot", "cwnd", records.id[:8], "--flow", "2", "--run", "2").code == 0


@pytest.mark.parametrize(("words", "said"), [(["drop"], "there is no figure"), (["a", "b", "drops"], "one record")])
def test_plot_of_what_is_not_there(cli: Cli, tiny: str, words: list[str], said: str) -> None:
    multihop.load(tiny).run(runs=1)
    done = cli("plot", *words)
    assert done.code == 2
    assert said in done.err


def test_windows_are_drawn_under_the_events_and_routes_of_their_time(here: Path) -> None:
    """Node 2 goes and returns; AODV loses the route and finds it; the legend has the marks of all panels."""
    changed = {"run.duration": "12 s", "measure.warm-up": "0 s", "event.0.at": "3 s", "event.1.at": "5 s"}
    arms = [multihop.load("partition").run(1, techniques=names, set=changed) for names in ([], ["aodv"])]
    drawn = draw("cwnd", arms)
    for axes in drawn.axes:
        assert [text.get_text() for text in axes.texts if text.get_text()] == ["node 2 down", "node 2 up"]
        assert [np.asarray(line.get_xdata())[0] for line in axes.lines if line.get_linestyle() == ":"] == [3.0, 5.0]
    named = {text.get_text() for text in drawn.legends[0].get_texts()}
    assert {"window in use", "route lost", "route found"} <= named
    assert any(name.startswith("timeout: ") for name in named)
    lost = arms[1][0].series("routes").query("found == 'lost'")["time_s"]
    assert len(lost)
    assert lost.between(3, 5).all()
