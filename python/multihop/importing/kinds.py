"""Files of other kinds: what they are, and which way out there is."""

from __future__ import annotations

import re

from multihop.text import shortened

from . import maps

SAVE = "save its table as CSV"
MAGIC: tuple[tuple[bytes, str], ...] = (
    (b"%PDF", "a PDF: what it shows must be typed into a table (CSV)"),
    (b"SQLite format 3", "an SQLite database: export its table of nodes or links as CSV"),
    (b"\x1f\x8b", "compressed with gzip: unpack it first (gunzip)"),
    (b"BZh", "compressed with bzip2: unpack it first"),
    (b"\xfd7zXZ", "compressed with xz: unpack it first"),
    (b"(\xb5/\xfd", "compressed with zstd: unpack it first"),
    (b"7z\xbc\xaf", "a 7z archive: unpack it first"),
    (b"Rar!", "a RAR archive: unpack it first"),
    (b"\xd0\xcf\x11\xe0", f"a file of an old office program: {SAVE}"),
    (b"\x89PNG", "a picture (PNG): a network is read from tables and maps, not from pictures"),
    (b"\xff\xd8\xff", "a picture (JPEG): a network is read from tables and maps, not from pictures"),
    (b"GIF8", "a picture (GIF): a network is read from tables and maps, not from pictures"),
    (b"\x7fELF", "a program"),
    (b"\xd4\xc3\xb2\xa1", "a packet capture (pcap): it does not say which links there are"),
    (b"\x0a\x0d\x0d\x0a", "a packet capture (pcapng): it does not say which links there are"),
    (b"PAR1", "a Parquet file: export it as CSV"),
)
XML = {
    "cnml": "CNML (guifi.net): convert it to NetJSON with netdiff (`CnmlParser(…).json()`), or export a table as CSV",
    "html": "a web page (HTML): save the data behind its map (meshviewer.json, nodes.json), not the page",
    "osm": "OpenStreetMap data: export GeoJSON (overpass-turbo.eu, osmtogeojson)",
    "graphml": "GraphML: write node-link JSON (networkx `node_link_data`) or a table of links as CSV",
    "gexf": "GEXF: write node-link JSON (networkx `node_link_data`) or a table of links as CSV",
    "fcd-export": 'motion of SUMO: name it in a scenario, `[topology]` `kind = "explicit"` `file = "…"`',
    "net": "a road network of SUMO: what can be read is its `--fcd-output`, as `file` of `[topology]`",
    "svg": "a picture (SVG): a network is read from tables and maps, not from pictures",
    "worksheet": f"a sheet of an office program: {SAVE}",
    "workbook": f"a sheet of an office program: {SAVE}",
}
TEXT: tuple[tuple[str, str], ...] = (
    (
        r"interface: wg\d|^\[Interface\]\s*$|^(private|public)[ _]?key\b",
        "WireGuard's peers: tunnels are no radio links",
    ),
    (r"^OpenVPN CLIENT LIST|^TITLE,OpenVPN", "OpenVPN's list of clients: tunnels are no radio links"),
    (
        r"^Station (?:[0-9a-f]{2}:){5}[0-9a-f]{2} \(on ",
        "`iw dev … station dump`: it has no loss of frames; write a table of links",
    ),
    (
        r"^\$node_\(\d+\)|^\$ns_? at ",
        'motion of ns-2 (setdest): name it in a scenario, `[topology]` `kind = "explicit"` `file = "…"`',
    ),
    (
        r"^\[topology\]|^#:schema .*scenario\.json",
        "a scenario of multihop already: `multihop check` and `multihop run` take it",
    ),
    (r"^(strict )?graph\b.*\{", "a graph for Graphviz whose edges have no direction"),
    (r"^%!PS", "PostScript: a network is read from tables and maps, not from pictures"),
    (r"^---\s*$|^\w[\w-]*:\s*$", "YAML: write it as JSON or CSV"),
    (r"^PING |^traceroute to ", "the output of a measurement between two hosts: write a table of links"),
)


def of_bytes(data: bytes) -> str:
    """What a file of another kind is, by its first bytes; empty if they do not tell."""
    if data[:4] == b"PK\x03\x04":
        if b".kml" in data[:4096]:
            return "a KMZ: unpack it (unzip) and import the .kml in it"
        if b"xl/" in data[:4096] or b"opendocument.spreadsheet" in data[:4096]:
            return f"a sheet of an office program: {SAVE}"
        return "a zip archive: unpack it first, or if it is a sheet of an office program, " + SAVE
    known = next((words for magic, words in MAGIC if data.startswith(magic)), "")
    binary = not data.startswith((b"\xff\xfe", b"\xfe\xff")) and data[:4096].count(0) > 0
    return known or ("no text" if binary else "")


def of_xml(data: bytes) -> str:
    """What an XML file of another kind is."""
    name = maps.root(data) or ("html" if re.search(rb"<html|<!doctype html", data[:2000], re.IGNORECASE) else "")
    return XML.get(name, f"XML (<{shortened(name) or '?'}>): export GeoJSON, KML or a table (CSV)")


def of_text(text: str) -> str:
    """What a text of another kind is; empty if nothing tells."""
    return next((words for sign, words in TEXT if re.search(sign, text[:20000], re.MULTILINE | re.IGNORECASE)), "")
