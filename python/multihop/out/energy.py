"""The table of what radios drew, for `run` and the report. Of a node with several radios each has a line."""

from __future__ import annotations

from multihop.analysis.energy import NodeEnergy, by_node
from multihop.measures.notation import NOTHING, plus_minus
from multihop.measures.stats import Estimate, estimate
from multihop.measures.summary import value
from multihop.out.fit import Column, Fitting, Line
from multihop.record.record import Records
from multihop.text import plural

MOST_ROWS = 30
"""More lines than this are left to `--csv`, `--json` and the record."""


def grid(records: Records) -> tuple[list[str], list[list[str]]] | None:
    """Heads and rows, the sum of all nodes last; none without `[energy]`."""
    nodes = by_node(records)
    if not nodes:
        return None
    battery, spent = any(node.left.n for node in nodes), any(node.spent.n for node in nodes)
    heads = ["node", "energy J"] + ["battery left J"] * battery + ["battery empty at s"] * spent

    def row(node: NodeEnergy) -> list[str]:
        cells = [plus_minus(node.joules), _known(node.left), _known(node.spent)]
        return [node.name, *(cell for cell, shown in zip(cells, (True, battery, spent), strict=True) if shown)]

    def part(channel: int, joules: Estimate) -> list[str]:
        return [f"  on channel {channel}", plus_minus(joules), *[""] * (battery + spent)]

    rows = [line for node in nodes for line in (row(node), *(part(*radio) for radio in node.radios))]
    total = estimate(value(run, "energy_j") for run in records.runs)
    return heads, [*rows, ["all", plus_minus(total), *[""] * (battery + spent)]]


def table(records: Records) -> Fitting | None:
    """The same for a terminal."""
    found = grid(records)
    if found is None:
        return None
    heads, [*rows, last] = found
    lines = [Line(row) for row in rows[:MOST_ROWS]]
    if len(rows) > MOST_ROWS:
        more = plural(len(rows) - MOST_ROWS, "more line")
        lines.append(Line([more, "--csv nodes has all", *[""] * (len(heads) - 2)]))
    return Fitting([Column(heads[0], words=True), *map(Column, heads[1:])], [*lines, Line(last, "bold")])


def _known(of: Estimate) -> str:
    return plus_minus(of) if of.n else NOTHING
