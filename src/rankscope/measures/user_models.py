"""Measures built on a model of the user: RBP and what is unknown of it, ERR, Q-measure."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from rankscope.arrays import FloatArray, IntArray
from rankscope.errors import MeasureError
from rankscope.measures.fractions import divided
from rankscope.measures.gains import GAINS, at_rank, gain_of, gaining, ideal_order
from rankscope.measures.measure import Measure
from rankscope.ranks.expectation import expected_additive
from rankscope.ranks.ragged import Ragged
from rankscope.ranks.relevant_ranks import RelevantRanks


def powers(base: float, most: int) -> FloatArray:
    """base^0, base^1, ..., base^most, each from the one before as a program that walks down the list has them."""
    steps = np.full(most + 1, base)
    steps[0] = 1.0
    return np.cumprod(steps)


def need_top(measure: Measure, top: float | None, queries: RelevantRanks) -> None:
    """Refuse a top grade that the judgements exceed: a chance or a share would be above 1."""
    if top is not None and top < queries.top_grade:
        raise MeasureError(
            f"{measure}: the judgements go up to grade {queries.top_grade:g}, give top={queries.top_grade:g}"
        )


def _deepest(queries: RelevantRanks) -> int:
    return max(int(queries.depth.max(initial=0)), int(queries.judged["rank"].max(initial=0)))


@dataclass(frozen=True)
class RBP(Measure):
    """Rank-biased precision: a user looks at the next item with probability p.

    `gain`: binary counts relevant items; graded takes grade over the highest grade of the judgements; query takes
    grade over the query's highest grade where that is above 1 (trec_eval 10's reading, with p = .9); raw takes the
    grade of a relevant item as it is, so that values may exceed 1 (ranx).
    """

    name = "RBP"
    aliases = ("rbp",)
    formula = "(1 - p) sum over k of gain_k p^(k - 1)"
    source = "Moffat & Zobel 2008; trec_eval 10 rbp"
    choices = {"gain": ("binary", "graded", "query", "raw")}
    least = {"p": 0.0, "top": 0.0}
    most = {"p": 1.0}

    p: float = 0.8
    gain: str = "binary"
    rel: float = 1.0
    top: float | None = None

    def bind(self, queries: RelevantRanks) -> Self:
        """The top grade comes from the judgements."""
        return replace(self, top=queries.top_grade) if self.gain == "graded" and self.top is None else self

    def of(self, queries: RelevantRanks) -> FloatArray:
        """Weighted gains, added in rank order."""
        bound = self.bind(queries)
        if self.gain == "graded":
            need_top(self, bound.top, queries)
        table = powers(self.p, _deepest(queries))
        found = queries.judged
        gain = bound._gain(queries, found["grade"], found.row)
        value = (1.0 - self.p) * found.total(gain * table[found["rank"] - 1])
        return np.where(self.defined(queries), value, np.nan)

    def _gain(self, queries: RelevantRanks, grade: FloatArray, row: IntArray) -> FloatArray:
        if self.gain == "binary":
            return np.where(grade >= self.rel, 1.0, 0.0)
        if self.gain == "raw":
            return np.where(grade >= self.rel, np.maximum(grade, 0.0), 0.0)
        if self.gain == "graded":
            return np.maximum(grade, 0.0) / max(self.top or 1.0, 1e-300)
        best = np.ones(len(queries))
        np.maximum.at(best, queries.levels.row, queries.levels["grade"])
        return np.maximum(grade, 0.0) / best[row]

    def expected(self, queries: RelevantRanks) -> FloatArray | None:
        """Each tied item is as likely at any of its places."""
        if self.gain == "query":
            return None
        bound = self.bind(queries)
        if self.gain == "graded":
            need_top(self, bound.top, queries)
        table = powers(
            self.p, max(_deepest(queries), int((queries.ties["start"] + queries.ties["size"]).max(initial=0)))
        )
        row = queries.judged.row  # not read by the two gains below
        value = expected_additive(
            queries, lambda rank, grade: (1.0 - self.p) * bound._gain(queries, grade, row) * table[rank - 1]
        )
        return np.where(self.defined(queries), value, np.nan)

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
        """All places of the list less the judged ones, plus the tail."""
        weights = powers(self.p, _deepest(queries))
        known = queries.judged.total(weights[queries.judged["rank"] - 1])
        everything = np.concatenate([[0.0], np.cumsum(weights)])[queries.depth]
        complete = queries.judged.lengths >= queries.depth
        value = weights[queries.depth] + (1.0 - self.p) * np.where(complete, 0.0, everything - known)
        return np.where(complete & (self.judged == "zero"), 0.0, value)


def _stopping(items: Ragged, top: float, scope: float) -> FloatArray:
    """ERR of a list: each item satisfies with its chance if none above did."""
    satisfied = np.where(items["rank"] <= scope, (np.exp2(np.maximum(items["grade"], 0.0)) - 1.0) / np.exp2(top), 0.0)
    with np.errstate(divide="ignore"):
        still = items.running_in_order(np.log1p(-np.minimum(satisfied, 1.0)))
    before = np.exp(np.concatenate([[0.0], still[:-1]])) if still.size else still
    before = np.where(items.position == 1, 1.0, before)
    return items.total(satisfied * before / items["rank"])


@dataclass(frozen=True)
class ERR(Measure):
    """Expected reciprocal rank: 1 over the rank at which a user is satisfied, who stops more likely at higher grades.

    `top` is the highest grade there can be; that of the judgements unless said. Some peers fix it at 4.
    """

    name = "ERR"
    formula = "sum over k of (1/k) R_k prod over j < k of (1 - R_j), R = (2^grade - 1) / 2^top"
    source = "Chapelle et al. 2009; gdeval"
    needs = frozenset({"grades"})
    least = {"scope": 1, "top": 0.0}

    top: float | None = None
    scope: int | None = None

    def bind(self, queries: RelevantRanks) -> Self:
        """The top grade comes from the judgements."""
        return replace(self, top=queries.top_grade) if self.top is None else self

    def of(self, queries: RelevantRanks) -> FloatArray:
        """One pass down the items with a gain."""
        value = self._value(queries, gaining(queries))
        return np.where(self.defined(queries), value, np.nan)

    def _value(self, queries: RelevantRanks, items: Ragged) -> FloatArray:
        top = self.bind(queries).top
        need_top(self, top, queries)
        return _stopping(items, 0.0 if top is None else top, np.inf if self.scope is None else self.scope)

    def defined(self, queries: RelevantRanks) -> Any:
        """Queries with a gain to win."""
        return queries.count_judged(least=np.nextafter(0, 1)) > 0


@dataclass(frozen=True)
class nERR(ERR):
    """Expected reciprocal rank over that of the ideal order."""

    name = "nERR"
    formula = "ERR / ERR of the ideal order"
    source = "Chapelle et al. 2009; ntcir"

    def of(self, queries: RelevantRanks) -> FloatArray:
        """ERR over the best there could be."""
        return divided(self._value(queries, gaining(queries)), self._value(queries, ideal_order(queries)))


@dataclass(frozen=True)
class Q(Measure):
    """Q-measure: AP blended with cumulated gain against the ideal order; `beta` weighs the gain, 0 gives AP."""

    name = "Q"
    aliases = ("Qmeasure", "q_measure")
    formula = "(1/R) sum over hits at k of (v(k) + beta cg(k)) / (k + beta cg*(k))"
    source = "Sakai 2004"
    needs = frozenset({"grades"})
    choices = {"gain": GAINS}
    least = {"beta": 0.0}

    beta: float = 1.0
    gain: str = "linear"
    rel: float = 1.0

    def of(self, queries: RelevantRanks) -> FloatArray:
        """Sum over hits."""
        found, ideal = gaining(queries), ideal_order(queries)
        gained = found.running_in_order(gain_of(found["grade"], self.gain))
        best = ideal.running_in_order(gain_of(ideal["grade"], self.gain))
        hit = found["grade"] >= self.rel
        count = found.running(hit.astype(np.int64))
        ideal_here = at_rank(best, ideal, found.row, found["rank"])
        terms = (count + self.beta * gained) / (found["rank"] + self.beta * ideal_here)
        return divided(found.total(np.where(hit, terms, 0.0)), queries.at(rel=self.rel).relevant)
