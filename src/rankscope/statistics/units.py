"""Queries of one class that look for the same items are no independent sample: then the class is the unit of chance.

Every item of a class as a query gives as many queries as the class has members, and all of them stand or fall with that
class. Tests then swap the labels of two systems class by class, and intervals rest on how much classes differ.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from rankscope.arrays import FloatArray, IntArray
from rankscope.measures.coverage_report import is_complete
from rankscope.measures.scores import Scores
from rankscope.statistics.score_table import ScoreTable


def classes_are_targets(scores: Scores) -> bool:
    """Whether classes are what queries look for, so that those of one class hang together.

    Classes that were given to part the queries by (`--by`) are kinds of queries, not a sample of targets.
    """
    if scores.by_class_wanted:
        return False
    return all(system.ranks.classes is not None and is_complete(system.ranks) for system in scores.systems)


def class_sums(table: ScoreTable) -> ScoreTable:
    """One row per class: its sum, scaled so that the mean over classes is the mean over queries. For tests.

    >>> table = ScoreTable.make({"A": [0.2, 0.4, 0.9]}, classes=["x", "x", "y"])
    >>> class_sums(table).values.round(3).tolist()
    [[0.4], [0.6]]
    """
    names, total, _ = _totals(table)
    return _by_class(table, names, total * (len(names) / len(table)))


def class_deviations(table: ScoreTable) -> ScoreTable:
    """One row per class around the mean over queries, by how far the class pulls it. For intervals.

    The spread of these rows is that of the mean over queries when classes are drawn, whatever their sizes (the ratio of
    two sums, linearised).
    >>> table = ScoreTable.make({"A": [0.5, 0.5, 0.5]}, classes=["x", "x", "y"])
    >>> class_deviations(table).values.tolist()
    [[0.5], [0.5]]
    """
    names, total, size = _totals(table)
    mean = table.values.mean(axis=0)
    return _by_class(table, names, mean + (total - size[:, None] * mean) * (len(names) / len(table)))


def _totals(table: ScoreTable) -> tuple[list[str], FloatArray, IntArray]:
    names, number = np.unique(np.array(table.labels, dtype=str), return_inverse=True)
    total = np.zeros((names.size, table.values.shape[1]))
    np.add.at(total, number, table.values)
    return names.tolist(), total, np.bincount(number, minlength=names.size).astype(np.int64)


def _by_class(table: ScoreTable, names: list[str], values: FloatArray) -> ScoreTable:
    return replace(table, queries=tuple(names), values=values, classes=None)
