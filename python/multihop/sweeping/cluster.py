"""A sweep on many machines, through Dask: `--on tcp://HOST:PORT`, `--on ssh:HOST1,HOST2`, `--on slurm.toml`.

A task is a batch of runs of some seconds. Results come back to the client, which alone writes to the store, so records
are the same whichever worker made them. A worker that dies costs its unfinished batches: the scheduler gives them to
others. If the scheduler goes away the client connects again and sends what is missing.
"""

from __future__ import annotations

import contextlib
import json
import logging
import shutil
import time
import tomllib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from multihop import _engine
from multihop.errors import InputError, MultihopError, RunError
from multihop.files.intake import text_of
from multihop.record.record import Record, Records
from multihop.record.tables import RUN
from multihop.running import resources
from multihop.running.interrupts import Stop, patient
from multihop.running.plan import Arm, Job, Plan
from multihop.running.run import Interrupted, State, Watcher
from multihop.store.store import Store, Writer

from . import worker
from .worker import Made, Order, OtherBuildError

BATCH_S = 2.0
"""Processor time of a batch [s]: long enough that sending it costs little, short enough that losing it does."""
MOST_RUNS = 200
"""Runs of a batch at most."""
WAITING = 2
"""Batches that wait at each thread of a worker, so that it never runs dry."""
TICK_S = 0.2
"""How often progress is looked at [s]."""
CONNECT_S = 20.0
"""How long a scheduler may take to answer [s]."""
AWAY_S = 600.0
"""How long a scheduler may be away before the sweep gives up [s]."""
IDLE = "10 minutes"
"""How long a scheduler and workers that were started over SSH wait for a client or a scheduler that is gone."""
QUEUES = {"slurm": "SLURMCluster", "pbs": "PBSCluster", "sge": "SGECluster", "lsf": "LSFCluster", "oar": "OARCluster"}
"""Batch systems, and the classes of `dask-jobqueue` that speak to them."""

SELDOM = {
    "distributed.worker.profile.enabled": False,
    "distributed.admin.tick.interval": "2s",
    "distributed.admin.system-monitor.interval": "10s",
    "distributed.worker.memory.monitor-interval": "2s",
    "distributed.scheduler.work-stealing-interval": "5s",
}
"""How often Dask looks at itself: by default many times a second, which takes 2 % of a processor for each process."""


def environment() -> dict[str, str]:
    """The same as variables of the environment, for processes of Dask that are started elsewhere."""
    return {f"DASK_{key.upper().replace('-', '_').replace('.', '__')}": str(value) for key, value in SELDOM.items()}


class Cluster:
    """Workers that can be asked to make runs."""

    def __init__(self, on: str) -> None:
        self._on = on
        self._open: Callable[[], Any] = _opener(on)
        self.workers = 0
        """Workers that are there."""
        self.threads = 0
        """Runs that they make at once."""

    def run(
        self,
        arms: Sequence[Arm],
        *,
        store: Store,
        fresh: bool,
        watch: Watcher,
        kept: Callable[[Record], None],
        run_s: Callable[[int], float],
    ) -> list[Records]:
        """Makes the runs that the store lacks; `run_s` foresees what a run of an arm takes [s].

        Raises InputError where the cluster cannot be reached or a worker has another engine, StoreError, RunError,
        and Interrupted where the user stops it.
        """
        plan = Plan(arms, store, fresh, pcap=False)
        for warning in resources.check(plan, 1, 1):
            watch.warn(warning)
        with store.writing() as writer, patient() as stop:
            work = _Work(plan, writer, kept, watch, run_s)
            lost_at: float | None = None
            while not work.done and not stop:
                try:
                    with self._open() as client:
                        self._greet(client)
                        lost_at = None
                        work.on(client, stop, self)
                except MultihopError:
                    raise
                except _gone() as e:
                    lost_at = lost_at or time.monotonic()
                    if time.monotonic() - lost_at > AWAY_S or not work.begun:
                        raise InputError(f"--on {self._on}: the cluster does not answer: {_one_line(e)}") from None
                    watch.warn(f"the scheduler at {self._on} does not answer; the sweep goes on when it is back")
                    time.sleep(1.0)
        found = [arm.records() for arm in arms]
        if stop:
            raise Interrupted(found, len(plan) - work.finished, stop.signal or 2)
        return found

    def _greet(self, client: Any) -> None:
        """Looks which workers there are; raises InputError if one has another engine."""
        builds = client.run(worker.build, on_error="return")
        wrong = {name: found for name, found in builds.items() if found != _engine.BUILD}
        if wrong:
            name, found = next(iter(wrong.items()))
            what = f"engine build {found[:12]}" if isinstance(found, str) else f"no multihop ({_one_line(found)})"
            raise InputError(
                f"--on {self._on}: the worker {name} has {what}, and this machine has build {_engine.BUILD[:12]}: "
                "install the same wheel on all workers"
            )
        self.count(client)

    def count(self, client: Any) -> None:
        """Counts the workers and their threads."""
        found = client.scheduler_info(n_workers=-1).get("workers", {})
        self.workers, self.threads = len(found), sum(int(it["nthreads"]) for it in found.values())


@dataclass
class _Work:
    """The runs of a plan: what waits, what is under way, what is finished."""

    plan: Plan
    writer: Writer
    kept: Callable[[Record], None]
    watch: Watcher
    run_s: Callable[[int], float]
    finished: int = 0
    stored: int = 0
    begun: bool = False
    _again: list[list[Job]] = field(default_factory=list)
    """Batches that were lost with a scheduler."""
    _under_way: dict[Any, list[Job]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._jobs = self._wanted()
        self._next: Job | None = None
        self._end = False
        self._position = {id(arm): i for i, arm in enumerate(self.plan.arms)}
        self._texts: dict[int, str] = {}

    @property
    def done(self) -> bool:
        """Whether nothing is left."""
        return self._end and not self._again and not self._under_way and self._next is None

    def on(self, client: Any, stop: Stop, cluster: Cluster) -> None:
        """Keeps the workers of a client busy until all is done or the user stops it."""
        looked = time.monotonic()
        self._again += list(self._under_way.values())
        self._under_way.clear()
        while not stop and not self.done:
            while len(self._under_way) < max(1, WAITING * cluster.threads) and (jobs := self._batch()):
                self.begun = True
                future = client.submit(worker.compute, self._orders(jobs), _engine.BUILD, pure=False, retries=5)
                self._under_way[future] = jobs
            self._take(stop)
            self.watch.update(State(self.finished, self.stored, 0.0))
            if time.monotonic() - looked > 2.0:
                looked = time.monotonic()
                cluster.count(client)
                if not cluster.workers:
                    self.watch.warn("the cluster has no worker yet; the sweep waits for the first")
        if stop:
            client.cancel(list(self._under_way), force=True)

    def _wanted(self) -> Iterator[Job]:
        """The runs that the store lacks."""
        for job in self.plan.jobs():
            if job is None:
                self.stored += 1
                self.finished += 1
            else:
                yield job

    def _batch(self) -> list[Job]:
        """Runs that together take some seconds."""
        if self._again:
            return self._again.pop()
        jobs: list[Job] = []
        seconds = 0.0
        while len(jobs) < MOST_RUNS and seconds < BATCH_S:
            job = next(self._jobs, None)
            if job is None:
                self._end = True
                break
            jobs.append(job)
            # before anything is known a batch is one run
            seconds += self.run_s(self._position[id(job.arms[0])]) or BATCH_S
        return jobs

    def _orders(self, jobs: Sequence[Job]) -> list[Order]:
        runs: dict[int, list[int]] = {}
        for job in jobs:
            runs.setdefault(self._position[id(job.arms[0])], []).append(job.identity.run)
        return [
            Order(cell, self._text(cell), self.plan.arms[cell].resolved.hash, tuple(numbers))
            for cell, numbers in runs.items()
        ]

    def _text(self, cell: int) -> str:
        if cell not in self._texts:
            self._texts[cell] = self.plan.arms[cell].resolved.toml()
        return self._texts[cell]

    def _take(self, stop: Stop) -> None:
        """Stores the results of batches that have finished."""
        import distributed

        wait: Any = distributed.wait  # Dask's functions have no types
        if not self._under_way:
            return
        with contextlib.suppress(TimeoutError):
            wait(list(self._under_way), timeout=TICK_S, return_when="FIRST_COMPLETED")
        for future in [f for f in self._under_way if f.status not in ("pending", "processing")]:
            if stop:
                return
            if future.status in ("cancelled", "lost"):
                raise ConnectionError("the scheduler has lost its tasks")
            self._store(future)

    def _store(self, future: Any) -> None:
        try:
            made: list[Made] = future.result()
        except OtherBuildError as e:
            address, build = e.args
            raise InputError(
                f"worker {address}, which has joined, has engine build {build}, and this machine has build "
                f"{_engine.BUILD[:12]}: install the same wheel on all workers"
            ) from None
        except _engine.EngineError as e:
            raise RunError(f"a run had to be given up: {e}") from None
        jobs = {(self._position[id(job.arms[0])], job.identity.run): job for job in self._under_way.pop(future)}
        for one in made:
            job = jobs.pop((one.cell, one.run))
            first = job.arms[0]
            data = json.loads(one.files[RUN])
            record = self.writer.put(job.identity, first.resolved, first.task.scenario.name, data, one.files)
            for arm in job.arms:
                arm.have.append(record.lean())
            self.finished += 1
            self.kept(record.lean())
        if jobs:
            raise RunError(f"a worker did not make {len(jobs)} of the runs of its batch")


def _gone() -> tuple[type[BaseException], ...]:
    """What says that the scheduler is away."""
    from concurrent.futures import CancelledError

    from distributed.comm.core import CommClosedError

    return (OSError, TimeoutError, CommClosedError, CancelledError)


def _opener(on: str) -> Callable[[], Any]:
    """How the cluster is reached; raises InputError for what is no cluster, before anything runs."""
    try:
        import dask
        import distributed
    except ImportError:
        raise InputError(f"--on {on} needs Dask: install it with `pip install multihop[cluster]`") from None
    logging.getLogger("distributed").setLevel(logging.CRITICAL)  # what happens is said by the sweep
    settings: Any = dask.config.set
    settings(SELDOM)  # hosts that are reached by SSH get these too
    if on.startswith(("tcp://", "tls://")):
        connect: Any = distributed.Client
        return lambda: connect(on, timeout=CONNECT_S)
    if on.startswith("ssh:"):
        hosts = [host.strip() for host in on.removeprefix("ssh:").split(",")]
        if not all(hosts):
            raise InputError(f"--on {on}: hosts separated by commas are expected, like ssh:alpha,beta")
        return _once(on, lambda: _over_ssh(hosts))
    if on.endswith(".toml"):
        return _once(on, _described(on))
    raise InputError(
        f"--on {on}: a scheduler (tcp://HOST:8786), hosts (ssh:HOST1,HOST2) or a file for a batch system (slurm.toml) "
        "is expected"
    )


def _once(on: str, make: Callable[[], Any]) -> Callable[[], Any]:
    """Clients of one cluster, which is made with the first."""
    made: list[Any] = []

    def client() -> Any:
        import distributed

        if not made:
            try:
                made.append(make())
            except MultihopError:
                raise
            except (OSError, RuntimeError, ValueError) as e:
                raise InputError(f"--on {on}: the cluster does not start: {_one_line(e)}") from None
        connect: Any = distributed.Client
        return connect(made[0], timeout=CONNECT_S)

    return client


def _over_ssh(hosts: Sequence[str], python: str | None = None) -> Any:
    """A scheduler on the first host and a worker on each. They end by themselves once the client is gone."""
    import distributed

    return distributed.SSHCluster(
        [hosts[0], *hosts],  # the first is the scheduler's
        scheduler_options={"idle_timeout": IDLE},
        worker_options={"death_timeout": IDLE},
        remote_python=python,
    )


def _described(file: str) -> Callable[[], Any]:
    """The cluster that a file describes: `[slurm]` and its like, or `[ssh]`."""
    try:
        tree = tomllib.loads(text_of(Path(file), "cluster"))
    except tomllib.TOMLDecodeError as e:
        raise InputError(f"{file}: not valid TOML: {e}") from None
    names = (*QUEUES, "ssh")
    if len(tree) != 1 or next(iter(tree)) not in names or not isinstance(next(iter(tree.values())), dict):
        raise InputError(f"{file}: one table is expected, named after the batch system: {', '.join(names)}")
    [(name, options)] = tree.items()
    return _listed(file, options) if name == "ssh" else _queue(file, name, options)


def _listed(file: str, options: dict[str, Any]) -> Callable[[], Any]:
    """Hosts that a file lists: `hosts`, and `python` where it is not at the same path as here."""
    hosts, python = options.pop("hosts", None), options.pop("python", None)
    if not isinstance(hosts, list) or not hosts or not all(isinstance(host, str) and host for host in hosts):
        raise InputError(f'{file}: ssh.hosts must be a list of names, like ["alpha", "beta"], not {hosts!r}')
    if python is not None and not isinstance(python, str):
        raise InputError(f"{file}: ssh.python must be the path of a Python, not {python!r}")
    if options:
        raise InputError(f"{file}: ssh.{next(iter(options))}: unknown key; `hosts` and `python` are expected")
    return lambda: _over_ssh(hosts, python)


def _queue(file: str, name: str, options: dict[str, Any]) -> Callable[[], Any]:
    """Jobs of a batch system: the arguments of `dask-jobqueue`, and `jobs`."""
    jobs = options.pop("jobs", 1)
    if not isinstance(jobs, int) or jobs < 1:
        raise InputError(f"{file}: {name}.jobs must be a whole number from 1 on, not {jobs!r}")

    def make() -> Any:
        import dask_jobqueue

        kind = getattr(dask_jobqueue, QUEUES[name])
        submit = str(kind.job_cls.submit_command).split()[0]
        if shutil.which(submit) is None:
            raise InputError(f"{file}: there is no `{submit}` here: run the sweep on a machine that can submit jobs")
        exports = [f"export {name}={value}" for name, value in environment().items()]
        try:
            cluster = kind(**{**options, "job_script_prologue": [*exports, *options.get("job_script_prologue", ())]})
        except (TypeError, ValueError) as e:
            raise InputError(f"{file}: [{name}]: {_one_line(e)}") from None
        cluster.scale(jobs=jobs)
        return cluster

    return make


def _one_line(error: object) -> str:
    return " ".join(str(error).split()) or type(error).__name__
