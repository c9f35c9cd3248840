"""A described network as a scenario file that a person can read and change."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from multihop.errors import InputError, ScenarioError
from multihop.scenario.cards import USUAL_MHZ, Wifi, frequency_line, mac_lines, power_dbm, profile_of, radio_words
from multihop.scenario.scenario import Scenario
from multihop.scenario.wifi import model_words
from multihop.text import plural, printable

from . import account as out
from .flows import Flows, InRange, Linked, Neighbours, chosen
from .network import FARTHEST_M, Described, Radio, Site, distance_m, far_away, planar

SENSE = 2.2
"""Carrier sense reaches this much further than reception: 550 m to 250 m, as with the card that most papers used."""
MOST_LOSS = 0.9
"""Links that lose more than this carry nothing; they are kept as noise alone."""
MOST_NODES = 10_001
"""More nodes than the engine serves."""
WIDTH = 118
"""Of comments in the file [characters]."""
ETX = (
    "# Routes that are computed once take paths of few transmissions (ETX), as routing protocols of meshes do.",
    "[routing]",
    'kind = "static"',
    'static.metric = "etx"         # "hops": paths of few hops, whatever their links lose',
    "",
)

STRONG = (
    "# All links are strong, 40 dB over the noise: what they lose is said with each.",
    "[air]",
    'receive-threshold = "-54 dBm"',
    "",
)

Losses = Mapping[tuple[str, str], float]


@dataclass(frozen=True, slots=True)
class Written:
    """A scenario file before it is written."""

    text: str
    """The file."""
    summary: str
    """What it was made of, what was left out, not used and assumed: a line of output."""
    gateway: str
    """Which node was taken for the gateway and why; empty if flows were named."""
    model: str
    """Which Wi-Fi is assumed, in one line."""
    scenario: Scenario
    """The scenario that the file is."""


def title_of(paths: Sequence[Path]) -> str:
    """What files are called in a scenario made of them."""
    return paths[0].name if len(paths) == 1 else f"{paths[0].name} and {len(paths) - 1} more"


def scenario_of(
    network: Described,
    title: str,
    *,
    flows: Sequence[str] = (),
    gateway: str | None = None,
    many: int = 3,
    range_m: float,
) -> Written:
    """The scenario file of a network.

    A network with links becomes a list of links; one without, nodes in the plane that hear each other within `range_m`.
    `flows` are `FROM:TO`; without any, downloads from a gateway to `many` nodes, near, halfway and far. Raises
    InputError, with the title, if that is no network.
    """
    if many < 1 or not 0 < range_m < 1e6:
        raise InputError(f"at least one flow and a range between 0 and 1e6 m are expected, not {many} and {range_m} m")
    try:
        return _scenario(network, title, flows, gateway, many, range_m)
    except ScenarioError as e:
        raise InputError(f"{title}: what it describes is no scenario: {e}") from None
    except InputError as e:
        raise InputError(f"{title}: {e}") from None


def _scenario(
    network: Described,
    title: str,
    flows: Sequence[str],
    gateway: str | None,
    many: int,
    range_m: float,
) -> Written:
    neighbours: Neighbours
    if network.wires:
        losses = _both_ways(network)
        body, neighbours = _by_links(network, losses)
    else:
        network = _with_places(network)
        names = [site.name for site in network.sites]
        places = [site.at or (0.0, 0.0) for site in network.sites]
        neighbours = InRange(names, places, range_m, network.radio.channels)
        body = _places(network, range_m)
    if len(network.sites) > MOST_NODES:
        raise InputError(f"it has {len(network.sites)} nodes, and {MOST_NODES} are the most that can be simulated")
    found = chosen(network, neighbours, flows, gateway, many)
    count = plural(len(network.sites), "node") + (f" and {plural(_pairs(network), 'link')}" if network.wires else "")
    radios = _radios(network.radio, {site.name for site in network.sites})
    text = "\n".join([*_head(network, title, count, found), "", body, "", *radios, *_flows(found.ends)]) + "\n"
    scenario = Scenario(title, text, title)
    model = model_words(json.loads(scenario.resolve().json()))
    summary = " ".join([f"{count}, read as {network.kind}.", *network.account.sentences()])
    return Written(text, summary, found.words(), model, scenario)


def _with_places(network: Described) -> Described:
    """In metres, without the nodes that have no place or lie far from all others."""
    account = network.account
    placed = [site for site in network.sites if site.at is not None]
    for site in network.sites:
        if site.at is None:
            account.leave_out(out.NO_PLACE, site.name)
    if network.geographic and placed:
        far = far_away([site.at for site in placed if site.at])
        inside = [site.at for i, site in enumerate(placed) if site.at and i not in far][:1]
        for i in sorted(far):
            x, y = placed[i].at or (0.0, 0.0)
            swapped = ", swapped?" if any(distance_m((y, x), place) < FARTHEST_M for place in inside) else ""
            account.leave_out(out.FAR, f"{placed[i].name}: latitude {y:g}, longitude {x:g}{swapped}")
        placed = [site for i, site in enumerate(placed) if i not in far]
    if len(placed) < 2:
        left_out = account.left_out()
        raise InputError(
            f"{plural(len(placed), 'node')} with a place and no links make no network; what is missing is latitude and "
            f"longitude, or a table of links{'; left out: ' + left_out if left_out else ''}"
            f"{'; are latitude and longitude swapped?' if account.count(out.FAR) else ''}"
        )
    sites = [_rounded(site) for site in (planar(placed) if network.geographic else placed)]
    shared = len(sites) - len({site.at for site in sites})
    if shared:
        account.assume(plural(shared, "node stands where another one does", "nodes stand where another one does"))
    return replace(network, sites=sites)


def _rounded(site: Site) -> Site:
    """A place as it is written, to 0.1 m."""
    x, y = site.at or (0.0, 0.0)
    return Site(site.name, (round(x, 1) + 0.0, round(y, 1) + 0.0))


def _head(network: Described, title: str, count: str, flows: Flows) -> list[str]:
    radio = network.radio
    said = [f"Made by `multihop import` from {title}, read as {network.kind}."]
    said += network.account.sentences(whole=True)
    said += [flows.words()] if flows.gateway else []
    said.append("Look at it with `multihop check`, and change what is not so: Wi-Fi, range, flows.")
    return [
        *(line for sentence in said for line in _comment(sentence)),
        f"summary = {_text(f'{title}: {count}')}",
        f'profile = "{profile_of(radio.wifi)}"',
        "",
        "[run]",
        'duration = "60 s"',
        "",
        "[measure]",
        'warm-up = "10 s"',
        "",
        "[mac]",
        *mac_lines(radio.wifi, by_distance=not network.wires, mode=radio.mode, ghz2=radio.ghz2),
    ]


def _comment(sentence: str) -> list[str]:
    return [f"# {line}" for line in textwrap.wrap(printable(sentence), WIDTH, break_on_hyphens=False)]


def _disks(range_m: float) -> list[str]:
    return [
        "# Every node within range is a neighbour: measure yours, it decides more than all else.",
        "[air]",
        'propagation = "disk"',
        f'range = "{range_m:g} m"',
        f'sense-range = "{range_m * SENSE:g} m"',
        f'interference-range = "{range_m * SENSE:g} m"',
    ]


def _path_loss(range_m: float, mhz: int | None) -> list[str]:
    return [
        f"# Frames are received up to {range_m:g} m, fast ones less far: measure yours, it decides more than all else.",
        "[air]",
        f'tx-power = "{power_dbm(range_m, mhz or USUAL_MHZ):.2f} dBm"        # with the gain of both antennas',
        *([frequency_line(mhz)] if mhz else []),
    ]


def _places(network: Described, range_m: float) -> str:
    radio = network.radio
    width = max(len(_text(site.name)) for site in network.sites)
    lines = [
        *(_disks(range_m) if radio.wifi is Wifi.B else _path_loss(range_m, radio.mhz)),
        "",
        "[topology]",
        'kind = "explicit"',
        "node = [",
    ]
    for site in network.sites:
        x, y = (f'"{value:.1f} m"' for value in site.at or (0.0, 0.0))
        lines.append(f"    {{ name = {_text(site.name):<{width}}, x = {x}, y = {y} }},")
    return "\n".join([*lines, "]"])


def _both_ways(network: Described) -> Losses:
    """The loss of each link in both directions: of a link that is told twice the better, of one told once the same."""
    found: dict[tuple[str, str], float] = {}
    twice = 0
    for wire in network.wires:
        ends = (wire.sender, wire.receiver)
        twice += ends in found and round(found[ends], 3) != round(wire.loss, 3)
        found[ends] = min(found.get(ends, 1.0), wire.loss)
    once = [(a, b) for a, b in found if (b, a) not in found]
    lossy = sum(found[ends] > 0 for ends in once)
    if twice:
        network.account.assume(f"of two figures for a link the better one holds ({plural(twice, 'direction')})")
    if lossy:
        network.account.assume(f"what is said of one direction only holds in both ({plural(lossy, 'link')})")
    return {**found, **{(b, a): found[a, b] for a, b in once}}


def _by_links(network: Described, losses: Losses) -> tuple[str, Neighbours]:
    """The section of links, and which nodes hear each other in it."""
    account = network.account
    weak = sum(loss > MOST_LOSS for loss in losses.values())
    if weak:
        account.assume(
            f"links that lose more than {MOST_LOSS:.0%} carry nothing but disturb ({plural(weak, 'direction')})"
        )
    lines = [
        *(ETX if any(losses.values()) else ()),
        *(() if network.radio.wifi is Wifi.B else STRONG),
        "# `loss`: the probability that a frame is lost. A node hears nothing without a link. Nodes that",
        "# disturb each other without a link are missing from such a list: add them with `sense-only = true`.",
        "[topology]",
        'kind = "links"',
        "link = [",
        *(f"    {line}," for line in _link_lines(losses)),
        "]",
    ]
    names = [site.name for site in network.sites]
    both = ((a, b) for a, b in losses if max(losses[a, b], losses[b, a]) <= MOST_LOSS)
    reading = " ".join(
        [f"as they are read, all its links lose more than {MOST_LOSS:.0%} of frames.", *account.sentences()]
    )
    return "\n".join(lines), Linked(names, both, reading)


def _link_lines(losses: Losses) -> list[str]:
    """A line for both directions where they are alike, else one for each."""
    lines, done = [], set[tuple[str, str]]()
    for (a, b), loss in losses.items():
        if round(losses[b, a], 3) != round(loss, 3):
            lines.append(_link_line(a, b, loss, one_way=True))
        elif (b, a) not in done:
            lines.append(_link_line(a, b, loss))
            done.add((a, b))
    return lines


def _link_line(a: str, b: str, loss: float, *, one_way: bool = False) -> str:
    words = [f"from = {_text(a)}", f"to = {_text(b)}"]
    if one_way:
        words.append("one-way = true")
    words.append("sense-only = true" if loss > MOST_LOSS else f"loss = {loss:.3g}")
    return f"{{ {', '.join(words)} }}"


def _radios(told: Radio, nodes: Collection[str]) -> list[str]:
    """The sections of nodes with radios on several channels; nodes that were left out have none."""
    names: dict[tuple[int, ...], list[str]] = {}
    for name, numbers in told.channels.items():
        if name in nodes:
            names.setdefault(tuple(numbers), []).append(name)
    lines = []
    for numbers, alike in names.items():
        own = (radio_words(told.wifi, number, told.modes.get(number, told.mode), told.mode) for number in numbers)
        lines += ["[[node]]", f"names = [{', '.join(map(_text, alike))}]", f"radio = [{', '.join(own)}]", ""]
    return lines


def _pairs(network: Described) -> int:
    """How many nodes are linked to how many others, each pair once."""
    return len({frozenset((wire.sender, wire.receiver)) for wire in network.wires})


def _flows(ends: Sequence[tuple[str, str]]) -> list[str]:
    lines = []
    for source, destination in ends:
        name = f"to {destination}"
        lines += ["[[flow]]", f"name = {_text(name)}", f"from = {_text(source)}", f"to = {_text(destination)}", ""]
    return lines[:-1]


def _text(text: str) -> str:
    """A text in TOML."""
    return json.dumps(text, ensure_ascii=False)
