"""The store: a folder of content-addressed records that is never left half-written.

```
.multihop/                    under the working folder, or $MULTIHOP_HOME, or --out
  MULTIHOP-STORE              the mark of a store: see `ground`
  records/<key>/              one run; key = hash(resolved scenario, techniques, engine build, run number)
  sets/<id>.json              which runs belong together, by which name
  latest.json                 the sets of the last command
  tmp/                        what processes under way are writing; renamed into place when complete
  aside/                      what multihop did not write and found in its way
```

A record is written to `tmp`, every file synced, then renamed: whatever happens meanwhile, there is either the
whole record or none. See `archive` for what happens where one lies already.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import os
import platform
import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from multihop import _engine, disk, ground
from multihop.archive import Archive
from multihop.errors import RecordError, StoreError, reason
from multihop.home import HOME, store_folder
from multihop.manifest import (
    FORMAT,
    LATEST,
    MANIFEST,
    File,
    Host,
    Latest,
    Manifest,
    Scenario,
    Sealed,
    Set,
    address,
    opened,
    sealed,
)
from multihop.record import PCAP, Record, Records, set_id

if TYPE_CHECKING:
    import pyarrow as pa

SHORTEST = 4
"""Shortest prefix of a key that is taken for one."""


@dataclass(frozen=True, slots=True)
class Identity:
    """What makes a run the run that it is."""

    scenario: str
    """Hash of the resolved scenario (the seed is part of it)."""
    techniques: tuple[str, ...]
    """Techniques as written: two overlays that set the same values are still counted apart."""
    run: int
    """Run number, from 1."""
    build: str = _engine.BUILD
    """Hash of the compiled engine."""

    @property
    def key(self) -> str:
        """The record's address."""
        return address(self.scenario, self.techniques, self.build, self.run)


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
                raise StoreError(_unwritable(self.root, e)) from None
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
            raise RecordError(
                f"there is no record `{prefix}` in {self.root}: give an id that `multihop run` printed "
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
        files = [f for f in (self.root / ground.SETS).glob("*.json") if ground.KEY.fullmatch(f.stem)]
        with contextlib.suppress(FileNotFoundError):  # another process may remove some meanwhile
            files.sort(key=lambda f: f.lstat().st_mtime, reverse=True)
        return [f.stem for f in files]

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
        """The sets of runs in it, the newest first: id, scenario, techniques, number of runs, when they were made."""
        found = []
        for identity in self.ids():
            file = self.file(identity)
            told = opened(file, Set)
            made = datetime.fromtimestamp(file.lstat().st_mtime, UTC).strftime("%Y-%m-%d %H:%M UTC")
            entry = {"name": identity, "summary": told.scenario, "source": None, "made": made}
            found.append({**entry, "techniques": list(told.techniques), "runs": len(told.runs)})
        return found


class Writer:
    """A store that is being written to; one per command, from `Store.writing`."""

    def __init__(self, root: Path, drafts: Path) -> None:
        self._root, self._drafts = root, drafts
        self._archive = Archive(root)

    def stage(self, key: str) -> Path:
        """Makes a fresh folder in which a record is built; raises StoreError."""
        folder = self._drafts / key
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as e:
            raise StoreError(_unwritable(self._root, e)) from None
        return folder

    def put(
        self,
        identity: Identity,
        resolved: _engine.Resolved,
        name: str,
        data: dict[str, Any],
        tables: Mapping[str, pa.Table],
    ) -> Record:
        """Writes a run's record into the folder that `stage` makes and moves it into place.

        Raises StoreError, or RunError if another record of the same run contradicts it.
        """
        files = {
            "scenario.toml": resolved.toml().encode(),
            "scenario.json": resolved.json().encode(),
            "run.json": json.dumps(data, allow_nan=False).encode(),
            **{f"{table}.parquet": _parquet(content) for table, content in tables.items()},
        }
        staged = self.stage(identity.key)
        try:
            captures = _captures(staged)
            manifest = _manifest(identity, name, data, {**{n: _sized(c) for n, c in files.items()}, **captures})
            for file, content in {**files, MANIFEST: sealed(manifest)}.items():
                (staged / file).write_bytes(content)
            for file in (
                *files,
                *captures,
                MANIFEST,
            ):  # after all are written: the first sync takes most others with it
                disk.sync(staged / file)
            for folder in (staged / PCAP, staged) if captures else (staged,):
                disk.sync(folder)
            return self._archive.place(Record(staged, manifest, data))
        except OSError as e:
            raise StoreError(_unwritable(self._root, e)) from None
        finally:
            shutil.rmtree(staged, ignore_errors=True)  # unless it has been moved

    def mark(self) -> None:
        """Marks the folder as a store; raises OSError."""
        if not ground.marked(self._root):
            self._replace(self._root / ground.MARK, ground.TEXT)

    def register(self, sets: Sequence[Records]) -> None:
        """Makes these sets of runs known by their ids, and the latest; raises StoreError."""
        try:
            for records in sets:
                runs = tuple(r.key for r in records)
                entry = Set(format=FORMAT, scenario=records.name, techniques=tuple(records.techniques), runs=runs)
                self._replace(self._root / ground.SETS / f"{records.id}.json", entry)
            self._replace(self._root / LATEST, Latest(format=FORMAT, sets=tuple(r.id for r in sets)))
        except OSError as e:
            raise StoreError(_unwritable(self._root, e)) from None

    def copy(self, record: Record) -> Record:
        """Copies a record of another store, whole; raises StoreError."""
        staged = self.stage(record.key)
        try:
            for name in (*record.manifest.files, MANIFEST):
                (staged / name).parent.mkdir(exist_ok=True)
                shutil.copyfile(record.path / name, staged / name)
            copied = record.moved(staged)
            copied.check()
            return self._archive.place(copied)
        except OSError as e:
            raise StoreError(_unwritable(self._root, e)) from None

    def forget(self, ids: Sequence[str], runs: Sequence[str]) -> None:
        """Takes sets of runs out of the store, then these runs: killed meanwhile, it leaves runs without a set."""
        latest = self._root / LATEST
        try:
            last = [i for i in opened(latest, Latest).sets if i not in ids]
        except RecordError:
            last = []
        left = [i for i in Store(self._root).ids() if i not in ids]
        if left:
            self._replace(latest, Latest(format=FORMAT, sets=tuple(last or left[:1])))
        else:
            self._remove(latest, Latest)
        for identity in ids:
            self._remove(self._root / ground.SETS / f"{identity}.json", Set)
        for key in runs:
            self._archive.remove(key)

    def _replace(self, file: Path, content: Sealed | bytes) -> None:
        new = self._drafts / file.name
        new.write_bytes(sealed(content) if isinstance(content, Sealed) else content)
        disk.sync(new)
        if not isinstance(content, Sealed) or not ground.wrote(file, type(content)):
            self._aside(file)
        new.replace(file)
        disk.sync(file.parent)

    def _remove(self, file: Path, kind: type[Sealed]) -> None:
        if ground.wrote(file, kind):
            file.unlink(missing_ok=True)
        else:
            self._aside(file)

    def _aside(self, file: Path) -> None:
        if os.path.lexists(file):
            with contextlib.suppress(FileNotFoundError):  # another process was first
                ground.move_aside(self._root, file)


def _captures(staged: Path) -> dict[str, File]:
    """Sizes and hashes of the captures that the engine has written, by path inside the record."""
    folder = staged / PCAP
    if not folder.is_dir():
        return {}
    return {f"{PCAP}/{file.name}": File(*disk.digest(file)) for file in sorted(folder.iterdir())}


def _sized(content: bytes) -> File:
    return File(len(content), hashlib.sha256(content).hexdigest())


def _manifest(identity: Identity, name: str, data: Mapping[str, Any], files: Mapping[str, File]) -> Manifest:
    return Manifest(
        format=FORMAT,
        key=identity.key,
        scenario=Scenario(name, identity.scenario),
        techniques=identity.techniques,
        run=identity.run,
        seed=data["seed"],
        fingerprint=data["fingerprint"],
        events=data["events"],
        frames=data["frames"],
        wall_s=float(data["wall_s"]),
        build=identity.build,
        version=_engine.VERSION,
        python=platform.python_version(),
        host=Host(platform.node(), platform.machine(), platform.system()),
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        files=dict(files),
    )


def _single(record: Record) -> Records:
    return Records([record], name=record.manifest.scenario.name, techniques=record.techniques, stored=[record.key])


def _parquet(table: pa.Table) -> bytes:
    import pyarrow.parquet as pq

    buffer = io.BytesIO()
    pq.write_table(table, buffer, compression="zstd")
    return buffer.getvalue()


def _unwritable(root: Path, e: OSError) -> str:
    return (
        f"the records cannot be written to {root}: {reason(e)}. Runs that were complete are kept, nothing half-written "
        f"is left; make room, or name another folder with --out or ${HOME}"
    )
