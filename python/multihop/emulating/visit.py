"""A program of the user in a node of an emulation that runs."""

from __future__ import annotations

import os
import select
import signal
import subprocess
from collections.abc import Sequence

from multihop import _engine
from multihop.emulating.doors import knock
from multihop.errors import InputError

TICK_S = 0.2
"""How often it is looked whether the program has ended [s]."""


def visit(node: str, words: Sequence[str] = (), process: int | None = None) -> int:
    """Runs a program in a node, by default a shell; returns its exit code. The program ends with the emulation.

    Raises InputError if there is no such emulation or node, or the process may not enter it.
    """
    if not hasattr(_engine, "enter"):
        raise InputError("an emulation needs Linux: it uses network namespaces and TUN devices")
    door, namespace = knock(node, process)
    try:
        _engine.enter(f"/proc/self/fd/{namespace}")
    except OSError as e:
        raise InputError(
            f"node {node} cannot be entered: {e.strerror}. That needs the capability CAP_SYS_ADMIN: start the command "
            "with `sudo`"
        ) from None
    os.close(namespace)
    environment = {**os.environ, "MULTIHOP_NODE": node}
    program = list(words) or [os.environ.get("SHELL", "/bin/sh")]
    try:
        running = subprocess.Popen(program, env=environment)  # noqa: S603
    except OSError as e:
        raise InputError(f"{program[0]} cannot be started: {e.strerror}") from None
    ignored = signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the program
    try:
        while running.poll() is None:
            if select.select([door], [], [], TICK_S)[0]:  # nothing is ever said here: the emulation has ended
                running.send_signal(signal.SIGHUP)
                running.wait()
    finally:
        signal.signal(signal.SIGINT, ignored)
    code = running.returncode
    return code if code >= 0 else 128 - code
