"""Measures for incomplete judgements: bpref and inferred AP."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rankscope.arrays import FloatArray
from rankscope.measures.fractions import divide
from rankscope.measures.measure import Measure
from rankscope.measures.uneven import inferred_bounds
from rankscope.measures.worth import hits_first
from rankscope.ranks.expectation import found_items, group_of, spans
from rankscope.ranks.orders import all_items
from rankscope.ranks.ragged import Ragged
from rankscope.ranks.relevant_ranks import RelevantRanks, rank_counts
from rankscope.settings import Settings

EPSILON = 1e-5


@dataclass(frozen=True)
class Bpref(Measure):
    """Binary preference: how often a judged relevant item stands above the judged irrelevant ones; unjudged items
    do not matter. `negative` nonrelevant counts grades below 0 as judged irrelevant, as ranx does.
    """

    name = "bpref"
    aliases = ("Bpref",)
    formula = "(1/R) sum over hits of 1 - min(n, M)/M, n = judged irrelevant above, M = min(R, N)"
    source = "trec_eval bpref; Buckley & Voorhees 2004"
    trec = "bpref"
    choices = {"negative": ("unjudged", "nonrelevant")}

    rel: float = 1.0
    negative: str = "unjudged"

    def of(self, queries: RelevantRanks) -> FloatArray:
        """Sum over hits."""
        queries = queries.at(rel=self.rel)
        above, wrong = queries.nonrelevant_above, queries.nonrelevant
        if self.negative == "nonrelevant":
            above = above + queries.pooled_above
            wrong = queries.count_judged(least=-np.inf, below=self.rel)
        relevant = queries.relevant[queries.row]
        most = np.minimum(relevant, wrong[queries.row])
        kept = np.where(above > 0, 1.0 - divide(np.minimum(above, relevant), most), 1.0)
        return divide(queries.total(kept), queries.relevant)

    def expected(self, queries: RelevantRanks) -> FloatArray | None:
        """Of w judged irrelevant items in its group a hit has 0, 1, ..., w above it with equal chance."""
        queries = queries.at(rel=self.rel)
        found, wrong = found_items(queries), self._wrong(queries)
        start, size = spans(queries, found)
        before = rank_counts(wrong, found.row, start - 1)
        inside = rank_counts(wrong, found.row, start + size - 1) - before
        relevant = queries.relevant[found.row]
        free = np.clip(relevant - before, 0, inside + 1)  # of the inside + 1 cases, those with fewer than R above
        above = (free * before + free * (free - 1) / 2 + (inside + 1 - free) * relevant) / (inside + 1)
        least = -np.inf if self.negative == "nonrelevant" else 0.0
        most = np.minimum(relevant, queries.count_judged(least=least, below=self.rel)[found.row])
        return divide(found.total(1.0 - divide(above, most, nothing=0.0)), queries.relevant)

    def _wrong(self, queries: RelevantRanks) -> Ragged:
        """The items found that count as judged irrelevant."""
        items = all_items(queries)
        wrong = items["judged"] & (items["grade"] < self.rel)
        return items.where(wrong | ~items["judged"] if self.negative == "nonrelevant" else wrong)

    def worth(self, grade: FloatArray, settings: Settings) -> FloatArray:
        """Hits first, judged irrelevant items last."""
        wrong = (grade < 0) & (self.negative == "nonrelevant")
        return np.where(wrong, -1.0, hits_first(grade, self.rel))


@dataclass(frozen=True)
class GBpref(Measure):
    """bpref, summarised by its geometric mean. Values below 1e-5 count as 1e-5."""

    name = "gm_bpref"
    formula = "exp(mean over queries of ln max(bpref, 1e-5))"
    source = "trec_eval gm_bpref"
    trec = "gm_bpref"
    summary = "geometric"

    rel: float = 1.0

    def of(self, queries: RelevantRanks) -> FloatArray:
        """bpref itself; only the summary differs."""
        return Bpref(rel=self.rel).of(queries)

    def expected(self, queries: RelevantRanks) -> FloatArray | None:
        """As bpref."""
        return Bpref(rel=self.rel).expected(queries)

    def worth(self, grade: FloatArray, settings: Settings) -> FloatArray:
        """Hits first."""
        return hits_first(grade, self.rel)


@dataclass(frozen=True)
class InfAP(Measure):
    """Inferred average precision, for a pool of which a random part was judged: items in the pool but not judged
    (grade below 0) are taken to be relevant in the same share as the judged ones above.
    """

    name = "infAP"
    formula = "(1/R) sum over hits at rank k of 1/k + (pool above/k) (rel above + e)/(rel above + nonrel above + 2e)"
    source = "trec_eval infAP; Yilmaz & Aslam 2006"
    trec = "infAP"

    rel: float = 1.0

    def of(self, queries: RelevantRanks) -> FloatArray:
        """Sum over hits."""
        queries = queries.at(rel=self.rel)
        return divide(queries.total(self._terms(queries)), queries.relevant)

    def _terms(self, queries: RelevantRanks) -> FloatArray:
        """Each term built as trec_eval builds it."""
        above = queries.ranks - 1.0
        hits, wrong = queries.position - 1, queries.nonrelevant_above
        pool = hits + wrong + queries.pooled_above
        share = (hits + EPSILON) / (hits + wrong + 2 * EPSILON)
        inferred = 1.0 / (above + 1.0) + above / (above + 1.0) * divide(pool, above, nothing=0.0) * share
        return np.where(above == 0, 1.0, inferred)

    def extremes(self, queries: RelevantRanks, settings: Settings) -> tuple[FloatArray, FloatArray] | None:
        """From how many pooled items stand above each hit, unless a cut decides which hits count."""
        if settings.depth is not None:
            return None
        queries = queries.at(rel=self.rel)
        alone = group_of(queries, found_items(queries)) < 0
        fixed = queries.total(np.where(alone, self._terms(queries), 0.0))
        low, high = (divide(fixed + each, queries.relevant) for each in inferred_bounds(queries, EPSILON))
        return low, high

    def worth(self, grade: FloatArray, settings: Settings) -> FloatArray:
        """Hits first; items in the pool may help or harm the hits below them, as what stands above decides."""
        return np.where(grade < 0, np.nan, hits_first(grade, self.rel))
