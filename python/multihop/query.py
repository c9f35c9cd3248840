"""SQL over a store: its tables as views of DuckDB, which reads their Parquet files where they lie.

| view | one row |
|---|---|
| `runs` | a run: record, scenario, technique, run, seed, wall_s, made |
| `flows`, `windows`, `losses`, `ledger`, `nodes` | as in `Record.table`, `record` is the key of the run |
| a series, like `series_goodput` | a sample |
| `sweep` | a run of the latest sweep, with its keys and all figures |
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from multihop.errors import RecordError
from multihop.record.sql import ask, mentions
from multihop.store.store import Store
from multihop.sweeping.keep import find

if TYPE_CHECKING:
    import pandas as pd

SWEEP = "sweep"


def sql(query: str, store: Store | None = None, *, sweep: str | None = None) -> pd.DataFrame:
    """The answer to a query over the tables of a store, as a DataFrame; `sweep` is the id of one, or the latest.

    Raises InputError for a query that DuckDB does not take, RecordError where there is no record.
    """
    store = store or Store.open()
    folders = [store.path(key) for key in store.keys()]  # noqa: SIM118  # a store is no mapping
    if not folders:
        raise RecordError(f"there is no record in {store.root} yet: `multihop run SCENARIO` makes one")
    wanted = mentions(query, SWEEP) and (sweep is not None or store.sweeps())
    return ask(query, folders, {SWEEP: find(store, sweep).table()} if wanted else {})
