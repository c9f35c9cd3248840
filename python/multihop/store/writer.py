"""Writing to a store: records built aside, documents replaced whole, and only what multihop wrote removed."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import platform
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from multihop import _engine
from multihop.errors import RecordError, StoreError, reason
from multihop.files import disk, ground
from multihop.files.home import HOME
from multihop.files.manifest import (
    FORMAT,
    LATEST,
    MANIFEST,
    File,
    Host,
    KeptSweep,
    Latest,
    Manifest,
    Scenario,
    Sealed,
    Set,
    address,
    opened,
    sealed,
)
from multihop.record.folder import PCAP
from multihop.record.record import Record, Records
from multihop.store.archive import Archive

SCENARIOS = 64
"""Scenarios whose files a writer keeps at most."""


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


class Writer:
    """A store that is being written to; one per command, from `Store.writing`."""

    def __init__(self, root: Path, drafts: Path) -> None:
        self._root, self._drafts = root, drafts
        self._archive = Archive(root)
        self._scenarios: dict[_engine.Resolved, dict[str, bytes]] = {}

    def stage(self, key: str) -> Path:
        """Makes a fresh folder in which a record is built; raises StoreError."""
        folder = self._drafts / key
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as e:
            raise StoreError(unwritable(self._root, e)) from None
        return folder

    def put(
        self,
        identity: Identity,
        resolved: _engine.Resolved,
        name: str,
        data: dict[str, Any],
        results: Mapping[str, bytes],
    ) -> Record:
        """Writes a run's record into the folder that `stage` makes and moves it into place.

        `results` are the files that `multihop.record.tables.encoded` makes.

        Raises StoreError, or RunError if another record of the same run contradicts it.
        """
        files = {**self._scenario(resolved), **results}
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
            raise StoreError(unwritable(self._root, e)) from None
        finally:
            shutil.rmtree(staged, ignore_errors=True)  # unless it has been moved

    def _scenario(self, resolved: _engine.Resolved) -> dict[str, bytes]:
        """The files that say the scenario of a run; kept for the runs that follow, as writing them takes 3 ms."""
        found = self._scenarios.get(resolved)
        if found is None:
            if len(self._scenarios) >= SCENARIOS:
                self._scenarios.clear()
            found = {"scenario.toml": resolved.toml().encode(), "scenario.json": resolved.json().encode()}
            self._scenarios[resolved] = found
        return found

    def mark(self) -> None:
        """Marks the folder as a store; raises OSError."""
        if not ground.marked(self._root):
            self._replace(self._root / ground.MARK, ground.TEXT)

    def register(self, sets: Sequence[Records], command: str = "") -> None:
        """Makes these sets of runs known by their ids, and the latest, made by that command; raises StoreError."""
        try:
            for records in sets:
                runs = tuple(r.key for r in records)
                entry = Set(format=FORMAT, scenario=records.name, techniques=tuple(records.techniques), runs=runs)
                self._replace(self._root / ground.SETS / f"{records.id}.json", entry)
            made = datetime.now(UTC).isoformat(timespec="seconds")
            last = Latest(format=FORMAT, sets=tuple(r.id for r in sets), made=made, command=command)
            self._replace(self._root / LATEST, last)
        except OSError as e:
            raise StoreError(unwritable(self._root, e)) from None

    def sweep(self, identity: str, content: KeptSweep) -> None:
        """Keeps a sweep under its id; raises StoreError."""
        try:
            self._replace(self._root / ground.SWEEPS / f"{identity}.json", content)
        except OSError as e:
            raise StoreError(unwritable(self._root, e)) from None

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
            raise StoreError(unwritable(self._root, e)) from None

    def forget(self, ids: Sequence[str], runs: Sequence[str], sweeps: Sequence[str] = ()) -> None:
        """Takes sets of runs and sweeps out of the store, then these runs: killed meanwhile, it leaves runs alone."""
        latest = self._root / LATEST
        try:
            last = [i for i in opened(latest, Latest).sets if i not in ids]
        except RecordError:
            last = []
        left = [i for i in ground.ids(self._root, ground.SETS) if i not in ids]
        if left:
            self._replace(latest, Latest(format=FORMAT, sets=tuple(last or left[:1])))
        else:
            self._remove(latest, Latest)
        for identity in ids:
            self._remove(self._root / ground.SETS / f"{identity}.json", Set)
        for identity in sweeps:
            self._remove(self._root / ground.SWEEPS / f"{identity}.json", KeptSweep)
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


def unwritable(root: Path, e: OSError) -> str:
    """Why records cannot be written, and what to do."""
    full = e.errno in (errno.ENOSPC, errno.EDQUOT)
    why = "no folder can be made there" if e.errno == errno.ENOENT else reason(e)
    return (
        f"the records cannot be written to {root}: {why}. Runs that were complete are kept, nothing half-written "
        f"is left; {'make room, or ' if full else ''}name another folder with --out or ${HOME}"
    )
