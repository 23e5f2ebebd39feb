"""Biased discriminant analysis: a metric in which the positives are close together and the negatives far from them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from rankscope.arrays import FloatArray
from rankscope.feedback.examples.items import Items
from rankscope.feedback.examples.kernels import rbf
from rankscope.feedback.examples.session import Session
from rankscope.feedback.methods.method import TwoSided


@dataclass(frozen=True)
class BiasedDiscriminant(TwoSided):
    """-(x - m)' S_P^-1 S_N S_P^-1 (x - m), S_P and S_N the scatters of P and N about the mean m of P.

    Our reading. The transform is that of the eigenvectors V of S_P^-1 S_N, scaled so that V' S_P V = I, times the roots
    of their values, all kept. S_P is shrunk: (1 - mu) S_P + mu tr(S_P)/m I; so is S_N by `discount`. Where the
    positives have no spread, S_P is the identity. `kernel` rbf does the same with k(x_i, x) of each example as feature.
    """

    mu: float = 0.1
    discount: float = 0.0
    kernel: Literal["linear", "rbf"] = "linear"
    name: ClassVar[str] = "biased-discriminant"
    source: ClassVar[str] = "Zhou & Huang 2001, Small sample learning during multimedia retrieval using BiasMap"
    dagger: ClassVar[bool] = True
    least: ClassVar[Mapping[str, float]] = {"discount": 0}
    above: ClassVar[Mapping[str, float]] = {"mu": 0}
    most: ClassVar[Mapping[str, float]] = {"mu": 1, "discount": 1}

    def score_one(self, items: Items, session: Session) -> FloatArray:
        """Minus the squared length of the transformed difference from the mean of the positives."""
        rows = self._features(items, session)
        centre = rows[session.positives].mean(axis=0, dtype=np.float64)
        near, far = (rows[each].astype(np.float64) - centre for each in (session.positives, session.negatives))
        inverse = np.linalg.inv(shrunk_scatter(near, self.mu)).astype(np.float64, copy=False)
        squared = (1 - self.discount) * squared_lengths(rows, centre, inverse @ far.T)
        if self.discount:
            squared += self.discount * np.square(far).sum() / rows.shape[1] * squared_lengths(rows, centre, inverse)
        return -squared

    def _features(self, items: Items, session: Session) -> FloatArray:
        """Items x features: as they are, or the kernel with each example."""
        if self.kernel == "linear":
            return items.matrix
        return np.ascontiguousarray(rbf(items, items.matrix[session.examples], items.gamma).T)


def shrunk_scatter(away: FloatArray, mu: float) -> FloatArray:
    """(1 - mu) S + mu tr(S)/m I, S = sum of the outer products of the rows; the identity where all rows are 0.

    >>> shrunk_scatter(np.array([[1.0, 0.0], [-1.0, 0.0]]), 0.5)
    array([[1.5, 0. ],
           [0. , 0.5]])
    """
    scatter = away.T @ away
    size = np.trace(scatter) / away.shape[1]
    identity = np.eye(away.shape[1])
    return (1 - mu) * scatter + mu * size * identity if size > 0 else identity


def squared_lengths(rows: FloatArray, centre: FloatArray, transform: FloatArray) -> FloatArray:
    """|T'(x - centre)|² of every row x.

    >>> squared_lengths(np.array([[3.0, 1.0], [1.0, 1.0]]), np.array([1.0, 1.0]), np.array([[2.0], [0.0]]))
    array([16.,  0.])
    """
    seen = rows @ transform.astype(rows.dtype)
    seen -= (centre @ transform).astype(rows.dtype)
    values: FloatArray = np.einsum("ij,ij->i", seen, seen)
    return values
