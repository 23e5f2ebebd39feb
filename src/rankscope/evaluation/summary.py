"""Which queries count, and how their values become one number."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankscope.arrays import BoolArray, FloatArray
from rankscope.evaluation.scores import GEOMETRIC_FLOOR, class_mean, summary_value
from rankscope.measures.measure import Measure
from rankscope.ranks.ragged import in_order_sum
from rankscope.ranks.relevant_ranks import RelevantRanks
from rankscope.settings import Settings


def counted_queries(measure: Measure, queries: RelevantRanks, settings: Settings) -> BoolArray:
    """Which queries are in the summary."""
    counted = np.ones(len(queries), dtype=np.bool_)
    if settings.queries == "answered":
        counted &= queries.answered
    if settings.no_relevant == "skip":
        counted &= measure.defined(queries)
    return counted


def zero_where_nothing_is_relevant(
    values: FloatArray, measure: Measure, queries: RelevantRanks, settings: Settings
) -> FloatArray:
    """The values with the worst there is (mostly 0) for queries without a relevant item, where the settings say so."""
    if settings.no_relevant != "zero":
        return values
    return np.where(np.asarray(measure.defined(queries)), values, np.nan_to_num(values, nan=measure.worst))


def summary_of(
    measure: Measure, values: FloatArray, counted: BoolArray, queries: RelevantRanks, settings: Settings
) -> float:
    """One number for all queries that count."""
    if measure.name == "num_rel" and settings.trec_eval and settings.queries == "judged":
        return in_order_sum(queries.count_judged(least=np.nextafter(0, 1)).astype(np.float64))
    defined = _in_summary(values, counted, settings)
    if settings.mean == "class" and queries.classes is not None:
        return class_mean(measure, values[defined], np.array(queries.classes, dtype=object)[defined].tolist())
    return summary_value(measure, values[defined], settings.mean)


def _in_summary(values: FloatArray, counted: BoolArray, settings: Settings) -> BoolArray:
    return counted if settings.no_relevant == "zero" else counted & ~np.isnan(values)


def summary_error(
    measure: Measure,
    values: FloatArray,
    error: FloatArray | None,
    counted: BoolArray,
    queries: RelevantRanks,
    settings: Settings,
) -> float:
    """The standard error of a summary whose values were simulated query by query; 0 where they are exact."""
    if error is None:
        return 0.0
    defined = _in_summary(values, counted, settings)
    classes = None if queries.classes is None else np.array(queries.classes, dtype=object)[defined]
    weight = _weights(measure, values[defined], settings.mean, classes)
    return float(np.sqrt(((weight * error[defined]) ** 2).sum()))


def _weights(measure: Measure, values: FloatArray, mean: str, classes: NDArray[np.object_] | None) -> FloatArray:
    """By how much the summary moves with each value."""
    if measure.summary == "sum" or values.size == 0:
        return np.ones(values.size)
    if measure.summary == "geometric" or mean == "geometric":
        moves = summary_value(measure, values, "geometric") / np.maximum(values, GEOMETRIC_FLOOR)
        return np.where(values > GEOMETRIC_FLOOR, moves, 0.0) / values.size
    if mean == "class" and classes is not None:
        _, number, count = np.unique(classes, return_inverse=True, return_counts=True)
        return 1.0 / (count.size * count[number])
    return np.full(values.size, 1.0 / values.size)
