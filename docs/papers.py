"""Runs the studies of all papers again and writes docs/results/claims.md: each claim with the paper's number and ours.

    python docs/papers.py             every run
    python docs/papers.py --quick     few short runs; the page says so
    python docs/papers.py seok        only these studies, for a look: the page has nothing else then

Records are kept in out/papers, so that a second call runs only what has changed. Figures for which a paper prints
numbers go to docs/images/papers.
"""

from __future__ import annotations

import argparse
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from multihop.measures.notation import figure, interval
from multihop.out.sweep import Bar
from multihop.report.several import write_several
from multihop.store.store import Store
from multihop.study.several import ALL, TALLY, reproduce_all, selections

if TYPE_CHECKING:
    from multihop.study.drawing import FigureSpec
    from multihop.study.judge import Verdict
    from multihop.study.outcome import Outcome
    from multihop.study.several import Outcomes

ROOT = Path(__file__).resolve().parents[1]
PAGE, IMAGES = ROOT / "docs" / "results" / "claims.md", ROOT / "docs" / "images" / "papers"
KEPT = ROOT / "out" / "papers"
TIERS = {"must": "Must hold", "should": "Should hold"}
HEAD = """<!-- Written by docs/papers.py: do not edit. -->

# Papers, claim by claim

`multihop reproduce all{quick}` ran the studies below. A claim holds if our 95 % interval lies inside its band. It does
not hold if the interval lies outside. Otherwise it is open. *Too with* marks a claim that also holds with other
techniques in the places of its own, or with a placebo: it does not tell them apart.
[How claims are judged](../guide/reproduce.md).

"""


def page(outcomes: Outcomes) -> str:
    """The page as Markdown."""
    rows = [["study", *TALLY], *outcomes.tally()]
    parts = [HEAD.format(quick=" --quick" if outcomes.quick else ""), _table(rows)]
    return "\n".join([*parts, *map(_section, outcomes)])


def _section(outcome: Outcome) -> str:
    paper = outcome.study.paper
    source = ", ".join(str(part) for part in (paper.authors, paper.title, paper.venue, paper.year) if part)
    parts = [f"\n## {outcome.study.title}\n\n{source}\n"]
    also = outcome.tells_nothing_in_words()
    for tier, title in TIERS.items():
        verdicts = [v for v in outcome.verdicts if v.claim.tier == tier and v.claim.counted]
        if verdicts:
            rows = [
                ["where", "claim", "paper", "ours", "verdict"],
                *(_row(v, also.get(v.claim.id, [])) for v in verdicts),
            ]
            parts.append(f"### {title}: {outcome.label}\n\n{_table(rows)}")
    for spec in printed(outcome):
        parts.append(f"![{spec.title}](../images/papers/{outcome.selection.folder}-{spec.name}.svg)\n")
    return "\n".join(parts)


def printed(outcome: Outcome) -> list[FigureSpec]:
    """The figures for which the paper prints numbers."""
    return [spec for spec in outcome.selection.figures if spec.paper or spec.table]


def _row(verdict: Verdict, also: Sequence[str]) -> list[str]:
    claim = verdict.claim
    paper = f"{claim.paper:g} {claim.unit}" if isinstance(claim.paper, int | float) else claim.paper
    ours = " ".join(filter(None, (figure(verdict.ours), verdict.unit, interval(verdict.ci95))))
    word = verdict.word + (f"; too with {', with '.join(also)}" if also else "")
    why = "" if verdict.holds or verdict.by_test else f"<br>{verdict.reason}"
    return [claim.where, f"{claim.text} (`{claim.id}`)", paper, ours, f"**{word}**{why}"]


def _table(rows: Sequence[Sequence[str]]) -> str:
    lines = ["| " + " | ".join(cell.replace("|", "\\|").replace("\n", " ") for cell in row) + " |" for row in rows]
    return "\n".join([lines[0], "|" + "---|" * len(rows[0]), *lines[1:]]) + "\n"


def main(arguments: Sequence[str]) -> None:
    """Runs what is named, or all, and writes the page and its figures."""
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("studies", nargs="*", default=[ALL])
    asked.add_argument("--quick", action="store_true")
    options = asked.parse_args(arguments)
    with Bar() as bar:
        found = reproduce_all(selections(options.studies), quick=options.quick, store=Store(KEPT), watch=bar)
    write_several(found, KEPT / "report")
    IMAGES.mkdir(parents=True, exist_ok=True)
    for outcome in found:
        name = outcome.selection.folder
        for spec in printed(outcome):
            shutil.copy(KEPT / "report" / name / f"{spec.name}.svg", IMAGES / f"{name}-{spec.name}.svg")
    PAGE.write_text(page(found), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
