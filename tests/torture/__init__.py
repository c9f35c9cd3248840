"""Harnesses that do to the store what the world does: processes killed at any moment, files changed on the disk."""
