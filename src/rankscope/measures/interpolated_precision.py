"""Interpolated precision at recall levels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from rankscope.core.arrays import BoolArray, FloatArray, IntArray
from rankscope.core.notation import given_behind_at
from rankscope.measures.measure import RECALL_LEVELS, HitsFirst
from rankscope.ranks.relevant_ranks import RelevantRanks

ROUNDING = ("ceil", "trec_eval-9", "trec_eval-10")


def hits_needed(level: float, relevant: IntArray, rounding: str) -> IntArray:
    """How many hits reach a recall level: as many as it says, or as trec_eval 9 and 10 round.

    >>> hits_needed(0.1, np.array([4]), "ceil"), hits_needed(0.1, np.array([4]), "trec_eval-10")
    (array([1]), array([0]))
    """
    wanted = level * relevant
    if rounding == "trec_eval-9":
        return (wanted + 0.9).astype(np.int64)
    if rounding == "trec_eval-10":
        return np.floor(wanted + 0.5).astype(np.int64)
    return np.ceil(wanted - 1e-9).astype(np.int64)


def best_from(queries: RelevantRanks, hits: IntArray) -> FloatArray:
    """The highest precision at or beyond the given number of hits; 0 where it is not reached."""
    counts = np.where(queries.position >= np.maximum(hits, 1)[queries.row], queries.position / queries.ranks, 0.0)
    best = np.zeros(len(queries))
    np.maximum.at(best, queries.row, counts)
    return best


@dataclass(frozen=True)
class IPrec(HitsFirst):
    """Interpolated precision at a recall level: the highest precision at that recall or beyond; 0 if never reached.

    The level is written behind the @: `IPrec@0.1`. `levels` says how a level becomes a number of hits: ceil takes the
    fewest that reach it, trec_eval-9 int(l R + .9), trec_eval-10 l R rounded.
    """

    name = "IPrec"
    aliases = ("iprec", "interpolated_precision")
    formula = "max of P(k) over all k with v(k) >= hits needed for recall l"
    source = "trec_eval iprec_at_recall; van Rijsbergen 1979"
    trec_cut = "iprec_at_recall_{scope:.2f}"
    choices = {"levels": ROUNDING}
    habits = frozenset({"levels"})
    least = {"scope": 0.0}
    most = {"scope": 1.0}

    scope: float = given_behind_at()
    rel: float = 1.0
    levels: str = "ceil"

    def of(self, queries: RelevantRanks) -> FloatArray:
        """The best precision from the level on."""
        queries = queries.at(rel=self.rel)
        hits = hits_needed(self.scope, queries.relevant, self.levels)
        best = np.where(queries.relevant > 0, best_from(queries, hits), np.nan)
        return np.where(_empty_for_trec_eval(queries, self.levels) & (hits == 0), np.nan, best)

    def defined(self, queries: RelevantRanks) -> Any:
        """Queries with a relevant item; those too that trec_eval prints as nan, with one or without."""
        return super().defined(queries) | _empty_for_trec_eval(queries, self.levels)


@dataclass(frozen=True)
class IPrec11(HitsFirst):
    """Eleven-point average: mean of the interpolated precision at recall 0, .1, ..., 1."""

    name = "IPrec11"
    aliases = ("11pt", "11pt_avg", "eleven_point")
    formula = "mean of IPrec@l over l = 0, .1, ..., 1"
    source = "trec_eval 11pt_avg"
    trec = "11pt_avg"
    choices = {"levels": ROUNDING}
    habits = frozenset({"levels"})

    rel: float = 1.0
    levels: str = "ceil"

    def of(self, queries: RelevantRanks) -> FloatArray:
        """The eleven values, added from high recall to low as trec_eval adds them."""
        total = np.zeros(len(queries))
        for level in reversed(RECALL_LEVELS):
            total += IPrec(level, rel=self.rel, levels=self.levels).of(queries)
        return total / len(RECALL_LEVELS)

    def defined(self, queries: RelevantRanks) -> Any:
        """As IPrec."""
        return super().defined(queries) | _empty_for_trec_eval(queries, self.levels)


def _empty_for_trec_eval(queries: RelevantRanks, levels: str) -> BoolArray:
    """Where trec_eval divides 0 by 0 and prints nan: lists left empty because only judged items were kept.

    Release 10 puts an item of its own into the lists of missing queries and removes it again; 9 never looks at them.
    """
    if levels == "ceil" or not queries.provenance.get("condensed", False):
        return np.zeros(len(queries), dtype=np.bool_)
    empty: BoolArray = queries.depth == 0
    return empty if levels == "trec_eval-10" else empty & queries.answered
