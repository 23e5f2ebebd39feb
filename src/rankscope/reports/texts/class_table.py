"""Classes of queries as a table: on which kind of query is each system good?"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from rankscope.errors import SettingError
from rankscope.evaluation.scores import Scores
from rankscope.reports.texts.estimates import Estimate
from rankscope.statistics.table.score_table import MOST_CLASSES, ScoreTable

CLASS_NOTE = "95 % intervals: t, of the queries of one class each."


@dataclass(frozen=True)
class ClassMeans:
    """The mean of one measure on one class of queries, of each system."""

    label: str
    queries: int
    measure: str
    systems: tuple[str, ...]
    means: tuple[Estimate, ...]


def class_estimates(scores: Scores) -> list[ClassMeans]:
    """For each class and system the mean of the first measure with its t interval.

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
    means = tuple(_with_interval(column) for column in table.values.T)
    return ClassMeans(label, len(table), table.measure, table.systems, means)


def _with_interval(values: np.ndarray[tuple[int], np.dtype[np.float64]]) -> Estimate:
    from scipy.special import stdtrit

    known = values[~np.isnan(values)]
    if known.size < 2:
        return Estimate(float(known[0]) if known.size else math.nan)
    mean = float(known.mean())
    half = float(stdtrit(known.size - 1, 0.975)) * float(known.std(ddof=1)) / known.size**0.5
    return Estimate(mean, mean - half, mean + half)


def _text(mean: Estimate) -> str:
    if math.isnan(mean.value):
        return "-"
    return f"{mean.value:.4f} [{mean.low:.4f}, {mean.high:.4f}]" if mean.has_interval else f"{mean.value:.4f}"
