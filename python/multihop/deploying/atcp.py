"""ATCP below the TCP of a real host: what is in flight is kept while there is no route, and sent again afterwards.

`atcp.bpf.c` has two programs that hand the segments of a device to the layer, which is that of `multihop emulate`.
"""

from __future__ import annotations

import shlex
import socket
from collections.abc import Callable, Iterator
from pathlib import Path

from multihop import _engine
from multihop.deploying.bpf import Programs, compiling
from multihop.errors import InputError
from multihop.scenario.scenario import load
from multihop.text import plural

SOURCE = Path(__file__).with_name("atcp.bpf.c")
BPF_TCX_INGRESS, BPF_TCX_EGRESS = 46, 47  # linux/bpf.h
DEVICE = "multihop0"
MARK = 0x6D756C74
"""What the layer sends has this mark, and its programs let it pass."""
SLICE_S = 0.1
"""How often it asks whether it shall go on [s]."""


def _names(device: int | str) -> dict[str, str]:
    return {"MARK": hex(MARK), "LAYER": str(device)}


def plan(technique: str, interface: str) -> Iterator[str]:
    """What it would do, for --dry-run."""
    yield f"make a TUN device {DEVICE} without an address, and a raw socket with the mark {hex(MARK)}"
    yield f"{shlex.join(compiling(SOURCE, _names('NUMBER'), 'atcp.bpf.o'))}, where NUMBER is that of {DEVICE}"
    yield f"put its program `leaving` at what {interface} sends, and `arriving` at what it receives (BPF tcx)"
    yield f"pass the segments of connections that are opened from then on through the layer of {technique}"
    yield "at the end: reset connections whose segments only the layer has; nothing else is left"


class Atcp:
    """The layer, below the connections by one device that are opened until `close`."""

    def __init__(self, technique: str, interface: str) -> None:
        """`technique` is atcp or modified-atcp, with its parameters; raises InputError where the host refuses it."""
        try:
            index = socket.if_nametoindex(interface)
        except OSError as e:
            raise InputError(f"--interface {interface}: {e.strerror}") from None
        try:
            self._layer = _engine.Deployed(load("chain").resolve((technique,)), MARK)
        except _engine.EngineError as e:
            raise InputError(f"{technique}: {e}") from None
        self._programs = Programs("atcp", SOURCE, _names(self._layer.device))
        self._programs.load()
        self._programs.attach("arriving", index, BPF_TCX_INGRESS)
        self._programs.attach("leaving", index, BPF_TCX_EGRESS)

    def run(self, going: Callable[[], bool], tell: Callable[[str], None]) -> None:
        """Works as long as `going` says so, and tells when TCP is stopped and when it goes on."""
        before = self.counts
        while going():
            self._layer.work(SLICE_S)
            now = self.counts
            if stopped := now["shim.freezes"] - before["shim.freezes"]:
                tell(f"There is no route: TCP is stopped ({plural(stopped, 'connection')}).")
            if waited := now["shim.frozen-ms"] - before["shim.frozen-ms"]:
                tell(f"The receiver answers and has all: TCP goes on, after {waited / 1000:.1f} s.")
            before = now

    @property
    def counts(self) -> dict[str, int]:
        """What the layer has counted, by the names of the figures of a shim."""
        return self._layer.counts()

    def close(self) -> int:
        """Takes it away; returns how many connections had to be reset."""
        reset = self._layer.finish()
        self._programs.close()
        return reset
