"""The order of scores: the best first, equal ones as they stand. Two counting sorts by halves of the bits."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from rankscope.engines.text.index.columns import Numbers

FEW: Final = 2_000  # fewer are sorted by comparing them
SIGN: Final = np.uint32(1 << 31)


def best_first(scores: NDArray[np.float32]) -> Numbers:
    """The places of scores in descending order; of equal scores the first comes first.

    >>> best_first(np.array([1.0, 3.0, 1.0, 2.0], dtype=np.float32)).tolist()
    [1, 3, 0, 2]
    """
    if len(scores) < FEW:
        return np.argsort(-scores, kind="stable")
    keys = _descending_keys(scores)
    keys -= keys.min()
    half = (int(keys.max()).bit_length() + 1) // 2
    order = _by_counting(keys & np.uint32((1 << half) - 1))
    return order[_by_counting((keys >> np.uint32(half))[order])]


def best_places(scores: NDArray[np.float32], limit: int, margin: float = 0.0) -> Numbers:
    """Places of at least the `limit` best scores, ascending, and of all within `margin` of the last of them.

    >>> {997, 998, 999} <= set(best_places(np.arange(1000, dtype=np.float32), limit=3).tolist())
    True


    The best of each of many groups are looked at first: the last of the best groups is a lower bound.
    """
    groups = max(len(scores) // 128, 4 * limit)
    if groups * 4 > len(scores):
        return np.arange(len(scores))
    even = groups * (len(scores) // groups)
    tops = scores[:even].reshape(-1, groups).max(axis=0)
    bound = np.partition(tops, groups - limit)[groups - limit] - margin
    columns = np.flatnonzero(tops >= bound)
    places = (columns + groups * np.arange(even // groups)[:, None]).ravel()
    places = np.concatenate([places, np.arange(even, len(scores))])
    return np.sort(places[scores[places] >= bound])


def _descending_keys(scores: NDArray[np.float32]) -> NDArray[np.uint32]:
    """Whole numbers in the opposite order of the scores; 0 and -0 are one."""
    bits = (scores + np.float32(0)).view(np.uint32)
    return ~bits if not (bits & SIGN).any() else ~np.where(bits & SIGN, ~bits, bits | SIGN)


def _by_counting(keys: Numbers) -> Numbers:
    """The places of whole numbers in ascending order, equal ones as they stand."""
    from scipy.sparse import csr_matrix

    count = len(keys)
    row = csr_matrix(
        (np.arange(count, dtype=np.int32), keys.astype(np.int32), np.array([0, count], dtype=np.int32)),
        shape=(1, int(keys.max()) + 1),
    )
    order: Numbers = row.tocsc().data
    return order
