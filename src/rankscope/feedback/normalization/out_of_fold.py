"""Scores of every item by a candidate that learnt from all folds but one, fold by fold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from rankscope.arrays import BoolArray, FloatArray, IntArray
from rankscope.errors import SettingError
from rankscope.feedback.examples.folds import Folds
from rankscope.feedback.examples.items import Items
from rankscope.feedback.methods.method import Method
from rankscope.feedback.normalization.classifiers import Classifier

ORDERS = 20  # random orders of a classifier that has decisions but no scores

Candidate: TypeAlias = Method | Classifier


@dataclass(frozen=True, eq=False)
class OutOfFold:
    """Rows x items: one row per fold, or several where a candidate without scores had its ties broken at random."""

    values: FloatArray
    fold: IntArray  # of each row
    decisions: BoolArray | None  # rows x items; a feedback method decides nothing by itself
    failed: tuple[str, ...] = ()


def out_of_fold(
    candidate: Candidate,
    items: Items,
    target: BoolArray,
    folds: Folds,
    *,
    left_out: BoolArray | None = None,
    seed: int = 0,
    chosen: Sequence[int] | None = None,
) -> OutOfFold:
    """All of the training part is the candidate's examples; what is `left_out` (folds x items) is not learnt either.

    Of all folds, or of those `chosen`.
    """
    if not target.size == len(folds) == len(items):
        raise SettingError(f"{len(items)} items, but a target of {target.size} and folds of {len(folds)}")
    numbers = np.arange(folds.count) if chosen is None else np.array(chosen, dtype=np.int64)
    if isinstance(candidate, Classifier):
        learnt = ~folds.tested if left_out is None else ~(folds.tested | left_out)
        return _classified(candidate, items, target, learnt[numbers], numbers, seed)
    scored = candidate.scores(items, folds.training(target, left_out).take(numbers))
    failed = tuple(reason for reason in scored.failed if reason)
    return OutOfFold(scored.values, numbers, None, failed)


def _classified(
    classifier: Classifier, items: Items, target: BoolArray, learnt: BoolArray, numbers: IntArray, seed: int
) -> OutOfFold:
    results = [classifier.learn(items, target, rows, seed) for rows in learnt]
    decisions = np.stack([each[1] for each in results])
    if all(each[0] is not None for each in results):
        values = np.stack([each[0] for each in results if each[0] is not None])
        return OutOfFold(values, numbers, decisions)
    row = np.repeat(np.arange(numbers.size), ORDERS)
    noise = np.random.default_rng(seed).random((row.size, len(items)))
    return OutOfFold(decisions[row] + 0.5 * noise, numbers[row], decisions[row])
