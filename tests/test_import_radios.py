"""What files say of channels, widths and MCS: which Wi-Fi comes of it, and what is said of the rest."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest

import multihop
from conftest import Cli


def flat(text: str) -> str:
    return " ".join(text.split())


def imported(cli: Cli, here: Path, text: str, *more: str, name: str = "net.csv") -> str:
    (here / name).write_text(text, encoding="utf-8")
    done = cli("import", name, "--out", "net.toml", *more)
    assert (done.code, done.err) == (0, "")
    checked = cli("check", "net.toml")
    assert (checked.code, checked.err) == (0, "")
    return flat(done.out)


def values(name: str = "net.toml") -> dict[str, object]:
    info = json.loads(multihop.load(name).resolve().json())
    assert info["warnings"] == []
    return {key: said["value"] for key, said in info["values"].items()}


def radios() -> dict[str, list[dict[str, object]]]:
    tree = tomllib.loads(Path("net.toml").read_text(encoding="utf-8"))
    return {name: node["radio"] for node in tree.get("node", []) for name in node["names"]}


@pytest.mark.parametrize(
    ("rows", "said", "model"),
    [
        (
            "htmode\na,b,0,VHT80\nb,c,0,VHT80\n",
            "all radios are of 802.11ac, as the file says VHT",
            "802.11ac with A-MPDUs, 80 MHz, 2 streams, data at MCS 9,",
        ),
        (
            "htmode,mcs,nss\na,b,0,HE40,11,1\nb,c,0,HE40,11,1\n",
            "all radios are of 802.11ax, as the file says HE",
            "802.11ax with A-MPDUs, 40 MHz, 1 stream, data at MCS 11,",
        ),
        ("width\na,b,0,160 MHz\nb,c,0,\n", "as the file has widths of 160 MHz", "802.11ac with A-MPDUs, 160 MHz,"),
        (
            "htmode\na,b,0,EHT160\n",
            "802.11ax, as 802.11be (EHT) cannot be simulated",
            "802.11ax with A-MPDUs, 160 MHz,",
        ),
        ("htmode,freq\na,b,0,NOHT,2437\n", "802.11g, as the file says NOHT", "802.11g, data at 54 Mb/s,"),
        ("htmode\na,b,0,NOHT\n", "802.11a, as the file says NOHT", "802.11a, data at 54 Mb/s,"),
        (
            "htmode,channel\na,b,0,VHT40,6\n",
            "802.11n, as 802.11ac has no 2.4 GHz, and the channels are there",
            "802.11n with A-MPDUs, 40 MHz,",
        ),
        ("mcs\na,b,0,HE-MCS 4\n", "802.11ax, as the file says HE", "2 streams, data at MCS 4,"),
        ("mcs\na,b,0,VHT-MCS 9 80MHz VHT-NSS 1\n", "802.11ac, as the file says VHT", "1 stream, data at MCS 9,"),
    ],
)
def test_the_wifi_is_the_one_that_the_file_names(cli: Cli, here: Path, rows: str, said: str, model: str) -> None:
    out = imported(cli, here, f"from,to,loss,{rows}")
    assert said in out
    assert model in out


def test_of_several_formats_the_newest_is_taken_that_all_understand(cli: Cli, here: Path) -> None:
    rows = "from,to,loss,channel,htmode,mcs\na,b,0,36,VHT80,9\nb,c,0,100,HE80,11\nc,d,0,149,HT20,15\n"
    out = imported(cli, here, rows)
    assert "all radios are of 802.11n, the newest that all radios of HT, VHT and HE understand" in out
    assert "channel 36 is 40 MHz wide, not 80 MHz" in out
    assert "channel 100 is 40 MHz wide, not 80 MHz" in out
    assert "VHT MCS 9 becomes MCS 7, the fastest of 802.11n over 40 MHz" in out
    assert "HE MCS 11 becomes MCS 7, the fastest of 802.11n over 40 MHz" in out
    assert "802.11n with A-MPDUs, 40 MHz, 2 streams, data at MCS 7," in out
    assert "channels 36, 100 and 149 (20 MHz)." in out
    out = imported(cli, here, rows, "--wifi", "802.11ax", "--out", "ax.toml")
    assert "all radios are of 802.11ax as asked, not of HT and VHT" in out


def test_widths_that_are_named_are_those_that_are_written(cli: Cli, here: Path) -> None:
    rows = "from,to,loss,channel,htmode\na,b,0,36,VHT80\nb,c,0,36,HT20\nc,d,0,36,HE160\n"
    out = imported(cli, here, rows)
    assert "channels are 40 MHz wide, not 80 MHz, 20 MHz and 160 MHz" in out
    assert values()["mac.width"] == "40 MHz"


def test_cells_that_say_no_channel_width_or_mcs_are_named_with_what_is_expected(cli: Cli, here: Path) -> None:
    rows = "from,to,loss,freq,htmode,mcs\na,b,0,5180,VHT80,99\nb,c,0,5180,?,-3\nc,d,0,banana,wide,32\nd,e,0,36.5,,0\n"
    out = imported(cli, here, rows)
    assert "7 cells that cannot be read" not in out
    assert "6 cells that cannot be read" in out
    assert "line 2: `mcs` must be a whole number from 0 to 9 (VHT), not `99`" in out
    assert "line 3: `mcs` must be a whole number from 0 to 31, not `-3`" in out
    assert "line 4: `htmode` must be a width in MHz or a mode like `VHT80`, not `wide`" in out
    assert "line 4: `freq` must be a channel from 1 to 233 or a frequency of one in MHz, not `banana`" in out
    assert "line 4: `mcs` must be a whole number from 0 to 31, not `32`" in out
    assert "line 5: `freq` must be a channel from 1 to 233 or a frequency of one in MHz, not `36.5`" in out


def test_why_links_share_one_channel_is_said(cli: Cli, here: Path) -> None:
    out = imported(cli, here, "from,to,loss,channel\na,b,0,36\nb,c,0,banana\nc,d,0,100\n")
    assert "all links share one channel, not 36 and 100: that of 1 link is not known (b–c)" in out
    hub = "".join(f"hub,n{i},0,{36 + 4 * i}\n" for i in range(9))
    out = imported(cli, here, f"from,to,loss,channel\n{hub}", "--out", "hub.toml")
    assert "not 36, 40, 44, 48 and others: node hub has 9, and a node has at most 8 radios" in out
    (here / "net.toml").unlink()
    out = imported(cli, here, "name,x,y,channel\na,0,0,36\nb,100,0,100\nc,200,0,\n")
    assert "all links share one channel, not 36 and 100: that of 1 node is not known (c)" in out


def test_a_wifi_without_mcs_is_said_to_follow_none(cli: Cli, here: Path) -> None:
    out = imported(cli, here, "from,to,loss,mcs\na,b,0,7\nb,c,0,5\n", "--wifi", "802.11b")
    assert "frames go at 11 Mb/s, not at MCS 7 and MCS 5: 802.11b has no MCS" in out
    assert "all frames go at" not in out


@pytest.mark.parametrize(("wifi", "silence"), [("802.11n", True), ("802.11ax", True), ("802.11g", False)])
@pytest.mark.parametrize("told", ["6", "2437", "2.437", "2437 MHz"])
def test_channels_of_2_4_ghz_set_band_and_frequency(cli: Cli, here: Path, wifi: str, silence: bool, told: str) -> None:
    imported(cli, here, f"name,x,y,channel\na,0,0,{told}\nb,150,0,{told}\n", "--wifi", wifi)
    found = values()
    assert found["air.frequency"] == "2437 MHz"
    assert (found["mac.band"] == "2.4 GHz") == silence
    assert radios() == {}


def test_the_range_is_the_same_at_2_4_ghz(cli: Cli, here: Path) -> None:
    from multihop.ceiling.reach import Reach

    imported(cli, here, "name,x,y,channel\na,0,0,11\nb,150,0,11\n", "--range", "180 m")
    assert Reach(multihop.load("net.toml").resolve()).range_m == pytest.approx(180, abs=0.5)


def test_links_of_2_4_ghz_have_its_timing(cli: Cli, here: Path) -> None:
    imported(cli, here, "from,to,loss,channel\na,b,0,1\nb,c,0,6\n")
    assert values()["mac.band"] == "2.4 GHz"
    assert radios() == {"a": [{"channel": 1}], "b": [{"channel": 1}, {"channel": 6}], "c": [{"channel": 6}]}


@pytest.mark.parametrize(
    ("rows", "more", "said"),
    [
        (
            "a,b,0,1\nb,c,0,36\nc,d,0,40\n",
            (),
            "channel 1 (2.4 GHz) is simulated at 5 GHz, as all radios are of one band",
        ),
        ("a,b,0,1\nb,c,0,6\nc,d,0,40\n", (), "channel 40 (5 GHz) is simulated at 2.4 GHz, as all radios are of one"),
        (
            "a,b,0,2412\nb,c,0,5500\n",
            ("--wifi", "802.11ac"),
            "channel 1 (2.4 GHz) is simulated at 5 GHz, as 802.11ac has",
        ),
        (
            "a,b,0,36\nb,c,0,40\n",
            ("--wifi", "802.11g"),
            "channels 36 and 40 (5 GHz) are simulated at 2.4 GHz, as 802.11g",
        ),
        ("a,b,0,5975\nb,c,0,5995\n", (), "channels 5 and 9 (6 GHz) are simulated at 5 GHz, as 802.11n has no 6 GHz"),
        ("a,b,0,2412\nb,c,0,5955\n", ("--wifi", "802.11ax"), "channels of one number are one: 1 of 2.4 GHz and 6 GHz"),
    ],
)
def test_the_band_of_all_is_said_where_channels_are_of_another(
    cli: Cli, here: Path, rows: str, more: tuple[str, ...], said: str
) -> None:
    if "5955" in rows:
        rows += "c,d,0,5975\n"
    assert said in imported(cli, here, f"from,to,loss,channel\n{rows}", *more)


def test_nodes_tell_the_channel_width_and_mcs_of_their_radio(cli: Cli, here: Path) -> None:
    rows = "name,lat,lon,channel,width,mcs\n"
    rows += (
        "a,47.3,8.2,36,40,13\nb,47.301,8.2,36,40,12\nc,47.302,8.2,100,20,5\nd,47.303,8.2,100,20,5\ne,47.3,8.201,149,,\n"
    )
    out = imported(cli, here, rows)
    assert "Not used" not in out
    assert "node e is alone on channel 149" in out
    assert "frames on channel 36 go at up to MCS 12 (MCS 4 over 2 streams), the middle one of 12 to 13" in out
    assert {name: [radio["channel"] for radio in said] for name, said in radios().items()} == {
        "a": [36],
        "b": [36],
        "c": [100],
        "d": [100],
        "e": [149],
    }
    assert "40 MHz, 1 stream, data at up to MCS 5 " in out
    assert "channels 36 (MCS 4, 2 streams), 100 (20 MHz) and 149." in out
    ends = [(flow["from"], flow["to"]) for flow in tomllib.loads(Path("net.toml").read_text(encoding="utf-8"))["flow"]]
    assert ends == [("a", "b")]


def test_points_and_lines_of_geojson_tell_their_radios(cli: Cli, here: Path) -> None:
    points = [{"channel": 36, "width": 40, "mcs": 4}, {"channel": 36}, {"channel": 100}]
    tree = {
        "type": "FeatureCollection",
        "features": [
            *(
                {
                    "properties": {"name": name, **told},
                    "geometry": {"type": "Point", "coordinates": [8.2 + i / 500, 47.3]},
                }
                for i, (name, told) in enumerate(zip("abc", points, strict=True))
            ),
            *(
                {
                    "properties": {"channel": channel, "width": "80 MHz", "mcs": 3},
                    "geometry": {"type": "LineString", "coordinates": [[8.2 + i / 500, 47.3], [8.202 + i / 500, 47.3]]},
                }
                for i, channel in enumerate((36, 100))
            ),
        ],
    }
    out = imported(cli, here, json.dumps(tree), name="map.geojson")
    assert "Not used" not in out
    assert "802.11ac with A-MPDUs, 80 MHz, 2 streams, data at MCS 3," in out
    assert "channel 36 is 80 MHz wide, not 40 MHz" in out
    assert "MCS 4 of nodes is not used, as links tell theirs" in out


def test_properties_of_netjson_tell_radios(cli: Cli, here: Path) -> None:
    links = [("a", "b", 100, 80, 7), ("b", "c", 36, 40, 5)]
    tree = {
        "type": "NetworkGraph",
        "protocol": "olsr",
        "metric": "etx",
        "nodes": [{"id": name} for name in "abc"],
        "links": [
            {"source": a, "target": b, "cost": 1.1, "properties": {"channel": channel, "width": width, "mcs": mcs}}
            for a, b, channel, width, mcs in links
        ],
    }
    out = imported(cli, here, json.dumps(tree), name="net.json")
    assert "Not used" not in out
    assert {name: [radio["channel"] for radio in said] for name, said in radios().items()} == {
        "a": [100],
        "b": [100, 36],
        "c": [36],
    }
    assert "channels 36 (40 MHz" in out
    del tree["links"][0]["properties"]["channel"], tree["links"][1]["properties"]["channel"]  # type: ignore[index]
    tree["nodes"] = [{"id": name, "properties": {"channel": 149}} for name in "abc"]
    (here / "net.toml").unlink()
    assert "Not used" not in imported(cli, here, json.dumps(tree), name="net.json")
