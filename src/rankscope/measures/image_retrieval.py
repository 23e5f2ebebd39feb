"""Measures that image retrieval made its own: NMRR of MPEG-7, the bull's-eye score and the score of UKBench."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from rankscope.core.arrays import FloatArray, IntArray
from rankscope.core.errors import MeasureError
from rankscope.measures.measure import HitsFirst
from rankscope.measures.precision_recall import HitsWithin
from rankscope.ranks.ragged import divide
from rankscope.ranks.relevant_ranks import RelevantRanks
from rankscope.ranks.tie_orders import expected_hits, found_items, spans


@dataclass(frozen=True)
class NMRR(HitsFirst):
    """Normalised modified retrieval rank of MPEG-7, 0 best, 1 worst; its mean over queries is called ANMRR.

    `gtm`, the largest class of the query set, decides how far down the list is looked: values made with different
    ones must not be averaged, so it is written into the name of a result. `penalty` is the rank given to an item
    beyond K: 1.25k, or k+1 as in an older draft.
    """

    name = "NMRR"
    aliases = ("ANMRR",)
    formula = "(AVR - (1 + R)/2) / (1.25 K - (1 + R)/2), K = min(4 R, 2 GTM), AVR = mean of rank if <= K else 1.25 K"
    source = "Manjunath et al. 2001 (MPEG-7)"
    lower_is_better = True
    worst = 1.0
    choices = {"penalty": ("1.25k", "k+1")}
    least = {"gtm": 1}

    gtm: int | None = None
    penalty: str = "1.25k"
    rel: float = 1.0

    def bind(self, queries: RelevantRanks) -> Self:
        """The largest class comes from the query set."""
        largest = int(queries.at(rel=self.rel).relevant.max(initial=1))
        return self if self.gtm is not None else replace(self, gtm=max(largest, 1))

    def of(self, queries: RelevantRanks) -> FloatArray:
        """Mean rank with a penalty, normalised."""
        queries, look = queries.at(rel=self.rel), self.reach(queries)
        within = queries.ranks <= look[queries.row]
        return self._value(queries, queries.total(np.where(within, queries.ranks, 0)), queries.hits(look))

    def _value(self, queries: RelevantRanks, ranks: FloatArray, hits: IntArray | FloatArray) -> FloatArray:
        """From the sum of the ranks within K, and how many there are."""
        look, relevant = self.reach(queries), queries.relevant
        worst = 1.25 * look if self.penalty == "1.25k" else look + 1.0
        average = divide(ranks + worst * (relevant - hits), relevant)
        best = (1.0 + relevant) / 2.0
        return divide(average - best, worst - best)

    def expected(self, queries: RelevantRanks) -> FloatArray | None:
        """Each tied item is as likely at any of its places: the first m of n, from rank s on, add m (s + (m - 1)/2)/n
        to the sum of ranks.
        """
        queries, look = queries.at(rel=self.rel), self.reach(queries)
        found = found_items(queries)
        start, size = spans(queries, found)
        inside = np.clip(look[found.row] - start + 1, 0, size)
        ranks = found.total(inside * (start + (inside - 1) / 2) / size)
        return self._value(queries, ranks, expected_hits(queries, look))

    def reach(self, queries: RelevantRanks) -> IntArray:
        gtm, relevant = self.bind(queries).gtm or 1, queries.at(rel=self.rel).relevant
        if relevant.max(initial=1) > gtm:
            raise MeasureError(f"{self}: gtm is the largest class of the query set, which has {relevant.max()} items")
        return np.minimum(4 * relevant, 2 * gtm)


@dataclass(frozen=True)
class Bullseye(HitsWithin):
    """Bull's-eye score of MPEG-7 CE-Shape-1: share of the class among the first 2R, the query kept and counted."""

    name = "Bullseye"
    aliases = ("bullseye", "bulls_eye")
    formula = "v(2R) / R"
    source = "Latecki et al. 2000"

    rel: float = 1.0

    def value(self, hits: IntArray | FloatArray, queries: RelevantRanks) -> FloatArray:
        return divide(hits, queries.relevant)

    def reach(self, queries: RelevantRanks) -> IntArray:
        """Twice the class size."""
        return 2 * queries.at(rel=self.rel).relevant


def four_score(ranks: RelevantRanks) -> float:
    """The score of UKBench: the mean number of right photos among the first four, the query counted; 4 is perfect.

    The ranks must have the query in: see `put_query_back` of `rankscope.engines.pairwise`.
    >>> four_score(RelevantRanks.from_ranks([[1, 2, 3, 4], [1, 3, 9, 10]]))
    3.0
    """
    return float(ranks.hits(4).mean())
