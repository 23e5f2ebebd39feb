"""What to expect when equal scores may stand in any order: exact sums over the places of each group."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from rankscope.arrays import BoolArray, FloatArray, IntArray
from rankscope.ranks.ragged import Ragged, ranges, sums_by
from rankscope.ranks.relevant_ranks import RelevantRanks, rank_counts


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
        """The rank of the place."""
        return self.ranks_before + self.place

    def next_hit(self) -> FloatArray:
        """How many hits there are on average up to a place that holds one: v + 1 + (t - 1)(r - 1)/(n - 1)."""
        return self.hits_before + 1 + (self.place - 1) * (self.hits - 1) / np.maximum(self.size - 1, 1)


def relevant_in_ties(queries: RelevantRanks) -> TiedPlaces:
    """The places of groups of equal scores that hold a relevant item."""
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
    """The relevant items found."""
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
    """The sum of the items' values in each group of equal scores."""
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
