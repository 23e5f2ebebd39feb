"""Rank-biased precision, and what is unknown of it."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from rankscope.arrays import FloatArray
from rankscope.measures.gains import need_top
from rankscope.measures.measure import Measure
from rankscope.measures.worth import gains_first, hits_first, judged_first
from rankscope.ranks.expectation import expected_additive
from rankscope.ranks.relevant_ranks import RelevantRanks
from rankscope.settings import Settings


def powers(base: float, most: int) -> FloatArray:
    """base^0, base^1, ..., base^most, each from the one before as a program that walks down the list has them."""
    steps = np.full(most + 1, base)
    steps[0] = 1.0
    return np.cumprod(steps)


def _deepest(queries: RelevantRanks) -> int:
    ends = queries.ties["start"] + queries.ties["size"] - 1
    return max(int(each.max(initial=0)) for each in (queries.depth, queries.judged["rank"], ends))


@dataclass(frozen=True)
class RBP(Measure):
    """Rank-biased precision: a user looks at the next item with probability p.

    `gain`: binary counts relevant items; graded takes grade over the highest grade of the judgements; query takes
    grade over the query's highest grade where that is above 1 (trec_eval 10's reading, with p = .9); raw takes the
    grade of a relevant item as it is, so that values may exceed 1 (ranx). `horizon` looks no further than that rank
    and lets the weights up to it add to 1 (cwl_eval, 1000); a cut-off looks no further and changes no weight.
    """

    name = "RBP"
    aliases = ("rbp",)
    formula = "(1 - p) sum over k of gain_k p^(k - 1)"
    source = "Moffat & Zobel 2008; trec_eval 10 rbp"
    choices = {"gain": ("binary", "graded", "query", "raw")}
    least = {"p": 0.0, "top": 0.0, "horizon": 1, "scope": 1}
    most = {"p": 1.0}

    p: float = 0.8
    gain: str = "binary"
    rel: float = 1.0
    top: float | None = None
    horizon: int | None = None
    scope: int | None = None

    def bounds(self) -> tuple[float, float]:
        """What the ranks that are looked at weigh together."""
        if self.gain == "raw":
            return 0.0, math.inf
        if self.horizon is None:
            return 0.0, 1.0 - self.p ** (math.inf if self.scope is None else self.scope)
        weights = powers(self.p, self.horizon - 1)
        return 0.0, float(weights[: self.scope].sum() / weights.sum())

    def bind(self, queries: RelevantRanks) -> Self:
        """The top grade comes from the judgements."""
        return replace(self, top=queries.top_grade) if self.gain == "graded" and self.top is None else self

    def of(self, queries: RelevantRanks) -> FloatArray:
        """Weighted gains, added in rank order."""
        found, table = queries.judged, self._weights(queries)
        gain = self._checked(queries)._gain(found["grade"])
        return self._value(queries, found.total(gain * table[found["rank"] - 1]))

    def expected(self, queries: RelevantRanks) -> FloatArray | None:
        """Each tied item is as likely at any of its places."""
        bound, table = self._checked(queries), self._weights(queries)
        total = expected_additive(queries, lambda rank, grade: bound._gain(grade) * table[rank - 1])
        return self._value(queries, total)

    def _checked(self, queries: RelevantRanks) -> Self:
        bound = self.bind(queries)
        if self.gain == "graded":
            need_top(self, bound.top, queries)
        return bound

    def _weights(self, queries: RelevantRanks) -> FloatArray:
        """What each rank weighs, before all are divided by one number."""
        table = powers(self.p, _deepest(queries))
        last = min(self.horizon or table.size, self.scope or table.size)
        return np.where(np.arange(table.size) < last, table, 0.0)

    def _value(self, queries: RelevantRanks, total: FloatArray) -> FloatArray:
        """The weighted gains in the units of the measure; undefined without anything to win."""
        scale = 1.0 - self.p if self.horizon is None else 1.0 / float(powers(self.p, self.horizon - 1).sum())
        if self.gain == "query":
            best = np.ones(len(queries))
            np.maximum.at(best, queries.levels.row, queries.levels["grade"])
            total = total / best
        return np.where(self.defined(queries), scale * total, np.nan)

    def _gain(self, grade: FloatArray) -> FloatArray:
        if self.gain == "binary":
            return np.where(grade >= self.rel, 1.0, 0.0)
        if self.gain == "raw":
            return np.where(grade >= self.rel, np.maximum(grade, 0.0), 0.0)
        if self.gain == "graded":
            return np.maximum(grade, 0.0) / max(self.top or 1.0, 1e-300)
        return np.maximum(grade, 0.0)

    def worth(self, grade: FloatArray, settings: Settings) -> FloatArray:
        """Hits first, or high grades first."""
        hits = hits_first(grade, self.rel)
        if self.gain == "binary":
            return hits
        return np.where((self.gain == "raw") & (hits <= 0), hits, gains_first(grade))

    def defined(self, queries: RelevantRanks) -> Any:
        """Queries with something to win."""
        if self.gain in ("binary", "raw"):
            return super().defined(queries)
        return queries.count_judged(least=np.nextafter(0, 1)) > 0

    def trec_name(self) -> str | None:
        """Rbp, in trec_eval 10's reading."""
        return "rbp" if self == RBP(p=0.9, gain="query") else None


@dataclass(frozen=True)
class RBPResidual(Measure):
    """What is not known of RBP: the weight of the unjudged places in the list, and of everything behind it.

    `judged` zero gives 0 for a list without unjudged items, as trec_eval 10 does.
    """

    name = "RBPResidual"
    aliases = ("rbp_resid", "RBP_residual")
    formula = "(1 - p) sum over unjudged k of p^(k - 1) + p^depth"
    source = "Moffat & Zobel 2008; trec_eval 10 rbp_resid"
    trec = "rbp_resid"
    lower_is_better = True
    choices = {"judged": ("tail", "zero")}
    habits = frozenset({"judged"})
    least = {"p": 0.0}
    most = {"p": 1.0}

    p: float = 0.9
    judged: str = "tail"

    def of(self, queries: RelevantRanks) -> FloatArray:
        """All places of the list minus the judged ones, plus the tail."""
        weights = powers(self.p, _deepest(queries))
        return self._value(queries, weights, queries.judged.total(weights[queries.judged["rank"] - 1]))

    def expected(self, queries: RelevantRanks) -> FloatArray | None:
        """Each tied item is as likely at any of its places."""
        weights = powers(self.p, _deepest(queries))
        return self._value(queries, weights, expected_additive(queries, lambda rank, grade: weights[rank - 1]))

    def worth(self, grade: FloatArray, settings: Settings) -> FloatArray:
        """Judged items first."""
        return judged_first(grade)

    def _value(self, queries: RelevantRanks, weights: FloatArray, known: FloatArray) -> FloatArray:
        everything = np.concatenate([[0.0], np.cumsum(weights)])[queries.depth]
        complete = queries.judged.lengths >= queries.depth
        value = weights[queries.depth] + (1.0 - self.p) * np.where(complete, 0.0, everything - known)
        return np.where(complete & (self.judged == "zero"), 0.0, value)
