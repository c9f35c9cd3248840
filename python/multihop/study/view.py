"""What metrics read: one run as its record gives it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from multihop.errors import RecordError

if TYPE_CHECKING:
    import pandas as pd

    from multihop.record.record import Record

Arguments = Mapping[str, str]
Read = TypeVar("Read")


class RunView(Protocol):
    """One run as its record gives it (`multihop.record.record.Record`)."""

    @property
    def data(self) -> dict[str, Any]:
        """The run's element of `runs[]` in the schema."""

    @property
    def scenario(self) -> dict[str, Any]:
        """The resolved scenario."""

    def series(self, name: str) -> pd.DataFrame:
        """A series over time, flows and nodes by name."""


class Lean:
    """A run that is read from its record each time: a study has tens of thousands of them."""

    def __init__(
        self, record: Record, scenario: dict[str, Any], again: Callable[[Record], Record] | None = None
    ) -> None:
        self._record, self._again = record, again
        self.scenario = scenario
        """The resolved scenario, the same for all runs of a point."""

    @property
    def data(self) -> dict[str, Any]:
        """The run's element of `runs[]` in the schema."""
        return self._read(lambda record: record.data)

    def series(self, name: str) -> pd.DataFrame:
        """A series over time, flows and nodes by name."""
        return self._read(lambda record: record.series(name))

    def _read(self, what: Callable[[Record], Read]) -> Read:
        """What is in the record; if it was damaged or removed since it was made, it is made once more."""
        try:
            return what(self._record.lean())
        except RecordError:
            if self._again is None:
                raise
            self._record = self._again(self._record)
            return what(self._record.lean())


class MetricError(LookupError):
    """A record that has not what a metric asks of it: no such flow, node or window."""


def flow_of(run: RunView, name: str) -> Mapping[str, Any]:
    """The figures of one flow; raises MetricError if there is none of that name."""
    return _one(run.data["flows"], "id", "flow", name)


def node_of(run: RunView, name: str) -> Mapping[str, Any]:
    """The figures of one node; raises MetricError if there is none of that name."""
    return _one(run.data["nodes"], "name", "node", name)


def _one(entries: list[Mapping[str, Any]], key: str, what: str, name: str) -> Mapping[str, Any]:
    for entry in entries:
        if entry[key] == name:
            return entry
    raise MetricError(f"no {what} `{name}`: the run has {', '.join(str(entry[key]) for entry in entries)}")


def alone(entries: list[Mapping[str, Any]], key: str, what: str) -> list[Mapping[str, Any]]:
    """All flows or nodes. None may have the name that stands for all of them."""
    if any(entry[key] == "all" for entry in entries):
        raise MetricError(f"a {what} has the name `all`, which stands for every {what}: give it another name")
    return entries
