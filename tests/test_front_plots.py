"""Figures that teach: bounds drawn, truths told, ten techniques apart; and the map, before and after a run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.collections import PathCollection

import multihop
from conftest import Cli
from multihop.ceiling.reach import Reach
from multihop.errors import InputError
from multihop.plots.map import draw_map
from multihop.plots.phases import NAMES, ROOM, spans
from multihop.plots.record import KINDS, Choice, draw
from multihop.record.record import Records

TEN = ["none", *(f"small-window:{n}" for n in range(2, 11))]


@pytest.fixture
def ten(tiny: str) -> list[Records]:
    return multihop.load(tiny).compare(TEN, runs=3).arms


def reach(name: str, **sets: object) -> Reach:
    return Reach(multihop.load(name).resolve(set={key.replace("__", "."): value for key, value in sets.items()}))


@pytest.mark.parametrize("kind", ["cwnd", "time-sequence", "drops", "airtime"])
def test_each_technique_has_a_panel_of_its_own(ten: list[Records], kind: str) -> None:
    figure = draw(kind, ten)
    shown = [axes for axes in figure.axes if axes.get_visible()]
    assert len(shown) == len(TEN)
    assert all(any(name in axes.get_title(loc="left") for axes in shown) for name in TEN)
    [legend] = figure.legends
    assert len(legend.get_texts()) <= 12
    assert len({axes.get_ylim() for axes in shown}) == 1


def test_a_figure_of_a_transport_shows_the_techniques_under_which_it_runs(tiny: str) -> None:
    arms = multihop.load(tiny).compare(["none", "atp"], runs=1).arms
    for kind, name in (("cwnd", "none"), ("time-sequence", "none"), ("rate", "atp")):
        [axes] = draw(kind, arms).axes
        assert f", {name}:" in axes.get_title(loc="left")
    lines = {str(line.get_label()): np.asarray(line.get_ydata(), float) for line in axes.get_lines()}
    assert lines.keys() == {"reported", "sending"}
    assert np.nanmax(lines["sending"]) > 1
    for kind, transport, arm in (("cwnd", "TCP", arms[1]), ("rate", "ATP", arms[0])):
        with pytest.raises(InputError, match=f"this figure is for {transport} flows only"):
            draw(kind, [arm])
    with pytest.raises(InputError, match="For TCP use `plot cwnd` or `plot time-sequence`"):
        draw("rate", [arms[0]])


@pytest.mark.parametrize("kind", ["goodput", "box", "cdf"])
def test_ten_techniques_are_told_apart_by_name(ten: list[Records], kind: str) -> None:
    figure = draw(kind, ten)
    figure.canvas.draw()
    words = {text.get_text() for axes in figure.axes for text in axes.get_yticklabels()}
    words |= {text.get_text() for legend in figure.legends for text in legend.get_texts()}
    assert words >= set(TEN)


def test_the_window_in_use_never_exceeds_its_bound(tiny: str) -> None:
    records = multihop.load(tiny).run(runs=1, techniques="small-window:4")
    axes = draw("cwnd", [records]).axes[0]
    lines = {str(line.get_label()): np.asarray(line.get_ydata(), float) for line in axes.get_lines()}
    assert lines["window in use"].max() <= 4
    assert lines["cwnd beyond the bound (unused)"].max() > 4
    assert set(lines["bound of the window (tcp.max-window)"]) == {4.0}


def test_marks_say_what_had_happened(tiny: str) -> None:
    records = multihop.load(tiny).run(runs=1, set={"air.bit-error-rate": 8e-5})
    found = records.runs[0]["flows"][0]["losses"]
    labels = draw("time-sequence", [records]).axes[0].get_legend_handles_labels()[1]
    assert found
    assert any(label.startswith(("dup-acks: ", "timeout: ")) for label in labels)


@pytest.mark.parametrize(
    ("kind", "choice", "words"),
    [
        ("airtime", Choice(flow="1"), "--flow means something to goodput"),
        ("drops", Choice(run=1), "shows no single run"),
        ("drops", Choice(flow="9"), "there is no flow `9`"),
        ("goodput", Choice(flow="9"), "there is no flow `9`"),
        ("map", Choice(flow="1"), "shows no single flow"),
    ],
)
def test_options_that_mean_nothing_are_refused(tiny: str, kind: str, choice: Choice, words: str) -> None:
    records = multihop.load(tiny).run(runs=1)
    with pytest.raises(InputError, match=words):
        draw(kind, [records], choice)


def test_a_distribution_needs_runs(tiny: str) -> None:
    with pytest.raises(InputError, match="at least 3 runs, not 2"):
        draw("cdf", [multihop.load(tiny).run(runs=2)])


def test_the_map_before_and_after_a_run(cli: Cli, tiny: str, here: Path) -> None:
    assert cli("plot", tiny, "map").code == 0
    assert "flow 1: 0" in " ".join(draw_map(reach(tiny), "x").legends[0].get_texts()[0].get_text().split())
    records = multihop.load(tiny).run(runs=2)
    told = [text.get_text() for text in draw("map", [records]).legends[0].get_texts()]
    assert any("time spent sending" in line for line in told)
    assert cli("plot", "map", "--out", "after.png").code == 0
    assert (here / "map.svg").read_text().startswith("<?xml")
    assert cli("plot", tiny, "map", "--flow", "1").code == 2


def test_rings_of_drops_are_not_drawn_through_the_names_of_nodes(tiny: str) -> None:
    records = multihop.load(tiny).run(runs=1, set={"air.bit-error-rate": 8e-5})
    figure = draw("map", [records])
    figure.draw_without_rendering()
    axes = figure.axes[0]
    names = {text.get_text(): text.get_window_extent() for text in axes.texts if text.get_text() in {*"0123"}}
    rings = [found for found in axes.collections if np.size(found.get_offsets()) and not np.size(found.get_facecolor())]
    places = [place for ring in rings for place in np.asarray(ring.get_offsets(), float)]
    sizes = [size for ring in rings if isinstance(ring, PathCollection) for size in ring.get_sizes()]
    assert names.keys() == {*"0123"}
    assert places
    for place, size in zip(places, sizes, strict=True):
        centre, radius = axes.transData.transform(place), 0.5 * size**0.5 * figure.dpi / 72
        for box in names.values():
            nearest = np.clip(centre, (box.x0, box.y0), (box.x1, box.y1))
            assert np.hypot(*(nearest - centre)) > radius


def test_a_listed_network_has_a_map_without_places() -> None:
    found = reach("partition") if not reach("partition").placed else None
    links = 'kind = "links"\nlink = [{ from = "a", to = "b", loss = 0.2 }, { from = "b", to = "c" }]'
    text = f'[topology]\n{links}\n[[flow]]\nfrom = "a"\nto = "c"\n'
    listed = found or Reach(multihop.scenario.scenario.Scenario("x", text, "x.toml").resolve())
    figure = draw_map(listed, "listed")
    assert not listed.placed
    assert "places mean nothing" in figure.axes[0].get_xlabel()
    assert any(text.get_text() == "80 %" for text in figure.axes[0].texts)


@pytest.mark.parametrize("loss", ["0", "0.2"])
def test_a_listed_network_has_no_range_to_state(loss: str, here: Path, cli: Cli) -> None:
    (here / "listed.toml").write_text(
        f'[topology]\nkind = "links"\nlink = [{{ from = "a", to = "b", loss = {loss} }}, {{ from = "b", to = "c" }}]\n'
        '[[flow]]\nfrom = "a"\nto = "c"\n'
    )
    found = cli("check", "listed.toml")
    assert found.code == 0, found.err
    assert "2 links between 3 nodes." in found.out
    assert "m away" not in found.out
    assert "a frame is decoded up to 250 m away" in cli("check", "chain").out


def test_paths_are_the_shortest_and_hidden_stations_are_those_out_of_carrier_sense() -> None:
    chain = reach("chain")
    [way] = chain.ways()
    assert way.path == tuple(str(n) for n in range(8))
    # 200 m apart: decoded over 250 m, sensed over 550 m
    assert chain.senses("0", "2")
    assert not chain.senses("0", "3")
    assert ("0", "3") in chain.hidden_pairs()
    assert ("0", "2") not in chain.hidden_pairs()
    assert len(way.shared) == 3
    assert chain.parts() == [list(way.path)]


@pytest.mark.parametrize("hops", [1, 2, 3])
@pytest.mark.parametrize("faster", [{}, {"mac.data-rate": "11 Mbps"}, {"mac.data-rate": "11 Mbps", "tcp.ack-every": 2}])
def test_short_chains_come_near_the_ceiling_and_not_above_it(hops: int, faster: dict[str, Any]) -> None:
    """Over up to three hops no two can send at a time: TCP gets what frame times leave, less what collides."""
    sets = {"topology.hops": hops, "flow.1.to": str(hops), "run.duration": "130 s"} | faster
    scenario = multihop.load("chain")
    [way] = Reach(scenario.resolve(set=sets)).ways()
    measured = scenario.run(runs=10, set=sets).values("goodput_bps")
    assert max(measured) < way.ceiling_bps
    assert (0.88 if faster else 0.94) * way.ceiling_bps < measured.mean()


def test_longer_chains_stay_below_it() -> None:
    [way] = reach("chain").ways()
    assert multihop.load("chain").run(runs=1).values("goodput_bps")[0] < way.ceiling_bps


def test_check_runs_nothing_and_says_what_limits_each_flow(cli: Cli, here: Path) -> None:
    done = cli("check", "two-flows")
    assert done.code == 0
    text = " ".join(done.out.split())
    assert "Flow 1 (0 to 7) has 7 hops. The 3 hops from 0 to 3 share the air: only one can send at a time." in text
    assert "hidden pair" in text
    assert not list(here.iterdir())
    document = json.loads(cli("check", "two-flows", "--json").out)
    assert document["flows"][1]["path"] == ["3", "4"]
    assert cli("check", "two-flows", "--map", "net.svg").code == 0
    assert (here / "net.svg").exists()


def test_check_names_the_link_that_loses_most(cli: Cli, here: Path) -> None:
    (here / "links.csv").write_text("from,to,loss\na,b,10%\nb,c,40%\na,d,2%\n")
    assert cli("import", "links.csv", "--flow", "a:c", "--flow", "a:b", "--flow", "a:d").code == 0
    text = " ".join(cli("check", "links.toml").out.split())
    assert "Losses come on top: the link from b to c loses 40 % of frames." in text
    assert "the link from a to b loses 10 % of frames" in text
    assert "from a to d loses" not in text


def test_check_names_parts_that_do_not_hear_each_other(cli: Cli) -> None:
    done = cli("check", "chain", "--set", "topology.spacing=300 m")
    assert "parts that do not hear each other" in done.out
    assert "has no path" in done.out
    assert "warning: flow `1`" in done.out


def test_a_rate_that_no_phy_here_has_is_pointed_out(cli: Cli) -> None:
    assert "which has 1, 2, 5.5 and 11 Mbps" in cli("check", "chain", "--set", "mac.data-rate=600 Mbps").out
    assert "5.5 and 11" not in cli("check", "chain", "--set", "mac.data-rate=5.5 Mbps").out


def test_every_kind_has_a_caption() -> None:
    from multihop.report.records import CAPTIONS

    assert CAPTIONS.keys() == KINDS.keys()


LOSSY = {"air.bit-error-rate": 8e-5, "tcp.sack-rule": "rfc6675"}
NOISY = {**LOSSY, "measure.events": 100_000}


def test_events_are_kept_when_asked_for_and_count_what_tcp_counts(tiny: str) -> None:
    loaded = multihop.load(tiny)
    plain = loaded.run(runs=1, techniques="sack", set={**LOSSY, "measure.warm-up": "0 s"})
    kept = loaded.run(runs=1, techniques="sack", set={**NOISY, "measure.warm-up": "0 s"})
    assert "events" not in plain[0].series_names
    assert kept[0].data["fingerprint"] == plain[0].data["fingerprint"]  # to look changes nothing
    events, losses = kept.series("events"), kept.series("losses")
    for flow in kept.runs[0]["flows"]:
        own = events[events["flow"] == flow["id"]]
        counts = own["kind"].value_counts()
        assert counts["retransmitted"] == flow["retransmissions"] > 0
        assert counts.get("timeout", 0) == flow["timeouts"]
        assert counts["sent"] + counts["retransmitted"] == flow["sent_packets"]
        assert counts["dup-ack"] > 0
        assert counts["sack"] > 0
        assert own["time_s"].is_monotonic_increasing
        sent = own[own["kind"] == "sent"]
        assert (sent["seq"].to_numpy()[1:] == sent["end"].to_numpy()[:-1]).all()  # each byte once, in order
        acked = own[own["kind"] == "ack"]
        assert (acked["seq"].to_numpy()[1:] == acked["end"].to_numpy()[:-1]).all()
        repaired = {*own.loc[own["kind"] == "retransmitted", "seq"]}
        assert {*losses.loc[losses["flow"] == flow["id"], "seq"]} <= repaired


def test_events_behind_a_shim_are_kept_too(tiny: str) -> None:
    records = multihop.load(tiny).run(runs=1, techniques="atcp", set={**NOISY, "measure.warm-up": "0 s"})
    [flow, _] = records.runs[0]["flows"]
    counts = records.series("events").query("flow == '1'")["kind"].value_counts()
    assert counts["sent"] > 0
    assert counts["sent"] + counts.get("retransmitted", 0) >= flow["sent_packets"]


def test_no_more_events_are_kept_than_asked_for_and_it_is_said(cli: Cli, tiny: str) -> None:
    assert cli("run", tiny, "-n", "1", "--set", "measure.events=50").code == 0
    events = multihop.records().series("events")
    assert {*events.groupby("flow", observed=True).size()} == {50}
    done = cli("plot", "cwnd")
    assert "none: the events of TCP end at" in done.out
    assert cli("run", tiny, "-n", "1").code == 0
    assert "with --set measure.events=100000 a run keeps every event" in cli("plot", "cwnd").out


def test_a_part_of_the_time_is_drawn_from_every_event(tiny: str) -> None:
    records = multihop.load(tiny).run(runs=1, techniques="sack", set=NOISY)
    axes = draw("time-sequence", [records], Choice(span=(1.0, 2.0))).axes[0]
    assert axes.get_xlim() == (1.0, 2.0)
    labels = axes.get_legend_handles_labels()[1]
    assert {"window", "its bound", "acknowledged", "sent", "sent again"} <= {*labels}
    losses = records.series("losses").query("flow == '1' and 1 <= time_s <= 2")
    assert [text.get_text() for text in axes.texts] == [*losses["truth"].astype(str)]
    assert len(losses)
    marks = [line for line in axes.get_lines() if line.get_label() == "sent again"]
    assert [line.get_marker() for line in marks] == ["^"]  # as they are drawn, not as a line
    lines = {str(line.get_label()): line for line in draw("cwnd", [records]).axes[0].get_lines()}
    events = records.series("events").query("flow == '1'")
    assert len(np.asarray(lines["window in use"].get_xdata())) == len(events) + 1  # it lasts to the end
    assert len(np.asarray(lines["duplicate ACK"].get_xdata())) == (events["kind"] == "dup-ack").sum()


@pytest.mark.parametrize("time", ["20", "20:10", "a:b", "-1:3", "1:inf", "1:2:3", ":"])
def test_a_time_that_is_none_is_refused(cli: Cli, tiny: str, time: str) -> None:
    cli("run", tiny, "-n", "1")
    done = cli("plot", "cwnd", "--time", time)
    assert (done.code, len(done.err.splitlines())) == (2, 1)
    assert "two times in seconds like 20:25" in done.err


@pytest.mark.parametrize("kind", ["cwnd", "time-sequence"])
def test_a_time_without_the_flow_is_refused(cli: Cli, tiny: str, kind: str) -> None:
    """Nothing would be in the picture."""
    assert cli("run", tiny, "-n", "1", "--set", "flow.1.start=1s").code == 0
    for time in ("0:1", "0.2:0.9", "4:5", "9:20"):
        done = cli("plot", kind, "--time", time)
        assert (done.code, done.out) == (2, "")
        assert "flow 1 begins at 1 s, and the run ends at 4 s" in done.err
    assert cli("plot", kind, "--time", "0:2").code == 0


def test_a_time_in_which_nothing_moved_is_drawn_without_a_word(tiny: str) -> None:
    """A path that is broken: the line is flat, and the picture has a height all the same."""
    broken = multihop.load(tiny).run(runs=1, set=["measure.sample=0.1s", 'flow.1.kind="file"', "flow.1.size=3000B"])
    low, high = draw("time-sequence", [broken], Choice(span=(3.0, 3.9))).axes[0].get_ylim()
    assert low < high


def test_spreads_fill_the_picture(tiny: str) -> None:
    """Runs that differ by little are not a stroke at its edge; those near nothing are drawn from 0."""
    arms = multihop.load(tiny).compare("none,drr", runs=4).arms
    for kind in ("cdf", "box"):
        axes = draw(kind, arms).axes[0]
        values = [v / 1e3 for arm in arms for v in arm.values("goodput_bps")]
        low, high = axes.get_xlim()
        assert low <= min(values) <= max(values) <= high
        assert low == 0 or (max(values) - min(values)) > 0.8 * (high - low)


def test_a_window_kept_event_by_event_lasts_to_the_end_of_the_run(tiny: str) -> None:
    """A link is cut, or all is sent, long before: the window is still there. Not where no more events were kept."""
    short = {"flow.1.kind": "file", "flow.1.size": "20 kB", "measure.warm-up": "0 s", "measure.window": "[]"}

    def ends(events: int, span: tuple[float, float] | None = None) -> float:
        records = multihop.load(tiny).run(runs=1, set={**short, "measure.events": events})
        figure = draw("cwnd", [records], Choice(flow="1", span=span))
        [line] = [line for line in figure.axes[0].get_lines() if line.get_label() == "window in use"]
        return float(np.asarray(line.get_xdata())[-1])

    assert ends(100_000) == 4.0
    assert ends(100_000, (0.0, 3.0)) == 3.0
    assert ends(10) < 1.0


def test_a_map_says_how_many_flows_it_leaves_out() -> None:
    labels = [text.get_text() for legend in draw_map(reach("rwp"), "rwp").legends for text in legend.get_texts()]
    assert labels[-1] == "and 2 more flows, not drawn"


def test_the_legend_of_windows_stands_whole_in_the_picture(cli: Cli, here: Path) -> None:
    assert cli("compare", "partition", "-t", "none,tcp-f,elfn", "-n", "2").code == 0
    picture = multihop.plot("cwnd")
    picture.canvas.draw()
    [legend] = picture.legends
    assert len(legend.get_texts()) >= 5
    drawn = legend.get_window_extent()
    assert picture.bbox.x0 <= drawn.x0
    assert drawn.x1 <= picture.bbox.x1


def wired(window: str, **keys: str) -> Records:
    """A transfer of 15 s over a wire of 10 Mb/s and 40 ms, looked at each 20 ms."""
    settings = {"run.duration": "15 s", "measure.warm-up": "0 s", "measure.sample": "20 ms", **keys}
    return multihop.load("wire").run(runs=1, techniques=window, set=settings)


def test_the_phases_of_bbr_stand_above_its_window() -> None:
    """PROBE_RTT begins ten seconds after the least round trip and lasts 200 ms and a round: the window is four segments
    in that time alone. Nothing of the window is under the strip."""
    records = wired("bbr")
    axes = draw("cwnd", [records]).axes[0]
    strips = {str(it.get_label()): it.get_paths() for it in axes.collections if str(it.get_label()) in NAMES}
    assert list(strips) == ["STARTUP", "DRAIN", "PROBE_BW", "PROBE_RTT"]
    [[begin, end]] = [path.get_extents().intervalx for path in strips["PROBE_RTT"]]
    assert 10.0 < begin < 10.3
    assert 0.2 <= end - begin < 0.35
    [window] = [line for line in axes.get_lines() if line.get_label() == "window in use"]
    times, segments = (np.asarray(data, float) for data in window.get_data())
    inside = (times >= begin) & (times < end)
    assert set(segments[inside]) == {4.0}
    assert segments[(times > 1) & ~inside].min() > 50
    assert segments.max() < ROOM * axes.get_ylim()[1]
    part = spans(records[0], "1", Choice(span=(begin + 0.1, 11.0)))
    assert list(part) == ["PROBE_BW", "PROBE_RTT"]
    assert part["PROBE_RTT"] == [pytest.approx((begin + 0.1, end - begin - 0.1))]
    assert part["PROBE_BW"] == [pytest.approx((end, 11.0 - end))]


def test_a_phase_that_two_rules_have_looks_the_same() -> None:
    settings = {"run.duration": "12 s", "measure.warm-up": "0 s", "measure.sample": "50 ms"}
    arms = multihop.load("wire").compare("cubic,bbr,bbr-draft", runs=1, set=settings).arms
    shown = draw("cwnd", arms).axes
    looks = [{it.get_label(): (str(it.get_facecolor()), it.get_hatch()) for it in axes.collections} for axes in shown]
    assert not looks[0]
    assert "PROBE_RTT" in looks[1].keys() & looks[2].keys()
    both = looks[1] | looks[2]
    assert len(set(both.values())) == len(both) == 8
    assert all(looks[1][name] == looks[2][name] for name in looks[1].keys() & looks[2].keys())


@pytest.mark.parametrize(("tcp", "by"), [("none", "dup-acks"), ("sack", "SACK"), ("rack-tlp", "RACK")])
def test_marks_say_how_a_loss_was_noticed(tcp: str, by: str) -> None:
    records = wired(tcp, **{"wire.0.queue": "20", "run.duration": "5 s"})
    for kind in ("cwnd", "time-sequence"):
        labels = draw(kind, [records]).axes[0].get_legend_handles_labels()[1]
        found = {label.partition(":")[0] for label in labels if ": " in label}
        assert by in found
        assert found <= {by, "timeout"}
