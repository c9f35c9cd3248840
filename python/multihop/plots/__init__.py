"""Figures for papers and reports: drawn by matplotlib from records alone, readable without colour."""

from .style import inline, rendered, save

__all__ = ["inline", "rendered", "save"]
