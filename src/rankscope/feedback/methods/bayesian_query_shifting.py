"""Bayesian query shifting: the query moves from the mean of the negatives through the mean of the positives."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankscope.arrays import FloatArray
from rankscope.feedback.examples.examples import Examples
from rankscope.feedback.examples.items import Items
from rankscope.feedback.examples.kernels import distances
from rankscope.feedback.examples.segments import means, variances
from rankscope.feedback.methods.method import TwoSided


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
