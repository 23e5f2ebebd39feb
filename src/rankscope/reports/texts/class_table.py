"""Classes of queries as a table: on which kind of query is each system good?"""

from __future__ import annotations

import math
from dataclasses import dataclass

from rankscope.errors import SettingError
from rankscope.evaluation.scores import Scores
from rankscope.reports.texts.estimates import Estimate
from rankscope.statistics.intervals.bootstrap import ENOUGH
from rankscope.statistics.intervals.mean_intervals import mean_intervals
from rankscope.statistics.table.score_table import MOST_CLASSES, ScoreTable

CLASS_NOTE = (
    f"95 % intervals, of the queries of one class each: bounded in classes of fewer than {ENOUGH} (Student's t where "
    "the measure has no range), BCa in the others."
)


@dataclass(frozen=True)
class ClassMeans:
    """The mean of one measure on one class of queries, of each system."""

    label: str
    queries: int
    measure: str
    systems: tuple[str, ...]
    means: tuple[Estimate, ...]


def class_estimates(scores: Scores) -> list[ClassMeans]:
    """For each class and system the mean of the first measure with its interval, over the queries of the class.

    None where queries have no classes, or more than can be read.
    """
    try:
        table = ScoreTable.of(scores)
        names = table.class_names
    except SettingError:
        return []
    if not 1 < len(names) <= MOST_CLASSES:
        return []
    return [_means(table.where(label), label) for label in names]


def class_rows(scores: Scores) -> list[dict[str, object]]:
    """One row per class: how many queries, and each system's mean with its interval."""
    return [
        {
            "class": each.label,
            "queries": each.queries,
            **{f"{each.measure} of {name}": _text(mean) for name, mean in zip(each.systems, each.means, strict=True)},
        }
        for each in class_estimates(scores)
    ]


def _means(table: ScoreTable, label: str) -> ClassMeans:
    made = mean_intervals(table.values, bounds=table.bounds)
    means = tuple(Estimate(row["mean"], row["low"], row["high"]) for row in made.rows())
    return ClassMeans(label=label, queries=len(table), measure=table.measure, systems=table.systems, means=means)


def _text(mean: Estimate) -> str:
    if math.isnan(mean.value):
        return "-"
    return f"{mean.value:.4f} [{mean.low:.4f}, {mean.high:.4f}]" if mean.has_interval else f"{mean.value:.4f}"
