"""Lengths of documents as Lucene keeps them in a byte: exact to 40, then ever more coarse."""

from __future__ import annotations

from typing import Final

import numpy as np

from rankscope.engines.text.index.columns import Numbers

EXACT: Final = 24  # codes below it are the lengths themselves


def _decoded(code: int) -> int:
    """The length that a code stands for."""
    above = code - EXACT
    if above < 8:
        return code
    return EXACT + ((8 + above % 8) << (above // 8 - 1))


LENGTHS: Final = np.array([_decoded(code) for code in range(256)], dtype=np.int64)


def coarse_lengths(lengths: Numbers) -> Numbers:
    """The largest length that a byte can say and that is not above each.

    >>> coarse_lengths(np.array([41, 55, 59, 100, 1000, 12345])).tolist()
    [40, 54, 56, 96, 984, 12312]
    """
    return LENGTHS[np.searchsorted(LENGTHS, lengths, side="right") - 1]
