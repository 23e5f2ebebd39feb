"""Rank-biased precision and what is unknown of it, overlap with the ideal order, and pairs in the right order."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from rankscope.core.arrays import FloatArray, IntArray
from rankscope.core.settings import Settings
from rankscope.measures.gains import ideal_order, need_top
from rankscope.measures.measure import JudgedFirst, Measure, gains_first, hits_first, not_known
from rankscope.ranks.ragged import Ragged, changes, divide
from rankscope.ranks.relevant_ranks import RelevantRanks
from rankscope.ranks.tie_orders import counts_in_groups, expected_additive, found_items, group_of


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
            return 0.0, 1.0 - self.p**self.last_rank
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
        hits = hits_first(grade, self.rel)
        if self.gain == "binary":
            return hits
        return np.where((self.gain == "raw") & (hits <= 0), hits, gains_first(grade))

    def defined(self, queries: RelevantRanks) -> Any:
        if self.gain in ("binary", "raw"):
            return super().defined(queries)
        return queries.count_judged(least=np.nextafter(0, 1)) > 0

    def trec_name(self) -> str | None:
        return "rbp" if self == RBP(p=0.9, gain="query") else None


@dataclass(frozen=True)
class RBPResidual(JudgedFirst):
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

    def _value(self, queries: RelevantRanks, weights: FloatArray, known: FloatArray) -> FloatArray:
        everything = np.concatenate([[0.0], np.cumsum(weights)])[queries.depth]
        complete = queries.judged.lengths >= queries.depth
        value = weights[queries.depth] + (1.0 - self.p) * np.where(complete, 0.0, everything - known)
        return np.where(complete & (self.judged == "zero"), 0.0, value)


# How much of a ranking agrees with the ideal one: rank-biased overlap, and pairs in the right order.


def ideal_places(queries: RelevantRanks, found: Ragged) -> IntArray:
    """Where each item found stands in the ideal order: behind all of higher grades, and of its own grade behind those
    that the list has above it; items that were not found come last in their grade.
    """
    ideal = ideal_order(queries)
    order = np.lexsort((found["rank"], -found["grade"], found.row))
    grade, row = found["grade"][order], found.row[order]
    new = changes(row, grade)
    start = np.flatnonzero(new)
    nth = np.arange(found.size) - start[np.cumsum(new) - 1] + 1
    keys = np.column_stack([ideal.row, -ideal["grade"]])
    before = _rows_before(keys, np.column_stack([row, -grade])) - ideal.offsets[row]
    places = np.empty(found.size, dtype=np.int64)
    places[order] = before + nth
    return places


def _rows_before(keys: FloatArray, asked: FloatArray) -> IntArray:
    """How many sorted rows of numbers come before each row asked for.

    >>> _rows_before(np.array([[0.0, -2], [0, -1], [1, -1]]), np.array([[0.0, -1], [1, -1]]))
    array([1, 2])
    """
    both = np.concatenate([asked, keys])
    order = np.lexsort((np.arange(both.shape[0]), both[:, 1], both[:, 0]))
    is_key = order >= asked.shape[0]
    before = np.cumsum(is_key) - is_key
    result = np.empty(both.shape[0], dtype=np.int64)
    result[order] = before
    return result[: asked.shape[0]]


@dataclass(frozen=True)
class Compat(Measure):
    """Compatibility: rank-biased overlap of the list with the ideal order that agrees best with it.

    Items of equal grade stand in the ideal order as the list has them. `normalize` divides by the overlap of the ideal
    order with itself, which is below 1 where it is shorter than the list.
    """

    name = "Compat"
    aliases = ("compatibility",)
    formula = "sum over k of p^(k-1) |first k of both| / k, over the sum of p^(k-1), k to the end of the longer one"
    source = "Clarke, Vtyurina & Smucker 2021; ir_measures Compat"
    needs = frozenset({"grades"})
    above = {"p": 0.0}
    most = {"p": 1.0}

    p: float = 0.95
    normalize: bool = True

    def of(self, queries: RelevantRanks) -> FloatArray:
        """An item is in both from the deeper of its two places on."""
        found, ideal = queries.gaining, ideal_order(queries)
        deepest = np.maximum(queries.depth, ideal.lengths)
        value = found.total(self._from(np.maximum(found["rank"], ideal_places(queries, found)), deepest[found.row]))
        whole = np.concatenate([[0.0], np.cumsum(powers(self.p, int(deepest.max(initial=0))))])[deepest]
        best = ideal.total(self._from(ideal["rank"], deepest[ideal.row])) if self.normalize else whole
        return np.where(self.defined(queries), divide(value, best, nothing=0.0), np.nan)

    def _from(self, place: IntArray, deepest: IntArray) -> FloatArray:
        """The sum of p^(k-1)/k from a place to the deepest."""
        weights = powers(self.p, int(deepest.max(initial=0))) / np.arange(1, int(deepest.max(initial=0)) + 2)
        sums = np.concatenate([[0.0], np.cumsum(weights)])
        return sums[deepest] - sums[np.minimum(place, deepest + 1) - 1]

    def defined(self, queries: RelevantRanks) -> Any:
        return queries.count_judged(least=np.nextafter(0, 1)) > 0


@dataclass(frozen=True)
class Accuracy(Measure):
    """Accuracy: of all pairs of a returned item that is relevant and one that is not, the share in the right order.

    With a cut-off only items within it are paired. Undefined where either sort is missing; what is not judged counts
    as not relevant.
    """

    name = "Accuracy"
    aliases = ("accuracy",)
    formula = "1 - (sum over hits of items above that are not relevant) / (hits times items that are not relevant)"
    source = "ir_measures Accuracy; the area under the ROC curve of the list"

    rel: float = 1.0
    scope: int | None = None

    def of(self, queries: RelevantRanks) -> FloatArray:
        """Pairs in the wrong order over all pairs."""
        queries = queries.at(rel=self.rel)
        here = queries.ranks <= self.last_rank
        wrong = queries.total(np.where(here, queries.ranks - queries.position, 0))
        return self._value(queries, wrong)

    def _value(self, queries: RelevantRanks, wrong: FloatArray) -> FloatArray:
        length = queries.depth if self.scope is None else np.minimum(queries.depth, self.scope)
        hits = queries.hits(length)
        value = 1.0 - divide(wrong, hits * (length - hits))
        return np.where(queries.relevant > 0, value, np.nan)

    def expected(self, queries: RelevantRanks) -> FloatArray | None:
        """Pairs of equal scores are in the wrong order half of the time; a cut-off changes the number of pairs."""
        if self.scope is not None:
            return None
        queries = queries.at(rel=self.rel)
        found = found_items(queries)
        before, inside = counts_in_groups(queries, found)
        start, size = queries.ties["start"], queries.ties["size"]
        tied = queries.ties.total(inside * (start - 1 - before + (size - inside) / 2))
        alone = group_of(queries, found) < 0
        return self._value(queries, tied + found.total(np.where(alone, found["rank"] - found.position, 0)))

    def worth(self, grade: FloatArray, settings: Settings) -> FloatArray:
        """Hits first, if the order does not decide which items are paired."""
        cut = self.scope is not None or settings.depth is not None
        return not_known(grade) if cut else hits_first(grade, self.rel)

    def defined(self, queries: RelevantRanks) -> Any:
        return ~np.isnan(self.of(queries))
