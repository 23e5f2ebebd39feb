"""At which ranks some items of each row of scores stand, and which items are the best of each row."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankscope.arrays import BoolArray, FloatArray, IntArray
from rankscope.engines.nearest.threads import together
from rankscope.ranks.ragged import Ragged, ranges

TIES = ("start", "size")
PART_CELLS = 1 << 20  # scores looked at by one thread at a time
STRIDE = 16  # every so many items are asked first how high the best stand
SPARE = 4  # and so many times as many as wanted are let through


def hit_ranks(scores: FloatArray, out: BoolArray, hits: Ragged) -> tuple[Ragged, Ragged]:
    """Ranks of the hits (column `item`) of each row, ascending, and the groups of equal scores that hold one.

    Items that are `out` are in no list and have no rank; no hit may be out. Equal scores stand in the order of items.
    A row of NaN must have no hits.
    >>> hits = Ragged.of([[0, 2]], "item")
    >>> found, ties = hit_ranks(np.array([[0.5, 0.9, 0.5, 0.7]]), np.array([[False, True, False, False]]), hits)
    >>> found.lists("rank"), ties.lists("size")
    ([[2, 3]], [[2]])
    """
    step = max(1, PART_CELLS // scores.shape[1])
    starts = list(range(0, len(scores), step))

    def work(start: int) -> tuple[IntArray, Ragged]:
        rows = np.arange(start, min(start + step, len(scores)))
        return _ranks(scores[start : start + step], out[start : start + step], hits.take(rows))

    parts = together(work, starts)
    ranks = Ragged(hits.offsets, {"rank": np.concatenate([np.empty(0, np.int64), *(part[0] for part in parts)])})
    tied = [part[1] for part in parts]
    row = np.concatenate([np.empty(0, np.int64), *(each.row + at for each, at in zip(tied, starts, strict=True))])
    columns = {name: np.concatenate([np.empty(0, np.int64), *(each[name] for each in tied)]) for name in TIES}
    return ranks.sorted_by(ranks["rank"]), Ragged.from_rows(row, len(scores), **columns)


def _ranks(scores: FloatArray, out: BoolArray, hits: Ragged) -> tuple[IntArray, Ragged]:
    """Rows are sorted as float32; where a hit is then equal to another item, its row is ranked in full."""
    flat = _narrowed(scores)
    np.copyto(flat, -np.inf, where=out)
    limit = flat[hits.row, hits["item"]]
    ordered = np.sort(flat, axis=1)
    up_to = _up_to(ordered, hits.row, limit)
    rank = scores.shape[1] + 1 - up_to
    doubtful = np.zeros(len(scores), np.bool_)
    doubtful[hits.row[(up_to > 1) & (ordered[hits.row, up_to - 2] == limit)]] = True
    if not doubtful.any():
        return rank, Ragged.from_rows(np.empty(0, np.int64), len(scores), **dict.fromkeys(TIES, np.empty(0, np.int64)))
    rows = np.flatnonzero(doubtful)
    rank[doubtful[hits.row]], ties = _in_full(scores[rows], out[rows], hits.take(rows))
    return rank, Ragged.from_rows(rows[ties.row], len(scores), **ties.columns)


def _narrowed(scores: FloatArray) -> NDArray[np.float32]:
    """Scores as float32 without a change of order: moved to 0, where float32 is finest, and brought into its range.

    Both steps never turn the order of two scores round; what becomes equal is told apart later.
    """
    middle = scores.mean(axis=1, keepdims=True)
    with np.errstate(over="ignore", invalid="ignore"):
        spread = np.maximum(scores.max(axis=1, keepdims=True) - middle, middle - scores.min(axis=1, keepdims=True))
    usable = np.isfinite(spread) & (spread > 0)
    middle = np.where(usable, middle, 0.0)
    factor = np.ldexp(1.0, -np.clip(np.frexp(np.where(usable, spread, 1.0))[1], -1000, 1000))
    moved = scores - middle
    moved *= factor
    with np.errstate(over="ignore"):
        return moved.astype(np.float32)


def _up_to(ordered: NDArray[Any], row: IntArray, limit: NDArray[Any]) -> IntArray:
    """How many values of an ascending row are at most the limit: all rows are halved at once."""
    low = np.zeros(row.size, np.int64)
    high = np.full(row.size, ordered.shape[1])
    flat, first = ordered.ravel(), row * ordered.shape[1]
    for _ in range(int(ordered.shape[1]).bit_length()):
        middle = (low + high) // 2
        reached = flat[np.minimum(first + middle, flat.size - 1)] <= limit
        going = low < high
        low, high = np.where(going & reached, middle + 1, low), np.where(going & ~reached, middle, high)
    return low


def _in_full(scores: FloatArray, out: BoolArray, hits: Ragged) -> tuple[IntArray, Ragged]:
    """Exact ranks of the hits, and their groups of equal scores, by sorting whole rows."""
    key = np.where(out, np.inf, -scores)
    order = np.argsort(key, axis=1, kind="stable")
    rank = np.empty(order.shape, np.int64)
    np.put_along_axis(rank, order, np.arange(1, order.shape[1] + 1)[None, :], axis=1)
    ordered = np.take_along_axis(key, order, axis=1)
    value = key[hits.row, hits["item"]]
    last = _up_to(ordered, hits.row, value)
    first = _up_to(ordered, hits.row, np.nextafter(value, -np.inf))
    tied = last - first > 1
    group, once = np.unique(hits.row[tied] * order.shape[1] + first[tied], return_index=True)
    size = (last - first)[tied][once]
    ties = Ragged.from_rows(group // order.shape[1], len(scores), start=group % order.shape[1] + 1, size=size)
    return rank[hits.row, hits["item"]], ties


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

    return np.concatenate([np.empty((0, count), np.int64), *together(work, starts)])


def _best(scores: FloatArray, out: BoolArray, count: int) -> IntArray:
    chosen = scores >= _limit(scores, out, count)[:, None]
    chosen &= ~out
    row, item = np.nonzero(chosen)
    order = np.lexsort((item, -scores[row, item], row))
    found = Ragged.from_rows(row, len(scores), item=item[order])
    result = np.full((len(scores), count), -1, np.int64)
    lengths = np.minimum(found.lengths, count)
    places = ranges(found.offsets[:-1], lengths)
    result[found.row[places], found.position[places] - 1] = found["item"][places]
    return result


def _limit(scores: FloatArray, out: BoolArray, count: int) -> FloatArray:
    """A score that `count` items of each row reach, or all there are, and not many more: guessed from some of them."""
    size = scores.shape[1]
    if size <= SPARE * count:
        return np.full(len(scores), -np.inf)
    some = np.where(out[:, ::STRIDE], -np.inf, scores[:, ::STRIDE])
    place = some.shape[1] - min(some.shape[1], SPARE * count // STRIDE + SPARE)
    limit: FloatArray = np.partition(some, place, axis=1)[:, place]
    reached = scores >= limit[:, None]
    reached &= ~out
    short = np.flatnonzero(np.count_nonzero(reached, axis=1) < count)
    if short.size:
        open_scores = np.where(out[short], -np.inf, scores[short])
        limit[short] = np.partition(open_scores, size - count, axis=1)[:, size - count]
    return limit
