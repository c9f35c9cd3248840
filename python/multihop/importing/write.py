"""A described network as a scenario file that a person can read and change."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import replace

from multihop.errors import InputError
from multihop.reach import Reach
from multihop.scenario import Scenario, nearest
from multihop.text import plural

from .network import Described, Wire, planar

SENSE = 2.2
"""Carrier sense reaches this much further than reception: 550 m to 250 m, as with the card that most papers used."""
GATEWAY = re.compile(r"gateway|\bgw\b|uplink", re.IGNORECASE)
"""Names of nodes that others download from."""
MOST_LOSS = 0.9
"""Links that lose more than this carry nothing; they are kept as noise alone."""


def scenario_text(network: Described, title: str, *, flows: Sequence[str] = (), many: int = 3, range_m: float) -> str:
    """The scenario file of a network.

    A network with links becomes a list of links; one without, nodes in the plane that hear each other within `range_m`.
    `flows` are `FROM:TO`; without any, downloads from a gateway to `many` nodes, near, halfway and far.
    """
    network = _with_places(network)
    body = _links(network) if network.wires else _places(network, range_m)
    known = [site.name for site in network.sites]
    ends = [_ends(flow, known) for flow in flows] or _downloads(network, body, many)
    return "\n".join([*_head(network, title), "", body, "", *_flows(ends)]) + "\n"


def _with_places(network: Described) -> Described:
    """Without the nodes that have no place, where places are all that there is."""
    if network.wires:
        return network
    placed = [site for site in network.sites if site.at is not None]
    if len(placed) < 2:
        raise InputError(
            f"{plural(len(placed), 'node')} with a place and no links make no network; what is missing is latitude and "
            "longitude, or a table of links"
        )
    lost = len(network.sites) - len(placed)
    return replace(network, sites=planar(placed) if network.geographic else placed, left_out=network.left_out + lost)


def _head(network: Described, title: str) -> list[str]:
    left_out = f", {plural(network.left_out, 'node')} without a place or offline left out" if network.left_out else ""
    words = f"{title}: {plural(len(network.sites), 'node')}"
    return [
        f"# Made by `multihop import` from {title}{left_out}.",
        "# Look at it with `multihop check`, and change what is not so: data rate, range, flows.",
        f"summary = {_text(words)}",
        'profile = "rfc"',
        "",
        "[run]",
        'duration = "60 s"',
        "",
        "[measure]",
        'warm-up = "10 s"',
        "",
        "[mac]",
        'data-rate = "11 Mbps"',
        'rts-threshold = "0 B"         # all frames are preceded by RTS/CTS; "65535 B": none',
    ]


def _places(network: Described, range_m: float) -> str:
    width = max(len(_text(site.name)) for site in network.sites)
    lines = [
        "# Every node within range is a neighbour: measure yours, it decides more than all else.",
        "[air]",
        'propagation = "disk"',
        f'range = "{range_m:g} m"',
        f'sense-range = "{range_m * SENSE:g} m"',
        f'interference-range = "{range_m * SENSE:g} m"',
        "",
        "[topology]",
        'kind = "explicit"',
        "node = [",
    ]
    for site in network.sites:
        x, y = (f'"{value:.1f} m"' for value in site.at or (0.0, 0.0))
        lines.append(f"    {{ name = {_text(site.name):<{width}}, x = {x}, y = {y} }},")
    return "\n".join([*lines, "]"])


def _links(network: Described) -> str:
    lines = [
        "# `loss`: the probability that a frame is lost. Whoever is not linked hears nothing: stations that disturb",
        "# each other without a link are missing from such a list; add them with `sense-only = true`.",
        "[topology]",
        'kind = "links"',
        "link = [",
        *(f"    {line}," for line in _link_lines(network.wires)),
        "]",
    ]
    return "\n".join(lines)


def _link_lines(wires: Sequence[Wire]) -> list[str]:
    """A line for both directions where they are alike, else one for each."""
    found: dict[tuple[str, str], float] = {}
    for wire in wires:  # of a link that is told twice, the better
        ends = (wire.sender, wire.receiver)
        found[ends] = min(found.get(ends, 1.0), wire.loss)
    lines = []
    for (a, b), loss in found.items():
        back = found.get((b, a))
        if back is not None and round(back, 3) == round(loss, 3):
            if (a, b) <= (b, a):
                lines.append(_link_line(a, b, loss))
        else:
            # a link told in one direction only is taken to work in both: that is how tables are meant
            lines.append(_link_line(a, b, loss, one_way=back is not None))
    return lines


def _link_line(a: str, b: str, loss: float, *, one_way: bool = False) -> str:
    words = [f"from = {_text(a)}", f"to = {_text(b)}"]
    if one_way:
        words.append("one-way = true")
    words.append("sense-only = true" if loss > MOST_LOSS else f"loss = {loss:.3g}")
    return f"{{ {', '.join(words)} }}"


def _downloads(network: Described, body: str, many: int) -> list[tuple[str, str]]:
    """From a gateway, else from the node with most neighbours, to nodes near, halfway and far by hops."""
    reach = Reach(Scenario("imported", body, "imported.toml").resolve())
    part = reach.parts()[0]
    if len(part) < 2:
        raise InputError("no node of it hears another: is the range too short? (`--range` sets it)")
    gateways = [name for name in network.gateways if name in part]
    gateways += [name for name in part if GATEWAY.search(name)]
    gateway = gateways[0] if gateways else max(part, key=lambda name: len(reach.neighbours[name]))
    hops = {name: len(reach.path(gateway, name)) for name in part if name != gateway}
    ordered = sorted((name for name in hops if hops[name]), key=lambda name: (hops[name], name))
    many = min(many, len(ordered))
    return [(gateway, ordered[(i + 1) * len(ordered) // many - 1]) for i in range(many)]


def _ends(flow: str, names: Sequence[str]) -> tuple[str, str]:
    ends = [part.strip() for part in flow.split(":")]
    if len(ends) != 2 or not all(ends):
        # names may hold colons, as addresses do
        ends = next(([a, flow[len(a) + 1 :]] for a in names if flow.startswith(f"{a}:")), ends)
    if len(ends) != 2:
        raise InputError(f"a flow is written FROM:TO, and `{flow}` is not")
    for end in ends:
        if end not in names:
            raise InputError(f"flow {flow}: there is no node `{end}`{nearest(end, names)}")
    return ends[0], ends[1]


def _flows(ends: Sequence[tuple[str, str]]) -> list[str]:
    lines = []
    for source, destination in ends:
        name = f"to {destination}"
        lines += ["[[flow]]", f"name = {_text(name)}", f"from = {_text(source)}", f"to = {_text(destination)}", ""]
    return lines[:-1]


def _text(text: str) -> str:
    """A text in TOML."""
    return json.dumps(text, ensure_ascii=False)
