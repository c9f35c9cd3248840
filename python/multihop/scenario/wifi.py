"""Which Wi-Fi a scenario is of, in one line: what of its results holds for another network follows from it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from multihop.scenario.link import is_slotted
from multihop.scenario.quantity import BYTES, UNITS, number
from multihop.text import listing, plural

LONGEST = 3000
"""No frame with one packet is longer [B]: a threshold beyond it leaves RTS/CTS off."""
NEVER = 65_535
"""This threshold turns RTS/CTS off before frames with several packets, too, however long they are [B]."""


ALONE = "without aggregation"
"""What is said of frames with one packet each."""


OWN_STANDARD = re.compile(r"node\.\d+\.mac\.standard")
"""The key of the standard that a group of nodes says."""


def model_words(info: Mapping[str, Any]) -> str:
    """The link that a resolved scenario assumes, and what to make of its figures: two sentences on one line."""
    values = {key: said["value"] for key, said in info["values"].items()}
    if is_slotted(info["values"]):
        link = f"a slotted link (Flexible Radio Network), slots of {values['frn.slot']} at {_rate(values['frn.rate'])}"
        return f"Model: {link}, one channel. Compare differences, not kbit/s."
    modes = _modes(info)
    if len(info.get("channels", ())) < 2 and modes:
        [alone] = modes.values()
        values |= {f"mac.{key}": said for key, said in alone.items()}
    rates = [f"data at {_data(values)}", f"control frames at {_rate(values['mac.basic-rate'])}"]
    parts = [_standard(values), *rates, rts_words(values), *_older(values), _channels(info)]
    if _chooses(values):
        other = "Walls and antennas are not modelled"
    elif _has_mcs(values) and _frames(values) != ALONE:
        other = "Real cards choose the MCS frame by frame"
    elif _has_mcs(values):
        other = "Real cards aggregate frames and are faster"
    else:
        other = "Newer Wi-Fi is faster"
    return f"Model: {', '.join(parts)}. {other}: compare differences, not kbit/s.{_assumed(info)}"


def _assumed(info: Mapping[str, Any]) -> str:
    """That the scenario itself names no Wi-Fi, if so, and where this one comes from."""
    origins = {info["values"][key].get("from", "") for key in ("mac.standard", "mac.data-rate")}
    if not all(origin == "default" or origin.startswith("profile ") for origin in origins):
        return ""
    return f" The scenario names no Wi-Fi: this is that of profile `{info['profile']}`; `openwrt` has 802.11n."


def _older(values: Mapping[str, Any]) -> list[str]:
    """What protects frames from older stations, and which stations these are; nothing where there are none."""
    count: dict[str, int] = {}
    for key, standard in values.items():
        if not OWN_STANDARD.fullmatch(key) or standard == values["mac.standard"]:
            continue
        names = key.replace("mac.standard", "names.")
        count[standard] = count.get(standard, 0) + sum(other.startswith(names) for other in values)
    said = str(values.get("mac.protection", "auto"))
    kind = ("cts-to-self" if "802.11b" in count else "none") if said == "auto" else said
    words = {"none": "none", "cts-to-self": "CTS-to-self", "rts-cts": "RTS/CTS"}[kind]
    if not count:
        return [] if kind == "none" or values["mac.standard"] == "802.11b" else [f"protection: {words}"]
    older = listing([f"{number} of {standard}" for standard, number in sorted(count.items())])
    return [f"protection: {words}", f"{older} among the stations"]


def _channels(info: Mapping[str, Any]) -> str:
    """The channels of the radios, where there are several, and what is said of them."""
    modes = _modes(info)
    said = [f"{number}{_mode(modes.get(number, {}))}" for number in info.get("channels", ())]
    return f"channels {listing(said)}" if len(said) > 1 else "one channel"


def _modes(info: Mapping[str, Any]) -> dict[int, dict[str, Any]]:
    """What radios say of their channels, by the number of the channel and the name of the key."""
    return {it["channel"]: {key: it[key] for key in it if key != "channel"} for it in info.get("channel_modes", ())}


def _mode(said: Mapping[str, Any]) -> str:
    """` (80 MHz, MCS 9, 2 streams)`."""
    words = {
        "width": str(said.get("width")),
        "mcs": f"MCS {said.get('mcs')}",
        "streams": plural(said.get("streams", 0), "stream"),
    }
    told = [word for key, word in words.items() if key in said]
    return f" ({', '.join(told)})" if told else ""


def rts_words(values: Mapping[str, Any]) -> str:
    """Before which frames RTS and CTS go, by the values of a scenario."""
    threshold = number(values["mac.rts-threshold"], BYTES)
    if not has_rts(values):
        return "RTS/CTS only before fallbacks to a lower rate" if _announces_fallbacks(values) else "no RTS/CTS"
    return "RTS/CTS before all data frames" if not threshold else f"RTS/CTS before frames over {threshold:g} B"


def _announces_fallbacks(values: Mapping[str, Any]) -> bool:
    """Whether an RTS goes before an attempt with aggregates that falls back to a lower rate, as in Linux since 2021."""
    rules = (str(values["mac.rate-control"]), values.get("mac.minstrel-ht.version"))
    return rules == ("minstrel-ht", "linux-2021") and values["mac.aggregation.on"] is True


def has_rts(values: Mapping[str, Any]) -> bool:
    """Whether RTS and CTS go before some data frames by their length, by the values of a scenario."""
    longest = LONGEST if not _has_mcs(values) or _frames(values) == ALONE else NEVER
    return number(values["mac.rts-threshold"], BYTES) < longest


def _standard(values: Mapping[str, Any]) -> str:
    """802.11b brought 5.5 and 11 Mb/s; other rates go in frames of its kind."""
    standard = str(values["mac.standard"])
    if _has_mcs(values):
        streams = values["mac.streams"]
        return f"{standard} {_frames(values)}, {values['mac.width']}, {plural(streams, 'stream')}"
    if standard != "802.11b":
        return standard
    rate = number(values["mac.data-rate"], UNITS)
    if rate in (1e6, 2e6):
        return "802.11 DSSS"
    return "802.11b" if rate in (5.5e6, 11e6) else "frames of 802.11b"


def _has_mcs(values: Mapping[str, Any]) -> bool:
    """Whether data frames have a modulation and coding scheme in the place of a rate."""
    return values["mac.standard"] in ("802.11n", "802.11ac", "802.11ax")


def _frames(values: Mapping[str, Any]) -> str:
    """How frames carry several packets."""
    packs = number(values.get("mac.aggregation.amsdu-length", "0 B"), BYTES) > 0
    kinds = {"A-MPDUs": values.get("mac.aggregation.on", False), "A-MSDUs": packs}
    return f"with {' of '.join(kind for kind, has in kinds.items() if has)}" if any(kinds.values()) else ALONE


def _chooses(values: Mapping[str, Any]) -> bool:
    """Whether stations choose the MCS frame by frame."""
    return _has_mcs(values) and values["mac.rate-control"] != "fixed"


def _data(values: Mapping[str, Any]) -> str:
    if _has_mcs(values):
        mcs = f"MCS {values['mac.mcs']}"
        return f"up to {mcs} (chosen by `{values['mac.rate-control']}`)" if _chooses(values) else mcs
    rate = _rate(values["mac.data-rate"])
    chosen = values["mac.rate-control"]
    return rate if chosen == "fixed" else f"up to {rate} (chosen by `{chosen}`)"


def _rate(value: object) -> str:
    """`11 Mb/s`."""
    return f"{number(value, UNITS) / 1e6:g} Mb/s"
