"""An SSH server of this machine for tests: `python ssh_server.py FOLDER` serves keys that FOLDER/authorized has.

It listens on a free port of loopback, writes the port to standard output, and each command that it is asked for to
FOLDER/commands.
"""

from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path
from typing import Any

import asyncssh


async def main(folder: Path) -> None:
    """Serves until it is killed."""

    async def run(process: Any) -> None:
        """Runs a command in a shell; the command ends with its connection."""
        with (folder / "commands").open("a", encoding="utf-8") as log:
            log.write(process.command + "\n")
        child = subprocess.Popen(
            ["sh", "-c", "exec " + process.command],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        try:
            await process.redirect(stdin=child.stdin, stdout=child.stdout, stderr=child.stderr)
            while child.poll() is None and not process.is_closing():
                await asyncio.sleep(0.05)
            process.exit(child.returncode or 0)
        finally:
            child.kill()
            child.wait()

    keys: Any = {"server_host_keys": [folder / "host"], "authorized_client_keys": str(folder / "authorized")}
    async with asyncssh.listen("127.0.0.1", 0, encoding=None, process_factory=run, **keys) as listener:
        sys.stdout.write(f"{listener.get_port()}\n")
        sys.stdout.flush()
        await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1])))
