"""Running: which runs are missing, what they need, and how they are kept."""
