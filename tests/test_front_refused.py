"""Command lines that cannot be meant: each is answered with one paragraph and code 2, and nothing runs."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from conftest import Cli

REFUSED = """
frobnicate
--frobnicate
run
run chian
run missing.toml
run ./
run tiny.toml extra
run tiny.toml --runs
run tiny.toml --runs 0
run tiny.toml --runs -3
run tiny.toml --runs many
run tiny.toml --runs 1.5
run tiny.toml --runs 1e3
run tiny.toml -n ""
run tiny.toml --threads 0
run tiny.toml --threads all
run tiny.toml --seed -1
run tiny.toml --seed one
run tiny.toml --seed 99999999999999999999
run tiny.toml --rnus 2
run tiny.toml --json=yes
run tiny.toml --csv
run tiny.toml --out tiny.toml
run tiny.toml --out tiny.toml/deep
run tiny.toml -t
run tiny.toml -t ""
run tiny.toml -t drr+
run tiny.toml -t +drr
run tiny.toml -t drr++sack
run tiny.toml -t persistant-queue
run tiny.toml -t drr,none
run tiny.toml -t drr -t none
run tiny.toml -t reno+tahoe+nonsense
run tiny.toml -t small-window:0
run tiny.toml -t small-window:many
run tiny.toml -t small-window:1,2,3
run tiny.toml -t small-window:size=3
run tiny.toml -t drr:5
run tiny.toml -t missing.toml
run tiny.toml -t tiny.toml
run tiny.toml -t ./
run tiny.toml --set
run tiny.toml --set ""
run tiny.toml --set tcp
run tiny.toml --set tcp.max-window
run tiny.toml --set =8
run tiny.toml --set tcp.max-window=
run tiny.toml --set tcp.max-window=0
run tiny.toml --set tcp.max-window=-1
run tiny.toml --set tcp.max-window=1.5
run tiny.toml --set tcp.max-window=many
run tiny.toml --set tcp.max-window=99999999999999999999
run tiny.toml --set tcp.max-window=[8]
run tiny.toml --set tcp.windw=8
run tiny.toml --set tpc.window=reno
run tiny.toml --set tcp.window=compound
run tiny.toml --set tcp.window=8
run tiny.toml --set tcp=8
run tiny.toml --set tcp.max-window.more=8
run tiny.toml --set ..=1
run tiny.toml --set "a b=1"
run tiny.toml --set run.duration=4
run tiny.toml --set run.duration=-4s
run tiny.toml --set run.duration=0s
run tiny.toml --set run.duration=4parsec
run tiny.toml --set run.duration=infs
run tiny.toml --set run.duration=nans
run tiny.toml --set run.duration=1e30s
run tiny.toml --set "run.duration=0.5 s"
run tiny.toml --set run.seed=-1
run tiny.toml --set run.seed=x
run tiny.toml --set "measure.warm-up=9 s"
run tiny.toml --set measure.sample=-1s
run tiny.toml --set "measure.sample=1 ns"
run tiny.toml --set measure.until=99s
run tiny.toml --set measure.rows=-1
run tiny.toml --set measure.events=-1
run tiny.toml --set measure.events=few
run tiny.toml --set measure.window.0.from=3s
run tiny.toml --set air.bit-error-rate=2
run tiny.toml --set air.bit-error-rate=-1e-6
run tiny.toml --set air.bit-error-rate=nan
run tiny.toml --set air.bit-error-rate=inf
run tiny.toml --set air.bit-error-rate=low
run tiny.toml --set air.packet-error-rate=1.1
run tiny.toml --set air.range=250
run tiny.toml --set air.range=-250m
run tiny.toml --set air.range=250ft
run tiny.toml --set air.range=0m
run tiny.toml --set air.propagation=magic
run tiny.toml --set air.capture=10
run tiny.toml --set mac.kind=aloha
run tiny.toml --set mac.data-rate=2
run tiny.toml --set mac.data-rate=0Mbps
run tiny.toml --set mac.data-rate=-2Mbps
run tiny.toml --set "mac.data-rate=2 MB"
run tiny.toml --set mac.rts-threshold=256
run tiny.toml --set mac.short-retry-limit=0
run tiny.toml --set mac.slot=long
run tiny.toml --set queue.limit=0
run tiny.toml --set queue.limit=all
run tiny.toml --set queue.aqm=codle
run tiny.toml --set routing.kind=ospf
run tiny.toml --set routing=static
run tiny.toml --set topology.hops=-1
run tiny.toml --set topology.hops=0
run tiny.toml --set topology.hops=3.5
run tiny.toml --set topology.hops=1
run tiny.toml --set topology.spacing=200
run tiny.toml --set topology.spacing=-200m
run tiny.toml --set topology.kind=torus
run tiny.toml --set topology.kind=grid
run tiny.toml --set topology.leaves=3
run tiny.toml --set profile=ns4
run tiny.toml --set flow=3
run tiny.toml --set flow.3.to=0
run tiny.toml --set flow.web.to=0
run tiny.toml --set flow.1.to=99
run tiny.toml --set flow.1.to=0
run tiny.toml --set flow.1.kind=torrent
run tiny.toml --set flow.1.rate=5
run tiny.toml --set flow.1.start=-1s
run tiny.toml --set flow.1.colour=red
run tiny.toml --set topology.node.roof.x=1m
compare
compare tiny.toml
compare tiny.toml -t none
compare tiny.toml -t none,none
compare tiny.toml -t none,,drr
compare tiny.toml -t none,drrr
compare tiny.toml -t none,drr --runs 0
compare tiny.toml -t none,drr --runs x
compare chian -t none,drr
compare tiny.toml -t none,drr --set tcp.windw=3
check
check chian
check tiny.toml -t none,drr
check tiny.toml --set tcp.windw=3
check tiny.toml --map map.gif
check tiny.toml --csv everything
explain
explain zzzz
explain abc
explain ./
explain --flow 1
explain --run one
plot
plot goodput
plot pie
plot zzzz goodput
plot one two three
plot tiny.toml goodput
plot tiny.toml map --flow 1
plot chian.toml map
report
report zzzz
report --out ./
reproduce
reproduce nobody
reproduce missing.toml
reproduce tiny.toml
reproduce ohzahata/fig99
reproduce ohzahata/
list
list everything
list records extra
new
new tiny.toml
new mine.txt
new mine --from chian
new mine --from missing.toml
import
import missing.csv
import tiny.toml
import tiny.toml --range wide
import tiny.toml --flows 0
export
export zzzz --out new
remove
remove zzzz
remove --all zzzz
"""
LINES = REFUSED.strip().splitlines()


def test_there_are_enough() -> None:
    assert len({*LINES}) == len(LINES) >= 160


@pytest.mark.parametrize("line", LINES)
def test_one_paragraph_and_code_2(cli: Cli, tiny: str, here: Path, line: str) -> None:
    done = cli(*shlex.split(line))
    assert (done.code, done.out) == (2, ""), done
    assert done.err.startswith("multihop: ")
    assert len(done.err.splitlines()) == 1
    assert "Traceback" not in done.err
    assert [path.name for path in here.iterdir()] == [tiny]
