"""What a link runs over, by the type or the interface that a file names."""

from __future__ import annotations

import re
from enum import Enum


class Medium(Enum):
    """What carries a link."""

    RADIO = "radio"
    CABLE = "cable"
    TUNNEL = "tunnel"
    OTHER = "other"
    """Neither radio nor tunnel for the routers that say it (Gluon); everything but a tunnel for old map servers."""
    UNKNOWN = "unknown"


_TUNNEL = re.compile(
    r"(.*[-_ /])?(l2|mesh[-_ ]?|open)?vpn|tun(nel)?s?\b|tun\d|tap\d|l2tp|wg|wireguard|gre\d*\b|fastd|tinc|zt|ipip|"
    r"sit\d|internet",
    re.IGNORECASE,
)
_CABLE = re.compile(
    r"cable|wired|ether|eth\d|eth\b|lan|en[opsx]\d|br-|dtd|xlink|fib(er|re)|copper|utp|vx_|vlan|switch|bridge|gigabit",
    re.IGNORECASE,
)
_RADIO = re.compile(
    r"wi-?fi|wireless|w?lan\d|wlan|wl[opx]|ath\d|ra\d|radio|rf\b|ibss|ad-?hoc|mesh\d|802\.11|wds|ap/client|airmax|"
    r"ptm?p\b|p2m?p\b|microwave|[\d.\- /]+ ?ghz",
    re.IGNORECASE,
)


def medium(word: object) -> Medium:
    """The medium that a type of link or a name of an interface stands for."""
    said = str(word).strip()[:80]
    if said.lower() == "other":
        return Medium.OTHER
    for kind, known in ((Medium.TUNNEL, _TUNNEL), (Medium.RADIO, _RADIO), (Medium.CABLE, _CABLE)):
        if known.match(said):
            return kind
    return Medium.UNKNOWN
