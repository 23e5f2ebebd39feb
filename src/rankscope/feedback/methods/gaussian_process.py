"""Gaussian process: regression on labels of +1 and -1, with a variance that tells where it knows little."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from rankscope.arrays import FloatArray, IntArray
from rankscope.feedback.examples.examples import Examples
from rankscope.feedback.examples.items import Items
from rankscope.feedback.examples.kernels import gram, rbf
from rankscope.feedback.examples.scored import Scored, best
from rankscope.feedback.examples.segments import pad_rows, small_batches
from rankscope.feedback.examples.session import Session
from rankscope.feedback.methods.learners import KernelMethod
from rankscope.feedback.methods.method import TwoSided


@dataclass(frozen=True)
class GaussianProcess(KernelMethod, TwoSided):
    """Mean k' (K + noise I)^-1 y. `display`: the best items, or those of the largest variance."""

    noise: float = 0.1
    display: Literal["best", "variance"] = "best"
    name: ClassVar[str] = "gaussian-process"
    source: ClassVar[str] = "Kapoor, Grauman, Urtasun & Darrell 2007, Active learning with Gaussian processes"
    active: ClassVar[bool] = True
    above: ClassVar[Mapping[str, float]] = {"noise": 0}

    def fit_many(self, items: Items, examples: Examples) -> tuple[FloatArray, FloatArray]:
        """(K + noise I)^-1 y of all sessions."""
        results = [self._solved(items, part) for part in small_batches(examples, items.features)]
        return np.concatenate(results), np.zeros(len(examples))

    def _solved(self, items: Items, examples: Examples) -> FloatArray:
        """One solve for all; short sessions are filled up with rows of the identity."""
        lists = self.trained_on(items, examples)
        item, there = pad_rows(lists, "item")
        label, _ = pad_rows(lists, "label")
        kernel = gram(items.matrix[item], self.width(items)) * (there[:, :, None] & there[:, None, :])
        places = np.arange(there.shape[1])
        kernel[:, places, places] = np.where(there, 1 + self.noise, 1.0)
        return np.linalg.solve(kernel, label[:, :, None])[:, :, 0][there]

    def variance(self, items: Items, session: Session) -> FloatArray:
        """1 - k' (K + noise I)^-1 k for every item; the noise itself is not added."""
        points = items.matrix[session.examples]
        kernel = gram(points, self.width(items)) + self.noise * np.eye(len(points))
        with_all = rbf(items, points, self.width(items)).astype(np.float64)
        return 1.0 - np.einsum("ij,ij->j", with_all, np.linalg.solve(kernel, with_all))

    def query(self, items: Items, examples: Examples, scored: Scored, k: int) -> IntArray:
        """The best items, or those the process knows least about."""
        if self.display == "best":
            return super().query(items, examples, scored, k)
        return best(np.stack([self.variance(items, each) for each in examples]), k, examples.judged(len(items)))
