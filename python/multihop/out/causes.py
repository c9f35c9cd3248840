"""The reference page of the causes of drops."""

from __future__ import annotations

from multihop.analysis.causes import CAUSES

HEAD = """# Causes of drops

Why a packet was dropped. `run`, `compare` and `explain` show the name of the cause.
The [ledger](../guide/explain.md#the-ledger) has coarser names. The class is what a TCP loss for this cause amounts to.

| cause | in the ledger | class | layer | links | meaning |
|---|---|---|---|---|---|
"""


def page() -> str:
    """The page, with one row for each cause."""
    rows = (
        (c.name, ", ".join(f"`{it}`" for it in c.reasons), c.group, c.layer, c.links, c.described())
        for c in CAUSES.values()
    )
    return HEAD + "".join(f"| {' | '.join(row)} |\n" for row in rows)
