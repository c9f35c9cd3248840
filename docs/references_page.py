"""The page of papers and standards, from `multihop/references.toml`."""

from __future__ import annotations

from multihop.citing import Reference, references

HEAD = """# Papers and standards

The sources of techniques, models and profiles. `multihop cite RECORD` prints those that a record used, as BibTeX or
with `--apa`. `multihop cite TECHNIQUE` prints those of a technique, `multihop cite` how to cite multihop itself.

## Run again

Studies run the figures and tables of these papers and judge their claims ([how](guide/reproduce.md)).
"""

TAIL = """
* IEEE Std 802.11-2020, clauses 9 (frame formats), 10 (MAC), 15 (DSSS PHY), 16 (HR/DSSS PHY).

## Simulators

* ns-2.35, Debian package `ns2` 2.35+dfsg-5.
* ns-3.44, PyPI package `ns3` 3.44.post0.
"""


def page() -> str:
    """All references, by kind."""
    papers = [reference for reference in references() if reference.rfc is None]
    parts = [HEAD, *(_paper(reference) for reference in papers if reference.study)]
    parts += ["\n## Papers\n", *(_paper(reference) for reference in papers if not reference.study)]
    parts += ["\n## Standards\n", "| RFC | title |", "|---|---|"]
    parts += [_rfc(reference) for reference in references() if reference.rfc is not None]
    return "\n".join(parts) + "\n" + TAIL


def _paper(reference: Reference) -> str:
    used = [f"[{name}](reference/techniques.md#{name})" for name in reference.techniques]
    used += [reference.used_for] if reference.used_for else []
    again = f" `multihop reproduce {reference.study}`." if reference.study else ""
    year = f", {reference.year}" if reference.year else ""
    told = f"{', '.join(reference.authors)}: *{reference.title.rstrip('.')}*. {reference.venue}{year}."
    return f"* {told}{again} For: {', '.join(used)}."


def _rfc(reference: Reference) -> str:
    number, _, title = reference.title.removeprefix("RFC ").partition(": ")
    return f"| [{number}](https://www.rfc-editor.org/rfc/rfc{number}) | {title} |"
