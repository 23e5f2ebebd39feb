"""Reciprocal rank of the first hit, and whether there is one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rankscope.core.arrays import BoolArray, FloatArray
from rankscope.core.notation import given_behind_at
from rankscope.measures.measure import HitsFirst
from rankscope.ranks.relevant_ranks import RelevantRanks
from rankscope.ranks.tie_orders import TiedPlaces, relevant_in_ties


def first_ranks(queries: RelevantRanks) -> FloatArray:
    """The rank of the first relevant item of each query; infinite where none was found."""
    first = np.full(len(queries), np.inf)
    top = queries.position == 1
    first[queries.row[top]] = queries.ranks[top]
    return first


def chance_of_first(tied: TiedPlaces) -> FloatArray:
    """The chance that the first of r hits in a group of n stands at place t: C(n - t, r - 1) / C(n, r)."""
    size, hits, place = tied.size, tied.hits, tied.place
    from scipy.special import gammaln

    possible = size - place >= hits - 1
    left = np.where(possible, size - place, hits - 1)
    logarithm = (
        gammaln(left + 1)
        - gammaln(hits)
        - gammaln(left - hits + 2)
        - (gammaln(size + 1) - gammaln(hits + 1) - gammaln(size - hits + 1))
    )
    return np.where(possible, np.exp(logarithm), 0.0)


def expected_of_first(queries: RelevantRanks, value: FloatArray, tied: TiedPlaces, fixed: FloatArray) -> FloatArray:
    """The mean of a function of the first hit's rank: `value` at each tied place, `fixed` per query otherwise."""
    first = first_ranks(queries)
    opening: BoolArray = (tied.hits_before == 0) & (tied.ranks_before < first[tied.row])
    result = fixed.copy()
    loose = np.zeros(len(queries), dtype=np.bool_)
    loose[tied.row[opening]] = True
    tied_mean = np.bincount(tied.row[opening], weights=(value * chance_of_first(tied))[opening], minlength=len(queries))
    return np.where(loose, tied_mean, result)


@dataclass(frozen=True)
class RR(HitsFirst):
    """Reciprocal rank: 1 over the rank of the first relevant item, 0 if none was found (within the cut-off)."""

    name = "RR"
    aliases = ("MRR", "recip_rank", "reciprocal_rank")
    formula = "1 / rank_1"
    source = "trec_eval recip_rank; Voorhees 1999"
    trec = "recip_rank"

    rel: float = 1.0
    scope: int | None = None

    def of(self, queries: RelevantRanks) -> FloatArray:
        queries = queries.at(rel=self.rel)
        return np.where(queries.relevant > 0, self._value(first_ranks(queries)), np.nan)

    def _value(self, first: FloatArray) -> FloatArray:
        return np.where(first <= self.last_rank, 1.0 / first, 0.0)

    def expected(self, queries: RelevantRanks) -> FloatArray | None:
        """Over the places where the first hit of its group may stand."""
        queries = queries.at(rel=self.rel)
        tied = relevant_in_ties(queries)
        value = self._value(tied.rank.astype(np.float64))
        return expected_of_first(queries, value, tied, self.of(queries))


@dataclass(frozen=True)
class Success(HitsFirst):
    """Success: 1 if any of the first `scope` items is relevant. Also called hit rate; metric learning says R@k."""

    name = "success"
    aliases = ("Success", "hit_rate", "hit", "Hit", "HitRate")
    formula = "1 if v(k) > 0 else 0"
    source = "trec_eval success"
    trec_cut = "success_{scope}"

    scope: int = given_behind_at()
    rel: float = 1.0

    def of(self, queries: RelevantRanks) -> FloatArray:
        """Whether the first hit lies within the scope."""
        queries = queries.at(rel=self.rel)
        return np.where(queries.relevant > 0, (first_ranks(queries) <= self.scope) * 1.0, np.nan)

    def expected(self, queries: RelevantRanks) -> FloatArray | None:
        """The chance that the first hit lies within the scope."""
        queries = queries.at(rel=self.rel)
        tied = relevant_in_ties(queries)
        value = np.where(tied.rank <= self.scope, 1.0, 0.0)
        return expected_of_first(queries, value, tied, self.of(queries))


@dataclass(frozen=True)
class ER(HitsFirst):
    """Error rate: 1 if the first item is not relevant. Its mean is the share of queries whose first result is wrong."""

    name = "ER"
    aliases = ("error_rate",)
    formula = "1 - P@1"
    source = "Lux's lecture on retrieval evaluation; LIRE"
    lower_is_better = True
    worst = 1.0

    rel: float = 1.0

    def of(self, queries: RelevantRanks) -> FloatArray:
        return 1.0 - Success(1, rel=self.rel).of(queries)

    def expected(self, queries: RelevantRanks) -> FloatArray | None:
        """The chance that another item stands first."""
        return 1.0 - np.asarray(Success(1, rel=self.rel).expected(queries))
