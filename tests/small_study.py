"""A small study for the tests, and what it is made of."""

from __future__ import annotations

from multihop.study import Study, load

SMALL = """
[study]
name = "small"
title = "Two queues"
[[experiment]]
name = "paths"
techniques = ["drr", "persistent-queue", "drr+placebo"]
runs = 4
sweep.hops = [2, 3]
sweep.ber = [1e-6, 5e-5]
scenario = '''
[run]
duration = "6 s"
[measure]
warm-up = "1 s"
window = [{ name = "late", from = "3 s", to = "6 s" }]
[topology]
kind = "chain"
hops = $hops
spacing = "200 m"
[air]
bit-error-rate = $ber
[routing]
kind = "static"
[[flow]]
kind = "bulk"
from = "0"
to = "$hops"
'''
"""
CLAIM = """
[[claim]]
id = "A"
tier = "must"
where = "Fig 1"
text = "The queue gains."
paper = "gain"
value = { metric = "goodput", of = "paths", flow = "1", technique = "persistent-queue", ber = 5e-5, hops = 3 }
against = { technique = "drr" }
accept = { ratio-above = 2 }
[claim.gain]
cause = { metric = "drops", cause = "retry-limit", technique = "drr" }
acted = {}
placebo = { technique = "drr+placebo" }
"""


READINGS = """
[[reading]]
name = "swapped"
title = "Swapped"
swap = ["drr", "persistent-queue"]
[[reading]]
name = "short"
title = "With a short queue"
set = ["queue.limit=5"]
watch = { metric = "counter", counter = "queue.kept", label = "kept" }
"""
TABLE = """
[[table]]
name = "table1"
title = "Table 1"
where = "Table 1"
of = "paths"
at = { technique = "drr", ber = 1e-6, hops = 3 }
columns = ["late"]
claim = "T-{row}-{column}"
text = "DRR"
[[table.row]]
id = "f1"
name = "Flow 1"
flow = "1"
cells = [{ paper = 0.2, range = [0.1, 0.4] }]
[[figure]]
name = "fig1"
kind = "lines"
of = "paths"
title = "Figure 1"
arguments = { flow = "1" }
x = "hops"
series = [{ label = "DRR", technique = "drr", ber = 1e-6 }]
paper = [{ series = "DRR", x = 3, y = 0.2 }]
"""


def study(text: str) -> Study:
    return load(text, "small.toml", lambda part: (_ for _ in ()).throw(AssertionError(part)))
