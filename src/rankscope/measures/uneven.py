"""Extremes over the orders of equal scores that need a choice of numbers, not only an order of kinds."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rankscope.arrays import FloatArray, IntArray
from rankscope.measures.fractions import divide
from rankscope.measures.worth import hits_first
from rankscope.ranks.expectation import counts_in_groups, found_items
from rankscope.ranks.orders import all_items, sorted_by_worth
from rankscope.ranks.ragged import ranges, sums_by
from rankscope.ranks.relevant_ranks import RelevantRanks

Bounds = tuple[FloatArray, FloatArray]  # lowest and highest value of each query, NaN where this file knows none


def mean_precision_bounds(queries: RelevantRanks, limit: int) -> Bounds:
    """Lowest and highest mean over the hits within the limit of the precision at their rank, for queries with a group
    of equal scores that goes on behind the limit.

    Of the group's hits j may stand within the limit: at its first places they add j - (b - v)(H(b + j) - H(b)), at the
    last ones j - (L - j - v)(H(L) - H(L - j)), with v hits in the b ranks above it. One more hit may raise or lower
    the mean, so all j are tried.
    """
    before, hits = counts_in_groups(queries, found_items(queries))
    start, size = queries.ties["start"], queries.ties["size"]
    group = np.flatnonzero((start <= limit) & (start + size - 1 > limit) & (hits > 0) & (hits < size))
    row, above, v = queries.ties.row[group], start[group] - 1, before[group]
    least = np.maximum(0, limit - above - (size - hits)[group])
    tries = np.minimum(hits[group], limit - above) - least + 1
    owner, j = np.repeat(np.arange(group.size), tries), ranges(least, tries)
    harmonic = np.concatenate([[0.0], np.cumsum(1.0 / np.arange(1, limit + 1))])
    early, late = (_precision_above(queries, row, above, sign)[owner] for sign in (1.0, -1.0))
    b, v = above[owner], v[owner]
    high = early + j - (b - v) * (harmonic[b + j] - harmonic[b])
    low = late + j - (limit - j - v) * (harmonic[limit] - harmonic[limit - j])
    lowest, highest = np.full(len(queries), np.inf), np.full(len(queries), -np.inf)
    np.minimum.at(lowest, row[owner], divide(low, v + j, nothing=0.0))
    np.maximum.at(highest, row[owner], divide(high, v + j, nothing=0.0))
    return _known(lowest), _known(highest)


def _precision_above(queries: RelevantRanks, row: IntArray, above: IntArray, sign: float) -> FloatArray:
    """The sum of the precision at the hits above a rank, equal scores with hits first (+) or last (-)."""
    items = all_items(queries)
    ordered = sorted_by_worth(queries, items, sign * hits_first(items["grade"], queries.rel), 0.0)
    limit = np.zeros(len(queries), dtype=np.int64)
    limit[row] = above
    terms = ordered.position / ordered.ranks * (ordered.ranks <= limit[ordered.row])
    return ordered.total(terms)[row]


def _known(bound: FloatArray) -> FloatArray:
    return np.where(np.isfinite(bound), bound, np.nan)


@dataclass(frozen=True)
class _Kinds:
    """For each group of equal scores, how many hits, wrong, pooled and other items there are."""

    hits: IntArray
    wrong: IntArray
    pooled: IntArray
    others: IntArray

    @classmethod
    def of(cls, counts: list[IntArray], items: IntArray) -> _Kinds:
        """From the three kinds that are known and the number of all items."""
        hits, wrong, pooled = counts
        return cls(hits, wrong, pooled, items - hits - wrong - pooled)


def inferred_bounds(queries: RelevantRanks, epsilon: float) -> Bounds:
    """Lowest and highest sum that the tied hits of each query add to inferred AP.

    A hit with h hits, w wrong, q pooled and u other items above adds (1 + (h + w + q) s)/(h + w + q + u + 1) with
    s = (h + e)/(h + w + 2e): less with each w and u (but for the size of e), and more with each q if s (u + 1) > 1.
    As s rises from hit to hit of a group, for the most the first hits stand above all its pooled items and the others
    below, each where it adds more; for the least all hits stand together, with one number of pooled items above them.
    """
    found, wrong = found_items(queries), queries.judged.where(queries.judged["grade"] < queries.rel)
    counts = [counts_in_groups(queries, each) for each in (found, wrong, queries.pooled)]
    above = _Kinds.of([before for before, _ in counts], queries.ties["start"] - 1)
    inside = _Kinds.of([within for _, within in counts], queries.ties["size"])
    lowest, highest = _least(above, inside, epsilon), _most(above, inside, epsilon)
    return sums_by(queries.ties.row, lowest, len(queries)), sums_by(queries.ties.row, highest, len(queries))


def _inferred(h: IntArray, w: IntArray, q: IntArray, u: IntArray, epsilon: float) -> FloatArray:
    share = (h + epsilon) / (h + w + 2 * epsilon)
    return np.asarray((1.0 + (h + w + q) * share) / (h + w + q + u + 1.0))


def _most(above: _Kinds, inside: _Kinds, epsilon: float) -> FloatArray:
    """Wrong and other items last; each hit above or below all pooled items."""
    group = np.repeat(np.arange(inside.hits.size), inside.hits)
    h = above.hits[group] + ranges(np.zeros_like(inside.hits), inside.hits)
    w, q, u, more = above.wrong[group], above.pooled[group], above.others[group], inside.pooled[group]
    terms = np.maximum(_inferred(h, w, q, u, epsilon), _inferred(h, w, q + more, u, epsilon))
    return sums_by(group, terms, inside.hits.size)


def _least(above: _Kinds, inside: _Kinds, epsilon: float) -> FloatArray:
    """Wrong and other items first; the number of pooled items above all hits that gives the least."""
    groups, choices = inside.hits.size, inside.pooled + 1
    owner = np.repeat(np.arange(groups), choices)  # one entry for each number of pooled items of each group
    more, hits = ranges(np.zeros_like(choices), choices), inside.hits[owner]
    entry = np.repeat(np.arange(owner.size), hits)  # and one for each hit of it
    group = owner[entry]
    h = above.hits[group] + ranges(np.zeros_like(hits), hits)
    w, u = (above.wrong + inside.wrong)[group], (above.others + inside.others)[group]
    terms = _inferred(h, w, above.pooled[group] + more[entry], u, epsilon)
    lowest = np.full(groups, np.inf)
    np.minimum.at(lowest, owner, sums_by(entry, terms, owner.size))
    return lowest
