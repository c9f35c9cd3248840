"""What `run` and `compare` share: run a batch with a bar, go on with what there is after Ctrl-C."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rich.markup import escape

from multihop.cli.codes import SIGNALLED
from multihop.cli.said import command
from multihop.out.progress import Bar
from multihop.record.record import Records, different
from multihop.running.run import Interrupted, Task, execute
from multihop.store.store import Store
from multihop.terminal.console import err
from multihop.text import plural


@dataclass(frozen=True, slots=True)
class Outcome:
    """Records and the exit code that goes with them."""

    records: list[Records]
    code: int = 0

    def closing(self, store: Store) -> str:
        """The last lines: how many runs came from the store, where they are, what to do next."""
        first = next(r for r in self.records if len(r))
        total, stored = different(self.records)
        where = f"{stored} of {plural(total, 'run')} came from the store {escape(str(store.root))}"
        made = [r for r in self.records if len(r)]
        elsewhere = f" {escape(str(store.root))}" if store.root != Store.open().root else ""
        ids = [f"{r.id[:12]} ({r.label})" for r in made]
        records = f"record {first.id[:12]}" if len(made) == 1 else f"records {', '.join(ids)}"
        folder = f"Run {first[0].run} lies in {escape(str(first[0].path))}"
        beside = ", the others beside it" if total > 1 else ""
        next_ = f"Next: multihop explain{elsewhere or ' ' + first.id[:12]}"
        return f"{where}; {escape(records)}.\n{folder}{beside}. {next_}"


def run_tasks(
    tasks: Sequence[Task],
    store: Store,
    *,
    fresh: bool,
    threads: int | None,
    pcap: bool = False,
) -> Outcome:
    """Runs tasks; on Ctrl-C says what is missing and returns what has finished."""
    code = 0
    try:
        with Bar() as bar:
            records = execute(tasks, store=store, fresh=fresh, pcap=pcap, threads=threads, watch=bar, command=command())
    except Interrupted as stop:
        records, code = stop.records, SIGNALLED + stop.signal
        err().print(escape(str(stop)), style="yellow")
    return Outcome(records, code)
