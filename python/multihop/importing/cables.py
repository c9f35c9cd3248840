"""What becomes of cables in an imported network."""

from __future__ import annotations

from enum import StrEnum


class Cables(StrEnum):
    """What becomes of links that are cables."""

    LEAVE_OUT = "leave-out"
    JOIN = "join"
    RADIO = "radio"
