"""What to expect when equal scores may stand in any order: exact sums over places, and random orders for the rest."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from rankscope.arrays import BoolArray, FloatArray, IntArray
from rankscope.ranks.ragged import Ragged, ranges
from rankscope.ranks.relevant_ranks import RelevantRanks, rank_counts


@dataclass(frozen=True)
class TiedPlaces:
    """One entry for each place of each group of equal scores that holds a relevant item."""

    row: IntArray  # query
    group: IntArray  # which group
    place: IntArray  # 1, 2, ..., size
    size: IntArray  # items in the group (n)
    hits: IntArray  # relevant items in the group (r)
    ranks_before: IntArray  # ranks above the group (b)
    hits_before: IntArray  # relevant items above the group (v)
    loose: BoolArray  # for each relevant item found of the queries: whether it is in such a group


def relevant_in_ties(queries: RelevantRanks) -> TiedPlaces:
    """The places of groups of equal scores that hold a relevant item."""
    found = queries.judged.where(queries.judged["grade"] >= queries.rel)
    row, start, size = queries.ties.row, queries.ties["start"], queries.ties["size"]
    before = rank_counts(found, row, start - 1)
    hits = rank_counts(found, row, start + size - 1) - before
    keep = hits > 0
    row, start, size, before, hits = (each[keep] for each in (row, start, size, before, hits))
    group = np.repeat(np.arange(row.size), size)
    return TiedPlaces(
        row=row[group],
        group=group,
        place=ranges(np.ones(row.size, dtype=np.int64), size),
        size=size[group],
        hits=hits[group],
        ranks_before=start[group] - 1,
        hits_before=before[group],
        loose=in_tie(queries, found),
    )


def in_tie(queries: RelevantRanks, items: Ragged) -> BoolArray:
    """Which items stand in a group of equal scores."""
    return group_of(queries, items) >= 0


def group_of(queries: RelevantRanks, items: Ragged) -> IntArray:
    """The tie group of each item, -1 for none."""
    if queries.ties.size == 0 or items.size == 0:
        return np.full(items.size, -1, dtype=np.int64)
    starts = Ragged(queries.ties.offsets, {"rank": queries.ties["start"]})
    nth = rank_counts(starts, items.row, items["rank"])
    group = queries.ties.offsets[items.row] + nth - 1
    end = queries.ties["start"][np.maximum(group, 0)] + queries.ties["size"][np.maximum(group, 0)]
    return np.where((nth > 0) & (items["rank"] < end), group, -1)


def expected_over_ties(queries: RelevantRanks, terms: FloatArray, tied: TiedPlaces, grouped: FloatArray) -> FloatArray:
    """Sum over hits with fixed ranks of their terms, plus the sum over tied places of what they add on average."""
    fixed = queries.total(np.where(tied.loose, 0.0, terms))
    return fixed + np.bincount(tied.row, weights=grouped, minlength=len(queries))


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
    return fixed + np.bincount(judged.row[owner], weights=share, minlength=len(queries))


def extreme_order(queries: RelevantRanks, best: bool) -> RelevantRanks:
    """Equal scores in the best order (high grades first, judged 0 or less last), or in the worst, its reverse."""
    items = _all_items(queries)
    group = group_of(queries, items)
    loose = np.flatnonzero(group >= 0)
    if loose.size == 0:
        return queries
    side = 2 * group[loose] + (items["grade"][loose] > 0)
    order = np.lexsort((-items["grade"][loose], side))
    nth = np.empty(loose.size, dtype=np.int64)
    nth[order] = np.arange(loose.size) - np.searchsorted(side[order], side[order])
    start, size = queries.ties["start"][group[loose]], queries.ties["size"][group[loose]]
    ahead = (items["grade"][loose] > 0) == best
    rank = items["rank"].copy()
    rank[loose] = np.where(ahead, start + nth, start + size - 1 - nth)
    return _reranked(queries, items, rank)


def shuffled(queries: RelevantRanks, random: np.random.Generator) -> RelevantRanks:
    """Equal scores in one random order."""
    items = _all_items(queries)
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
        yield shuffled(queries.take(np.tile(np.arange(len(queries)), now)), random)
        done += now


def _all_items(queries: RelevantRanks) -> Ragged:
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


def _reranked(queries: RelevantRanks, items: Ragged, rank: IntArray) -> RelevantRanks:
    """The queries with new ranks for their judged and pooled items."""
    parts: dict[str, Any] = {}
    for name, chosen in (("judged", items["judged"]), ("pooled", ~items["judged"])):
        old: Ragged = getattr(queries, name)
        new = np.empty(old.size, dtype=np.int64)
        new[items["origin"][chosen]] = rank[chosen]
        parts[name] = old.with_columns(rank=new).sorted_by(new)
    return replace(queries, **parts)
