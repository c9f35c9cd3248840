"""The store: content-addressed, whole or absent, and honest about what it reads."""

from __future__ import annotations

import errno
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

import multihop
from conftest import Cli
from multihop import InputError, Records, StoreError
from multihop.errors import RecordError, RunError
from multihop.files import disk
from multihop.files.manifest import Manifest, opened, sealed
from multihop.record.record import Record, different
from multihop.running.run import Task, execute
from multihop.store.store import Identity, Store

CALM = """\
run.duration = "2 s"
topology = { kind = "chain", hops = 1, spacing = "200 m" }
[[flow]]
kind = "cbr"
from = "0"
to = "1"
rate = "50 kbps"
packet = "500 B"
"""
"""One hop and little to send: packets die only where the air loses them."""


@pytest.fixture
def records(tiny: str) -> Records:
    return multihop.load(tiny).run(runs=3)


def files(folder: Path) -> list[str]:
    return sorted(str(p.relative_to(folder)) for p in folder.rglob("*") if p.is_file())


def test_a_run_that_exists_is_not_run_again(tiny: str, records: Records) -> None:
    again = multihop.load(tiny).run(runs=4)
    assert records.store_hits == 0
    assert again.store_hits == 3
    assert [r.key for r in again][:3] == [r.key for r in records]


def test_a_place_that_is_not_there_is_told_from_a_run(records: Records) -> None:
    assert records[-1].run == 3
    with pytest.raises(IndexError, match="there is no run at 5: 3 runs, counted from 0 to 2; run 3 is at 2"):
        records[5]


def test_a_run_that_two_tasks_share_counts_once(tiny: str) -> None:
    tasks = [Task(multihop.load(tiny), runs=range(1, 3)), Task(multihop.load(tiny), runs=range(1, 4))]
    assert different(execute(tasks)) == (3, 0)
    assert different(execute(tasks)) == (3, 3)


def test_fresh_takes_none_and_finds_the_same(tiny: str, records: Records) -> None:
    again = multihop.load(tiny).run(runs=3, fresh=True)
    assert again.store_hits == 0
    assert [r.data["fingerprint"] for r in again] == [r.data["fingerprint"] for r in records]


def test_the_address_holds_all_that_matters() -> None:
    one = Identity("abc", ("drr",), 1, "build")
    others = [
        Identity("abd", ("drr",), 1, "build"),
        Identity("abc", (), 1, "build"),
        Identity("abc", ("drr",), 2, "build"),
        Identity("abc", ("drr",), 1, "other build"),
    ]
    assert len({i.key for i in [one, *others]}) == 5
    assert one.key == Identity("abc", ("drr",), 1, "build").key


def test_seed_and_settings_make_other_records(tiny: str, records: Records) -> None:
    scenario = multihop.load(tiny)
    assert scenario.run(runs=1, seed=2).store_hits == 0
    assert scenario.run(runs=1, set={"tcp.max-window": 4}).store_hits == 0
    assert scenario.run(runs=1, set={"run.seed": 2}).store_hits == 1


@pytest.mark.parametrize(("rate", "some", "all_"), [("0", False, False), ("0.12", True, False), ("0.4", True, True)])
def test_series_of_drops_where_few_runs_or_none_have_any(here: Path, rate: str, some: bool, all_: bool) -> None:
    (here / "calm.toml").write_text(CALM, encoding="utf-8")
    records = multihop.load("calm.toml").run(runs=8, set={"air.packet-error-rate": rate, "mac.short-retry-limit": 3})
    dropped = [sum(run["ledger"]["dropped"].values()) for run in records.runs]
    assert (any(dropped), all(dropped)) == (some, all_)
    frame = records.series("drops")
    assert len(frame) == sum(dropped)
    assert list(frame.columns) == ["run", "time_s", "node", "flow", "packet", "seq", "kind", "cause", "by", "hidden"]
    assert set(frame["node"]) == ({"0"} if some else set())
    assert [len(record.series("drops")) for record in records] == dropped


def test_a_udp_flow_has_no_retransmissions(here: Path) -> None:
    (here / "calm.toml").write_text(CALM, encoding="utf-8")
    records = multihop.load("calm.toml").run(runs=2)
    assert records.summary()["retransmissions"] == {"mean": None, "ci95": None, "n": 0}
    assert records.runs[0]["flows"][0]["retransmissions"] == 0


def test_settings_are_what_was_set_and_not_the_seed(tiny: str) -> None:
    scenario = multihop.load(tiny)
    assert scenario.run(runs=1, seed=3, techniques=["drr"]).settings == []
    assert scenario.run(runs=1, seed=3, set={"tcp.max-window": 4}).settings == ["tcp.max-window=4"]


def test_a_record_has_its_tables(records: Records) -> None:
    assert list(records.flows["run"]) == [1, 1, 2, 2, 3, 3]
    assert list(records.flows["flow"]) == ["1", "2"] * 3
    assert set(records.windows["window"]) == {"early", "late"}
    assert set(records.nodes["node"]) == {"0", "1", "2", "3"}
    whole = records.ledger[records.ledger["flow"].isna()]
    assert set(whole["kind"]) >= {"created", "delivered", "in_network"}
    assert "goodput" in records[0].series_names
    assert set(records.series("goodput")["flow"].unique()) <= {"1", "2"}


@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="threads are counted as Linux tells them")
def test_tables_are_read_without_threads_that_could_outlive_the_process(records: Records) -> None:
    count = 'print(len(os.listdir("/proc/self/task")))'
    read = f"multihop.Record.read(pathlib.Path({str(records[0].path)!r})).series('tcp')"
    code = f"import multihop, os, pandas, pathlib, pyarrow.parquet\n{count}\n{read}\n{count}"
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert said[0] == said[1]


def test_tables_and_document_agree(records: Records) -> None:
    assert records.values("goodput_bps").tolist() == pytest.approx(
        records.flows.groupby("run")["goodput_bps"].sum().tolist()
    )
    first = records.flows[records.flows["flow"] == "1"]["goodput_bps"].tolist()
    assert records.values("goodput_bps", flow="1").tolist() == first
    assert records.summary()["flows"][0]["goodput_bps"]["mean"] == pytest.approx(sum(first) / 3)


def test_unknown_figures_flows_and_series_are_named(records: Records) -> None:
    with pytest.raises(InputError, match="no figure `goodput`"):
        records.values("goodput")
    with pytest.raises(InputError, match="no flow `9`"):
        records.values("goodput_bps", flow="9")
    with pytest.raises(InputError, match="no series `cwnd`"):
        records[0].series("cwnd")


def test_a_record_is_found_by_id_key_and_folder(records: Records) -> None:
    store = Store.open()
    for reference in (None, records.id, records.id[:6], str(records[0].path), records[0].key[:8]):
        assert store.find(reference)[0][0].key == records[0].key


def test_the_latest_of_a_comparison_is_all_of_it(tiny: str) -> None:
    comparison = multihop.load(tiny).compare(["none", "placebo"], runs=2)
    assert [r.label for r in Store.open().find()] == ["none", "placebo"]
    assert comparison.baseline.label == "none"
    assert multihop.records().label == "none"


@pytest.mark.parametrize("reference", ["nothing", "zz", "..", "*"])
def test_what_is_no_record_is_said_in_one_sentence(records: Records, reference: str) -> None:
    with pytest.raises(RecordError) as e:
        Store.open().find(reference)
    assert "\n" not in str(e.value)


def test_an_empty_store_says_how_to_fill_it(here: Path) -> None:
    with pytest.raises(RecordError, match="multihop run"):
        Store.open().find()


@pytest.mark.parametrize("name", ["flows.parquet", "run.json", "series_goodput.parquet", "scenario.json"])
def test_a_truncated_file_is_an_error(records: Records, name: str) -> None:
    file = records[0].path / name
    file.write_bytes(file.read_bytes()[:-20])
    for reference in (None, records.id[:8], str(records[0].path)):
        with pytest.raises(RecordError) as e:
            Store.open().find(reference)
        assert str(e.value).count("cannot be read") == 1
        assert f"{name} is damaged" in str(e.value)


def test_an_altered_file_is_an_error(records: Records) -> None:
    file = records[0].path / "run.json"
    file.write_text(file.read_text().replace('"run": 1', '"run": 7'))
    with pytest.raises(RecordError, match="not what was written"):
        Store.open().one()


@pytest.mark.parametrize("content", ["", "{", "[]", '{"format": 1}', '{"format": 99, "files": {}, "key": "x"}'])
def test_a_broken_manifest_is_an_error(records: Records, content: str) -> None:
    (records[0].path / "manifest.json").write_text(content)
    with pytest.raises(RecordError):
        Store.open().one()


def test_a_missing_file_or_folder_is_an_error(records: Records) -> None:
    (records[0].path / "nodes.parquet").unlink()
    with pytest.raises(RecordError, match="it is missing"):
        Store.open().one()
    shutil.rmtree(records[1].path)
    with pytest.raises(RecordError):
        Store.open().one()


def test_a_damaged_record_is_run_again(tiny: str, records: Records) -> None:
    (records[0].path / "run.json").write_text("{")
    again = multihop.load(tiny).run(runs=3)
    assert again.store_hits == 2
    again[0].check()


def test_a_full_disk_leaves_nothing_half_written(tiny: str, monkeypatch: pytest.MonkeyPatch, here: Path) -> None:
    first = multihop.load(tiny).run(runs=1)
    written: list[str] = []
    real = Path.write_bytes

    def full(self: Path, data: bytes) -> int:  # the disk takes three files of the second record
        written.append(self.name)
        if len(written) > 3:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return real(self, data)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "write_bytes", full)
        with pytest.raises(StoreError, match="the disk is full"):
            multihop.load(tiny).run(runs=2)
    store = here / ".multihop"
    assert [p.name for p in (store / "records").iterdir()] == [first[0].key]
    assert not any((store / "tmp").iterdir())
    assert multihop.load(tiny).run(runs=2).store_hits == 1


def test_a_store_that_cannot_be_made_is_an_error(tiny: str, here: Path) -> None:
    (here / "file").write_text("")
    with pytest.raises(StoreError, match="cannot be written"):
        multihop.load(tiny).run(runs=1, store=Store(here / "file" / "store"))


def test_the_manifest_says_where_it_came_from(records: Records) -> None:
    manifest = json.loads((records[0].path / "manifest.json").read_text())
    assert manifest["build"] == multihop.BUILD
    assert manifest["version"] == multihop.__version__
    assert set(manifest["files"]) | {"manifest.json"} == set(files(records[0].path))


def test_the_resolved_scenario_runs_again_to_the_same_fingerprint(records: Records) -> None:
    stored = multihop.load(records[0].path / "scenario.toml")
    assert stored.run(runs=1, fresh=True)[0].data["fingerprint"] == records[0].data["fingerprint"]


def test_a_notebook_sees_the_tables(records: Records) -> None:
    page = records._repr_html_() or ""
    assert page.startswith("<pre")
    assert "goodput" in page
    assert "tiny.toml" in repr(records)
    assert len(records[:2]) == 2


def spoil(file: Path, how: str) -> None:
    content = file.read_bytes()
    if how == "flipped":
        file.write_bytes(content[:50] + bytes([content[50] ^ 1]) + content[51:])
    elif how == "cut":
        file.write_bytes(content[:-1])
    else:
        file.unlink()


@pytest.mark.parametrize("how", ["flipped", "cut", "deleted"])
def test_a_spoilt_capture_is_found_and_made_again(tiny: str, how: str) -> None:
    captured = multihop.load(tiny).run(runs=1, pcap=True)[0]
    assert captured.pcap
    file = captured.pcap / "2.pcapng"
    before = file.read_bytes()
    spoil(file, how)
    with pytest.raises(RecordError, match=r"pcap/2\.pcapng is damaged"):
        Store.open().find()
    again = multihop.load(tiny).run(runs=1)  # without asking for captures: the record had some
    assert again.store_hits == 0
    assert file.read_bytes() == before
    again[0].check()


def test_captures_that_are_gone_are_missed(tiny: str) -> None:
    captured = multihop.load(tiny).run(runs=1, pcap=True)[0]
    assert captured.pcap
    shutil.rmtree(captured.pcap)
    with pytest.raises(RecordError, match="it is missing"):
        Store.open().find()
    multihop.load(tiny).run(runs=1)
    assert Store.open().one()[0].pcap


@pytest.mark.parametrize("name", ["records/*/manifest.json", "sets/*.json", "latest.json"])
@pytest.mark.parametrize(
    ("old", "new"), [('"run": 2', '"run": 3'), ('"format": 2', '"format": 2.0'), ("[", " ["), ("", "")]
)
def test_an_altered_document_is_found_and_written_anew(
    cli: Cli, tiny: str, here: Path, name: str, old: str, new: str
) -> None:
    told = cli("run", tiny, "--runs", "2").out.splitlines()[3:-3]
    for file in sorted((here / ".multihop").glob(name)):
        text = file.read_text()
        altered = text.replace(old, new) if old else text.replace('"sha256"', '"sha257"')
        if altered == text:
            continue
        file.write_text(altered)
        said = cli("explain")
        assert (said.code, said.out, len(said.err.splitlines())) == (2, "", 1)
        assert file.name in said.err
        assert cli("run", tiny, "--runs", "2").out.splitlines()[3:-3] == told
        assert cli("explain").code == 0


def test_a_record_at_anothers_address_is_refused(tiny: str, records: Records) -> None:
    shutil.rmtree(records[1].path)
    shutil.copytree(records[0].path, records[1].path)
    with pytest.raises(RecordError, match="not what its address says"):
        Store.open().find()
    assert [r.run for r in multihop.load(tiny).run(runs=3)] == [1, 2, 3]
    Store.open().find()


def test_fresh_leaves_a_whole_record_where_it_is(tiny: str, records: Records) -> None:
    before = (records[0].path / "manifest.json").stat()
    multihop.load(tiny).run(runs=3, fresh=True)[0].check()
    after = (records[0].path / "manifest.json").stat()
    assert (before.st_ino, before.st_mtime_ns) == (after.st_ino, after.st_mtime_ns)


def test_captures_replace_a_record_without(tiny: str, records: Records) -> None:
    captured = multihop.load(tiny).run(runs=3, pcap=True)
    assert captured.store_hits == 0
    for record in captured:
        assert record.pcap
        record.check()
    assert multihop.load(tiny).run(runs=3).store_hits == 3


def test_a_run_that_contradicts_its_record_is_a_fault(tiny: str, records: Records) -> None:
    file = records[0].path / "manifest.json"
    file.write_bytes(sealed(msgspec.structs.replace(opened(file, Manifest), fingerprint="0" * 16)))
    with pytest.raises(RunError, match="another fingerprint"):
        multihop.load(tiny).run(runs=1, fresh=True)


@pytest.mark.parametrize("old_is_there", [True, False])
def test_a_replacement_that_was_killed_is_gone_on_with(tiny: str, records: Records, *, old_is_there: bool) -> None:
    path = records[0].path
    following = path.with_name(f"{path.name}.next")
    if old_is_there:
        shutil.copytree(path, following)
        (path / "run.json").unlink()
    else:
        path.rename(following)
    Store.open().find()[0][0].check()
    assert path.is_dir()
    assert not following.exists()
    assert multihop.load(tiny).run(runs=3).store_hits == 3


def test_records_are_found_where_no_command_came_to_its_end(tiny: str, records: Records, here: Path) -> None:
    store = here / ".multihop"
    (store / "latest.json").unlink()
    shutil.rmtree(store / "sets")
    for reference in (None, str(store)):
        [found] = Store.open().find(reference)
        assert [r.run for r in found] == [1, 2, 3]
        assert found.id == records.id


def test_after_a_full_disk_what_there_is_is_found(tiny: str, monkeypatch: pytest.MonkeyPatch) -> None:
    real = Record.moved
    kept: list[Path] = []

    def full(self: Record, path: Path) -> Record:
        kept.append(path)
        if len(kept) > 3:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return real(self, path)

    with monkeypatch.context() as patch:
        patch.setattr(Record, "moved", full)
        with pytest.raises(StoreError, match="the disk is full"):
            multihop.load(tiny).run(runs=20)
    assert len(Store.open().one()) >= 3


def test_what_a_killed_process_left_is_swept_and_what_another_writes_is_not(tiny: str, here: Path) -> None:
    tmp = here / ".multihop" / "tmp"
    dead = disk.Drafts(tmp)
    dead.folder.mkdir(parents=True)
    (dead.folder / disk.DRAFT_MARK).touch()
    (dead.folder / "half").write_text("a record")
    unmarked = tmp / "1234-0123456789ab"  # killed before it was marked
    unmarked.mkdir()
    with Store.open().writing() as other:
        busy = other.stage("0" * 32)
        multihop.load(tiny).run(runs=1)
        assert not dead.folder.exists()
        assert not unmarked.exists()
        assert busy.is_dir()
    assert not any(tmp.iterdir())
