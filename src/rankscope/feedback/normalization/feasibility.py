"""Whether a topic can be learnt from these features at all: without that, efficiency compares noise with noise."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rankscope.arrays import FloatArray, IntArray
from rankscope.curves.weighting import units_of
from rankscope.measures import AP
from rankscope.measures.random_level import random_average_precision
from rankscope.ranks.relevant_ranks import RelevantRanks
from rankscope.validation import COUNT, SEED, check

PERMUTATIONS = 9999
REFITTED = 999
LEVEL = 0.01
LEAST_GAIN = 0.3
MOST_LOSS = 0.5  # of what random decisions lose
SLACK = 1e-12
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


def feasibility(
    ranks: RelevantRanks,
    loss: float,
    random_loss: float,
    *,
    permutations: int = PERMUTATIONS,
    seed: int = 0,
    null: FloatArray | None = None,
) -> Feasibility:
    """The decision from rankings of test items, one query per fold, and the mean loss of the baseline.

    Feasible: p < .01 in a permutation test of the mean AP, a gain of at least .3 over random AP, and a loss of at most
    half the random one. `null` are APs of refitted permutations; without them labels are permuted against the scores.
    """
    observed = float(AP().of(ranks).mean())
    chance = _random_ap(ranks)
    levels = permuted_ap(ranks, permutations, seed) if null is None else null
    p_value = (int((levels >= observed - SLACK).sum()) + 1) / (levels.size + 1)
    gain = (observed - chance) / (1.0 - chance) if chance < 1 else float("nan")
    reasons = []
    if 1 / (levels.size + 1) >= LEVEL:
        reasons.append(f"{levels.size} permutations are too few for p below {LEVEL}")
    elif not p_value < LEVEL:
        reasons.append(f"AP {observed:.3f} out of fold is no better than permuted labels: p = {p_value:.4f}")
    if not gain >= LEAST_GAIN:
        reasons.append(f"AP gains {gain:.3f} of what random order leaves, below {LEAST_GAIN}")
    if not loss <= MOST_LOSS * random_loss:
        reasons.append(f"loss {loss:.4f} is more than half of the random {random_loss:.4f}")
    return Feasibility(
        feasible=not reasons,
        reasons=tuple(reasons),
        p_value=p_value,
        permutations=int(levels.size),
        gain=gain,
        loss=loss,
        random_loss=random_loss,
        refitted=null is not None,
        seed=seed,
    )


def _random_ap(ranks: RelevantRanks) -> float:
    sizes = zip(ranks.collection.tolist(), ranks.relevant.tolist(), strict=True)
    return float(np.mean([random_average_precision(items, relevant) for items, relevant in sizes]))


def permuted_ap(ranks: RelevantRanks, permutations: int = PERMUTATIONS, seed: int = 0) -> FloatArray:
    """Mean AP over folds when the labels of each fold are permuted, that many times.

    Scores stay as they are, so that a permutation is a random choice of c_k ranks; the rankings must be complete. A
    fold that has several rankings (ties broken at random) is permuted as if it had one, which is a little cautious.
    """
    permutations, seed = check(locals(), permutations=COUNT, seed=SEED).values()
    chance = np.random.default_rng(seed)
    total = np.zeros(permutations)
    fold = units_of(ranks, "per_query" if ranks.classes is None else "per_class")
    folds = ranks.take(np.unique(fold, return_index=True)[1])
    for items, relevant in zip(folds.collection.tolist(), folds.relevant.tolist(), strict=True):
        step = max(1, AT_ONCE // items)
        for start in range(0, permutations, step):
            count = min(step, permutations - start)
            drawn = random_subsets(items, relevant, count, chance)
            total[start : start + count] += (np.arange(1, relevant + 1) / drawn).mean(axis=1)
    return total / len(folds)


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
