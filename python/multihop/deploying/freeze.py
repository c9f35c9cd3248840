"""The congestion control `freeze` on a real host: the window of before an outage comes back (modified ATCP).

`freeze.bpf.c` is the congestion control, loaded as BPF struct_ops.
"""

from __future__ import annotations

import ctypes
import shlex
import socket
import time
from collections.abc import Iterator
from pathlib import Path

from multihop.deploying.bpf import EEXIST, LIBRARY, Programs, compiling, why
from multihop.errors import InputError

SOURCE = Path(__file__).with_name("freeze.bpf.c")
BPF_STRUCT_OPS, BPF_F_LINK = 44, 1 << 13  # linux/bpf.h


def _names(name: str) -> dict[str, str]:
    return {"NAME": f'"{name}"'}


def plan(name: str) -> Iterator[str]:
    """What it would do, for --dry-run."""
    yield shlex.join(compiling(SOURCE, _names(name), "freeze.bpf.o"))
    yield f"register its congestion control `{name}` with the kernel ({LIBRARY}, BPF struct_ops)"
    yield "at the answer to a probe after one that was lost: note in its map `outages` that the way was gone"


def how_to_use(name: str) -> Iterator[str]:
    """How connections come to use it."""
    yield f"{name} is a congestion control of this host until this command ends. To use it, one of:"
    yield f"  sysctl -w net.ipv4.tcp_congestion_control={name}     (all new connections)"
    yield f"  ip route change default via GATEWAY congctl {name}     (those by this route)"
    yield f"  iperf3 --congestion {name} …                           (those of a program that can choose)"


class Freeze:
    """The congestion control, registered with the kernel until `close`."""

    def __init__(self, name: str) -> None:
        """Raises InputError where it cannot be compiled or the kernel refuses it."""
        if not name.isidentifier() or len(name) > 15:
            raise InputError(f"--name {name}: expected up to 15 letters, digits and underscores")
        self._programs = Programs("freeze", SOURCE, _names(name))
        library, operations = self._programs.library, self._programs.map("freeze")
        library.bpf_map__set_map_flags(operations, BPF_F_LINK)
        self._programs.load()
        if not library.bpf_map__attach_struct_ops(operations):
            raise InputError(f"freeze: the kernel does not take the congestion control: {why()}")
        newer = library.libbpf_minor_version() >= 2 or library.libbpf_major_version() > 1
        # A newer library has made the link, and keeps it.
        if not newer and self._programs.link(library.bpf_map__fd(operations), 0, BPF_STRUCT_OPS) < 0:
            taken = " (there is one of this name: --name gives it another)" if ctypes.get_errno() == EEXIST else ""
            raise InputError(f"freeze: the kernel does not register `{name}`: {why()}{taken}")
        self._outages = self._programs.descriptor("outages")
        self._restored = self._programs.descriptor("restored")

    def was_gone(self, address: str) -> None:
        """Notes that the way to an address was gone until now: windows from before come back."""
        key = ctypes.create_string_buffer(socket.inet_aton(address), 4)
        self._programs.put(self._outages, key, ctypes.c_uint64(time.clock_gettime_ns(time.CLOCK_MONOTONIC)))

    @property
    def restored(self) -> int:
        """How many windows have come back."""
        value = ctypes.c_uint64(0)
        self._programs.get(self._restored, ctypes.c_uint32(0), value)
        return value.value

    def close(self) -> None:
        """Takes it out of the kernel; connections that use it keep it until they end."""
        self._programs.close()
