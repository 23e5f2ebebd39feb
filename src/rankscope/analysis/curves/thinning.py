"""Smaller collections without ranking again: exact means where distractors, or relevant items too, are left out at
random.

A smaller collection without ranking again: what remains of a measure when only some distractors are kept. Of e
distractors m are kept at random, and all c relevant items. The i-th hit has b_i = rank_i - i distractors above it, of
which X_i ~ Hypergeometric(e, b_i, m) stay, so its new rank is i + X_i: every mean below is exact, and no sample is
drawn. This holds where the score of an item does not depend on which distractors are there (fixed features, query by
example); with idf, whitening, diffusion or list-wise rerankers thin the collection and rank again.

A collection that grows as a whole: relevant items and distractors alike, so that the generality stays. Only then would
a precision-recall graph stay where it is, and the scope has to grow as the collection does (Huijsmans and Sebe 2001,
1). Looked at backwards: of each class of c a share of k members stays, and of its e distractors e k/c, both drawn at
random. The mean over all draws is exact (`expected_hits_of_class`); that quality does not change with it is an
assumption, which this puts to the test.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from rankscope.analysis.curves.curve import known_sizes, with_relevant_items
from rankscope.analysis.curves.distributions import Binomial, Counts, Hypergeometric, at_most
from rankscope.analysis.curves.hits import AllHits, HitTerms, RelevantHits, hits_of, terms_of
from rankscope.analysis.curves.scope import split_scope
from rankscope.core.arrays import BoolArray, FloatArray, IntArray
from rankscope.core.errors import MeasureError
from rankscope.core.validation import Number, Optional, Several, check
from rankscope.measures import Measure
from rankscope.ranks.ragged import divide
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
        chance = at_most(distractors_above(some, hits.distractors, kept), scope[some.row] - some.place)
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
        return terms.mean(some, distractors_above(some, hits.distractors, kept)), np.full(some.row.size, np.nan)

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
        sums = _over_mates(mates, distractors_above(some, hits.distractors, kept), room)
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


def distractors_above(some: RelevantHits, distractors: IntArray, kept: IntArray) -> Counts:
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


def recall_at_level(queries: RelevantRanks, level: int, a: FloatArray) -> Thinned:
    """Mean recall of each query (row) at relevant scopes (columns) when distractors are left out until G = level.

    NaN where a query has not so many distractors, or the collection left is smaller than the scope.
    >>> queries = RelevantRanks.from_ranks([[1, 3, 10, 40]], collection=100)
    >>> recall_at_level(queries, 2, np.array([1.0, 2.0])).low.round(6)
    array([[0.697871, 0.877067]])
    """
    hits = hits_of(queries)
    kept = queries.relevant * (2**level - 1)
    columns = [recall_when_kept(hits, kept, float(each)) for each in a]
    low, high, variance = (
        np.stack([getattr(each, name) for each in columns], axis=1) for name in ("low", "high", "variance")
    )
    return Thinned(low, high, variance)


def recall_when_kept(hits: AllHits, kept: IntArray, a: float) -> Thinned:
    """Mean recall at scope a c, linear between neighbouring scopes; NaN where the collection left is smaller than that.

    The variance is NaN where hits are interpolated.
    """
    whole, share = split_scope(a * hits.relevant.astype(np.float64))
    scope = whole.astype(np.int64)
    result = hits_when_kept(hits, kept, scope)
    if (share > 0).any():
        beyond = hits_when_kept(hits, kept, scope + 1)
        result = Thinned(
            result.low + share * (beyond.low - result.low),
            result.high + share * (beyond.high - result.high),
            np.where(share > 0, np.nan, result.variance),
        )
    there = whole + (share > 0) <= hits.relevant + kept
    missing = np.where(there, 0.0, np.nan)
    return Thinned(result.low + missing, result.high + missing, result.variance + missing).over(hits.relevant)


HALVINGS = 3  # at most, where no shares are given
SHARE_OF_TODAY = Number(above=0, most=1)


@dataclass(frozen=True, eq=False)
class EvenGrowth:
    """Precision = recall of each query (row) at each share of today's collection (column), at the scope of its class.

    `alike`: the class has shrunk with its distractors. `alone`: the whole class among as large a share of them. Both
    are lower bounds where a ranking ended before all relevant items were found.
    """

    queries: RelevantRanks  # those whose class has a member at every share
    counted: int  # queries with a relevant item
    shares: FloatArray
    members: IntArray  # k, which is the scope too
    alike: FloatArray
    alone: FloatArray
    chance: FloatArray  # of alike: k/(k + its distractors), c/d but for rounding
    chance_alone: FloatArray


def even_growth(queries: RelevantRanks, shares: Sequence[float] | None = None) -> EvenGrowth:
    """Queries whose class is large enough to have a member at the least share; members are rounded to whole ones.

    Where no shares are given: 1, 1/2, 1/4 and 1/8, as far as half of the queries have a member left.
    >>> grown = even_growth(RelevantRanks.from_ranks([[1, 3, 10, 40]], collection=100), [0.5, 1.0])
    >>> grown.members.tolist(), grown.alike.round(6).tolist(), grown.chance.round(6).tolist()
    ([[2, 4]], [[0.463996, 0.5]], [[0.04, 0.04]])
    """
    shares = check(locals(), shares=Optional(Several(SHARE_OF_TODAY)))["shares"]
    queries = with_relevant_items(queries)
    known_sizes(queries, "growth of a whole collection")
    shares = usual_shares(queries) if shares is None else shares
    if not shares:
        raise MeasureError("at least one share of the collection is needed")
    some = np.flatnonzero(queries.relevant * min(shares) >= 1.0 - 1e-9)
    if not some.size:
        raise MeasureError(f"no class of {queries.system} has a member left at a share of {min(shares):g}")
    counted, queries = len(queries), queries.take(some)
    c, e = queries.relevant, queries.collection - queries.relevant
    members = [np.maximum(1, np.floor(share * c + 0.5 + 1e-9).astype(np.int64)) for share in shares]
    kept = [np.floor(e * k / c + 0.5).astype(np.int64) for k in members]
    left = [np.floor(share * e + 0.5).astype(np.int64) for share in shares]
    alike = [expected_hits_of_class(queries, k, m, k).over(k).low for k, m in zip(members, kept, strict=True)]
    return EvenGrowth(
        queries=queries,
        counted=counted,
        shares=np.array(shares, dtype=np.float64),
        members=np.stack(members, axis=1),
        alike=np.stack(alike, axis=1),
        alone=np.stack([expected_hits(queries, m, c).over(c).low for m in left], axis=1),
        chance=np.stack([k / (k + m) for k, m in zip(members, kept, strict=True)], axis=1),
        chance_alone=np.stack([c / (c + m) for m in left], axis=1),
    )


def usual_shares(queries: RelevantRanks) -> tuple[float, ...]:
    """Halves of halves, as far as half of the queries have a member left; one half where some query has two.

    >>> usual_shares(RelevantRanks.from_ranks([[1, 2, 3, 4], [1, 2, 3, 4, 5]], collection=64))
    (0.25, 0.5, 1.0)
    """
    sizes = np.sort(queries.relevant)
    middle = int(sizes[sizes.size // 2]) if sizes.size else 1
    times = min(HALVINGS, max(int(np.log2(middle)), int((sizes >= 2).any())))
    if times == 0:
        raise MeasureError(f"every query of {queries.system} has one relevant item: no class can be smaller")
    return tuple(0.5**each for each in range(times, -1, -1))
