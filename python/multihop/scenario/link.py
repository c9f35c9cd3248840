"""Which data link the nodes of a scenario have."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def is_slotted(values: Mapping[str, Mapping[str, Any]]) -> bool:
    """Whether nodes have the slotted link (`link.kind = "frn"`), by the values of a resolved scenario.

    Records of versions without that key have keys of `[frn]` only where nodes had that link.
    """
    kind = values.get("link.kind")
    return "frn.slot" in values if kind is None else kind["value"] == "frn"
