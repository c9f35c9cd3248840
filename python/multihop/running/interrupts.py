"""Being stopped: Ctrl-C, SIGTERM and SIGHUP become a flag, so that what has finished is kept."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Iterator
from types import FrameType

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
"""What asks a process to end and lets it tidy up."""


class Stop:
    """Whether the user wants it to end."""

    def __init__(self) -> None:
        self.signal: int | None = None
        """The first signal that came."""

    def __bool__(self) -> bool:
        return self.signal is not None


@contextlib.contextmanager
def patient() -> Iterator[Stop]:
    """Turns the first signal into a flag, so that a record being written is finished; the second one interrupts.

    A signal that the process was started to ignore (as by `nohup`) stays ignored. Off the main thread, which alone
    gets signals, nothing changes.
    """
    stop = Stop()
    if threading.current_thread() is not threading.main_thread():
        yield stop
        return

    def on_signal(number: int, _frame: FrameType | None) -> None:
        if stop:
            raise KeyboardInterrupt
        stop.signal = number

    before = {s: signal.getsignal(s) for s in SIGNALS if signal.getsignal(s) not in (signal.SIG_IGN, None)}
    for number in before:
        signal.signal(number, on_signal)
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
