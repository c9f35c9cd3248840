"""multihop: what TCP gets over a wireless multihop network, where its packets die, and which fix helps."""

from multihop import _engine
from multihop.errors import InputError, MultihopError, RecordError, RunError, ScenarioError, StoreError
from multihop.record import Record, Records
from multihop.scenario import Scenario, load
from multihop.store import Store

__version__: str = _engine.VERSION
BUILD: str = _engine.BUILD
"""Hash of the compiled engine, part of every record's address."""


def records(reference: str | None = None) -> Records:
    """Records in the store, by the id that a run printed or a folder; the latest if none is given.

    Of a comparison, the baseline's; `Store.open().find()` gives all of them. Raises RecordError.
    """
    return Store.open().one(reference)


__all__ = [
    "BUILD",
    "InputError",
    "MultihopError",
    "Record",
    "RecordError",
    "Records",
    "RunError",
    "Scenario",
    "ScenarioError",
    "Store",
    "StoreError",
    "__version__",
    "load",
    "records",
]
