"""Ciocca & Schettini: features count by how near positives are to each other, and how far from negatives."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankscope.arrays import FloatArray
from rankscope.feedback.examples.items import PAIRS, Items
from rankscope.feedback.examples.session import Session
from rankscope.feedback.methods.method import Method

FEW = 3  # examples below which nothing is learnt of a side
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
        """Minus the weighted sum of the distances."""
        weights = self.weights(items, session)
        moved = moved_query(items.matrix[session.positives].astype(np.float64))
        scaled = (weights / items.remember("pair distances", lambda: usual_distances(items))).astype(items.matrix.dtype)
        return -(feature_distances(items, items.matrix, moved.astype(items.matrix.dtype)) @ scaled)

    def weights(self, items: Items, session: Session) -> FloatArray:
        """One weight for each feature."""
        usual = items.remember("pair distances", lambda: usual_distances(items))
        good, bad = (items.matrix[each].astype(np.float64) for each in (session.positives, session.negatives))
        if len(good) < FEW:
            weights = np.full(usual.size, 1.0 / self.eps)
        else:
            within = feature_distances(items, good[:, None], good[None]).sum(axis=(0, 1)) / (
                len(good) * (len(good) - 1)
            )
            weights = 1.0 / (self.eps + within / usual)
        if len(bad) and len(good) + len(bad) >= FEW:
            between = feature_distances(items, good[:, None], bad[None]).mean(axis=(0, 1))
            weights = np.maximum(weights - self.alpha / (self.eps + between / usual), 0.0)
        return weights if weights.any() else np.ones(usual.size)


def moved_query(good: FloatArray) -> FloatArray:
    """In each column the mean of the values within three standard deviations of their mean.

    >>> moved_query(np.array([[0.0]] * 19 + [[20.0]]))
    array([0.])
    """
    away = np.abs(good - good.mean(axis=0))
    inside = away <= SDS * good.std(axis=0) + 1e-12
    return (good * inside).sum(axis=0) / inside.sum(axis=0)


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
