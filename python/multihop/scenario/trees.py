"""TOML documents as trees, read as deep as the engine reads them and no deeper."""

from __future__ import annotations

import tomllib
from typing import Any

from multihop import _engine


def tree(text: str, name: str = "") -> dict[str, Any]:
    """A document as a tree.

    Raises tomllib.TOMLDecodeError for what is not TOML, and _engine.ScenarioError, which says where in the document of
    this name, for what is nested too deep: tomllib would use the stack, or a time that grows with the square of the
    depth.
    """
    _engine.check_depth(text, name)
    return tomllib.loads(text)


INVALID = (tomllib.TOMLDecodeError, _engine.ScenarioError)
"""What `tree` raises."""
