"""Methods that move or expand the query: Rocchio, Bayesian query shifting, average and alpha expansion, prototype."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from rankscope.core.arrays import FloatArray
from rankscope.core.errors import SettingError
from rankscope.feedback.examples.examples import Examples
from rankscope.feedback.examples.geometry import distances, means, squared_nearness, sums, variances
from rankscope.feedback.examples.items import Items, unit
from rankscope.feedback.methods.method import Method, TwoSided


@dataclass(frozen=True)
class QueryPoint(Method):
    """Minus the squared distance to the mean of the positives. It cannot follow a target of several parts."""

    name: ClassVar[str] = "query-point"
    source: ClassVar[str] = "Rui, Huang & Mehrotra 1997, Content-based image retrieval with relevance feedback in MARS"

    def score_many(self, items: Items, examples: Examples) -> FloatArray:
        return squared_nearness(items, means(items, examples.positives))


# Rocchio's formula: the query moves towards the positives and away from the negatives.


@dataclass(frozen=True)
class Rocchio(Method):
    """q' = alpha q + beta mean(P) - gamma mean(N), then minus the squared distance, or the cosine, to q'.

    Without negatives the last term is 0. `unit_sum` divides the weights in use by their sum: q' is then a mean of what
    it is made of, wherever the features have their zero. Without it q' is 1.6 times as long: no matter for the cosine,
    but distances then depend on where zero is. Far negatives drag q' away: keep gamma at .25 or below.
    """

    alpha: float = 1.0
    beta: float = 0.75
    gamma: float = 0.15
    metric: Literal["euclidean", "cosine"] = "euclidean"
    unit_sum: bool = True
    name: ClassVar[str] = "rocchio"
    source: ClassVar[str] = "Rocchio 1971, Relevance feedback in information retrieval"
    needs: ClassVar[tuple[str, ...]] = ("query",)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.unit_sum and self.alpha + self.beta <= self.gamma:
            raise SettingError("rocchio: alpha + beta must be above gamma, or say unit_sum=False")

    def moved_queries(self, items: Items, examples: Examples) -> FloatArray:
        assert examples.queries is not None
        gamma = np.where(examples.without_negatives, 0.0, self.gamma)[:, None]
        moved = self.alpha * examples.queries + self.beta * means(items, examples.positives)
        moved -= gamma * means(items, examples.negatives)
        return moved / (self.alpha + self.beta - gamma) if self.unit_sum else moved

    def score_many(self, items: Items, examples: Examples) -> FloatArray:
        """-|x - q'|², or the cosine."""
        moved = self.moved_queries(items, examples)
        if self.metric == "cosine":
            return unit(moved).astype(items.matrix.dtype) @ items.unit.T
        return squared_nearness(items, moved)


# Bayesian query shifting: the query moves from the mean of the negatives through the mean of the positives.


@dataclass(frozen=True)
class BayesianQueryShifting(TwoSided):
    """(1 - e^(1 - d / d_max)) / (1 - e), d the distance to the shifted query and d_max the largest over all items."""

    name: ClassVar[str] = "bayesian-query-shifting"
    source: ClassVar[str] = "Giacinto & Roli 2004, Bayesian relevance feedback for content-based image retrieval"

    def score_many(self, items: Items, examples: Examples) -> FloatArray:
        """1 at the shifted query, 0 at the item farthest from it."""
        distance = distances(items, shifted_queries(items, examples))
        largest = distance.max(axis=1, keepdims=True)
        distance /= np.where(largest > 0, largest, 1)
        return (1 - np.exp(1 - distance)) / (1 - math.e)


def shifted_queries(items: Items, examples: Examples) -> FloatArray:
    """q' = mP + (s² / |mP - mN|²) (1 - (nP - nN) / max(nP, nN)) (mP - mN); mP where both means are the same.

    s² = |mP - mN| sqrt((nP VP + nN VN) / l), V the sum of squared distances from the mean over n - 1, 0 if n = 1.
    """
    positive, negative = examples.positives, examples.negatives
    centre, other = means(items, positive), means(items, negative)
    apart = np.linalg.norm(centre - other, axis=1)
    spread = np.zeros(len(examples))
    for lists, middle in ((positive, centre), (negative, other)):
        count = lists.lengths
        spread += count * variances(items, lists, middle).sum(axis=1) * count / np.maximum(count - 1, 1)
    spread = np.sqrt(spread / (positive.lengths + negative.lengths))
    balance = 1 - (positive.lengths - negative.lengths) / np.maximum(positive.lengths, negative.lengths)
    step = np.where(apart > 0, spread * balance / np.where(apart > 0, apart, 1.0), 0.0)
    return centre + step[:, None] * (centre - other)


@dataclass(frozen=True)
class AverageQE(Method):
    """Cosine to norm(q + sum of the positives), all of length 1. The query counts once; without one it is left out.

    For blind expansion give the first items of the query's own ranking as positives.
    """

    name: ClassVar[str] = "average-qe"
    source: ClassVar[str] = "Chum, Philbin, Sivic, Isard & Zisserman 2007, Total recall"

    def score_many(self, items: Items, examples: Examples) -> FloatArray:
        return expand_queries(items.unit, examples).astype(items.matrix.dtype) @ items.unit.T


def expand_queries(rows: FloatArray, examples: Examples) -> FloatArray:
    """norm(q + sum of the positives' rows) of each session."""
    total = sums(examples.positives, rows[examples.positives["item"]])
    if examples.queries is not None:
        total += np.where(examples.has_query[:, None], unit(examples.queries), 0.0)
    return unit(total)


# Alpha query expansion: positives count by their likeness to the query, to the power of alpha.


@dataclass(frozen=True)
class AlphaQE(Method):
    """Cosine to norm(q + sum of max(0, q.x)^alpha x over the positives x); q itself is added once with weight 1."""

    alpha: float = 3.0
    name: ClassVar[str] = "alpha-qe"
    source: ClassVar[str] = "Radenović, Tolias & Chum 2018, Fine-tuning CNN image retrieval with no human annotation"
    needs: ClassVar[tuple[str, ...]] = ("query",)
    least: ClassVar[Mapping[str, float]] = {"alpha": 0}

    def expanded(self, items: Items, examples: Examples) -> FloatArray:
        assert examples.queries is not None
        query, lists = unit(examples.queries), examples.positives
        rows = items.unit[lists["item"]]
        alike = np.einsum("ij,ij->i", rows, query[lists.row])
        return unit(query + sums(lists, rows * (np.maximum(alike, 0.0) ** self.alpha)[:, None]))

    def score_many(self, items: Items, examples: Examples) -> FloatArray:
        return self.expanded(items, examples).astype(items.matrix.dtype) @ items.unit.T


# Database augmentation (DBA): every item is replaced by a weighted sum of itself and its neighbours.


@dataclass(frozen=True)
class DBA(Method):
    """Average query expansion among items x' = norm(x + sum of max(0, x.y)^alpha y over the k nearest others y).

    The score of an item depends on which others there are, so results on a thinned collection do not carry over.
    """

    k: int = 10
    alpha: float = 3.0
    name: ClassVar[str] = "dba"
    source: ClassVar[str] = "Turcot & Lowe 2009; Gordo, Almazán, Revaud & Larlus 2017"
    pointwise: ClassVar[bool] = False
    least: ClassVar[Mapping[str, float]] = {"k": 0, "alpha": 0}

    def score_many(self, items: Items, examples: Examples) -> FloatArray:
        rows = items.remember(("dba", self.k, self.alpha), lambda: augment_rows(items, self.k, self.alpha))
        return expand_queries(rows, examples).astype(rows.dtype) @ rows.T


def augment_rows(items: Items, k: int, alpha: float) -> NDArray[Any]:
    """The new rows, of length 1; one neighbour after the other is added, which needs little memory."""
    item, alike = items.neighbours(k)
    rows = items.unit.copy()
    for place in range(item.shape[1]):
        weight = np.maximum(alike[:, place], 0.0) ** alpha
        rows += weight.astype(rows.dtype)[:, None] * items.unit[item[:, place]]
    return unit(rows)


# Prototype and second vector: the mean of the positives mixed with a vector for the query's text (CLIP).


@dataclass(frozen=True)
class Prototype(Method):
    """Cosine to norm(mix t + (1 - mix) norm mean(P)), t the query's vector; `gamma` subtracts gamma norm mean(N) first.

    Texts and images lie apart, and the text alone is a strong start: always compare with no feedback.
    """

    mix: float = 0.5
    gamma: float = 0.0
    name: ClassVar[str] = "prototype"
    source: ClassVar[str] = "Radford et al. 2021, Learning transferable visual models from natural language supervision"
    needs: ClassVar[tuple[str, ...]] = ("query",)
    least: ClassVar[Mapping[str, float]] = {"mix": 0, "gamma": 0}
    most: ClassVar[Mapping[str, float]] = {"mix": 1}

    def mixed(self, items: Items, examples: Examples) -> FloatArray:
        assert examples.queries is not None
        result = self.mix * unit(examples.queries) + (1 - self.mix) * unit(means(items, examples.positives))
        return unit(result - self.gamma * unit(means(items, examples.negatives)))

    def score_many(self, items: Items, examples: Examples) -> FloatArray:
        values: FloatArray = self.mixed(items, examples).astype(items.matrix.dtype) @ items.unit.T
        return np.clip(values, -1, 1, out=values)
