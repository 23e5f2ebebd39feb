"""Controls that go with every experiment: no feedback, a random ranking, all labels, and the ideal ranking."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankscope.core.arrays import BoolArray, FloatArray, IntArray
from rankscope.feedback.examples.examples import Examples, Session
from rankscope.feedback.examples.items import Items
from rankscope.feedback.methods.linear_models import LogisticRegression
from rankscope.feedback.methods.method import CannotScore, Method, start_scores


@dataclass(frozen=True)
class NoFeedback(Method):
    """The start ranking unchanged: what every method must beat. Without one, nearness to the query."""

    name: ClassVar[str] = "no-feedback"
    source: ClassVar[str] = "control"
    needs_positives: ClassVar[bool] = False
    pointwise: ClassVar[bool] = False

    def score_many(self, items: Items, examples: Examples) -> FloatArray:
        return start_scores(items, examples)


@dataclass(frozen=True)
class RandomRanking(Method):
    """Random scores, always the same for the same seed of the session."""

    name: ClassVar[str] = "random"
    source: ClassVar[str] = "control"
    needs_positives: ClassVar[bool] = False
    pointwise: ClassVar[bool] = False

    def score_one(self, items: Items, session: Session) -> FloatArray:
        return np.random.default_rng(session.seed).random(len(items))


@dataclass(frozen=True)
class AllLabels(Method):
    """Logistic regression on all labels, each item scored by a model that did not see it (stratified folds).

    What could be learnt from these features at best: approach III of Huiskes & Lew 2008. A target of fewer than two
    items, or of all items but one, cannot be split and fails.
    """

    C: float = 1.0
    folds: int = 5
    name: ClassVar[str] = "all-labels"
    source: ClassVar[str] = "control; Huiskes & Lew 2008, Performance evaluation of relevance feedback methods"
    needs: ClassVar[tuple[str, ...]] = ("truth",)
    needs_positives: ClassVar[bool] = False
    pointwise: ClassVar[bool] = False
    least: ClassVar[Mapping[str, float]] = {"folds": 2}
    above: ClassVar[Mapping[str, float]] = {"C": 0}

    def score_one(self, items: Items, session: Session) -> FloatArray:
        """Decision values out of fold; they are the same in every round of a session, and computed once."""
        if session.truth is None:
            raise CannotScore("the classifier with all labels needs the truth of the session")
        key = (self.name, self.C, self.folds, session.seed, session.truth.tobytes())
        return items.recent.get(key, lambda: self._out_of_fold(items, session))

    def _out_of_fold(self, items: Items, session: Session) -> FloatArray:
        target = np.zeros(len(items), np.bool_)
        target[session.truth] = True
        count = min(self.folds, int(target.sum()), int((~target).sum()))
        if count < 2:
            raise CannotScore("a target of one item, or of all items but one, cannot be split into folds")
        fold = stratified_fold_numbers(target, count, session.seed)
        learnt = [fold != number for number in range(count)]
        examples = Examples.of(
            [np.flatnonzero(each & target) for each in learnt], [np.flatnonzero(each & ~target) for each in learnt]
        )
        return LogisticRegression(self.C).score_many(items, examples)[fold, np.arange(len(items))]


def stratified_fold_numbers(target: BoolArray, folds: int, seed: int) -> IntArray:
    """The fold of each item: both sides are shuffled and dealt out in turn.

    >>> np.bincount(stratified_fold_numbers(np.arange(10) < 4, 2, seed=0)[:4])
    array([2, 2])
    """
    chance = np.random.default_rng(seed)
    fold = np.empty(target.size, np.int64)
    for side in (target, ~target):
        fold[chance.permutation(np.flatnonzero(side))] = np.arange(np.count_nonzero(side)) % folds
    return fold


@dataclass(frozen=True)
class Ideal(Method):
    """The total recall ideal system (TRIS): 1 for the items of the target, 0 for all others (Huijsmans & Sebe 2001)."""

    name: ClassVar[str] = "ideal"
    source: ClassVar[str] = "control; Huijsmans & Sebe 2001, Extended performance graphs for cluster retrieval"
    needs: ClassVar[tuple[str, ...]] = ("truth",)
    needs_positives: ClassVar[bool] = False
    pointwise: ClassVar[bool] = False

    def score_one(self, items: Items, session: Session) -> FloatArray:
        if session.truth is None:
            raise CannotScore("the ideal ranking needs the truth of the session")
        scores = np.zeros(len(items))
        scores[session.truth] = 1.0
        return scores
