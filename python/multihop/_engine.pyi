"""The compiled engine: resolve scenarios, run them. See `crates/py`."""

from typing import Literal, final

import numpy as np
from numpy.typing import NDArray

BUILD: str
"""Hash of the engine's sources, tool chain and profile: records of other builds are never reused."""
PROFILE: str
"""The profile that the engine was built with: `dist` in wheels, `release` for daily work."""
VERSION: str
"""Version of the package."""
PACKET_KINDS: list[str]
"""What a dropped packet was, by the number in the series `drops`."""
EVENT_KINDS: list[str]
"""Kinds of the events of TCP senders, by the number in the series `events`."""
MPDU_CAUSES: list[str]
"""What MPDUs die of, by the number in the series `mpdus`."""
CATEGORIES: list[str]
"""Access categories, by the number in the series `mpdus`."""

class ScenarioError(ValueError):
    """A scenario or an overlay that cannot be used."""

    file: str | None
    line: int | None
    column: int | None
    key: str | None

class EngineError(RuntimeError):
    """A run that had to be given up."""

@final
class Resolved:
    """A scenario with every value settled."""

    @property
    def hash(self) -> str:
        """Hash of all values, in hexadecimal."""

    def json(self) -> str:
        """All values and where each came from, nodes, flows, windows."""

    def ready(self) -> None:
        """Raises ScenarioError if a run would show nothing, or take more than `MULTIHOP_MEMORY` (2 GB) allows."""

    def needs(self) -> tuple[int, int, int]:
        """Bytes of memory that one run takes, bytes of its series, and bytes that its captures take at most."""

    def hearing(self, run: int) -> str:
        """As a run begins: where the nodes are, who hears whom, the connected parts, the way of each flow; as JSON."""

    def toml(self) -> str:
        """A scenario file that resolves to the same values."""

@final
class Run:
    """One finished run."""

    @property
    def json(self) -> str:
        """The results, as an element of `runs[]` of the public document."""

    @property
    def series(self) -> dict[str, dict[str, NDArray[np.generic]]]:
        """Columns of each series by name."""

@final
class Batch:
    """Runs under way on the engine's threads."""

    @property
    def finished(self) -> bool:
        """Whether nothing is left to run or to take, and no more will be added."""

    @property
    def wanted(self) -> int:
        """How many more runs may be added so that the threads stay busy."""

    def add(self, resolved: Resolved, run: int, capture: str | None, limit: int = ...) -> int:
        """Adds a run (scenario, run number from 1, folder for packet captures or None, bytes that they may take).

        Returns its index.
        """

    def close(self) -> None:
        """Nothing more will be added."""

    def wait(self, seconds: float) -> None:
        """Waits until a run has finished or all have, at most so long [s]; the interpreter is free meanwhile."""

    def take(self) -> list[tuple[int, Run]]:
        """Index and result of each run that finished since the last call. No run begins while too many wait here."""

    def progress(self) -> list[tuple[int, float]]:
        """Index of each run under way, and the fraction of its simulated time that it has behind it."""

    def cancel(self) -> None:
        """Ends all runs that have not finished; those that have can still be taken."""

def resolve(text: str, name: str, techniques: list[tuple[str, str | None]], sets: list[str]) -> Resolved:
    """Lays profile, scenario, overlays and settings over each other.

    `techniques` are pairs of what the user wrote (`small-window:8`) and the overlay's text, None for a shipped one;
    `sets` are `path=value`. Raises ScenarioError.
    """

def start(jobs: list[tuple[Resolved, int, str | None]], threads: int, more: bool = False) -> Batch:
    """Starts runs, as for `Batch.add`; with `more`, further ones may be added until `close`."""

def shipped(kind: Literal["techniques", "scenarios", "profiles", "studies", "sweeps"]) -> dict[str, str]:
    """The files of one kind that come with the package: name and text."""

def places(text: str, file: str) -> list[tuple[str, int]]:
    """The dotted path of every value of a TOML document and the line of its key; raises ScenarioError."""

def guess(word: str) -> tuple[list[str], str]:
    """The keys that a word from elsewhere may mean, like `bandwidth`, and what to know if there is no such thing."""

def check_depth(text: str, file: str) -> None:
    """Raises ScenarioError if a TOML document is nested too deep; what is no TOML is not refused."""

def schema() -> str:
    """JSON Schema of the scenario file."""

def causes() -> str:
    """The causes of drops, their classes and fates as a JSON object, see `multihop.causes`."""

def phases() -> str:
    """The phases of each window rule that has some as a JSON list, see `multihop.analysis.phases`."""

def units() -> dict[str, dict[str, float]]:
    """Units by kind of quantity, each with its worth in the unit that counts 1: `units()["time"]["ms"]` is 0.001."""

def figures() -> str:
    """The figures of runs as a JSON list, see `multihop.measures.figures`."""

def emulated(resolved: Resolved, seconds: float | None, pairs: list[tuple[str, str]], tap: bool = False) -> Resolved:
    """The scenario as it is emulated, for so long [s], with a flow for each pair of nodes; raises EngineError.

    With `tap` the kernels of the nodes route, and what is about the simulator's routing is refused.

    Only on Linux, as all that follows.
    """

@final
class Emulation:
    """The network of a scenario that `emulated` has made, by the clock, with a network namespace for each node."""

    def __new__(
        cls,
        scenario: Resolved,
        run: int,
        bound: float,
        capture: tuple[str, int] | None,
        kick: float | None = None,
        tap: bool = False,
    ) -> Emulation:
        """Makes the namespaces. The run is valid if 99 of 100 events are not later than `bound` [s].

        `capture` is a folder for packet captures and the bytes that they may take. `kick` is the time between probes of
        the ways of connections that back off [s]. With `tap` nodes have TAP devices, and their kernels route. Raises
        EngineError.
        """

    @property
    def nodes(self) -> list[tuple[str, int, str]]:
        """Name of each node, file descriptor of its network namespace, IPv4 address."""

    @property
    def reached_s(self) -> float:
        """How far it is [s]."""

    def run(self) -> None:
        """Lets it run until its end or until it is stopped; raises EngineError."""

    def stop(self) -> None:
        """Has `run` come back soon."""

    def finish(self) -> Run:
        """Ends it, removes the namespaces and returns the results; raises EngineError."""

@final
class Deployed:
    """The layer of ATCP below the connections of this host; only on the thread that has made it."""

    def __new__(cls, scenario: Resolved, mark: int) -> Deployed:
        """Makes its TUN device and sockets, in the namespace of this thread. What it sends has the mark.

        Raises EngineError.
        """

    @property
    def device(self) -> int:
        """Number of the TUN device."""

    def work(self, seconds: float) -> None:
        """Works for that long; raises EngineError."""

    def counts(self) -> dict[str, int]:
        """What it has counted, by the names of figures."""

    def finish(self) -> int:
        """Takes it away; connections whose segments only it has are reset, and counted here."""

def enter(path: str) -> None:
    """Puts the calling thread into the network namespace at this path; raises OSError."""

def isolate(seen: bool) -> None:
    """Has the next child be the first process of a process space of its own; with `seen`, gives it its own /proc."""
