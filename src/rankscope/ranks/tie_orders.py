"""Equal scores may stand in any order: what to expect over all orders, as exact sums, and other orders one by one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rankscope.core.arrays import BoolArray, FloatArray, IntArray
from rankscope.ranks.ragged import Ragged, changes, offsets_of, ranges, sums_by
from rankscope.ranks.relevant_ranks import RelevantRanks, rank_counts

RANDOM_ORDERS = 1000
MOST_ORDERS = 5040  # of one query that are all gone through: those of seven items


@dataclass(frozen=True)
class TiedPlaces:
    """One entry for each place of each group of equal scores that holds a relevant item."""

    row: IntArray  # query
    group: IntArray  # which of the queries' groups
    place: IntArray  # 1, 2, ..., size
    size: IntArray  # items in the group (n)
    hits: IntArray  # relevant items in the group (r)
    ranks_before: IntArray  # ranks above the group (b)
    hits_before: IntArray  # relevant items above the group (v)
    loose: BoolArray  # for each relevant item found of the queries: whether it is in such a group

    @property
    def rank(self) -> IntArray:
        return self.ranks_before + self.place

    def next_hit(self) -> FloatArray:
        """How many hits there are on average up to a place that holds one: v + 1 + (t - 1)(r - 1)/(n - 1)."""
        return self.hits_before + 1 + (self.place - 1) * (self.hits - 1) / np.maximum(self.size - 1, 1)


def relevant_in_ties(queries: RelevantRanks) -> TiedPlaces:
    found = found_items(queries)
    before, hits = counts_in_groups(queries, found)
    chosen = np.flatnonzero(hits > 0)
    size = queries.ties["size"][chosen]
    group = np.repeat(chosen, size)
    return TiedPlaces(
        row=queries.ties.row[group],
        group=group,
        place=ranges(np.ones(chosen.size, dtype=np.int64), size),
        size=queries.ties["size"][group],
        hits=hits[group],
        ranks_before=queries.ties["start"][group] - 1,
        hits_before=before[group],
        loose=group_of(queries, found) >= 0,
    )


def found_items(queries: RelevantRanks) -> Ragged:
    return queries.judged.where(queries.judged["grade"] >= queries.rel)


def counts_in_groups(queries: RelevantRanks, items: Ragged) -> tuple[IntArray, IntArray]:
    """For each group of equal scores: how many of the items stand above it, and how many inside."""
    row, start = queries.ties.row, queries.ties["start"]
    before = rank_counts(items, row, start - 1)
    return before, rank_counts(items, row, start + queries.ties["size"] - 1) - before


def group_of(queries: RelevantRanks, items: Ragged) -> IntArray:
    """The tie group of each item, -1 for none."""
    if queries.ties.size == 0 or items.size == 0:
        return np.full(items.size, -1, dtype=np.int64)
    starts = Ragged(queries.ties.offsets, {"rank": queries.ties["start"]})
    nth = rank_counts(starts, items.row, items["rank"])
    group = queries.ties.offsets[items.row] + nth - 1
    end = queries.ties["start"][np.maximum(group, 0)] + queries.ties["size"][np.maximum(group, 0)]
    return np.where((nth > 0) & (items["rank"] < end), group, -1)


def spans(queries: RelevantRanks, items: Ragged) -> tuple[IntArray, IntArray]:
    """First rank and number of places that each item may stand at: those of its group, or its own rank alone."""
    group = group_of(queries, items)
    tied = group >= 0
    start, size = items["rank"].copy(), np.ones(items.size, dtype=np.int64)
    start[tied], size[tied] = queries.ties["start"][group[tied]], queries.ties["size"][group[tied]]
    return start, size


def expected_within(queries: RelevantRanks, items: Ragged, scope: ArrayLike) -> FloatArray:
    """How many of the items stand within the scope on average: one scope, or one per query.

    >>> from dataclasses import replace
    >>> queries = RelevantRanks.from_ranks([[1]], depth=3)
    >>> tied = replace(queries, ties=Ragged.of([[1]], "start").with_columns(size=np.array([3])))
    >>> expected_within(tied, tied.judged, 2)
    array([0.66666667])
    """
    start, size = spans(queries, items)
    limit = np.broadcast_to(np.asarray(scope), len(queries))[items.row]
    return items.total(np.clip(limit - start + 1, 0, size) / size)


def expected_hits(queries: RelevantRanks, scope: ArrayLike) -> FloatArray:
    """How many relevant items stand within the scope on average."""
    return expected_within(queries, found_items(queries), scope)


def expected_over_ties(queries: RelevantRanks, terms: FloatArray, tied: TiedPlaces, grouped: FloatArray) -> FloatArray:
    """Sum over hits with fixed ranks of their terms, plus the sum over tied places of what they add on average."""
    fixed = queries.total(np.where(tied.loose, 0.0, terms))
    return fixed + sums_by(tied.row, grouped, len(queries))


def expected_additive(queries: RelevantRanks, weight: Callable[[IntArray, FloatArray], FloatArray]) -> FloatArray:
    """The expected sum over all judged items of weight(rank, grade): each tied item is as likely at any place."""
    judged = queries.judged
    group = group_of(queries, judged)
    loose = group >= 0
    fixed = judged.total(np.where(loose, 0.0, weight(judged["rank"], judged["grade"])))
    chosen = group[loose]
    size = queries.ties["size"][chosen]
    places = ranges(queries.ties["start"][chosen], size)
    owner = np.repeat(np.flatnonzero(loose), size)
    share = weight(places, judged["grade"][owner]) / np.repeat(size, size)
    return fixed + sums_by(judged.row[owner], share, len(queries))


def sums_in_groups(queries: RelevantRanks, items: Ragged, values: FloatArray) -> FloatArray:
    group = group_of(queries, items)
    tied = group >= 0
    return sums_by(group[tied], values[tied], queries.ties.size)


def spread_evenly(queries: RelevantRanks, items: Ragged) -> Ragged:
    """Rank and grade of the items, where every place of a group of equal scores holds the group's mean grade.

    A sum over items of grade times a weight of the rank has its mean over all orders on these.
    >>> from dataclasses import replace
    >>> queries = RelevantRanks.from_ranks([[1, 4]], grades=[[2, 3]], depth=4)
    >>> tied = replace(queries, ties=Ragged.of([[1]], "start").with_columns(size=np.array([2])))
    >>> even = spread_evenly(tied, tied.judged)
    >>> even["rank"], even["grade"]
    (array([1, 2, 4]), array([1., 1., 3.]))
    """
    total = sums_in_groups(queries, items, items["grade"])
    chosen = np.flatnonzero(total > 0)
    size = queries.ties["size"][chosen]
    alone = items.where(group_of(queries, items) < 0)
    row = np.concatenate([alone.row, np.repeat(queries.ties.row[chosen], size)])
    rank = np.concatenate([alone["rank"], ranges(queries.ties["start"][chosen], size)])
    grade = np.concatenate([alone["grade"], np.repeat(total[chosen] / size, size)])
    order = np.lexsort((rank, row))
    return Ragged.from_rows(row[order], len(queries), rank=rank[order], grade=grade[order])


def all_items(queries: RelevantRanks) -> Ragged:
    """Judged and pooled items together, by rank."""
    judged, pooled = queries.judged, queries.pooled
    row = np.concatenate([judged.row, pooled.row])
    rank = np.concatenate([judged["rank"], pooled["rank"]])
    order = np.lexsort((rank, row))
    columns = {
        "rank": rank,
        "grade": np.concatenate([judged["grade"], pooled["grade"]]),
        "origin": np.concatenate([np.arange(judged.size), np.arange(pooled.size)]),
        "judged": np.arange(row.size) < judged.size,
    }
    return Ragged.from_rows(row[order], len(queries), **{name: column[order] for name, column in columns.items()})


def sorted_by_worth(queries: RelevantRanks, items: Ragged, worth: FloatArray, unjudged: float) -> RelevantRanks:
    """Equal scores in falling order of worth; `unjudged` is that of the items that are in no pool.

    >>> queries = RelevantRanks.from_ranks([[1, 2]], grades=[[1, 0]], depth=3)
    >>> tied = replace(queries, ties=Ragged.of([[1]], "start").with_columns(size=np.array([3])))
    >>> sorted_by_worth(tied, all_items(tied), np.array([-1.0, 0.0]), 0.0).judged["rank"]
    array([2, 3])
    """
    group = group_of(queries, items)
    loose = np.flatnonzero(group >= 0)
    if loose.size == 0:
        return queries
    own = worth[loose]
    ahead = own > unjudged
    side = 2 * group[loose] + ahead
    order = np.lexsort((np.where(ahead, -own, own), side))
    nth = np.empty(loose.size, dtype=np.int64)
    nth[order] = np.arange(loose.size) - np.searchsorted(side[order], side[order])
    start, size = queries.ties["start"][group[loose]], queries.ties["size"][group[loose]]
    rank = items["rank"].copy()
    rank[loose] = np.where(ahead, start + nth, start + size - 1 - nth)
    return _reranked(queries, items, rank)


def shuffle_ties(queries: RelevantRanks, random: np.random.Generator) -> RelevantRanks:
    """Equal scores in one random order."""
    items = all_items(queries)
    group = group_of(queries, items)
    loose = np.flatnonzero(group >= 0)
    if loose.size == 0:
        return queries
    size = queries.ties["size"]
    owner = np.repeat(np.arange(size.size), size)
    mixed = np.lexsort((random.random(owner.size), owner))
    nth = Ragged.from_rows(group[loose], size.size).position  # items come by query and rank, so group by group
    first = np.cumsum(size) - size
    rank = items["rank"].copy()
    place = mixed[first[group[loose]] + nth - 1] - first[group[loose]]
    rank[loose] = queries.ties["start"][group[loose]] + place
    return _reranked(queries, items, rank)


def random_orders(
    queries: RelevantRanks, orders: int, seed: int, rows_at_once: int = 2_000_000
) -> Iterator[RelevantRanks]:
    """Many random orders, several at a time: each result repeats all queries once for each order it holds."""
    random = np.random.default_rng(seed)
    cost = max(1, int(queries.ties["size"].sum()) + queries.judged.size + len(queries))
    batch = max(1, min(orders, rows_at_once // cost))
    done = 0
    while done < orders:
        now = min(batch, orders - done)
        yield shuffle_ties(queries.take(np.tile(np.arange(len(queries)), now)), random)
        done += now


def order_counts(queries: RelevantRanks) -> FloatArray:
    """How many orders of equal scores each query has that differ; items of one grade, and those in no pool, are alike.

    >>> queries = RelevantRanks.from_ranks([[1, 2, 3]], grades=[[1, 1, 0]], depth=4)
    >>> order_counts(replace(queries, ties=Ragged.of([[1]], "start").with_columns(size=np.array([4]))))
    array([12.])
    """
    return np.rint(np.exp(queries.ties.total(_log_orders(queries, _with_kinds(queries)[1]))))


def every_order(queries: RelevantRanks, rows_at_once: int = 2_000_000) -> Iterator[tuple[IntArray, RelevantRanks]]:
    """Every order of equal scores of every query, several at a time, with the query that each is an order of.

    The kind that a group holds most of fills the places that the others leave, so a table of places is short.
    """
    items, kinds = _with_kinds(queries)
    orders = np.rint(np.exp(_log_orders(queries, kinds))).astype(np.int64)
    shapes = np.zeros((len(kinds), int(kinds.lengths.max(initial=0))), dtype=np.int64)
    shapes[kinds.row, kinds.position - 1] = kinds["count"]
    shapes, shape = np.unique(shapes, axis=0, return_inverse=True)
    tables = [_places_of_kinds(tuple(counts[counts > 0].tolist())) for counts in shapes]
    flat = np.concatenate([np.empty(0, dtype=np.int64), *(table.ravel() for table in tables)])
    ordered = np.concatenate([flat[:0], *(np.sort(table).ravel() for table in tables)])
    begin = offsets_of(np.array([table.size for table in tables], dtype=np.int64))[:-1][shape]
    width = np.array([table.shape[1] for table in tables], dtype=np.int64)[shape]
    earlier = queries.ties.running_in_order(np.log(orders)) - np.log(orders)
    step = np.rint(np.exp(earlier)).astype(np.int64)
    total = np.ones(len(queries), dtype=np.int64)
    np.multiply.at(total, queries.ties.row, orders)
    last, cost = np.cumsum(total), items.lengths + 1
    spent = np.cumsum(total * cost)
    query = np.searchsorted(spent, np.arange(0, spent[-1] if spent.size else 0, rows_at_once), side="right")
    stops = np.unique(np.append(last[query] - (spent[query] - np.arange(query.size) * rows_at_once) // cost[query], 0))
    for start, stop in zip(stops, [*stops[1:], last[-1] if last.size else 0], strict=True):
        nth = np.arange(start, stop)
        rows = np.searchsorted(last, nth, side="right")
        several, taken = queries.take(rows), items.take(rows)
        loose = np.flatnonzero(taken["group"] >= 0)
        group, slot = taken["group"][loose], taken["slot"][loose]
        number = (nth - (last - total)[rows])[taken.row[loose]]
        at = begin[group] + number // step[group] % orders[group] * width[group]
        filling = slot >= width[group]
        place = np.where(filling, slot - width[group], 0)
        place[~filling] = flat[(at + slot)[~filling]]
        for column in range(int(width.max(initial=0))):
            passing = np.flatnonzero(filling & (column < width[group]))
            place[passing] += ordered[at[passing] + column] <= place[passing]
        rank = taken["rank"].copy()
        rank[loose] = queries.ties["start"][group] + place
        yield rows, _reranked(several, all_items(several), rank)


def _with_kinds(queries: RelevantRanks) -> tuple[Ragged, Ragged]:
    """All items with their group of equal scores and their number in it, kind by kind; how many each kind has there.

    The kinds of a group come by number, the fewest first.
    """
    items = all_items(queries)
    group = group_of(queries, items)
    loose = np.flatnonzero(group >= 0)
    kind = items["grade"]
    if queries.subtopics is not None:  # two items of a grade may serve other subtopics
        numbers = [getattr(queries, part)["item"] for part in ("judged", "pooled")]
        kind = np.concatenate(numbers)[items["origin"] + np.where(items["judged"], 0, queries.judged.size)]
    by_kind = loose[np.lexsort((kind[loose], group[loose]))]
    new = changes(group[by_kind], kind[by_kind])
    others = queries.ties["size"] - np.bincount(group[loose], minlength=queries.ties.size)
    rest = np.flatnonzero(others)
    count = np.concatenate([np.bincount(np.cumsum(new) - 1, minlength=0).astype(np.int64), others[rest]])
    owner = np.concatenate([group[by_kind[new]], rest])
    order = np.lexsort((count, owner))
    kinds = Ragged.from_rows(owner[order], queries.ties.size, count=count[order])
    first = np.empty(count.size, dtype=np.int64)
    first[order] = kinds.running(kinds["count"]) - kinds["count"]
    run = np.cumsum(new) - 1
    slot = np.full(items.size, -1, dtype=np.int64)
    slot[by_kind] = first[run] + np.arange(by_kind.size) - np.flatnonzero(new)[run]
    return items.with_columns(group=group, slot=slot), kinds


def _log_orders(queries: RelevantRanks, kinds: Ragged) -> FloatArray:
    """The logarithm of the number of orders of each group: n! / (n1! n2! ...)."""
    from scipy.special import gammaln

    return np.asarray(gammaln(queries.ties["size"] + 1.0) - kinds.total(gammaln(kinds["count"] + 1.0)))


@lru_cache(maxsize=1024)
def _places_of_kinds(counts: tuple[int, ...]) -> IntArray:
    """All ways to place items of several kinds, a row each; what is left is for the last kind.

    >>> _places_of_kinds((1, 2)).ravel(), _places_of_kinds((1, 1, 1)).tolist()
    (array([0, 1, 2]), [[0, 1], [0, 2], [1, 0], [1, 2], [2, 0], [2, 1]])
    """
    if len(counts) == 1:
        return np.empty((1, 0), dtype=np.int64)
    own = np.array(list(combinations(range(sum(counts)), counts[0])), dtype=np.int64)
    others = np.repeat(_places_of_kinds(counts[1:])[None], len(own), axis=0)
    for column in own.T:
        others += others >= column[:, None, None]
    mine = np.repeat(own[:, None], others.shape[1], axis=1)
    return np.concatenate([mine, others], axis=2).reshape(-1, mine.shape[2] + others.shape[2])


def _reranked(queries: RelevantRanks, items: Ragged, rank: IntArray) -> RelevantRanks:
    parts: dict[str, Any] = {}
    for name, chosen in (("judged", items["judged"]), ("pooled", ~items["judged"])):
        old: Ragged = getattr(queries, name)
        new = np.empty(old.size, dtype=np.int64)
        new[items["origin"][chosen]] = rank[chosen]
        parts[name] = old.with_columns(rank=new).sorted_by(new)
    return replace(queries, **parts)
