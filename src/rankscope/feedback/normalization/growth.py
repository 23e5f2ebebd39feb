"""Example-set testing: rank once from each example set, and see how quality grows with the number of examples."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from rankscope.arrays import BoolArray, FloatArray, IntArray
from rankscope.curves.curve import Curve
from rankscope.curves.weighting import Mean, mean_over, unit_means, units_of
from rankscope.errors import SettingError
from rankscope.feedback.examples.folds import checked_target
from rankscope.feedback.examples.items import Items
from rankscope.feedback.methods.method import Method
from rankscope.feedback.methods.ranking import name_with_size, rank_sessions
from rankscope.feedback.normalization.example_sets import SIZES, ExampleSets, Sizes, largest_of, pairs, topic_seed
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
    _check(targets, methods, largest_of(both))
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


def _check(targets: Mapping[str, BoolArray], methods: Sequence[Method], largest: tuple[int, int]) -> None:
    if not targets or not methods:
        raise SettingError("example-set testing needs at least one topic and one method")
    if len({str(each) for each in methods}) < len(methods):
        raise SettingError("each method with its settings may be there once")
    small = [name for name, target in targets.items() if target.sum() <= largest[0]]
    if small:
        raise SettingError(
            f"topics with {largest[0]} relevant items or fewer have nothing left to find: {', '.join(small)}. Leave "
            "them out, or draw smaller sets."
        )
