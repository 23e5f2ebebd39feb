"""Ellipsoids around the positives: the centre and the distance M that MindReader and OPT-RF learn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rankscope.arrays import FloatArray
from rankscope.feedback.examples.examples import Examples
from rankscope.feedback.examples.items import Items
from rankscope.feedback.examples.segments import means, variances
from rankscope.feedback.methods.method import CannotScore, refuse

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


def few(examples: Examples, width: int) -> bool:
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
