"""The levels of recall at which precision is interpolated."""

from __future__ import annotations

LEVELS = tuple(level / 10 for level in range(11))
