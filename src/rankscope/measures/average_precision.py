"""AP, its geometric mean, and the area readings of it.

With the extremes over the orders of equal scores that need a choice of numbers, not only an order of kinds.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rankscope.core.arrays import BoolArray, FloatArray, IntArray
from rankscope.core.settings import Settings
from rankscope.measures.measure import HitsFirst, hits_first
from rankscope.ranks.ragged import divide, ranges, sums_by
from rankscope.ranks.relevant_ranks import RelevantRanks
from rankscope.ranks.tie_orders import (
    all_items,
    counts_in_groups,
    expected_over_ties,
    found_items,
    relevant_in_ties,
    sorted_by_worth,
)


@dataclass(frozen=True)
class AP(HitsFirst):
    """Average precision: mean over all relevant items of the precision at their rank; a missing item adds 0.

    With a cut-off only hits within it count. `divisor` says what the sum is divided by: R, all relevant items
    (trec_eval); min, the smaller of R and the cut-off; found, the relevant items within it (torchmetrics). `area`
    reads AP as an area under the precision-recall curve by the trapezoid rule: oxford starts from precision 1 at
    recall 0 (the Oxford buildings evaluation), printed from the second item as Brughi et al. 2014 print it.
    `within` R counts hits among the first R items only and always divides by R: metric learning's MAP@R.
    A query without relevant items has no AP.
    """

    name = "AP"
    aliases = ("MAP", "average_precision")
    formula = "(1/R) sum over hits i of i / rank_i"
    source = (
        "trec_eval map, map_cut; Buckley & Voorhees 2005; trapezoid: Philbin et al. 2007, Brughi et al. 2014; "
        "MAP@R: Musgrave et al. 2020"
    )
    trec = "map"
    trec_cut = "map_cut_{scope}"
    choices = {"divisor": ("R", "min", "found"), "area": ("none", "oxford", "printed"), "within": ("list", "R")}

    rel: float = 1.0
    divisor: str = "R"
    area: str = "none"
    within: str = "list"
    scope: int | None = None

    def of(self, queries: RelevantRanks) -> FloatArray:
        """Whole columns: position over rank, summed in rank order."""
        queries = queries.at(rel=self.rel)
        terms = self._terms(queries.position, queries.ranks)
        if self.scope is not None or self.within == "R":
            terms = terms * (queries.ranks <= self._limit(queries)[queries.row])
        return divide(queries.total(terms), self._divisor(queries))

    def _limit(self, queries: RelevantRanks) -> FloatArray:
        """The last rank at which a hit counts."""
        limit = np.full(len(queries), np.inf if self.scope is None else float(self.scope))
        return np.minimum(limit, queries.relevant) if self.within == "R" else limit

    def _terms(self, position: IntArray | FloatArray, rank: IntArray) -> FloatArray:
        """What a hit adds; linear in its position, so that a mean position gives the mean term."""
        here = position / rank
        if self.area == "none":
            return here
        before = np.where(rank > 1, (position - 1) / np.maximum(rank - 1, 1), 1.0)
        trapezoid = (here + before) / 2
        return np.where(rank == 1, 0.0, trapezoid) if self.area == "printed" else trapezoid

    def _divisor(self, queries: RelevantRanks) -> FloatArray:
        relevant = queries.relevant.astype(np.float64)
        if self.within == "R":
            return relevant
        if self.divisor == "min":
            return relevant if self.scope is None else np.minimum(relevant, self.scope)
        if self.divisor == "found":
            found = queries.found if self.scope is None else queries.hits(self.scope)
            return np.where((found == 0) & (relevant > 0), 1.0, found)
        return relevant

    def expected(self, queries: RelevantRanks) -> FloatArray | None:
        """Closed form (McSherry & Najork 2008): within a group of n with r hits after v hits in b ranks, place t adds
        (r/n) (v + 1 + (t - 1)(r - 1)/(n - 1)) / (b + t).
        """
        if self._divides_by_hits(self.scope):
            return None
        queries = queries.at(rel=self.rel)
        tied, limit = relevant_in_ties(queries), self._limit(queries)
        terms = self._terms(queries.position, queries.ranks) * (queries.ranks <= limit[queries.row])
        grouped = tied.hits / tied.size * self._terms(tied.next_hit(), tied.rank) * (tied.rank <= limit[tied.row])
        return divide(expected_over_ties(queries, terms, tied, grouped), self._divisor(queries))

    def _divides_by_hits(self, limit: int | None) -> bool:
        """Whether the divisor depends on the order: hits within the limit, not all that were found."""
        return self.divisor == "found" and self.within == "list" and limit is not None

    def unproven(self, queries: RelevantRanks, settings: Settings) -> BoolArray:
        """One more hit may lower the mean over hits; and a hit at rank 1 adds nothing to the printed area."""
        start, size = queries.ties["start"], queries.ties["size"]
        _, hits = counts_in_groups(queries, found_items(queries.at(rel=self.rel)))
        moving = (hits > 0) & (hits < size)
        limits = [each for each in (self.scope, settings.depth) if each is not None]
        wrong = np.zeros(size.size, dtype=np.bool_)
        if self.area == "printed":
            wrong |= moving & ((start == 1) | (settings.depth is not None and settings.judged_only))
        if self._divides_by_hits(min(limits, default=None)):
            cut = (start <= min(limits)) & (start + size - 1 > min(limits))
            wrong |= moving & (cut | settings.judged_only)
        return queries.ties.count(wrong) > 0

    def extremes(self, queries: RelevantRanks, settings: Settings) -> tuple[FloatArray, FloatArray] | None:
        """Where the divisor depends on the order, from how many hits of a group stand within the limit."""
        limits = [each for each in (self.scope, settings.depth) if each is not None]
        cut_and_condensed = settings.depth is not None and settings.judged_only
        if not self._divides_by_hits(min(limits, default=None)) or self.area != "none" or cut_and_condensed:
            return None
        return mean_precision_bounds(queries.at(rel=self.rel), min(limits))

    def reach(self, queries: RelevantRanks) -> IntArray | None:
        """The cut-off, or as many items as are relevant."""
        return queries.at(rel=self.rel).relevant if self.within == "R" else super().reach(queries)


@dataclass(frozen=True)
class GMAP(HitsFirst):
    """Average precision, summarised by its geometric mean: hard queries weigh more. Values below 1e-5 count as 1e-5."""

    name = "GMAP"
    formula = "exp(mean over queries of ln max(AP, 1e-5))"
    source = "trec_eval gm_map; Robertson 2006"
    trec = "gm_map"
    summary = "geometric"

    rel: float = 1.0

    def of(self, queries: RelevantRanks) -> FloatArray:
        """AP itself; only the summary differs."""
        return AP(rel=self.rel).of(queries)

    def expected(self, queries: RelevantRanks) -> FloatArray | None:
        return AP(rel=self.rel).expected(queries)


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
    return _known_bound(lowest), _known_bound(highest)


def _precision_above(queries: RelevantRanks, row: IntArray, above: IntArray, sign: float) -> FloatArray:
    """The sum of the precision at the hits above a rank, equal scores with hits first (+) or last (-)."""
    items = all_items(queries)
    ordered = sorted_by_worth(queries, items, sign * hits_first(items["grade"], queries.rel), 0.0)
    limit = np.zeros(len(queries), dtype=np.int64)
    limit[row] = above
    terms = ordered.position / ordered.ranks * (ordered.ranks <= limit[ordered.row])
    return ordered.total(terms)[row]


def _known_bound(bound: FloatArray) -> FloatArray:
    return np.where(np.isfinite(bound), bound, np.nan)


@dataclass(frozen=True)
class _KindsInGroups:
    """For each group of equal scores, how many hits, wrong, pooled and other items there are."""

    hits: IntArray
    wrong: IntArray
    pooled: IntArray
    others: IntArray

    @classmethod
    def of(cls, counts: list[IntArray], items: IntArray) -> _KindsInGroups:
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
    above = _KindsInGroups.of([before for before, _ in counts], queries.ties["start"] - 1)
    inside = _KindsInGroups.of([within for _, within in counts], queries.ties["size"])
    lowest, highest = _least_inferred(above, inside, epsilon), _most_inferred(above, inside, epsilon)
    return sums_by(queries.ties.row, lowest, len(queries)), sums_by(queries.ties.row, highest, len(queries))


def _inferred_term(h: IntArray, w: IntArray, q: IntArray, u: IntArray, epsilon: float) -> FloatArray:
    share = (h + epsilon) / (h + w + 2 * epsilon)
    return np.asarray((1.0 + (h + w + q) * share) / (h + w + q + u + 1.0))


def _most_inferred(above: _KindsInGroups, inside: _KindsInGroups, epsilon: float) -> FloatArray:
    """Wrong and other items last; each hit above or below all pooled items."""
    group = np.repeat(np.arange(inside.hits.size), inside.hits)
    h = above.hits[group] + ranges(np.zeros_like(inside.hits), inside.hits)
    w, q, u, more = above.wrong[group], above.pooled[group], above.others[group], inside.pooled[group]
    terms = np.maximum(_inferred_term(h, w, q, u, epsilon), _inferred_term(h, w, q + more, u, epsilon))
    return sums_by(group, terms, inside.hits.size)


def _least_inferred(above: _KindsInGroups, inside: _KindsInGroups, epsilon: float) -> FloatArray:
    """Wrong and other items first; the number of pooled items above all hits that gives the least."""
    groups, choices = inside.hits.size, inside.pooled + 1
    owner = np.repeat(np.arange(groups), choices)  # one entry for each number of pooled items of each group
    more, hits = ranges(np.zeros_like(choices), choices), inside.hits[owner]
    entry = np.repeat(np.arange(owner.size), hits)  # and one for each hit of it
    group = owner[entry]
    h = above.hits[group] + ranges(np.zeros_like(hits), hits)
    w, u = (above.wrong + inside.wrong)[group], (above.others + inside.others)[group]
    terms = _inferred_term(h, w, above.pooled[group] + more[entry], u, epsilon)
    lowest = np.full(groups, np.inf)
    np.minimum.at(lowest, owner, sums_by(entry, terms, owner.size))
    return lowest
