"""The kick on a real host: TCP of Linux that backs off hears at once that its way is back (RFC 6069).

It reads the state of connections (`ss`), asks their destinations by echo requests, and has the kernel take its back-off
back by ICMP messages of the host to itself. It changes no setting, and leaves nothing: it has sockets only.
"""

from __future__ import annotations

import ctypes
import os
import re
import select
import socket
import struct
import subprocess
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from multihop.errors import InputError

STATES = ("ss", "--tcp", "--info", "--numeric", "--oneline", "--no-header", "--ipv4", "state", "established")
"""What says which connections back off."""
NEEDS = "it needs the capability CAP_NET_RAW: start it with `sudo`"
MARK = b"multihop"
"""What the echoes carry."""
LINE = re.compile(r"^\d+\s+\d+\s+([\d.]+)(?:%\S+)?:(\d+)\s+([\d.]+):(\d+)\s.*\bbackoff:(\d+)")
STALLED_MS = 300
"""How long no acknowledgment has come when what is sent is looked at [ms]: before the first timeout."""
LAST_ACK = re.compile(r"\blastack:(\d+)\b.*\bunacked:[1-9]")
ALL, OUTGOING, TCP, ICMP = 0x0003, 4, 6, 1  # ETH_P_ALL, PACKET_OUTGOING, protocol numbers
HEADS = struct.pack(
    "HBBI" * 6,
    *(0x30, 0, 0, 0xFFFFF004),  # the kind of the packet (SKF_AD_PKTTYPE, bpf(4) as Linux has it)
    *(0x15, 0, 3, OUTGOING),
    *(0x30, 0, 0, 9),  # protocol of IP
    *(0x15, 0, 1, TCP),
    *(0x06, 0, 0, 128),  # so many bytes of what this host sends by TCP
    *(0x06, 0, 0, 0),  # nothing of anything else
)
"""A filter for the socket that sees what is sent again."""


@dataclass(frozen=True, slots=True)
class Waiting:
    """A connection whose timer backs off."""

    here: tuple[str, int]
    there: tuple[str, int]
    steps: int
    """How often it has backed off."""


def waiting(text: str) -> list[Waiting]:
    """The connections that back off, from what `ss` says."""
    found = filter(None, map(LINE.match, text.splitlines()))
    return [Waiting((one[1], int(one[2])), (one[3], int(one[4])), int(one[5])) for one in found]


def stalled(text: str) -> bool:
    """Whether a connection waits for an acknowledgment longer than it should, from what `ss` says."""
    return any(int(one) >= STALLED_MS for one in LAST_ACK.findall(text))


def checksum(data: bytes) -> int:
    """The Internet checksum (RFC 1071)."""
    total: int = sum(struct.unpack(f"!{len(data) // 2}H", data)) + (data[-1] << 8 if len(data) % 2 else 0)
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


def message(kind: int, code: int, word: bytes, rest: bytes) -> bytes:
    """A message of ICMP (RFC 792)."""
    plain = bytes((kind, code, 0, 0)) + word + rest
    return plain[:2] + struct.pack("!H", checksum(plain)) + plain[4:]


def unreachable(here: str, segment: bytes) -> bytes:
    """Host unreachable from this host to itself, about a segment of its own; Linux fills length and checksum of IP."""
    quote = segment[: (segment[0] & 15) * 4 + 8]
    address = socket.inet_aton(here)
    header = struct.pack("!BBHHHBBH4s4s", 0x45, 0, 0, 0, 0, 64, ICMP, 0, address, address)
    return header + message(3, 1, bytes(4), quote)


def ends(segment: bytes) -> tuple[tuple[str, int], tuple[str, int]] | None:
    """Source and destination of a segment with payload; None for one without."""
    length = (segment[0] & 15) * 4
    if len(segment) < length + 20 or (segment[0] >> 4, segment[9]) != (4, TCP):
        return None
    total, ports = struct.unpack_from("!H", segment, 2)[0], struct.unpack_from("!HH", segment, length)
    if total <= length + (segment[length + 12] >> 4) * 4:
        return None
    return (socket.inet_ntoa(segment[12:16]), ports[0]), (socket.inet_ntoa(segment[16:20]), ports[1])


def plan(interface: str | None, every_s: float) -> Iterator[str]:
    """What it would do, for --dry-run."""
    where = f" on {interface}" if interface else ""
    yield f"every {every_s:g} s: {' '.join(STATES)}"
    yield f"while a connection waits for acknowledgments: a packet socket{where} that sees outgoing segments of TCP"
    yield f"once it backs off, every {every_s:g} s: an ICMP echo request{where} to its destination"
    yield "at its answer: ICMP host unreachable from this host to itself, as often as the connection has backed off"
    yield "at the end: nothing is left; no setting, route, device or rule is changed"


class Kick:
    """Watches the connections of a host."""

    def __init__(
        self,
        interface: str | None,
        every_s: float,
        tell: Callable[[str], None],
        back: Callable[[str], None] | None = None,
    ) -> None:
        """`back` is called when a way that was gone is back, before TCP sends again."""
        self._interface, self._every_s, self._tell, self._back = interface, every_s, tell, back
        try:
            self._icmp = socket.socket(socket.AF_INET, socket.SOCK_RAW, ICMP)
            self._raw = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_RAW)
            if interface:
                self._icmp.setsockopt(socket.SOL_SOCKET, socket.SO_BINDTODEVICE, interface.encode())
        except PermissionError:
            raise InputError(f"kick: {NEEDS}") from None
        except OSError as e:
            raise InputError(f"--interface {interface}: {e.strerror}") from None
        self._heads: socket.socket | None = None
        self._segments: dict[tuple[tuple[str, int], tuple[str, int]], bytes] = {}
        self._number = 0
        self._unanswered: dict[str, int] = {}
        self.probes = 0
        """Echo requests so far."""
        self.kicks = 0
        """Connections that were told to send again."""

    def run(self, going: Callable[[], bool]) -> None:
        """Works as long as `going` says so, which is asked ten times a second."""
        look = time.monotonic()
        while going():
            if time.monotonic() >= look:
                look = time.monotonic() + self._every_s
                self._look()
            ready, _, _ = select.select([one for one in (self._icmp, self._heads) if one is not None], [], [], 0.1)
            if self._heads is not None and self._heads in ready:
                segment, of = self._heads.recvfrom(128)
                if of[2] == OUTGOING and (between := ends(segment)) is not None:
                    self._segments[between] = segment
            if self._icmp in ready:
                self._answer(self._icmp.recv(2048))

    def close(self) -> None:
        """Closes its sockets; nothing else is left."""
        for one in (self._icmp, self._raw, self._heads):
            if one:
                one.close()

    def _look(self) -> None:
        """Probes the ways of connections that back off."""
        said = _said()
        found = waiting(said)
        watched = bool(found) or stalled(said)
        if watched and self._heads is None:
            self._heads = socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM, socket.htons(ALL))
            _filter(self._heads)
            if self._interface:
                self._heads.bind((self._interface, ALL))
        elif not watched and self._heads is not None:
            self._heads.close()
            self._heads = None
            self._segments.clear()
        addresses = sorted({one.there[0] for one in found})
        self._unanswered = {there: self._unanswered.get(there, 0) for there in addresses}
        for there in addresses:
            self._unanswered[there] += 1
            self._number = (self._number + 1) & 0xFFFF
            echo = message(8, 0, struct.pack("!HH", os.getpid() & 0xFFFF, self._number), MARK)
            try:
                self._icmp.sendto(echo, (there, 0))
            except OSError:
                continue  # there is no route yet
            self.probes += 1

    def _answer(self, datagram: bytes) -> None:
        """An answer to a probe says that the way is back."""
        length = (datagram[0] & 15) * 4
        ours = struct.pack("!H", os.getpid() & 0xFFFF)
        if datagram[length] != 0 or datagram[length + 4 : length + 6] != ours or datagram[length + 8 :] != MARK:
            return
        there = socket.inet_ntoa(datagram[12:16])
        if self._unanswered.pop(there, 0) > 1 and self._back is not None:  # an earlier probe was lost
            self._back(there)
        for one in waiting(_said()):
            segment = self._segments.get((one.here, one.there))
            if one.there[0] != there or segment is None:
                continue
            for _ in range(one.steps):
                self._raw.sendto(unreachable(one.here[0], segment), (one.here[0], 0))
            self.kicks += 1
            self._tell(f"{one.there[0]}:{one.there[1]} answers again: {one.steps} steps of back-off are taken back")


def _filter(heads: socket.socket) -> None:
    """Shows a socket what this host sends by TCP, and nothing else."""
    code = ctypes.create_string_buffer(HEADS, len(HEADS))
    program = struct.pack("HL", len(HEADS) // 8, ctypes.addressof(code))
    heads.setsockopt(socket.SOL_SOCKET, 26, program)  # SO_ATTACH_FILTER: Linux has its own copy afterwards


def _said() -> str:
    """What `ss` says of the connections."""
    try:
        return subprocess.run(STATES, capture_output=True, text=True, check=True).stdout  # noqa: S603
    except (OSError, subprocess.CalledProcessError) as e:
        raise InputError(f"kick: `ss` of iproute2 says which connections back off, and it fails: {e}") from None
