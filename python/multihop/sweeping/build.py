"""From what the user says, on the command line, in a file or from Python, to a campaign."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from multihop.errors import InputError
from multihop.scenario.scenario import Scenario, Techniques, alternatives, assignments, specs

from .axes import Axis, axes
from .campaign import Campaign
from .crossing import crossed, refused
from .file import Entry, Written, read
from .until import MOST_RUNS, Until
from .until import until as read_until

RUNS = 5
"""Runs of a point where nothing else is said."""


def campaign(
    source: str | Scenario,
    over: Sequence[str] | Mapping[str, Any] = (),
    techniques: str | Sequence[Techniques] = (),
    settings: Sequence[str] | Mapping[str, Any] = (),
    *,
    runs: int | None = None,
    seed: int | None = None,
    until: str | None = None,
    most: int | None = None,
    cross: Sequence[str | Sequence[str]] = (),
) -> tuple[Campaign, Until | None]:
    """The campaign and the rule that ends its points; what is said here comes before what the file says.

    `cross` holds lists of techniques: every combination of one of each, and of one of `techniques`, runs.

    Raises InputError, before anything runs.
    """
    written = read(source) if isinstance(source, str) else Written(source, None)
    entry = written.entry or Entry(over={})
    swept = {axis.keys: axis for axis in (*axes(entry.over), *axes(over))}
    if not swept:
        raise InputError(
            "a sweep needs a key: give --over, like `--over topology.hops=1..12`, or a [sweep.over] table in the file"
        )
    until, most = until or entry.until, most if most is not None else entry.most
    if most is not None and until is None:
        raise InputError("--most bounds the runs of --until, which is not given")
    fixed = (*entry.set, *assignments(settings))
    groups = [_arms(group) for group in cross or entry.cross]
    if not all(groups):
        raise InputError("an empty list of techniques to cross; write `none` for the bare scenario")
    arms, left_out = crossed(
        [*groups, _arms(techniques) or _arms(entry.techniques) or ((),)],
        lambda arm: written.scenario.resolve(arm, fixed, None),
    )
    made = Campaign(
        written.scenario,
        tuple(_apart(list(swept.values()))),
        arms,
        fixed,
        seed if seed is not None else entry.seed,
        runs if runs is not None else (entry.runs if entry.runs is not None else RUNS),
        left_out,
    )
    made.check()
    found = refused(made.scenarios(), arms, lambda scenario, arm: scenario.resolve(arm, fixed, None))
    made = replace(made, refused=found)
    return made, read_until(until, most if most is not None else MOST_RUNS) if until else None


def _arms(techniques: str | Sequence[Techniques]) -> tuple[tuple[str, ...], ...]:
    if isinstance(techniques, str):
        return tuple(tuple(arm) for arm in alternatives(techniques))
    if all(isinstance(item, str) for item in techniques):
        return tuple(tuple(arm) for arm in alternatives([str(item) for item in techniques]))
    return tuple(tuple(specs(item)) for item in techniques)


def _apart(found: list[Axis]) -> list[Axis]:
    """The axes, if no two have a key in common; raises InputError."""
    keys = [key for axis in found for key in axis.keys]
    if twice := [key for i, key in enumerate(keys) if key in keys[:i]]:
        raise InputError(f"--over: the key `{twice[0]}` is swept twice; give each key once")
    return found
