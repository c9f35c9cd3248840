"""Crossed lists of techniques: every combination of one of each."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence

from multihop.errors import ScenarioError
from multihop.scenario.scenario import Scenario, label

Arm = tuple[str, ...]


def crossed(
    groups: Sequence[Sequence[Arm]], resolve: Callable[[Arm], object]
) -> tuple[tuple[Arm, ...], tuple[str, ...]]:
    """All combinations that work, in order, and the names of those whose techniques contradict each other.

    A combination is left out only if each of its techniques works alone. Others fail later, with their own error.
    """
    if len(groups) == 1:
        return tuple(groups[0]), ()
    kept: list[Arm] = []
    left_out: list[str] = []
    for parts in itertools.product(*groups):
        arm = tuple(itertools.chain.from_iterable(parts))
        if len(arm) > 1 and not _works(arm, resolve) and all(_works(part, resolve) for part in parts):
            left_out.append(label(arm))
        else:
            kept.append(arm)
    return tuple(kept), tuple(left_out)


def refused(
    scenarios: Mapping[str, Scenario], arms: Sequence[Arm], resolve: Callable[[Scenario, Arm], object]
) -> frozenset[tuple[str, Arm]]:
    """Scenarios and the arms that each of them refuses, of those that another of them takes."""
    works = {
        (name, arm): _works(arm, lambda arm, here=here: resolve(here, arm))  # type: ignore[misc]
        for name, here in scenarios.items()
        for arm in arms
    }
    taken = {arm for (_, arm), does in works.items() if does}
    return frozenset(pair for pair, does in works.items() if not does and pair[1] in taken)


def _works(arm: Arm, resolve: Callable[[Arm], object]) -> bool:
    try:
        resolve(arm)
    except ScenarioError:
        return False
    return True
