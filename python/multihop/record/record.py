"""Records: what runs left behind, as Python objects with pandas and numpy access.

A `Record` is one run in the store; `Records` are the runs of one resolved scenario. Both read lazily and check
what they read against the manifest, so a truncated or altered record is an error and never evidence.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

from multihop.errors import InputError, RecordError
from multihop.files.ground import KEY
from multihop.files.manifest import MANIFEST, Manifest, address, opened
from multihop.notebook import Shown
from multihop.record.folder import PCAP, Folder, inside
from multihop.record.tables import RUN, SERIES
from multihop.scenario.places import by_name
from multihop.scenario.scenario import label
from multihop.text import plural, setting

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray


class Record:
    """One run: a folder with its manifest, resolved scenario, results and tables."""

    def __init__(self, path: Path, manifest: Manifest, data: dict[str, Any] | None = None) -> None:
        self.path = path
        """The folder."""
        self.manifest = manifest
        """Versions, seed, host, wall time, fingerprint, and the hash of every file."""
        if data is not None:
            self.__dict__["data"] = data  # fills the cached property: it has just been computed

    def moved(self, path: Path) -> Record:
        """The same record in another folder."""
        return Record(path, self.manifest, self.__dict__.get("data"))

    def __repr__(self) -> str:
        return f"<Record {self.key[:12]} {label(self.techniques)}: run {self.run}, seed {self.seed}>"

    def lean(self) -> Record:
        """The same record, which holds nothing of its content: it reads again what it is asked for."""
        return Record(self.path, self.manifest)

    @classmethod
    def read(cls, path: Path) -> Record:
        """Opens the record in a folder; raises RecordError if there is none that can be read, or if it is another's."""
        if not path.is_dir():
            raise RecordError(f"there is no record {path}: run the scenario again")
        manifest = opened(path / MANIFEST, Manifest)
        key = address(manifest.scenario.hash, manifest.techniques, manifest.build, manifest.run)
        if manifest.key != key or (KEY.fullmatch(path.stem) and path.stem != key):
            raise RecordError(
                f"the record {path} is not what its address says: it holds the run {key}; run the scenario again"
            )
        if not inside(manifest):
            raise RecordError(f"the record {path} names files outside its folder: run the scenario again")
        return cls(path, manifest)

    @property
    def key(self) -> str:
        """Its address: hash of resolved scenario, techniques, engine build and run number."""
        return self.manifest.key

    @property
    def run(self) -> int:
        """Run number, from 1."""
        return self.manifest.run

    @property
    def seed(self) -> int:
        """Base seed; the run's streams are keyed by (seed, run)."""
        return self.manifest.seed

    @property
    def build(self) -> str:
        """Hash of the engine that ran it."""
        return self.manifest.build

    @property
    def techniques(self) -> list[str]:
        """The techniques as they were written, parameters included."""
        return list(self.manifest.techniques)

    @property
    def pcap(self) -> Path | None:
        """Folder of the packet captures, if the run wrote any."""
        captured = any(name.startswith(f"{PCAP}/") for name in self.manifest.files)
        return self.path / PCAP if captured else None

    @property
    def captured(self) -> float:
        """Bytes up to which the run is captured: 0 without captures, infinite if they are whole."""
        if self.pcap is None:
            return 0.0
        capture = self.data.get("capture") or {}
        return float(capture["limit"]) if capture.get("stopped_s") is not None else float("inf")

    @cached_property
    def data(self) -> dict[str, Any]:
        """The run as in `runs[]` of the public document."""
        return self._folder.json(RUN)

    @cached_property
    def scenario(self) -> dict[str, Any]:
        """The resolved scenario: every value and where it came from."""
        return self._folder.json("scenario.json")

    @property
    def resolved_text(self) -> str:
        """A scenario file (TOML) that says every value and resolves to the same run."""
        return self._folder.bytes("scenario.toml").decode()

    @cached_property
    def flows(self) -> pd.DataFrame:
        """One row per flow."""
        return self._folder.table("flows")

    @cached_property
    def windows(self) -> pd.DataFrame:
        """One row per flow and measuring window."""
        return self._folder.table("windows")

    @cached_property
    def losses(self) -> pd.DataFrame:
        """One row per flow, what TCP believed and what had happened; `n` counts the loss events."""
        return self._folder.table("losses")

    @cached_property
    def ledger(self) -> pd.DataFrame:
        """One row per flow (null: the whole network), kind of entry and cause."""
        return self._folder.table("ledger")

    @cached_property
    def nodes(self) -> pd.DataFrame:
        """One row per node: frames by type, failures, airtime."""
        return self._folder.table("nodes")

    @property
    def series_names(self) -> list[str]:
        """The series that the run kept."""
        files = sorted(self.manifest.files)
        return [f.removeprefix(SERIES).removesuffix(".parquet") for f in files if f.startswith(SERIES)]

    def series(self, name: str) -> pd.DataFrame:
        """A series over time: `goodput`, `tcp`, `path`, `queue`, `drops`, `mpdus`, `losses`,
        `routes`.

        Raises InputError if it was not kept.
        """
        if name not in self.series_names:
            kept = ", ".join(self.series_names) or "none; `measure.sample` sets how often one is taken"
            raise InputError(f"the record {self.key[:12]} has no series `{name}`; it has: {kept}")
        return self._folder.table(SERIES + name)

    def check(self, *, captures: bool = True) -> None:
        """Reads every file, perhaps not captures, and compares it with the manifest; raises RecordError."""
        self._folder.check(captures=captures)

    @property
    def _folder(self) -> Folder:
        return Folder(self.path, self.manifest)


class Records(Shown, Sequence[Record]):
    """The runs of one resolved scenario, in the order of their numbers."""

    def __init__(
        self, runs: Iterable[Record], *, name: str, techniques: Sequence[str], stored: Iterable[str] = ()
    ) -> None:
        self._runs = tuple(sorted(runs, key=lambda r: r.run))
        self.name = name
        """The scenario as the user named it."""
        self.techniques = list(techniques)
        """The techniques laid over it."""
        self.stored = frozenset(stored)
        """Keys of the runs that were in the store already."""

    @property
    def store_hits(self) -> int:
        """How many of the runs were in the store already."""
        return len(self.stored)

    @property
    def id(self) -> str:
        """Address of this set of runs: hash of their keys."""
        return set_id(r.key for r in self._runs)

    @property
    def label(self) -> str:
        """The techniques in short: `drr+sack`, or `none`."""
        return label(self.techniques)

    @property
    def scenario(self) -> dict[str, Any]:
        """The resolved scenario."""
        if not self._runs:
            raise RecordError(f"no run of {self.name} has finished")
        return self._runs[0].scenario

    @property
    def settings(self) -> list[str]:
        """What `--set` has changed in the scenario, like `tcp.max-window=8`; the seed is not among it."""
        values = self.scenario["values"].items()
        flows = [str(flow["id"]) for flow in self.scenario["flows"]]
        said = {by_name(key, flows): v["value"] for key, v in values if v["from"] == "--set" and key != "run.seed"}
        return [f"{key}={setting(value)}" for key, value in said.items()]

    @property
    def runs(self) -> list[dict[str, Any]]:
        """The runs as in the public document."""
        return [r.data for r in self._runs]

    @property
    def flows(self) -> pd.DataFrame:
        """One row per run and flow."""
        return self._stack(lambda r: r.flows)

    @property
    def windows(self) -> pd.DataFrame:
        """One row per run, flow and measuring window."""
        return self._stack(lambda r: r.windows)

    @property
    def losses(self) -> pd.DataFrame:
        """One row per run, flow, what TCP believed and what had happened."""
        return self._stack(lambda r: r.losses)

    @property
    def ledger(self) -> pd.DataFrame:
        """One row per run, flow (null: the whole network), kind of entry and cause."""
        return self._stack(lambda r: r.ledger)

    @property
    def nodes(self) -> pd.DataFrame:
        """One row per run and node."""
        return self._stack(lambda r: r.nodes)

    def series(self, name: str) -> pd.DataFrame:
        """A series over time of all runs: `goodput`, `tcp`, `queue`, `drops`, `losses`."""
        return self._stack(lambda r: r.series(name))

    def table(self, name: str) -> pd.DataFrame:
        """A tidy table with the keys technique, run, flow, node first: `summary`, `flows`, `windows`, `losses`,
        `ledger`, `nodes`, `drops`, `interference`, `links`, `modes`, `node_radios`, or a series; raises InputError."""
        from multihop.record.frames import of_records

        return of_records(name, [self])

    def sql(self, query: str) -> pd.DataFrame:
        """The answer to a query over the tables of these records, by DuckDB: `runs`, `flows`, `ledger` and the others.

        Raises InputError for a query that DuckDB does not take.
        """
        from .sql import ask

        return ask(query, [record.path for record in self])

    def values(self, figure: str, flow: str | int | None = None, window: str | None = None) -> NDArray[np.float64]:
        """One number a run: a figure of one flow (its name or number), or over all; NaN where a run has none.

        `figure` is a name of `multihop.measures.figures.everywhere()`, like `goodput_bps`; `window` names one.
        """
        import numpy as np

        from multihop.measures.summary import value

        name = None if flow is None else str(flow)
        return np.array([value(run, figure, name, window) for run in self.runs], dtype=float)

    def summary(self) -> dict[str, Any]:
        """Mean and 95 % interval of each figure: over all flows, per flow and per window, nested as in JSON.

        `table("summary")` has the same as a DataFrame.
        """
        from multihop.measures.summary import summarise

        return summarise(self.runs)

    def document(self) -> dict[str, Any]:
        """The public JSON document of these runs (schema 1)."""
        from multihop.record.document import run_document

        return run_document(self)

    @overload
    def __getitem__(self, index: int) -> Record: ...
    @overload
    def __getitem__(self, index: slice) -> Records: ...
    def __getitem__(self, index: int | slice) -> Record | Records:
        if isinstance(index, slice):
            return Records(self._runs[index], name=self.name, techniques=self.techniques)
        try:
            return self._runs[index]
        except IndexError:
            last = len(self._runs) - 1
            raise IndexError(
                f"there is no run at {index}: {plural(last + 1, 'run')}, counted from 0"
                + (f" to {last}; run {self._runs[last].run} is at {last}" if last >= 0 else "")
            ) from None

    def __len__(self) -> int:
        return len(self._runs)

    def __iter__(self) -> Iterator[Record]:
        return iter(self._runs)

    def __repr__(self) -> str:
        return f"<Records {self.id[:12]} {self.name} {self.label}: {plural(len(self), 'run')}>"

    def _stack(self, table: Callable[[Record], pd.DataFrame]) -> pd.DataFrame:
        import pandas as pd

        frames = [table(r).assign(run=r.run) for r in self._runs]
        if not frames:
            raise RecordError(f"no run of {self.name} has finished")
        for column in frames[0].columns:  # runs may have met different causes: give all the same categories
            if isinstance(frames[0][column].dtype, pd.CategoricalDtype):
                # of a table without rows, the categories have not even a type
                met = dict.fromkeys(name for f in frames for name in f[column].cat.categories)
                categories = pd.Index([*met], dtype=str)
                frames = [f.assign(**{column: f[column].cat.set_categories(categories)}) for f in frames]
        stacked = pd.concat(frames, ignore_index=True)
        return stacked[["run", *(c for c in stacked.columns if c != "run")]]


def different(records: Iterable[Records]) -> tuple[int, int]:
    """How many different runs there are, and how many of them the store had already: sets may share runs."""
    sets = list(records)
    return len({run.key for some in sets for run in some}), len({key for some in sets for key in some.stored})


def set_id(keys: Iterable[str]) -> str:
    """Address of a set of runs."""
    return hashlib.sha256("\n".join(keys).encode()).hexdigest()[:32]
