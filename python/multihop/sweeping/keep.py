"""Sweeps in the store: written when their runs end, found by their ids."""

from __future__ import annotations

from collections.abc import Sequence

from multihop.errors import RecordError
from multihop.files.manifest import FORMAT, KeptCell, KeptSweep, opened
from multihop.record.record import Record, Records, set_id
from multihop.store.store import SHORTEST, Store

from .campaign import Campaign
from .result import Sweep


def remember(store: Store, campaign: Campaign, records: Sequence[Records]) -> Sweep:
    """Keeps which runs belong to a campaign; raises StoreError."""
    cells = tuple(
        KeptCell(tuple(value for _, value in cell.coordinates), cell.techniques, tuple(r.key for r in runs))
        for cell, runs in zip(campaign.cells, records, strict=True)
    )
    keys, name = tuple(campaign.keys), campaign.scenario.name
    made = KeptSweep(format=FORMAT, scenario=name, keys=keys, cells=cells)
    identity = set_id(key for cell in cells for key in cell.runs)
    with store.writing() as writer:
        writer.sweep(identity, made)
    return Sweep(identity, name, keys, tuple(cell.values for cell in cells), tuple(records))


def find(store: Store, reference: str | None = None) -> Sweep:
    """The sweep with that id, or the beginning of it; the latest if none is given. Raises RecordError."""
    known = store.sweeps()
    if reference is None and not known:
        raise RecordError(
            f"there is no sweep in {store.root} yet: `multihop sweep SCENARIO --over KEY=VALUES` makes one"
        )
    found = [i for i in known if i.startswith(reference)] if reference else known[:1]
    if not found or (reference is not None and len(reference) < SHORTEST):
        raise RecordError(
            f"there is no sweep `{reference}` in {store.root}: give an id that `multihop sweep` printed "
            f"(at least {SHORTEST} characters of it), or nothing for the latest"
        )
    if len(found) > 1:
        raise RecordError(f"`{reference}` is the beginning of {len(found)} sweeps: write more of it")
    kept = opened(store.sweep_file(found[0]), KeptSweep)
    records = tuple(
        Records([Record.read(store.path(key)) for key in cell.runs], name=kept.scenario, techniques=cell.techniques)
        for cell in kept.cells
    )
    return Sweep(found[0], kept.scenario, kept.keys, tuple(cell.values for cell in kept.cells), records)
