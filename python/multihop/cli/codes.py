"""Exit codes of all commands."""

BAD_INPUT = 2
"""Whatever the user can change: bad input, an unreadable record, nowhere to write."""
STOPPED = 130
"""Ctrl-C."""
