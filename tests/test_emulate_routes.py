"""What programs of an emulation hear of routes: hosts that cannot be reached, and the kick."""

from __future__ import annotations

from pathlib import Path

import pytest

from emulations import TRANSFER, emulate, real, run_of
from multihop.store.store import Store

pytestmark = pytest.mark.alone

AWAY = """
summary = "A node of three is away from 4 s on"
[run]
duration = "{end} s"
[measure]
sample = "0.1 s"
[topology]
kind = "chain"
hops = 2
[[flow]]
from = "0"
to = "2"
[[event]]
at = "{down} s"
kind = "node-down"
node = "{node}"
"""
BACK = """
[[event]]
at = "9.6 s"
kind = "node-up"
node = "1"
"""


@real
@pytest.mark.parametrize(
    ("sets", "by"),
    [
        (["routing.kind=aodv"], "10.0.0.1"),  # the source itself: its search has failed
        (["routing.kind=static", "signals.unreachable=true"], "10.0.0.2"),  # the relay: the MAC has given up
    ],
)
def test_a_program_hears_that_a_host_is_unreachable(sets: list[str], by: str, tmp_path: Path) -> None:
    file = tmp_path / "gone.toml"
    file.write_text(AWAY.format(end=60, down=0.001, node=2))
    words = [word for one in sets for word in ("-s", one)]
    asker = f"{TRANSFER} unreachable {{node:2}} 5000".split()
    done = emulate(*words, "--json", "--", *asker, cwd=tmp_path, scenario=str(file))
    assert f"unreachable by {by}" in done.stderr
    assert run_of(done)["emulation"]["unreachable"] > 0
    assert run_of(done)["emulation"]["kicks"] is None


@real
def test_a_kick_has_tcp_of_linux_go_on_at_once(tmp_path: Path) -> None:
    """The node is away from 4 to 9.6 s. A trickle keeps the timer of Linux at 0.2 s and little more.

    So it sends again by itself near 7.5 s, and not before 10.5 s.
    """
    file = tmp_path / "away.toml"
    file.write_text(AWAY.format(end=15, down=4, node=1) + BACK)
    serve = f"2: {TRANSFER} receive 5000"
    send = f"{TRANSFER} send {{node:2}} 5000 12 reno 0.1".split()
    done = emulate("--kick", "0.5 s", "--serve", serve, "--json", "--", *send, cwd=tmp_path, scenario=str(file))
    run = run_of(done)
    assert 1 <= run["emulation"]["kicks"] <= run["emulation"]["probes"]
    records = Store.open(tmp_path / ".multihop").one()
    assert records.techniques == ["kick:0.5 s", "linux"], "it is never taken for a run without"
    tcp = records[0].series("tcp")
    moved = tcp["una"].diff() > 0
    times = tcp["time_s"][moved]
    assert not ((times > 5.5) & (times < 9.6)).any(), "nothing arrives while it is away"
    assert ((times > 9.6) & (times < 10.5)).any(), "it goes on within a probe and a round trip"


@real
def test_a_layer_below_tcp_of_linux_keeps_its_window(tmp_path: Path) -> None:
    """The node is away from 7 to 12.6 s: by then a program has started on a slow machine too.

    The layer answers for what was under way, and TCP knows of no loss. A probe may come up to 6 s after the return.
    """
    file = tmp_path / "away.toml"
    file.write_text(AWAY.format(end=32, down=7, node=1) + BACK.replace("9.6", "12.6"))
    serve = f"2: {TRANSFER} receive 5000"
    send = f"{TRANSFER} send {{node:2}} 5000 24 reno".split()
    words = ["-t", "modified-atcp", "--serve", serve, "--json", "--", *send]
    done = emulate(*words, cwd=tmp_path, scenario=str(file))
    assert "AssertionError" not in done.stderr, "the bytes are those that were sent"
    run = run_of(done)
    counters, flow = run["counters"], run["flows"][0]
    assert counters["shim.freezes"] >= 1
    assert counters["shim.probes"] >= 2
    assert counters["shim.retransmissions"] >= 1
    assert counters["shim.frozen-ms"] > 5000
    ledger = flow["ledger"]
    ended = ledger["delivered"] + sum(ledger["dropped"].values()) + sum(ledger["absorbed"].values())
    assert ledger["created"] + ledger["copied"] == ended + ledger["in_network"]
    tcp = Store.open(tmp_path / ".multihop").one()[0].series("tcp")
    away = (tcp["time_s"] > 9) & (tcp["time_s"] < 12.6)
    assert (tcp["snd_cwnd"][away] > 1).all(), "its timer does not fire"
    assert (tcp["una"][tcp["time_s"] > 12.6].diff() > 0).any(), "it goes on"
