"""Which folder is a store, and how what lies in a store is told from what others have put there.

A store has a mark, the file `MULTIHOP-STORE`. A store of a version that wrote none is known by a document with
multihop's seal, or by holding nothing but what multihop names. Any other folder that is not empty is refused, so that
nothing in it can be taken for a part of a store.
"""

from __future__ import annotations

import contextlib
import os
import re
import uuid
from collections.abc import Iterator
from pathlib import Path

from multihop.errors import InputError, RecordError
from multihop.files import disk
from multihop.files.home import HOME
from multihop.files.manifest import LATEST, MANIFEST, Latest, Manifest, Sealed, Set, opened

MARK = "MULTIHOP-STORE"
"""The file that marks a store."""
SIGNATURE = b"Records of multihop are kept in this folder.\n"
"""How that file begins."""
TEXT = SIGNATURE + b"multihop removes and replaces here only what it wrote. It moves anything else to `aside`.\n"
"""What that file says."""
LOCK = ".lock"
"""File that is locked while a record is replaced."""
RECORDS, SETS, SWEEPS, TMP, ASIDE = "records", "sets", "sweeps", "tmp", "aside"
"""Folders of a store."""
KEY = re.compile("[0-9a-f]{32}")
"""What an address looks like."""
_NAMES = {
    RECORDS: re.compile(rf"{KEY.pattern}(\.next)?"),
    SETS: re.compile(rf"{KEY.pattern}\.json"),
    SWEEPS: re.compile(rf"{KEY.pattern}\.json"),
    TMP: re.compile(rf"{disk.DRAFTS.pattern}|old-[0-9a-f]{{32}}"),
    ASIDE: re.compile("(?s).*"),
}
"""What multihop calls the entries of each folder; `old-…` is of versions before the mark."""


def check(root: Path) -> None:
    """Raises InputError if the folder is there, is not empty, and is not a store; OSError if it cannot be read."""
    if not root.is_dir() or marked(root) or _sealed_within(root) or _all_named(root):
        return
    said = os.environ.get(HOME)
    setting = f"{HOME}=" if said and Path(said) == root else "--out "
    raise InputError(
        f"{root} is no store of records, and it is not empty: records are kept in a folder of their own, so that "
        f"nothing else in it is ever removed; name a new folder, like {setting}{root / 'multihop-records'}"
    )


def prepare(root: Path) -> None:
    """Makes the folders of a store; raises OSError, or InputError if one of them is a link to another folder.

    What stands in the place of one is moved aside.
    """
    root.mkdir(parents=True, exist_ok=True)
    for name in (RECORDS, SETS, SWEEPS, TMP):
        folder = root / name
        if folder.is_symlink() and folder.is_dir():
            raise InputError(
                f"{folder} is a link to another folder, and records are not written through it: make it a folder; "
                f"the link may stand at {root} itself"
            )
        if os.path.lexists(folder) and not folder.is_dir():
            move_aside(root, folder)
        folder.mkdir(exist_ok=True)
    if os.path.lexists(root / LOCK) and ((root / LOCK).is_symlink() or not (root / LOCK).is_file()):
        move_aside(root, root / LOCK)


def move_aside(root: Path, path: Path) -> Path:
    """Moves what multihop did not write, and what stands in its way, to the folder `aside`; raises OSError."""
    folder = root / ASIDE
    folder.mkdir(exist_ok=True)
    aside = folder / f"{path.name}-{uuid.uuid4().hex[:8]}"
    path.rename(aside)
    return aside


def ids(root: Path, folder: str) -> list[str]:
    """Ids of all sets of runs, or all sweeps, in a store, the newest first."""
    files = [f for f in (root / folder).glob("*.json") if KEY.fullmatch(f.stem)]
    with contextlib.suppress(FileNotFoundError):  # another process may remove some meanwhile
        files.sort(key=lambda f: f.lstat().st_mtime, reverse=True)
    return [f.stem for f in files]


def wrote(file: Path, kind: type[Sealed]) -> bool:
    """Whether a document of a store is as multihop wrote it."""
    try:
        opened(file, kind)
    except RecordError:
        return False
    return not file.is_symlink()


def marked(root: Path) -> bool:
    """Whether the folder has the mark of a store."""
    try:
        return not (root / MARK).is_symlink() and disk.content(root / MARK, len(TEXT)).startswith(SIGNATURE)
    except OSError:
        return False


def _sealed_within(root: Path) -> bool:
    """Whether a document in it has multihop's seal."""
    return any(wrote(file, kind) for file, kind in _documents(root))


def _documents(root: Path) -> Iterator[tuple[Path, type[Sealed]]]:
    yield root / LATEST, Latest
    for folder, kind in ((root / SETS, Set), (root / RECORDS, Manifest)):
        for entry in _entries(folder):
            if _NAMES[folder.name].fullmatch(entry.name):
                yield (entry, Set) if kind is Set else (entry / MANIFEST, Manifest)


def _all_named(root: Path) -> bool:
    """Whether all in it is named, two levels deep, as multihop names it."""
    for entry in root.iterdir():
        names = _NAMES.get(entry.name)
        if names is not None and not all(names.fullmatch(found.name) for found in _entries(entry)):
            return False
        if names is None and entry.name != LOCK and not (entry.name == MARK and (root / RECORDS).is_dir()):
            return False
    return True


def _entries(folder: Path) -> list[Path]:
    try:
        return [*folder.iterdir()]
    except OSError:
        return []
