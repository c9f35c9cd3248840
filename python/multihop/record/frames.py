"""Runs and comparisons as tidy tables: one row a fact, and the same key columns everywhere.

The keys stand first, in this order, as far as a table has them: technique, run, flow, node.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from multihop.errors import InputError
from multihop.measures.figures import FLOW, NODE, everywhere
from multihop.measures.stats import Estimate, estimate
from multihop.measures.summary import value
from multihop.scenario.scenario import nearest

if TYPE_CHECKING:
    import pandas as pd

    from multihop.record.comparison import Comparison
    from multihop.record.record import Records

KEYS = ("technique", "run", "flow", "node")
STORED = ("flows", "windows", "losses", "ledger", "nodes")
"""The tables that records keep."""
TABLES = ("summary", *STORED, "drops", "interference", "links", "modes", "node_radios")
"""The tables of records; their series are tables too."""


def of_records(name: str, arms: Sequence[Records]) -> pd.DataFrame:
    """A table of one or several sets of runs; raises InputError for one that there is not."""
    import pandas as pd

    series = arms[0][0].series_names
    if name not in (*TABLES, *series):
        known = ", ".join([*TABLES, *(s for s in series if s not in TABLES)])
        raise InputError(f"there is no table `{name}`{nearest(name, [*TABLES, *series])}; there are: {known}")
    parts = [_table(name, arm).assign(technique=arm.label) for arm in arms]
    return keyed(pd.concat(parts, ignore_index=True))


def of_comparison(comparison: Comparison) -> pd.DataFrame:
    """Each figure of each technique beside the baseline's: means, the difference with its interval, and the verdict."""
    import pandas as pd

    rows = [
        {
            "technique": row.technique,
            "flow": row.flow,
            "figure": row.figure,
            "baseline": row.baseline.mean,
            "mean": row.other.mean,
            "difference": row.pair.difference.mean,
            "low": row.pair.difference.low,
            "high": row.pair.difference.high,
            "runs": row.pair.difference.n,
            "correlation": row.pair.correlation,
            "verdict": row.pair.verdict,
            "more_runs": row.pair.more_runs,
            "adjusted_p_value": row.adjusted_p,
            "adjusted_verdict": row.adjusted_verdict,
        }
        for row in comparison.rows()
    ]
    return keyed(pd.DataFrame(rows))


def keyed(frame: pd.DataFrame) -> pd.DataFrame:
    """The same table with its keys first."""
    keys = [key for key in KEYS if key in frame.columns]
    return frame[[*keys, *(column for column in frame.columns if column not in keys)]]


def _table(name: str, arm: Records) -> pd.DataFrame:
    import pandas as pd

    if name == "summary":
        return pd.DataFrame(_summary(arm))
    if name == "drops":  # the counts: they have all, of the series only a part may have been kept
        rows = [{"run": r["run"], **drop, **_killer(drop)} for r in arm.runs for drop in r["drops"]]
        said = ["flow", "node", "kind", "cause", "n", "first_s", "last_s", "by", "by_n", "hidden_n"]
        return pd.DataFrame(rows, columns=["run", *said])
    if name == "interference":
        rows = [{"run": r["run"], **row} for r in arm.runs for row in r.get("interference") or ()]
        return pd.DataFrame(rows, columns=["run", "from", "to", "frame", "by", "n", "hidden"])
    if name == "links":
        from multihop._engine import MPDU_CAUSES

        causes = {cause: f"lost_{cause.replace(' ', '_')}" for cause in MPDU_CAUSES}
        rows = [{"run": r["run"], **row, **_lost(row, causes)} for r in arm.runs for row in r.get("mpdus") or ()]
        is_ = ["run", "from", "to", "channel", "category", "frames", "mpdus", "packets", "airtime_s", "lost"]
        is_ += causes.values()
        became = ["delivered", "given_up", "delay_s", "held", "held_s", "released", "expected_bps"]
        return pd.DataFrame(rows, columns=[*is_, *became])
    if name == "modes":
        return pd.DataFrame(_modes(arm), columns=["run", "node", "channel", "mode", "frames"])
    if name == "node_radios":
        figures = {figure.column: figure for figure in NODE.values()}
        rows = [
            {
                "run": r["run"],
                "node": node["name"],
                "channel": radio["channel"],
                **{column: figure.read(radio) for column, figure in figures.items()},
            }
            for r in arm.runs
            for node in r["nodes"]
            for radio in node.get("radios", ())
        ]
        return pd.DataFrame(rows, columns=["run", "node", "channel", *figures])
    found: pd.DataFrame = getattr(arm, name) if name in STORED else arm.series(name)
    return found


def _modes(arm: Records) -> Iterator[dict[str, Any]]:
    """Data frames by mode, a row for each radio and mode; the channel of a node with one radio is not named."""
    for run in arm.runs:
        for node in run["nodes"]:
            for radio in node.get("radios") or [node]:
                for mode, n in (radio.get("data_by_mode") or {}).items():
                    whose = {"run": run["run"], "node": node["name"], "channel": radio.get("channel")}
                    yield {**whose, "mode": mode, "frames": n}


def _lost(row: dict[str, Any], causes: dict[str, str]) -> dict[str, int]:
    """The lost MPDUs of a link by what they died of, as columns."""
    return {column: row["lost_by"].get(cause, 0) for cause, column in causes.items()}


def _killer(drop: dict[str, Any]) -> dict[str, Any]:
    """The station that killed most of these drops, how many these are, and how many died of hidden stations."""
    found = drop["killers"]
    return {
        "by": found[0]["by"] if found else None,
        "by_n": found[0]["n"] if found else 0,
        "hidden_n": sum(k["n"] for k in found if k["hidden"]),
    }


def _summary(arm: Records) -> Iterator[dict[str, Any]]:
    flows: list[str | None] = [None, *(str(f["id"]) for f in arm.runs[0]["flows"])]
    for flow in flows:
        for figure in everywhere() if flow is None else FLOW:
            yield {"flow": flow, "figure": figure, **_interval(estimate(value(r, figure, flow) for r in arm.runs))}


def _interval(found: Estimate) -> dict[str, Any]:
    return {"mean": found.mean, "low": found.low, "high": found.high, "runs": found.n}
