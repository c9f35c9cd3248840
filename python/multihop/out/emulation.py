"""What an emulation says beside its figures: how late the network was, and how the commands ended."""

from __future__ import annotations

from typing import Any

from multihop.text import plural


def sentences(said: dict[str, Any]) -> list[str]:
    """Lag, datagrams, commands; what is wrong comes first."""
    found = [_lag(said)]
    if not said["valid"]:
        found.insert(0, _invalid(said))
    if said.get("unread"):
        keys = ", ".join(f"`{key}`" for key in said["unread"])
        found.append(f"With --tap the kernels route. Nothing has read {keys} of the scenario.")
    control = ", ".join(f"flow {flow}: {name}" for flow, name in said["congestion_control"].items())
    if control:
        found.append(f"Congestion control of Linux: {control}.")
    unit = "frame" if said.get("tap") else "datagram"
    found.append(f"Linux sent {plural(said['read'], unit)} and got {said['written']}.")
    if said["refused"]:
        found.append(f"Linux refused {plural(said['refused'], unit)} that had arrived.")
    if said["foreign"]:
        found.append(f"{plural(said['foreign'], unit)} had no node of the network as destination and went nowhere.")
    if said.get("malformed"):
        found.append(
            f"{plural(said['malformed'], unit)} were dropped before the air: cut short, empty, or not from the address "
            "of the device."
        )
    if said.get("down"):
        found.append(f"{plural(said['down'], unit)} were dropped before the air, as the node was down.")
    if said.get("unreachable"):
        found.append(f"Nodes without a route said {plural(said['unreachable'], 'time')} that a host is unreachable.")
    if said.get("kicks") is not None:
        found.append(
            f"{plural(said['probes'], 'probe')} looked for a way of connections that backed off; "
            f"{plural(said['kicks'], 'connection')} heard that it was back."
        )
    for command in said["commands"]:
        if command["code"]:
            found.append(f"`{command['run']}` at node {command['at']} ended with code {command['code']}.")
    return found


def _lag(said: dict[str, Any]) -> str:
    if not said["events"]:
        return "Nothing happened on the air."
    p50, p99, most, bound = (_time(said[f"lag_{name}_us"]) for name in ("p50", "p99", "max", "bound"))
    return (
        f"Lag of {said['events']} events: median {p50}, 99 % up to {p99}, longest {most}; bound of the 99 %: {bound}."
    )


def _invalid(said: dict[str, Any]) -> str:
    late, bound = _time(said["lag_p99_us"]), _time(said["lag_bound_us"])
    return (
        f"This run is not valid: one event in a hundred was later than {late}, and {bound} is allowed. The machine was "
        "too slow or too busy. Use a smaller network, stop other programs, or allow more with --lag."
    )


def _time(us: float) -> str:
    return f"{us:.0f} us" if us < 1000 else f"{us / 1000:.1f} ms"
