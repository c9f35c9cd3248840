"""Tables of nodes and links as people write them: scales, units, bad rows, places far away."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest

import multihop
from conftest import Cli
from import_samples import NODES, POINTS, Losses
from multihop.ceiling.reach import Reach
from multihop.importing.account import Account
from multihop.importing.network import far_away
from multihop.importing.quality import losses
from multihop.importing.read import read, read_all


def found(*paths: Path) -> Losses:
    return {(wire.sender, wire.receiver): wire.loss for wire in read_all(paths).wires}


def written(name: str = "net.toml") -> dict[str, Any]:
    info: dict[str, Any] = json.loads(multihop.load(name).resolve().json())
    return info


def flat(text: str) -> str:
    return " ".join(text.split())


@pytest.mark.parametrize(
    ("table", "expected", "words"),
    [
        (
            "from,to,rssi\na,b,-67\nb,c,-92\n",
            0.0,
            "Not used: `rssi`. Assumed: no loss is known, so all links are without loss",
        ),
        ("from,to,signal,noise\na,b,-67,-95\n", 0.0, "Not used: `signal` and `noise`"),
        ("from,to,capacity,distance\na,b,40,900\n", 0.0, "Not used: `capacity` and `distance`"),
        ("from,to,loss_percent\na,b,5\nb,c,60\n", 0.05, ""),
        ("from,to,Packet loss [%]\na,b,5\nb,c,60\n", 0.05, ""),
        ("from,to,packet loss\na,b,5\nb,c,60\n", 0.05, "`packet loss` is in percent"),
        ("from,to,loss\na,b,5 %\n", 0.05, ""),
        ("from,to,pdr\na,b,0.95\nb,c,0.4\n", 0.05, ""),
        ("from,to,prr\na,b,95\nb,c,40\n", 0.05, "`prr` is in percent"),
        ("from,to,quality\na,b,0.95\n", 0.05, ""),
        ("from,to,quality\na,b,good\nb,c,bad\n", 0.0, "Not used: `quality`"),
        ("from,to,tq\na,b,0.95\nb,c,0.4\n", 0.05, "`tq` goes from 0 to 1"),
        ("from,to,tq\na,b,242.25\nb,c,100\n", 0.05, ""),
        ("from,to,etx\na,b,1134.63\nb,c,1024\n", 0.05, "`etx` is ETX times 1024"),
        ("from,to,loss\na,b,0.05\nb,c,\nc,d,-\n", 0.05, "2 links of unknown loss lose nothing"),
        (
            "from,to,loss\na,b,0.05\nb,c,7\nc,d,0.3\n",
            0.05,
            "1 row that cannot be read (line 3: `loss` makes a loss of 7",
        ),
        ("# my links\nfrom;to;loss\na;b;0,05\n# half\nb;c;0,5\n", 0.05, ""),
        ("From,To,Loss (0..1),Height (m)\na,b,0.05,12\n", 0.05, "Not used: `Height (m)`"),
        ("from\tto\tetx\na\tb\t1.108\n", 0.05, ""),
        (
            "from,to,loss\na,b,0.05,9\nb,c,0.05\n",
            None,
            "1 row that cannot be read (line 2: it has 4 cells, and the heads are 3)",
        ),
    ],
)
def test_what_a_table_measures_is_used_or_named(here: Path, table: str, expected: float | None, words: str) -> None:
    (here / "t.csv").write_text(table, encoding="utf-8")
    network = read(Path("t.csv"))
    if expected is not None:
        assert network.wires[0].loss == pytest.approx(expected, abs=1e-3)
    assert words in " ".join(network.account.sentences())


def test_lq_and_nlq_are_the_two_directions() -> None:
    rows = [{"LQ": "0.9", "NLQ": "0.8"}]
    [told], used = losses(rows, Account())
    assert told == pytest.approx((0.2, 0.1))
    assert used == {"LQ", "NLQ"}


def test_links_that_all_lose_too_much_are_explained_by_their_reading(cli: Cli, here: Path) -> None:
    (here / "t.csv").write_text("from,to,loss\na,b,0.95\nb,c,0.99\n", encoding="utf-8")
    said = cli("import", "t.csv").err
    assert "as they are read, all its links lose more than 90% of frames" in said
    assert "--range" not in said
    assert said.startswith("multihop: t.csv: ")


def test_one_bad_row_never_stops_a_file(cli: Cli, here: Path) -> None:
    (here / "n.csv").write_text(
        "name,lat,lon\na,47.1,8.1\nb,,\nc,north,8\nd,47.1005,8.1\ne,147,8\nf,0,0\ng,8.1,47.1\nh,47.1,8.1005\n",
        encoding="utf-8",
    )
    done = cli("import", "n.csv")
    said = flat(done.out)
    assert "3 nodes, read as a table of nodes" in said
    assert "2 nodes without a place (b, f)" in said
    assert "line 4: `lat` must be a number, not `north`" in said
    assert "line 6: 147, 8 is no latitude and longitude" in said
    assert "1 node far from the others (g: latitude 8.1, longitude 47.1, swapped?)" in said


def test_nodes_far_away_are_named_in_maps_too(cli: Cli, here: Path) -> None:
    tree = json.loads(json.dumps(NODES))
    tree["nodes"].append({"nodeinfo": {"hostname": "visitor", "location": {"latitude": 52.5, "longitude": 13.4}}})
    (here / "nodes.json").write_text(json.dumps(tree), encoding="utf-8")
    assert "1 node far from the others (visitor: latitude 52.5, longitude 13.4)" in flat(
        cli("import", "nodes.json").out
    )
    assert len(written("nodes.toml")["nodes"]) == 3
    assert far_away([(8.0, 47.0), (8.1, 47.0), (8.0, 47.1), (179.9, -10.0), (-0.1, 51.5)]) == {3, 4}
    assert far_away([(0.01 * i, 47.0) for i in range(100)]) == set()


@pytest.mark.parametrize("heads", ["name,X,Y", "name,x,y", "fid,name,x,y"])
def test_degrees_in_columns_x_and_y_are_told(cli: Cli, here: Path, heads: str) -> None:
    rows = [f"{'1,' * heads.startswith('fid')}{name},{x},{y}" for name, x, y in POINTS]
    (here / "n.csv").write_text("\n".join([heads, *rows]), encoding="utf-8")
    done = cli("import", "n.csv")
    assert "are longitude and latitude (`x_m` and `y_m` would be metres)" in flat(done.out)
    nodes = written("n.toml")["nodes"]
    assert nodes[1]["x"] - nodes[0]["x"] == pytest.approx(98.2, abs=0.5)


@pytest.mark.parametrize("heads", ["name,x_m,y_m", "name,x [m],y [m]"])
def test_metres_remain_metres(here: Path, heads: str) -> None:
    rows = [f"{name},{x},{y}" for name, x, y in POINTS]
    (here / "n.csv").write_text("\n".join([heads, *rows]), encoding="utf-8")
    assert not read(Path("n.csv")).geographic
    (here / "room.csv").write_text("name,x,y\na,0.125,0.25\nb,2.375,1.125\nc,4.125,3.375\n", encoding="utf-8")
    assert not read(Path("room.csv")).geographic


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "cp1252"])
def test_tables_are_read_in_the_encodings_of_spreadsheets(here: Path, encoding: str) -> None:
    (here / "l.csv").write_bytes("from;to;loss\r\nMühle;Café;0,1\r\n".encode(encoding))
    assert found(Path("l.csv")) == {("Mühle", "Café"): 0.1}


def test_the_errors_of_an_import_name_the_file_of_the_user(cli: Cli, here: Path) -> None:
    (here / "n.csv").write_text("name,x,y\na,0,0\nb,1e8,1e8\nc,1e8,1e8\n", encoding="utf-8")
    done = cli("import", "n.csv")
    assert "imported.toml" not in done.err + done.out


@pytest.mark.parametrize(
    "table",
    [
        'WKT,fid,name\n"POINT (8.2032 47.3695)",1,roof\n"POINT Z (8.2045 47.3702 12)",2,mast\n',
        "name,lat,lon\nroof,47.3695N,8.2032E\nmast,47.3702°,8.2045°\n",
        "name;lat;lon\nroof;47°22'10.2\"N;8°12'11.52\"E\nmast;47°22'12.72\"N;8 ° 12 ' 16.2 \" E\n",
        "Site Name,Node Number,Latitude,Longitude\nroof,227,47.3695,8.2032\nmast,713,47.3702,8.2045\n",
        "name,x [km],y [km]\nroof,0,0\nmast,0.0982,0.0778\n",
    ],
)
def test_places_are_read_as_people_write_them(cli: Cli, here: Path, table: str) -> None:
    (here / "n.csv").write_text(table, encoding="utf-8")
    assert cli("import", "n.csv").code == 0
    roof, mast = written("n.toml")["nodes"]
    assert (roof["name"], mast["name"]) == ("roof", "mast")
    assert (mast["x"] - roof["x"], mast["y"] - roof["y"]) == pytest.approx((98.2, 77.8), abs=0.6)


@pytest.mark.parametrize(
    ("table", "words"),
    [
        (",a,b,c\na,0,1,0\nb,1,0,1\nc,0,1,0\n", "this is a matrix of nodes: write a table with a line for each link"),
        ("a,b,0.1\nb,c,0.2\n", "the first line must name the columns, and `0.1` is a number"),
        (
            "name,x,y\na,0,0\nb,500,0\nc,0,900\n",
            "the nearest two stand 500 m apart, and the range is 250 m (`--range` sets it)",
        ),
        ("name,lat,lon\na,47,north\nb,,\n", "1 row that cannot be read (line 2: `lon` must be a number, not `north`)"),
    ],
)
def test_tables_that_make_no_network_are_explained(cli: Cli, here: Path, table: str, words: str) -> None:
    (here / "t.csv").write_text(table, encoding="utf-8")
    done = cli("import", "t.csv")
    assert done.code == 2
    assert words in flat(done.err)


@pytest.mark.parametrize("told", ["36,100", "5180,5500", "5.18,5.5"])
def test_nodes_have_radios_on_the_channels_of_their_links(cli: Cli, here: Path, told: str) -> None:
    first, second = told.split(",")
    rows = f"from,to,channel,loss\na,b,{first},0.1\nb,c,{second},0.2\n"
    (here / "c.csv").write_text(rows, encoding="utf-8")
    done = cli("import", "c.csv", "--flow", "a:c")
    assert done.code == 0
    assert ", channels 36 and 100. " in done.out
    assert "Not used" not in done.out
    nodes = tomllib.loads((here / "c.toml").read_text(encoding="utf-8"))["node"]
    radios = {tuple(node["names"]): [radio["channel"] for radio in node["radio"]] for node in nodes}
    assert radios == {("a",): [36], ("b",): [36, 100], ("c",): [100]}
    ran = cli("run", "c.toml", "-n", "1", "--set", "run.duration=12 s", "--json")
    assert json.loads(ran.out)["runs"][0]["flows"][0]["goodput_bps"] > 0


def test_channels_have_the_widths_that_are_told_of_them(cli: Cli, here: Path) -> None:
    rows = "from,to,loss,channel,width\na,b,0,36,20\nb,c,0,100,80\nc,d,0,149,10\n"
    (here / "c.csv").write_text(rows, encoding="utf-8")
    done = cli("import", "c.csv", "--wifi", "802.11ac")
    assert done.code == 0
    assert "20 MHz, 2 streams, data at MCS 8, " in done.out
    assert ", channels 36, 100 (80 MHz, MCS 9) and 149. " in done.out
    assert "channel 149 is 20 MHz wide, not 10 MHz." in done.out
    ways = Reach(multihop.load("c.toml").resolve()).ways()
    rates = {frozenset(hop): exchange.rate_bps for way in ways for hop, exchange in way.exchanges.items()}
    assert rates[frozenset("bc")] / rates[frozenset("ab")] > 4
    assert rates[frozenset("cd")] == rates[frozenset("ab")]
    rows = "from,to,loss,channel,mcs\na,b,0,36,15\nb,c,0,100,7\nc,d,0,149,4\nd,e,0,149,5\nd,f,0,149,6\n"
    (here / "m.csv").write_text(rows, encoding="utf-8")
    done = cli("import", "m.csv")
    assert "Assumed: frames on channel 149 go at MCS 5, the middle one of 4 to 6." in done.out
    said = [hop.rate_bps for way in Reach(multihop.load("m.toml").resolve()).ways() for hop in way.exchanges.values()]
    assert {round(rate / 1e5) for rate in said} == {1444, 722, 578}


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        ("mcs,width\na,b,0,15,40\nb,c,0,12,40\n", "802.11n with A-MPDUs, 40 MHz, 2 streams, data at MCS 4,"),
        ("MCS,htmode\na,b,0,7,HT20\nb,c,0,7,HT20\n", "802.11n with A-MPDUs, 20 MHz, 1 stream, data at MCS 7,"),
        ("mcs,bandwidth\na,b,0,23,40 MHz\nb,c,0,,\n", "802.11n with A-MPDUs, 40 MHz, 3 streams, data at MCS 7,"),
        ("mcs,chanbw\na,b,0,99,10\nb,c,0,x,y\n", "802.11n with A-MPDUs, 20 MHz, 2 streams, data at MCS 7,"),
    ],
)
def test_width_and_mcs_are_those_that_the_file_tells(cli: Cli, here: Path, columns: str, said: str) -> None:
    (here / "c.csv").write_text(f"from,to,loss,{columns}", encoding="utf-8")
    done = cli("import", "c.csv")
    assert done.code == 0
    assert said in done.out
    assert cli("check", "c.toml").code == 0


def test_what_cannot_be_had_of_radios_is_said(here: Path) -> None:
    def told(columns: str) -> str:
        (here / "c.csv").write_text(f"from,to,loss,{columns}", encoding="utf-8")
        return " ".join(read(Path("c.csv")).account.sentences())

    assert "all frames go at MCS 4, the middle one of 3 to 9" in told("mcs\na,b,0,3\nb,c,0,9\nc,d,0,4\n")
    assert "channels are 20 MHz wide, not 10 MHz" in told("width\na,b,0,10\nb,c,0,10\n")
    assert "channels are 40 MHz wide, not 5 MHz" in told("width\na,b,0,40\nb,c,0,5\n")
    assert "all links share one channel, not 36 and 100" in told("channel\na,b,0,36\nb,c,0,100\nc,d,0,\n")


@pytest.mark.parametrize(("wifi", "mcs"), [("802.11n", 7), ("802.11ac", 8), ("802.11ax", 11)])
def test_the_fastest_mcs_fits_the_width(here: Path, wifi: str, mcs: int) -> None:
    (here / "c.csv").write_text("from,to,loss,width\na,b,0,20\n", encoding="utf-8")
    values = json.loads(multihop.import_("c.csv", wifi=wifi).resolve().json())["values"]
    assert (values["mac.mcs"]["value"], values["mac.width"]["value"]) == (mcs, "20 MHz")


def test_links_of_several_bands_share_one_channel_and_that_is_said(here: Path) -> None:
    (here / "b.csv").write_text("from,to,type,loss\na,b,5 GHz,0.1\nb,c,60 GHz,0.2\n", encoding="utf-8")
    assert "all links share one channel, not 5 GHz and 60 GHz" in " ".join(read(Path("b.csv")).account.sentences())


def test_nodes_on_one_roof_are_written_where_they_stand(cli: Cli, here: Path) -> None:
    (here / "n.csv").write_text("name,lat,lon\na,47.1,8.1\nb,47.1,8.1\nc,47.1005,8.1\n", encoding="utf-8")
    assert "1 node stands where another one does" in flat(cli("import", "n.csv").out)
    first, second, _ = written("n.toml")["nodes"]
    assert (first["x"], first["y"]) == (second["x"], second["y"])
    assert cli("run", "n.toml", "--runs", "1", "--set", "run.duration=11 s").code == 0
