"""What RTS/CTS is worth to a scenario, as far as frame times say: the ceilings of its flows with it and without it."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from multihop.ceiling.reach import Reach, Way
from multihop.scenario.link import is_slotted
from multihop.scenario.scenario import Scenario, Settings, Techniques, assignments, specs
from multihop.scenario.wifi import has_rts
from multihop.text import kilobits, plural

KEY = "mac.rts-threshold"
STATIONS = 3
"""With fewer stations none can be hidden from another."""
ALL, NONE = "0 B", "65535 B"
"""Thresholds with which RTS/CTS go before all data frames and before none."""


@dataclass(frozen=True)
class RtsWorth:
    """The same flows with RTS/CTS before all data frames and before none."""

    on: bool
    """Whether the scenario has it, before some of the frames at least."""
    having: Sequence[Way]
    """What is known of the flows as the scenario has it."""
    other: Sequence[Way]
    """The same the other way."""
    hidden: int
    """Hops of flows that a station of some flow's path disturbs unheard."""
    compare: str
    """The command that measures it."""

    @cached_property
    def changes(self) -> list[float]:
        """By how much the ceiling of each flow moves the other way, as a share; flows without one are left out."""
        pairs = zip(self.having, self.other, strict=True)
        return [b.ceiling_bps / a.ceiling_bps - 1 for a, b in pairs if a.ceiling_bps and b.ceiling_bps]

    @cached_property
    def example(self) -> tuple[Way, Way]:
        """The flow whose ceiling moves most, as the scenario has it and the other way."""
        pairs = [pair for pair in zip(self.having, self.other, strict=True) if pair[0].ceiling_bps]
        return max(pairs, key=lambda pair: abs(pair[1].ceiling_bps / pair[0].ceiling_bps - 1))

    def words(self) -> list[str]:
        """What it costs, which hops it may protect, and how to measure it, a sentence each."""
        is_, then = ("on", "Without") if self.on else ("off", "With")
        a, b = self.example
        flow = f"flow {a.flow['id']}" if len(self.having) > 1 else "the flow"
        rates = f"{kilobits(b.ceiling_bps)} kbit/s in place of {kilobits(a.ceiling_bps)}"
        said = [
            f"RTS/CTS is {is_} (`{KEY}`). {then} it the ceiling of {flow} would be about {rates} "
            f"({100 * (b.ceiling_bps / a.ceiling_bps - 1):+.0f} %)."
        ]
        if self.hidden:
            said.append(
                f"RTS/CTS protects against hidden stations, which disturb {plural(self.hidden, 'hop')} of these flows. "
                "Only a run can say which is better."
            )
        else:
            said.append("No hidden station disturbs these flows: RTS/CTS has nothing to protect here.")
        return [*said, f"To measure it: {self.compare}"]


def rts_worth(
    scenario: Scenario,
    reach: Reach,
    techniques: Techniques = (),
    set_: Settings = (),
) -> RtsWorth | None:
    """What RTS/CTS is worth; none over a slotted link, without a path by radio, or where it is off for two stations."""
    values = reach.info["values"]
    ways = reach.ways()
    if is_slotted(values) or not any(way.ceiling_bps and way.shared for way in ways):
        return None
    on = has_rts({key: said["value"] for key, said in values.items()})
    hidden = len(disturbed(reach, ways))
    if not on and not hidden and len(reach.places) < STATIONS:
        return None
    said = [setting for setting in assignments(set_) if not setting.startswith(f"{KEY}=")]
    other = Reach(scenario.resolve(techniques, [*said, f"{KEY}={NONE if on else ALL}"]))
    shown = "".join(f" --set {shlex.quote(setting)}" for setting in said)
    beneath = [spec for spec in specs(techniques) if spec.partition(":")[0] not in ("rts-on", "rts-off", "none")]
    arms = ["+".join([*beneath, one]) for one in (("rts-on", "rts-off") if on else ("rts-off", "rts-on"))]
    command = f"multihop compare {shlex.quote(scenario.name)} -t {shlex.quote(','.join(arms))}{shown}"
    return RtsWorth(on, ways, other.ways(), hidden, command)


def disturbed(reach: Reach, ways: Sequence[Way]) -> set[tuple[str, str]]:
    """Hops of flows whose receiver senses a station that sends for some flow, and whose sender does not sense it."""
    senders = {node for way in ways for node in way.path}
    hops = {hop for way in ways for hop in zip(way.path, way.path[1:], strict=False)}
    return {
        hop
        for hop in hops
        if any(
            reach.senses(hop[1], station) and not reach.senses(hop[0], station)
            for station in senders
            if station not in hop and reach.meet(hop[1], station, reach.channel(hop))
        )
    }
