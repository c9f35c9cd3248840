"""What every description of a network comes down to: sites, and links with their loss; and how places become metres."""

from __future__ import annotations

import math
import re
import statistics
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from multihop.scenario.cards import ANY, USUAL, Mode, Wifi

from .account import Account, tidy

EQUATOR_M = 6_378_137.0
"""Semi-major axis of WGS 84 [m]."""
FLATTENING = 1 / 298.257223563
"""Flattening of WGS 84."""
NEAR_M = 50e3
"""What lies no further from the middle belongs to the network [m]."""
FARTHEST_M = 200e3
"""What lies further from the middle does not [m]."""
CELL_DEG = 0.5
"""The part of the map with most nodes is looked for in cells of this width [degrees]."""
DEGREES_APART = 5.0
"""Places in plane coordinates nearer together than this may be degrees."""
HARDWARE = re.compile(r"(?:[0-9a-f]{2}[:-]){5}[0-9a-f]{2}|[0-9a-f]{12}", re.IGNORECASE)
ADDRESS = re.compile(r"[0-9a-f]*:[0-9a-f:.]*", re.IGNORECASE)

Place = tuple[float, float]
"""Longitude and latitude [degrees], or x and y [m]."""
Losses = tuple[float | None, float | None]
"""Shares of frames that a link loses there and back; None where that is not told."""


@dataclass(frozen=True, slots=True)
class Site:
    """A node as it was described."""

    name: str
    at: Place | None = None
    """Where it is; None if that is not said."""


@dataclass(frozen=True, slots=True)
class Wire:
    """A link from one node to another."""

    sender: str
    receiver: str
    loss: float = 0.0
    """Probability that a frame is lost on it."""


@dataclass(frozen=True, slots=True)
class Heard:
    """What a link or a node says of its radio."""

    channel: int | None = None
    band: str | None = None
    """`2.4`, `5` or `6` [GHz]."""
    width: int | None = None
    """Width of the channel as it is told [MHz]."""
    format: str | None = None
    """Format of frames as Linux calls it: `HT`, `VHT`, `HE`, `EHT`, or `NOHT` for those before."""
    mcs: int | None = None
    """The MCS within this format; of HT it counts the streams too."""
    streams: int | None = None
    word: str = ""
    """The channel or the frequency as it is written."""


@dataclass(frozen=True, slots=True)
class Radio:
    """What the radios of a network have."""

    wifi: Wifi = USUAL
    mode: Mode = ANY
    """What holds for channels that say nothing else."""
    ghz2: bool = False
    """Whether the radios are at 2.4 GHz."""
    mhz: int | None = None
    """Frequency of the channel, or of the first of several; None if the profile's holds."""
    channels: Mapping[str, Sequence[int]] = field(default_factory=dict)
    """The channels of each node; none if all share one."""
    modes: Mapping[int, Mode] = field(default_factory=dict)
    """What channels have of their own, where several are told apart."""


@dataclass(frozen=True, slots=True)
class Described:
    """A network as files describe it."""

    sites: list[Site]
    wires: list[Wire] = field(default_factory=list)
    geographic: bool = False
    """Whether places are longitude and latitude."""
    gateways: list[str] = field(default_factory=list)
    """Nodes that the files call gateways."""
    known_as: dict[str, str] = field(default_factory=dict)
    """Names of nodes by their addresses and identifiers."""
    account: Account = field(default_factory=Account)
    """What was left out, not used and assumed."""
    kind: str = ""
    """What the files were read as."""
    radio: Radio = field(default_factory=Radio)
    """What they say of radios."""

    def called(self, name: str) -> str | None:
        """The node with such an address or identifier."""
        return self.known_as.get(key_of(name))


def key_of(token: object) -> str:
    """A name or an address as it is compared; hardware addresses are so in any case, with colons or without."""
    text = " ".join(str(token).split()) if token is not None else ""
    if HARDWARE.fullmatch(text):
        return text.replace(":", "").replace("-", "").lower()
    return text.lower() if ADDRESS.fullmatch(text) else text


def planar(sites: Sequence[Site]) -> list[Site]:
    """Longitude and latitude as metres east and north of the south-western corner.

    The local projection of an ellipsoid: a degree is as long as WGS 84 has it at the middle latitude. Over 100 km it is
    wrong by less than 1 in 1000, which no radio model notices.
    """
    places = [site.at for site in sites if site.at is not None]
    if not places:
        return list(sites)
    first = places[0][0]
    longitudes = [_turned(place[0], first) for place in places]
    west, south = min(longitudes), min(place[1] for place in places)
    east_m, north_m = _degree((south + max(place[1] for place in places)) / 2)
    return [
        Site(site.name, ((_turned(site.at[0], first) - west) * east_m, (site.at[1] - south) * north_m))
        if site.at is not None
        else site
        for site in sites
    ]


def far_away(places: Sequence[Place]) -> set[int]:
    """Which places, by number, lie too far from most others to belong to their network.

    The middle is that of the part of the map with most nodes. Far is what lies 50 km away from it, and ten times as far
    as half of that part's nodes.
    """
    cells = Counter(_cell(place) for place in places)
    x, y = max(cells, key=lambda cell: (sum(_around(cells, cell)), cells[cell]))
    near = [p for p in places if abs(_cell(p)[0] - x) <= 1 and abs(_cell(p)[1] - y) <= 1]
    middle = (statistics.median(p[0] for p in near), statistics.median(p[1] for p in near))
    usual = statistics.median(distance_m(p, middle) for p in near)
    limit = min(FARTHEST_M, max(NEAR_M, 10 * usual))
    return {i for i, place in enumerate(places) if distance_m(place, middle) > limit}


def distance_m(one: Place, other: Place) -> float:
    """Distance between two places of longitude and latitude on a sphere [m]."""
    (a, b), (c, d) = (map(math.radians, place) for place in (one, other))
    half = math.sin((d - b) / 2) ** 2 + math.cos(b) * math.cos(d) * math.sin((c - a) / 2) ** 2
    return 2 * EQUATOR_M * math.asin(min(1.0, math.sqrt(half)))


def like_degrees(places: Sequence[Place]) -> bool:
    """Whether places in plane coordinates are rather longitude and latitude than metres.

    All but a few lie within 5 of the middle one, as the nodes of a community do in degrees and hardly a network does
    in metres; they have decimals as degrees have them; and they are not near 0, where coordinates in metres begin.
    """
    if len(places) < 2:
        return False
    x, y = (statistics.median(place[i] for place in places) for i in (0, 1))
    if abs(x) > 180 or abs(y) > 90 or max(abs(x), abs(y)) < DEGREES_APART:
        return False
    near = sum(abs(p[0] - x) < DEGREES_APART and abs(p[1] - y) < DEGREES_APART for p in places)
    fine = sum(any(_decimals(value) for value in place) for place in places)
    return min(near, fine) > 0.8 * len(places)


def named(names: Iterable[str]) -> list[str]:
    """The names, each once: of two of one name the second becomes `name 2`."""
    found: list[str] = []
    taken: set[str] = set()
    counts: dict[str, int] = {}
    for raw in names:
        name = free = tidy(raw) or "node"
        while free in taken:
            counts[name] = counts.get(name, 1) + 1
            free = f"{name} {counts[name]}"
        taken.add(free)
        found.append(free)
    return found


def _degree(latitude: float) -> tuple[float, float]:
    """Length of a degree to the east and to the north [m]."""
    middle = math.radians(latitude)
    squared = FLATTENING * (2 - FLATTENING)
    curve = 1 - squared * math.sin(middle) ** 2
    east = math.radians(EQUATOR_M / math.sqrt(curve) * math.cos(middle))
    return east, math.radians(EQUATOR_M * (1 - squared) / curve**1.5)


def _turned(longitude: float, beside: float) -> float:
    """The longitude, written so that it lies beside another across the line where the date changes."""
    if abs(longitude - beside) <= 180:
        return longitude
    return longitude + 360 if longitude < beside else longitude - 360


def _cell(place: Place) -> tuple[int, int]:
    return math.floor(place[0] / CELL_DEG), math.floor(place[1] / CELL_DEG)


def _around(cells: Counter[tuple[int, int]], cell: tuple[int, int]) -> list[int]:
    return [cells[cell[0] + i, cell[1] + j] for i in (-1, 0, 1) for j in (-1, 0, 1)]


def _decimals(value: float) -> bool:
    """Whether a number has three decimals or more: with fewer, degrees would be 1 km wrong."""
    return abs(value * 100 - round(value * 100)) > 1e-7
