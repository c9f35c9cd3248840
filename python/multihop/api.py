"""What `import multihop` offers: scenarios that run themselves, and the records of the store.

```python
import multihop

records = multihop.load("chain").run(runs=5, techniques=["persistent-queue"], set={"air.bit-error-rate": 1e-6})
records.flows
```
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from multihop import citing
from multihop.analysis import stories
from multihop.errors import InputError
from multihop.notebook import show_as
from multihop.record.comparison import Comparison
from multihop.record.record import Records
from multihop.running.run import Task, Watcher, execute
from multihop.scenario import keys, scenario
from multihop.scenario.scenario import (
    Settings,
    Techniques,
    alternatives,
    assignments,
    check_arms,
    only,
    run_numbers,
    specs,
)
from multihop.store.housekeeping import Removed, export, remove
from multihop.store.store import Store

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

    from multihop.advising.advice import Advice
    from multihop.importing.cables import Cables
    from multihop.scenario.cards import Wifi
    from multihop.sweeping.result import Sweep
    from multihop.sweeping.run import Audience

Results: TypeAlias = Records | Comparison
"""What runs left behind."""
Source: TypeAlias = scenario.Scenario | str | Path | Mapping[str, Any]
"""What a scenario is made of: one that is loaded, a name, a path or a dict."""


class Scenario(scenario.Scenario):
    """A scenario file, read but not yet resolved, that can be run."""

    __slots__ = ()

    def __repr__(self) -> str:
        summary = scenario.tree_of(self).get("summary", "")
        return f"<Scenario {self.name}{f': {summary}' if summary else ''}>"

    def with_(self, **changes: Any) -> Scenario:
        """The scenario with whole sections changed: `with_(tcp={"max-window": 8}, profile="rfc")`.

        Keys of a section that is a dict are laid over it; anything else takes the section's place. Raises InputError,
        also for a key that no scenario has.
        """
        tree = scenario.tree_of(self)
        _demand_keys(changes)
        for section, change in changes.items():
            old = tree.get(section)
            tree[section] = {**old, **change} if isinstance(old, dict) and isinstance(change, Mapping) else change
        return Scenario(self.name, scenario.written(tree), f"{self.file} with changes")

    def run(
        self,
        runs: int = 5,
        techniques: Techniques = (),
        set: Settings = (),
        seed: int | None = None,
        *,
        fresh: bool = False,
        pcap: bool = False,
        threads: int | None = None,
        store: Store | None = None,
        watch: Watcher | None = None,
    ) -> Records:
        """Runs the scenario `runs` times, each with its own random streams, and keeps the records.

        `techniques` is one technique or several that are combined: `"drr+sack"` or `["drr", "sack"]`. Runs that the
        store already has are not run again unless `fresh`; `pcap` writes a capture per node.
        Raises ScenarioError, InputError, StoreError or RunError.
        """
        arm = only(alternatives(techniques)) if isinstance(techniques, str) else specs(techniques)
        task = Task(self, tuple(arm), tuple(assignments(set)), seed, run_numbers(runs))
        return execute([task], store=store, fresh=fresh, pcap=pcap, threads=threads, watch=watch)[0]

    def compare(
        self,
        techniques: str | Sequence[Techniques],
        runs: int = 10,
        set: Settings = (),
        seed: int | None = None,
        *,
        fresh: bool = False,
        threads: int | None = None,
        store: Store | None = None,
        watch: Watcher | None = None,
    ) -> Comparison:
        """Runs the scenario under each list of techniques, the first being the baseline, and compares run by run.

        `techniques` are `["none", "drr", ["drr", "sack"]]`, or `"none,drr,drr+sack"` as on the command line. Run r has
        the same random streams under every technique, so differences are taken in pairs.
        """
        arms = alternatives(techniques) if isinstance(techniques, str) else [specs(arm) for arm in techniques]
        check_arms(arms)
        numbers = run_numbers(runs)
        settings = tuple(assignments(set))
        tasks = [Task(self, tuple(arm), settings, seed, numbers) for arm in arms]
        return Comparison(execute(tasks, store=store, fresh=fresh, threads=threads, watch=watch))


def load(source: str | Path | Mapping[str, Any]) -> Scenario:
    """Reads a scenario: a path to a TOML file, the name of one that is shipped (`multihop list scenarios`), or a dict
    built like such a file.

    Raises InputError.
    """
    if isinstance(source, Mapping):
        _demand_keys(source)
        return Scenario("scenario", scenario.written(source), "the dict")
    if not isinstance(source, str | Path):
        raise InputError(f"`source` must be a name, a path or a dict, not {type(source).__name__}")
    read = scenario.load(source)
    return Scenario(read.name, read.text, read.file)


def _demand_keys(tree: Mapping[str, Any]) -> None:
    """Raises InputError for a key that no scenario has."""
    if found := keys.stranger(tree):
        path, known = found
        name = path.rpartition(".")[2]
        near = scenario.nearest(name, known) or f"; known: {', '.join(known)}"
        raise InputError(f"unknown key `{path}`{near}")


def check(source: Source, techniques: Techniques = (), set: Settings = ()) -> dict[str, Any]:
    """What can be said of a scenario before it runs, as `multihop check --json` prints it.

    That is links, hidden pairs, the path of each flow and the most that it can get. Raises ScenarioError or InputError.
    """
    from multihop.ceiling.reach import Reach
    from multihop.ceiling.rts import rts_worth
    from multihop.out.check import check_document

    loaded = _loaded(source)
    resolved = loaded.resolve(techniques, set)
    scenario.check_ready(resolved)
    reach = Reach(resolved)
    return check_document(loaded.name, reach, rts_worth(loaded, reach, techniques, set))


def import_(
    *files: str | Path,
    flows: Sequence[str] = (),
    gateway: str | None = None,
    many: int = 3,
    range_m: float = 250.0,
    cables: Cables | str = "leave-out",
    wifi: Wifi | str | None = None,
) -> Scenario:
    """The scenario of a network that files describe, as `multihop import` writes it; several files are joined.

    `flows` are like `["gateway:roof"]`; without any, `many` downloads from a gateway. `range_m` is how far a frame is
    received where only places are known [m]. `cables` are left out, or `join` or `radio`. `wifi` is that of the radios;
    without it, what the files say, else 802.11n. The text of the scenario says what was left out or assumed. Raises
    InputError.
    """
    from multihop.importing.cables import Cables
    from multihop.importing.read import read_all
    from multihop.importing.write import scenario_of, title_of
    from multihop.scenario.cards import Wifi

    sources = [Path(file) for file in files]
    if not sources:
        raise InputError("a file that describes the network is expected")
    if cables not in [*Cables]:
        raise InputError(f"`cables` must be one of {', '.join(Cables)}, not {cables!r}")
    if wifi is not None and wifi not in [*Wifi]:
        raise InputError(f"`wifi` must be one of {', '.join(Wifi)}, not {wifi!r}")
    network = read_all(sources, Cables(cables), None if wifi is None else Wifi(wifi))
    title = title_of(sources)
    made = scenario_of(network, title, flows=flows, gateway=gateway, many=many, range_m=range_m)
    return Scenario(sources[0].stem, made.text, f"the scenario of {title}")


def plot(
    kind: str,
    shown: Results | Source | None = None,
    out: str | Path | None = None,
    *,
    flow: str | int | None = None,
    run: int | None = None,
    time: tuple[float, float] | None = None,
) -> Figure:
    """Draws a figure, as `multihop plot` does, and writes it if `out` names a file (.svg, .png or .pdf).

    `shown` are records, a comparison or the id of a record; by default the latest record. Of the kind `map` it may be a
    scenario too. `time` is a pair of times [s]. Raises InputError or RecordError.
    """
    from multihop.ceiling.reach import Reach
    from multihop.plots import save
    from multihop.plots.map import draw_map
    from multihop.plots.record import Choice, draw

    if kind == "map" and isinstance(shown, scenario.Scenario):
        figure = draw_map(Reach(shown.resolve()), shown.name)
    else:
        choice = Choice(None if flow is None else str(flow), run, time)
        figure = draw(kind, _arms(shown), choice)
    if out is not None:
        save(figure, Path(out))
    return figure


def explain(
    shown: Results | str | None = None, flow: str | int | None = None, run: int | None = None
) -> list[stories.Story]:
    """Where the packets of each flow went, and what TCP made of each loss, as `multihop explain` does.

    Each story has its figures; `print(story)` prints it in sentences. Of a comparison, the baseline's is told. Raises
    InputError or RecordError.
    """
    return stories.explain(_arms(shown)[0], None if flow is None else str(flow), run)


def cite(shown: Results | str | None = None, style: citing.Style = "bibtex") -> str:
    """How to cite multihop and, of records, the papers and RFCs of what they used: BibTeX, or `style="apa"`.

    Raises InputError or RecordError.
    """
    return citing.citation(style, citing.of_records(_arms(shown)) if shown is not None else ())


def _loaded(source: Source) -> scenario.Scenario:
    return source if isinstance(source, scenario.Scenario) else load(source)


def _arms(shown: object) -> list[Records]:
    """The records that are meant: those of a store by their id, or the latest, if none are given."""
    if shown is None or isinstance(shown, str):
        return Store.open().find(shown)
    if isinstance(shown, Records):
        return [shown]
    if isinstance(shown, Comparison):
        return list(shown.arms)
    raise InputError(f"records, a comparison or the id of a record are expected, not {type(shown).__name__}")


def records(reference: str | None = None) -> Records:
    """Records in the store, by the id that a run printed or a folder; the latest if none is given.

    Of a comparison, the baseline's; `Store.open().find()` gives all of them. Raises RecordError.
    """
    return Store.open().one(reference)


def list_records(store: Store | None = None) -> pd.DataFrame:
    """The records in the store, the newest first: id, scenario, technique, number of runs, when they were made."""
    import pandas as pd

    columns = ["record", "scenario", "technique", "runs", "made"]
    rows = [
        (r["name"], r["summary"], scenario.label(r["techniques"]), r["runs"], r["made"])
        for r in (store or Store.open()).listed()
    ]
    return pd.DataFrame(rows, columns=columns)


def remove_records(*references: str, store: Store | None = None) -> Removed:
    """Removes records by their ids, with those of their runs that no other record has.

    Raises RecordError, StoreError, or InputError if none is named.
    """
    return remove(store or Store.open(), references)


def export_records(folder: str | Path, *references: str, store: Store | None = None) -> list[Records]:
    """Copies records, the latest if none is named, into a new folder, which `records` takes like an id.

    Raises RecordError, StoreError, or InputError if something lies there already.
    """
    return export(store or Store.open(), references, Path(folder))


def sweep(
    source: str | scenario.Scenario,
    over: Mapping[str, Any] | Sequence[str] = (),
    techniques: str | Sequence[Techniques] = (),
    runs: int | None = None,
    set: Settings = (),
    seed: int | None = None,
    *,
    until: str | None = None,
    most: int | None = None,
    cross: Sequence[str | Sequence[str]] = (),
    fresh: bool = False,
    threads: int | None = None,
    store: Store | None = None,
    watch: Audience | None = None,
    executor: str | None = None,
) -> Sweep:
    """Runs a scenario at many points, each under some techniques; only runs that the store lacks are made.

    `over` maps keys to values, `{"topology.hops": "1..12", "tcp.window": ["newreno", "sack"]}`, or lists
    `KEY=VALUES` as on the command line. `source` may be a TOML file with a `[sweep]` table. With
    `until="goodput:2%"` runs are added at each point until the 95 % interval is that narrow. `cross` holds lists of
    techniques, like `["newreno,cubic", "none,fq-codel"]`: each combination with those of `techniques` runs.
    `executor` is a cluster, like `tcp://HOST:8786`; without it the runs are made here. Raises InputError,
    ScenarioError, StoreError or RunError.
    """
    from multihop.sweeping.build import campaign
    from multihop.sweeping.cluster import Cluster
    from multihop.sweeping.run import run_sweep

    cluster = Cluster(executor) if executor else None
    planned, rule = campaign(
        source, over, techniques, assignments(set), runs=runs, seed=seed, until=until, most=most, cross=cross
    )
    return run_sweep(planned, store=store, fresh=fresh, threads=threads, watch=watch, until=rule, cluster=cluster)


def sweeps(reference: str | None = None, store: Store | None = None) -> Sweep:
    """A sweep in the store by its id, or the latest; raises RecordError."""
    from multihop.sweeping.keep import find

    return find(store or Store.open(), reference)


def advise(
    source: Source,
    techniques: Techniques = (),
    set: Settings = (),
    seed: int | None = None,
    *,
    minutes: float = 3.0,
    budget_runs: int | None = None,
    can: str | None = None,
    html: str | Path | None = None,
    threads: int | None = None,
    store: Store | None = None,
) -> Advice:
    """What limits a scenario, and which setting helps: searched on paired runs, confirmed on fresh ones.

    It tries what OpenWrt routers and Linux hosts can be told. `can`, one of `router`, `host` and `both`, says what you
    can change: then techniques that need new software there are tried too. The budget is a time, or with `budget_runs`
    a number of runs: then the answer is the same each time. With `html` the report is written there. Raises InputError,
    ScenarioError, StoreError or RunError.
    """
    from multihop.advising.search import advise as search

    found = search(
        _loaded(source),
        techniques=specs(techniques),
        settings=assignments(set),
        seed=seed,
        minutes=minutes,
        budget_runs=budget_runs,
        can=can,
        threads=threads,
        store=store,
    )
    if html is not None:
        from multihop.files.output import write_whole
        from multihop.report.advice import advice_page

        write_whole(Path(html), advice_page(found))
    return found


def sql(query: str, store: Store | None = None) -> pd.DataFrame:
    """The answer to a query over the tables of all records (see `multihop.query`); raises InputError, RecordError."""
    from multihop.query import sql as ask

    return ask(query, store)


def _records_html(shown: Records) -> str:
    from multihop.out.html import records_html  # tables need libraries that a script without a notebook does not

    return records_html(shown)


def _comparison_html(shown: Comparison) -> str:
    from multihop.out.html import comparison_html

    return comparison_html(shown)


show_as(Records, _records_html)
show_as(Comparison, _comparison_html)
