"""Ranks of some items of each row of a table of scores, without sorting whole rows where that can be avoided.

Rows are looked at in float32 first, moved so that it is finest where the hits are. Moving, scaling and narrowing never
turn the order of two scores round; what becomes equal by them is distinguished by the scores themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankscope.arrays import FloatArray, IntArray
from rankscope.ranks.counting import count_block
from rankscope.ranks.ragged import Ragged
from rankscope.ranks.settling import Close, Ranked, final_ranks

COUNTED_CELLS = 1 << 18  # scores counted at a time, which stay in the cache
SORTED_CELLS = 1 << 20  # and sorted by one thread at a time
MANY = 1 / 64  # hits among all items, from which on sorting is quicker than counting: measured
FEW = 1 / 8  # hits with an equal, up to which counting a row again is quicker than sorting its items
FINE = 60  # powers of two that float32 has to spare at both ends

Scores32 = NDArray[np.float32]
Each = Callable[[Callable[[int], Any], Sequence[int]], list[Any]]


def in_turn(work: Callable[[int], Any], parts: Sequence[int]) -> list[Any]:
    """The result of each part, one after the other."""
    return [work(part) for part in parts]


def best_first(hits: Ragged) -> Ragged:
    """Hits (item and score) of each row by falling score, the earlier item of two equals first."""
    score = hits["score"]
    width = int(hits.lengths.max(initial=0))
    if width * len(hits) > 2 * hits.size:
        return hits.sorted_by(-score)
    table = np.full((len(hits), width), np.inf)  # lists of about one length: quicker as a table
    table[hits.row, hits.position - 1] = -score
    order = np.argsort(table, axis=1, kind="stable")[hits.row, hits.position - 1] + hits.offsets[hits.row]
    return Ragged(hits.offsets, {name: column[order] for name, column in hits.columns.items()})


def ranks_among(hits: Ragged, others: FloatArray, each: Each = in_turn) -> Ranked:
    """Ranks of hits, which come best first, among the other items of each row; -inf stands for what is not in the list.

    Hits have a finite score and stand as -inf among the others. `each` works on parts of the rows, with several threads
    if it likes.
    >>> hits = Ragged(np.array([0, 2]), {"item": np.array([1, 3]), "score": np.array([0.5, 0.2])})
    >>> found = ranks_among(hits, np.array([[0.5, -np.inf, 0.4, -np.inf, 0.1]]))
    >>> found.rank, found.ties.lists("start"), found.ties.lists("size")
    (array([2, 4]), [[1]], [[2]])
    """
    width = max(1, others.shape[1])
    by_sorting = hits.size > MANY * others.size
    step = max(1, (SORTED_CELLS if by_sorting else COUNTED_CELLS) // width)
    starts = list(range(0, len(others), step))

    def work(start: int) -> Ranked:
        rows = slice(start, start + step)
        some = hits.take(np.arange(start, min(start + step, len(others))))
        return (_by_sorting if by_sorting else _by_counting)(some, others[rows])

    parts = each(work, starts)
    rank = np.concatenate([np.empty(0, dtype=np.int64), *(part.rank for part in parts)])
    ties = [Ragged.empty(0, "start", "size"), *(part.ties for part in parts)]
    return Ranked(rank, Ragged.join(ties))


def _narrowed(hits: Ragged, others: FloatArray) -> tuple[Scores32, Scores32]:
    """Hits and others as float32: the middle of the hits of each row is moved to 0."""
    high, low = np.zeros(len(hits)), np.zeros(len(hits))
    there = hits.lengths > 0
    high[there] = hits["score"][hits.offsets[:-1][there]]
    low[there] = hits["score"][hits.offsets[1:][there] - 1]
    middle, spread = high / 2 + low / 2, high / 2 - low / 2
    exponent = np.frexp(np.where(spread > 0, spread, 1.0))[1]
    with np.errstate(over="ignore", invalid="ignore"):
        if not (np.abs(exponent) > FINE).any():
            flat = np.empty(others.shape, dtype=np.float32)
            np.subtract(others, middle[:, None], out=flat, dtype=np.float64, casting="same_kind")
            return (hits["score"] - middle[hits.row]).astype(np.float32), flat
        factor = np.ldexp(1.0, -np.clip(exponent, -1000, 1000))
        flat = ((others - middle[:, None]) * factor[:, None]).astype(np.float32)
        return ((hits["score"] - middle[hits.row]) * factor[hits.row]).astype(np.float32), flat


def count_among(hits: Ragged, others: FloatArray) -> tuple[IntArray, Close]:
    """How many other items surely stand before each hit, and those too close to it for a float32.

    >>> hits = Ragged(np.array([0, 1]), {"item": np.array([1]), "score": np.array([0.5])})
    >>> before, close = count_among(hits, np.array([[0.5, -np.inf, 0.7]]))
    >>> before, close.item
    (array([1]), array([0]))
    """
    limit, flat = _narrowed(hits, others)
    found = count_block(flat, Ragged(hits.offsets, {"low": limit, "high": limit}))
    score = np.asarray(others[found.row, found.item], dtype=np.float64)
    return found.before, Close(row=found.row, item=found.item, score=score, place=found.place)


def _by_counting(hits: Ragged, others: FloatArray) -> Ranked:
    return final_ranks(hits, *count_among(hits, others))


def _by_sorting(hits: Ragged, others: FloatArray) -> Ranked:
    """The scores alone, in float32; rows in which another item then has the score of a hit are looked at again."""
    limit, flat = _narrowed(hits, others)
    ordered = np.sort(flat, axis=1)
    up_to = _up_to(ordered, hits.row, limit)
    equal = hits.count((up_to > 0) & (ordered[hits.row, np.maximum(up_to - 1, 0)] == limit))
    if not equal.any():
        return final_ranks(hits, flat.shape[1] - up_to, Close.none())
    clear, some, most = equal == 0, (equal > 0) & (equal <= FEW * hits.lengths), equal > FEW * hits.lengths
    rows = [np.flatnonzero(each) for each in (clear, some, most)]
    above = (flat.shape[1] - up_to)[clear[hits.row]]
    parts = [
        final_ranks(hits.take(rows[0]), above, Close.none()),
        _by_counting(hits.take(rows[1]), others[rows[1]]),
        _in_full(hits.take(rows[2]), others[rows[2]]),
    ]
    rank = np.empty(hits.size, dtype=np.int64)
    for part, mine in zip(parts, (clear, some, most), strict=True):
        rank[mine[hits.row]] = part.rank
    return Ranked(rank, Ragged.join([part.ties for part in parts]).take(np.argsort(np.concatenate(rows))))


def _in_full(hits: Ragged, others: FloatArray) -> Ranked:
    """Items themselves are sorted, by the scores that count."""
    key = -others
    key[hits.row, hits["item"]] = -hits["score"]
    order = np.argsort(key, axis=1, kind="stable")
    place = np.empty(order.shape, dtype=np.int64)
    np.put_along_axis(place, order, np.arange(order.shape[1])[None, :], axis=1)
    ordered = np.take_along_axis(key, order, axis=1)
    last = _up_to(ordered, hits.row, -hits["score"])
    first = _up_to(ordered, hits.row, np.nextafter(-hits["score"], -np.inf))
    tied = last - first > 1
    group, once = np.unique(hits.row[tied] * order.shape[1] + first[tied], return_index=True)
    size = (last - first)[tied][once]
    ties = Ragged.from_rows(group // order.shape[1], len(hits), start=group % order.shape[1] + 1, size=size)
    return Ranked(place[hits.row, hits["item"]] + 1, ties)


def _up_to(ordered: NDArray[Any], row: IntArray, limit: NDArray[Any]) -> IntArray:
    """How many values of an ascending row are at most the limit: all rows at once, in steps of half the size."""
    width, flat = ordered.shape[1], ordered.ravel()
    count, before = np.zeros(row.size, np.int64), row * width - 1
    for power in reversed(range(int(width).bit_length())):
        further = count + (1 << power)
        reached = flat.take(before + further, mode="clip") <= limit
        reached &= further <= width
        np.copyto(count, further, where=reached)
    return count
