"""The process that starts the commands of an emulation, and ends with it.

It is the first process of a process space of its own (pid_namespaces(7)). When it ends, the kernel ends all that it has
started, and it ends as soon as the pipe of its orders is closed: also when the emulation was killed.

An order is a line of JSON. `{"id": 1, "net": 12, "node": "3", "argv": ["ping", "10.0.0.2"]}` starts a command in the
network namespace of that file descriptor. `{"end": true}` asks all commands to end. An answer is a line too:
`{"id": 1, "code": 0}`.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import sys
from typing import Any

from multihop import _engine

NOT_STARTED = 127
"""Exit code of a command that there is not, as in a shell."""
IGNORED = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
"""The commands get Ctrl-C from the terminal themselves."""


def main(orders: int, answers: int) -> int:
    """Runs until the orders end; returns the exit code."""
    for number in IGNORED:
        signal.signal(number, signal.SIG_IGN)
    _engine.isolate(seen=False)
    first = os.fork()
    if first:
        os.close(orders)
        os.close(answers)
        return os.waitstatus_to_exitcode(os.waitpid(first, 0)[1])
    _engine.isolate(seen=True)
    Warden(orders, answers).serve()
    return 0


class Warden:
    """Starts commands and says how they end."""

    def __init__(self, orders: int, answers: int) -> None:
        self._orders, self._answers = orders, answers
        self._running: dict[int, int] = {}
        for fd in (orders, answers):
            os.set_inheritable(fd, False)

    def serve(self) -> None:
        """Carries out orders until they end."""
        woken, wake = os.pipe()
        os.set_blocking(wake, False)
        os.set_blocking(woken, False)
        signal.set_wakeup_fd(wake)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        waiting = b""
        while True:
            ready, _, _ = select.select([self._orders, woken], [], [])
            if woken in ready:
                os.read(woken, 4096)
                self._reap()
            if self._orders in ready:
                got = os.read(self._orders, 65536)
                if not got:
                    return
                *lines, waiting = (waiting + got).split(b"\n")
                for line in lines:
                    self._obey(json.loads(line))

    def _obey(self, order: dict[str, Any]) -> None:
        if order.get("end"):
            with contextlib.suppress(ProcessLookupError):  # none is left
                os.kill(-1, signal.SIGTERM)  # all of this process space but itself
            return
        pid = os.fork()
        if pid:
            self._running[pid] = int(order["id"])
            return
        code = NOT_STARTED
        try:
            signal.set_wakeup_fd(-1)
            for number in (*IGNORED, signal.SIGCHLD):
                signal.signal(number, signal.SIG_DFL)
            _engine.enter(f"/proc/self/fd/{order['net']}")
            os.environ["MULTIHOP_NODE"] = str(order["node"])
            os.execvp(order["argv"][0], order["argv"])  # noqa: S606
        except OSError as e:
            os.write(2, f"multihop: {order['argv'][0]} cannot be started: {e.strerror}\n".encode())
        finally:
            os._exit(code)

    def _reap(self) -> None:
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if not pid:
                return
            if (number := self._running.pop(pid, None)) is not None:
                answer = {"id": number, "code": os.waitstatus_to_exitcode(status)}
                os.write(self._answers, json.dumps(answer).encode() + b"\n")


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), int(sys.argv[2])))
