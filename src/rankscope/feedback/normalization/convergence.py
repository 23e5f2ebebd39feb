"""How efficiency grows with the number of examples, and where it ends."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from rankscope.arrays import FloatArray
from rankscope.curves.curve import Curve
from rankscope.curves.weighting import mean_over
from rankscope.errors import SettingError
from rankscope.feedback.examples.folds import checked_target
from rankscope.feedback.examples.items import Items
from rankscope.feedback.methods.method import Method
from rankscope.feedback.normalization.baselines import Baseline
from rankscope.feedback.normalization.efficiency import Efficiency, efficiency
from rankscope.feedback.normalization.efficiency_curves import LEVELS
from rankscope.feedback.normalization.example_sets import SIZES, topic_seed
from rankscope.feedback.normalization.matched import fully_trained, matched_ranks, possible_sizes


@dataclass(frozen=True, eq=False)
class Convergence:
    """Efficiencies of one method on one topic: one for each size of example sets, and with all of the training part.

    Under approach I the MAE should rise to about 1; a plateau below 1 under II or III is the bias of the method.
    """

    topic: str
    method: str
    approach: str
    sizes: tuple[int, ...]
    efficiencies: tuple[Efficiency, ...]
    full: Efficiency  # with all training examples
    most: int  # positives of the smallest training part

    @property
    def mae(self) -> FloatArray:
        """Mean efficiency at each size."""
        return np.array([each.mae for each in self.efficiencies])

    @property
    def corrected_mae(self) -> FloatArray:
        """Mean chance-corrected efficiency at each size."""
        return np.array([each.corrected_mae for each in self.efficiencies])

    def rows(self) -> list[dict[str, object]]:
        """One row per size; the last, without a size, is of the whole training part."""
        sizes: tuple[int | None, ...] = (*self.sizes, None)
        return [
            {
                "topic": self.topic,
                "method": self.method,
                "examples": size,
                "MAE": each.mae,
                "corrected": each.corrected_mae,
                "runs": each.runs,
                "flags": "; ".join(each.flags),
            }
            for size, each in zip(sizes, (*self.efficiencies, self.full), strict=True)
        ]


def convergence(
    method: Method,
    items: Items,
    target: ArrayLike,
    baseline: Baseline,
    sizes: Sequence[int] = SIZES,
    *,
    repeats: int = 10,
    levels: int = LEVELS,
    seed: int = 0,
) -> Convergence:
    """MAE against the number of positives, with as many negatives, by the matched protocol.

    Sizes that a training part cannot supply are left out. A topic without folds has no efficiency: `SettingError`.
    """
    relevant = checked_target(target)
    if baseline.folds is None:
        raise SettingError(f"topic '{baseline.topic}' has no baseline: {'; '.join(baseline.feasibility.reasons)}")
    baseline.check(items, relevant)
    shown = possible_sizes(sorted(set(sizes)), relevant, baseline.folds)
    runs = matched_ranks(
        method,
        items,
        relevant,
        baseline.folds,
        shown,
        repeats=repeats,
        seed=topic_seed(baseline.topic, seed),
        topic=baseline.topic,
    )
    all_of_it = fully_trained(method, items, relevant, baseline.folds, baseline.topic)
    results = tuple(efficiency(each, baseline, levels=levels) for each in runs)
    full = efficiency(all_of_it, baseline, levels=levels)
    most = int((~baseline.folds.tested & relevant).sum(axis=1).min())
    return Convergence(
        topic=baseline.topic,
        method=str(method),
        approach=baseline.approach,
        sizes=shown,
        efficiencies=results,
        full=full,
        most=most,
    )


def mean_convergence(results: Iterable[Convergence], corrected: bool = False) -> Curve:
    """The mean over feasible topics of one method at the sizes all of them have, with its error over topics."""
    given = list(results)
    sizes, values = topic_convergence(given, corrected)
    mean = mean_over(values, np.arange(len(values)))
    return Curve(
        x=np.array(sizes, dtype=np.float64),
        y=mean.value,
        name=given[0].method,
        x_name="positives",
        y_name="corrected MAE" if corrected else "MAE",
        error=mean.error,
        queries=mean.queries,
    )


def topic_convergence(results: Sequence[Convergence], corrected: bool = False) -> tuple[list[int], FloatArray]:
    """The sizes that all feasible topics have, and the efficiency of one method there: topics x sizes."""
    feasible = [each for each in results if each.full.feasible]
    if len({each.method for each in feasible}) != 1:
        raise SettingError("a mean over topics needs at least one feasible topic, and one method")
    sizes = sorted(set.intersection(*(set(each.sizes) for each in feasible)))
    rows = [
        [(each.corrected_mae if corrected else each.mae)[each.sizes.index(size)] for size in sizes] for each in feasible
    ]
    return sizes, np.array(rows)
