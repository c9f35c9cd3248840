"""Networks of communities: hundreds of nodes in one file, and what several files tell together."""

from __future__ import annotations

import itertools
import json
import re
import time
from pathlib import Path
from typing import Any

import pytest

import multihop
from conftest import Cli
from import_samples import BATCTL_IV, NODES, SYSINFO, VIS, Losses
from multihop.errors import InputError
from multihop.importing.network import named
from multihop.importing.read import read, read_all


def found(*paths: Path) -> Losses:
    return {(wire.sender, wire.receiver): wire.loss for wire in read_all(paths).wires}


def written(name: str = "net.toml") -> dict[str, Any]:
    info: dict[str, Any] = json.loads(multihop.load(name).resolve().json())
    return info


def flat(text: str) -> str:
    return " ".join(text.split())


def test_several_files_are_joined_by_addresses_and_names(cli: Cli, here: Path) -> None:
    (here / "north.txt").write_text(BATCTL_IV, encoding="utf-8")
    other = BATCTL_IV.replace("02:00:00:00:00:02 ", "02:00:00:00:00:01 ").replace("00:00:01 (bat0", "00:00:02 (bat0")
    (here / "south.txt").write_text(other.replace("(204)", "(255)"), encoding="utf-8")
    assert found(Path("north.txt"), Path("south.txt")) == {("north", "south"): 0.0, ("south", "north"): 0.0}
    done = cli("import", "north.txt", "south.txt", "--out", "net.toml")
    assert "2 nodes and 1 link" in done.out
    assert {node["name"] for node in written()["nodes"]} == {"north", "south"}


def test_places_and_links_of_two_files_make_one_network(cli: Cli, here: Path) -> None:
    (here / "nodes.json").write_text(json.dumps(NODES), encoding="utf-8")
    vis = (
        json.dumps(VIS).replace("00:00:0a", "00:00:10").replace("00:00:1a", "00:00:fa").replace("00:00:0b", "00:00:11")
    )
    (here / "vis.json").write_text(vis, encoding="utf-8")
    assert cli("import", "nodes.json", "vis.json", "net.toml").code == 0
    assert {node["name"] for node in written()["nodes"]} == {"gateway", "church"}
    (here / "a.json").write_text(json.dumps(SYSINFO), encoding="utf-8")
    back = {"node": "N0CALL-HILL", "api_version": "1.14", "interfaces": [{"ip": "10.1.1.2"}], "link_info": {}}
    back["link_info"] = {
        "10.1.1.1": {"hostname": "n0call-roof", "linkType": "RF", "linkQuality": 0.8, "neighborLinkQuality": 0.95}
    }
    (here / "b.json").write_text(json.dumps(back), encoding="utf-8")
    done = cli("import", "a.json", "b.json", "aredn.toml")
    assert "2 nodes and 1 link" in done.out
    assert "of two figures for a link the better one holds (2 directions)" in flat(done.out)


def test_names_of_many_nodes_take_no_time() -> None:
    begin = time.process_time()
    assert len(set(named(["roof"] * 20_000 + ["roof 2", "barn"]))) == 20_002
    assert time.process_time() - begin < 2


def test_nodes_that_all_hear_each_other_take_no_memory_for_each_pair(here: Path) -> None:
    import tracemalloc

    from multihop.importing.write import scenario_of

    rows = "".join(f"n{i},{47 + i % 40 * 1e-5},{8 + i // 40 * 1e-5}\n" for i in range(700))
    (here / "n.csv").write_text("name,lat,lon\n" + rows, encoding="utf-8")
    scenario_of(read(Path("n.csv")), "n.csv", range_m=250)  # what is imported once does not count
    tracemalloc.start()
    made = scenario_of(read(Path("n.csv")), "n.csv", range_m=250)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 5e6  # 2.3 kB for each pair would be 500 MB
    assert "it has most neighbours (699)" in made.gateway


def test_a_community_of_800_nodes_is_read_in_two_seconds(cli: Cli, here: Path) -> None:
    (here / "meshviewer.json").write_text(json.dumps(community(800)), encoding="utf-8")
    begin = time.process_time()
    done = cli("import", "meshviewer.json")
    assert done.code == 0, done.err
    assert time.process_time() - begin < 2
    said = flat(done.out)
    for words in (
        r"\d+ offline nodes",
        r"\d+ cables",
        r"\d+ tunnels",
        r"\d+ nodes without a radio link",
        r"\d+ links of offline",
    ):
        assert re.search(words, said), words
    shown = re.search(r"written: (\d+) nodes and (\d+) links", said)
    assert shown
    assert int(shown[1]) == len(written("meshviewer.toml")["nodes"])
    first = multihop.check("meshviewer.toml")["flows"][0]
    assert worst(first["other"]["path"]) == 0.3  # by hops it would go over links that lose most frames
    assert worst(first["path"]) >= 0.8
    assert first["etx"] < first["other"]["etx"]


def worst(path: list[str]) -> float:
    """The lowest quality among the links of a path."""
    quality = {1: 0.9, 2: 0.3, 40: 0.8}
    numbers = [int(name.removeprefix("roof-")) for name in path]
    return min(quality[abs(b - a)] for a, b in itertools.pairwise(numbers))


def community(size: int) -> dict[str, Any]:
    """A map as a community has it: streets of roofs, cables, tunnels, offline nodes, wrong and missing places."""
    nodes: list[dict[str, Any]] = []
    for i in range(size):
        place = {"latitude": 47.36 + (i // 40) * 0.0015, "longitude": 8.2 + (i % 40) * 0.002}
        if i % 97 == 5:
            place = {"latitude": place["longitude"], "longitude": place["latitude"]}
        if i % 50 == 7:
            place = dict(nodes[-1].get("location", place))
        node = {
            "node_id": f"02{i:010x}",
            "hostname": f"roof-{i}",
            "is_online": i % 11 != 10,
            "is_gateway": i == 0,
            "clients": i % 7,
        }
        nodes.append(node | ({} if i % 13 == 3 else {"location": place}))
    links = []
    for i in range(size):
        for j, tq in ((i + 1, 0.9), (i + 40, 0.8), (i + 2, 0.3)):
            if j < size and (j % 40 or j != i + 1):
                kind = "other" if i % 23 == 1 else "vpn" if i % 29 == 2 else "wifi"
                links.append(
                    {"type": kind, "source": f"02{i:010x}", "target": f"02{j:010x}", "source_tq": tq, "target_tq": tq}
                )
    for i in range(0, size, 40):  # in the cellar of each street's first house, behind a cable
        nodes.append({"node_id": f"03{i:010x}", "hostname": f"cellar-{i}", "is_online": True})
        links.append(
            {"type": "other", "source": f"02{i:010x}", "target": f"03{i:010x}", "source_tq": 1, "target_tq": 1}
        )
    return {"timestamp": "2026-01-01T00:00:00+0000", "nodes": nodes, "links": links}


def test_a_list_of_800_nodes_is_read_without_those_that_stand_nowhere(cli: Cli, here: Path) -> None:
    tree = community(800)
    nodes = [
        {
            "nodeinfo": {key: node[key] for key in ("node_id", "hostname", "location") if key in node},
            "flags": {"online": node["is_online"]},
        }
        for node in tree["nodes"]
    ]
    (here / "nodes.json").write_text(json.dumps({"version": 2, "nodes": nodes}), encoding="utf-8")
    begin = time.process_time()
    done = cli("import", "nodes.json", "--range", "200 m")
    assert done.code == 0, done.err
    assert time.process_time() - begin < 2
    said = flat(done.out)
    for words in (
        r"\d+ offline nodes",
        r"\d+ nodes without a place",
        r"\d nodes far from the others .*swapped\?",
        "nodes stand where another one does",
    ):
        assert re.search(words, said), words


def test_endless_and_missing_files_are_refused(cli: Cli, here: Path) -> None:
    assert "is longer than 32 MB" in cli("import", "/dev/zero", "--out", "z.toml").err
    (here / "folder").mkdir()
    assert cli("import", "folder", "--out", "z.toml").code == 2
    with pytest.raises(InputError, match="there is no file"):
        read(Path("nowhere.json"))


def test_python_imports_as_the_command_line_does(cli: Cli, here: Path) -> None:
    (here / "l.csv").write_text("from,to,loss,rssi\na,b,0.1,-60\nb,c,0.2,-70\n", encoding="utf-8")
    scenario = multihop.import_("l.csv", gateway="c")
    assert cli("import", "l.csv", "--gateway", "c").code == 0
    assert (here / "l.toml").read_text(encoding="utf-8").endswith(scenario.text)
    assert "# Not used: `rssi`." in scenario.text
    for wrong in ({"many": 0}, {"range_m": float("nan")}):
        with pytest.raises(InputError):
            multihop.import_("l.csv", **wrong)
