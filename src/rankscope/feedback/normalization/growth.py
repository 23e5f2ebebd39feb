"""How quality, and efficiency, grow with the number of examples, and where they end."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from rankscope.analysis.curves.curve import Curve, Mean, mean_over, unit_means, units_of
from rankscope.core.arrays import FloatArray, IntArray
from rankscope.core.errors import SettingError
from rankscope.feedback.examples.examples import checked_target
from rankscope.feedback.examples.items import Items
from rankscope.feedback.methods.method import Method, name_with_size, rank_sessions
from rankscope.feedback.normalization.baselines import Baseline
from rankscope.feedback.normalization.efficiency import LEVELS, Efficiency, efficiency
from rankscope.feedback.normalization.example_sets import (
    SIZES,
    ExampleSets,
    Sizes,
    fully_trained,
    largest_of,
    matched_ranks,
    pairs,
    possible_sizes,
    topic_seed,
)
from rankscope.measures import AP, Measure
from rankscope.ranks.relevant_ranks import RelevantRanks


@dataclass(frozen=True, eq=False)
class ExampleGrowth:
    """Rankings of every method at every size, the same sessions everywhere: one query per topic and set.

    Each of `ranks` is as good as any other `RelevantRanks`: every measure, curve and test takes it. Classes are topics.
    """

    sizes: tuple[tuple[int, int], ...]
    ranks: Mapping[str, tuple[RelevantRanks, ...]]  # by method, one for each size
    repeats: int
    seed: int

    def mean(self, method: str, measure: Measure | None = None) -> Mean:
        """The mean over topics of the mean over sets, at each size; a session that failed is left out."""
        return mean_over(*self._sessions(method, measure))

    def topic_means(self, method: str, measure: Measure | None = None) -> FloatArray:
        """Topics x sizes: the mean over the sets of each topic."""
        return unit_means(*self._sessions(method, measure))

    def _sessions(self, method: str, measure: Measure | None) -> tuple[FloatArray, IntArray]:
        """Sessions x sizes, NaN where one failed, and the topic of each."""
        how = AP() if measure is None else measure
        columns = [np.where(each.answered, how.of(each), np.nan) for each in self.ranks[method]]
        return np.stack(columns, axis=1), units_of(self.ranks[method][0], "per_class")

    def curve(self, method: str, measure: Measure | None = None) -> Curve:
        """A measure against the number of positives."""
        mean, name = self.mean(method, measure), str(AP() if measure is None else measure)
        size = np.array([each[0] for each in self.sizes], dtype=np.float64)
        negatives = np.array([each[1] for each in self.sizes])
        return Curve(
            x=size,
            y=mean.value,
            name=method,
            x_name="positives",
            y_name=name,
            error=mean.error,
            queries=mean.queries,
            more={"negatives": negatives},
        )

    @property
    def failed(self) -> dict[str, int]:
        """How many sessions of each method have no ranking, over all sizes."""
        return {name: sum(int((~each.answered).sum()) for each in result) for name, result in self.ranks.items()}


def growth(
    items: Items,
    topics: Mapping[str, ArrayLike],
    methods: Sequence[Method],
    sizes: Sizes = SIZES,
    *,
    repeats: int = 10,
    common: bool = False,
    seed: int = 0,
) -> ExampleGrowth:
    """Draw `repeats` growing example sets for each topic, rank by each method, and score what is left to find.

    The examples are taken out of the list, which reduces c and d. With `common` the largest set is taken
    out at every size: then all sizes are scored on the same items. A topic needs more relevant items than that.
    """
    both = pairs(sizes)
    targets = {name: checked_target(topics[name]) for name in sorted(topics, key=str.encode)}
    if not targets or not methods:
        raise SettingError("example-set testing needs at least one topic and one method")
    if len({str(each) for each in methods}) < len(methods):
        raise SettingError("each method with its settings may be there once")
    needed = largest_of(both)[0]
    small = [name for name, target in targets.items() if target.sum() <= needed]
    if small:
        raise SettingError(
            f"topics with {needed} relevant items or fewer have nothing left to find: {', '.join(small)}. Leave them "
            "out, or draw smaller sets."
        )
    parts: dict[str, list[list[RelevantRanks]]] = {str(each): [[] for _ in both] for each in methods}
    for topic, target in targets.items():
        sets = ExampleSets.drawn(target, repeats, largest_of(both), seed=topic_seed(topic, seed))
        for method in methods:
            for place, size in enumerate(both):
                counted = ~sets.chosen(len(items), *(largest_of(both) if common else size))
                examples, name = sets.of_size(*size), name_with_size(method, size)
                result = rank_sessions(method, items, examples, target, counted, topic=topic, system=name)
                parts[str(method)][place].append(result)
    ranks = {name: tuple(RelevantRanks.join(each) for each in result) for name, result in parts.items()}
    return ExampleGrowth(both, ranks, repeats, seed)


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
