"""Sweeps: one scenario at many points, each under some techniques, and the table that comes of it."""
