"""Studies: a paper's experiments, figures, tables and claims as data, run and judged.

```python
from multihop import study

found = study.find("ohzahata")
```
"""

from .claim import Claim
from .drawing import FigureSpec, PaperTable
from .entry import StudyError
from .judge import Finding, Verdict, judge
from .library import find, names
from .load import load
from .measure import Experiment, Measure, Point
from .model import Reading, Study
from .outcome import Beside, Outcome, reproduce
from .results import Cell, Results, points

__all__ = [
    "Beside",
    "Cell",
    "Claim",
    "Experiment",
    "FigureSpec",
    "Finding",
    "Measure",
    "Outcome",
    "PaperTable",
    "Point",
    "Reading",
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
