"""No command removes, replaces or changes a file that multihop did not write."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import multihop
from conftest import Cli
from multihop.files import disk
from multihop.files.manifest import File, sealed
from multihop.store.store import Store
from torture.common import TINY, call, inside
from torture.kills import start

KEY = "0123456789abcdef" * 2
NAMES = ("tmp", "records", "sets", "aside", "latest.json", ".lock", "MULTIHOP-STORE", ".multihop", "data", "my notes")
INNER = (KEY, f"{KEY}.next", f"{KEY}.json", "12-0123456789ab", f"old-{KEY}", "manifest.json", "data", "x.json")
CONTENTS = (b"", b"{}", b'{"format": 2, "sets": []}', b"notes\n", b"\xff\x00")

Tree = dict[str, bytes | str]
"""Foreign files by path: content, or the target of a link."""


def paths() -> st.SearchStrategy[str]:
    """Places in a folder that look like those of a store, one to four levels deep."""
    deeper = st.lists(st.sampled_from(INNER), max_size=3)
    return st.builds(lambda name, inner: "/".join((name, *inner)), st.sampled_from(NAMES), deeper)


def trees() -> st.SearchStrategy[Tree]:
    """Files, and links to places inside and outside the folder."""
    links = st.one_of(paths(), st.sampled_from(("..", "../others", "/dev/null", "nowhere")))
    return st.dictionaries(paths(), st.one_of(st.sampled_from(CONTENTS), links), max_size=8)


def planted(root: Path, tree: Tree) -> None:
    """Makes the files that can be made: those of which no parent is a file."""
    for path, content in tree.items():
        try:
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            if os.path.lexists(root / path):
                continue
            if isinstance(content, bytes):
                (root / path).write_bytes(content)
            else:
                (root / path).symlink_to(content)
        except OSError:
            continue


Seen = dict[str, tuple[int, int, int, bytes | str]]


def seen(root: Path) -> Seen:
    """Each file and link under a folder: inode, mode, time of change, and content or target."""
    found: Seen = {}
    for folder, folders, files in os.walk(root):
        for path in [Path(folder, name) for name in (*folders, *files)]:
            about = path.lstat()
            if path.is_symlink():
                content: bytes | str = str(path.readlink())
            elif path.is_dir():
                continue
            else:
                content = path.read_bytes()
            found[str(path.relative_to(root))] = (about.st_ino, about.st_mode, about.st_mtime_ns, content)
    return found


def lost(before: Seen, after: Seen) -> list[str]:
    """What is not as it was: in its place, or moved as it is to the folder `aside` of its store."""
    moved = {facts for path, facts in after.items() if "aside/" in path}
    return [path for path, facts in before.items() if after.get(path) != facts and facts not in moved]


COMMANDS = (
    ("run", "{tiny}", "--runs", "2", "--threads", "1", "--out", "{out}"),
    ("run", "{tiny}", "--runs", "2", "--threads", "1"),
    ("run", "{tiny}", "--runs", "2", "--threads", "1", "--fresh", "--pcap"),
    ("compare", "{tiny}", "-t", "none,placebo", "--runs", "2", "--out", "{out}"),
    ("remove", "--all"),
    ("remove", KEY),
    ("export", "--out", "{out}"),
    ("export", "{out}", "--out", "data"),
    ("explain", "{out}"),
    ("list", "records"),
)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a scenario and a store in which it was run."""
    folder = tmp_path_factory.mktemp("made")
    (folder / "tiny.toml").write_text(TINY, encoding="utf-8")
    with inside(folder):
        assert call(("compare", "tiny.toml", "-t", "none,placebo", "--runs", "2", "--out", "store"))[0] == 0
    return folder


def filled(store: Path, made: Path, *, marked: bool, intruder: bool) -> None:
    """Makes it a store, of this version or of one without a mark, perhaps with foreign files among those of records."""
    store.parent.mkdir(parents=True, exist_ok=True)
    shutil.copytree(made / "store", store, dirs_exist_ok=True)
    if not marked:
        (store / "MULTIHOP-STORE").unlink()
    if intruder:
        for record in (store / "records").iterdir():
            (record / "notes").write_text(record.name)
        (store / "latest.json").unlink()
        (store / "latest.json").mkdir()
        (store / "latest.json" / "precious").write_text("foreign")


@settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow])
@given(
    store=st.sampled_from(("", ".", ".multihop", "data")),
    marked=st.booleans(),
    intruder=st.booleans(),
    tree=trees(),
    out=st.one_of(st.sampled_from((".", "..", ".multihop", "data", "new")), paths()),
    home=st.one_of(st.none(), st.sampled_from((".", "data")), paths()),
    commands=st.lists(st.sampled_from(COMMANDS), min_size=1, max_size=3),
)
def test_whatever_is_named_no_foreign_file_is_touched(
    made: Path,
    store: str,
    tree: Tree,
    out: str,
    home: str | None,
    commands: list[tuple[str, ...]],
    *,
    marked: bool,
    intruder: bool,
) -> None:
    with tempfile.TemporaryDirectory() as scratch:
        root, work = Path(scratch), Path(scratch, "work")
        planted(root, {"others/tmp/thesis": b"foreign", "work/none": b""})
        ours: Seen = {}
        if store:
            filled(work / store, made, marked=marked, intruder=False)
            ours = seen(root)
            filled(work / store, made, marked=marked, intruder=intruder)
        planted(work, tree)
        before = {path: facts for path, facts in seen(root).items() if path not in ours}
        with inside(work):
            if home is not None:
                os.environ["MULTIHOP_HOME"] = home
            try:
                for command in commands:
                    words = [word.format(tiny=made / "tiny.toml", out=out) for word in command]
                    code, _, err = call(words)
                    assert code in (0, 2), f"{words}: {err}"
                    assert "Traceback" not in err
            finally:
                os.environ.pop("MULTIHOP_HOME", None)
        assert lost(before, seen(root)) == []


TOGETHER = (
    ("run", "{tiny}", "--runs", "3", "--fresh"),
    ("run", "{tiny}", "--runs", "3", "--pcap"),
    ("compare", "{tiny}", "-t", "none,placebo", "--runs", "2"),
    ("remove", "--all"),
    ("export", "--out", "sent"),
)


@pytest.mark.parametrize("marked", [True, False])
def test_commands_at_once_touch_no_foreign_file(made: Path, tmp_path: Path, *, marked: bool) -> None:
    filled(tmp_path / ".multihop", made, marked=marked, intruder=False)
    ours = seen(tmp_path)
    filled(tmp_path / ".multihop", made, marked=True, intruder=True)
    tree: Tree = {f".multihop/{name}/{inner}": b"foreign" for name in ("records", "sets", "tmp") for inner in INNER}
    planted(tmp_path, tree)
    before = {path: facts for path, facts in seen(tmp_path).items() if path not in ours}
    with inside(tmp_path):
        for _ in range(3):
            processes = [start([word.format(tiny=made / "tiny.toml") for word in command]) for command in TOGETHER]
            for pid in processes:
                os.waitpid(pid, 0)
    assert lost(before, seen(tmp_path)) == []


@pytest.mark.parametrize("by", ["--out", "MULTIHOP_HOME", "link"])
def test_a_folder_with_other_files_is_no_store(
    cli: Cli, tiny: str, here: Path, monkeypatch: pytest.MonkeyPatch, by: str
) -> None:
    planted(here, {"home/tmp/data/f": b"x", "home/records/notes": b"y"})
    before = seen(here)
    named = "home"
    if by == "link":
        (here / "linked").symlink_to("home")
        named = "linked"
    if by == "MULTIHOP_HOME":
        monkeypatch.setenv(by, named)
    done = cli("run", tiny, "--runs", "1", *(() if by == "MULTIHOP_HOME" else ("--out", named)))
    assert (done.code, done.out, len(done.err.splitlines())) == (2, "", 1)
    advice = "MULTIHOP_HOME=home/multihop-records" if by == "MULTIHOP_HOME" else f"--out {named}/multihop-records"
    assert f"{named} is no store of records, and it is not empty" in done.err
    assert advice in done.err
    after = seen(here)
    after.pop("linked", None)
    assert after == before


def test_a_store_without_a_mark_goes_on(cli: Cli, tiny: str, here: Path) -> None:
    assert cli("run", tiny, "--runs", "2").code == 0
    mark = here / ".multihop" / "MULTIHOP-STORE"
    text = mark.read_text()
    mark.unlink()
    planted(here, {".multihop/tmp/data/f": b"x", ".multihop/thesis": b"y"})
    assert "2 of 2 runs came from the store" in cli("run", tiny, "--runs", "2").out
    assert mark.read_text() == text
    assert (here / ".multihop" / "tmp" / "data" / "f").read_text() == "x"


def test_foreign_files_in_a_record_are_moved_aside_with_it(cli: Cli, tiny: str, here: Path) -> None:
    assert cli("run", tiny, "--runs", "1").code == 0
    [record] = multihop.records()
    (record.path / "notes").write_text("precious")
    assert cli("remove", "--all").code == 0
    assert Store.open().keys() == []
    [aside] = (here / ".multihop" / "aside").iterdir()
    assert (aside / "notes").read_text() == "precious"


def test_a_record_that_names_files_outside_is_refused(cli: Cli, tiny: str, here: Path) -> None:
    assert cli("run", tiny, "--runs", "1").code == 0
    [record] = multihop.records()
    (here / "victim").write_text("before")
    (here / "taken").write_text("after")
    file = record.path / "manifest.json"
    content = disk.digest(here / "taken")
    files = {**record.manifest.files, "../../../taken": File(*content)}
    file.write_bytes(sealed(msgspec.structs.replace(record.manifest, files=files)))
    done = cli("export", "--out", "sent")
    assert (done.code, len(done.err.splitlines())) == (2, 1)
    assert "names files outside its folder" in done.err


@pytest.mark.parametrize("folder", ["records", "sets", "tmp"])
def test_nothing_is_written_through_a_link_in_a_store(cli: Cli, tiny: str, here: Path, folder: str) -> None:
    assert cli("run", tiny, "--runs", "1").code == 0
    (here / ".multihop" / folder).rename(here / "elsewhere")
    planted(here, {"elsewhere/12-0123456789ab/precious": b"x"})
    (here / ".multihop" / folder).symlink_to("../elsewhere")
    before = seen(here)
    done = cli("run", tiny, "--runs", "2")
    assert (done.code, len(done.err.splitlines())) == (2, 1)
    assert f".multihop/{folder} is a link to another folder" in done.err
    assert seen(here) == before
