"""What `multihop.reproduce` is: one study, or several, run again and judged.

```python
import multihop

outcomes = multihop.reproduce("all", quick=True)
outcomes["seok"].verdict("SEOK-F5-better").word
```
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, overload

if TYPE_CHECKING:
    from multihop.running.run import Watcher
    from multihop.store.store import Store
    from multihop.study.outcome import Outcome
    from multihop.study.several import Audience, Outcomes


@overload
def reproduce(  # type: ignore[overload-overlap]
    study: Literal["all"] | list[str] | tuple[str, ...],
    *,
    quick: bool = False,
    fresh: bool = False,
    out: str | Path | None = None,
    threads: int | None = None,
    store: Store | None = None,
    watch: Audience | None = None,
) -> Outcomes: ...


@overload
def reproduce(
    study: str | Path,
    *,
    quick: bool = False,
    fresh: bool = False,
    out: str | Path | None = None,
    threads: int | None = None,
    store: Store | None = None,
    watch: Watcher | None = None,
) -> Outcome: ...


def reproduce(
    study: str | Path | Sequence[str],
    *,
    quick: bool = False,
    fresh: bool = False,
    out: str | Path | None = None,
    threads: int | None = None,
    store: Store | None = None,
    watch: Any = None,
) -> Outcome | Outcomes:
    """Runs a study, or a part of it like `ohzahata/fig3`; a path to a TOML file is one of your own.

    `points()` of the outcome is a table of all that was measured, `verdicts` are those on the claims. A list of
    studies, or `all` for every paper, gives outcomes, each under its name: `outcomes["seok"]`. With `out`, the report
    and the figures are written into that folder. Runs that the store has are not run again unless `fresh`. Raises
    InputError, ScenarioError, StoreError or RunError.
    """
    from multihop.study.outcome import reproduce as run_study
    from multihop.study.several import ALL, reproduce_all, selections

    if study == ALL or not isinstance(study, str | Path):
        wanted = selections([study] if isinstance(study, str) else study)
        several = reproduce_all(wanted, quick=quick, fresh=fresh, threads=threads, store=store, watch=watch)
        if out is not None:
            from multihop.report.several import write_several

            write_several(several, Path(out))
        return several
    [only] = selections([str(study)])
    outcome = run_study(only.study, only.part, quick=quick, fresh=fresh, threads=threads, store=store, watch=watch)
    if out is not None:
        from multihop.report.study import write_study

        write_study(outcome, Path(out))
    return outcome
