"""Measures for incomplete judgements: bpref, inferred AP, and how much of what was returned has been judged."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rankscope.core.arrays import FloatArray
from rankscope.core.notation import given_behind_at
from rankscope.core.settings import Settings
from rankscope.measures.average_precision import inferred_bounds
from rankscope.measures.measure import HitsFirst, JudgedFirst, Measure, hits_first, judged_first
from rankscope.ranks.ragged import divide
from rankscope.ranks.relevant_ranks import RelevantRanks, rank_counts
from rankscope.ranks.tie_orders import all_items, expected_within, found_items, group_of, spans

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
        found, items = found_items(queries), all_items(queries)
        counts = items["judged"] & (items["grade"] < self.rel)  # as judged irrelevant
        wrong = items.where(counts | ~items["judged"] if self.negative == "nonrelevant" else counts)
        start, size = spans(queries, found)
        before = rank_counts(wrong, found.row, start - 1)
        inside = rank_counts(wrong, found.row, start + size - 1) - before
        relevant = queries.relevant[found.row]
        free = np.clip(relevant - before, 0, inside + 1)  # of the inside + 1 cases, those with fewer than R above
        above = (free * before + free * (free - 1) / 2 + (inside + 1 - free) * relevant) / (inside + 1)
        least = -np.inf if self.negative == "nonrelevant" else 0.0
        most = np.minimum(relevant, queries.count_judged(least=least, below=self.rel)[found.row])
        return divide(found.total(1.0 - divide(above, most, nothing=0.0)), queries.relevant)

    def worth(self, grade: FloatArray, settings: Settings) -> FloatArray:
        wrong = (grade < 0) & (self.negative == "nonrelevant")
        return np.where(wrong, -1.0, hits_first(grade, self.rel))


@dataclass(frozen=True)
class GBpref(HitsFirst):
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
        return Bpref(rel=self.rel).expected(queries)


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


@dataclass(frozen=True)
class Judged(Measure):
    """Share of the first `scope` places that hold a judged item (of this query). A short list is not forgiven.

    `divisor` returned forgives it: the divisor is the smaller of scope and items returned, as in ir_measures.
    `negative` judged counts grades below 0 as judgements, as it does too.
    """

    name = "Judged"
    aliases = ("judged",)
    formula = "judged among the first k / k"
    source = "ir_measures Judged"
    choices = {"divisor": ("k", "returned"), "negative": ("unjudged", "judged")}

    scope: int = given_behind_at()
    divisor: str = "k"
    negative: str = "unjudged"

    def of(self, queries: RelevantRanks) -> FloatArray:
        judged = queries.judged_within(self.scope)
        if self.negative == "judged":
            judged = judged + queries.pooled.count(queries.pooled["rank"] <= self.scope)
        return self._share(judged.astype(np.float64), queries)

    def _share(self, judged: FloatArray, queries: RelevantRanks) -> FloatArray:
        if self.divisor == "k":
            return judged / self.scope
        return divide(judged, np.minimum(queries.depth, self.scope), nothing=0.0)

    def expected(self, queries: RelevantRanks) -> FloatArray | None:
        """Each tied item is as likely at any of its places."""
        judged = expected_within(queries, queries.judged, self.scope)
        if self.negative == "judged":
            judged = judged + expected_within(queries, queries.pooled, self.scope)
        return self._share(judged, queries)

    def worth(self, grade: FloatArray, settings: Settings) -> FloatArray:
        return judged_first(grade, pooled=self.negative == "judged")


@dataclass(frozen=True)
class Hole(JudgedFirst):
    """Share of the first `scope` places that hold no judged item of this query; BEIR counts items that any query
    judged, which hides holes.
    """

    name = "hole"
    aliases = ("Hole",)
    formula = "1 - Judged@k"
    source = "BEIR hole, per query"
    lower_is_better = True

    scope: int = given_behind_at()

    def of(self, queries: RelevantRanks) -> FloatArray:
        return 1.0 - Judged(self.scope).of(queries)

    def expected(self, queries: RelevantRanks) -> FloatArray | None:
        return 1.0 - np.asarray(Judged(self.scope).expected(queries))


@dataclass(frozen=True)
class Unjudged(JudgedFirst):
    """Unjudged items returned within the scope, over the scope: places behind the end of the list are not counted."""

    name = "unj"
    aliases = ("unjudged",)
    formula = "unjudged among the first k / k"
    source = "trec_eval 10 unj"
    trec_cut = "unj_{scope}"
    lower_is_better = True

    scope: int = given_behind_at()

    def of(self, queries: RelevantRanks) -> FloatArray:
        returned = np.minimum(queries.depth, self.scope)
        return (returned - queries.judged_within(self.scope)) / self.scope

    def expected(self, queries: RelevantRanks) -> FloatArray | None:
        """Each tied item is as likely at any of its places."""
        returned = np.minimum(queries.depth, self.scope)
        return (returned - expected_within(queries, queries.judged, self.scope)) / self.scope
