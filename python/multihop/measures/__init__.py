"""What runs are measured by: the figures, their statistics, and how numbers are written."""
