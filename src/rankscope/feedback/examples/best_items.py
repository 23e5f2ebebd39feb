"""The best items of each row of scores, without sorting whole rows."""

from __future__ import annotations

import numpy as np

from rankscope.arrays import BoolArray, FloatArray, IntArray
from rankscope.ranks.ragged import Ragged, ranges
from rankscope.running.threads import in_threads

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
        return _best(scores[start : start + step], out[start : start + step], count)

    return np.concatenate([np.empty((0, count), np.int64), *in_threads(work, starts)])


def _best(scores: FloatArray, out: BoolArray, count: int) -> IntArray:
    place = _reaching(scores, out, count)
    row, item = np.divmod(place, scores.shape[1])
    order = np.lexsort((item, -scores.ravel()[place], row))
    found = Ragged.from_rows(row, len(scores), item=item[order])
    result = np.full((len(scores), count), -1, np.int64)
    lengths = np.minimum(found.lengths, count)
    places = ranges(found.offsets[:-1], lengths)
    result[found.row[places], found.position[places] - 1] = found["item"][places]
    return result


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
