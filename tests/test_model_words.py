"""The line that names the assumed Wi-Fi: it follows the resolved scenario and stands wherever results stand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import multihop
from conftest import Cli
from multihop.scenario.wifi import model_words

CHAIN = {"topology": {"kind": "chain", "hops": 1}, "flow": [{"from": "0", "to": "1"}], "run": {"duration": "2 s"}}


def words(technique: str = "none", **more: Any) -> str:
    from multihop.ceiling.reach import Reach

    scenario = multihop.load({**CHAIN, **more})
    return model_words(Reach(scenario.resolve([] if technique == "none" else [technique])).info)


@pytest.mark.parametrize(
    ("technique", "said"),
    [
        ("data-rate:11", "Model: 802.11b, data at 11 Mb/s, control frames at 1 Mb/s,"),
        ("data-rate:2", "Model: 802.11 DSSS, data at 2 Mb/s,"),
        ("data-rate:65", "Model: frames of 802.11b, data at 65 Mb/s,"),
        ("data-rate:11+arf", "data at up to 11 Mb/s (chosen by `arf`)"),
        ("rts-off", ", no RTS/CTS, one channel. Newer Wi-Fi is faster: compare differences, not kbit/s."),
        ("rts-on", ", RTS/CTS before all data frames, one channel."),
        ("rts-on:500", ", RTS/CTS before frames over 500 B, one channel."),
        ("frn", "Model: a slotted link (Flexible Radio Network), slots of 10 ms at "),
    ],
)
def test_the_line_follows_the_scenario(technique: str, said: str) -> None:
    assert said in words(technique, profile="ns2" if technique == "frn" else "rfc")


@pytest.mark.parametrize(
    ("mac", "said"),
    [
        (
            {"standard": "802.11a"},
            "Model: 802.11a, data at 54 Mb/s, control frames at 6 Mb/s, no RTS/CTS, one channel.",
        ),
        ({"standard": "802.11g", "data-rate": "12 Mbps"}, "Model: 802.11g, data at 12 Mb/s, control frames at 6 Mb/s,"),
        (
            {"standard": "802.11n", "mcs": 4, "streams": 2, "width": "40 MHz"},
            "Model: 802.11n with A-MPDUs, 40 MHz, 2 streams, data at MCS 4, control frames at 6 Mb/s,",
        ),
        # An aggregate is longer than any packet: this threshold has RTS/CTS go before it.
        (
            {"standard": "802.11ac", "rts-threshold": "3000 B"},
            "6 Mb/s, RTS/CTS before frames over 3000 B, one channel.",
        ),
        ({"standard": "802.11a", "rts-threshold": "3000 B"}, "control frames at 6 Mb/s, no RTS/CTS, one channel."),
        ({"standard": "802.11ax"}, "Real cards choose the MCS frame by frame: compare differences, not kbit/s."),
        (
            {"standard": "802.11ax", "aggregation": {"on": False}},
            "Model: 802.11ax without aggregation, 20 MHz, 1 stream, data at MCS 7, control frames at 6 Mb/s,",
        ),
        ({"standard": "802.11n", "aggregation": {"amsdu-length": "3839 B"}}, "802.11n with A-MPDUs of A-MSDUs, 20 MHz"),
        (
            {"standard": "802.11n", "aggregation": {"on": False, "amsdu-length": "3839 B"}},
            "802.11n with A-MSDUs, 20 MHz",
        ),
    ],
)
def test_the_line_names_the_standard(mac: dict[str, Any], said: str) -> None:
    assert said in words(profile="rfc", mac=mac)


def test_the_line_says_which_wifi_is_assumed_where_the_scenario_names_none() -> None:
    said = " The scenario names no Wi-Fi: this is that of profile `ns2`; `openwrt` has 802.11n."
    assert words().endswith("compare differences, not kbit/s." + said)
    assert "names no Wi-Fi" in words("rts-off")
    assert "profile `rfc`" in words(profile="rfc")
    for mac in ({"data-rate": "2 Mbps"}, {"standard": "802.11n"}):
        assert "names no Wi-Fi" not in words(mac=mac)
    assert "names no Wi-Fi" not in words("data-rate:11")
    assert "names no Wi-Fi" not in words("frn")


def test_the_line_says_that_stations_choose_the_mcs() -> None:
    said = words(profile="openwrt", mac={"standard": "802.11n"})
    assert "2 streams, data at up to MCS 7 (chosen by `minstrel-ht`), control frames at 6 Mb/s" in said
    assert "RTS/CTS only before fallbacks to a lower rate, one channel" in said
    alone = {"standard": "802.11n", "aggregation": {"on": False}}
    assert "no RTS/CTS, one channel" in words(profile="openwrt", mac=alone)
    older = {"standard": "802.11n", "rate-control": "minstrel-ht", "minstrel-ht": {"version": "ns3"}}
    assert "no RTS/CTS, one channel" in words(profile="openwrt", mac=older)
    assert said.endswith("Walls and antennas are not modelled: compare differences, not kbit/s.")
    assert "data at MCS 7," in words(profile="openwrt", mac={"standard": "802.11n", "rate-control": "fixed"})


def test_the_line_names_the_channels_if_there_are_several() -> None:
    def node(*channels: int) -> list[dict[str, Any]]:
        names = zip("01", channels, strict=True)
        return [{"names": [name], "radio": [{"channel": channel}]} for name, channel in names]

    assert ", channels 1 and 6." in words(node=node(1, 6))
    assert ", one channel." in words(node=node(6, 6))


def test_check_run_and_report_have_the_line_and_the_report_has_the_warnings(cli: Cli, tiny: str, here: Path) -> None:
    line = "Model: frames of 802.11b, data at 65 Mb/s"
    fast = ("--set", "mac.data-rate=65 Mbps")
    assert line in cli("check", tiny, *fast).out
    ran = cli("run", tiny, "--runs", "1", *fast)
    assert line in ran.out
    assert "65 Mbps" in ran.err  # the warning
    assert cli("report", "--out", "page.html").code == 0
    page = (here / "page.html").read_text(encoding="utf-8")
    assert line in page
    assert "Warning: " in page
    assert "DSSS" in page


def test_the_line_says_what_is_said_of_channels() -> None:
    wide = {"channel": 149, "width": "40 MHz", "streams": 2}
    node = [{"names": ["0", "1"], "radio": [{"channel": 36}, wide]}]
    assert ", channels 36 and 149 (40 MHz, 2 streams). " in words(mac={"standard": "802.11n"}, node=node)
    node = [{"names": ["0", "1"], "radio": [wide]}]
    line = words(mac={"standard": "802.11n"}, node=node)
    assert "802.11n with A-MPDUs, 40 MHz, 2 streams, data at MCS 7" in line
    assert line.count("40 MHz") == 1
    assert ", one channel. " in line


def test_the_line_names_older_stations_and_what_protects_frames() -> None:
    def older(standard: str) -> list[dict[str, Any]]:
        return [{"names": ["1"], "mac": {"standard": standard}}]

    g = {"standard": "802.11g"}
    line = words(profile="rfc", mac=g, node=older("802.11b"))
    assert "control frames at 2 Mb/s, no RTS/CTS, protection: CTS-to-self, 1 of 802.11b among the stations, " in line
    line = words(profile="rfc", mac=g | {"protection": "rts-cts"}, node=older("802.11b"))
    assert "protection: RTS/CTS, 1 of 802.11b" in line
    n = {"standard": "802.11n", "band": "2.4 GHz"}
    assert "protection: none, 1 of 802.11g among the stations" in words(profile="rfc", mac=n, node=older("802.11g"))
    assert "protection" not in words(profile="rfc", mac=g)
    assert "no RTS/CTS, protection: CTS-to-self, one" in words(profile="rfc", mac=g | {"protection": "cts-to-self"})
