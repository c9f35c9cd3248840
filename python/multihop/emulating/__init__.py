"""Emulations: programs of Linux on the simulated air, in real time."""
