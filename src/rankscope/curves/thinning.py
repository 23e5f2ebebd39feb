"""A smaller collection without ranking again: what remains of a measure when only some distractors are kept.

Of e distractors m are kept at random, and all c relevant items. The i-th hit has b_i = rank_i - i distractors above it,
of which X_i ~ Hypergeometric(e, b_i, m) stay, so its new rank is i + X_i: every mean below is exact, and no sample is
drawn. This holds where the score of an item does not depend on which distractors are there (fixed features, query by
example); with idf, whitening, diffusion or list-wise rerankers thin the collection and rank again.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from rankscope.arrays import BoolArray, FloatArray, IntArray
from rankscope.curves.chances import at_most
from rankscope.curves.distributions import Binomial, Counts, Hypergeometric
from rankscope.curves.hits import AllHits, RelevantHits, hits_of
from rankscope.curves.terms import HitTerms, terms_of
from rankscope.measures import Measure
from rankscope.measures.fractions import divide
from rankscope.ranks.relevant_ranks import RelevantRanks

MOST_EXACT = 1_000_000  # distractors; with more, each is kept or not by itself: Bin(b, m / e)
LEAST_CHANCE = 1e-16
PerHit = Callable[
    [RelevantHits], tuple[FloatArray, FloatArray]
]  # what each hit adds to the mean and to the mean square


@dataclass(frozen=True)
class Thinned:
    """Means over all thinnings, per query, and the variance of one thinning.

    `low` and `high` are equal where every relevant item was found; else they belong to the worst and the best places
    that the items not found can have, and the variance is that of `low`. NaN where more distractors are to be kept than
    there are; the variance is NaN too for measures that depend on several ranks at once (AP, nDCG).
    """

    low: FloatArray
    high: FloatArray
    variance: FloatArray

    def over(self, divisor: ArrayLike) -> Thinned:
        """The same in other units; NaN where the divisor is 0."""
        square = np.asarray(divisor, dtype=np.float64) ** 2
        return Thinned(divide(self.low, divisor), divide(self.high, divisor), divide(self.variance, square))


def expected_hits(queries: RelevantRanks, kept: ArrayLike, scope: ArrayLike) -> Thinned:
    """Mean number of hits within the scope when `kept` distractors stay; both one number, or one per query.

    >>> queries = RelevantRanks.from_ranks([[1, 3, 10, 40]], collection=100)
    >>> expected_hits(queries, kept=12, scope=4).over(4).low.round(6)
    array([0.697871])
    """
    return hits_when_kept(hits_of(queries), _per_query(kept, queries), _per_query(scope, queries))


def hits_when_kept(hits: AllHits, kept: IntArray, scope: IntArray) -> Thinned:
    """The same for hits that were counted before: `kept` and `scope` have one number per query."""
    possible = kept <= hits.distractors
    some_hits = hits.of(possible)

    def adds(some: RelevantHits) -> tuple[FloatArray, FloatArray]:
        chance = at_most(after(some, hits.distractors, kept), scope[some.row] - some.place)
        return chance, (2.0 * some.place - 1.0) * chance  # n^2 = 1 + 3 + ... + (2 n - 1)

    return _ends(some_hits, adds, possible)


def expected_value(queries: RelevantRanks, kept: ArrayLike, measure: Measure) -> Thinned:
    """Mean value of AP, nDCG, P, R or Rprec when `kept` distractors stay; raises `MeasureError` for other measures.

    Graded items keep their grades; where some were not found, the ends take their best and their worst order.
    >>> from rankscope.measures import AP
    >>> queries = RelevantRanks.from_ranks([[1, 3, 10, 40]], collection=100)
    >>> expected_value(queries, 12, AP()).low.round(6)
    array([0.813902])
    """
    terms = terms_of(measure, queries)
    if isinstance(terms, HitTerms):
        return expected_hits(terms.queries, kept, terms.cut).over(terms.divisor)
    hits, kept = hits_of(terms.queries), _per_query(kept, queries)

    def adds(some: RelevantHits) -> tuple[FloatArray, FloatArray]:
        return terms.mean(some, after(some, hits.distractors, kept)), np.full(some.row.size, np.nan)

    return _ends(hits, adds, kept <= hits.distractors).over(terms.divisor)


def expected_hits_of_class(queries: RelevantRanks, members: ArrayLike, kept: ArrayLike, scope: ArrayLike) -> Thinned:
    """Mean number of hits when `members` of the relevant items stay too; NaN where there are not so many.

    >>> queries = RelevantRanks.from_ranks([[1, 3, 10, 40]], collection=100)
    >>> expected_hits_of_class(queries, members=2, kept=12, scope=2).over(2).low.round(6)
    array([0.619248])
    """
    hits = hits_of(queries)
    kept, limit, members = (_per_query(each, queries) for each in (kept, scope, members))
    possible = (kept <= hits.distractors) & (members <= queries.relevant)
    share = divide(members, queries.relevant, nothing=0.0)

    def adds(some: RelevantHits) -> tuple[FloatArray, FloatArray]:
        others = np.maximum(queries.relevant[some.row] - 1.0, 0.0)
        mates = Hypergeometric(others, some.place - 1.0, np.clip(members[some.row] - 1.0, 0.0, others))
        room = limit[some.row].astype(np.float64) - 1.0
        sums = _over_mates(mates, after(some, hits.distractors, kept), room)
        return share[some.row] * sums[0], share[some.row] * sums[1]

    return _ends(hits, adds, possible)


def _over_mates(mates: Hypergeometric, distractors: Counts, room: FloatArray) -> tuple[FloatArray, FloatArray]:
    """P(mates + distractors above <= room), and the same weighted by 2 mates + 1, which gives the mean square."""
    total, square = np.zeros(room.size), np.zeros(room.size)
    for above in range(int(np.minimum(mates.most, room).max(initial=-1.0)) + 1):
        chosen = np.flatnonzero((mates.least <= above) & (above <= np.minimum(mates.most, room)))
        chance = np.exp(mates.take(chosen).log_probability(np.full(chosen.size, float(above))))
        chosen, chance = chosen[chance > LEAST_CHANCE], chance[chance > LEAST_CHANCE]
        both = chance * at_most(distractors.take(chosen), room[chosen] - above)
        total[chosen] += both
        square[chosen] += (2.0 * above + 1.0) * both
    return total, square


def after(some: RelevantHits, distractors: IntArray, kept: IntArray) -> Counts:
    """Distractors above each hit when `kept` of all stay; as many as there are where more are asked for."""
    there = distractors[some.row].astype(np.float64)
    drawn = np.minimum(kept[some.row], there)
    if distractors.max(initial=0) <= MOST_EXACT:
        return Hypergeometric(there, some.above, drawn)
    all_above = some.above >= there
    return Binomial(np.where(all_above, drawn, some.above), np.where(all_above, 1.0, divide(drawn, there, 0.0)))


def _ends(hits: AllHits, adds: PerHit, possible: BoolArray) -> Thinned:
    """Totals per query at both ends, and the variance at the lower one."""
    (found, found_square), (worst, worst_square), (best, _) = (
        adds(each) for each in (hits.found, hits.worst, hits.best)
    )
    seen = hits.found.total(found)
    low, high = seen + hits.worst.total(worst), seen + hits.best.total(best)
    square = hits.found.total(found_square) + hits.worst.total(worst_square)
    variance = np.maximum(square - low**2, 0.0)
    return Thinned(*(np.where(possible, each, np.nan) for each in (low, high, variance)))


def _per_query(number: ArrayLike, queries: RelevantRanks) -> IntArray:
    return np.broadcast_to(np.asarray(number, dtype=np.int64), len(queries))
