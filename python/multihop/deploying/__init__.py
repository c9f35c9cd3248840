"""Cures on a real host: for the TCP of its Linux."""
