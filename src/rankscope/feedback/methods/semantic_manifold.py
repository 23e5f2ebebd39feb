"""Semantic manifold: a projection in which near items stay near, positives draw together and negatives go away."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankscope.arrays import FloatArray
from rankscope.feedback.examples.items import Items
from rankscope.feedback.examples.session import Session
from rankscope.feedback.methods.method import TwoSided

RIDGE = 0.01  # of the mean of the diagonal


@dataclass(frozen=True)
class SemanticManifold(TwoSided):
    """-|A'(x - mean P)|², A the `dims` best a of a'(F - gamma C) a / a' L a: far from N, close in P, near items kept.

    Our reading of augmented relation embedding. F is the mean of (p - n)(p - n)' over all positives and negatives, C of
    (p - p')(p - p')' over all pairs of positives, L the sum of (x - y)(x - y)' over the `k` nearest others y of every
    item x, with a ridge of 1 %. Directions in which F does not outweigh gamma C are left out.
    """

    dims: int = 10
    gamma: float = 1.0
    k: int = 10
    name: ClassVar[str] = "semantic-manifold"
    source: ClassVar[str] = "Lin, Liu & Chen 2005, Semantic manifold learning for image retrieval"
    dagger: ClassVar[bool] = True
    least: ClassVar[Mapping[str, float]] = {"dims": 1, "gamma": 0, "k": 1}

    def score_one(self, items: Items, session: Session) -> FloatArray:
        """Minus the squared distance in the projection."""
        chosen = self.directions(items, session).astype(items.matrix.dtype)
        centre = items.matrix[session.positives].mean(axis=0, dtype=np.float64).astype(items.matrix.dtype)
        seen = (items.matrix - centre) @ chosen
        return -np.einsum("ij,ij->i", seen, seen)

    def directions(self, items: Items, session: Session) -> FloatArray:
        """Features x dimensions, the best first, each of length 1 by L."""
        from scipy.linalg import eigh

        kept = items.remember(("locality", self.k), lambda: locality(items, self.k))
        first = max(0, items.features - self.dims)
        values, vectors = eigh(
            relations(items, session, self.gamma), kept, subset_by_index=(first, items.features - 1), driver="gvx"
        )
        good = values > 1e-12 * max(float(np.abs(values).max()), 1e-300)
        return vectors[:, good if good.any() else slice(-1, None)][:, ::-1]


def relations(items: Items, session: Session, gamma: float) -> FloatArray:
    """F - gamma C: from means and scatters, not pair by pair."""
    good, bad = (items.matrix[each].astype(np.float64) for each in (session.positives, session.negatives))
    apart = good.mean(axis=0) - bad.mean(axis=0)
    within, beyond = (np.atleast_2d(np.cov(each.T, bias=True)) for each in (good, bad))
    return within + beyond + np.outer(apart, apart) - 2 * gamma * within


def locality(items: Items, k: int) -> FloatArray:
    """L, divided by the number of pairs, with its ridge; the identity where all items are alike."""
    others, _ = items.neighbours(k)
    rows = items.matrix.astype(np.float64)
    total = np.zeros((items.features, items.features))
    for place in range(others.shape[1]):
        away = rows - rows[others[:, place]]
        total += away.T @ away
    total /= max(others.size, 1)
    size = np.trace(total) / items.features
    return total + RIDGE * (size if size > 0 else 1.0) * np.eye(items.features)
