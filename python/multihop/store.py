"""The store: a folder of content-addressed records that is never left half-written.

```
.multihop/                    under the working folder, or $MULTIHOP_HOME, or --out
  records/<key>/              one run; key = hash(resolved scenario, techniques, engine build, run number)
  sets/<id>.json              which runs belong together, by which name
  latest.json                 the sets of the last command
  tmp/                        records being written; renamed into place when complete
```

A record is written to `tmp`, every file synced, then renamed: whatever happens meanwhile, there is either the
whole record or none.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import io
import json
import os
import platform
import shutil
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from multihop import _engine
from multihop.errors import RecordError, StoreError, reason
from multihop.record import FORMAT, MANIFEST, PCAP, Record, Records

if TYPE_CHECKING:
    import pyarrow as pa

HOME = "MULTIHOP_HOME"
"""Environment variable that names the store's folder."""
STALE_S = 24 * 3600.0
"""Age after which what a killed process left in `tmp` is removed [s]."""
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
        parts = [FORMAT, self.scenario, list(self.techniques), self.build, self.run]
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:32]


class Store:
    """Records under one folder."""

    def __init__(self, root: Path) -> None:
        self.root = root
        """The folder."""

    @classmethod
    def open(cls, root: Path | None = None) -> Store:
        """The store in `root`, else in $MULTIHOP_HOME, else in `.multihop` under the working folder."""
        return cls(root or Path(os.environ.get(HOME) or ".multihop"))

    def get(self, identity: Identity, *, pcap: bool = False) -> Record | None:
        """The record of a run if it is there, whole, and has a capture if one is asked for; else None."""
        path = self._record_path(identity.key)
        if not path.is_dir():
            return None
        try:
            record = Record.read(path)
            record.check()
        except RecordError:
            return None  # it will be run again and replaced
        return record if not pcap or record.pcap else None

    def prepare(self) -> None:
        """Makes the folders and sweeps `tmp`, so that a store that cannot be written is known before anything runs.

        Raises StoreError.
        """
        try:
            for folder in ("records", "sets", "tmp"):
                (self.root / folder).mkdir(parents=True, exist_ok=True)
            self._sweep()
        except OSError as e:
            raise StoreError(_unwritable(self.root, e)) from None

    def stage(self, key: str) -> Path:
        """Makes a fresh folder in which a record is built; raises StoreError."""
        folder = self.root / "tmp" / f"{key}.{os.getpid()}"
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as e:
            raise StoreError(_unwritable(self.root, e)) from None
        return folder

    def put(
        self,
        staged: Path,
        identity: Identity,
        resolved: _engine.Resolved,
        name: str,
        data: dict[str, Any],
        tables: Mapping[str, pa.Table],
    ) -> Record:
        """Writes a run's record into the folder that `stage` made and moves it into place; raises StoreError."""
        files = {
            "scenario.toml": resolved.toml().encode(),
            "scenario.json": resolved.json().encode(),
            "run.json": json.dumps(data, allow_nan=False).encode(),
            **{f"{table}.parquet": _parquet(content) for table, content in tables.items()},
        }
        manifest = _manifest(identity, name, data, files)
        captures = staged / PCAP
        if captures.is_dir():
            manifest["pcap"] = {p.name: p.stat().st_size for p in sorted(captures.iterdir())}
        files[MANIFEST] = (json.dumps(manifest, indent=1) + "\n").encode()
        try:
            for file, content in files.items():
                (staged / file).write_bytes(content)
            for file in files:  # after all are written: the first sync takes most of the others with it
                _sync(staged / file)
            _sync(staged)
            self._move(staged, self._record_path(identity.key))
        except OSError as e:
            raise StoreError(_unwritable(self.root, e)) from None
        finally:
            shutil.rmtree(staged, ignore_errors=True)
        return Record(self._record_path(identity.key), manifest, data)

    def register(self, sets: Sequence[Records]) -> None:
        """Makes these sets of runs known by their ids, and the latest; raises StoreError."""
        try:
            for records in sets:
                entry = {
                    "format": FORMAT,
                    "scenario": records.name,
                    "techniques": records.techniques,
                    "runs": [r.key for r in records],
                }
                self._replace(self.root / "sets" / f"{records.id}.json", entry)
            self._replace(self.root / "latest.json", {"format": FORMAT, "sets": [r.id for r in sets]})
        except OSError as e:
            raise StoreError(_unwritable(self.root, e)) from None

    def find(self, reference: str | None = None) -> list[Records]:
        """The records that a user means; raises RecordError if there are none, or if any file of them is damaged.

        `reference` is the id of a set or the key of a run (four characters are enough if they are unambiguous),
        a record's folder, or a folder made with `--out`. None means the latest: one set per technique list of a
        comparison, the baseline first.
        """
        found = self._find(reference)
        for records in found:
            for record in records:
                record.check()
        return found

    def _find(self, reference: str | None) -> list[Records]:
        if reference is None:
            return self._latest()
        path = Path(reference)
        if (path / MANIFEST).exists():
            return [_single(Record.read(path))]
        if (path / "latest.json").exists():
            return Store(path)._latest()
        if path.is_dir():
            raise RecordError(f"{reference} is a folder without a record: it has neither {MANIFEST} nor latest.json")
        return [self._by_prefix(reference)]

    def one(self, reference: str | None = None) -> Records:
        """The first of what `find` finds: of a comparison, its baseline."""
        return self.find(reference)[0]

    def _latest(self) -> list[Records]:
        file = self.root / "latest.json"
        if not file.exists():
            raise RecordError(f"there is no record in {self.root} yet: `multihop run SCENARIO` makes one")
        ids = _load(file, "sets")
        return [self._set(self.root / "sets" / f"{i}.json") for i in ids]

    def _by_prefix(self, prefix: str) -> Records:
        sets = sorted((self.root / "sets").glob(f"{_literal(prefix)}*.json"))
        runs = sorted((self.root / "records").glob(f"{_literal(prefix)}*"))
        if len(prefix) < SHORTEST or not (sets or runs):
            raise RecordError(
                f"there is no record `{prefix}` in {self.root}: give an id that `multihop run` printed "
                f"(at least {SHORTEST} characters of it), a record's folder, or nothing for the latest"
            )
        if len(sets) + len(runs) > 1:
            raise RecordError(f"`{prefix}` is the beginning of {len(sets) + len(runs)} records: write more of it")
        return self._set(sets[0]) if sets else _single(Record.read(runs[0]))

    def _set(self, file: Path) -> Records:
        keys, name, techniques = (_load(file, field) for field in ("runs", "scenario", "techniques"))
        runs = [Record.read(self._record_path(key)) for key in keys]
        return Records(runs, name=name, techniques=techniques, stored=len(runs))

    def ids(self) -> list[str]:
        """Ids of all sets, the newest first."""
        files = sorted((self.root / "sets").glob("*.json"), key=lambda p: p.stat().st_mtime, reverse=True)
        return [f.stem for f in files]

    def _record_path(self, key: str) -> Path:
        return self.root / "records" / key

    def _move(self, staged: Path, final: Path) -> None:
        final.parent.mkdir(parents=True, exist_ok=True)
        old = staged.with_name(staged.name + ".old")
        try:
            if final.exists():
                final.replace(old)
            staged.replace(final)
        except OSError as e:
            # another process has put the same run there meanwhile: one is as good as the other
            if e.errno not in (errno.ENOTEMPTY, errno.EEXIST):
                raise
        _sync(final.parent)
        shutil.rmtree(old, ignore_errors=True)

    def _replace(self, file: Path, content: Mapping[str, Any]) -> None:
        file.parent.mkdir(parents=True, exist_ok=True)
        new = file.with_name(f".{file.name}.{os.getpid()}")
        try:
            new.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
            _sync(new)
            new.replace(file)
        finally:
            new.unlink(missing_ok=True)

    def _sweep(self) -> None:
        """Removes what a killed process left behind long ago."""
        with contextlib.suppress(OSError):
            for left in (self.root / "tmp").iterdir():
                if time.time() - left.stat().st_mtime > STALE_S:
                    shutil.rmtree(left, ignore_errors=True)


def _manifest(identity: Identity, name: str, data: Mapping[str, Any], files: Mapping[str, bytes]) -> dict[str, Any]:
    return {
        "format": FORMAT,
        "key": identity.key,
        "scenario": {"name": name, "hash": identity.scenario},
        "techniques": list(identity.techniques),
        "run": identity.run,
        "seed": data["seed"],
        "fingerprint": data["fingerprint"],
        "events": data["events"],
        "frames": data["frames"],
        "wall_s": data["wall_s"],
        "build": identity.build,
        "version": _engine.VERSION,
        "python": platform.python_version(),
        "host": {"name": platform.node(), "machine": platform.machine(), "system": platform.system()},
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
        "files": {
            file: {"bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}
            for file, content in files.items()
        },
    }


def _single(record: Record) -> Records:
    return Records([record], name=record.manifest["scenario"]["name"], techniques=record.techniques, stored=1)


def _parquet(table: pa.Table) -> bytes:
    import pyarrow.parquet as pq

    buffer = io.BytesIO()
    pq.write_table(table, buffer, compression="zstd")
    return buffer.getvalue()


def _sync(path: Path) -> None:
    """Waits until a file's content, or a folder's entries, are on the disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _load(file: Path, field: str) -> Any:
    try:
        return json.loads(file.read_text(encoding="utf-8"))[field]
    except FileNotFoundError:
        raise RecordError(f"{file} is missing: run the scenario again") from None
    except (OSError, ValueError, KeyError, TypeError) as e:
        raise RecordError(f"{file} cannot be read ({' '.join(str(e).split())}): run the scenario again") from None


def _literal(prefix: str) -> str:
    """The prefix without what a pattern would treat as special; keys are hexadecimal, so nothing is lost."""
    return "".join(c if c.isalnum() else "[" + c + "]" for c in prefix if c not in "[]/")


def _unwritable(root: Path, e: OSError) -> str:
    return (
        f"the records cannot be written to {root}: {reason(e)}. Runs that were complete are kept, nothing half-written "
        f"is left; make room, or name another folder with --out or ${HOME}"
    )
