"""GRiP from a sample: precision = recall at scope c, in the whole collection and in thinned ones, with estimated c."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from rankscope.arrays import FloatArray, IntArray
from rankscope.curves.chances import at_most
from rankscope.curves.distributions import Hypergeometric
from rankscope.errors import SettingError
from rankscope.measures.fractions import divide
from rankscope.sampling.hit_pairs import DrawnHits, relevant_above, sums_by_query, weight_sums
from rankscope.sampling.judged_run import JudgedRun
from rankscope.sampling.over_queries import SpreadRules
from rankscope.sampling.quantities.quantity import EstimateRules, OverQueries, Quantity, QueryValues
from rankscope.sampling.quantities.resampled_ratio import RatioSums, resampled_ratio
from rankscope.sampling.rescaled import rescaled_factors
from rankscope.wording import setting_usage

RESAMPLES = 50  # each costs as many chances as there are hits


@dataclass(frozen=True)
class SampledGrip(Quantity):
    """p = r at scope c over G = log2(d/c): random distractors left out, exact means, c and positions estimated."""

    @property
    def text(self) -> str:
        """Its name."""
        return "GRiP"

    def of_queries(self, run: JudgedRun, chosen: EstimateRules) -> QueryValues:
        """In the whole collection: the share of the relevant items within the first c. Estimates only."""
        within = grip_hits(run.hits, _once(run.hits), None, _size(chosen))[0]
        return QueryValues.only(divide(within, weight_sums(run.hits, _once(run.hits))[0], nothing=np.nan))

    def over_queries(self, run: JudgedRun, chosen: EstimateRules) -> Iterator[OverQueries]:
        """Hits over relevant items, both summed, at each level of G that half of the queries reach: always the same.

        The mean of the queries' values would be biased: where few relevant items are drawn they seem too high.
        """
        size = _size(chosen)
        some, top = _reaching(weight_sums(run.hits, _once(run.hits))[0], size)
        if not some.size:
            return
        factors = rescaled_factors(
            run.frame.strata, run.hits.stratum, chosen.chance(), min(RESAMPLES, chosen.resamples)
        )
        rules = SpreadRules(chosen.level, (0.0, 1.0), (0.0, 1.0))
        for level in (*range(1, top + 1), None):
            sums = grip_sums(run.hits, factors, level, size)
            name = "GRiP, whole collection" if level is None else f"GRiP, G = {level}"
            yield OverQueries(name, resampled_ratio(_of_queries(sums, some), rules))

    def difference(self, run: JudgedRun, other: JudgedRun, chosen: EstimateRules) -> Iterator[OverQueries]:
        """None."""
        yield from ()


def grip_sums(hits: DrawnHits, factors: FloatArray, level: int | None, collection: int) -> RatioSums:
    """Hits within the first c and class size, with the factors of each resample (resamples x hits)."""
    value = grip_hits(hits, _once(hits), level, collection)[0]
    return RatioSums.of(hits, factors, value, grip_hits(hits, factors, level, collection))


def grip_hits(hits: DrawnHits, factor: FloatArray, level: int | None, collection: int) -> FloatArray:
    """c E[p = r] of each query, one row a draw; `level` G = 1, 2, ..., None: nothing is left out.

    A hit at position i with b distractors above stays within the first c with the chance that of m kept distractors of
    e at most c - i are among the b.
    """
    relevant = weight_sums(hits, factor)
    c = np.maximum(np.rint(relevant), 1.0)[:, hits.query]
    position = np.rint(1.0 + relevant_above(hits, factor))
    ranked = np.isfinite(hits.rank)
    above = np.maximum(np.where(ranked, hits.rank, 0.0) - position, 0.0)
    others = np.maximum(collection - c, 0.0)
    kept = others if level is None else np.minimum(c * (2.0**level - 1.0), others)
    marked = np.minimum(above, others)
    chance = at_most(Hypergeometric(others.ravel(), marked.ravel(), kept.ravel()), (c - position).ravel())
    return sums_by_query(hits, factor * hits.weight * np.where(ranked, chance.reshape(c.shape), 0.0))


def _of_queries(sums: RatioSums, some: IntArray) -> RatioSums:
    return RatioSums(
        value=sums.value[some],
        relevant=sums.relevant[some],
        values=sums.values[:, some],
        relevants=sums.relevants[:, some],
    )


def _reaching(relevant: FloatArray, collection: int) -> tuple[IntArray, int]:
    """The highest level that at least half of the queries with a hit reach, and which those are."""
    some = np.flatnonzero(relevant > 0)
    index = np.log2(collection / np.maximum(relevant[some], 1.0))
    top = int(np.floor(np.median(index))) if some.size else 0
    return some[index >= top], top


def _once(hits: DrawnHits) -> FloatArray:
    return np.ones((1, hits.rank.size))


def _size(chosen: EstimateRules) -> int:
    if chosen.collection is None:
        raise SettingError(f"GRiP needs the size of the collection: {setting_usage('collection_size', 'D')}")
    return chosen.collection
