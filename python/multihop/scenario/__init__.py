"""Scenarios: files, keys, names, techniques laid over them."""
