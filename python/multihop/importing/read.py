"""Which kind of description a file is, and what it describes."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from multihop.errors import InputError

from . import meshes, tables
from .network import Described

KNOWN = (
    "a table of nodes or links (CSV), GeoJSON, meshviewer.json, nodes.json, NetJSON, `batadv-vis -f jsondoc`, "
    "`batctl o`, OLSR's jsoninfo or txtinfo topology, babeld's dump"
)
"""What can be read."""
BATCTL = "[B.A.T.M.A.N."
"""What batctl's output begins with."""


def read(path: Path) -> Described:
    """The network that a file describes; raises InputError with the file and the place of what is wrong."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise InputError(f"there is no file {path}") from None
    except (UnicodeDecodeError, OSError) as e:
        raise InputError(f"{path} cannot be read: {getattr(e, 'strerror', None) or 'it is no text in UTF-8'}") from None
    try:
        found = (
            _text(text, str(path)) if BATCTL in text or text.lstrip()[:1] not in ("{", "[") else _json(text, str(path))
        )
    except (KeyError, TypeError, AttributeError) as e:
        what = f"`{e.args[0]}` is missing" if isinstance(e, KeyError) else "it is not built as it should be"
        raise InputError(f"{path}: {what}; what can be read: {KNOWN}") from None
    for wire in found.wires:
        if wire.sender == wire.receiver:
            raise InputError(f"{path}: a link from {wire.sender} to itself crosses no air")
    return found


def _json(text: str, file: str) -> Described:
    try:
        tree: Any = json.loads(text)
    except ValueError as e:
        raise InputError(f"{file}: not valid JSON: {e}") from None
    kind = tree.get("type") if isinstance(tree, Mapping) else None
    if not isinstance(tree, Mapping):
        raise InputError(f"{file}: this JSON is not one of: {KNOWN}")
    if kind == "FeatureCollection":
        return tables.geojson(tree, file)
    if kind == "NetworkGraph":
        return meshes.netjson(tree, file)
    if "vis" in tree:
        return meshes.batman_vis(tree, file)
    if "topology" in tree:
        return meshes.olsr(tree, file)
    if "nodes" in tree and "links" in tree:
        return meshes.meshviewer(tree, file)
    if "nodes" in tree:
        return meshes.nodes_json(tree, file)
    raise InputError(f"{file}: this JSON is not one of: {KNOWN}")


def _text(text: str, file: str) -> Described:
    if "Table: Topology" in text:
        return meshes.olsr_text(text, file)
    if "add neighbour" in text:
        return meshes.babel(text, file)
    if "Originator" in text or BATCTL in text:
        return meshes.batman_originators(text, file)
    first = text.split("\n", 1)[0].lower().replace(";", ",").replace("\t", ",")
    heads = {head.strip().strip('"') for head in first.split(",")}
    if any({a, b} <= heads for a, b in tables.ENDS):
        return tables.links_csv(text, file)
    return tables.nodes_csv(text, file)
