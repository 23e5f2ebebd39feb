"""Measures for incomplete judgements: bpref and inferred AP."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rankscope.arrays import FloatArray
from rankscope.measures.fractions import divided
from rankscope.measures.measure import Measure
from rankscope.ranks.relevant_ranks import RelevantRanks

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
        kept = np.where(above > 0, 1.0 - divided(np.minimum(above, relevant), most), 1.0)
        return divided(queries.total(kept), queries.relevant)


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
        """Sum over hits, each term built as trec_eval builds it."""
        queries = queries.at(rel=self.rel)
        above = queries.ranks - 1.0
        hits, wrong = queries.position - 1, queries.nonrelevant_above
        pool = hits + wrong + queries.pooled_above
        share = (hits + EPSILON) / (hits + wrong + 2 * EPSILON)
        inferred = 1.0 / (above + 1.0) + above / (above + 1.0) * divided(pool, above, nothing=0.0) * share
        return divided(queries.total(np.where(above == 0, 1.0, inferred)), queries.relevant)
