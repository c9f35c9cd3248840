"""What `multihop import` reads, leaves out, does not use and assumes; and what it says of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import multihop
from conftest import Cli
from import_samples import BABEL, GEOJSON, LINKS, MESHVIEWER, NODES, PLACES, POINTS, SYSINFO, Losses
from multihop.importing.read import read, read_all


def found(*paths: Path) -> Losses:
    return {(wire.sender, wire.receiver): wire.loss for wire in read_all(paths).wires}


def written(name: str = "net.toml") -> dict[str, Any]:
    info: dict[str, Any] = json.loads(multihop.load(name).resolve().json())
    return info


def flat(text: str) -> str:
    return " ".join(text.split())


@pytest.mark.parametrize("name", LINKS)
def test_every_kind_of_file_with_links_is_read(cli: Cli, here: Path, name: str) -> None:
    text, expected = LINKS[name]
    (here / name).write_text(text, encoding="utf-8")
    assert found(Path(name)) == pytest.approx(expected, abs=1e-3)
    done = cli("import", name, "--out", "net.toml")
    assert done.code == 0, done.err
    count = len({end for pair in expected for end in pair})
    assert f"{count} nodes and " in done.out
    assert len(written()["nodes"]) == count
    assert f"{count} nodes and " in (here / "net.toml").read_text(encoding="utf-8")
    assert "Next: multihop check net.toml" in flat(done.out)


@pytest.mark.parametrize("name", PLACES)
def test_every_kind_of_file_with_places_is_read(cli: Cli, here: Path, name: str) -> None:
    text, count = PLACES[name]
    (here / name).write_text(text, encoding="utf-8")
    done = cli("import", name, "net.toml")
    assert done.code == 0, done.err
    assert f"{count} nodes, read as" in done.out
    assert len(written()["nodes"]) == count


def test_what_was_left_out_and_assumed_is_said_in_the_output_and_in_the_file(cli: Cli, here: Path) -> None:
    (here / "m.json").write_text(json.dumps(MESHVIEWER), encoding="utf-8")
    done = cli("import", "m.json")
    text = flat((here / "m.toml").read_text(encoding="utf-8").replace("\n#", ""))
    for words in (
        "1 offline node (Scheune)",
        "1 link of an offline node",
        "1 link whose end is no node of the file (link 6: there is no node `0200000000ff`)",
        "1 cable (Mühle–Keller)",
        "1 tunnel",
        "1 node without a radio link (Keller)",
        "Not used: `clients`",
        "links of the type `other` (1) are cables",
        "Downloads come from Rathaus: the file calls it a gateway",
    ):
        assert words in flat(done.out), words
        assert words in text, words


def test_cables_are_left_out_or_joined_or_taken_for_radio(cli: Cli, here: Path) -> None:
    (here / "m.json").write_text(json.dumps(MESHVIEWER), encoding="utf-8")
    for choice, count in (("leave-out", 3), ("join", 3), ("radio", 4)):
        assert cli("import", "m.json", f"{choice}.toml", "--cables", choice).code == 0
        assert len(written(f"{choice}.toml")["nodes"]) == count
    assert "1 cable is a radio link" in flat((here / "radio.toml").read_text(encoding="utf-8"))
    assert "1 cable whose ends became one node (Mühle–Keller)" in flat((here / "join.toml").read_text(encoding="utf-8"))
    # flows may name either end of what was joined
    assert cli("import", "m.json", "flow.toml", "--cables", "join", "--flow", "Rathaus:02000000000d").code == 0
    assert written("flow.toml")["flows"][0]["to"] == "Mühle"


def test_a_map_whose_links_are_all_called_other_keeps_them_and_says_so(cli: Cli, here: Path) -> None:
    tree = json.loads(json.dumps(MESHVIEWER))
    for link in tree["links"]:
        link["type"] = "vpn" if link["type"] == "vpn" else "other"
    (here / "m.json").write_text(json.dumps(tree), encoding="utf-8")
    done = cli("import", "m.json")
    assert "no link is called wifi, so 3 links of the type `other` are taken for radio" in flat(done.out)
    assert len(written("m.toml")["nodes"]) == 4


@pytest.mark.parametrize(
    ("word", "kind"),
    [
        *(
            (word, "radio")
            for word in ("wifi", "wireless", "wlan0", "wlp2s0", "mesh0", "RF", "5 GHz", "ibss0", "ath1", "wds")
        ),
        *(
            (word, "cable")
            for word in ("eth0", "eth0.2", "br-dtdlink", "DTD", "lan", "enp3s0", "vx_mesh_lan", "fiber", "Ethernet")
        ),
        *(
            (word, "tunnel")
            for word in ("vpn", "mesh-vpn", "l2tp1-2", "tun50", "wgs0", "WIREGUARD", "TUN", "fastd", "gre4")
        ),
        ("other", "other"),
        ("backbone", "unknown"),
    ],
)
def test_the_medium_is_told_by_the_type_or_the_interface(word: str, kind: str) -> None:
    from multihop.importing.media import medium

    assert medium(word).value == kind


def test_cables_and_tunnels_of_a_table_and_of_a_dump_are_no_radio_links(here: Path) -> None:
    (here / "l.csv").write_text("from,to,type\na,b,5 GHz\nb,c,Ethernet\nc,d,VPN\na,e,backbone\n", encoding="utf-8")
    network = read(Path("l.csv"))
    assert {(w.sender, w.receiver) for w in network.wires} == {("a", "b"), ("a", "e")}
    said = " ".join(network.account.sentences())
    assert "1 cable (b–c), 1 tunnel" in said
    assert "links over `backbone` are taken for radio" in said
    (here / "b.txt").write_text(BABEL, encoding="utf-8")
    assert "1 cable" in read(Path("b.txt")).account.left_out()


def test_ends_of_lines_are_named_where_they_are_unknown(cli: Cli, here: Path) -> None:
    tree = json.loads(json.dumps(GEOJSON))
    tree["features"][3]["properties"]["to"] = "churhc"
    tree["features"].append({"type": "Feature", "properties": {"from": "hill"}, "geometry": {"type": "LineString"}})
    (here / "l.geojson").write_text(json.dumps(tree), encoding="utf-8")
    said = flat(cli("import", "l.geojson").out)
    assert "2 links whose ends are no nodes of the file" in said
    assert "feature 4: there is no node `churhc` (did you mean `church`?)" in said
    assert "feature 6: an end is missing" in said
    assert "1 node without a radio link (gateway)" in said


def test_links_may_name_points_by_their_identifiers(here: Path) -> None:
    tree = json.loads(json.dumps(GEOJSON))
    for i, feature in enumerate(tree["features"][:3]):
        feature["id"] = f"p{i}"
    tree["features"][3]["properties"] |= {"from": "p0", "to": "p1"}
    (here / "l.geojson").write_text(json.dumps(tree), encoding="utf-8")
    assert ("gateway", "church") in found(Path("l.geojson"))


@pytest.mark.parametrize(
    "tree",
    [
        {"nodes": [{"id": "n1", "name": "a"}, {"id": "n2", "name": "b"}], "links": [{"source": "n1", "target": "n2"}]},
        {
            "nodes": [{"id": "a"}, {"id": "b"}],
            "edges": [{"source": "a", "target": "b", "weight": 3}],
            "directed": False,
        },
        {"nodes": [{"name": "a"}, {"name": "b"}], "links": [{"source": 0, "target": 1, "value": 2}]},
        {"nodes": [{"id": "a"}, {"id": "b"}], "links": [{"source": {"id": "a", "x": 3}, "target": {"id": "b"}}]},
        {"nodes": ["a", "b"], "links": [{"source": "a", "target": "b"}]},
        {"links": [{"source": "a", "target": "b"}]},
        [{"source": "a", "target": "b"}],
    ],
)
def test_graphs_of_other_programs_are_read(here: Path, tree: object) -> None:
    (here / "g.json").write_text(json.dumps(tree), encoding="utf-8")
    assert found(Path("g.json")) == {("a", "b"): 0.0}


def test_what_is_written_is_named_by_out_or_last(cli: Cli, here: Path) -> None:
    (here / "a.csv").write_text("from,to\na,b\n", encoding="utf-8")
    (here / "b.csv").write_text("from,to\nb,c\n", encoding="utf-8")
    for arguments, name in (
        (["a.csv"], "a.toml"),
        (["a.csv", "one"], "one.toml"),
        (["a.csv", "two.toml"], "two.toml"),
        (["a.csv", "--out", "three.toml"], "three.toml"),
        (["a.csv", "b.csv", "-o", "four"], "four.toml"),
        (["a.csv", "b.csv", "five.toml"], "five.toml"),
    ):
        assert cli("import", *arguments).code == 0
        assert (here / name).exists()
    assert len(written("five.toml")["nodes"]) == 3
    assert "there is no file c.csv" in cli("import", "a.csv", "c.csv", "--out", "six.toml").err


def test_the_gateway_is_named_with_the_reason_and_can_be_chosen(cli: Cli, here: Path) -> None:
    (here / "l.csv").write_text("from,to\na,b\nb,c\nc,d\nb,e\n", encoding="utf-8")
    said = cli("import", "l.csv").out
    assert "Downloads come from b: no node is called a gateway, and it has most neighbours (3)" in said
    said = cli("import", "l.csv", "m.toml", "--gateway", "d").out
    assert "Downloads come from d: it was named" in said
    assert {flow["from"] for flow in written("m.toml")["flows"]} == {"d"}
    assert "there is no node `z`" in cli("import", "l.csv", "n.toml", "--gateway", "z").err
    assert "Downloads come" not in cli("import", "l.csv", "o.toml", "--flow", "a:b").out


def test_an_imported_network_sends_no_rts(cli: Cli, here: Path) -> None:
    (here / "l.csv").write_text("from,to\na,b\n", encoding="utf-8")
    assert cli("import", "l.csv").code == 0
    said = cli("import", "l.csv", "m.toml").out
    assert "Model: 802.11n with A-MPDUs" in said
    assert "no RTS/CTS" in said
    assert "rts-" not in (here / "l.toml").read_text(encoding="utf-8")
    assert written("l.toml")["values"]["mac.rts-threshold"]["value"] in ("65535 B", 65535)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"%PDF-1.7\n", "a PDF"),
        (b"PK\x03\x04" + b"\0" * 26 + b"doc.kml", "a KMZ"),
        (b"PK\x03\x04" + b"\0" * 26 + b"xl/workbook.xml", "a sheet of an office program"),
        (b"PK\x03\x04\0", "a zip archive"),
        (b"SQLite format 3\0", "an SQLite database"),
        (b"\x1f\x8b\x08\0", "gzip"),
        (b"\x89PNG\r\n", "a picture"),
        (b"\0\1\2\3", "no text"),
        (b'<?xml version="1.0"?><cnml version="0.1"><network/></cnml>', "CNML (guifi.net)"),
        (b"<!doctype html><html><body><table>", "a web page (HTML)"),
        (b"<html><p>unclosed", "a web page (HTML)"),
        (b'<?xml version="1.0"?><graphml/>', "GraphML"),
        (b'<?xml version="1.0"?><fcd-export/>', "motion of SUMO"),
        (b'<?xml version="1.0"?><house/>', "XML (<house>)"),
        (b'<!DOCTYPE kml [<!ENTITY a "aaaa">]><kml>&a;</kml>', "defines a document type"),
        (b"[Interface]\nPrivateKey = x\n[Peer]\n", "WireGuard"),
        (b"interface: wg0\n  public key: x\n", "WireGuard"),
        (b"$node_(0) set X_ 1\n", "motion of ns-2"),
        (b'[topology]\nkind = "chain"\n', "a scenario of multihop already"),
        (b"Station 02:00:00:00:00:01 (on wlan0)\n\tsignal: -60 dBm\n", "station dump"),
        (b'{"hello": 1, "world": 2}', "this JSON (with `hello`, `world`) is not one of"),
    ],
)
def test_files_of_another_kind_are_named_with_the_way_out(cli: Cli, here: Path, data: bytes, words: str) -> None:
    (here / "some.file").write_bytes(data)
    done = cli("import", "some.file", "--out", "net.toml")
    assert done.code == 2
    assert words in done.err
    assert "a table with a line of heads" not in done.err
    assert done.err.startswith("multihop: some.file: ")
    assert len(done.err.strip().splitlines()) == 1
    assert not (here / "net.toml").exists()


def test_nodes_of_aredn_are_read_from_a_collection_and_from_the_link_quality_manager(here: Path) -> None:
    hill = {"node": "N0CALL-Hill", "api_version": "1.14", "meshrf": {"channel": "3"}, "lqm": {"info": {"trackers": {}}}}
    hill["lqm"] = {
        "info": {
            "trackers": {
                "02:00:00:00:01:01": {"hostname": "N0CALL-ROOF", "type": "RF", "rx_quality": 90, "tx_quality": 80},
                "02:00:00:00:01:09": {"hostname": "N0CALL-Barn", "type": "DtD", "rx_quality": 100, "tx_quality": 100},
            }
        }
    }
    (here / "out.json").write_text(json.dumps({"nodeInfo": [{"data": SYSINFO}, {"data": hill}]}), encoding="utf-8")
    network = read(Path("out.json"))
    losses = [w.loss for w in network.wires if (w.sender, w.receiver) == ("N0CALL-Hill", "N0CALL-Roof")]
    assert losses == pytest.approx([0.1, 0.2])
    said = " ".join(network.account.sentences())
    assert "2 cables (N0CALL-Roof–N0CALL-Shed, N0CALL-Hill–N0CALL-Barn)" in said
    assert "all links share one channel, not 177 and 3" in said


def test_the_first_maps_of_freifunk_are_read(here: Path) -> None:
    tree = {
        "meta": {"timestamp": "2013-05-01"},
        "nodes": [
            {"id": "02:00:00:00:00:0a", "name": "a", "geo": [53.87, 10.68], "flags": {"online": True, "gateway": True}},
            {"id": "02:00:00:00:00:0b", "name": "b", "geo": None, "flags": {"online": True, "gateway": False}},
            {"id": "02:00:00:00:00:0c", "name": "c", "flags": {"online": True, "client": True}},
        ],
        "links": [
            {"id": "a-b", "source": 0, "target": 1, "quality": "1.000, 1.250", "type": None},
            {"id": "b-c", "source": 1, "target": 2, "quality": "1.000, 1.000", "type": "vpn"},
        ],
    }
    (here / "nodes.json").write_text(json.dumps(tree), encoding="utf-8")
    assert found(Path("nodes.json")) == pytest.approx({("a", "b"): 0.0, ("b", "a"): 0.2})
    assert read(Path("nodes.json")).gateways == ["a"]


def test_places_that_are_none_on_earth_are_named(cli: Cli, here: Path) -> None:
    tree = json.loads(json.dumps(NODES))
    tree["nodes"][2]["nodeinfo"]["location"] = {"latitude": 147.1, "longitude": 8.2}
    (here / "nodes.json").write_text(json.dumps(tree), encoding="utf-8")
    said = flat(cli("import", "nodes.json").out)
    assert "1 place that is none on Earth (hill: 147.1, 8.2 is no latitude and longitude (swapped?))" in said
    assert "1 node without a place (hill)" in said


def test_a_map_without_a_radio_link_is_read_by_its_places(cli: Cli, here: Path) -> None:
    nodes = [
        {"node_id": f"n{i}", "hostname": name, "location": {"latitude": y, "longitude": x}}
        for i, (name, x, y) in enumerate(POINTS)
    ]
    links = [{"type": "vpn", "source": "n0", "target": f"n{i}", "source_tq": 1, "target_tq": 1} for i in (1, 2)]
    (here / "m.json").write_text(json.dumps({"nodes": nodes, "links": links}), encoding="utf-8")
    said = flat(cli("import", "m.json").out)
    assert "3 nodes, read as meshviewer.json. Left out: 2 tunnels" in said
    assert "no link is radio, so nodes within range of each other are neighbours" in said


def test_a_long_name_in_a_file_of_another_kind_is_cut_in_the_error(here: Path) -> None:
    (here / "map.kml").write_text(f"<km{'9' * 5000}></km{'9' * 5000}>", encoding="utf-8")
    with pytest.raises(multihop.InputError, match=r"XML \(<km999.*…9+>\): export GeoJSON") as caught:
        multihop.import_("map.kml")
    assert len(str(caught.value)) < 1000
