"""AP, its geometric mean, and the area readings of it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rankscope.arrays import BoolArray, FloatArray, IntArray
from rankscope.measures.fractions import divide
from rankscope.measures.measure import Measure
from rankscope.measures.uneven import mean_precision_bounds
from rankscope.measures.worth import hits_first
from rankscope.ranks.expectation import counts_in_groups, expected_over_ties, found_items, relevant_in_ties
from rankscope.ranks.relevant_ranks import RelevantRanks
from rankscope.settings import Settings


@dataclass(frozen=True)
class AP(Measure):
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

    def worth(self, grade: FloatArray, settings: Settings) -> FloatArray:
        """Hits first."""
        return hits_first(grade, self.rel)

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
class GMAP(Measure):
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
        """As AP."""
        return AP(rel=self.rel).expected(queries)

    def worth(self, grade: FloatArray, settings: Settings) -> FloatArray:
        """Hits first."""
        return hits_first(grade, self.rel)
