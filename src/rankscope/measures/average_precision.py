"""AP, its geometric mean, and the area readings of it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rankscope.arrays import FloatArray
from rankscope.measures.fractions import divided
from rankscope.measures.measure import Measure
from rankscope.ranks.expectation import expected_over_ties, relevant_in_ties
from rankscope.ranks.relevant_ranks import RelevantRanks


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
        within = np.ones(queries.ranks.size) if self.scope is None else (queries.ranks <= self.scope) * 1.0
        if self.within == "R":
            within = within * (queries.ranks <= queries.relevant[queries.row])
        return divided(queries.total(self._terms(queries) * within), self._divisor(queries))

    def _terms(self, queries: RelevantRanks) -> FloatArray:
        position, rank = queries.position, queries.ranks
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
        if self.scope is not None or (self.area, self.divisor, self.within) != ("none", "R", "list"):
            return None
        queries = queries.at(rel=self.rel)
        tied = relevant_in_ties(queries)
        place, size = tied.place, tied.size
        next_hit = tied.hits_before + 1 + (place - 1) * (tied.hits - 1) / np.maximum(size - 1, 1)
        grouped = tied.hits / size * next_hit / (tied.ranks_before + place)
        return divided(expected_over_ties(queries, queries.position / queries.ranks, tied, grouped), queries.relevant)


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
