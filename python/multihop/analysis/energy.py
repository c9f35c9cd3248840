"""What radios drew and what their batteries have left, by node, where `[energy]` meters them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from multihop.measures.stats import Estimate, estimate
from multihop.text import listing, plural

if TYPE_CHECKING:
    from multihop.record.record import Records

MOST_NAMES = 3
"""So many nodes are named in a sentence."""


def metered(scenario: Mapping[str, Any]) -> bool:
    """Whether a resolved scenario has `[energy]`."""
    return any(key.startswith("energy.") for key in scenario["values"])


@dataclass(frozen=True, slots=True)
class NodeEnergy:
    """What one node drew in the measured time, over the runs."""

    name: str
    joules: Estimate
    left: Estimate
    """What its battery has left at the end [J]; without a value if it has no end."""
    spent: Estimate
    """When it was empty [s], of the runs in which it was."""
    radios: tuple[tuple[int, Estimate], ...] = ()
    """Channel and energy of each of its radios, if it has several; they share the battery."""


def by_node(records: Records, run: int | None = None) -> list[NodeEnergy]:
    """Each node over all runs or in one, in the order of the scenario; none without `[energy]`."""
    runs = [record.data for record in records if run in (None, record.run)]
    if not runs or not metered(records.scenario):
        return []

    def of(index: int, figure: str) -> Estimate:
        return estimate(run["nodes"][index].get(figure) for run in runs)

    def radios(index: int) -> tuple[tuple[int, Estimate], ...]:
        first = runs[0]["nodes"][index].get("radios", ())
        drawn = (estimate(run["nodes"][index]["radios"][at]["energy_j"] for run in runs) for at in range(len(first)))
        return tuple((radio["channel"], joules) for radio, joules in zip(first, drawn, strict=True))

    def told(index: int, name: str) -> NodeEnergy:
        drawn, left, spent = (of(index, figure) for figure in ("energy_j", "battery_left_j", "battery_spent_s"))
        return NodeEnergy(name, drawn, left, spent, radios(index))

    return [told(index, str(node["name"])) for index, node in enumerate(runs[0]["nodes"])]


def words(records: Records, run: int | None = None) -> str:
    """In sentences: all together, the nodes that drew most, and empty batteries; nothing without `[energy]`."""
    nodes = by_node(records, run)
    if not nodes:
        return ""
    most = sorted(nodes, key=lambda node: -node.joules.mean)[:MOST_NAMES]
    named = listing(f"{node.name} ({node.joules.mean:.4g} J)" for node in most)
    total = sum(node.joules.mean for node in nodes)
    said = f"The radios of {plural(len(nodes), 'node')} drew {total:.4g} J in the measured time, most at {named}."
    if not any(node.left.n for node in nodes):
        return said
    spent = sorted((node for node in nodes if node.spent.n), key=lambda node: node.spent.mean)
    if not spent:
        least = min(nodes, key=lambda node: node.left.mean)
        return f"{said} No battery was empty; the least was left at {least.name}: {least.left.mean:.4g} J."
    first = spent[0]
    were = plural(len(spent), "battery was", "batteries were")
    return f"{said} {were} empty, first that of {first.name}, at {first.spent.mean:.4g} s."
