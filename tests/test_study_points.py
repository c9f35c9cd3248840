"""A sweep of one's own: a study without claims, its table of points, and what the console says of claims."""

from __future__ import annotations

import csv
import io
import json
import re
import shlex
from pathlib import Path

import pytest

import multihop
from conftest import Cli
from multihop.study import find, reproduce
from small_study import CLAIM, READINGS, SMALL

PAGE = Path(__file__).parents[1] / "docs" / "reference" / "study.md"
LEAN = CLAIM[: CLAIM.index("[claim.gain]")]
MADE = ("reproduce", "small.toml", "--quick", "--out", "made")


@pytest.fixture
def sweep(here: Path) -> Path:
    path = here / "small.toml"
    path.write_text(SMALL, encoding="utf-8")
    return path


def test_every_point_has_its_line_with_the_mean_of_its_runs(cli: Cli, sweep: Path) -> None:
    done = cli(*MADE, "--csv")
    assert done.code == 0, done.err
    rows = list(csv.DictReader(io.StringIO(done.out)))
    assert len(rows) == 2 * 2 * 3  # hops, error rates, techniques
    assert {row["technique"] for row in rows} == {"drr", "persistent-queue", "drr+placebo"}
    table = reproduce(find(str(sweep)), quick=True).points()
    assert list(table.columns) == list(rows[0])
    lossy = table[(table.ber == 5e-5) & (table.hops == 3) & (table.technique == "drr")]
    text = sweep.read_text().split("'''")[1].replace("$hops", "3").replace("$ber", "5e-5")
    (sweep.parent / "point.toml").write_text(text, encoding="utf-8")
    goodput = multihop.load(sweep.parent / "point.toml").run(runs=3, techniques="drr").values("goodput_bps").mean()
    assert lossy["mean"].item() == pytest.approx(goodput / 1e6)
    assert (lossy["low"] < lossy["mean"]).all()
    assert set(lossy["runs"]) == {3}


def test_the_console_prints_points_and_no_empty_line_of_claims(cli: Cli, sweep: Path) -> None:
    done = cli(*MADE)
    assert (done.code, done.err) == (0, "")
    assert len(re.findall(r"^[23] .*goodput Mbit/s", done.out, re.MULTILINE)) == 12
    assert "hold" not in done.out
    assert "claim" not in done.out


def test_the_report_has_no_empty_section_and_a_command_that_works(cli: Cli, sweep: Path) -> None:
    assert cli(*MADE).code == 0
    page = (sweep.parent / "made" / "report.html").read_text(encoding="utf-8")
    heads = re.findall(r"<h2 id=\"(\w+)\">", page)
    assert heads == ["points", "scenarios", "techniques", "provenance"]
    assert set(re.findall(r'<a href="#(\w+)"', page)) <= {*heads}
    for word in ("claims", "the paper", "Run again"):
        assert word not in page
    for said in re.findall(r"<code>multihop (reproduce [^<]*)</code>", page):
        assert cli(*shlex.split(said.replace("--fresh", "--quick"))).code == 0
    assert "<code>multihop reproduce small.toml --quick --fresh</code>" in page


def test_points_of_a_study_with_claims_are_those_that_they_read(cli: Cli, sweep: Path) -> None:
    sweep.write_text(SMALL + LEAN, encoding="utf-8")
    assert "points" not in json.loads(cli(*MADE, "--json").out)
    points = json.loads(cli(*MADE, "--json", "--points").out)["points"]
    assert {(p["metric"], p["arguments"]["flow"], p["unit"]) for p in points} == {("goodput", "1", "Mbit/s")}
    assert len(points) == 12
    assert cli(*MADE, "--csv", "--points").out.startswith("experiment,hops,ber,technique,metric")
    assert cli(*MADE, "--csv").out.startswith("claim,tier,where")


def test_the_examples_of_the_page_run_as_they_stand(cli: Cli, here: Path) -> None:
    examples = [text for text in re.findall(r"```toml\n(.*?)```", PAGE.read_text(), re.DOTALL) if "[study]" in text]
    assert len(examples) == 2
    for number, text in enumerate(examples):
        (here / f"example{number}.toml").write_text(text, encoding="utf-8")
        assert find(f"example{number}.toml").experiments
    done = cli("reproduce", "example1.toml/fig1", "--quick", "--json", "--out", "made")
    assert done.code == 0, done.err
    assert [claim["id"] for claim in json.loads(done.out)["claims"]] == ["small-helps"]


def test_each_claim_stands_with_its_text_and_readings_only_where_they_change_it(cli: Cli, sweep: Path) -> None:
    holds = LEAN.replace("ratio-above = 2", "ratio = [0, 1000]")
    sweep.write_text(SMALL + READINGS + holds, encoding="utf-8")
    plain, whole = cli(*MADE).out, cli(*MADE, "--readings").out
    for out in (plain, whole):
        assert re.search(r"^A +The queue gains\. +gain .* holds", out, re.MULTILINE)
    assert "Swapped: 1 claim still holds: A" in plain
    assert "With a short queue" not in plain
    assert "1 other reading changes no verdict: --readings shows all" in plain
    assert "With a short queue: must hold: 1 holds, 0 do not, 0 open" in whole
    assert "--readings" not in whole


def test_a_reading_that_turns_a_verdict_is_named(cli: Cli, sweep: Path) -> None:
    absolute = LEAN.replace('against = { technique = "drr" }\n', "").replace("ratio-above = 2", "above = 0.001")
    other = '[[reading]]\nname = "dead"\ntitle = "All frames lost"\nset = ["air.packet-error-rate=1.0"]\n'
    sweep.write_text(SMALL + other + absolute, encoding="utf-8")
    out = cli(*MADE).out
    assert re.search(r"^All frames lost: A does not hold \(0 Mbit/s\) instead of holds \(0\.\d+ Mbit/s\)$", out, re.M)
    assert "changes no verdict" not in out


def test_the_parts_of_studies_and_who_wrote_the_papers_are_listed(cli: Cli) -> None:
    out = cli("list", "studies").out
    assert re.search(r"hamadani .*fig7", out)
    assert "Rakocevic" in out
    studies = {study["name"]: study for study in json.loads(cli("list", "studies", "--json").out)["studies"]}
    assert "fig3" in studies["ohzahata"]["parts"]
    assert "Kawashima" in studies["ohzahata"]["authors"]
