"""Scores of all items in all sessions: what a method gives back, without rounding, and the best items of each row."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from rankscope.core.arrays import BoolArray, FloatArray, IntArray
from rankscope.core.threads import in_threads
from rankscope.ranks.ragged import Ragged, ranges

CACHED = 1 << 17  # scores looked at a second time while they are in the cache
NEAR = 8  # units in the last place: what rounding leaves between two equal scores, and some more
KEPT, KEPT_SINGLE = 44, 20  # bits of a score that count, of 53, or of 24 where features are float32


@dataclass(frozen=True, eq=False)
class Scored:
    """Sessions x items, higher is more relevant; flags and reasons of failure are empty where all went well.

    A failed session is a row of NaN; the others are not touched by it. Items with equal scores stand in the order of
    the items, wherever a ranking is made; `drop_rounding` is applied to scores first, so that rounding breaks no tie.
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


def drop_rounding(values: FloatArray, single: bool = False) -> FloatArray:
    """Scores without what rounding left in their last digits, in place: 13 digits count, 6 where `single`.

    Two items that a formula gives the same score come out a few last bits apart, and differently on another machine.
    The order of two scores is never turned round. Scores within 8 units in the last place of the border between two
    roundings are not parted by it.
    >>> scores = np.array([[0.3, 0.1 + 0.2, 0.3001]])
    >>> bool(scores[0, 0] == scores[0, 1]), (np.diff(drop_rounding(scores)) > 0).tolist()
    (False, [[False, True]])
    """
    dropped = 53 - (KEPT_SINGLE if single else KEPT)
    bits = values.view(np.int64)
    step = max(1, CACHED // max(1, values.shape[-1]))
    for start in range(0, len(bits), step):
        part = bits[start : start + step]
        parted = None if single else _parted(part, dropped)
        part += 1 << (dropped - 1)
        part &= -(1 << dropped)
        if parted is not None:
            part[parted] -= 1 << dropped
    return values


def _parted(bits: IntArray, dropped: int) -> tuple[IntArray, IntArray] | None:
    """Scores just above the border of two roundings in whose row another one is just below it; None where none is."""
    half, mask = 1 << (dropped - 1), (1 << dropped) - 1
    flat = np.flatnonzero(((bits + (NEAR - half)) & mask) < 2 * NEAR)
    near = bits.ravel()[flat]
    cell = near >> dropped
    order = np.argsort(cell)
    again = np.flatnonzero(cell[order][1:] == cell[order][:-1])
    if not again.size:
        return None
    several = np.unique(np.concatenate([order[again], order[again + 1]]))
    row, place = np.divmod(flat[several], bits.shape[1])
    cell, above = cell[several], near[several] & mask >= half
    _, group = np.unique(np.stack([row, cell]), axis=1, return_inverse=True)
    below = np.bincount(group.ravel(), ~above) > 0
    moved = above & below[group.ravel()]
    return row[moved], place[moved]


def best(values: FloatArray, k: int | None = None, leave_out: BoolArray | None = None) -> IntArray:
    """The columns of the `k` largest values of each row, largest first, equal ones by position; -1 where none is left.

    >>> best(np.array([[1.0, 3.0, 3.0, 2.0]]), 3, leave_out=np.array([[False, True, True, False]]))
    array([[ 3,  0, -1]])
    """
    key = np.where(np.isnan(values), np.finfo(values.dtype).max, -values)  # behind all that is scored, not left out
    if leave_out is not None:
        key[leave_out] = np.inf
    count = values.shape[1] if k is None else k
    order = np.argsort(key, axis=1, kind="stable") if count >= values.shape[1] // 4 else _least(key, count)
    found = np.where(np.isinf(np.take_along_axis(key, order[:, :count], axis=1)), -1, order[:, :count])
    return np.pad(found, ((0, 0), (0, count - found.shape[1])), constant_values=-1).astype(np.int64)


def _least(key: FloatArray, count: int) -> IntArray:
    """The places of the least values of each row, without sorting whole rows."""
    if count == 0 or not len(key):
        return np.empty((len(key), count), np.int64)
    last = np.partition(key, count - 1, axis=1)[:, count - 1]
    row, place = np.nonzero(key <= last[:, None])
    order = np.lexsort((place, key[row, place], row))
    starts = np.searchsorted(row, np.arange(len(key)))
    return place[order][starts[:, None] + np.arange(count)]


def mean_or_nan(values: ArrayLike) -> float:
    """The mean of what is not NaN; NaN where nothing is left."""
    given = np.asarray(values, dtype=np.float64)
    there = given[~np.isnan(given)]
    return float(there.mean()) if there.size else float("nan")


PART_CELLS = 1 << 20  # scores looked at by one thread at a time
STRIDE = 16  # every so many items are asked first how high the best stand
SPARE = 4  # and so many times as many as wanted are let through


def best_items(scores: FloatArray, out: BoolArray, count: int) -> IntArray:
    """The `count` best items of each row that are not out, best first, equal ones by number.

    -1 stands where none is left, and in a row of NaN.

    >>> best_items(np.array([[1.0, 3.0, 3.0, 2.0]]), np.array([[False, False, True, False]]), 4)
    array([[ 1,  3,  0, -1]])
    """
    step = max(1, PART_CELLS // scores.shape[1])
    starts = list(range(0, len(scores), step))

    def work(start: int) -> IntArray:
        part = scores[start : start + step]
        place = _reaching(part, out[start : start + step], count)
        row, item = np.divmod(place, part.shape[1])
        order = np.lexsort((item, -part.ravel()[place], row))
        found = Ragged.from_rows(row, len(part), item=item[order])
        result = np.full((len(part), count), -1, np.int64)
        lengths = np.minimum(found.lengths, count)
        places = ranges(found.offsets[:-1], lengths)
        result[found.row[places], found.position[places] - 1] = found["item"][places]
        return result

    return np.concatenate([np.empty((0, count), np.int64), *in_threads(work, starts)])


def _reaching(scores: FloatArray, out: BoolArray, count: int) -> IntArray:
    """Places of the best items of each row that are not out: at least `count`, or all there are, and not many more.

    How high the best stand is guessed from some of the items, and looked up where too few come so far.
    """
    size = scores.shape[1]
    if size <= SPARE * count:
        return np.flatnonzero((scores >= -np.inf) & ~out)
    some = np.where(out[:, ::STRIDE], -np.inf, scores[:, ::STRIDE])
    place = some.shape[1] - min(some.shape[1], SPARE * count // STRIDE + SPARE)
    limit: FloatArray = np.partition(some, place, axis=1)[:, place]
    reached = _open_places(scores >= limit[:, None], out)
    short = np.flatnonzero(np.bincount(reached // size, minlength=len(scores)) < count)
    if not short.size:
        return reached
    open_scores = np.where(out[short], -np.inf, scores[short])
    limit[short] = np.partition(open_scores, size - count, axis=1)[:, size - count]
    return _open_places(scores >= limit[:, None], out)


def _open_places(chosen: BoolArray, out: BoolArray) -> IntArray:
    """Places, row after row, of what is chosen and not out."""
    place = np.flatnonzero(chosen)
    return place[~out.ravel()[place]]
