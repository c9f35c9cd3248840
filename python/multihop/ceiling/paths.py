"""Best paths by hops or by ETX, in words; the engine finds them."""

from __future__ import annotations

from dataclasses import dataclass

METRICS = {"hops": "hops", "etx": "ETX"}
"""The metrics of static routes, as sentences call them."""


@dataclass(frozen=True, slots=True)
class Route:
    """The best path of a flow by one metric."""

    metric: str
    """`hops` or `etx`."""
    path: tuple[str, ...]
    """Its nodes, both ends among them."""
    etx: float
    """Transmissions that its links need on average for one frame."""

    def words(self) -> str:
        """The path and what it costs."""
        return f"{' '.join(self.path)}, ETX {self.etx:.4g}"
