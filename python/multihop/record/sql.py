"""SQL over folders of records: their tables as views of DuckDB, which reads their Parquet files where they lie."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from multihop.errors import InputError, RecordError
from multihop.files.manifest import MANIFEST, Manifest, opened
from multihop.scenario.scenario import label

from .tables import RENAMED

if TYPE_CHECKING:
    import pandas as pd

RUNS = "runs"
WINDOW = "window"
"""A word of SQL: the column keeps its name in the store, `name`."""


def ask(query: str, folders: Sequence[Path], more: Mapping[str, pd.DataFrame] | None = None) -> pd.DataFrame:
    """The answer to a query over the tables of records, and `more` of them by name.

    Raises InputError for a query that DuckDB does not take.
    """
    import duckdb

    more = more or {}
    connection = duckdb.connect()
    try:
        _views(connection, folders, query)
        for name, table in more.items():
            connection.register(name, table)
        found: pd.DataFrame | None = connection.sql(query).df() if query.strip() else None
    except duckdb.Error as e:
        raise InputError(f"the query cannot be answered: {_first(str(e), folders, more)}") from None
    except AttributeError:
        raise InputError("the query gives no table: write one `select`") from None
    finally:
        connection.close()
    if found is None:
        raise InputError(
            "the query is empty: write one `select`, like `select scenario, count(*) from runs group by all`"
        )
    return found


def mentions(query: str, name: str) -> bool:
    """Whether a query speaks of a table."""
    return re.search(rf"\b{re.escape(name)}\b", query) is not None


def _views(connection: Any, folders: Sequence[Path], query: str) -> None:
    """Makes the views that the query mentions."""
    if mentions(query, RUNS):
        connection.register(RUNS, _runs(folders))
    names = {file.stem for folder in (folders[0], folders[-1]) for file in folder.glob("*.parquet")}
    names |= {word for word in re.findall(r"\w+", query) if any((f / f"{word}.parquet").exists() for f in folders)}
    for name in sorted(names):
        files = [str(folder / f"{name}.parquet") for folder in folders if (folder / f"{name}.parquet").exists()]
        if mentions(query, name) and files:
            relation = connection.read_parquet(files, filename=True, union_by_name=True)
            key = "regexp_extract(filename, '([0-9a-f]{32})[^/]*/[^/]*$', 1) as record"
            named = {
                old: new for old, new in RENAMED.get(name, {}).items() if old in relation.columns and new != WINDOW
            }
            rename = f" rename ({', '.join(f'{old} as {new}' for old, new in named.items())})" if named else ""
            relation.project(f"{key}, * exclude (filename){rename}").create_view(name)


def _runs(folders: Sequence[Path]) -> pd.DataFrame:
    import pandas as pd

    rows = []
    for folder in folders:
        try:
            manifest = opened(folder / MANIFEST, Manifest)
        except RecordError:
            continue  # damaged: its run is made again when it is asked for
        rows.append(
            {
                "record": manifest.key,
                "scenario": manifest.scenario.name,
                "technique": label(manifest.techniques),
                "run": manifest.run,
                "seed": manifest.seed,
                "wall_s": manifest.wall_s,
                "made": pd.Timestamp(manifest.created),
            }
        )
    return pd.DataFrame(rows)


def _first(message: str, folders: Sequence[Path], more: Mapping[str, pd.DataFrame]) -> str:
    """DuckDB's message in one line, with the tables that there are where one is not."""
    line = " ".join(message.split())
    if "does not exist" in line and "Table" in line:
        known = sorted({file.stem for file in folders[0].glob("*.parquet")} | {RUNS, *more})
        return f"{line.partition(' LINE ')[0]}; the tables are: {', '.join(known)}"
    return line
