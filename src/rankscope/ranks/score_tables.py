"""Tables of scores to ranks: a row of scores for each query, a column for each item.

Equal scores stand in the order of the items. Everything that has a score for every item ranks through this: vectors,
rankers that compare pair by pair, feedback. Whole rows are not sorted where that can be avoided: rows are looked at
in float32 first, moved so that it is finest where the hits are. Moving, scaling and narrowing never turn the order
of two scores round; what becomes equal by them is distinguished by the scores themselves.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankscope.core.arrays import BoolArray, FloatArray, IntArray
from rankscope.ranks.kept_scores import lots_of_numbers
from rankscope.ranks.ragged import Ragged
from rankscope.ranks.relevant_ranks import KEPT_DISTRACTORS, RelevantRanks
from rankscope.ranks.screening import Close, Ranked, count_block, final_ranks

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
    ranked = _by_sorting if by_sorting else _by_counting
    return _in_parts(hits, step, each, lambda some, rows: ranked(some, others[rows]))


def _in_parts(hits: Ragged, step: int, each: Each, ranked: Callable[[Ragged, slice], Ranked]) -> Ranked:
    """What comes of so many rows at a time, one part behind the other."""

    def work(start: int) -> Ranked:
        rows = slice(start, min(start + step, len(hits)))
        return ranked(hits.take(np.arange(rows.start, rows.stop)), rows)

    parts = each(work, list(range(0, len(hits), step)))
    rank = np.concatenate([np.empty(0, dtype=np.int64), *(part.rank for part in parts)])
    return Ranked(rank, Ragged.join([Ragged.empty(0, "start", "size"), *(part.ties for part in parts)]))


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


# Dense scores to RelevantRanks: a row of scores for each query, a column for each item.

PART_CELLS = 1 << 18  # scores ranked by one thread at a time, which stay in the cache


def ranks_from_scores(
    scores: ArrayLike,
    relevant: ArrayLike | Ragged,
    counted: ArrayLike | None = None,
    *,
    queries: Sequence[str] | None = None,
    keep_scores: bool = False,
    each: Each = in_turn,
    **about: Any,
) -> RelevantRanks:
    """One query for each row of scores; `relevant` and `counted` are one row for all, or one each.

    `relevant` may also be lists of items (column `item`, ascending). Items that are not counted are not in the list: c
    and d are smaller by them. A row with NaN is a query that failed: it has no answer, and depth 0.
    `keep_scores` keeps the scores of the hits and of the best distractors; `each` shares the work among threads; all
    else is what `RelevantRanks` holds.
    >>> ranks = ranks_from_scores([[0.1, 0.9, 0.5, 0.7]], [True, False, True, False], [True, False, True, True])
    >>> ranks.judged.lists("rank"), ranks.relevant, ranks.collection
    ([[2, 3]], array([2]), array([3]))
    """
    table = np.atleast_2d(np.asarray(scores, dtype=np.float64))
    inside = np.broadcast_to(True if counted is None else np.asarray(counted, np.bool_), table.shape)
    wanted = relevant if isinstance(relevant, Ragged) else items_of(np.broadcast_to(relevant, table.shape))
    wanted = wanted.where(inside[wanted.row, wanted["item"]])
    finite = finite_rows(table)
    good = np.full(len(table), table.shape[1] > 0)
    good[~finite] &= ~np.isnan(table[~finite]).any(axis=1)
    hits = wanted.where(good[wanted.row])
    found, ties = hit_ranks(table, hits, inside, each, finite=finite)
    size = inside.sum(axis=1)
    kept = {"score": found["score"]} if keep_scores else {}
    return RelevantRanks.assemble(
        numbered_names("", len(table)) if queries is None else queries,
        Ragged(found.offsets, {"rank": found["rank"], **kept}),
        relevant=wanted.lengths,
        depth=np.where(good, size, 0),
        answered=good,
        collection=size,
        ties=ties,
        distractors=best_others(table, hits, inside & good[:, None]) if keep_scores else None,
        **about,
    )


def items_of(mask: BoolArray) -> Ragged:
    """The items that are marked in each row, ascending.

    >>> items_of(np.array([[True, False, True]])).lists("item")
    [[0, 2]]
    """
    row, item = np.nonzero(mask)
    return Ragged.from_rows(row, len(mask), item=item)


def hit_ranks(
    scores: FloatArray,
    hits: Ragged,
    inside: BoolArray | None = None,
    each: Each = in_turn,
    *,
    finite: BoolArray | None = None,
) -> tuple[Ragged, Ragged]:
    """Hits of each row, best first, with item, score and rank; and the groups of equal scores that hold one.

    `hits` are items, ascending; what is not inside is in no list, and no hit is. A row of NaN must have no hits.
    `finite` are the `finite_rows`, where they are known.
    >>> hits = Ragged.of([[0, 2]], "item")
    >>> found, ties = hit_ranks(np.array([[0.5, 0.9, 0.5, 0.7]]), hits, np.array([[True, False, True, True]]))
    >>> found.lists("item"), found.lists("rank"), ties.lists("size")
    ([[0, 2]], [[2, 3]], [[2]])
    """
    given = scores[hits.row, hits["item"]]
    table = _finite(scores, finite_rows(scores) if finite is None else finite)
    found = best_first(hits.with_columns(score=table[hits.row, hits["item"]], given=given))
    listed = np.broadcast_to(True, scores.shape) if inside is None else inside
    step = max(1, PART_CELLS // max(1, scores.shape[1]))

    def ranked(some: Ragged, rows: slice) -> Ranked:
        return ranks_among(some, _others(table[rows], some, listed[rows]))

    made = _in_parts(found, step, each, ranked)
    return Ragged(found.offsets, {"item": found["item"], "rank": made.rank, "score": found["given"]}), made.ties


def _others(scores: FloatArray, hits: Ragged, inside: BoolArray) -> FloatArray:
    """The scores of the items that are inside and no hits, -inf for the others."""
    others = np.where(inside, scores, -np.inf)
    others[hits.row, hits["item"]] = -np.inf
    return others


def finite_rows(table: FloatArray) -> BoolArray:
    """Which rows hold finite numbers alone: their sums tell, but for numbers so large that a sum overflows.

    >>> finite_rows(np.array([[1.0, 2.0], [np.inf, -np.inf], [1e308, 1e308]]))
    array([ True, False,  True])
    """
    with np.errstate(over="ignore", invalid="ignore"):
        finite = np.isfinite(table.sum(axis=1))
    doubtful = np.flatnonzero(~finite)
    finite[doubtful] = np.isfinite(table[doubtful]).all(axis=1)
    return finite


def _finite(scores: FloatArray, finite: BoolArray) -> FloatArray:
    """The scores, or others in the same order where some are infinite; NaN becomes 0."""
    if finite.all():
        return scores
    values = np.where(np.isnan(scores), 0.0, scores)
    for row in np.flatnonzero(np.isinf(values).any(axis=1)).tolist():
        values[row] = np.unique(values[row], return_inverse=True)[1]
    return values


def best_others(scores: FloatArray, hits: Ragged, inside: BoolArray, number: int = KEPT_DISTRACTORS) -> Ragged:
    """Score and lot of the best items of each row that are inside and no hits: falling, the earlier of equals first."""
    others = _others(_finite(scores, finite_rows(scores)), hits, inside)
    row, item = np.nonzero(highest(others, number))
    order = np.lexsort((item, -others[row, item], row))
    row, item = row[order], item[order]
    return Ragged.from_rows(row, len(scores), score=scores[row, item], lot=lots_of_numbers(item))


def highest(scores: NDArray[Any], number: int) -> BoolArray:
    """Which are the highest of each row, the first ones of equals; -inf never is.

    >>> highest(np.array([[1.0, 3.0, 1.0, 2.0]]), 3).tolist()
    [[True, True, False, True]]
    """
    if scores.shape[1] <= number:
        return np.asarray(scores > -np.inf)
    least = -np.partition(low_numbers(-scores, number).values, number - 1, axis=1)[:, [number - 1]]
    chosen = scores >= least
    few = np.flatnonzero(least[:, 0] == -np.inf)
    chosen[few] = scores[few] > -np.inf
    many = np.flatnonzero(np.count_nonzero(chosen, axis=1) > number)
    above, equal = scores[many] > least[many], scores[many] == least[many]
    room = number - above.sum(axis=1, keepdims=True)
    chosen[many] = above | (equal & (np.cumsum(equal, axis=1) <= room))
    return np.asarray(chosen)


def numbered_names(name: str, count: int) -> list[str]:
    """Names of so many queries, in byte order.

    >>> numbered_names("dogs/", 10)[:2]
    ['dogs/01', 'dogs/02']
    """
    width = len(str(count))
    return [f"{name}{number:0{width}}" for number in range(1, count + 1)]


# The low end of each row of many numbers, found without putting whole rows in order.

SAMPLE_STEP = 16  # of so many numbers one is looked at to guess a limit
SAFETY = 3.5  # standard errors by which the limit is too high, if the numbers stand in no order
MOST_SCREENED = 1 / 8  # of the numbers of a row: if more are asked for, nothing is gained by leaving out the others


@dataclass(frozen=True, eq=False)
class LowNumbers:
    """All numbers of each row up to some limit, in the order of the row."""

    values: FloatArray  # inf behind the last one of a row
    places: IntArray  # where they stand in the row

    def in_order(self, count: int) -> IntArray:
        """The places of so many of the lowest of each row, ascending.

        >>> low_numbers(np.array([[0.3, 0.1, 0.2, 0.4]]), 2).in_order(2)
        array([[1, 2]])
        """
        order = np.argsort(self.values, axis=1)[:, :count]
        return np.take_along_axis(np.broadcast_to(self.places, self.values.shape), order, axis=1)


def low_numbers(rows: FloatArray, count: int) -> LowNumbers:
    """Among them at least so many of the lowest numbers of each row; no number may be NaN.

    The limits are guessed from a part of the numbers. Where a guess was too low the true limits are found: a guess
    changes how many numbers there are, never which are the lowest.
    """
    if count > MOST_SCREENED * rows.shape[1]:
        return LowNumbers(rows, np.arange(rows.shape[1])[None, :])
    # What so many numbers of each row hardly ever exceed, if they stand in no order: one column.
    expected = count / SAMPLE_STEP
    part = rows[:, ::SAMPLE_STEP]
    last = min(int(expected + SAFETY * math.sqrt(expected)), part.shape[1] - 1)
    cell = np.flatnonzero(rows <= np.partition(part, last, axis=1)[:, [last]])
    found = _in_each_row(cell, rows)
    if found.min(initial=count) < count:
        cell = np.flatnonzero(rows <= np.partition(rows, count - 1, axis=1)[:, [count - 1]])
        found = _in_each_row(cell, rows)
    # Numbers of the given cells, so many found in each row, moved to the front of their rows.
    width = int(found.max(initial=0))
    values = np.full((len(rows), width), np.inf)
    places = np.zeros(values.shape, dtype=np.int64)
    row = np.arange(len(rows))
    to = np.arange(cell.size) + np.repeat(row * width - (np.cumsum(found) - found), found)
    values.reshape(-1)[to] = rows.reshape(-1)[cell]
    places.reshape(-1)[to] = cell - np.repeat(row * rows.shape[1], found)
    return LowNumbers(values, places)


def _in_each_row(cell: IntArray, rows: FloatArray) -> IntArray:
    return np.bincount(cell // rows.shape[1], minlength=len(rows))
