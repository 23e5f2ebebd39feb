"""How much of a ranking agrees with the ideal one: rank-biased overlap, and pairs in the right order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from rankscope.arrays import FloatArray, IntArray
from rankscope.measures.fractions import divide
from rankscope.measures.gains import gaining, ideal_order
from rankscope.measures.measure import Measure
from rankscope.measures.rank_biased import powers
from rankscope.measures.worth import hits_first, not_known
from rankscope.ranks.expectation import counts_in_groups, found_items, group_of
from rankscope.ranks.ragged import Ragged
from rankscope.ranks.relevant_ranks import RelevantRanks
from rankscope.settings import Settings


def ideal_places(queries: RelevantRanks, found: Ragged) -> IntArray:
    """Where each item found stands in the ideal order: behind all of higher grades, and of its own grade behind those
    that the list has above it; items that were not found come last in their grade.
    """
    ideal = ideal_order(queries)
    order = np.lexsort((found["rank"], -found["grade"], found.row))
    grade, row = found["grade"][order], found.row[order]
    new = np.ones(found.size, dtype=np.bool_)
    new[1:] = (row[1:] != row[:-1]) | (grade[1:] != grade[:-1])
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
        found, ideal = gaining(queries), ideal_order(queries)
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
        """Queries with a gain to win."""
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
        here = queries.ranks <= (np.inf if self.scope is None else self.scope)
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
        """Queries with both sorts of items."""
        return ~np.isnan(self.of(queries))
