"""Precision and recall: within a scope, plain or capped, at a multiple of the relevant items, and interpolated."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from rankscope.core.arrays import BoolArray, FloatArray, IntArray
from rankscope.core.notation import given_behind_at
from rankscope.core.settings import Settings
from rankscope.measures.measure import RECALL_LEVELS, HitsFirst, Measure, not_known
from rankscope.ranks.ragged import divide
from rankscope.ranks.relevant_ranks import RelevantRanks
from rankscope.ranks.tie_orders import expected_hits


class HitsWithin(HitsFirst):
    """A value that follows from how many hits stand within the reach of each query."""

    @abstractmethod
    def value(self, hits: IntArray | FloatArray, queries: RelevantRanks) -> FloatArray:
        """What so many hits come to; `queries` have the relevant items of this measure."""

    def of(self, queries: RelevantRanks) -> FloatArray:
        """From the hits there are."""
        queries = queries.at(rel=self.level)
        return self.value(queries.hits(self._limits(queries)), queries)

    def expected(self, queries: RelevantRanks) -> FloatArray | None:
        """Each tied item is as likely at any of its places."""
        queries = queries.at(rel=self.level)
        return self.value(expected_hits(queries, self._limits(queries)), queries)

    def _limits(self, queries: RelevantRanks) -> IntArray | float:
        """The reach of each query, or one number for all of them."""
        reach = None if type(self).reach is Measure.reach else self.reach(queries)
        return self.last_rank if reach is None else reach


class ShareOfHits(HitsWithin):
    """Hits over the most that there could be, or that are wanted."""

    @abstractmethod
    def out_of(self, queries: RelevantRanks) -> IntArray:
        """What the hits are divided by; `queries` have the relevant items of this measure."""

    def value(self, hits: IntArray | FloatArray, queries: RelevantRanks) -> FloatArray:
        """A share; undefined where nothing is wanted."""
        return divide(hits, self.out_of(queries))

    def ratio(self, queries: RelevantRanks) -> tuple[FloatArray, FloatArray]:
        """Hits, and what they are divided by."""
        queries = queries.at(rel=self.level)
        hits = queries.hits(self._limits(queries))
        return hits.astype(np.float64), self.out_of(queries).astype(np.float64)


@dataclass(frozen=True)
class P(ShareOfHits):
    """Precision: share of the first `scope` items that are relevant. A short list is not forgiven: the divisor stays.

    `divisor` min divides by the smaller of scope and number of relevant items (open-metric-learning), deepest by the
    smaller of scope and the rank of the last relevant item (revisitop).
    """

    name = "P"
    aliases = ("precision", "Precision")
    formula = "v(k) / k"
    source = "trec_eval P; van Rijsbergen 1979"
    trec_cut = "P_{scope}"
    choices = {"divisor": ("k", "min", "deepest")}

    scope: int = given_behind_at()
    rel: float = 1.0
    divisor: str = "k"

    def out_of(self, queries: RelevantRanks) -> IntArray:
        places = np.full(len(queries), self.scope, dtype=np.int64)
        if self.divisor == "min":
            places = np.minimum(places, queries.relevant)
        if self.divisor == "deepest":
            deepest = np.zeros(len(queries), dtype=np.int64)
            np.maximum.at(deepest, queries.row, queries.ranks)
            places = np.where(deepest > 0, np.minimum(places, deepest), places)
        return places

    def expected(self, queries: RelevantRanks) -> FloatArray | None:
        """The rank of the deepest hit depends on the order."""
        return None if self.divisor == "deepest" else super().expected(queries)

    def worth(self, grade: FloatArray, settings: Settings) -> FloatArray:
        """Hits first; in a list that is cut, the deepest hit may be worse than none."""
        unknown = self.divisor == "deepest" and settings.depth is not None
        return not_known(grade) if unknown else super().worth(grade, settings)


@dataclass(frozen=True)
class R(ShareOfHits):
    """Recall: share of the relevant items that stand among the first `scope`.

    What metric learning calls R@1 is success@1: whether any of the first items is relevant.
    """

    name = "R"
    aliases = ("recall", "Recall")
    formula = "v(k) / R"
    source = "trec_eval recall"
    trec_cut = "recall_{scope}"

    scope: int = given_behind_at()
    rel: float = 1.0

    def out_of(self, queries: RelevantRanks) -> IntArray:
        return queries.relevant


@dataclass(frozen=True)
class CappedRecall(ShareOfHits):
    """Recall as a share of what the scope can hold: hits over the smaller of scope and number of relevant items."""

    name = "CappedRecall"
    aliases = ("capped_recall", "R_cap", "relative_P")
    formula = "v(k) / min(k, R)"
    source = "trec_eval relative_P; BEIR recall_cap"
    trec_cut = "relative_P_{scope}"

    scope: int = given_behind_at()
    rel: float = 1.0

    def out_of(self, queries: RelevantRanks) -> IntArray:
        """As many as the scope has room for."""
        return np.minimum(queries.relevant, self.scope)


# Precision at a multiple of the number of relevant items.


@dataclass(frozen=True)
class Rprec(ShareOfHits):
    """R-precision: precision at scope R, where it equals recall; with `a`, precision at scope int(a R + .9).

    This whole scope is trec_eval's. Curves over relevant scope interpolate instead; where a R is whole they agree.
    """

    name = "Rprec"
    aliases: ClassVar[tuple[str, ...]] = ("R-prec", "RPrec", "r_precision", "r-precision")
    formula = "v(s) / s with s = int(a R + .9)"
    source = "trec_eval Rprec, Rprec_mult; Huijsmans & Sebe 2001 (p = r)"
    least = {"a": 0.0}

    a: float = 1.0
    rel: float = 1.0

    def bounds(self) -> tuple[float, float]:
        """At most R hits in int(a R + .9) places; of more than 1000 relevant items less than 1/(a - .0001)."""
        if self.a <= 1:
            return 0.0, 1.0
        relevant = np.arange(1, 1001)
        return 0.0, min(1.0, max(1.0 / (self.a - 1e-4), float((relevant / np.floor(self.a * relevant + 0.9)).max())))

    def out_of(self, queries: RelevantRanks) -> IntArray:
        return self.reach(queries)

    def reach(self, queries: RelevantRanks) -> IntArray:
        """The query's own scope; 0 without relevant items."""
        relevant = queries.at(rel=self.rel).relevant
        scope = relevant if self.a == 1 else (self.a * relevant + 0.9).astype(np.int64)
        return np.where(relevant > 0, scope, 0)

    def trec_name(self) -> str | None:
        return "Rprec" if self.a == 1 else f"Rprec_mult_{self.a:.2f}"


@dataclass(frozen=True)
class RprecMult(Rprec):
    """R-precision at a multiple, always under trec_eval's name Rprec_mult: its list has Rprec and Rprec_mult_1.00."""

    name = "Rprec_mult"
    aliases = ()

    def trec_name(self) -> str | None:
        return f"Rprec_mult_{self.a:.2f}"


# Interpolated precision at recall levels.

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
        reached = queries.position >= np.maximum(hits, 1)[queries.row]
        best = np.where(queries.relevant > 0, 0.0, np.nan)  # 0 where the level is not reached
        np.maximum.at(best, queries.row, np.where(reached, queries.position / queries.ranks, 0.0))
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
        return super().defined(queries) | _empty_for_trec_eval(queries, self.levels)


def _empty_for_trec_eval(queries: RelevantRanks, levels: str) -> BoolArray:
    """Where trec_eval divides 0 by 0 and prints nan: lists left empty because only judged items were kept.

    Release 10 puts an item of its own into the lists of missing queries and removes it again; 9 never looks at them.
    """
    if levels == "ceil" or not queries.provenance.get("condensed", False):
        return np.zeros(len(queries), dtype=np.bool_)
    empty: BoolArray = queries.depth == 0
    return empty if levels == "trec_eval-10" else empty & queries.answered
