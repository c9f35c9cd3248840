"""Networks from other people's files: each format as its program writes it, and what is wrong in one sentence."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path
from typing import Any

import pytest

import multihop
from conftest import Cli
from multihop.ceiling.reach import Reach
from multihop.errors import InputError
from multihop.importing.network import Site, planar
from multihop.importing.read import read
from multihop.importing.tables import loss_of_etx

EXAMPLES = Path(__file__).parents[1] / "examples"
VIEWER = {
    "nodes": [
        {"node_id": "a", "hostname": "roof", "is_online": True, "is_gateway": True},
        {"node_id": "b", "hostname": "barn", "is_online": True, "location": {"latitude": 47.0, "longitude": 8.0}},
        {"node_id": "c", "hostname": "barn", "is_online": True},
        {"node_id": "d", "hostname": "gone", "is_online": False},
    ],
    "links": [
        {"source": "a", "target": "b", "source_tq": 0.8, "target_tq": 0.6, "type": "wifi"},
        {"source": "b", "target": "c", "source_tq": 1.0, "target_tq": 1.0, "type": "wifi"},
        {"source": "a", "target": "c", "source_tq": 1.0, "target_tq": 1.0, "type": "vpn"},
    ],
}
NODES_V2 = {
    "version": 2,
    "nodes": [
        {
            "nodeinfo": {"hostname": name, "location": {"latitude": 47.0, "longitude": 8.0 + i * 0.002}},
            "flags": {"online": True, "gateway": i == 1},
        }
        for i, name in enumerate(("one", "two", "three"))
    ],
}
FILES: dict[str, tuple[str, dict[tuple[str, str], float]]] = {
    "links.csv": ("from,to,loss\na,b,0.1\nb,c,0.25\n", {("a", "b"): 0.1, ("b", "c"): 0.25}),
    "percent.csv": ("from;to;loss\na;b;10 %\nb;c;2,5%\n", {("a", "b"): 0.1, ("b", "c"): 0.025}),
    "etx.csv": ("source;target;etx\na;b;4\nb;c;1\n", {("a", "b"): 0.5, ("b", "c"): 0.0}),
    "tq.csv": ("a,b,tq\nx,y,255\ny,z,51\n", {("x", "y"): 0.0, ("y", "z"): 0.8}),
    "snr.csv": ("from,to,snr\na,b,25\nb,c,12\na,c,3\n", {("a", "b"): 0.0, ("b", "c"): 0.0}),
    "meshviewer.json": (
        json.dumps(VIEWER),
        {("roof", "barn"): 0.2, ("barn", "roof"): 0.4, ("barn", "barn 2"): 0.0, ("barn 2", "barn"): 0.0},
    ),
    "vis.json": (
        json.dumps(
            {
                "source_version": "2023.1",
                "algorithm": 4,
                "vis": [
                    {"primary": "m1", "neighbors": [{"router": "m1", "neighbor": "m2", "metric": "1.25"}]},
                    {"primary": "m2", "neighbors": [{"router": "m2", "neighbor": "m1", "metric": "1.000"}]},
                ],
            }
        ),
        {("m1", "m2"): 0.2, ("m2", "m1"): 0.0},
    ),
    "originators.txt": (
        "[B.A.T.M.A.N. adv 2023.1, MainIF/MAC: mesh0/02:00:00:00:00:01 (bat0/x BATMAN_IV)]\n"
        "   Originator        last-seen (#/255) Nexthop           [outgoingIF]\n"
        " * 02:ba:de:af:fe:01    0.370s   (255) 02:ba:de:af:fe:01 [     mesh0]\n"
        " * 02:ba:de:af:fe:02    0.120s   (204) 02:ba:de:af:fe:02 [     mesh0]\n"
        "   02:ba:de:af:fe:02    0.120s   (120) 02:ba:de:af:fe:01 [     mesh0]\n",
        {
            ("here", "02:ba:de:af:fe:01"): 0.0,
            ("02:ba:de:af:fe:01", "here"): 0.0,
            ("here", "02:ba:de:af:fe:02"): 0.2,
            ("02:ba:de:af:fe:02", "here"): 0.2,
        },
    ),
    "olsr.json": (
        json.dumps(
            {
                "topology": [
                    {
                        "destinationIP": "10.0.0.2",
                        "lastHopIP": "10.0.0.1",
                        "linkQuality": 0.9,
                        "neighborLinkQuality": 0.8,
                    }
                ]
            }
        ),
        {("10.0.0.1", "10.0.0.2"): 0.2, ("10.0.0.2", "10.0.0.1"): 0.1},
    ),
    "olsr.txt": (
        "Table: Topology\nDest. IP\tLast hop IP\tLQ\tNLQ\tCost\n10.0.0.2\t10.0.0.1\t1.000\t0.500\t2.000\n\n",
        {("10.0.0.1", "10.0.0.2"): 0.5, ("10.0.0.2", "10.0.0.1"): 0.0},
    ),
    "babel.txt": (
        "my-id aa:bb:cc:dd\n"
        "add neighbour 14 address fe80::1 if wlan0 reach ffff ureach 0000 rxcost 256 txcost 512 cost 512\n"
        "add neighbour 15 address fe80::2 if wlan0 reach 0000 ureach 0000 rxcost 65535 txcost 65535 cost 65535\n",
        {("aa:bb:cc:dd", "fe80::1"): 0.5, ("fe80::1", "aa:bb:cc:dd"): 0.0},
    ),
    "netjson.json": (
        json.dumps(
            {"type": "NetworkGraph", "protocol": "OLSR", "links": [{"source": "a", "target": "b", "cost": 4.0}]}
        ),
        {("a", "b"): 0.5, ("b", "a"): 0.5},
    ),
}


@pytest.mark.parametrize("name", FILES)
def test_a_dump_becomes_links_with_their_losses_and_a_scenario_that_runs(cli: Cli, here: Path, name: str) -> None:
    text, losses = FILES[name]
    (here / name).write_text(text, encoding="utf-8")
    found = {(w.sender, w.receiver): w.loss for w in read(Path(name)).wires}
    assert found == pytest.approx(losses, abs=1e-3)
    assert cli("import", name, "net.toml").code == 0
    links = (here / "net.toml").read_text(encoding="utf-8")
    assert 'kind = "links"' in links
    heard = Reach(multihop.load("net.toml").resolve()).links
    for ends, loss in losses.items():
        assert heard[ends].loss == pytest.approx(loss, abs=6e-4)
    assert cli("run", "net.toml", "-n", "1", "--set", "run.duration=12 s").code == 0


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("nodes.csv", "name,lat,lon\nA,47.0,8.0\nB,47.0,8.002\n"),
        ("semi.csv", "Hostname;Latitude;Longitude\nA;47,0;8,0\nB;47,0;8,002\n"),
        ("plane.csv", "id,x,y\nA,0,0\nB,152.1,0\n"),
        (
            "points.geojson",
            '{"type":"FeatureCollection","features":['
            '{"type":"Feature","properties":{"name":"A"},"geometry":{"type":"Point","coordinates":[8.0,47.0]}},'
            '{"type":"Feature","properties":{"name":"B"},"geometry":{"type":"Point","coordinates":[8.002,47.0,600]}}]}',
        ),
        ("nodes.json", json.dumps(NODES_V2)),
    ],
)
def test_places_become_metres(cli: Cli, here: Path, name: str, text: str) -> None:
    (here / name).write_text(text, encoding="utf-8")
    assert cli("import", name, "net.toml", "--range", "200 m").code == 0
    info = json.loads(multihop.load("net.toml").resolve().json())
    first, second = info["nodes"][:2]
    # a degree of longitude at 47 degrees north is 76 056 m on WGS 84
    assert second["x"] - first["x"] == pytest.approx(152.1, abs=0.1)
    assert second["y"] == pytest.approx(first["y"])
    assert Reach(multihop.load("net.toml").resolve()).range_m == pytest.approx(200, abs=0.5)
    assert cli("run", "net.toml", "-n", "1", "--set", "run.duration=12 s").code == 0


@pytest.mark.parametrize(
    ("wifi", "said"),
    [
        ([], "Model: 802.11n with A-MPDUs, 20 MHz, 2 streams, data at up to MCS 7 (chosen by `minstrel-ht`),"),
        (["--wifi", "802.11ac"], "Model: 802.11ac with A-MPDUs, 80 MHz, 2 streams, data at up to MCS 9 "),
        (["--wifi", "802.11ax"], "Model: 802.11ax with A-MPDUs, 80 MHz, 2 streams, data at up to MCS 11 "),
        (["--wifi", "802.11b"], "Model: 802.11b, data at 11 Mb/s, control frames at 1 Mb/s, no RTS/CTS"),
        (
            ["--wifi", "802.11a"],
            "Model: 802.11a, data at up to 54 Mb/s (chosen by `minstrel`), control frames at 6 Mb/s",
        ),
        (
            ["--wifi", "802.11g"],
            "Model: 802.11g, data at up to 54 Mb/s (chosen by `minstrel`), control frames at 6 Mb/s",
        ),
    ],
)
@pytest.mark.parametrize("told", ["name,x,y\nA,0,0\nB,150,0\n", "from,to,loss\nA,B,0.1\n"])
def test_the_wifi_is_a_modern_one_unless_another_is_named(
    cli: Cli, here: Path, wifi: list[str], said: str, told: str
) -> None:
    (here / "net.csv").write_text(told, encoding="utf-8")
    done = cli("import", "net.csv", *wifi)
    assert done.code == 0
    if "loss" in told:  # the same at any rate
        said = said.replace("up to ", "").split(" (chosen")[0].rstrip()
    assert said in done.out
    ran = cli("run", "net.toml", "-n", "1", "--set", "run.duration=12 s")
    assert (ran.code, ran.err) == (0, "")
    assert said in ran.out
    done = cli("run", "net.toml", "-n", "1", "--set", "run.duration=12 s", "--json")
    assert json.loads(done.out)["runs"][0]["flows"][0]["goodput_bps"] > 2e6
    assert (
        multihop.import_("net.csv", wifi=wifi[-1] if wifi else "802.11n").text
        == (here / "net.toml").read_text(encoding="utf-8").partition("\n")[2]
    )


def test_a_wifi_that_there_is_not_is_refused(cli: Cli, here: Path) -> None:
    (here / "net.csv").write_text("from,to\na,b\n", encoding="utf-8")
    done = cli("import", "net.csv", "--wifi", "802.11be")
    assert done.code == 2
    assert "one of 802.11b, 802.11a, 802.11g, 802.11n, 802.11ac, 802.11ax is expected" in done.err
    with pytest.raises(InputError, match=r"`wifi` must be one of 802\.11b"):
        multihop.import_("net.csv", wifi="802.11be")


def test_the_projection_is_that_of_the_ellipsoid() -> None:
    """Lengths of a degree at 47 and 0 degrees, from the series of NIMA TR8350.2 (WGS 84)."""
    for latitude, east, north in ((47.0, 76_056.0, 111_172.0), (0.0, 111_320.0, 110_574.0)):
        a, b, c = planar([Site("a", (8.0, latitude)), Site("b", (8.01, latitude)), Site("c", (8.0, latitude + 0.01))])
        assert a.at == (0.0, 0.0)
        assert b.at
        assert c.at
        assert b.at[0] == pytest.approx(east / 100, rel=2e-4)
        assert c.at[1] == pytest.approx(north / 100, rel=2e-4)


def test_etx_counts_both_directions() -> None:
    for delivery in (1.0, 0.7, 0.5):
        assert loss_of_etx(1 / delivery**2) == pytest.approx(1 - delivery)
    assert loss_of_etx(0.5) == 0


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("x.csv", "foo,bar\n1,2\n", "columns `lat` and `lon`"),
        ("x.csv", "name,lat,lon\na,47,north\n", "line 2: `lon` must be a number, not `north`"),
        ("x.csv", "name,lat,lon\na,8,470\nb,8,47\n", "no latitude and longitude"),
        ("x.csv", "name,lat,lon\na,8,47\nb,80,47\n", "swapped"),
        ("x.csv", "from,to,loss\na,b,1.5\n", "makes a loss of 1.5"),
        ("x.csv", "from,to\na,a\n", "to itself"),
        ("x.csv", "", "line of heads"),
        ("x.json", "{", "not valid JSON"),
        ("x.json", "[1]", "is not one of"),
        ("x.json", '{"nodes": [{"a": 1}], "links": [{"source": 3, "source_tq": 1}]}', "there is no node `3`"),
        ("x.json", '{"vis": [{"neighbors": [{"router": "a"}]}]}', "metric"),
        ("x.json", '{"topology": [{"linkQuality": 1}]}', "`lastHopIP` is missing"),
        ("x.json", '{"type": "FeatureCollection", "features": []}', "there is no point"),
        ("x.json", '{"type": "NetworkGraph"}', "`links` is missing"),
        ("x.txt", "Table: Topology\n", "no `Table: Topology` with links"),
        ("x.csv", "name,lat,lon\na,47,8\n", "1 node with a place"),
        ("x.csv", "name,x,y\na,0,0\nb,9000,0\n", "--range"),
    ],
)
def test_what_is_wrong_is_said_in_one_sentence(cli: Cli, here: Path, name: str, text: str, words: str) -> None:
    (here / name).write_text(text, encoding="utf-8")
    done = cli("import", name)
    assert (done.code, done.out) == (2, "")
    assert words in done.err
    assert len(done.err.strip().splitlines()) == 1
    assert not (here / "x.toml").exists()


def test_flows_are_those_that_were_named(cli: Cli, here: Path) -> None:
    (here / "l.csv").write_text("from,to\nfe80::1,b\nb,c\n", encoding="utf-8")
    assert cli("import", "l.csv", "--flow", "fe80::1:c", "--flow", "c:b").code == 0
    flows: list[dict[str, Any]] = json.loads(multihop.load("l.toml").resolve().json())["flows"]
    assert [(f["from"], f["to"]) for f in flows] == [("fe80::1", "c"), ("c", "b")]
    assert "did you mean" in cli("import", "l.csv", "m.toml", "--flow", "b:fe80::2").err
    assert "exists already" in cli("import", "l.csv").err
    with pytest.raises(InputError, match="there is no file"):
        read(Path("nowhere.csv"))
    assert "a distance above 0" in cli("import", "l.csv", "n.toml", "--range", "wide").err


def test_names_are_unique_and_in_any_script(cli: Cli, here: Path) -> None:
    (here / "n.csv").write_text('name,x,y\nDörfli "oben",0,0\nDörfli "oben",100,0\n東京,200,0\n', encoding="utf-8")
    assert cli("import", "n.csv").code == 0
    nodes = json.loads(multihop.load("n.toml").resolve().json())["nodes"]
    assert [node["name"] for node in nodes] == ['Dörfli "oben"', 'Dörfli "oben" 2', "東京"]


def test_the_shipped_valley_is_what_the_import_makes_of_it(cli: Cli, here: Path) -> None:
    (here / "valley.geojson").write_bytes((EXAMPLES / "valley.geojson").read_bytes())
    assert cli("import", "valley.geojson").code == 0
    first, _, rest = (here / "valley.toml").read_text().partition("\n")
    assert first.startswith("#:schema ")
    assert rest == (EXAMPLES / "valley.toml").read_text()
    said = " ".join(cli("check", "valley.toml").out.split())
    assert "40 nodes, 3 flows" in said
    assert said.count("share the air: only one can send at a time. So it can get at most about") == 3
    assert math.isfinite(len(said))


def test_the_first_page_of_the_guide_is_the_tour_of_an_own_network_in_under_ten_commands() -> None:
    """The tests of the documentation run it, from its GeoJSON on."""
    root = Path(__file__).parent.parent
    nav = (root / "mkdocs.yml").read_text(encoding="utf-8").partition("- Guide:")[2]
    assert re.findall(r"guide/(\S+)", nav)[0] == "import.md"
    assert "guide/import.md" in (root / "docs/index.md").read_text(encoding="utf-8").partition("Start with")[2][:60]
    page = (root / "docs/guide/import.md").read_text(encoding="utf-8")
    commands = re.findall(r"^\$ multihop (\S+)", page, re.MULTILINE)
    assert commands[:3] == ["import", "check", "run"]
    assert len(commands) < 10
    assert "map" in page.partition("$ multihop check")[2][:80]
    assert len(re.findall(r"^• Flow to \S+ .* hops, the slowest at ", page, re.MULTILINE)) == 3
    assert page.count('"type": "Feature",') == 40
