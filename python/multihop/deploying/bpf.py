"""Programs of BPF in the kernel of this host: compiled here, gone when this process ends, however it ends."""

from __future__ import annotations

import ctypes
import os
import platform
import struct
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from multihop.errors import InputError

LIBRARY = "libbpf.so.1"
NEEDS = "install them with `apt install clang libbpf-dev` or the like"
BPF_MAP_LOOKUP_ELEM, BPF_MAP_UPDATE_ELEM, BPF_LINK_CREATE = 1, 2, 28  # bpf(2)
CALLS = {"x86_64": 321, "aarch64": 280, "riscv64": 280}
"""The number of the system call bpf(2)."""
EEXIST = 17
LOGGER = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int, ctypes.c_char_p, ctypes.c_void_p)
POINTERS = (
    "bpf_object__open_file",
    "bpf_object__find_map_by_name",
    "bpf_object__find_program_by_name",
    "bpf_map__attach_struct_ops",
)


def compiling(source: Path, names: dict[str, str], into: str) -> list[str]:
    """The command that compiles a source, in which these names have these values."""
    headers = f"-I/usr/include/{platform.machine()}-linux-gnu"
    defined = [f"-D{name}={value}" for name, value in names.items()]
    return ["clang", "-g", "-O2", "-target", "bpf", "-mcpu=v3", headers, *defined, "-c", str(source), "-o", into]


class Programs:
    """The programs of a source, and their maps."""

    def __init__(self, technique: str, source: Path, names: dict[str, str]) -> None:
        """Compiles them; raises InputError, which names the technique, where that fails."""
        self._technique = technique
        self._call = _system_call(technique)
        try:
            self.library: Any = ctypes.CDLL(LIBRARY, use_errno=True)
        except OSError:
            raise InputError(f"{technique}: it needs {LIBRARY} and clang: {NEEDS}") from None
        self._quiet = LOGGER(lambda *_: 0)
        self.library.libbpf_set_print(self._quiet)
        for function in POINTERS:
            getattr(self.library, function).restype = ctypes.c_void_p
        with tempfile.TemporaryDirectory() as folder:
            file = str(Path(folder) / f"{source.stem}.o")
            _compile(technique, compiling(source, names, file))
            self._object = ctypes.c_void_p(self.library.bpf_object__open_file(file.encode(), None))
        if self._object.value is None:
            raise InputError(f"{technique}: {LIBRARY} cannot read what clang has made")
        self._links: list[int] = []

    def load(self) -> None:
        """Gives them to the kernel."""
        if self.library.bpf_object__load(self._object):
            raise InputError(
                f"{self._technique}: the kernel refuses its programs: {why()}; "
                "it needs CAP_BPF and CAP_NET_ADMIN (`sudo`)"
            )

    def map(self, name: str) -> ctypes.c_void_p:
        """A map, as the library knows it."""
        return ctypes.c_void_p(self.library.bpf_object__find_map_by_name(self._object, name.encode()))

    def descriptor(self, name: str) -> int:
        """The file descriptor of a map."""
        return int(self.library.bpf_map__fd(self.map(name)))

    def put(self, descriptor: int, key: Any, value: Any) -> None:
        """Writes an entry of a map; key and value are objects of ctypes."""
        places = (ctypes.addressof(key), ctypes.addressof(value))
        self._bpf(BPF_MAP_UPDATE_ELEM, struct.pack("I4xQQQ", descriptor, *places, 0))

    def get(self, descriptor: int, key: Any, value: Any) -> None:
        """Reads an entry of a map into `value`, which stays as it is where there is none."""
        places = (ctypes.addressof(key), ctypes.addressof(value))
        self._bpf(BPF_MAP_LOOKUP_ELEM, struct.pack("I4xQQQ", descriptor, *places, 0))

    def link(self, what: int, target: int, kind: int) -> int:
        """Puts a program or map at its place, as long as this process lives. Returns a negative number on failure."""
        link = self._bpf(BPF_LINK_CREATE, struct.pack("IIII48x", what, target, kind, 0))
        if link >= 0:
            self._links.append(link)
        return link

    def attach(self, program: str, interface: int, kind: int) -> None:
        """Puts a program at one direction of a device."""
        found = ctypes.c_void_p(self.library.bpf_object__find_program_by_name(self._object, program.encode()))
        if self.link(self.library.bpf_program__fd(found), interface, kind) < 0:
            raise InputError(f"{self._technique}: the device does not take its program: {why()}")

    def close(self) -> None:
        """Takes all of it out of the kernel."""
        for link in self._links:
            os.close(link)
        self.library.bpf_object__close(self._object)

    def _bpf(self, command: int, attributes: bytes) -> int:
        room = ctypes.create_string_buffer(attributes, len(attributes))
        return int(self._call(command, room, len(attributes)))


def why() -> str:
    """What the kernel said last."""
    return os.strerror(ctypes.get_errno())


def _compile(technique: str, command: list[str]) -> None:
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
    except OSError:
        raise InputError(f"{technique}: it needs clang and {LIBRARY}: {NEEDS}") from None
    if done.returncode:
        first = next((line for line in done.stderr.splitlines() if "error" in line), done.stderr.strip())
        raise InputError(f"{technique}: clang fails: {first}. It needs the headers of libbpf: {NEEDS}")


def _system_call(technique: str) -> Any:
    """bpf(2)."""
    machine = platform.machine()
    if machine not in CALLS:
        known = ", ".join(CALLS)
        raise InputError(f"{technique}: it is not known for processors of the kind {machine}; known are {known}")
    library: Any = ctypes.CDLL(None, use_errno=True)

    def call(command: int, room: Any, length: int) -> int:
        return int(library.syscall(ctypes.c_long(CALLS[machine]), ctypes.c_long(command), room, ctypes.c_long(length)))

    return call
