"""What metrics read: one run as its record gives it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    import pandas as pd

Arguments = Mapping[str, str]


class RunView(Protocol):
    """One run as its record gives it (`multihop.record.Record`)."""

    @property
    def data(self) -> dict[str, Any]:
        """The run's element of `runs[]` in the schema."""

    @property
    def scenario(self) -> dict[str, Any]:
        """The resolved scenario."""

    def series(self, name: str) -> pd.DataFrame:
        """A series over time, flows and nodes by name."""


class MetricError(LookupError):
    """A record that has not what a metric asks of it: no such flow, node or window."""


def flow_of(run: RunView, name: str) -> Mapping[str, Any]:
    """The figures of one flow; raises MetricError if there is none of that name."""
    flows: list[Mapping[str, Any]] = run.data["flows"]
    for flow in flows:
        if flow["id"] == name:
            return flow
    raise MetricError(f"no flow `{name}`: the run has {', '.join(str(f['id']) for f in flows)}")
