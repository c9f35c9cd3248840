"""Changes files of a store, one at a time: each change is found and said, or makes no difference, and is healed.

`python -m torture.damage 3000` in `tests/` changes so many files; `pytest tests/test_torture.py` changes a few.
After each change `explain` must print what it printed before, or one paragraph and leave with code 2; then the
command that made the records must print what it printed before, and `explain` too.
"""

from __future__ import annotations

import os
import random
import re
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from torture.common import TINY, call, inside, results

RUN = ("run", "tiny.toml", "--runs", "2", "--pcap", "--threads", "1", "--json")
EXPLAIN = ("explain", "--json")
STORE = Path(".multihop")
KEPT = Path("pristine")
FOREIGN = "precious"


@dataclass(frozen=True)
class Change:
    """Something that happens to a file."""

    name: str
    do: Callable[[Path, random.Random], None]


def _flip(file: Path, rng: random.Random) -> None:
    content = bytearray(file.read_bytes())
    if content:
        content[rng.randrange(len(content))] ^= rng.randrange(1, 256)
    file.write_bytes(content)


def _cut(file: Path, rng: random.Random) -> None:
    content = file.read_bytes()
    file.write_bytes(content[: rng.randrange(len(content))] if content else b"")


def _empty(file: Path, rng: random.Random) -> None:
    del rng
    file.write_bytes(b"")


def _lengthen(file: Path, rng: random.Random) -> None:
    content = file.read_bytes()
    file.write_bytes(content + content[: rng.randrange(1, len(content) + 1)])


def _digit(file: Path, rng: random.Random) -> None:
    """Another digit: still a document, but another one."""
    content = bytearray(file.read_bytes())
    places = [i for i, byte in enumerate(content) if byte in b"0123456789"]
    if places:
        place = rng.choice(places)
        content[place] = rng.choice([d for d in b"0123456789" if d != content[place]])
    file.write_bytes(content)


def _word(file: Path, rng: random.Random) -> None:
    """Another type: a number becomes a word, a list an object, a key another key."""
    text = file.read_bytes().decode("latin-1")
    old, new = rng.choice([(r"\d+", '"x"'), (r"\[", "{"), (r"\{", "["), (r'"[a-z_0-9]+":', '"y":'), (r"\d+", "null")])
    found = list(re.finditer(old, text))
    if found:
        place = rng.choice(found)
        text = text[: place.start()] + new + text[place.end() :]
    file.write_bytes(text.encode("latin-1"))


def _exchange(file: Path, rng: random.Random) -> None:
    """The content of another file of the same kind."""
    others = [f for f in STORE.rglob(f"*{file.suffix}") if f.is_file() and f != file]
    if others:
        shutil.copyfile(rng.choice(others), file)


def _duplicate(file: Path, rng: random.Random) -> None:
    """Beside it under another name; of a record, the whole folder at another address."""
    if file.name == "manifest.json":
        shutil.copytree(file.parent, file.parent.with_name(f"{rng.getrandbits(128):032x}"))
    else:
        name = f"{rng.getrandbits(128):032x}.json" if file.parent.name == "sets" else f"copy-{file.name}"
        shutil.copyfile(file, file.with_name(name))


def _replace_folder(file: Path, rng: random.Random) -> None:
    """The whole record of another address."""
    del rng
    if file.parent.parent.name == "records":
        [other] = [f for f in file.parent.parent.iterdir() if f != file.parent]
        shutil.rmtree(file.parent)
        shutil.copytree(other, file.parent)
    else:
        shutil.rmtree(file.parent)


def _fifo(file: Path, rng: random.Random) -> None:
    """A pipe that nothing writes into: whoever opens it waits."""
    del rng
    file.unlink()
    os.mkfifo(file)


def _endless(file: Path, rng: random.Random) -> None:
    """A link to a device that has no end."""
    del rng
    file.unlink()
    file.symlink_to("/dev/zero")


def _folder(file: Path, rng: random.Random) -> None:
    """A folder, with a file that is not multihop's."""
    del rng
    file.unlink()
    file.mkdir()
    (file / FOREIGN).write_text(FOREIGN)


def _foreign(file: Path, rng: random.Random) -> None:
    """Another file, of the right size or not, that is not multihop's; or in place of the folder that holds it."""
    size = file.stat().st_size
    if rng.random() < 0.5:
        file.write_bytes(FOREIGN.encode().ljust(size, b"."))
    else:
        if file.parent != STORE:
            shutil.rmtree(file.parent)
            file = file.parent
        file.unlink(missing_ok=True)
        file.write_text(FOREIGN)


CHANGES = (
    Change("flip", _flip),
    Change("flip", _flip),
    Change("flip", _flip),
    Change("cut", _cut),
    Change("empty", _empty),
    Change("delete", lambda file, _: file.unlink()),
    Change("lengthen", _lengthen),
    Change("digit", _digit),
    Change("word", _word),
    Change("exchange", _exchange),
    Change("duplicate", _duplicate),
    Change("other folder", _replace_folder),
    Change("FIFO", _fifo),
    Change("endless", _endless),
    Change("folder", _folder),
    Change("foreign", _foreign),
)


class WrongError(AssertionError):
    """A change that was not found, not said in one paragraph, or not healed."""


def damage(rounds: int, folder: Path, seed: int = 1) -> Counter[str]:
    """Makes so many changes, each to a store that was whole; counts what became of them. Raises WrongError."""
    rng = random.Random(seed)
    with inside(folder):
        Path("tiny.toml").write_text(TINY, encoding="utf-8")
        made, told = _good(RUN, "at first"), _good(EXPLAIN, "at first")
        shutil.copytree(STORE, KEPT)
        files = sorted(f for f in STORE.rglob("*") if f.is_file())
        counts: Counter[str] = Counter()
        for number in range(rounds):
            # every file in turn, every change in turn
            file = files[number % len(files)]
            change = CHANGES[(number // len(files)) % len(CHANGES)] if rounds > len(files) else rng.choice(CHANGES)
            where = f"{change.name} of {file}, round {number} of seed {seed}"
            change.do(file, rng)
            counts[change.name] += 1
            counts[_explained(told, where)] += 1
            foreign = _foreign_files()
            if _good(RUN, where) != made or _good(EXPLAIN, where) != told:
                raise WrongError(f"not healed: {where}")
            if not foreign <= _foreign_files():
                raise WrongError(f"lost what is not ours: {where}")
            shutil.rmtree(STORE)
            shutil.copytree(KEPT, STORE)
    return counts


def _foreign_files() -> set[int]:
    """Files that are not multihop's, by inode, wherever they are now."""
    return {f.stat().st_ino for f in STORE.rglob("*") if f.is_file() and _is_foreign(f)}


def _is_foreign(file: Path) -> bool:
    with file.open("rb") as content:
        return content.read(len(FOREIGN)) == FOREIGN.encode()


def _explained(told: object, where: str) -> str:
    code, out, err = call(EXPLAIN)
    if code == 0 and results(out) == told:
        return "made no difference"
    if code == 2 and not out and len(err.strip().splitlines()) == 1 and err.startswith("multihop: "):
        return "was said"
    raise WrongError(f"{where}: code {code}, {out[:200]}{err[:2000]}")


def _good(command: tuple[str, ...], where: str) -> object:
    code, out, err = call(command)
    if code != 0:
        raise WrongError(f"{command[0]} failed after {where}: code {code}, {err[:2000]}")
    return results(out)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as scratch:
        found = damage(int(sys.argv[1]), Path(scratch), int(sys.argv[2]) if len(sys.argv) > 2 else 1)
    sys.stdout.write(f"{found}\n")
