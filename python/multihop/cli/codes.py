"""Exit codes of all commands."""

BAD_INPUT = 2
"""Whatever the user can change: bad input, an unreadable record, nowhere to write."""
SIGNALLED = 128
"""Plus the number of the signal that stopped it: 130 for Ctrl-C, 143 for SIGTERM, 129 for SIGHUP."""
STOPPED = SIGNALLED + 2
"""Ctrl-C."""
UNREAD = SIGNALLED + 13
"""The reader of the output has left, as `head` does: what SIGPIPE makes of other programs."""
