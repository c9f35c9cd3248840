"""The programs of an emulation, started through the warden."""

from __future__ import annotations

import contextlib
import json
import os
import select
import subprocess
import sys
from collections.abc import Mapping
from typing import IO

from multihop.emulating.commands import Command
from multihop.errors import RunError

GRACE_S = 1.0
"""How long programs have to end by themselves [s]."""


class Programs:
    """Starts commands in the namespaces of nodes; nothing of them outlives it, nor the process."""

    def __init__(self, namespaces: Mapping[str, int], output: IO[str] | None = None) -> None:
        self._namespaces = dict(namespaces)
        theirs, self._orders = os.pipe()
        self._answers, answers = os.pipe()
        words = [sys.executable, "-m", "multihop.emulating.warden", str(theirs), str(answers)]
        kept = (theirs, answers, *self._namespaces.values())
        self._warden = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=output, pass_fds=kept)  # noqa: S603
        os.close(theirs)
        os.close(answers)
        self._waiting = b""
        self.codes: dict[int, int] = {}
        """Exit codes of those that have ended, by their numbers."""

    def start(self, number: int, command: Command) -> None:
        """Starts a command."""
        self._order({"id": number, "net": self._namespaces[command.at], "node": command.at, "argv": command.words})

    def wait(self, seconds: float, *also: int) -> list[int]:
        """Waits until a program has ended or one of these descriptors can be read, at most so long; returns those."""
        ready, _, _ = select.select([self._answers, *also], [], [], max(0.0, seconds))
        if self._answers in ready:
            got = os.read(self._answers, 65536)
            if not got:
                raise RunError("the process that starts the programs of the emulation has ended; its message is above")
            *lines, self._waiting = (self._waiting + got).split(b"\n")
            for answer in map(json.loads, lines):
                self.codes[answer["id"]] = answer["code"]
        return [fd for fd in ready if fd != self._answers]

    def close(self) -> None:
        """Asks all programs to end, and ends those that do not."""
        with contextlib.suppress(RunError):
            self._order({"end": True})
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._warden.wait(0.05)
        os.close(self._orders)
        try:
            self._warden.wait(GRACE_S)
        except subprocess.TimeoutExpired:
            self._warden.kill()
            self._warden.wait()
        os.close(self._answers)

    def _order(self, order: Mapping[str, object]) -> None:
        try:
            os.write(self._orders, json.dumps(order).encode() + b"\n")
        except OSError:
            raise RunError("the process that starts the programs of the emulation has ended") from None
