"""Values of a resolved scenario as numbers."""

from pathlib import Path

import pytest

import multihop
from multihop.importing.network import named
from multihop.plots.window import _segment
from multihop.scenario.quantity import BYTES, SECONDS, UNITS, number, value_for
from multihop.study.cwnd import largest
from multihop.study.metrics import evaluate
from multihop.study.view import MetricError


@pytest.mark.parametrize(
    ("value", "units", "expected"),
    [
        ("1 kB", BYTES, 1000),
        ("1460 B", BYTES, 1460),
        ("500 ms", SECONDS, 0.5),
        ("2 min", SECONDS, 120),
        (3, SECONDS, 3),
        ("64 KiB", BYTES, 65536),
        ("2.4 GHz", UNITS, 2.4e9),
        ("11 Mb/s", UNITS, 11e6),
    ],
)
def test_a_value_has_a_unit(value: object, units: dict[str, float], expected: float) -> None:
    assert number(value, units) == pytest.approx(expected)


def test_an_unknown_unit_is_no_number() -> None:
    with pytest.raises(ValueError, match="none of the units h, min, ms"):
        number("3 kB", SECONDS)


def test_a_flow_s_own_value_comes_first(tmp_path: Path) -> None:
    file = tmp_path / "two.toml"
    file.write_text(
        """
topology = { kind = "chain", hops = 2 }
run = { duration = "6 s" }
tcp = { max-window = 20, segment = "1000 B" }
[[flow]]
from = 0
to = 2
[[flow]]
from = 2
to = 0
tcp = { max-window = 4, segment = "500 B" }
"""
    )
    [record] = multihop.load(file).run(runs=1)
    assert [largest(record, flow) for flow in ("1", "2")] == [20, 4]
    assert [_segment(record, flow) for flow in ("1", "2")] == [1000, 500]
    assert value_for(record.scenario, "2", "no.such-key") is None
    for metric, arguments in (("rtt", {"flow": "all"}), ("drops", {"cause": "", "flow": "all"})):
        with pytest.raises(MetricError, match="no flow `all`"):
            evaluate(metric, record, arguments)
    with pytest.raises(MetricError, match="no node `all`"):
        evaluate("frame-bytes", record, {"node": "all"})


def test_two_sites_never_share_a_name() -> None:
    assert named(["a", "a 2", "a", "a"]) == ["a", "a 2", "a 3", "a 4"]
