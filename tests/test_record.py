"""The store: content-addressed, whole or absent, and honest about what it reads."""

from __future__ import annotations

import errno
import json
import os
import shutil
from pathlib import Path

import pytest

import multihop
from multihop import InputError, Records, StoreError
from multihop.errors import RecordError
from multihop.store import Identity, Store

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
    assert list(frame.columns) == ["run", "time_s", "node", "flow", "packet", "seq", "kind", "cause"]
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
    assert list(records.flows["id"]) == ["1", "2"] * 3
    assert set(records.windows["name"]) == {"early", "late"}
    assert set(records.nodes["name"]) == {"0", "1", "2", "3"}
    whole = records.ledger[records.ledger["flow"].isna()]
    assert set(whole["kind"]) >= {"created", "delivered", "in_network"}
    assert "goodput" in records[0].series_names
    assert set(records.series("goodput")["flow"].unique()) <= {"1", "2"}


def test_tables_and_document_agree(records: Records) -> None:
    assert records.values("goodput_bps").tolist() == pytest.approx(
        records.flows.groupby("run")["goodput_bps"].sum().tolist()
    )
    first = records.flows[records.flows["id"] == "1"]["goodput_bps"].tolist()
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
    assert "goodput kbit/s" in page
    assert "tiny.toml" in repr(records)
    assert len(records[:2]) == 2
