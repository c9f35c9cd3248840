"""One emulation from its start to its record."""

from __future__ import annotations

import contextlib
import json
import os
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import IO, Any

from multihop import _engine
from multihop.emulating.commands import Command, Part
from multihop.emulating.doors import Door
from multihop.emulating.programs import Programs
from multihop.errors import InputError, RunError
from multihop.record.folder import PCAP
from multihop.record.record import Record, Records
from multihop.record.tables import encoded
from multihop.running import resources
from multihop.running.interrupts import Stop, patient
from multihop.scenario.scenario import Scenario
from multihop.store.store import Identity, Store
from multihop.store.writer import Writer

LINUX = "linux"
"""What records of emulations have among their techniques: none of them is ever taken for a simulation."""
KICK = "kick"
"""What records have beside it if TCP of Linux gets a kick when a route is back."""
TAP = "tap"
"""What records have beside it if the kernels of the nodes route."""
LISTEN_S = 0.3
"""How long servers have to begin before others start [s]."""
TICK_S = 0.1
"""How often it is looked whether the user wants it to end [s]."""
PRIORITY = 50
"""Real-time priority of the thread that drives the network."""


@dataclass(frozen=True, slots=True)
class Emulated:
    """What an emulation has left."""

    records: Records
    codes: dict[int, int]
    """Exit codes of the commands by their numbers; those that were ended with the emulation are missing."""
    stopped: int | None
    """Number of the signal that stopped it."""

    @property
    def said(self) -> dict[str, Any]:
        """Lag and counts of the emulation."""
        return dict(self.records[0].data["emulation"])


@dataclass(frozen=True, slots=True)
class Wish:
    """What is to be emulated."""

    scenario: Scenario
    commands: Sequence[Command] = ()
    techniques: tuple[str, ...] = ()
    sets: tuple[str, ...] = ()
    seed: int | None = None
    seconds: float | None = None
    """How long it lasts at most [s]; by default as long as the scenario says."""
    bound_s: float = 1e-3
    """Lag up to which the run is valid [s]."""
    pcap: bool = False
    kick_s: float | None = None
    """Time between probes of the ways of connections that back off [s]; None: there are none."""
    tap: bool = False
    """Whether nodes have TAP devices: their kernels route, and the simulator carries each packet one hop."""

    @property
    def marks(self) -> tuple[str, ...]:
        """What the record has among its techniques beside those of the scenario."""
        kick = () if self.kick_s is None else (f"{KICK}:{self.kick_s:g} s",)
        return (*kick, *((TAP,) if self.tap else ()), LINUX)


def emulate(wish: Wish, store: Store, *, output: IO[str] | None = None, command: str = "") -> Emulated:
    """Emulates a scenario and keeps the record. The commands write to `output`, by default where this process does.

    Raises ScenarioError and InputError before anything starts, RunError and StoreError later.
    """
    if not hasattr(_engine, "Emulation"):
        raise InputError("an emulation needs Linux: it uses network namespaces and TUN devices")
    resolved, commands = _prepared(wish)
    with store.writing() as writer, patient() as stop:
        identity = _identity(resolved, wish, store)
        capture = (str(_folder(writer, identity)), resources.capture_limit()) if wish.pcap else None
        try:
            engine = _engine.Emulation(resolved, identity.run, wish.bound_s, capture, wish.kick_s, wish.tap)
        except _engine.EngineError as e:
            raise InputError(str(e)) from None
        codes = _drive(engine, commands, stop, output)
        try:
            run = engine.finish()
        except _engine.EngineError as e:
            raise RunError(f"the emulation had to be given up: {e}") from None
        data = json.loads(run.json)
        data["emulation"]["unread"] = _unread(wish, resolved)
        data["emulation"]["commands"] = [
            {"at": one.at, "run": str(one), "code": codes.get(number)} for number, one in enumerate(commands)
        ]
        lasted = _engine.emulated(resolved, data["sim_s"], [], wish.tap)
        record = writer.put(identity, lasted, wish.scenario.name, data, encoded(data, run.series))
        records = Records([record], name=wish.scenario.name, techniques=identity.techniques, stored=[])
        writer.register([records], command)
    return Emulated(records, codes, stop.signal)


def _prepared(wish: Wish) -> tuple[_engine.Resolved, list[Command]]:
    """The scenario as it is emulated, and its commands, each at one node."""
    if wish.tap and wish.kick_s is not None:
        raise InputError(
            "--kick needs the routing of the simulator, which says when a route is back. With --tap the kernels of the "
            "nodes route: leave one of the two out"
        )
    resolved = wish.scenario.resolve(wish.techniques, wish.sets, wish.seed)
    names = [str(node["name"]) for node in json.loads(resolved.json())["nodes"]]
    commands = [placed for one in wish.commands for placed in one.placed(names)]
    for one in commands:
        one.addressed(dict.fromkeys(names, ""))
    pairs = [(one.at, partner) for one in commands for partner in one.partners]
    try:
        return _engine.emulated(resolved, wish.seconds, pairs, wish.tap), commands
    except _engine.EngineError as e:
        raise InputError(f"{wish.scenario.name} cannot be emulated: {e}") from None


def _unread(wish: Wish, emulated: _engine.Resolved) -> list[str]:
    """Keys of the scenario file that nothing reads: with TAP devices the kernels of the nodes route."""
    asked = json.loads(wish.scenario.resolve(wish.techniques, wish.sets, wish.seed).json())["values"]
    left = json.loads(emulated.json())["values"]
    by_file = [path for path, value in asked.items() if value["from"].startswith("file")]
    return [path for path in by_file if not left.get(path, {"from": ""})["from"].startswith("file")]


def _identity(resolved: _engine.Resolved, wish: Wish, store: Store) -> Identity:
    """Each emulation is another run, with other random streams of the air: no two give the same."""
    number = 1
    while store.get(identity := Identity(resolved.hash, (*wish.techniques, *wish.marks), number)) is not None:
        number += 1
    return identity


def _folder(writer: Writer, identity: Identity) -> Any:
    folder = writer.stage(identity.key) / PCAP
    folder.mkdir(exist_ok=True)
    return folder


def _drive(
    engine: _engine.Emulation, commands: Sequence[Command], stop: Stop, output: IO[str] | None
) -> dict[int, int]:
    """Runs the network in a thread and the commands beside it, until they have ended or the time is over."""
    namespaces = {name: fd for name, fd, _ in engine.nodes}
    addresses = {name: address for name, _, address in engine.nodes}
    failed: list[BaseException] = []
    with contextlib.ExitStack() as held:
        door = held.enter_context(contextlib.closing(Door(namespaces)))
        programs = held.enter_context(contextlib.closing(Programs(namespaces, output)))
        network = threading.Thread(target=_network, args=(engine, failed), name="multihop-emulation")
        network.start()
        try:
            _commands(programs, [one.addressed(addresses) for one in commands], door, network, stop)
        finally:
            engine.stop()
            network.join()
    if failed:
        raise RunError(f"the emulation had to be given up: {failed[0]}")
    return programs.codes


def _commands(
    programs: Programs, commands: Sequence[Command], door: Door, network: threading.Thread, stop: Stop
) -> None:
    for number in [number for number, one in enumerate(commands) if one.part is Part.PREPARE]:
        programs.start(number, commands[number])
        while number not in programs.codes and network.is_alive() and not stop:
            if programs.wait(TICK_S, door.fileno()):
                door.answer()
        if programs.codes.get(number):
            code = programs.codes[number]
            raise RunError(f"--prepare {commands[number].at}: {commands[number]}: it ended with exit code {code}")
    late = LISTEN_S if any(one.part is Part.SERVE for one in commands) else 0.0
    starts = {Part.SERVE: 0.0, Part.RUN: late}
    due = sorted((starts[one.part] + one.start_s, number) for number, one in enumerate(commands) if one.part in starts)
    awaited = {number for number, one in enumerate(commands) if one.part is Part.RUN}
    begun = time.monotonic()
    while network.is_alive() and not stop:
        now = time.monotonic() - begun
        while due and due[0][0] <= now:
            number = due.pop(0)[1]
            programs.start(number, commands[number])
        if awaited and awaited <= programs.codes.keys():
            return
        if programs.wait(min(TICK_S, due[0][0] - now) if due else TICK_S, door.fileno()):
            door.answer()


def _network(engine: _engine.Emulation, failed: list[BaseException]) -> None:
    # Before other programs, where that is allowed; what else is started does not inherit it.
    with contextlib.suppress(OSError):
        os.sched_setscheduler(0, os.SCHED_FIFO | os.SCHED_RESET_ON_FORK, os.sched_param(PRIORITY))
    try:
        engine.run()
    except _engine.EngineError as e:
        failed.append(e)


__all__ = ["KICK", "LINUX", "TAP", "Emulated", "Record", "Wish", "emulate"]
