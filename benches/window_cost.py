"""Instructions a frame by the rule of TCP's window, over the chain of seven hops.

    python benches/window_cost.py

It runs the shipped scenario `chain` for 300 s, with each rule and nothing else changed. Rules send other packets, so
what is counted is divided by the frames on the air. valgrind counts; a twin of nearly no time takes off the start.
"""

from __future__ import annotations

import json
import sys

from peers import NEARLY_NOTHING, PEERS, ROOT, MissingError, build_engine, output_of, valgrind_instructions

SCENARIO = ROOT / "scenarios" / "chain.toml"
SECONDS = 300.0
RULES = ("newreno", "cubic", "westwood", "vegas", "veno", "bbr", "bbr-draft")
"""Values of `tcp.window`; the first is what the others are held against."""


def command(rule: str, seconds: float) -> list[str]:
    """A run with this rule."""
    engine = PEERS[0].command(1, seconds, 1)[0]
    return [engine, str(SCENARIO), str(seconds), "1", f"tcp.window={rule}"]


def cost(rule: str) -> tuple[float, int]:
    """Instructions a frame, and how many frames there are."""
    nodes = json.loads(output_of(command(rule, SECONDS))[0])["nodes"]
    frames = sum(sum(node["frames"].values()) for node in nodes)
    counted = valgrind_instructions(command(rule, SECONDS)) - valgrind_instructions(command(rule, NEARLY_NOTHING))
    return counted / frames, frames


def main() -> int:
    """Command line."""
    try:
        build_engine()
        costs = {rule: cost(rule) for rule in RULES}
    except MissingError as missing:
        print(f"the cost of a window is not measured: {missing}", file=sys.stderr)
        return 0
    usual = costs[RULES[0]][0]
    for rule, (each, frames) in costs.items():
        print(f"{rule}: {each:.0f} instructions a frame ({100 * (each / usual - 1):+.1f} %), {frames} frames")
    return 0


if __name__ == "__main__":
    sys.exit(main())
