"""Logistic regression on the features as they are, the usual choice for frozen embeddings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankscope.arrays import FloatArray
from rankscope.feedback.examples.examples import Examples
from rankscope.feedback.examples.items import Items
from rankscope.feedback.examples.segments import join_examples, pad_rows, small_batches
from rankscope.feedback.methods.method import TwoSided
from rankscope.feedback.methods.newton import Span, WeightsByFeature, logistic_fits


@dataclass(frozen=True)
class LogisticRegression(TwoSided):
    """w.x + b with an L2 penalty on w; `balanced` gives both sides the same total weight.

    Equal to scikit-learn's, but all sessions are solved at once in the span of their few examples. Poor below about
    five examples; the scale of the features matters.
    """

    C: float = 1.0
    balanced: bool = True
    name: ClassVar[str] = "logistic-regression"
    source: ClassVar[str] = "Cox 1958, The regression analysis of binary sequences"
    above: ClassVar[Mapping[str, float]] = {"C": 0}

    def planes(self, items: Items, examples: Examples) -> tuple[FloatArray, FloatArray]:
        """w and b of each session."""
        results = [self._planes(items, part) for part in small_batches(examples, items.features)]
        return np.concatenate([each[0] for each in results]), np.concatenate([each[1] for each in results])

    def _planes(self, items: Items, examples: Examples) -> tuple[FloatArray, FloatArray]:
        """In the span of the examples, or in that of the features where these are fewer."""
        lists = join_examples(examples.positives, examples.negatives)
        item, there = pad_rows(lists, "item")
        label, _ = pad_rows(lists, "label")
        rows = items.matrix[item].astype(np.float64) * there[:, :, None]
        cost = self.C * self._class_weights(examples, label) * there
        if there.shape[1] > items.features:
            return logistic_fits(WeightsByFeature(rows), label, cost)
        p, b = logistic_fits(Span(rows @ np.swapaxes(rows, 1, 2)), label, cost)
        return (p[:, None, :] @ rows)[:, 0, :], b

    def _class_weights(self, examples: Examples, label: FloatArray) -> FloatArray:
        """Number of examples over twice the number on the same side, or 1."""
        if not self.balanced:
            return np.ones_like(label)
        positive, negative = examples.positives.lengths[:, None], examples.negatives.lengths[:, None]
        return (positive + negative) / (2 * np.where(label > 0, positive, negative))

    def score_many(self, items: Items, examples: Examples) -> FloatArray:
        """One product for all sessions."""
        w, b = self.planes(items, examples)
        values: FloatArray = w.astype(items.matrix.dtype) @ items.matrix.T
        values += b.astype(values.dtype)[:, None]
        return values
