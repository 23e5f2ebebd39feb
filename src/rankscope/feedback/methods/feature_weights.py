"""Methods that weigh features: MARS, MindReader and OPT-RF, Wu & Zhang, Ciocca & Schettini, multi-class marks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankscope.core.arrays import FloatArray, IntArray
from rankscope.feedback.examples.examples import Examples, Session
from rankscope.feedback.examples.geometry import extremes, means, sums, variances, weighted_distances
from rankscope.feedback.examples.items import PAIRS, Items
from rankscope.feedback.methods.method import CannotScore, Method, TwoSided, refuse

# MARS: features in which the positives agree count more, and so do groups of features that found good items.

DISTANCE_SLACK = 1e-9  # next to the largest distance: equal distances differ in their last bits


@dataclass(frozen=True)
class Mars(Method):
    """Weights 1 / (sd of the positives + eps), scaled to sum 1 in each group; minus the weighted squared distance.

    Groups: each gets the sum of the grades (3, 1, 0, -1, -3) of the judged items among the `scope` it finds best, not
    below 0, scaled to sum 1; all groups count alike where none found anything. `eps` None is 1 % of the sd of all
    entries. MARS divides by 3 sd first: scaling `standardise` differs by a common factor, which changes no ranking.
    """

    eps: float | None = None
    scope: int = 20
    name: ClassVar[str] = "mars"
    source: ClassVar[str] = "Rui, Huang, Ortega & Mehrotra 1998, Relevance feedback: a power tool"
    least: ClassVar[Mapping[str, float]] = {"scope": 1}
    above: ClassVar[Mapping[str, float]] = {"eps": 0}

    def weights(self, items: Items, examples: Examples, centres: FloatArray) -> FloatArray:
        """Sessions x features, adding up to 1 in each group."""
        eps = 0.01 * (np.sqrt(items.variance) or 1.0) if self.eps is None else self.eps
        weights = 1.0 / (np.sqrt(variances(items, examples.positives, centres)) + eps)
        for group in items.groups:
            weights[:, group] /= weights[:, group].sum(axis=1, keepdims=True)
        return weights

    def score_many(self, items: Items, examples: Examples) -> FloatArray:
        """-sum over groups of W (x - mean)' w (x - mean)."""
        centres = means(items, examples.positives)
        weights = self.weights(items, examples, centres)
        if len(items.groups) > 1:
            weights = self._between(items, examples, centres, weights)
        return -weighted_distances(items, centres, weights)

    def _between(self, items: Items, examples: Examples, centres: FloatArray, weights: FloatArray) -> FloatArray:
        """The weights within the groups times those of the groups."""
        found = np.zeros((len(examples), len(items.groups)))
        for number, group in enumerate(items.groups):
            own = np.zeros_like(weights)
            own[:, group] = weights[:, group]
            found[:, number] = self._found(examples, weighted_distances(items, centres, own))
        found = np.where(found.sum(axis=1, keepdims=True) > 0, found, 1.0)
        found /= found.sum(axis=1, keepdims=True)
        whole = np.zeros_like(weights)
        for number, group in enumerate(items.groups):
            whole[:, group] = weights[:, group] * found[:, [number]]
        return whole

    def _found(self, examples: Examples, distance: FloatArray) -> FloatArray:
        """The grades of the judged items among the nearest `scope`, added up, not below 0."""
        scope = min(self.scope, distance.shape[1])
        last = np.partition(distance, scope - 1, axis=1)[:, scope - 1] + DISTANCE_SLACK * distance.max(axis=1)
        total = np.zeros(len(examples))
        for lists in (examples.positives, examples.negatives):
            near = distance[lists.row, lists["item"]] <= last[lists.row]
            total += lists.total(lists["grade"] * near)
        return np.maximum(total, 0.0)


# MindReader: the best ellipsoid around the positives, axes in any direction.


@dataclass(frozen=True)
class MindReader(Method):
    """Minus (x - q)' M (x - q), q the weighted mean of the positives, M = det(C)^(1/m) C^-1, C their covariance.

    `ridge` times the variance of each feature over all items is added to C. With no more positives than features C is
    singular, and only its diagonal is used. Groups of features are not looked at.
    """

    ridge: float = 0.01
    name: ClassVar[str] = "mindreader"
    source: ClassVar[str] = "Ishikawa, Subramanya & Faloutsos 1998, MindReader: querying databases through examples"
    least: ClassVar[Mapping[str, float]] = {"ridge": 0}

    def score_one(self, items: Items, session: Session) -> FloatArray:
        rows = items.matrix.astype(np.float64, copy=False)
        result = ellipsoid(rows[session.positives], session.grades, ridge_of(items, self.ridge))
        return -result.distances(rows)

    def score_many(self, items: Items, examples: Examples) -> FloatArray:
        """Sessions with a diagonal C all at once, the others one by one."""
        if not few_positives(examples, items.features):
            return super().score_many(items, examples)
        whole = (slice(0, items.features),)
        return -weighted_distances(items, *axis_parallel(items, examples, ridge_of(items, self.ridge), whole))


# OPT-RF: MindReader's ellipsoid in each group of features, and the best weights of the groups.

LEAST_SPREAD = 1e-12  # of the largest distance sum: a group in which the positives agree exactly


@dataclass(frozen=True)
class OptRF(Method):
    """Minus the sum over groups of u_i D_i: D_i as MindReader's, u_i = sum_j sqrt(f_j / f_i).

    f_i is the sum of the distances D_i of the positives, weighted by their goodness. One group only: MindReader.
    """

    ridge: float = 0.01
    name: ClassVar[str] = "opt-rf"
    source: ClassVar[str] = "Rui & Huang 2000, Optimizing learning in image retrieval"
    least: ClassVar[Mapping[str, float]] = {"ridge": 0}

    def score_one(self, items: Items, session: Session) -> FloatArray:
        """Each group's ellipsoid, then their weighted sum."""
        ridge = ridge_of(items, self.ridge)
        rows = items.matrix.astype(np.float64, copy=False)
        parts = [
            ellipsoid(rows[session.positives, group], session.grades, ridge[group]).distances(rows[:, group])
            for group in items.groups
        ]
        goodness = session.grades / session.grades.sum()
        spread = np.array([[goodness @ part[session.positives] for part in parts]])
        return -(group_weights(spread)[0] @ np.array(parts))

    def score_many(self, items: Items, examples: Examples) -> FloatArray:
        """Sessions whose ellipsoids are all diagonal at once, the others one by one."""
        if not few_positives(examples, items.narrowest):
            return super().score_many(items, examples)
        centres, weights = axis_parallel(items, examples, ridge_of(items, self.ridge), items.groups)
        lists = examples.positives
        away = np.square(items.matrix[lists["item"]] - centres[lists.row]) * weights[lists.row]
        goodness = lists["grade"] / lists.total(lists["grade"])[lists.row]
        spread = np.stack([sums(lists, goodness * away[:, group].sum(axis=1)) for group in items.groups], axis=1)
        for number, group in enumerate(items.groups):
            weights[:, group] *= group_weights(spread)[:, [number]]
        return -weighted_distances(items, centres, weights)


def group_weights(spread: FloatArray) -> FloatArray:
    """u_i = sum_j sqrt(f_j / f_i), one row per session; all alike where every f is 0.

    >>> group_weights(np.array([[1.0, 4.0], [0.0, 0.0]]))
    array([[3. , 1.5],
           [2. , 2. ]])
    """
    largest = spread.max(axis=1, keepdims=True)
    root = np.sqrt(np.where(largest > 0, np.maximum(spread, LEAST_SPREAD * largest), 1.0))
    return root.sum(axis=1, keepdims=True) / root


NO_GOODNESS = "the goodness of the positives adds up to 0"


@dataclass(frozen=True, eq=False)
class Ellipsoid:
    """(x - centre)' M (x - centre) of one session in some features; M is a matrix, or its diagonal as one row."""

    centre: FloatArray
    matrix: FloatArray

    def distances(self, rows: FloatArray) -> FloatArray:
        """Squared distances of rows from the centre."""
        away = rows - self.centre
        if self.matrix.ndim == 1:
            return np.square(away) @ self.matrix
        return np.einsum("ij,ij->i", away @ self.matrix, away)


def ellipsoid(rows: FloatArray, goodness: FloatArray, ridge: FloatArray) -> Ellipsoid:
    """The ellipsoid of volume 1 that has the rows nearest, weighted by their goodness (Ishikawa et al. 1998).

    M = det(C)^(1/m) C^-1 of the weighted covariance C, to whose diagonal `ridge` is added; with no more rows than
    features only the diagonal is used.
    """
    total = goodness.sum()
    if total <= 0:
        raise CannotScore(NO_GOODNESS)
    centre = goodness @ rows / total
    away = rows - centre
    if len(rows) <= rows.shape[1]:
        return Ellipsoid(centre, of_volume_one(goodness @ np.square(away) / total + ridge))
    covariance = (away * goodness[:, None]).T @ away / total + np.diag(ridge)
    sign, log = np.linalg.slogdet(covariance)
    if sign <= 0 or np.linalg.cond(covariance) > 1e14:
        raise CannotScore("the covariance of the positives is singular; choose ridge above 0")
    return Ellipsoid(centre, np.exp(log / len(covariance)) * np.linalg.inv(covariance))


def of_volume_one(variance: FloatArray) -> FloatArray:
    """Weights 1 / variance scaled so that their product is 1, for one session or for rows of sessions."""
    refuse((np.atleast_2d(variance) <= 0).any(axis=1), "the positives agree exactly in a feature; choose ridge above 0")
    logs = np.log(variance)
    return np.exp(logs.mean(axis=-1, keepdims=True) - logs)


def few_positives(examples: Examples, width: int) -> bool:
    """Whether no session has more positives than the narrowest group has features: then every M is diagonal."""
    return bool((examples.positives.lengths <= width).all())


def axis_parallel(
    items: Items, examples: Examples, ridge: FloatArray, groups: Sequence[slice]
) -> tuple[FloatArray, FloatArray]:
    """Centres and diagonal weights of all sessions at once, of volume 1 in each group."""
    goodness = examples.positives["grade"]
    refuse(examples.positives.total(goodness) <= 0, NO_GOODNESS)
    centres = means(items, examples.positives, goodness)
    weights = variances(items, examples.positives, centres, goodness) + ridge
    for group in groups:
        weights[:, group] = of_volume_one(weights[:, group])
    return centres, weights


def ridge_of(items: Items, share: float) -> FloatArray:
    """A share of the variance of each feature over all items; 1 stands for the variance of a constant feature."""
    return share * np.where(items.sd > 0, np.square(items.sd), 1.0)


# Wu & Zhang's weights: features in which the positives agree and the negatives lie elsewhere.


@dataclass(frozen=True)
class WuZhang(TwoSided):
    """Weight = delta / (eps + sd of the positives), delta = 1 - share of the negatives inside the positives' range.

    Minus the weighted squared distance to the mean of the positives. Our reading. A session in which every feature has
    weight 0 fails: all negatives lie among the positives in every feature.
    """

    eps: float = 1e-4
    name: ClassVar[str] = "wu-zhang"
    source: ClassVar[str] = "Wu & Zhang 2002, A feature re-weighting approach for relevance feedback in image retrieval"
    dagger: ClassVar[bool] = True
    above: ClassVar[Mapping[str, float]] = {"eps": 0}

    def weights(self, items: Items, examples: Examples, centres: FloatArray) -> FloatArray:
        """Sessions x features, not scaled."""
        low, high = extremes(items, examples.positives)
        lists = examples.negatives
        rows = items.matrix[lists["item"]]
        inside = (low[lists.row] <= rows) & (rows <= high[lists.row])
        delta = 1.0 - sums(lists, inside) / lists.lengths[:, None]
        return delta / (self.eps + np.sqrt(variances(items, examples.positives, centres)))

    def score_many(self, items: Items, examples: Examples) -> FloatArray:
        """-sum_j w_j (x_j - mean_j)²."""
        centres = means(items, examples.positives)
        weights = self.weights(items, examples, centres)
        refuse(~weights.any(axis=1), "all weights are 0: in every feature all negatives lie among the positives")
        return -weighted_distances(items, centres, weights)


# Ciocca & Schettini: features count by how near positives are to each other, and how far from negatives.

FEW_EXAMPLES = 3  # examples below which nothing is learnt of a side
SDS = 3.0


@dataclass(frozen=True)
class CioccaSchettini(Method):
    """-sum of w_h d_h(x, q'), w = 1/(eps + mean d among P) - alpha/(eps + mean d between P and N), not below 0.

    Our reading. d_h is the distance in feature h, divided by mean + 3 sd of that of random pairs of items. Features are
    the groups; where there is one group only, each column is one. Below three positives the first part is 1/eps, below
    three examples or without negatives the second is 0; where all weights are 0, all features count alike. q' has in
    each column the mean of the positives that are within three standard deviations of their mean.
    """

    eps: float = 0.01
    alpha: float = 0.8
    name: ClassVar[str] = "ciocca-schettini"
    source: ClassVar[str] = "Ciocca & Schettini 1999, A relevance feedback mechanism for content-based image retrieval"
    dagger: ClassVar[bool] = True
    above: ClassVar[Mapping[str, float]] = {"eps": 0}
    least: ClassVar[Mapping[str, float]] = {"alpha": 0}

    def score_one(self, items: Items, session: Session) -> FloatArray:
        weights = self.weights(items, session)
        good = items.matrix[session.positives].astype(np.float64)
        inside = np.abs(good - good.mean(axis=0)) <= SDS * good.std(axis=0) + 1e-12
        moved = (good * inside).sum(axis=0) / inside.sum(axis=0)
        scaled = (weights / items.remember("pair distances", lambda: usual_distances(items))).astype(items.matrix.dtype)
        return -(feature_distances(items, items.matrix, moved.astype(items.matrix.dtype)) @ scaled)

    def weights(self, items: Items, session: Session) -> FloatArray:
        usual = items.remember("pair distances", lambda: usual_distances(items))
        good, bad = (items.matrix[each].astype(np.float64) for each in (session.positives, session.negatives))
        if len(good) < FEW_EXAMPLES:
            weights = np.full(usual.size, 1.0 / self.eps)
        else:
            within = feature_distances(items, good[:, None], good[None]).sum(axis=(0, 1)) / (
                len(good) * (len(good) - 1)
            )
            weights = 1.0 / (self.eps + within / usual)
        if len(bad) and len(good) + len(bad) >= FEW_EXAMPLES:
            between = feature_distances(items, good[:, None], bad[None]).mean(axis=(0, 1))
            weights = np.maximum(weights - self.alpha / (self.eps + between / usual), 0.0)
        return weights if weights.any() else np.ones(usual.size)


def feature_distances(items: Items, one: FloatArray, other: FloatArray) -> FloatArray:
    """... x features: the Euclidean distance in each group, or in each column where there is one group."""
    apart = np.abs(one - other)
    if len(items.groups) == 1:
        return apart
    return np.stack([np.linalg.norm(apart[..., group], axis=-1) for group in items.groups], axis=-1)


def usual_distances(items: Items) -> FloatArray:
    """Mean + 3 sd of the distance of random pairs in each feature; 1 where all items are alike."""
    chance = np.random.default_rng(0)
    one, other = (items.matrix[chance.integers(0, len(items), PAIRS)].astype(np.float64) for _ in range(2))
    apart = feature_distances(items, one, other)
    usual = apart.mean(axis=0) + SDS * apart.std(axis=0)
    return np.where(usual > 0, usual, 1.0)


# Multi-class marks: features count by how well they distinguish the classes that the user has given.

CLASS_PRIOR = 1e-3  # examples of all classes that every place has: no chance is 0


@dataclass(frozen=True)
class MultiClass(TwoSided):
    """-sum of w_j (x_j - q_j)² / sd_j², w_j = e^(c R_j) / sum e^(c R), R_j how well feature j shows the class.

    Our reading. Every grade is a class of its own (positives of grade 3 and of grade 1 are two). Of each example the
    chi-squared distance between its class and the classes at its value of feature j is 1/P - 1, P the share of its own
    class there, the others weighted by a Gaussian of `width` standard deviations; R_j = 1/(1 + mean over classes of the
    mean of these). q is the mean of the positives, weighted by grade. Features that never vary do not count.
    """

    c: float = 5.0
    width: float = 0.5
    name: ClassVar[str] = "multi-class"
    source: ClassVar[str] = "Peng 2003, Multi-class relevance feedback content-based image retrieval"
    dagger: ClassVar[bool] = True
    least: ClassVar[Mapping[str, float]] = {"c": 0}
    above: ClassVar[Mapping[str, float]] = {"width": 0}

    def score_one(self, items: Items, session: Session) -> FloatArray:
        weights = self.weights(items, session) / np.where(items.sd > 0, items.sd, 1.0) ** 2
        grades = np.maximum(session.grades, 0.0)
        centre = np.average(items.matrix[session.positives], axis=0, weights=grades if grades.any() else None)
        away = np.square(items.matrix - centre.astype(items.matrix.dtype))
        return -(away @ weights.astype(items.matrix.dtype))

    def weights(self, items: Items, session: Session) -> FloatArray:
        """One for each feature, adding up to 1; 0 where a feature never varies."""
        varies = items.sd > 0
        told = class_told(
            items.matrix[session.examples][:, varies] / items.sd[varies], class_numbers(session), self.width
        )
        weights = np.zeros(items.features)
        weights[varies] = np.exp(self.c * (told - told.max(initial=0.0)))
        return weights / max(weights.sum(), 1e-300)


def class_numbers(session: Session) -> IntArray:
    """The class of each example, from 0: its side and its grade."""
    grades = np.concatenate([session.grades, session.negative_grades])
    return np.unique(np.stack([session.labels, grades]), axis=1, return_inverse=True)[1].ravel()


def class_told(rows: FloatArray, classes: IntArray, width: float) -> FloatArray:
    """R of each feature, from 0 (at the places of a class there are only others) to 1 (only its own).

    >>> class_told(np.array([[0.0, 0.0], [9.0, 0.0]]), np.array([0, 1]), 1.0).round(3)
    array([1. , 0.5])
    """
    own = classes[:, None] == classes
    near = np.exp(-0.5 * np.square((rows[:, None] - rows[None]) / width))  # example x example x feature
    share = np.bincount(classes)[classes] / classes.size
    chance = ((near * own[:, :, None]).sum(axis=1) + (CLASS_PRIOR * share)[:, None]) / (near.sum(axis=1) + CLASS_PRIOR)
    apart = 1.0 / chance - 1.0
    by_class = np.stack([apart[classes == each].mean(axis=0) for each in range(int(classes.max()) + 1)])
    return 1.0 / (1.0 + by_class.mean(axis=0))
