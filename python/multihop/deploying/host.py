"""What a host must have before a cure can be put on it."""

from __future__ import annotations

import os

from multihop.errors import InputError

SHOWN_ON = ("6.18",)
"""Versions of Linux on which the cures have been seen to work."""


def demand_linux(technique: str, *, any_kernel: bool) -> None:
    """Raises InputError where the cure has not been seen to work."""
    here = os.uname()
    if here.sysname != "Linux":
        raise InputError(f"{technique}: it is for the TCP of Linux, and this is {here.sysname}")
    version = here.release
    if not any_kernel and not any(version == known or version.startswith(f"{known}.") for known in SHOWN_ON):
        raise InputError(
            f"{technique}: it has been shown to work on Linux {', '.join(SHOWN_ON)}, and this is {version}. "
            "--any-kernel starts it all the same"
        )
