"""`multihop deploy`: a cure on a real host."""

from __future__ import annotations

from typing import Annotated

import typer

EXAMPLES = """[bold]Examples[/bold]

multihop deploy kick --dry-run

sudo multihop deploy kick

sudo multihop deploy kick --interface wlan0 --every 1s --for 10min

sudo multihop deploy freeze
"""


CURES = ("kick", "freeze")


def register(app: typer.Typer) -> None:
    """Adds the command."""
    app.command(epilog=EXAMPLES)(deploy)


def deploy(
    technique: Annotated[str, typer.Argument(metavar="TECHNIQUE", help="What: kick or freeze.", show_default=False)],
    interface: Annotated[
        str | None,
        typer.Option("--interface", metavar="DEVICE", help="Only by this device. Default: by all.", show_default=False),
    ] = None,
    every: Annotated[str, typer.Option("--every", metavar="TIME", help="How often it looks and probes.")] = "2 s",
    for_: Annotated[
        str | None,
        typer.Option("--for", metavar="TIME", help="How long. Default: until Ctrl-C.", show_default=False),
    ] = None,
    name: Annotated[
        str, typer.Option("--name", metavar="NAME", help="Of freeze: how the congestion control is called.")
    ] = "freeze",
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what it would do, and do nothing.")] = False,
    any_kernel: Annotated[
        bool, typer.Option("--any-kernel", help="Also on a kernel on which it has not been shown to work.")
    ] = False,
) -> None:
    """Run a cure on this host, for the TCP of its Linux.

    kick: connections that back off have the way to their destination probed; when it is back, TCP sends at once (RFC
    6069). freeze: the kick, and a congestion control that brings the window of before the outage back (modified ATCP).

    Both run until Ctrl-C and leave nothing. They need Linux and root; the kick alone needs the capability CAP_NET_RAW.
    """
    import contextlib
    import time

    from multihop.cli.codes import SIGNALLED
    from multihop.deploying import freeze, host, kick
    from multihop.emulating.commands import positive
    from multihop.errors import InputError
    from multihop.running.interrupts import patient
    from multihop.scenario.scenario import nearest
    from multihop.terminal import console
    from multihop.text import plural

    if technique not in CURES:
        what = " and ".join(CURES)
        raise InputError(f"{technique}: it cannot be put on a real host; what can is {what}{nearest(technique, CURES)}")
    every_s, page = positive(every, "--every"), console.out()
    end = time.monotonic() + positive(for_, "--for") if for_ is not None else float("inf")
    freezes = technique == "freeze"
    if dry_run:
        for line in [*(freeze.plan(name) if freezes else ()), *kick.plan(interface, every_s)]:
            page.print(line, soft_wrap=True, markup=False)
        return
    host.demand_linux(technique, any_kernel=any_kernel)
    with contextlib.ExitStack() as stack:
        frozen = stack.enter_context(contextlib.closing(freeze.Freeze(name))) if freezes else None
        back = (frozen.was_gone,) if frozen else ()
        running = stack.enter_context(contextlib.closing(kick.Kick(interface, every_s, page.print, *back)))
        for line in freeze.how_to_use(name) if freezes else ():
            page.print(line, soft_wrap=True, markup=False)
        stop = stack.enter_context(patient())
        running.run(lambda: not stop and time.monotonic() < end)
        restored = f"; {plural(frozen.restored, 'window')} restored" if frozen else ""
    page.print(
        f"{plural(running.probes, 'probe')}; {plural(running.kicks, 'connection')} told to send again{restored}."
    )
    if stop.signal is not None:
        raise typer.Exit(SIGNALLED + stop.signal)
