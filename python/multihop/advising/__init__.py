"""Advice: what limits a network, and which of the things that its operator can set helps, tried and then confirmed."""
