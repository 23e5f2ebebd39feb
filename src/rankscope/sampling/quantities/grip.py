"""GRiP from a sample: precision = recall at scope c, in the whole collection and in thinned ones, with estimated c."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from rankscope.arrays import FloatArray, IntArray
from rankscope.curves.chances import at_most
from rankscope.curves.distributions import Hypergeometric
from rankscope.errors import SettingError
from rankscope.sampling.hit_pairs import DrawnHits, relevant_above, sums_by_query, weight_sums
from rankscope.sampling.judged_run import JudgedRun
from rankscope.sampling.over_queries import SpreadRules, mean_spread
from rankscope.sampling.quantities.quantity import Chosen, OverQueries, Quantity, QueryValues
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

    def of_queries(self, run: JudgedRun, chosen: Chosen) -> QueryValues:
        """In the whole collection: the share of the relevant items within the first c. Estimates only."""
        return QueryValues.only(grip_values(run.hits, _once(run.hits), None, _size(chosen))[0])

    def over_queries(self, run: JudgedRun, chosen: Chosen) -> Iterator[OverQueries]:
        """The mean at each level of G that at least half of the queries reach, all over the same queries."""
        size = _size(chosen)
        relevant = weight_sums(run.hits, _once(run.hits))[0]
        some, top = _reaching(relevant, size)
        if not some.size:
            return
        factors = rescaled_factors(run.frame.strata, run.hits.stratum, chosen.chance(), min(RESAMPLES, chosen.resamples))
        rules = SpreadRules(chosen.level, (0.0, 1.0), (0.0, 1.0), is_wide=True)
        for level in (*range(1, top + 1), None):
            value = grip_values(run.hits, _once(run.hits), level, size)[0, some]
            spread = grip_values(run.hits, factors, level, size)[:, some].var(axis=0, ddof=1)
            name = "GRiP, whole collection" if level is None else f"GRiP, G = {level}"
            yield OverQueries(name, mean_spread(value, spread, rules))

    def difference(self, run: JudgedRun, other: JudgedRun, chosen: Chosen) -> Iterator[OverQueries]:
        """None."""
        yield from ()


def grip_values(hits: DrawnHits, factor: FloatArray, level: int | None, collection: int) -> FloatArray:
    """E[p = r] of each query (NaN without a hit), one row a draw; `level` G = 1, 2, ..., None: nothing is left out.

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
    within = sums_by_query(hits, factor * hits.weight * np.where(ranked, chance.reshape(c.shape), 0.0))
    return within / np.where(relevant > 0, relevant, np.nan)


def _reaching(relevant: FloatArray, collection: int) -> tuple[IntArray, int]:
    """The highest level that at least half of the queries with a hit reach, and which those are."""
    some = np.flatnonzero(relevant > 0)
    index = np.log2(collection / np.maximum(relevant[some], 1.0))
    top = int(np.floor(np.median(index))) if some.size else 0
    return some[index >= top], top


def _once(hits: DrawnHits) -> FloatArray:
    return np.ones((1, hits.rank.size))


def _size(chosen: Chosen) -> int:
    if chosen.collection is None:
        raise SettingError(f"GRiP needs the size of the collection: {setting_usage('collection_size', 'D')}")
    return chosen.collection
