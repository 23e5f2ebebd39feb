"""Intervals of means over tasks: tasks are drawn with replacement, and in each task drawn its queries.

A mean over few tasks varies as tasks do. Resampling T tasks makes their spread too small by (T - 1)/T, and a normal
tail is too short for so few: the percentiles are taken further out, as far as Student's t with T - 1 degrees of freedom
times sqrt(T/(T - 1)) is beyond the normal (expanded percentile interval, Hesterberg 2015, The American Statistician).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rankscope.arrays import FloatArray, IntArray
from rankscope.errors import SettingError
from rankscope.statistics.table.resampling import batches, drawing

RESAMPLES = 10_000
FEWEST_TASKS = 2


@dataclass(frozen=True, eq=False)
class TaskValues:
    """One task: values of queries x systems, without gaps, and the class of each query where classes are drawn."""

    values: FloatArray
    classes: tuple[str, ...] | None = None

    @property
    def means(self) -> FloatArray:
        """Of each system."""
        return np.asarray(self.values.mean(axis=0))


def two_level_means(tasks: Sequence[TaskValues], resamples: int = RESAMPLES, seed: int = 0) -> FloatArray:
    """The mean of each system in each task of each resample: resamples x tasks drawn x systems.

    A task that is drawn twice has its queries drawn twice, each time anew.
    >>> one = TaskValues(np.array([[0.2, 0.4]]))
    >>> two_level_means([one, one], resamples=3).tolist() == [[[0.2, 0.4]] * 2] * 3
    True
    """
    if not tasks:
        raise SettingError("there is no task to draw")
    chance = np.random.default_rng(seed)
    drawn = chance.integers(0, len(tasks), (resamples, len(tasks)))
    means = np.empty((resamples * len(tasks), tasks[0].values.shape[1]))
    for number, task in enumerate(tasks):
        places = np.flatnonzero(drawn.ravel() == number)
        means[places] = _drawn_means(task, places, chance)
    return means.reshape(resamples, len(tasks), -1)


def _drawn_means(task: TaskValues, places: IntArray, chance: np.random.Generator) -> FloatArray:
    """Means of one task with its queries drawn again, one row for each place."""
    draw = drawing(len(task.values), task.classes)
    parts = [draw.times(chance, some) for some in batches(places.size, len(task.values))]
    return np.concatenate(
        [np.empty((0, task.values.shape[1])), *(times @ task.values / times.sum(axis=1)[:, None] for times in parts)]
    )


def expanded_tail(tasks: int, level: float) -> float:
    """The share of resamples beyond each limit; NaN for a single task, whose spread nobody knows.

    >>> round(expanded_tail(6, 0.95), 4), round(expanded_tail(1000, 0.95), 4), expanded_tail(1, 0.95)
    (0.0024, 0.0248, nan)
    """
    if tasks < FEWEST_TASKS:
        return math.nan
    from scipy.special import ndtr, stdtrit

    t = float(stdtrit(tasks - 1, (1 - level) / 2))
    return float(ndtr(t * math.sqrt(tasks / (tasks - 1))))


def two_level_p(value: float, drawn: FloatArray, tasks: int) -> float:
    """How often a mean so far from 0 comes up by chance, two-sided; NaN for a single task.

    Student's t with T - 1 degrees of freedom, the error from the resamples and widened as the intervals are: unlike
    their percentiles it needs no resample far out in the tail, which a correction for several systems asks for.
    >>> drawn = np.random.default_rng(0).normal(0.3, 0.1, 10_000)
    >>> round(two_level_p(0.3, drawn, tasks=6), 3), two_level_p(0.0, np.zeros(9), tasks=6)
    (0.041, 1.0)
    """
    if tasks < FEWEST_TASKS:
        return math.nan
    from scipy.special import stdtr

    error = float(drawn.std()) * math.sqrt(tasks / (tasks - 1))
    if error == 0:
        return 0.0 if value else 1.0
    return 2 * float(stdtr(tasks - 1, -abs(value) / error))


def two_level_limits(drawn: FloatArray, tasks: int, level: float = 0.95) -> tuple[FloatArray, FloatArray]:
    """Lower and upper limits of each column, from its values in the resamples (rows).

    NaN for a single task, and where all resamples are equal: other tasks could differ, and nothing tells how far.
    """
    tail = expanded_tail(tasks, level)
    if math.isnan(tail):
        nowhere = np.full(drawn.shape[1], np.nan)
        return nowhere, nowhere.copy()
    low, high = np.where(np.ptp(drawn, axis=0) > 0, np.quantile(drawn, [tail, 1 - tail], axis=0), np.nan)
    return low, high
