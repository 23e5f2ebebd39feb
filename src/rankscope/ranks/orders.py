"""Other orders of equal scores: sorted by what each item is worth to a measure, and at random."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from rankscope.arrays import FloatArray, IntArray
from rankscope.ranks.expectation import group_of
from rankscope.ranks.ragged import Ragged
from rankscope.ranks.relevant_ranks import RelevantRanks


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


def _reranked(queries: RelevantRanks, items: Ragged, rank: IntArray) -> RelevantRanks:
    """The queries with new ranks for their judged and pooled items."""
    parts: dict[str, Any] = {}
    for name, chosen in (("judged", items["judged"]), ("pooled", ~items["judged"])):
        old: Ragged = getattr(queries, name)
        new = np.empty(old.size, dtype=np.int64)
        new[items["origin"][chosen]] = rank[chosen]
        parts[name] = old.with_columns(rank=new).sorted_by(new)
    return replace(queries, **parts)
