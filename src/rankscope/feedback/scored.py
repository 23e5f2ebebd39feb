"""What a method makes of the sessions: a score for every item, and word of every session that went another way."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rankscope.arrays import BoolArray, FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class Scored:
    """Sessions x items, higher is more relevant; flags and reasons of failure are empty where all went well.

    A failed session is a row of NaN; the others are not touched by it.
    >>> Scored.plain(np.array([[0.1, 0.7, 0.1]])).order(2)
    array([[1, 0]])
    """

    values: FloatArray
    flags: tuple[str, ...]
    failed: tuple[str, ...]

    @classmethod
    def plain(cls, values: FloatArray) -> Scored:
        """Scores of sessions in which all went well."""
        return cls(values, ("",) * len(values), ("",) * len(values))

    def __len__(self) -> int:
        return len(self.values)

    @property
    def good(self) -> BoolArray:
        """The sessions that did not fail."""
        return np.array([not reason for reason in self.failed], dtype=np.bool_)

    def order(self, k: int | None = None, leave_out: BoolArray | None = None) -> IntArray:
        """The first `k` items of each ranking, equal scores by position; -1 where items run out."""
        return best(self.values, k, leave_out)


def best(values: FloatArray, k: int | None = None, leave_out: BoolArray | None = None) -> IntArray:
    """The columns of the `k` largest values of each row, largest first, equal ones by position; -1 where none is left.

    >>> best(np.array([[1.0, 3.0, 3.0, 2.0]]), 3, leave_out=np.array([[False, True, True, False]]))
    array([[ 3,  0, -1]])
    """
    count = values.shape[1] if k is None else k
    key = -values
    key[np.isnan(key)] = np.inf
    out = np.zeros_like(key, dtype=np.bool_) if leave_out is None else leave_out
    rows = np.arange(len(values))[:, None]
    order = np.lexsort((np.broadcast_to(np.arange(values.shape[1]), key.shape), key, out), axis=1)[:, :count]
    found = np.where(out[rows, order], -1, order)
    return np.pad(found, ((0, 0), (0, count - found.shape[1])), constant_values=-1).astype(np.int64)
