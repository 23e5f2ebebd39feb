"""Dense scores to RelevantRanks: a row of scores for each query, a column for each item.

Equal scores stand in the order of the items. Everything that has a score for every item ranks through this: vectors,
rankers that compare pair by pair, feedback.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankscope.arrays import BoolArray, FloatArray
from rankscope.ranks.dense import Each, best_first, in_turn, ranks_among
from rankscope.ranks.lots import lots_of_numbers
from rankscope.ranks.low_numbers import low_numbers
from rankscope.ranks.ragged import Ragged
from rankscope.ranks.relevant_ranks import KEPT_DISTRACTORS, RelevantRanks
from rankscope.ranks.settling import Ranked

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
    starts = list(range(0, len(scores), step))

    def work(start: int) -> Ranked:
        rows = slice(start, start + step)
        some = found.take(np.arange(start, min(start + step, len(scores))))
        return ranks_among(some, _others(table[rows], some, listed[rows]))

    parts = each(work, starts)
    rank = np.concatenate([np.empty(0, dtype=np.int64), *(part.rank for part in parts)])
    ties = Ragged.join([Ragged.empty(0, "start", "size"), *(part.ties for part in parts)])
    return Ragged(found.offsets, {"item": found["item"], "rank": rank, "score": found["given"]}), ties


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
