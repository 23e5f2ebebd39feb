"""Boosting: a vote of thresholds on single features."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankscope.arrays import BoolArray, FloatArray
from rankscope.feedback.examples.items import Items
from rankscope.feedback.examples.session import Session
from rankscope.feedback.methods.method import CannotScore, TwoSided


@dataclass(frozen=True)
class Stump:
    """+1 where `direction` * feature is above `direction` * threshold, else -1; `error` is its weighted share wrong."""

    feature: int
    threshold: float
    direction: int
    error: float

    def votes(self, rows: FloatArray) -> FloatArray:
        """+1 or -1 for each row."""
        return np.where(self.direction * (rows[:, self.feature] - self.threshold) > 0, 1.0, -1.0)


@dataclass(frozen=True)
class Boosting(TwoSided):
    """AdaBoost of `rounds` single-feature thresholds, score sum alpha_t h_t.

    With few examples many thresholds are perfect: their error counts as 1 / (2 l), which caps alpha, and a feature is
    used once only (unless `reuse`), so that several of them vote instead of one alone.
    """

    rounds: int = 20
    reuse: bool = False
    name: ClassVar[str] = "boosting"
    source: ClassVar[str] = "Tieu & Viola 2000, Boosting image retrieval"
    least: ClassVar[Mapping[str, float]] = {"rounds": 1}

    def score_one(self, items: Items, session: Session) -> FloatArray:
        """Stumps are fitted one after the other to the examples the ones before got wrong."""
        rows = items.matrix[session.examples].astype(np.float64)
        labels = session.labels
        weights = np.where(labels > 0, 0.5 / session.positives.size, 0.5 / session.negatives.size)
        scores, unused = np.zeros(len(items)), np.ones(items.features, np.bool_)
        for _ in range(self.rounds):
            stump = best_stump(rows, labels, weights, unused)
            if stump is None or stump.error >= 0.5 - 1e-12:
                break
            error = max(stump.error, 0.5 / labels.size)
            alpha = 0.5 * np.log((1 - error) / error)
            scores += alpha * stump.votes(items.matrix)
            weights = weights * np.exp(-alpha * labels * stump.votes(rows))
            weights /= weights.sum()
            unused[stump.feature] = self.reuse
        if not scores.any():
            raise CannotScore("no threshold on any feature separates positives from negatives")
        return scores


def best_stump(rows: FloatArray, labels: FloatArray, weights: FloatArray, usable: BoolArray) -> Stump | None:
    """The threshold of least weighted error, half-way between two values; equal ones: the first feature."""
    order = np.argsort(rows, axis=0, kind="stable")
    values = np.take_along_axis(rows, order, axis=0)
    signed = np.cumsum((weights * labels)[order], axis=0)[:-1]  # weight of positives minus negatives at or below
    good = labels > 0
    error_up = weights[~good].sum() + signed  # wrong when all above vote +1: positives below, negatives above
    gap = (np.diff(values, axis=0) > 0) & usable
    if not gap.any():
        return None
    either = np.where(gap, np.minimum(error_up, 1.0 - error_up), np.inf)
    feature = int(np.argmin(np.round(either.min(axis=0), 12)))
    place = int(np.argmin(np.round(either[:, feature], 12)))
    up = bool(error_up[place, feature] <= 0.5)
    threshold = float(values[place, feature] + values[place + 1, feature]) / 2
    return Stump(feature, threshold, 1 if up else -1, float(either[place, feature]))
