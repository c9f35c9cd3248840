"""The folder of a record: its files are read whole and held against the manifest; what was altered is an error."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from multihop.errors import RecordError
from multihop.files import disk
from multihop.files.manifest import File, Manifest
from multihop.record.tables import RENAMED

if TYPE_CHECKING:
    import pandas as pd

PCAP = "pcap"
"""Folder of the captures in a record."""


@dataclass(frozen=True, slots=True)
class Folder:
    """Where the files of a record are, and what they must be."""

    path: Path
    manifest: Manifest

    def check(self, *, captures: bool) -> None:
        """Reads every file, perhaps not captures, and compares it with the manifest; raises RecordError."""
        for name in self.manifest.files:
            if name.startswith(f"{PCAP}/") and not captures:
                continue
            try:
                self._fits(name, disk.size(self.path / name))
                size, found = disk.digest(self.path / name)
            except OSError as e:
                raise self._damaged(name, e) from None
            self._compare(name, size, found)

    def json(self, name: str) -> dict[str, Any]:
        """A JSON document."""
        content = self.bytes(name)
        try:
            found: dict[str, Any] = json.loads(content)
        except ValueError as e:
            raise self._damaged(name, e) from None
        return found

    def table(self, name: str) -> pd.DataFrame:
        """A table, with the names of its columns as they are now."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        content = self.bytes(f"{name}.parquet")
        try:
            # Arrow's threads may abort a process that ends (apache/arrow#34314). `pq.read_table` always starts some.
            table = pq.ParquetFile(pa.BufferReader(content), pre_buffer=False).read(use_threads=False)
            frame: pd.DataFrame = table.to_pandas(use_threads=False)
        except (pa.ArrowException, OSError) as e:
            raise self._damaged(f"{name}.parquet", e) from None
        return frame.rename(columns=RENAMED.get(name, {}))

    def bytes(self, name: str) -> bytes:
        """What a file holds."""
        try:
            expected = self._fits(name, disk.size(self.path / name))
            content = disk.content(self.path / name, expected.bytes + 1)
        except OSError as e:
            raise self._damaged(name, e) from None
        self._compare(name, len(content), hashlib.sha256(content).hexdigest())
        return content

    def _compare(self, name: str, size: int, found: str) -> None:
        if found != self._fits(name, size).sha256:
            raise self._damaged(name, "its content is not what was written")

    def _fits(self, name: str, size: int) -> File:
        """What the manifest says of a file of that size; raises RecordError if it says another size."""
        expected = self.manifest.files.get(name)
        if expected is None:
            raise self._damaged(name, "it is not in the manifest")
        if size != expected.bytes:
            raise self._damaged(name, f"{size} of {expected.bytes} bytes are there")
        return expected

    def _damaged(self, file: str, why: object) -> RecordError:
        if isinstance(why, FileNotFoundError):
            why = "it is missing"
        elif isinstance(why, OSError) and why.strerror:
            why = why.strerror
        reason = " ".join(str(why).split())
        return RecordError(
            f"the record {self.path} cannot be read: {file} is damaged ({reason}); run the scenario again to replace it"
        )


def inside(manifest: Manifest) -> bool:
    """Whether all names in a manifest are those of files in the record or of captures."""
    for name in manifest.files:
        *folder, file = name.split("/")
        if folder not in ([], [PCAP]) or file in ("", ".", "..") or "\0" in file:
            return False
    return True
