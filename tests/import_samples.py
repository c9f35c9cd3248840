"""A small file of each kind that `multihop import` reads, as its program writes it; all names are invented."""

from __future__ import annotations

import json

Losses = dict[tuple[str, str], float]


def _json(tree: object) -> str:
    return json.dumps(tree, indent=1)


MESHVIEWER = {
    "timestamp": "2026-01-01T00:00:00+0000",
    "nodes": [
        {"node_id": "02000000000a", "hostname": "Rathaus", "is_online": True, "is_gateway": True, "clients": 4},
        {"node_id": "02000000000b", "hostname": "Bücherei", "is_online": True, "mac": "02:00:00:00:00:0b"},
        {"node_id": "02000000000c", "hostname": "Mühle", "is_online": True},
        {"node_id": "02000000000d", "hostname": "Keller", "is_online": True},
        {"node_id": "02000000000e", "hostname": "Scheune", "is_online": False},
    ],
    "links": [
        {"type": "wifi", "source": "02000000000a", "target": "02000000000b", "source_tq": 0.9, "target_tq": 0.8},
        {"type": "wifi", "source": "02000000000b", "target": "02000000000c", "source_tq": 1, "target_tq": 0.5},
        {"type": "other", "source": "02000000000c", "target": "02000000000d", "source_tq": 1, "target_tq": 1},
        {"type": "vpn", "source": "02000000000a", "target": "02000000000d", "source_tq": 1, "target_tq": 1},
        {"type": "wifi", "source": "02000000000a", "target": "02000000000e", "source_tq": 1, "target_tq": 1},
        {"type": "wifi", "source": "02000000000a", "target": "0200000000ff", "source_tq": 1, "target_tq": 1},
    ],
}
SYSINFO = {
    "api_version": "1.14",
    "node": "N0CALL-Roof",
    "lat": "47.3700",
    "lon": "8.2000",
    "interfaces": [{"name": "wlan0", "ip": "10.1.1.1", "mac": "02:00:00:00:01:01"}, {"name": "eth0", "mac": "none"}],
    "meshrf": {"channel": "177", "freq": "5885", "chanbw": "10", "status": "on"},
    "link_info": {
        "10.1.1.2": {
            "hostname": "N0CALL-Hill.local.mesh",
            "linkType": "RF",
            "linkQuality": 0.9,
            "neighborLinkQuality": 0.75,
            "signal": -76,
            "noise": -95,
            "tx_rate": 19.5,
        },
        "10.1.1.3": {"hostname": "N0CALL-Shed", "linkType": "DTD", "linkQuality": 1, "neighborLinkQuality": 1},
        "10.1.1.4": {"hostname": "N0CALL-Far", "linkType": "TUN", "linkQuality": 1, "neighborLinkQuality": 1},
    },
}
BATCTL_V = """\
[B.A.T.M.A.N. adv 2023.1, MainIF/MAC: mesh0/02:00:00:00:00:01 (bat0/02:00:00:00:00:f1 BATMAN_V)]
   Originator        last-seen ( throughput)  Nexthop           [outgoingIF]
 * 02:00:00:00:00:02    0.750s (       86.7)  02:00:00:00:00:02 [     mesh0]
 * 02:00:00:00:00:03    0.210s (       21.6)  02:00:00:00:00:02 [     mesh0]
   02:00:00:00:00:04    0.210s (       99.1)  02:00:00:00:00:04 [  mesh-vpn]
"""
BATCTL_IV = """\
[B.A.T.M.A.N. adv 2019.2, MainIF/MAC: mesh0/02:00:00:00:00:01 (bat0/02:00:00:00:00:f1 BATMAN_IV)]
   Originator        last-seen (#/255) Nexthop           [outgoingIF]
 * 02:00:00:00:00:02    0.370s   (204) 02:00:00:00:00:02 [     mesh0]
 * 02:00:00:00:00:03    0.120s   (120) 02:00:00:00:00:02 [     mesh0]
 * 02:00:00:00:00:05    0.120s   (255) 02:00:00:00:00:05 [vx_mesh_lan]
"""
OLSR_TXT = """\
Table: Links
Local IP\tRemote IP\tHyst.\tLQ\tNLQ\tCost
10.0.0.1\t10.0.1.2\t0.00\t0.900\t0.800\t1.389

Table: Topology
Dest. IP\tLast hop IP\tLQ\tNLQ\tCost
10.0.0.3\t10.0.0.2\t1.000\t0.500\t2.000
10.0.0.9\t10.0.0.2\t0.000\t0.000\tINFINITE

Table: HNA
Destination\tGateway
0.0.0.0/0\t10.0.0.1

Table: MID
IP address\tAliases
10.0.0.2\t10.0.1.2;10.0.2.2
"""
OLSR_DOT = """\
digraph topology
{
"10.0.0.1" -> "10.0.0.2"[label="1.00", style=solid];
"10.0.0.2" -> "10.0.0.3"[label="4.00"];
"10.0.0.3" -> "10.0.0.4"[label="INFINITE"];
"10.0.0.1" -> "0.0.0.0/0.0.0.0"[label="HNA"];
"0.0.0.0/0.0.0.0"[shape=diamond];
}
"""
VIS_DOT = """\
digraph {
\tsubgraph "cluster_02:00:00:00:00:0a" {
\t\t"02:00:00:00:00:0a"
\t\t"02:00:00:00:00:1a" [peripheries=2]
\t}
\t"02:00:00:00:00:1a" -> "02:00:00:00:00:0b" [label="1.250"]
\t"02:00:00:00:00:0b" -> "02:00:00:00:00:1a" [label="1.000"]
\t"02:00:00:00:00:0a" -> "02:00:00:00:00:cc" [label="TT"]
}
"""
BABEL = """\
BABEL 1.0
version babeld-1.12
host kitchen
my-id 02:00:00:ff:fe:00:00:01
add interface wlan0 up true ipv6 fe80::1 ipv4 10.2.0.1
add neighbour 14 address fe80::2 if wlan0 reach ffff ureach 0000 rxcost 256 txcost 512 rtt 0.0 rttcost 0 cost 512
add neighbour 15 address fe80::3 if wlan0 reach 0000 ureach 0000 rxcost 65535 txcost 65535 cost 65535
add neighbour 16 address fe80::4 if br-dtdlink reach ffff ureach 0000 rxcost 96 txcost 96 cost 96
add neighbour 17 address fe80::5 if wgs0 reach ffff ureach 0000 rxcost 256 txcost 256 cost 256
"""
KML = """\
<?xml version="1.0" encoding="UTF-8"?>
<kml xmlns="http://www.opengis.net/kml/2.2"><Document><Folder>
<Placemark><name>gateway</name><description>roof</description>
 <Point><coordinates>8.2032,47.3695,0</coordinates></Point></Placemark>
<Placemark><name>church</name><ExtendedData><Data name="height"><value>12</value></Data></ExtendedData>
 <Point><coordinates> 8.2045,47.3702,0 </coordinates></Point></Placemark>
<Placemark><name>hill</name><Point><coordinates>8.2060,47.3710</coordinates></Point></Placemark>
<Placemark><name>path</name><LineString><coordinates>8.2032,47.3695,0 8.204,47.37,0 8.2045,47.3702,0</coordinates>
 </LineString></Placemark>
<Placemark><name>path 2</name><LineString><coordinates>8.2045,47.3702 8.2060,47.3710</coordinates></LineString>
</Placemark></Folder></Document></kml>
"""
GPX = """\
<?xml version="1.0"?>
<gpx version="1.1" xmlns="http://www.topografix.com/GPX/1/1">
<wpt lat="47.3695" lon="8.2032"><ele>400</ele><name>gateway</name></wpt>
<wpt lat="47.3702" lon="8.2045"><name>church</name></wpt>
<trk><name>drone</name><trkseg><trkpt lat="47.3698" lon="8.2040"/><trkpt lat="47.3799" lon="8.2041"/></trkseg></trk>
</gpx>
"""
NETJSON = {
    "type": "NetworkGraph",
    "protocol": "OLSR",
    "version": "0.9.8",
    "metric": "ETX",
    "nodes": [
        {"id": "10.0.0.1", "label": "attic", "local_addresses": ["10.0.1.1"]},
        {"id": "10.0.0.2"},
        {"id": "10.0.0.3"},
    ],
    "links": [
        {"source": "10.0.1.1", "target": "10.0.0.2", "cost": 1024},
        {"source": "10.0.0.2", "target": "10.0.0.3", "cost": 4096, "cost_text": "4.0"},
        {"source": "10.0.0.1", "target": "10.0.1.1", "cost": 1024},
    ],
}
VIS = {
    "source_version": "2023.1",
    "algorithm": 4,
    "vis": [
        {
            "primary": "02:00:00:00:00:0a",
            "secondary": ["02:00:00:00:00:1a"],
            "neighbors": [{"router": "02:00:00:00:00:1a", "neighbor": "02:00:00:00:00:0b", "metric": "1.250"}],
            "clients": ["02:00:00:00:00:c1"],
        },
        {
            "primary": "02:00:00:00:00:0b",
            "neighbors": [{"router": "02:00:00:00:00:0b", "neighbor": "02:00:00:00:00:0a", "metric": "1.000"}],
        },
    ],
}
GRAPH = {
    "version": 1,
    "batadv": {
        "directed": False,
        "graph": None,
        "nodes": [{"id": f"02:00:00:00:00:0{x}", "node_id": f"02000000000{x}"} for x in "abc"],
        "links": [
            {"source": 0, "target": 1, "vpn": False, "tq": 1.25, "bidirect": True},
            {"source": 1, "target": 2, "vpn": False, "tq": 1.0, "bidirect": True},
            {"source": 0, "target": 2, "vpn": True, "tq": 1.0, "bidirect": True},
        ],
    },
}
OLSR_JSON = {
    "topology": [
        {"lastHopIP": "10.0.0.1", "destinationIP": "10.0.0.2", "linkQuality": 0.9, "neighborLinkQuality": 0.8},
        {"lastHopIP": "10.0.1.2", "destinationIP": "10.0.0.3", "linkQuality": 1, "neighborLinkQuality": 0.5},
    ],
    "mid": [{"main": {"ipAddress": "10.0.0.2"}, "aliases": [{"ipAddress": "10.0.1.2"}]}],
    "hna": [{"destination": "::", "genmask": 0, "gateway": "10.0.0.3"}],
}
POINTS = [("gateway", 8.2032, 47.3695), ("church", 8.2045, 47.3702), ("hill", 8.2060, 47.3710)]
GEOJSON = {
    "type": "FeatureCollection",
    "features": [
        {
            "type": "Feature",
            "properties": {"name": name, "altitude": 400},
            "geometry": {"type": "Point", "coordinates": [x, y]},
        }
        for name, x, y in POINTS
    ]
    + [
        {
            "type": "Feature",
            "properties": {"from": "gateway", "to": "church", "loss": 0.1, "rssi": -70},
            "geometry": {"type": "LineString", "coordinates": [[8.2032, 47.3695], [8.2045, 47.3702]]},
        },
        {
            "type": "Feature",
            "properties": {"loss": 0.2},
            "geometry": {"type": "LineString", "coordinates": [[8.2045, 47.3702], [8.2060, 47.3710]]},
        },
    ],
}
LEGACY = "\n".join(
    json.dumps(one)
    for one in (
        {"primary": "02:00:00:00:00:0a"},
        {"secondary": "02:00:00:00:00:1a", "of": "02:00:00:00:00:0a"},
        {"router": "02:00:00:00:00:1a", "neighbor": "02:00:00:00:00:0b", "label": "1.250"},
        {"router": "02:00:00:00:00:0b", "neighbor": "02:00:00:00:00:0a", "label": "1.000"},
        {"router": "02:00:00:00:00:0b", "gateway": "02:00:00:00:00:c1", "label": "TT"},
    )
)
NODES = {
    "version": 2,
    "nodes": [
        {
            "nodeinfo": {
                "node_id": f"02000000000{i}",
                "hostname": name,
                "location": {"latitude": y, "longitude": x},
                "network": {"mesh": {"bat0": {"interfaces": {"wireless": [f"02:00:00:00:00:1{i}"]}}}},
            },
            "flags": {"online": True, "gateway": name == "gateway"},
        }
        for i, (name, x, y) in enumerate(POINTS)
    ],
}
ORIGINATORS_JSON = [
    {"hard_ifname": "mesh0", "orig_address": "02:00:00:00:00:02", "neigh_address": "02:00:00:00:00:02", "tq": 204},
    {"hard_ifname": "mesh0", "orig_address": "02:00:00:00:00:03", "neigh_address": "02:00:00:00:00:02", "tq": 100},
]
A, B, C = "02:00:00:00:00:0a", "02:00:00:00:00:0b", "02:00:00:00:00:0c"

LINKS: dict[str, tuple[str, Losses]] = {
    "meshviewer.json": (
        _json(MESHVIEWER),
        {
            ("Rathaus", "Bücherei"): 0.1,
            ("Bücherei", "Rathaus"): 0.2,
            ("Bücherei", "Mühle"): 0.0,
            ("Mühle", "Bücherei"): 0.5,
        },
    ),
    "sysinfo.json": (
        _json(SYSINFO),
        {("N0CALL-Roof", "N0CALL-Hill"): 0.25, ("N0CALL-Hill", "N0CALL-Roof"): 0.1},
    ),
    "batctl-o-v.txt": (BATCTL_V, {("here", "02:00:00:00:00:02"): 0.0}),
    "batctl-o-iv.txt": (BATCTL_IV, {("here", "02:00:00:00:00:02"): 0.2, ("02:00:00:00:00:02", "here"): 0.2}),
    "batctl-n-iv.txt": (
        "[B.A.T.M.A.N. adv 2019.2, MainIF/MAC: mesh0/02:00:00:00:00:01 (bat0/02:00:00:00:00:f1 BATMAN_IV)]\n"
        "IF             Neighbor              last-seen\n"
        "        mesh0\t  02:00:00:00:00:02    0.380s\n",
        {("here", "02:00:00:00:00:02"): 0.0},
    ),
    "batctl-n-v.txt": (
        "[B.A.T.M.A.N. adv 2023.1, MainIF/MAC: mesh0/02:00:00:00:00:01 (bat0/02:00:00:00:00:f1 BATMAN_V)]\n"
        "         Neighbor   last-seen      speed           IF\n"
        "02:00:00:00:00:02    0.540s (       86.7) [     mesh0]\n",
        {("here", "02:00:00:00:00:02"): 0.0},
    ),
    "batctl-oj.json": (
        _json(ORIGINATORS_JSON),
        {("here", "02:00:00:00:00:02"): 0.2, ("02:00:00:00:00:02", "here"): 0.2},
    ),
    "olsr.txt": (
        OLSR_TXT,
        {
            ("10.0.0.1", "10.0.0.2"): 0.2,
            ("10.0.0.2", "10.0.0.1"): 0.1,
            ("10.0.0.2", "10.0.0.3"): 0.5,
            ("10.0.0.3", "10.0.0.2"): 0.0,
        },
    ),
    "olsr.json": (
        _json(OLSR_JSON),
        {
            ("10.0.0.1", "10.0.0.2"): 0.2,
            ("10.0.0.2", "10.0.0.1"): 0.1,
            ("10.0.0.2", "10.0.0.3"): 0.5,
            ("10.0.0.3", "10.0.0.2"): 0.0,
        },
    ),
    "olsr.dot": (OLSR_DOT, {("10.0.0.1", "10.0.0.2"): 0.0, ("10.0.0.2", "10.0.0.3"): 0.5}),
    "vis.dot": (VIS_DOT, {(A, B): 0.2, (B, A): 0.0}),
    "vis.json": (_json(VIS), {(A, B): 0.2, (B, A): 0.0}),
    "vis-lines.json": (LEGACY, {(A, B): 0.2, (B, A): 0.0}),
    "graph.json": (_json(GRAPH), {("02000000000a", "02000000000b"): 0.2, ("02000000000b", "02000000000c"): 0.0}),
    "babel.txt": (
        BABEL,
        {("02:00:00:ff:fe:00:00:01", "fe80::2"): 0.5, ("fe80::2", "02:00:00:ff:fe:00:00:01"): 0.0},
    ),
    "netjson.json": (
        _json(NETJSON),
        {
            ("attic", "10.0.0.2"): 0.0,
            ("10.0.0.2", "attic"): 0.0,
            ("10.0.0.2", "10.0.0.3"): 0.5,
            ("10.0.0.3", "10.0.0.2"): 0.5,
        },
    ),
    "lines.geojson": (_json(GEOJSON), {("gateway", "church"): 0.1, ("church", "hill"): 0.2}),
    "lines.kml": (KML, {("gateway", "church"): 0.0, ("church", "hill"): 0.0}),
    "links.csv": (
        "Local IP;Remote IP;LQ;NLQ;rssi\n10.0.0.1;10.0.0.2;0,9;0,8;-70\n10.0.0.2;10.0.0.3;1;1;-60\n",
        {
            ("10.0.0.1", "10.0.0.2"): 0.2,
            ("10.0.0.2", "10.0.0.1"): 0.1,
            ("10.0.0.2", "10.0.0.3"): 0.0,
            ("10.0.0.3", "10.0.0.2"): 0.0,
        },
    ),
}
"""Of each kind that tells links a file, and the losses that are read from it."""
PLACES: dict[str, tuple[str, int]] = {
    "nodes.json": (_json(NODES), 3),
    "places.gpx": (GPX, 3),
    "nodes.csv": ("name,lat,lon,status\ngate,47.3695,8.2032,up\nbarn,,,planned\nmast,47.3702,8.2045,up\n", 2),
    "plane.csv": ("name\tx\ty\na\t0\t0\nb\t120\t10\n", 2),
}
"""Of each kind that tells places a file, and how many nodes it makes."""
