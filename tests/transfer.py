"""A small sender and receiver, for emulations in tests.

transfer.py receive PORT                        takes connections and compares what comes
transfer.py send HOST PORT SECONDS [NAME [PAUSE]]   sends for so long, under this congestion control, and bears silence
                                            as long; with a pause, 1000 bytes at a time, and waits so long between [s]
transfer.py echo HOST PORT                  sends one datagram of UDP and wants it back
transfer.py answer PORT                     gives datagrams back
transfer.py flood HOST PORT RATE SECONDS    sends so many datagrams of 64 bytes a second, and says how many it were
transfer.py drain PORT                      takes datagrams until none has come for a second, and says how many
transfer.py reach HOST PORT SECONDS             asks five times a second for so long, and says when there were answers
transfer.py frames DEVICE                       sends three frames: from a foreign station, to one, and cut short
transfer.py unreachable HOST PORT           sends datagrams until a node says that the host is unreachable
"""

from __future__ import annotations

import contextlib
import errno
import itertools
import os
import socket
import struct
import sys
import time

DATA = b"multihop" * 8192
PATIENCE_S = 20.0


def say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def receive(port: str) -> None:
    with socket.create_server(("", int(port))) as server:
        while True:
            connection, _ = server.accept()
            place = 0
            with connection:
                while got := connection.recv(65536):
                    at = place % 8
                    assert got == (DATA * 2)[at : at + len(got)], f"other bytes than were sent, from {place} on"
                    place += len(got)
            say(f"received {place}")


def connected(host: str, port: int, control: str) -> socket.socket:
    """A connection, once the server listens and the control is there: on a busy machine both take a while."""
    end = time.monotonic() + PATIENCE_S
    while True:
        sender = socket.socket()
        sender.settimeout(PATIENCE_S)
        try:
            if control:
                sender.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, control.encode())
            sender.connect((host, port))
        except (ConnectionRefusedError, FileNotFoundError):
            sender.close()
            if time.monotonic() > end:
                raise
            time.sleep(0.1)
        else:
            return sender


def send(host: str, port: str, seconds: str, control: str = "", pause: str = "0") -> None:
    with connected(host, int(port), control) as sender:
        begun, place, most = time.monotonic(), 0, 1000 if float(pause) else len(DATA)
        while (left := begun + float(seconds) - time.monotonic()) > 0:
            sender.settimeout(left)  # a full buffer does not keep it beyond its time
            with contextlib.suppress(TimeoutError):
                place += sender.send(DATA[place % 8 :][:most])
            time.sleep(float(pause))
        say(f"sent {place} in {time.monotonic() - begun:.3f} s")


def echo(host: str, port: str) -> None:
    with socket.socket(type=socket.SOCK_DGRAM) as asker:
        asker.settimeout(1.0)
        for _ in range(int(PATIENCE_S)):
            asker.sendto(b"hello", (host, int(port)))
            try:
                assert asker.recv(100) == b"hello"
            except TimeoutError:
                continue
            say("echoed")
            return
    raise SystemExit("no echo")


def answer(port: str) -> None:
    with socket.socket(type=socket.SOCK_DGRAM) as server:
        server.bind(("", int(port)))
        while True:
            got, who = server.recvfrom(65536)
            with contextlib.suppress(OSError):  # there may be no way back yet
                server.sendto(got, who)


def reach(host: str, port: str, seconds: str) -> None:
    """Says when the first answer and the last one came, and between which two the longest silence was [s]."""
    with socket.socket(type=socket.SOCK_DGRAM) as asker:
        asker.settimeout(0.2)
        begun, answers = time.monotonic(), []
        while (now := time.monotonic() - begun) < float(seconds):
            with contextlib.suppress(OSError):  # there is no route yet, or no answer
                asker.sendto(f"{now}".encode(), (host, int(port)))
                asker.recv(100)
                answers.append(time.monotonic() - begun)
            time.sleep(max(0.0, 0.2 - (time.monotonic() - begun - now)))
        gaps = [(after - before, before, after) for before, after in itertools.pairwise(answers)]
        longest = max(gaps, default=(0.0, 0.0, 0.0))
        say(
            f"first {answers[0]:.2f} last {answers[-1]:.2f} silent {longest[1]:.2f} {longest[2]:.2f}"
            if answers
            else "never"
        )


def frames(device: str) -> None:
    with socket.socket(socket.AF_PACKET, socket.SOCK_RAW) as raw:  # packet(7)
        raw.bind((device, 0x0800))
        own = raw.getsockname()[4]
        raw.send(b"\xff" * 6 + b"\x02\xff\0\0\0\1" + b"\x08\0" + bytes(46))
        raw.send(b"\x02\xff\0\0\0\1" + own + b"\x08\0" + bytes(46))
        raw.send(b"\xff" * 6 + own + b"\x08\0")
    say("framed")


def unreachable(host: str, port: str) -> None:
    """By the queue of errors of the socket (ip(7), IP_RECVERR): the kernel says there what came by ICMP."""
    with socket.socket(type=socket.SOCK_DGRAM) as asker:
        asker.setsockopt(socket.IPPROTO_IP, 11, 1)  # IP_RECVERR
        asker.connect((host, int(port)))
        for _ in range(int(PATIENCE_S * 4)):
            try:
                asker.send(b"hello")
            except OSError as e:
                if e.errno != errno.EHOSTUNREACH:
                    raise
            time.sleep(0.25)
            try:
                _, said, _, _ = asker.recvmsg(100, 512, socket.MSG_ERRQUEUE | socket.MSG_DONTWAIT)
            except BlockingIOError:
                continue
            error, origin, kind, code = struct.unpack_from("=IBBB", said[0][2])
            assert (error, origin, kind, code) == (errno.EHOSTUNREACH, 2, 3, 1), (error, origin, kind, code)
            say(f"unreachable by {socket.inet_ntoa(said[0][2][20:24])}")
            return
    raise SystemExit("not a word")


def first() -> None:
    """Before other programs of the machine, where that is allowed: they are not what is measured."""
    with contextlib.suppress(PermissionError):
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))


def flood(host: str, port: str, rate: str, seconds: str) -> None:
    first()
    with socket.socket(type=socket.SOCK_DGRAM) as sender:
        sender.connect((host, int(port)))
        begun, sent, count = time.monotonic(), 0, int(float(rate) * float(seconds))
        while sent < count:
            due = min(count, int((time.monotonic() - begun) * float(rate)))
            for _ in range(due - sent):
                sender.send(DATA[:36])  # with 28 bytes of headers
            sent = max(sent, due)
            time.sleep(0.0005)
        time.sleep(2.0)
        say(f"flooded {sent} in {time.monotonic() - begun - 2.0:.3f} s")


def drain(port: str) -> None:
    first()
    with socket.socket(type=socket.SOCK_DGRAM) as server:
        server.setsockopt(socket.SOL_SOCKET, 33, 1 << 26)  # SO_RCVBUFFORCE
        server.bind(("", int(port)))
        count = 0
        while True:
            server.recv(2048)
            server.settimeout(1.0)
            with contextlib.suppress(TimeoutError):
                while True:
                    count += 1
                    server.recv(2048)
            say(f"drained {count}")
            server.settimeout(None)


def main(what: str, *words: str) -> None:
    if what == "receive":
        receive(*words)
    elif what == "send":
        send(*words)
    elif what == "echo":
        echo(*words)
    elif what == "flood":
        flood(*words)
    elif what == "drain":
        drain(*words)
    elif what == "reach":
        reach(*words)
    elif what == "frames":
        frames(*words)
    elif what == "unreachable":
        unreachable(*words)
    else:
        answer(*words)


if __name__ == "__main__":
    main(*sys.argv[1:])
