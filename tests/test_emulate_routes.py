"""What programs of an emulation hear of routes: hosts that cannot be reached, and the kick."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pandas as pd
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


def balances(flow: dict[str, Any]) -> bool:
    """Whether each packet of a flow has an end."""
    ledger = flow["ledger"]
    ended = ledger["delivered"] + sum(ledger["dropped"].values()) + sum(ledger["absorbed"].values())
    return bool(ledger["created"] + ledger["copied"] == ended + ledger["in_network"])


def below(technique: str, folder: Path) -> tuple[dict[str, Any], pd.DataFrame]:
    """A transfer of 24 s over a node that is away from 7 to 12.6 s: figures of the run, and its series `tcp`."""
    folder.mkdir()
    file = folder / "away.toml"
    file.write_text(AWAY.format(end=32, down=7, node=1) + BACK.replace("9.6", "12.6"))
    serve = f"2: {TRANSFER} receive 5000"
    send = f"{TRANSFER} send {{node:2}} 5000 24 reno".split()
    done = emulate("-t", technique, "--serve", serve, "--json", "--", *send, cwd=folder, scenario=str(file))
    assert "AssertionError" not in done.stderr, "the bytes are those that were sent"
    return run_of(done), Store.open(folder / ".multihop").one()[0].series("tcp")


@real
def test_cures_below_tcp_of_linux_keep_its_window(tmp_path: Path) -> None:
    """The node is away from 7 to 12.6 s: by then a program has started on a slow machine too.

    The layers at the source answer for what was under way, and TCP knows of no loss. A source may have nothing left to
    lose at 7 s: then it hears of the break when its timer fires, once. A probe of ATCP may come up to 6 s after the
    return.
    """
    techniques = ["modified-atcp", "elfn", "tcp-f", "freeze-tcp:2s"]
    with ThreadPoolExecutor() as pool:
        results = list(pool.map(lambda technique: below(technique, tmp_path / technique.split(":")[0]), techniques))
    for technique, (run, tcp) in zip(techniques, results, strict=True):
        counters = run["counters"]
        assert counters["shim.freezes"] >= 1, technique
        assert counters["shim.frozen-ms"] > 5000, technique
        assert balances(run["flows"][0]), technique
        assert (tcp["una"][tcp["time_s"] > 12.6].diff() > 0).any(), f"{technique}: it goes on"
        away = (tcp["time_s"] > 10) & (tcp["time_s"] < 12.6)
        assert (tcp["snd_cwnd"][away].diff().dropna() >= 0).all(), f"{technique}: its timer does not fire"
    probes = {
        technique: run["counters"]["shim.probes"] for technique, (run, _) in zip(techniques, results, strict=True)
    }
    assert probes["modified-atcp"] >= 2
    assert probes["elfn"] >= 2
    assert probes["tcp-f"] == probes["freeze-tcp:2s"] == 0, "they are told"


@real
def test_a_relay_sends_again_what_linux_sent(tmp_path: Path) -> None:
    serve = f"2: {TRANSFER} receive 5000"
    send = f"{TRANSFER} send {{node:2}} 5000 6 reno".split()
    words = ["-t", "snoop", "-s", "topology.hops=2", "-s", "air.bit-error-rate=1e-5", "-s", "mac.short-retry-limit=1"]
    words += ["-s", "mac.long-retry-limit=1", "--for", "10 s", "--serve", serve, "--json", "--", *send]
    done = emulate(*words, cwd=tmp_path, code=None)
    assert "AssertionError" not in done.stderr, "the bytes are those that were sent"
    run = run_of(done)
    assert run["counters"]["agent.retransmissions"] >= 1
    assert run["counters"]["agent.dupacks-hidden"] >= 1
    assert balances(run["flows"][0])
