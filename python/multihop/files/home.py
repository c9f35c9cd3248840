"""Where records are kept, for code that only has to name it."""

import os
from pathlib import Path

HOME = "MULTIHOP_HOME"
"""Environment variable that names the store's folder."""


def store_folder() -> Path:
    """The store's folder: $MULTIHOP_HOME, else `.multihop` under the working folder."""
    return Path(os.environ.get(HOME) or ".multihop")
