"""The way into an emulation that runs: an abstract socket (unix(7)) that the kernel forgets with the process."""

from __future__ import annotations

import contextlib
import os
import re
import socket
import struct
from collections.abc import Mapping
from pathlib import Path

from multihop.errors import InputError

PREFIX = "multihop-emulation-"
"""What the names of all doors begin with."""
LONGEST = 4096
"""Longest message."""


class Door:
    """Hands the network namespace of a node to a process that may have it: of the same user, or of root."""

    def __init__(self, namespaces: Mapping[str, int]) -> None:
        self._namespaces = namespaces
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._socket.bind(f"\0{PREFIX}{os.getpid()}")
        self._socket.listen()
        self._guests: list[socket.socket] = []

    def fileno(self) -> int:
        """What can be read when somebody asks."""
        return self._socket.fileno()

    def answer(self) -> None:
        """Answers a process that asks; the connection stays, so that its end tells of the emulation's."""
        guest, _ = self._socket.accept()
        _, user, _ = struct.unpack("3i", guest.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))
        guest.settimeout(1.0)
        with contextlib.suppress(OSError):
            node = guest.recv(LONGEST).decode(errors="replace")
            if user not in (0, os.getuid()):
                guest.send(b"it is of another user")
            elif node not in self._namespaces:
                guest.send(f"there is no node `{node}`; it has {', '.join(self._namespaces)}".encode()[:LONGEST])
            else:
                socket.send_fds(guest, [b"ok"], [self._namespaces[node]])
                self._guests.append(guest)
                return
        guest.close()

    def close(self) -> None:
        """Closes the door; programs behind it hear of that."""
        for one in (self._socket, *self._guests):
            one.close()


def running() -> list[int]:
    """Process numbers of the emulations of this machine."""
    names = Path("/proc/net/unix").read_text(encoding="utf-8", errors="replace")
    return sorted({int(found[1]) for found in re.finditer(rf"@{PREFIX}([0-9]+)", names)})


def knock(node: str, process: int | None = None) -> tuple[socket.socket, int]:
    """The connection to an emulation and the network namespace of one of its nodes; raises InputError."""
    there = running()
    if process is not None and process not in there:
        raise InputError(f"--emulation {process}: there is no such emulation{_those(there)}")
    if not there:
        raise InputError(
            "no emulation is running: `multihop emulate SCENARIO` starts one, without a command until Ctrl-C"
        )
    if process is None and len(there) > 1:
        raise InputError(f"several emulations are running: say which with --emulation{_those(there)}")
    door = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    try:
        door.connect(f"\0{PREFIX}{process or there[0]}")
        door.send(node.encode())
        said, fds, _, _ = socket.recv_fds(door, LONGEST, 1)
    except OSError as e:
        raise InputError(f"the emulation {process or there[0]} does not answer: {e.strerror}") from None
    if not fds:
        raise InputError(f"the emulation {process or there[0]} does not let you in: {said.decode(errors='replace')}")
    return door, fds[0]


def _those(there: list[int]) -> str:
    return f"; there are {', '.join(map(str, there))}" if there else ""
