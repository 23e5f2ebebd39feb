"""The matched protocol: examples come from the training part of each fold, scores from its test part."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from rankscope.arrays import BoolArray
from rankscope.errors import SettingError
from rankscope.feedback.examples.examples import Examples
from rankscope.feedback.examples.folds import Folds
from rankscope.feedback.examples.items import Items
from rankscope.feedback.methods.method import Method
from rankscope.feedback.methods.ranking import name_with_size, rank_sessions
from rankscope.feedback.normalization.example_sets import ExampleSets, Sizes, largest_of, pairs
from rankscope.ranks.relevant_ranks import RelevantRanks


def matched_ranks(
    method: Method,
    items: Items,
    target: BoolArray,
    folds: Folds,
    sizes: Sizes,
    *,
    repeats: int = 10,
    seed: int = 0,
    topic: str = "",
    told: Callable[[Examples], Examples] | None = None,
) -> tuple[RelevantRanks, ...]:
    """For each size the rankings of test items, `repeats` sets for each fold; sets are nested in size.

    Method and baseline are thus scored on the same items, at the same generality. All methods get the same sets. Sizes
    no training part can supply are a `SettingError`. `told` is what becomes of examples on their way to the method,
    where users err.
    """
    both = pairs(sizes)
    sets = ExampleSets.drawn(target, repeats, largest_of(both), pool=~folds.tested, seed=seed)
    fold = np.repeat(np.arange(folds.count), repeats)
    names = [f"fold {each + 1}" for each in fold.tolist()]
    counted = folds.tested[fold]
    return tuple(
        rank_sessions(
            method,
            items,
            sets.of_size(*size) if told is None else told(sets.of_size(*size)),
            target,
            counted,
            topic=topic,
            classes=names,
            system=name_with_size(method, size),
        )
        for size in both
    )


def fully_trained(method: Method, items: Items, target: BoolArray, folds: Folds, topic: str = "") -> RelevantRanks:
    """The rankings of test items when all of the training part are examples: where growing example sets lead."""
    names = [f"fold {each + 1}" for each in range(folds.count)]
    return rank_sessions(method, items, folds.training(target), target, folds.tested, topic=topic, classes=names)


def possible_sizes(sizes: Sequence[int], target: BoolArray, folds: Folds) -> tuple[int, ...]:
    """The sizes every training part can supply, of positives and of negatives alike.

    >>> possible_sizes([1, 2, 4], np.array([True, True, False, False]), Folds.of([0, 1, 0, 1]))
    (1,)
    """
    learnt = ~folds.tested
    most = int(min((learnt & target).sum(axis=1).min(), (learnt & ~target).sum(axis=1).min()))
    possible = tuple(each for each in sizes if each <= most)
    if not possible:
        raise SettingError(f"every training part can supply {most} examples of each kind, but sizes are {tuple(sizes)}")
    return possible
