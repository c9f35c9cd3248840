"""Where records are kept, for those who only have to name it."""

HOME = "MULTIHOP_HOME"
"""Environment variable that names the store's folder."""
