"""A finished run as tables: from the engine's JSON and columns to what a record keeps as Parquet.

Ids stay ids: where the engine counts flows, nodes and causes by index, the tables hold their names
(dictionary-encoded, so they cost an index each).
"""

from __future__ import annotations

import io
import json
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

    from multihop.measures.figures import Figure

RUN = "run.json"
"""The file of a record that holds what a run left, but for its series."""
SERIES = "series_"
"""Prefix of the tables that hold series."""
BELIEVED = ("dup-acks", "timeout")
"""How TCP noticed a loss, by the engine's number."""
RENAMED = {"flows": {"id": "flow"}, "nodes": {"name": "node"}, "windows": {"name": "window"}}
"""Columns that a table in the store calls otherwise than all other tables do."""
FLOW_IS = ("id", "from", "to", "kind", "transport")
"""What a flow is, besides its figures."""
NODE_IS = ("name", "x", "y")
"""What a node is, besides its figures."""


def encoded(data: Mapping[str, Any], series: Mapping[str, Mapping[str, NDArray[np.generic]]]) -> dict[str, bytes]:
    """The files of a record that hold what a run left, by name: `run.json`, and Parquet for each of its tables."""
    import pyarrow.parquet as pq

    files = {RUN: json.dumps(data, allow_nan=False).encode()}
    for name, table in tables(data, series).items():
        buffer = io.BytesIO()
        pq.write_table(table, buffer, compression="zstd")
        files[f"{name}.parquet"] = buffer.getvalue()
    return files


def tables(data: Mapping[str, Any], series: Mapping[str, Mapping[str, NDArray[np.generic]]]) -> dict[str, pa.Table]:
    """All tables of a run by name: flows, windows, losses, ledger, nodes and a `series_NAME` for each series."""
    import pyarrow as pa

    from multihop.measures.figures import FLOW, NODE

    small = {
        "flows": [_row(flow, FLOW_IS, FLOW) for flow in data["flows"]],
        "windows": [{"flow": f["id"], **w} for f in data["flows"] for w in f.get("windows", ())],
        "losses": [{"flow": f["id"], **loss} for f in data["flows"] for loss in f.get("losses", ())],
        "ledger": list(ledger_rows(data)),
        "nodes": [_row(node, NODE_IS, NODE) for node in data["nodes"]],
    }
    found = {name: _table(name, rows) for name, rows in small.items()}
    names = _names(data)
    for name, columns in series.items():
        arrays = {
            column: _column(values, names.get((name, column), names.get(("", column))))
            for column, values in columns.items()
        }
        found[SERIES + name] = pa.table(arrays)
    return found


def ledger_rows(data: Mapping[str, Any]) -> Iterable[dict[str, Any]]:
    """The ledger in long form: one row per flow (null: the whole network), kind of entry and cause."""
    ledgers = [(None, data["ledger"]), *((f["id"], f["ledger"]) for f in data["flows"] if "ledger" in f)]
    for flow, ledger in ledgers:
        for kind, entry in ledger.items():
            causes = entry.items() if isinstance(entry, Mapping) else [(None, entry)]
            for cause, n in causes:
                yield {"flow": flow, "kind": kind, "cause": cause, "n": n}


def _row(entry: Mapping[str, Any], identity: Iterable[str], figures: Mapping[str, Figure]) -> dict[str, Any]:
    """A flow or a node without what is nested: what it is, and its figures."""
    known = {figure.column: figure.read(entry) for figure in figures.values()}
    counts = {figure.column for figure in figures.values() if figure.kind == "count"}
    whole = {name: int(n) if name in counts and n is not None else n for name, n in known.items()}
    return {**{key: entry[key] for key in identity if key in entry}, **whole}


def _names(data: Mapping[str, Any]) -> dict[tuple[str, str], list[str]]:
    """Names behind the engine's numbers, by (series, column); series "" holds for all of them."""
    from multihop._engine import CATEGORIES, EVENT_KINDS, MPDU_CAUSES, PACKET_KINDS

    nodes = [str(n["name"]) for n in data["nodes"]]

    return {
        ("", "flow"): [str(f["id"]) for f in data["flows"]],
        ("", "node"): nodes,
        ("drops", "kind"): list(PACKET_KINDS),
        ("events", "kind"): list(EVENT_KINDS),
        ("drops", "cause"): list(data.get("causes", ())),
        ("", "by"): nodes,
        ("", "hidden"): ["no", "yes"],
        ("mpdus", "from"): nodes,
        ("mpdus", "to"): nodes,
        ("mpdus", "category"): list(CATEGORIES),
        ("mpdus", "cause"): list(MPDU_CAUSES),
        ("losses", "believed"): list(BELIEVED),
        ("routes", "found"): ["lost", "found"],
        ("losses", "truth"): list(data.get("truths", ())),
    }


def _column(values: NDArray[np.generic], names: list[str] | None) -> pa.Array:
    import numpy as np
    import pyarrow as pa

    if names is None:
        return pa.array(values)
    index = np.asarray(values).astype(np.int32)
    return pa.DictionaryArray.from_arrays(pa.array(index, mask=index < 0), pa.array(names, pa.string()))


def _table(name: str, rows: list[dict[str, Any]]) -> pa.Table:
    import pyarrow as pa

    if not rows:
        return _schema(name).empty_table()
    table = pa.Table.from_pylist(rows)
    unknown = [i for i, field in enumerate(table.schema) if pa.types.is_null(field.type)]
    for i in unknown:  # only figures can be unknown everywhere; `cause` of a plain entry is text
        kind = pa.string() if table.schema.field(i).name in ("cause", "flow") else pa.float64()
        table = table.set_column(i, table.schema.field(i).name, table.column(i).cast(kind))
    return table


def _schema(name: str) -> pa.Schema:
    """Columns of a table without rows, so that reading it needs no special case."""
    import pyarrow as pa

    from multihop.measures.figures import FLOW, NODE

    text, number, real = pa.string(), pa.int64(), pa.float64()

    def figures(of: Mapping[str, Figure]) -> list[tuple[str, pa.DataType]]:
        return [(figure.column, number if figure.kind == "count" else real) for figure in of.values()]

    columns: dict[str, list[tuple[str, pa.DataType]]] = {
        "flows": [*((name, text) for name in FLOW_IS), *figures(FLOW)],
        "windows": [("flow", text), ("name", text), ("from_s", real), ("to_s", real), ("goodput_bps", real)],
        "losses": [("flow", text), ("believed", text), ("truth", text), ("n", number)],
        "ledger": [("flow", text), ("kind", text), ("cause", text), ("n", number)],
        "nodes": [("name", text), ("x", real), ("y", real), *figures(NODE)],
    }
    return pa.schema(columns[name])
