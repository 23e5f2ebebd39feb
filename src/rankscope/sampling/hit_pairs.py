"""Sums over pairs of hits from a sample: S, the sum of precisions at relevant items, without bias.

AP's numerator is a sum over pairs of relevant items, one above the other in the list. A pair of two strata is
drawn with the product of two probabilities, a pair of one stratum with n (n - 1)/(N (N - 1)).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rankscope.arrays import FloatArray, IntArray
from rankscope.sampling.strata import Strata


@dataclass(frozen=True, eq=False)
class DrawnHits:
    """The relevant items drawn: stratum, rank in one run (infinite where it has none), gain; by query, then by rank."""

    strata: Strata
    stratum: IntArray
    rank: FloatArray
    gain: FloatArray

    @classmethod
    def of(cls, strata: Strata, stratum: IntArray, rank: FloatArray, gain: FloatArray | None = None) -> DrawnHits:
        """In their order."""
        order = np.lexsort((rank, strata.query[stratum]))
        gains = np.ones(rank.size) if gain is None else gain
        return cls(strata, stratum[order], rank[order], gains[order])

    @property
    def query(self) -> IntArray:
        """The number of the query of each."""
        found: IntArray = self.strata.query[self.stratum]
        return found

    @property
    def weight(self) -> FloatArray:
        """N/n of each."""
        found: FloatArray = self.strata.scale[self.stratum]
        return found


def precision_sums(hits: DrawnHits, factor: FloatArray | None = None) -> FloatArray:
    """S of each query: the sum over hits of (N_h/n_h)(1 + sum over hits above of v_t)/rank.

    v_t = N_t/n_t, for the stratum of the hit itself (N_h - 1)/(n_h - 1). `factor` (draws x hits) rescales each hit:
    then one row a draw.
    >>> strata = Strata(1, np.zeros(1, int), ("all",), np.array([10]), np.array([5]))
    >>> precision_sums(DrawnHits.of(strata, np.zeros(3, int), np.array([1.0, 4.0, np.inf]))).tolist()
    [3.625]
    """
    times = np.ones((1, hits.rank.size)) if factor is None else factor
    terms = relevant_above(hits, times)
    terms += 1.0
    terms *= times * hits.weight
    sums = sums_by_query(hits, terms / hits.rank)
    return sums[0] if factor is None else sums


def relevant_above(hits: DrawnHits, factor: FloatArray) -> FloatArray:
    """For how many relevant items the hits above each hit stand, one row a draw."""
    above = _sums_above(factor * hits.weight, hits.query)
    change = (hits.strata.pair_scale - hits.strata.scale)[hits.stratum]
    place = _place_in_query(hits.strata)[hits.stratum]
    for each in np.unique(place[change != 0]).tolist():
        own = np.flatnonzero(place == each)
        above[:, own] += _sums_above(factor[:, own] * change[own], hits.query[own])
    return above


def weight_sums(hits: DrawnHits, factor: FloatArray) -> FloatArray:
    """The estimated number of relevant items of each query, one row a draw."""
    return sums_by_query(hits, factor * hits.weight)


def _sums_above(values: FloatArray, query: IntArray) -> FloatArray:
    """Sums of the values that stand before each in its query: above it, for hits are in order."""
    before = np.cumsum(values, axis=1)
    before -= values
    starts = np.unique(query, return_index=True)[1]
    before -= np.repeat(before[:, starts], np.diff(np.append(starts, query.size)), axis=1)
    return before


def sums_by_query(hits: DrawnHits, terms: FloatArray) -> FloatArray:
    """Sums over the hits of each query, one row a draw; 0 where a query has none."""
    queries = hits.strata.queries
    sums = np.zeros((terms.shape[0], queries))
    if terms.shape[1]:
        present, first = np.unique(hits.query, return_index=True)
        sums[:, present] = np.add.reduceat(terms, first, axis=1)
    return sums


def _place_in_query(strata: Strata) -> IntArray:
    """Which stratum of its query each is: 0, 1, and so on."""
    order = np.argsort(strata.query, kind="stable")
    sorted_query = strata.query[order]
    place = np.empty(len(strata), dtype=np.int64)
    place[order] = np.arange(len(strata)) - np.searchsorted(sorted_query, sorted_query)
    return place
