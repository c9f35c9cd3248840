"""multihop: what TCP gets over a wireless multihop network, where its packets die, and which fix helps."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from multihop._engine import BUILD
    from multihop._engine import VERSION as __version__  # noqa: N811
    from multihop.api import (
        Scenario,
        advise,
        check,
        cite,
        explain,
        export_records,
        import_,
        list_records,
        load,
        plot,
        records,
        remove_records,
        sql,
        sweep,
        sweeps,
    )
    from multihop.errors import InputError, MultihopError, RecordError, RunError, ScenarioError, StoreError
    from multihop.record.comparison import Comparison
    from multihop.record.record import Record, Records
    from multihop.reproducing import reproduce
    from multihop.store.store import Store
    from multihop.sweeping.result import Sweep

_HOMES = {
    "BUILD": "_engine",
    "Comparison": "record.comparison",
    "InputError": "errors",
    "MultihopError": "errors",
    "Record": "record.record",
    "RecordError": "errors",
    "Records": "record.record",
    "RunError": "errors",
    "Scenario": "api",
    "ScenarioError": "errors",
    "Store": "store.store",
    "StoreError": "errors",
    "Sweep": "sweeping.result",
    "advise": "api",
    "check": "api",
    "cite": "api",
    "explain": "api",
    "export_records": "api",
    "import_": "api",
    "list_records": "api",
    "load": "api",
    "plot": "api",
    "records": "api",
    "remove_records": "api",
    "reproduce": "reproducing",
    "sql": "api",
    "sweep": "api",
    "sweeps": "api",
}
"""Where each public name lives: it is imported when it is first used, so that the command line answers at once."""

__all__ = [
    "BUILD",
    "Comparison",
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
    "Sweep",
    "__version__",
    "advise",
    "check",
    "cite",
    "explain",
    "export_records",
    "import_",
    "list_records",
    "load",
    "plot",
    "records",
    "remove_records",
    "reproduce",
    "sql",
    "sweep",
    "sweeps",
]


def __getattr__(name: str) -> Any:
    if name == "__version__":
        return import_module("multihop._engine").VERSION
    if name not in _HOMES:
        raise AttributeError(f"module `multihop` has no attribute `{name}`")
    found = getattr(import_module(f"multihop.{_HOMES[name]}"), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted(__all__)
