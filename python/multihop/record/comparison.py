"""Comparing techniques: the same runs under each, difference by difference against the baseline."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from multihop.errors import InputError
from multihop.measures.figures import everywhere, shown
from multihop.measures.stats import LEVEL, MATTERS, Estimate, Paired, estimate, holm, paired
from multihop.measures.summary import COMPLETION, causes, is_file, place_of, value
from multihop.notebook import Shown
from multihop.record.record import Record, Records
from multihop.scenario.scenario import check_arms
from multihop.text import plural

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, slots=True)
class Row:
    """One figure of one technique against the baseline."""

    technique: str
    figure: str
    flow: str | None
    """None: over all flows."""
    baseline: Estimate
    other: Estimate
    pair: Paired
    runs: int
    """How many runs are compared, with the figure or without it."""
    adjusted_p: float = math.nan
    """The p-value of the difference by Holm's correction over its group of verdicts (see `Comparison.rows`); NaN if
    there is none."""

    @property
    def adjusted_verdict(self) -> str:
        """The verdict as one of many: `open` where the difference may be one that chance makes among so many."""
        chance = self.adjusted_p > 1 - LEVEL
        return "open" if chance and self.pair.verdict in ("higher", "lower") else self.pair.verdict

    @property
    def matters(self) -> bool:
        """Whether the mean difference is at least 1 % of the baseline, the smallest effect of interest."""
        return self.relative is None or not abs(self.relative.mean) < MATTERS

    @property
    def relative(self) -> Estimate | None:
        """The difference as a share of the baseline's mean (taken as exact); None if that is zero."""
        return self.pair.relative(self.baseline)

    def json(self) -> dict[str, Any]:
        """As in `comparisons[]` of the public document."""
        correlation = self.pair.correlation
        return {
            "technique": self.technique,
            "figure": self.figure,
            "flow": self.flow,
            "baseline": self.baseline.json(),
            "other": self.other.json(),
            "difference": self.pair.difference.json(),
            "relative": self.relative.json() if self.relative else None,
            "correlation": None if math.isnan(correlation) else correlation,
            "verdict": self.pair.verdict,
            "more_runs": self.pair.more_runs,
            "p_value": _known(self.pair.p_value),
            "adjusted_p_value": _known(self.adjusted_p),
            "adjusted_verdict": self.adjusted_verdict,
            "matters": self.matters,
        }


class Comparison(Shown):
    """The same scenario under several lists of techniques, the first being the baseline."""

    def __init__(self, arms: Sequence[Records]) -> None:
        check_arms([arm.techniques for arm in arms])
        common = set.intersection(*({r.run for r in arm} for arm in arms))
        self.arms = [_only(arm, common) for arm in arms]
        """The records by technique, cut to the runs that all of them have."""
        self.runs = sorted(common)
        """The run numbers compared."""
        if not self.runs:
            raise InputError("no run has finished under every technique: there is nothing to compare yet")

    @property
    def baseline(self) -> Records:
        """What the others are compared with."""
        return self.arms[0]

    def row(self, arm: Records, figure: str, flow: str | None = None) -> Row:
        """One figure of one technique against the baseline."""
        return self._rows.get((arm.label, figure, flow)) or self._row(arm, figure, flow)

    def _row(self, arm: Records, figure: str, flow: str | None = None) -> Row:
        base = [value(run, figure, flow) for run in self.baseline.runs]
        other = [value(run, figure, flow) for run in arm.runs]
        return Row(arm.label, figure, flow, estimate(base), estimate(other), paired(base, other), len(base))

    def rows(self) -> list[Row]:
        """All comparisons: each technique's network figures, and each flow's headline if there are several flows.

        Their verdicts are corrected for their number by Holm, in two groups: those on the main figure of each technique
        answer what was asked, and are not weakened by what else is looked at.
        """
        return list(self._rows.values())

    @cached_property
    def _rows(self) -> dict[tuple[str, str, str | None], Row]:
        """All comparisons by technique, figure and flow."""
        compared = [figure.name for figure in sorted(shown("compare"), key=lambda figure: figure.places["compare"])]
        found = []
        flows = [f["id"] for f in self.baseline.runs[0]["flows"]]
        known = [figure for figure in compared if self._known(figure) and (figure != "jain" or len(flows) > 1)]
        for arm in self.arms[1:]:
            found += [self._row(arm, figure) for figure in known]
            if len(flows) > 1:
                found += [self._row(arm, self.headline(flow), flow) for flow in flows]
        answers = [row for row in found if self.is_answer(row)]
        groups = (answers, [row for row in found if row not in answers])
        adjusted = {
            (row.technique, row.figure, row.flow): replace(row, adjusted_p=p)
            for rows in groups
            for row, p in zip(rows, holm([row.pair.p_value for row in rows]), strict=True)
        }
        return {key: adjusted[key] for key in ((row.technique, row.figure, row.flow) for row in found)}

    def headline(self, flow: str) -> str:
        """The figure that a flow is judged by: its goodput, or when it has completed if it carries a file and did so in
        any run."""
        flows = self.baseline.runs[0]["flows"]
        entry = flows[place_of(flow, flows)]
        done = any(not math.isnan(value(run, COMPLETION, flow)) for arm in self.arms for run in arm.runs)
        return COMPLETION if is_file(entry) and done else "goodput_bps"

    @cached_property
    def judged(self) -> list[str]:
        """The figures by which the flows are judged (see `headline`); the first is the main figure."""
        found = {self.headline(str(flow["id"])) for flow in self.baseline.runs[0]["flows"]}
        return sorted(found, reverse=True) or ["goodput_bps"]

    def is_answer(self, row: Row) -> bool:
        """Whether a comparison is of the main figure over all flows."""
        return row.figure == self.judged[0] and row.flow is None

    def _known(self, figure: str) -> bool:
        """Whether any run tells the figure: there is no time to resume where nothing returns."""
        return any(not math.isnan(value(run, figure)) for arm in self.arms for run in arm.runs)

    def by_figure(self) -> list[list[Row]]:
        """All comparisons that have a value, by figure and flow: in each list a row for each technique."""
        found: dict[tuple[str, str | None], list[Row]] = {}
        for row in self.rows():
            found.setdefault((row.figure, row.flow), []).append(row)
        return [rows for rows in found.values() if any(row.baseline.n or row.other.n for row in rows)]

    def causes(self) -> dict[str, list[Estimate]]:
        """Packets dropped by cause, one estimate for each technique; the most frequent cause first."""
        names = {cause for arm in self.arms for run in arm.runs for cause in causes(run)}
        table = {
            cause: [estimate(causes(run).get(cause, 0) for run in arm.runs) for arm in self.arms] for cause in names
        }
        return dict(sorted(table.items(), key=lambda item: (-sum(e.mean for e in item[1]), item[0])))

    def table(self, name: str = "comparison") -> pd.DataFrame:
        """The comparison as a tidy table, or a table of all its records (see `Records.table`); raises InputError."""
        from multihop.record.frames import of_comparison, of_records

        return of_comparison(self) if name == "comparison" else of_records(name, self.arms)

    def json(self) -> dict[str, Any]:
        """The public document of `compare --json` (schema 1)."""
        from multihop.record.document import compare_document

        return compare_document(self)

    def __repr__(self) -> str:
        runs = plural(len(self.runs), "run") if len(self.runs) > 1 else "1 run, so no intervals"
        return f"<Comparison {self.baseline.name} {' vs '.join(a.label for a in self.arms)}: {runs}>"


def better(row: Row) -> bool | None:
    """Whether a settled difference is an improvement; None if it is open, equal, or neither good nor bad."""
    wanted = everywhere()[row.figure].more_is_better
    if wanted is None or row.adjusted_verdict not in ("higher", "lower"):
        return None
    return (row.adjusted_verdict == "higher") == wanted


def _known(x: float) -> float | None:
    return None if math.isnan(x) else x


def _only(arm: Records, runs: set[int]) -> Records:
    kept: list[Record] = [r for r in arm if r.run in runs]
    return Records(kept, name=arm.name, techniques=arm.techniques, stored=arm.stored & {r.key for r in kept})
