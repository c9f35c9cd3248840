"""The result of a sweep: its points with their runs, and the table with one row a point, technique and run."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from multihop.measures.figures import everywhere
from multihop.measures.stats import Estimate, estimate, paired
from multihop.measures.summary import value
from multihop.record.record import Records
from multihop.scenario.quantity import UNITS

if TYPE_CHECKING:
    import pandas as pd

_WRITTEN = {"m/s": "m_per_s", "Mbps": "mbps", "kbps": "kbps", "bps": "bps", "Gbps": "gbps"}
"""Units that a name of a column cannot hold as they are, or that are written small in it."""


class Column:
    """A key of a sweep as a column: numbers with one unit, or texts."""

    def __init__(self, key: str, values: Sequence[str]) -> None:
        self.key = key
        """The path in the scenario."""
        self.unit = ""
        """The unit of all its numbers; empty for texts and bare numbers."""
        read = [_amount(text) for text in values]
        numbers = [r for r in read if r is not None]
        units = list(dict.fromkeys(unit for _, unit in numbers))
        if len(numbers) != len(values) or (len(units) > 1 and not all(unit in UNITS for unit in units)):
            self.of: dict[str, Any] = {text: text.strip("\"'") for text in values}
        else:
            self.unit = units[0] if units else ""
            scale = UNITS.get(self.unit, 1.0)
            self.of = {
                text: number if unit == self.unit else number * UNITS[unit] / scale
                for text, (number, unit) in zip(values, numbers, strict=True)
            }

    @property
    def name(self) -> str:
        """`mac_data_rate_mbps`."""
        suffix = _WRITTEN.get(self.unit, re.sub(r"\W", "_", self.unit))
        return re.sub(r"\W", "_", self.key) + (f"_{suffix}" if suffix else "")

    @property
    def numeric(self) -> bool:
        """Whether its values are numbers."""
        return all(isinstance(v, int | float) for v in self.of.values())

    @property
    def head(self) -> str:
        """`mac.data-rate [Mbps]`, for the axis of a picture."""
        return f"{self.key} [{self.unit}]" if self.unit else self.key


@dataclass(frozen=True)
class Sweep:
    """A sweep: for each cell (a point under one list of techniques) the values of its keys, and its runs."""

    id: str
    """Under which `multihop plot` and `find` have it."""
    scenario: str
    """As the user named it."""
    keys: tuple[str, ...]
    """Paths in the scenario that are swept."""
    values: tuple[tuple[str, ...], ...]
    """For each cell, the value of each key as it was written."""
    records: tuple[Records, ...]
    """For each cell, its runs."""

    def columns(self) -> list[Column]:
        """The columns of the swept keys."""
        return [Column(key, [values[i] for values in self.values]) for i, key in enumerate(self.keys)]

    def table(self) -> pd.DataFrame:
        """One row a point, technique and run: keys with their unit in the name, then all figures, in SI units."""
        import pandas as pd

        keys, figures = self.columns(), everywhere()
        rows = [
            {
                **{column.name: column.of[text] for column, text in zip(keys, values, strict=True)},
                "technique": records.label,
                "run": record.run,
                "seed": record.seed,
                **{figure.column: value(record.data, name) for name, figure in figures.items()},
                "record": record.key,
            }
            for values, records in zip(self.values, self.records, strict=True)
            for record in (kept.lean() for kept in records)
        ]
        return pd.DataFrame(rows)

    def by_cell(self, table: pd.DataFrame) -> list[pd.DataFrame]:
        """The rows of each cell in the table."""
        ends = list(itertools.accumulate(len(records) for records in self.records))
        return [table.iloc[begin:end] for begin, end in itertools.pairwise([0, *ends])]

    def techniques(self) -> list[str]:
        """The lists of techniques, in the order of the sweep: the first is what others are held against."""
        return list(dict.fromkeys(records.label for records in self.records))

    def gains(self, baseline: str, figure: str, table: pd.DataFrame | None = None) -> list[Estimate | None]:
        """For each cell, what its techniques change in a figure: the paired difference over the runs that both have,
        as a share of the mean under `baseline` at the same point. None for the baseline itself, and where it is zero or
        was not run. `table` is that of `table()`, if it is at hand: to read all runs takes long.
        """
        column, cells = everywhere()[figure].column, self.by_cell(self.table() if table is None else table)
        parts = list(zip(self.values, self.records, cells, strict=True))
        held = {values: rows for values, records, rows in parts if records.label == baseline}
        return [
            _gain(held[values], rows, column) if values in held and records.label != baseline else None
            for values, records, rows in parts
        ]

    def document(self) -> dict[str, Any]:
        """The document of `sweep --json` (schema 1): the keys, and each point with mean and interval of its figures,
        and its gains over the first technique."""
        names, table = everywhere(), self.table()
        gains = {name: self.gains(self.techniques()[0], name, table) for name in names}
        return {
            "schema": 1,
            "sweep": self.id,
            "scenario": self.scenario,
            "keys": [{"key": c.key, "unit": c.unit or None, "column": c.name} for c in self.columns()],
            "points": [
                {
                    "values": dict(zip(self.keys, values, strict=True)),
                    "technique": records.label,
                    "runs": [record.run for record in records],
                    "figures": {name: estimate(rows[figure.column]).json() for name, figure in names.items()},
                    "gains": {name: gain.json() for name in names if (gain := gains[name][i])},
                }
                for i, (values, records, rows) in enumerate(
                    zip(self.values, self.records, self.by_cell(table), strict=True)
                )
            ],
        }

    def __repr__(self) -> str:
        runs = sum(map(len, self.records))
        return f"<Sweep {self.id[:12]} {self.scenario} over {', '.join(self.keys)}: {runs} runs>"


def _gain(baseline: pd.DataFrame, other: pd.DataFrame, column: str) -> Estimate | None:
    both = baseline.merge(other, on="run", suffixes=("", "_other"))
    first, second = both[column].tolist(), both[f"{column}_other"].tolist()
    return paired(first, second).relative(estimate(first))


def _amount(text: str) -> tuple[float | int, str] | None:
    """A number and its unit; None if the text is no quantity."""
    found = re.fullmatch(r"\s*([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)\s*([A-Za-z/]*)\s*", text.strip("\"'"))
    if not found or (found[2] and found[2] not in UNITS):
        return None
    number = float(found[1])
    return (int(found[1]) if re.fullmatch(r"[+-]?\d+", found[1]) else number), found[2]
