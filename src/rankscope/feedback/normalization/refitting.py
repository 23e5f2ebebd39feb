"""The permutation test with learning anew: labels are permuted before the candidate learns, not only before scoring."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rankscope.arrays import BoolArray, FloatArray
from rankscope.errors import InputError
from rankscope.feedback.examples.folds import Folds
from rankscope.feedback.examples.items import Items
from rankscope.feedback.normalization.out_of_fold import Candidate, out_of_fold
from rankscope.measures import AP
from rankscope.ranks.from_scores import ranks_from_scores


def refitted_ap(
    candidates: Sequence[Candidate],
    items: Items,
    target: BoolArray,
    folds: Folds,
    permutations: int,
    seed: int = 0,
) -> FloatArray:
    """The best mean AP over folds of candidates that all learnt permuted labels, for each permutation: slow, and exact.

    Labels are permuted within folds, so that each fold keeps its number of relevant items.
    """
    chance = np.random.default_rng(seed)
    labels = (permute_labels(target, folds, chance) for _ in range(permutations))
    return np.array([max(_ap(each, items, permuted, folds, seed) for each in candidates) for permuted in labels])


def permute_labels(target: BoolArray, folds: Folds, chance: np.random.Generator) -> BoolArray:
    """The labels of each fold in random order.

    >>> folds = Folds.of([0, 0, 0, 1, 1])
    >>> folds.sizes(permute_labels(np.array([True, True, False, False, True]), folds, np.random.default_rng(0)))
    array([2, 1])
    """
    by_fold = np.argsort(folds.fold, kind="stable")
    shuffled = np.lexsort((chance.random(target.size), folds.fold))
    result = np.empty_like(target)
    result[by_fold] = target[shuffled]
    return result


def _ap(candidate: Candidate, items: Items, target: BoolArray, folds: Folds, seed: int) -> float:
    fold = out_of_fold(candidate, items, target, folds, seed=seed)
    if fold.failed:
        raise InputError.of(f"{candidate} on permuted labels", fold.failed, "Use the test without refitting.")
    return float(AP().of(ranks_from_scores(fold.values, target, folds.tested[fold.fold])).mean())
