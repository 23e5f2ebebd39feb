"""Whether a topic can be learnt from these features at all: without that, efficiency compares noise with noise."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from rankscope.core.arrays import BoolArray, FloatArray, IntArray
from rankscope.core.validation import COUNT, SEED, check
from rankscope.feedback.examples.examples import Folds
from rankscope.measures import AP
from rankscope.measures.quadruple import random_average_precision
from rankscope.ranks.relevant_ranks import RelevantRanks

PERMUTATIONS = 9999
REFITTED = 999
LEVEL = 0.01
LEAST_GAIN = 0.3
MOST_LOSS = 0.5  # of what random decisions lose
SLACK = 1e-12
NO_BETTER = "of what was learnt is no better than permuted labels: p = {:.4f}"
AT_ONCE = 1 << 22  # places of the lists drawn in one block
DENSE = 8  # a list with more than this share of relevant items is shuffled whole: drawing again would take long


@dataclass(frozen=True)
class Feasibility:
    """The decision, and what it rests on: a permutation test, the gain over random AP, the loss next to a random one.

    `reasons` says in words what speaks against the topic; it is empty where the topic is feasible.
    """

    feasible: bool
    reasons: tuple[str, ...]
    p_value: float
    permutations: int
    gain: float  # (AP - E[AP]) / (1 - E[AP])
    loss: float
    random_loss: float
    refitted: bool = False
    seed: int = 0

    @classmethod
    def without_folds(cls, relevant: int, items: int) -> Feasibility:
        """A topic with so few relevant items, or so few others, that nothing can be held back for testing.

        >>> Feasibility.without_folds(1, 20).reasons
        ('1 relevant among 20 items: no folds can be made',)
        """
        nan = float("nan")
        return cls(
            feasible=False,
            reasons=(f"{relevant} relevant among {items} items: no folds can be made",),
            p_value=nan,
            permutations=0,
            gain=nan,
            loss=nan,
            random_loss=nan,
        )

    def among(self, tries: int) -> Feasibility:
        """The same for the best of so many baselines that were tested apart: p times their number (Bonferroni).

        >>> one = Feasibility(True, (), 0.004, 9999, 0.5, 0.1, 0.4)
        >>> one.among(2).feasible, one.among(3).reasons
        (True, ('AP of what was learnt is no better than permuted labels: p = 0.0120',))
        """
        p_value = min(1.0, tries * self.p_value)
        if np.isnan(p_value) or p_value < LEVEL or not self.p_value < LEVEL:
            return replace(self, p_value=p_value)
        return replace(
            self, p_value=p_value, feasible=False, reasons=(f"AP {NO_BETTER.format(p_value)}", *self.reasons)
        )


def feasibility(
    ranks: RelevantRanks,
    loss: float,
    random_loss: float,
    observed: float,
    null: FloatArray,
    *,
    refitted: bool = False,
    seed: int = 0,
) -> Feasibility:
    """The decision from the winner's rankings of test items, one query per fold, and its mean loss.

    Feasible: p < .01 in a permutation test, a gain of at least .3 over random AP, and a loss of at most half the random
    one. `observed` is the winner's mean AP that is tested, and `null` the best one of all candidates for each
    permutation of labels, after learning (`permuted_ap`) or before (`refitted_ap`).
    """
    reached = float(AP().of(ranks).mean())
    sizes = zip(ranks.collection.tolist(), ranks.relevant.tolist(), strict=True)
    chance = float(np.mean([random_average_precision(items, relevant) for items, relevant in sizes]))
    p_value = (int((null >= observed - SLACK).sum()) + 1) / (null.size + 1)
    gain = (reached - chance) / (1.0 - chance) if chance < 1 else float("nan")
    reasons = []
    if 1 / (null.size + 1) >= LEVEL:
        reasons.append(f"{null.size} permutations are too few for p below {LEVEL}")
    elif not p_value < LEVEL:
        reasons.append(f"AP {observed:.3f} {NO_BETTER.format(p_value)}")
    if not gain >= LEAST_GAIN:
        reasons.append(f"AP gains {gain:.3f} of what random order leaves, below {LEAST_GAIN}")
    if not loss <= MOST_LOSS * random_loss:
        reasons.append(f"loss {loss:.4f} is more than half of the random {random_loss:.4f}")
    return Feasibility(
        feasible=not reasons,
        reasons=tuple(reasons),
        p_value=p_value,
        permutations=int(null.size),
        gain=gain,
        loss=loss,
        random_loss=random_loss,
        refitted=refitted,
        seed=seed,
    )


class FoldPlaces(NamedTuple):
    """Where a candidate ranks the items of some folds: one row per fold, or several where ties were broken."""

    rank: IntArray  # rows x items, from 1; those of items of other folds do not matter
    fold: IntArray  # of each row

    def average_precision(self, target: BoolArray, folds: Folds) -> float:
        """Mean AP over its folds.

        >>> one = FoldPlaces(np.array([[2, 1, 3]]), np.array([0]))
        >>> one.average_precision(np.array([True, False, True]), Folds.of([0, 0, 0]))
        0.5833333333333333
        """
        each = [
            [_mean_precision(np.sort(row[folds.tested[number] & target])) for row in self.rank[self.fold == number]]
            for number in np.unique(self.fold)
        ]
        return float(np.mean([np.mean(own) for own in each]))


def _mean_precision(hits: IntArray) -> FloatArray:
    """AP of complete lists from the ranks of the relevant items, ascending along the last axis."""
    return (np.arange(1, hits.shape[-1] + 1) / hits).mean(axis=-1)


def permuted_ap(
    candidates: Sequence[FoldPlaces], target: BoolArray, folds: Folds, permutations: int = PERMUTATIONS, seed: int = 0
) -> FloatArray:
    """The best mean AP that any candidate has when the labels of each fold are permuted, that many times.

    Rankings stay as they are. The test holds where those of a fold come from the labels of the folds before it alone:
    then chance leaves the folds independent. (Learnt from all other folds they are not: labels that happen to agree
    with the features do so in every fold.) All candidates meet the same permuted labels, and the best of them is taken
    each time, whatever loss chooses among them on the true labels: the choice is part of the test.
    """
    permutations, seed = check(locals(), permutations=COUNT, seed=SEED).values()
    chance = np.random.default_rng(seed)
    total = np.zeros((len(candidates), permutations))
    numbers = np.unique(candidates[0].fold)
    for number in numbers:
        tested = folds.tested[number]
        items, relevant = int(tested.sum()), int(target[tested].sum())
        lists = [each.rank[each.fold == number][:, tested] for each in candidates]
        step = max(1, AT_ONCE // (items + relevant * max(map(len, lists))))
        for start in range(0, permutations, step):
            drawn = random_subsets(items, relevant, min(step, permutations - start), chance) - 1
            for own, ranks in zip(total, lists, strict=True):
                own[start : start + len(drawn)] += _mean_precision(np.sort(ranks[:, drawn], axis=2)).mean(axis=0)
    return total.max(axis=0) / numbers.size


def random_subsets(items: int, size: int, count: int, chance: np.random.Generator) -> IntArray:
    """Rows of `size` different numbers from 1 to `items`, ascending, all choices equally likely.

    Numbers that come twice in a row are drawn again until none does; no number is treated unlike another, so no choice
    is likelier than another.
    """
    if size * DENSE > items:
        chosen = chance.permuted(np.broadcast_to(np.arange(items) < size, (count, items)), axis=1)
        return np.nonzero(chosen)[1].reshape(count, size) + 1
    drawn = np.sort(chance.integers(1, items + 1, (count, size)), axis=1)
    open_rows = np.arange(count)
    while open_rows.size:
        rows = drawn[open_rows]
        again = np.zeros(rows.shape, np.bool_)
        again[:, 1:] = rows[:, 1:] == rows[:, :-1]
        twice = again.any(axis=1)
        open_rows, rows, again = open_rows[twice], rows[twice], again[twice]
        rows[again] = chance.integers(1, items + 1, int(again.sum()))
        drawn[open_rows] = np.sort(rows, axis=1)
    return drawn
