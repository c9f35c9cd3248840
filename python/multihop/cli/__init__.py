"""The command line: one file per command, composed in `app`."""

from multihop.cli.app import main

__all__ = ["main"]
