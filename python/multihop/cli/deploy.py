"""`multihop deploy`: a cure on a real host."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Annotated

import typer

EXAMPLES = """[bold]Examples[/bold]

multihop deploy kick --dry-run

sudo multihop deploy kick

sudo multihop deploy kick --interface wlan0 --every 1s --for 10min

sudo multihop deploy freeze

sudo multihop deploy modified-atcp --interface wlan0
"""

LAYERS = ("atcp", "modified-atcp")
CURES = ("kick", "freeze", *LAYERS)


def _cures(incomplete: str) -> list[str]:
    """The cures that begin like this."""
    return [cure for cure in CURES if cure.startswith(incomplete)]


def _devices(incomplete: str) -> list[str]:
    """The devices of this host that begin like this."""
    import socket

    return sorted(name for _, name in socket.if_nameindex() if name.startswith(incomplete))


def register(app: typer.Typer) -> None:
    """Adds the command."""
    app.command(epilog=EXAMPLES)(deploy)


def deploy(
    technique: Annotated[
        str,
        typer.Argument(
            metavar="TECHNIQUE",
            help="What: kick, freeze, atcp or modified-atcp.",
            show_default=False,
            autocompletion=_cures,
        ),
    ],
    interface: Annotated[
        str | None,
        typer.Option(
            "--interface",
            metavar="DEVICE",
            help="Only by this device. Default: by all; ATCP needs one.",
            show_default=False,
            autocompletion=_devices,
        ),
    ] = None,
    every: Annotated[str, typer.Option("--every", metavar="TIME", help="How often the kick looks and probes.")] = "2 s",
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
    atcp, modified-atcp: a layer below TCP that stops it while there is no route, and keeps what is in flight.

    All run until Ctrl-C and leave nothing. They need Linux and root; the kick alone needs the capability CAP_NET_RAW.
    """
    import time

    from multihop.cli.codes import SIGNALLED
    from multihop.deploying import host
    from multihop.emulating.commands import positive
    from multihop.errors import InputError
    from multihop.running.interrupts import patient
    from multihop.scenario.scenario import nearest
    from multihop.terminal import console

    cure = technique.partition(":")[0]
    if cure not in CURES:
        what = f"{', '.join(CURES[:-1])} and {CURES[-1]}"
        raise InputError(f"{technique}: it cannot be put on a real host; what can is {what}{nearest(cure, CURES)}")
    if cure in LAYERS and interface is None:
        raise InputError(f"{technique}: expected --interface DEVICE, the device below which the layer stands")
    every_s, page = positive(every, "--every"), console.out()
    end = time.monotonic() + positive(for_, "--for") if for_ is not None else float("inf")
    if dry_run:
        for line in _plan(technique, cure, interface, every_s, name):
            page.print(line, soft_wrap=True, markup=False)
        return
    host.demand_linux(cure, any_kernel=any_kernel)
    with patient() as stop:

        def going() -> bool:
            return not stop and time.monotonic() < end

        if cure in LAYERS:
            _layer(technique, str(interface), going)
        else:
            _kick(cure == "freeze", name, interface, every_s, going)
    if stop.signal is not None:
        raise typer.Exit(SIGNALLED + stop.signal)


def _plan(technique: str, cure: str, interface: str | None, every_s: float, name: str) -> Iterator[str]:
    """What it would do, line by line."""
    from multihop.deploying import atcp, freeze, kick

    if cure in LAYERS:
        yield from atcp.plan(technique, str(interface))
        return
    if cure == "freeze":
        yield from freeze.plan(name)
    yield from kick.plan(interface, every_s)


def _kick(freezes: bool, name: str, interface: str | None, every_s: float, going: Callable[[], bool]) -> None:
    """The kick, with or without the congestion control."""
    import contextlib

    from multihop.deploying import freeze, kick
    from multihop.terminal import console
    from multihop.text import plural

    page = console.out()
    with contextlib.ExitStack() as stack:
        frozen = stack.enter_context(contextlib.closing(freeze.Freeze(name))) if freezes else None
        back = (frozen.was_gone,) if frozen else ()
        running = stack.enter_context(contextlib.closing(kick.Kick(interface, every_s, page.print, *back)))
        for line in freeze.how_to_use(name) if freezes else ():
            page.print(line, soft_wrap=True, markup=False)
        running.run(going)
        restored = f"; {plural(frozen.restored, 'window')} restored" if frozen else ""
    page.print(
        f"{plural(running.probes, 'probe')}; {plural(running.kicks, 'connection')} told to send again{restored}."
    )


def _layer(technique: str, interface: str, going: Callable[[], bool]) -> None:
    """The layer of ATCP."""
    from multihop.deploying import atcp
    from multihop.terminal import console
    from multihop.text import plural

    page = console.out()
    layer = atcp.Atcp(technique, interface)
    try:
        page.print(
            f"The layer of {technique} stands below connections by {interface} that are opened from now on.",
            soft_wrap=True,
            markup=False,
        )
        layer.run(going, page.print)
    finally:
        reset = layer.close()
    counts = layer.counts
    page.print(
        f"TCP was stopped {plural(counts['shim.freezes'], 'time')}, "
        f"in all for {counts['shim.frozen-ms'] / 1000:.1f} s; "
        f"{plural(counts['shim.probes'], 'probe')}; {plural(counts['shim.retransmissions'], 'segment')} sent again."
    )
    if reset:
        page.print(f"{plural(reset, 'connection')} reset: only the layer had some of their segments.")
