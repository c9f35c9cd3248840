"""Finding scenarios and writing lists of techniques and settings."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

import multihop
from multihop import InputError, ScenarioError
from multihop.scenario.scenario import alternatives, assignments, label, specs


def test_lists_of_techniques() -> None:
    assert specs("drr+sack") == ["drr", "sack"]
    assert specs(["drr", "sack+tahoe"]) == ["drr", "sack", "tahoe"]
    assert specs("none") == []
    assert label(specs("none")) == "none"
    assert label(["drr", "sack"]) == "drr+sack"


@pytest.mark.parametrize("text", ["", "+", "drr+", "+drr", "drr++sack"])
def test_an_empty_technique_is_refused(text: str) -> None:
    with pytest.raises(InputError):
        specs(text)


def test_commas_between_parameters_do_not_split() -> None:
    assert alternatives("none,drr") == [[], ["drr"]]
    assert alternatives("red:min=5,max=15,drr+red:min=1,max=2,none") == [
        ["red:min=5,max=15"],
        ["drr", "red:min=1,max=2"],
        [],
    ]
    assert alternatives('none,"drr+sack"') == [[], ["drr", "sack"]]


def test_a_file_may_have_a_plus_in_its_name(here: Path) -> None:
    (here / "a+b.toml").write_text("")
    assert specs("a+b.toml") == ["a+b.toml"]


def test_settings_are_written_in_toml() -> None:
    settings = {"a.b": 3, "c": "200 m", "d": True, "e": 5e-05, "f": ["x", "y"], "g": [1, 2]}
    assert assignments(settings) == ["a.b=3", "c=200 m", "d=true", "e=5e-05", 'f=["x", "y"]', "g=[1, 2]"]
    assert assignments("a.b=3") == ["a.b=3"]
    assert assignments(["a.b=3"]) == ["a.b=3"]


def test_shipped_names_and_files(tiny: str, here: Path) -> None:
    assert multihop.load("chain").file == "chain.toml"
    assert multihop.load(tiny).name == tiny
    assert multihop.load(Path(tiny)).text == (here / tiny).read_text()


def test_the_nearest_name_is_suggested() -> None:
    with pytest.raises(InputError, match="did you mean `chain`"):
        multihop.load("chian")


def test_an_error_tells_where(tiny: str) -> None:
    with pytest.raises(ScenarioError) as e:
        multihop.load(tiny).resolve(set={"tcp.windw": "reno"})
    assert e.value.key == "tcp.windw"


def test_motion_is_read_from_a_file_as_bonnmotion_compresses_it(here: Path) -> None:
    motion = b"0 0 0 9 300 0\n0 200 0\n"
    (here / "walk.movements").write_bytes(motion)
    (here / "packed.movements.gz").write_bytes(gzip.compress(motion))
    (here / "broken.movements.gz").write_bytes(gzip.compress(motion)[:-12])
    text = """profile = "ns2"
[run]
duration = "9 s"
[topology]
kind = "explicit"
file = "{name}"
[[flow]]
kind = "bulk"
from = "0"
to = "1"
"""

    def of(name: str) -> list[str]:
        (here / "walk.toml").write_text(text.format(name=name))
        return [run["fingerprint"] for run in multihop.load("walk.toml").run(runs=1).runs]

    assert of("walk.movements") == of("packed.movements.gz")
    with pytest.raises(ScenarioError, match=r"walk.toml:6:8: .*broken.movements.gz cannot be read: .* but not whole"):
        of("broken.movements.gz")


def test_no_runs_are_refused(tiny: str) -> None:
    with pytest.raises(InputError, match="at least 1"):
        multihop.load(tiny).run(runs=0)


def test_every_shipped_scenario_resolves() -> None:
    from multihop import _engine

    for name in _engine.shipped("scenarios"):
        assert multihop.load(name).resolve().hash


def test_the_resolved_file_resolves_to_the_same(tiny: str, here: Path) -> None:
    resolved = multihop.load(tiny).resolve(techniques="drr", set={"tcp.max-window": 7})
    (here / "again.toml").write_text(resolved.toml())
    assert multihop.load("again.toml").resolve().hash == resolved.hash
