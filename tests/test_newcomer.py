"""A newcomer adds a technique by CONTRIBUTING.md alone: the files that its table names, compiled, tested and run.

The technique is delayed duplicate ACKs; its files stand in tests/newcomer. It is added to a copy of the checkout. To
compile the copy takes four minutes: `pytest -m long tests/test_newcomer.py`.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PARTS = Path(__file__).with_name("newcomer")
COPY = ROOT / "target" / "newcomer" / "checkout"
"""Always at one place, so that the second run compiles only what was added."""
BUILT = ROOT / "target" / "newcomer" / "target"
"""Apart from what the checkout builds: cargo takes the two for one workspace, and one would pass for the other."""

SHIM = "crates/proto/src/shim"
NEW = {
    f"{SHIM}/delayed_dupacks.rs": "delayed_dupacks.rs",
    f"{SHIM}/tests/delayed_dupacks.rs": "timeline.rs",
    "techniques/delayed-dupacks.toml": "delayed-dupacks.toml",
    "docs/models/delayed-dupacks.md": "delayed-dupacks.md",
}
"""New files, and where their text is."""

LINES = [
    (f"{SHIM}/mod.rs", "mod counters;", "mod delayed_dupacks;"),
    (
        f"{SHIM}/mod.rs",
        "pub use counters::Counters;",
        "pub use delayed_dupacks::{DelayedDupacks, DelayedDupacksConfig};",
    ),
    (f"{SHIM}/set.rs", "use super::counters::Counters;", "use super::delayed_dupacks::DelayedDupacks;"),
    (
        f"{SHIM}/set.rs",
        "        Ebsn(Ebsn),",
        "        /// A receiver that delays duplicate ACKs.\n        DelayedDupacks(DelayedDupacks),",
    ),
    (
        f"{SHIM}/set.rs",
        "            ShimKind::Ebsn => (AnyShim::Ebsn(Ebsn::default()), AnyShim::NONE),",
        "            ShimKind::DelayedDupacks => {\n"
        "                (AnyShim::NONE, AnyShim::DelayedDupacks(DelayedDupacks::new(self.delayed_dupacks)))\n"
        "            }",
    ),
    (f"{SHIM}/config.rs", "use super::atcp::AtcpConfig;", "use super::delayed_dupacks::DelayedDupacksConfig;"),
    (
        f"{SHIM}/config.rs",
        "        pub atcp: AtcpConfig = AtcpConfig::default() => inside,",
        '        /// Parameters of `kind = "delayed-dupacks"`.\n'
        "        pub delayed_dupacks: DelayedDupacksConfig = DelayedDupacksConfig::default() => inside,",
    ),
    (
        f"{SHIM}/config.rs",
        "    Ebsn,",
        "    /// A receiver that holds the third and later duplicate ACKs (Vaidya et al., 2002).\n    DelayedDupacks,",
    ),
    (f"{SHIM}/fits.rs", "            ShimKind::None", "            | ShimKind::DelayedDupacks"),
    (
        f"{SHIM}/counters.rs",
        '        pub dupacks_hidden = "shim.dupacks-hidden",',
        "        /// Duplicate ACKs that waited and were sent.\n"
        '        pub dupacks_released = "shim.dupacks-released",',
    ),
    (f"{SHIM}/tests/mod.rs", "mod contract;", "mod delayed_dupacks;"),
    (
        f"{SHIM}/tests/contract.rs",
        '        Ebsn { "ebsn" => || sender(ShimKind::Ebsn, plain()) }',
        '        DelayedDupacks { "delayed-dupacks" => || receiver(ShimKind::DelayedDupacks, plain()) }',
    ),
    ("mkdocs.yml", "          - EBSN: models/ebsn.md", "          - Delayed duplicate ACKs: models/delayed-dupacks.md"),
]
"""Where a line is added, after which line, and what."""
WORDS = [("docs/architecture.md", "`atcp, holes`, ", "`delayed-dupacks`, ")]
"""The same within a line."""


def listed() -> set[str]:
    """The files that a new shim touches, by the table of CONTRIBUTING.md."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    row = next(line for line in text.splitlines() if line.startswith("| shim |"))
    paths = re.findall(r"`([^`]+\.[a-z]+)`", row)
    return {path.replace("NAME.rs", "delayed_dupacks.rs").replace("NAME", "delayed-dupacks") for path in paths}


def run(*command: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Runs a command in the copy."""
    done = subprocess.run(
        command,
        cwd=COPY,
        env={**os.environ, "CARGO_TARGET_DIR": str(BUILT), **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return done


@pytest.fixture(scope="module")
def checkout() -> Path:
    """A copy of what is committed, with the technique in it."""
    tracked = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    shutil.rmtree(COPY, ignore_errors=True)
    for name in filter(None, tracked.split("\0")):
        if (ROOT / name).is_file():
            (COPY / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, COPY / name)
    for name, source in NEW.items():
        assert not (COPY / name).exists()
        shutil.copyfile(PARTS / source, COPY / name)
    for name, after, line in LINES:
        text = (COPY / name).read_text(encoding="utf-8")
        assert text.count(f"{after}\n") == 1, f"{after!r} does not stand once in {name}"
        (COPY / name).write_text(text.replace(f"{after}\n", f"{after}\n{line}\n"), encoding="utf-8")
    for name, after, words in WORDS:
        text = (COPY / name).read_text(encoding="utf-8")
        assert text.count(after) == 1
        (COPY / name).write_text(text.replace(after, after + words), encoding="utf-8")
    return COPY


def test_the_table_names_each_file_that_is_touched() -> None:
    assert listed() == {*NEW, *(name for name, _, _ in LINES + WORDS)}


def test_each_line_has_its_place(checkout: Path) -> None:
    for name, _, line in LINES + WORDS:
        assert line in (checkout / name).read_text(encoding="utf-8")


@pytest.mark.long
def test_the_engine_compiles_and_its_tests_hold(checkout: Path) -> None:
    done = run("cargo", "test", "-q", "--locked", "-p", "multihop-proto", "--lib", "shim::tests")
    assert re.search(r"[1-9]\d passed; 0 failed", done.stdout), done.stdout


@pytest.mark.long
def test_the_command_line_knows_it_and_it_acts(checkout: Path, tmp_path: Path) -> None:
    run("cargo", "build", "-q", "--locked", "-p", "multihop-py", PYO3_BUILD_EXTENSION_MODULE="1")
    shutil.copyfile(BUILT / "debug" / "lib_engine.so", checkout / "python/multihop/_engine.abi3.so")
    command = [str(Path(sys.executable).with_name("multihop")), "run", "chain-lossy", "-t", "delayed-dupacks:200ms"]
    done = run(*command, "--json", "--out", str(tmp_path), PYTHONPATH=str(checkout / "python"))
    runs = json.loads(done.stdout)["runs"]
    for counter in ("shim.dupacks-hidden", "shim.dupacks-released"):
        assert any(one["counters"][counter] > 0 for one in runs), counter
