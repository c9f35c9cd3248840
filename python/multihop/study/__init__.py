"""Studies: a paper's experiments, figures, tables and claims as data, run and judged.

```python
from multihop import study

found = study.find("ohzahata")
```
"""

from .judge import Finding, Verdict, judge
from .library import find, names
from .load import load
from .model import Claim, Experiment, FigureSpec, Measure, PaperTable, Point, Study, StudyError
from .outcome import Outcome, reproduce
from .results import Cell, Results, points

__all__ = [
    "Cell",
    "Claim",
    "Experiment",
    "FigureSpec",
    "Finding",
    "Measure",
    "Outcome",
    "PaperTable",
    "Point",
    "Results",
    "Study",
    "StudyError",
    "Verdict",
    "find",
    "judge",
    "load",
    "names",
    "points",
    "reproduce",
]
