"""The store: a folder of content-addressed records that is never left half-written.

```
.multihop/                    under the working folder, or $MULTIHOP_HOME, or --out
  MULTIHOP-STORE              the mark of a store: see `ground`
  records/<key>/              one run; key = hash(resolved scenario, techniques, engine build, run number)
  sets/<id>.json              which runs belong together, by which name
  sweeps/<id>.json            which points a sweep has, and which runs belong to each
  latest.json                 the sets of the last command
  tmp/                        what processes under way are writing; renamed into place when complete
  aside/                      what multihop did not write and found in its way
```

A record is written to `tmp`, every file synced, then renamed: whatever happens meanwhile, there is either the
whole record or none. See `archive` for what happens where one lies already.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from multihop import _engine
from multihop.errors import RecordError, StoreError
from multihop.files import disk, ground
from multihop.files.home import store_folder
from multihop.files.manifest import (
    LATEST,
    MANIFEST,
    KeptSweep,
    Latest,
    Set,
    opened,
)
from multihop.record.record import Record, Records, set_id
from multihop.store.archive import Archive
from multihop.store.writer import Identity, Writer, unwritable

__all__ = ["Identity", "Store", "Writer"]

SHORTEST = 4
"""Shortest prefix of a key that is taken for one."""


class Store:
    """Records under one folder."""

    def __init__(self, root: Path) -> None:
        self.root = root
        """The folder."""
        self._archive = Archive(root)

    @classmethod
    def open(cls, root: str | Path | None = None) -> Store:
        """The store in `root`, else in $MULTIHOP_HOME, else in `.multihop` under the working folder."""
        return cls(Path(root) if root else store_folder())

    def get(self, identity: Identity, *, captured: float = 0) -> Record | None:
        """The record of a run if it is there, whole, and has a capture of as many bytes or of all; else None."""
        if not self._archive.holds(identity.key):
            return None
        try:
            record = self._archive.read(identity.key)
        except RecordError:
            return None  # it will be run again and replaced
        return record if record.captured >= captured else None

    def captured(self, identity: Identity) -> bool:
        """Whether what lies at the run's address has captures, whole or not: what replaces it has to have them too."""
        return self._archive.captured(identity.key)

    @contextlib.contextmanager
    def writing(self) -> Iterator[Writer]:
        """Opens the store for writing, so that one that cannot be written is known before anything runs.

        What killed processes have left half-written is removed. Raises StoreError, or InputError if the folder holds
        something else.
        """
        with contextlib.ExitStack() as held:
            try:
                ground.check(self.root)
                ground.prepare(self.root)
                disk.sweep(self.root / ground.TMP)
                drafts = held.enter_context(disk.Drafts(self.root / ground.TMP))
                writer = Writer(self.root, drafts.folder)
                writer.mark()
            except StoreError:
                raise
            except OSError as e:
                raise StoreError(unwritable(self.root, e)) from None
            yield writer

    def find(self, reference: str | None = None) -> list[Records]:
        """The records that a user means; raises RecordError if there are none, or if any file of them is damaged.

        `reference` is the id of a set or the key of a run (four characters are enough if they are unambiguous),
        a record's folder, or a folder made with `--out`. None means the latest: one set per technique list of a
        comparison, the baseline first.
        """
        if reference is None:
            return self._latest()
        if not reference.strip():
            raise RecordError(
                "the id of a record is empty: leave it out for the latest, or see `multihop list records`"
            )
        path = Path(reference)
        if (path / MANIFEST).exists():
            record = Record.read(path)
            record.check()
            return [_single(record)]
        if (path / LATEST).exists() or (path / ground.RECORDS).is_dir():
            return Store(path)._latest()
        if path.is_dir():
            raise RecordError(f"{reference} is a folder without a record: it has neither {MANIFEST} nor {LATEST}")
        return [self._by_prefix(reference)]

    def one(self, reference: str | None = None) -> Records:
        """The first of what `find` finds: of a comparison, its baseline."""
        return self.find(reference)[0]

    def latest(self) -> Latest | None:
        """What the last command made; None if there is nothing, or it cannot be read."""
        try:
            return opened(self.root / LATEST, Latest)
        except RecordError:
            return None

    def _latest(self) -> list[Records]:
        file = self.root / LATEST
        if file.exists():
            return [self._set(i) for i in opened(file, Latest).sets]
        return self._unregistered()

    def _unregistered(self) -> list[Records]:
        """What there is where no command came to its end: the runs of the scenario that was run last, by technique."""
        found = []
        for key in self._archive.beginning(""):
            with contextlib.suppress(RecordError):
                found.append(self._archive.read(key))
        if not found:
            raise RecordError(f"there is no record in {self.root} yet: `multihop run SCENARIO` makes one")
        found.sort(key=lambda record: record.manifest.created, reverse=True)
        name = found[0].manifest.scenario.name
        sets: dict[tuple[str, tuple[str, ...]], list[Record]] = {}
        for record in found:
            if record.manifest.scenario.name == name and record.build == found[0].build:
                sets.setdefault((record.manifest.scenario.hash, record.manifest.techniques), []).append(record)
        return [Records(runs, name=name, techniques=t, stored=(r.key for r in runs)) for (_, t), runs in sets.items()]

    def _by_prefix(self, prefix: str) -> Records:
        sets = [i for i in self.ids() if i.startswith(prefix)]
        runs = self._archive.beginning(prefix)
        if len(prefix) < SHORTEST or not (sets or runs):
            is_scenario = f"`{prefix}` is a scenario; " if prefix in _engine.shipped("scenarios") else ""
            raise RecordError(
                f"there is no record `{prefix}` in {self.root}: {is_scenario}give an id that `multihop run` printed "
                f"(at least {SHORTEST} characters of it), a record's folder, or nothing for the latest"
            )
        if len(sets) + len(runs) > 1:
            raise RecordError(f"`{prefix}` is the beginning of {len(sets) + len(runs)} records: write more of it")
        return self._set(sets[0]) if sets else _single(self._archive.read(runs[0]))

    def _set(self, identity: str) -> Records:
        file = self.file(identity)
        found = opened(file, Set)
        if set_id(found.runs) != identity:
            raise RecordError(f"{file} holds another set than its name says: run the command that made it again")
        runs = [self._archive.read(key) for key in found.runs]
        return Records(runs, name=found.scenario, techniques=found.techniques, stored=found.runs)

    def ids(self) -> list[str]:
        """Ids of all sets, the newest first."""
        return ground.ids(self.root, ground.SETS)

    def sweeps(self) -> list[str]:
        """Ids of all sweeps, the newest first."""
        return ground.ids(self.root, ground.SWEEPS)

    def sweep_file(self, identity: str) -> Path:
        """Where it stands which runs belong to a sweep."""
        return self.root / ground.SWEEPS / f"{identity}.json"

    def keys(self) -> list[str]:
        """Addresses of all runs, in order."""
        return self._archive.beginning("")

    def path(self, key: str) -> Path:
        """Where the run with that address lies or would lie."""
        return self._archive.path(key)

    def file(self, identity: str) -> Path:
        """Where it stands which runs belong to a set."""
        return self.root / ground.SETS / f"{identity}.json"

    def listed(self) -> list[dict[str, Any]]:
        """The sets of runs and the sweeps in it, the newest first: id, scenario, techniques, runs, when it was made."""
        found = []
        for identity in self.ids():
            told = opened(self.file(identity), Set)
            found.append(
                _entry(self.file(identity), told.scenario, told.techniques, len(told.runs)),
            )
        for identity in self.sweeps():
            swept = opened(self.sweep_file(identity), KeptSweep)
            name, arms = f"{swept.scenario} over {', '.join(swept.keys)}", {cell.techniques for cell in swept.cells}
            techniques = next(iter(arms)) if len(arms) == 1 else (f"{len(arms)} techniques",)
            runs = sum(len(cell.runs) for cell in swept.cells)
            found.append(_entry(self.sweep_file(identity), name, techniques, runs))
        return [entry for _, entry in sorted(found, key=lambda item: -item[0])]


def _entry(file: Path, summary: str, techniques: Sequence[str], runs: int) -> tuple[float, dict[str, Any]]:
    """When a set or a sweep was made, and what is listed of it."""
    when = file.lstat().st_mtime
    made = datetime.fromtimestamp(when, UTC).strftime("%Y-%m-%d %H:%M UTC")
    entry = {"name": file.stem, "summary": summary, "source": None, "made": made}
    return when, {**entry, "techniques": list(techniques), "runs": runs}


def _single(record: Record) -> Records:
    return Records([record], name=record.manifest.scenario.name, techniques=record.techniques, stored=[record.key])
