"""What a map says along its links: rate or MCS, channel, the share of frames that arrives."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from multihop.ceiling.reach import Link

from .style import COLOURS

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_LABELS = 30
"""Of more links than this none is labelled."""
LABEL_PT = 6.0
"""Size of a label [pt]."""
LETTER = 0.58
"""Width of a letter, in sizes."""
ASIDE_PT = 5.2
"""From a link to the middle of its label [pt]."""
FILLS = 0.9
"""A label is at most this share of its link."""
HIGH, POINTS = 1.3, 12
"""Labels keep so many sizes apart, measured between so many points of each."""
RATES_OF_B = ("1 Mb/s", "2 Mb/s", "5.5 Mb/s", "11 Mb/s")
"""One of these for all links is not worth a line."""
BAND_PT, BAND_ALPHA = 5.0, 0.3
"""Width of the band behind the links of a channel [pt], and how much of its colour is seen."""

Place = tuple[float, float]
Stroke = tuple[Place, Place]


@dataclass(frozen=True)
class Said:
    """What is said of the links of a map."""

    links: Mapping[frozenset[str], tuple[Link, ...]]
    """Those that are drawn, both directions together."""
    channels: Mapping[int, str]
    """Channels of the links and the colour of each, if there are several."""
    common: str
    """The mode of all of them, if they have one alike that is an MCS or a rate of OFDM; else empty."""
    differ: bool
    """Whether their rates or modes differ."""

    @classmethod
    def of(cls, heard: Sequence[Link], flows: int) -> Said:
        """`flows`: so many have a colour already."""
        links: dict[frozenset[str], tuple[Link, ...]] = {}
        for link in heard:
            ends = frozenset((link.sender, link.receiver))
            links[ends] = (*links.get(ends, ()), link)
        channels = sorted({link.channels[0] for link in heard if link.channels})
        speeds = {_speed(both) for both in links.values()} - {""}
        modes = {link.mode for link in heard if link.mode}
        common = next(iter(modes)) if len(modes) == 1 else ""
        colours = (COLOURS[(flows + place) % len(COLOURS)] for place in itertools.count())
        several = dict(zip(channels, colours, strict=False)) if len(channels) > 1 else {}
        return cls(links, several, common if common not in RATES_OF_B else "", len(speeds) > 1)

    def draw(self, axes: Axes, places: Mapping[str, Place], a_point: float) -> list[Stroke]:
        """Bands and labels; returns where labels stand, as lines."""
        for ends, both in self.links.items() if self.channels else ():
            channels = dict.fromkeys(link.channels[0] for link in both if link.channels)
            (x0, y0), (x1, y1) = (places[name] for name in sorted(ends))
            for channel in channels:
                colour = self.channels[channel]
                axes.plot([x0, x1], [y0, y1], color=colour, linewidth=BAND_PT, alpha=BAND_ALPHA, zorder=0.95)
        labels = list[Stroke]()
        for ends in self.links if len(self.links) <= MOST_LABELS else ():
            labels += self._label(axes, ends, places, a_point, labels)
        return labels

    def _label(
        self,
        axes: Axes,
        ends: frozenset[str],
        places: Mapping[str, Place],
        a_point: float,
        others: Sequence[Stroke],
    ) -> list[Stroke]:
        """Along the link, if there is room beside the others; returns where it stands."""
        text = self._text(ends)
        (x0, y0), (x1, y1) = (places[name] for name in sorted(ends))
        dx, dy = x1 - x0, y1 - y0
        length, wide = math.hypot(dx, dy), LETTER * LABEL_PT * len(text) * a_point
        if not text or wide > FILLS * length:
            return []
        # paths that share the link lie beside it on the left of this direction
        dx, dy = dx / length, dy / length
        x, y = (x0 + x1) / 2, (y0 + y1) / 2
        turn = math.degrees(math.atan2(dy, dx))
        turn += 180 if turn > 90 else -180 if turn <= -90 else 0
        aside = ASIDE_PT + (BAND_PT / 2 if self.channels else 0.0)
        mx, my, half = x + aside * a_point * dy, y - aside * a_point * dx, wide / 2
        mine = (mx - half * dx, my - half * dy), (mx + half * dx, my + half * dy)
        if any(_apart(mine, other) < HIGH * LABEL_PT * a_point for other in others):
            return []
        look: dict[str, Any] = {"fontsize": LABEL_PT, "ha": "center", "va": "center", "rotation": turn, "zorder": 2.5}
        axes.annotate(text, (x, y), (aside * dy, -aside * dx), "data", "offset points", **look)
        return [mine]

    def _text(self, ends: frozenset[str]) -> str:
        both = self.links[ends]
        channels = dict.fromkeys(link.channels[0] for link in both if link.channels)
        tuned = f"ch {'/'.join(map(str, channels))}" if self.channels and channels else ""
        return ", ".join(part for part in (_speed(both) if self.differ else "", tuned) if part)

    def legend(self, axes: Axes) -> None:
        """The mode of all links, and the colour of each channel."""
        if self.common:
            axes.plot([], [], " ", label=f"all links: {self.common}")
        for channel, colour in self.channels.items():
            axes.plot([], [], color=colour, linewidth=BAND_PT, alpha=BAND_ALPHA, label=f"channel {channel} (ch)")


def _apart(one: Stroke, other: Stroke) -> float:
    """The least distance between points along two labels."""
    here, there = (np.linspace(*ends, POINTS) for ends in (one, other))
    return float(np.hypot(*(here[:, None] - there[None]).T).min())


def _speed(both: Sequence[Link]) -> str:
    """What frames are sent with: where a rule chooses the rate that of the slower direction, else the mode."""
    rates = [link.rate_bps for link in both if link.rate_bps]
    if rates:
        return f"{min(rates) / 1e6:.3g} Mb/s"
    return " / ".join(dict.fromkeys(link.mode for link in both if link.mode))
