"""Thresholds on single features: boosted votes of them, and decision trees."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from rankscope.core.arrays import BoolArray, FloatArray, IntArray
from rankscope.feedback.examples.examples import Examples, Session
from rankscope.feedback.examples.geometry import add_nearness
from rankscope.feedback.examples.items import Items
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


# Relevance feedback decision trees: questions about single features, each that which tells most.

GAIN_DIGITS = 12  # of a gain: equal ones differ in their last bits


class Split(NamedTuple):
    """Rows with at most `threshold` in `feature` go left; `gain` in bits an example."""

    feature: int
    threshold: float
    gain: float


@dataclass(frozen=True)
class DecisionTree(TwoSided):
    """The share of positives among the examples of an item's leaf; equal ones by nearness to the mean of the positives.

    Our reading. Each question is the one of the largest gain of information, H(node) - sum of the shares times H of the
    two sides, in bits; of equal ones that with the widest gap between the two sides, in standard deviations of the
    collection. It goes on until leaves are pure, or no question leaves `leaf` examples on both sides.
    """

    leaf: int = 2
    name: ClassVar[str] = "decision-tree"
    source: ClassVar[str] = "MacArthur, Brodley & Shyu 2000, Relevance feedback decision trees"
    dagger: ClassVar[bool] = True
    least: ClassVar[Mapping[str, float]] = {"leaf": 1}

    def score_many(self, items: Items, examples: Examples) -> FloatArray:
        return add_nearness(np.stack([self._shares(items, each) for each in examples]), items, examples)

    def _shares(self, items: Items, session: Session) -> FloatArray:
        """The share of positives in the leaf of every item; nodes wait in a list until they are split or leaves."""
        rows, good = items.matrix[session.examples].astype(np.float64), session.labels > 0
        unit = np.where(items.sd > 0, items.sd, 1.0)
        shares = np.empty(len(items))
        waiting: list[tuple[IntArray, IntArray]] = [(np.arange(len(items)), np.arange(len(rows)))]
        while waiting:
            members, own = waiting.pop()
            split = best_split(rows[own], good[own], unit, self.leaf)
            if split is None:
                shares[members] = good[own].mean()
                continue
            left, own_left = (each[:, split.feature] <= split.threshold for each in (items.matrix[members], rows[own]))
            waiting += [(members[left], own[own_left]), (members[~left], own[~own_left])]
        return shares


def best_split(rows: FloatArray, good: BoolArray, unit: FloatArray, leaf: int) -> Split | None:
    """The question of the largest gain, half-way between two values; None where the node is pure or none is allowed.

    >>> best_split(np.array([[0.0], [1.0], [4.0]]), np.array([True, True, False]), np.ones(1), 1)
    Split(feature=0, threshold=2.5, gain=0.9182958340544894)
    """
    count = len(rows)
    if good.all() or not good.any() or count < 2 * leaf:
        return None
    order = np.argsort(rows, axis=0, kind="stable")
    values = np.take_along_axis(rows, order, axis=0)
    left = np.arange(leaf, count - leaf + 1)  # examples on the left
    hits = np.cumsum(good[order], axis=0)[left - 1]
    gap = values[left] - values[left - 1]
    share = (left / count)[:, None]
    after = share * entropy_of(hits / left[:, None]) + (1 - share) * entropy_of(
        (good.sum() - hits) / (count - left)[:, None]
    )
    gain = np.where(gap > 0, np.round(entropy_of(np.array(good.mean())) - after, GAIN_DIGITS), -1.0)
    if gain.max() <= 0:
        return None
    widest = np.where(gain == gain.max(), gap / unit, -1.0)
    place, feature = np.unravel_index(int(np.argmax(widest)), widest.shape)
    exact = float(entropy_of(np.array(good.mean())) - after[place, feature])
    return Split(int(feature), float(values[left[place] - 1, feature] + gap[place, feature] / 2), exact)


def entropy_of(share: FloatArray) -> FloatArray:
    """Bits of a yes with this share.

    >>> entropy_of(np.array([0.0, 0.5, 1.0]))
    array([0., 1., 0.])
    """
    from scipy.special import entr

    values: FloatArray = (entr(share) + entr(1 - share)) / np.log(2)
    return values
