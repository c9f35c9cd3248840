"""The congestion control `freeze` on a real host: the window of before an outage comes back (modified ATCP).

`freeze.bpf.c` is the congestion control. It is compiled here, and loaded as BPF struct_ops. The kernel removes it when
this process ends, however it ends.
"""

from __future__ import annotations

import ctypes
import os
import platform
import shlex
import socket
import struct
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from multihop.errors import InputError

SOURCE = Path(__file__).with_name("freeze.bpf.c")
LIBRARY = "libbpf.so.1"
NEEDS = "install them with `apt install clang libbpf-dev` or the like"
BPF_MAP_LOOKUP_ELEM, BPF_MAP_UPDATE_ELEM, BPF_LINK_CREATE = 1, 2, 28  # bpf(2)
BPF_STRUCT_OPS, BPF_F_LINK = 44, 1 << 13  # linux/bpf.h
CALLS = {"x86_64": 321, "aarch64": 280, "riscv64": 280}
"""The number of the system call bpf(2)."""
LOGGER = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int, ctypes.c_char_p, ctypes.c_void_p)


def compiling(name: str, into: str) -> list[str]:
    """The command that compiles it under a name."""
    headers = f"-I/usr/include/{platform.machine()}-linux-gnu"
    return [
        "clang",
        "-g",
        "-O2",
        "-target",
        "bpf",
        "-mcpu=v3",
        headers,
        f'-DNAME="{name}"',
        "-c",
        str(SOURCE),
        "-o",
        into,
    ]


def plan(name: str) -> Iterator[str]:
    """What it would do, for --dry-run."""
    yield shlex.join(compiling(name, "freeze.bpf.o"))
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
        self._call = _system_call()
        try:
            self._library: Any = ctypes.CDLL(LIBRARY, use_errno=True)
        except OSError:
            raise InputError(f"freeze: it needs {LIBRARY} and clang: {NEEDS}") from None
        self._quiet = LOGGER(lambda *_: 0)
        self._library.libbpf_set_print(self._quiet)
        for function in ("bpf_object__open_file", "bpf_object__find_map_by_name", "bpf_map__attach_struct_ops"):
            getattr(self._library, function).restype = ctypes.c_void_p
        with tempfile.TemporaryDirectory() as folder:
            file = str(Path(folder) / "freeze.bpf.o")
            _compile(name, file)
            self._object = ctypes.c_void_p(self._library.bpf_object__open_file(file.encode(), None))
        if self._object.value is None:
            raise InputError(f"freeze: {LIBRARY} cannot read what clang has made")
        operations = ctypes.c_void_p(self._library.bpf_object__find_map_by_name(self._object, b"freeze"))
        self._library.bpf_map__set_map_flags(operations, BPF_F_LINK)
        if self._library.bpf_object__load(self._object):
            raise InputError(
                f"freeze: the kernel refuses its programs: {_why()}; it needs CAP_BPF and CAP_NET_ADMIN (`sudo`)"
            )
        if not self._library.bpf_map__attach_struct_ops(operations):
            raise InputError(f"freeze: the kernel does not take the congestion control: {_why()}")
        self._link = self._registered(self._library.bpf_map__fd(operations), name)
        self._outages = self._map(b"outages")
        self._restored = self._map(b"restored")

    def _registered(self, operations: int, name: str) -> int:
        """A link to the congestion control: it is registered as long as this descriptor is open."""
        if self._library.libbpf_minor_version() >= 2 or self._library.libbpf_major_version() > 1:
            return -1  # the library has made the link, and keeps it
        link = self._bpf(BPF_LINK_CREATE, struct.pack("IIII48x", operations, 0, BPF_STRUCT_OPS, 0))
        if link < 0:
            taken = " (there is one of this name: --name gives it another)" if ctypes.get_errno() == 17 else ""
            raise InputError(f"freeze: the kernel does not register `{name}`: {_why()}{taken}")
        return link

    def _map(self, name: bytes) -> int:
        found = ctypes.c_void_p(self._library.bpf_object__find_map_by_name(self._object, name))
        return int(self._library.bpf_map__fd(found))

    def _bpf(self, command: int, attributes: bytes) -> int:
        room = ctypes.create_string_buffer(attributes, len(attributes))
        return int(self._call(command, room, len(attributes)))

    def was_gone(self, address: str) -> None:
        """Notes that the way to an address was gone until now: windows from before come back."""
        key = ctypes.create_string_buffer(socket.inet_aton(address), 4)
        value = ctypes.c_uint64(time.clock_gettime_ns(time.CLOCK_MONOTONIC))
        places = (ctypes.addressof(key), ctypes.addressof(value))
        self._bpf(BPF_MAP_UPDATE_ELEM, struct.pack("I4xQQQ", self._outages, *places, 0))

    @property
    def restored(self) -> int:
        """How many windows have come back."""
        key, value = ctypes.c_uint32(0), ctypes.c_uint64(0)
        places = (ctypes.addressof(key), ctypes.addressof(value))
        self._bpf(BPF_MAP_LOOKUP_ELEM, struct.pack("I4xQQQ", self._restored, *places, 0))
        return value.value

    def close(self) -> None:
        """Takes it out of the kernel; connections that use it keep it until they end."""
        if self._link >= 0:
            os.close(self._link)
        self._library.bpf_object__close(self._object)


def _compile(name: str, into: str) -> None:
    try:
        done = subprocess.run(compiling(name, into), capture_output=True, text=True, check=False)  # noqa: S603
    except OSError:
        raise InputError(f"freeze: it needs clang and {LIBRARY}: {NEEDS}") from None
    if done.returncode:
        first = next((line for line in done.stderr.splitlines() if "error" in line), done.stderr.strip())
        raise InputError(f"freeze: clang fails: {first}. It needs the headers of libbpf: {NEEDS}")


def _why() -> str:
    return os.strerror(ctypes.get_errno())


def _system_call() -> Any:
    """bpf(2)."""
    machine = platform.machine()
    if machine not in CALLS:
        raise InputError(f"freeze: it is not known for processors of the kind {machine}; known are {', '.join(CALLS)}")
    library: Any = ctypes.CDLL(None, use_errno=True)

    def call(command: int, room: Any, length: int) -> int:
        return int(library.syscall(ctypes.c_long(CALLS[machine]), ctypes.c_long(command), room, ctypes.c_long(length)))

    return call
