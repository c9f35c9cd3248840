"""What every description of a network comes down to: sites, and links with their loss; and how places become metres."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from multihop.errors import InputError

EQUATOR_M = 6_378_137.0
"""Semi-major axis of WGS 84 [m]."""
FLATTENING = 1 / 298.257223563
"""Flattening of WGS 84."""
WIDEST_DEG = 5.0
"""A network wider than this [degrees] is on no plane."""


@dataclass(frozen=True, slots=True)
class Site:
    """A node as it was described."""

    name: str
    at: tuple[float, float] | None = None
    """Where it is: longitude and latitude [degrees], or x and y [m]; None if that is not said."""


@dataclass(frozen=True, slots=True)
class Wire:
    """A link from one node to another."""

    sender: str
    receiver: str
    loss: float = 0.0
    """Probability that a frame is lost on it."""


@dataclass(frozen=True, slots=True)
class Described:
    """A network as a file describes it."""

    sites: list[Site]
    wires: list[Wire] = field(default_factory=list)
    geographic: bool = False
    """Whether places are longitude and latitude."""
    gateways: list[str] = field(default_factory=list)
    """Nodes that the file calls gateways."""
    left_out: int = 0
    """Nodes that were left out, for they have no place or are offline."""


def planar(sites: Sequence[Site]) -> list[Site]:
    """Longitude and latitude as metres east and north of the south-western corner.

    The local projection of an ellipsoid: a degree is as long as WGS 84 has it at the middle latitude. Over 100 km it is
    wrong by less than 1 in 1000, which no radio model notices.
    """
    places = [site.at for site in sites if site.at is not None]
    if not places:
        return list(sites)
    west, south = (min(place[i] for place in places) for i in (0, 1))
    east, north = (max(place[i] for place in places) for i in (0, 1))
    if east - west > WIDEST_DEG or north - south > WIDEST_DEG:
        raise InputError(
            f"the nodes lie {east - west:.3g} degrees of longitude and {north - south:.3g} of latitude apart: that is "
            "no radio network; are longitude and latitude swapped, or is one place wrong?"
        )
    middle = math.radians((south + north) / 2)
    squared = FLATTENING * (2 - FLATTENING)
    curve = 1 - squared * math.sin(middle) ** 2
    a_degree_north = math.radians(EQUATOR_M * (1 - squared) / curve**1.5)
    a_degree_east = math.radians(EQUATOR_M / math.sqrt(curve) * math.cos(middle))
    return [
        Site(site.name, ((site.at[0] - west) * a_degree_east, (site.at[1] - south) * a_degree_north))
        if site.at is not None
        else site
        for site in sites
    ]


def named(names: Iterable[str]) -> list[str]:
    """The names, each once: of two of one name the second becomes `name 2`."""
    found: list[str] = []
    for raw in names:
        name = " ".join(raw.split()) or "node"
        free = (name if count == 1 else f"{name} {count}" for count in itertools.count(1))
        found.append(next(one for one in free if one not in found))
    return found
