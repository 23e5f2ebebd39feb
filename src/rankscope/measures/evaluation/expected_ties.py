"""A measure over all orders of equal scores: the mean, exact or simulated, and the worst and the best value."""

from __future__ import annotations

import numpy as np

from rankscope.core.arrays import BoolArray, FloatArray
from rankscope.core.settings import Settings
from rankscope.measures.measure import Measure
from rankscope.ranks.relevant_ranks import RelevantRanks
from rankscope.ranks.tie_orders import all_items, every_order, group_of, order_counts, random_orders, sorted_by_worth

RANDOM_ORDERS = 1000
MOST_ORDERS = 5040  # of one query that are all gone through: those of seven items


def mean_over_orders(
    measure: Measure, whole: RelevantRanks, settings: Settings
) -> tuple[FloatArray, FloatArray | None]:
    """The mean of each query over all orders, and its standard error; None where every value is exact.

    Exact where there is a closed form and no group of equal scores goes on behind the depth, and where all orders can
    be gone through; else the mean of seeded random orders.
    """
    seen = whole.seen(settings)
    exact = measure.expected(seen)
    values = (measure.of(seen) if exact is None else exact).copy()
    whole, settings = _condensed_first(whole, seen, settings)
    rows = np.flatnonzero(whole.ties.lengths > 0 if exact is None else _cut_through(whole, settings.depth))
    few = order_counts(whole.take(rows)) <= MOST_ORDERS
    counted, drawn = rows[few], rows[~few]
    if counted.size:
        values[counted] = _over_every_order(measure, whole.take(counted), settings, values[counted])[0]
    if not drawn.size:
        return values, None
    error = np.zeros(len(whole))
    values[drawn], error[drawn] = _simulated(measure, whole.take(drawn), settings, values[drawn])
    return values, error


def _condensed_first(whole: RelevantRanks, seen: RelevantRanks, settings: Settings) -> tuple[RelevantRanks, Settings]:
    """Without a depth, items that are not judged may go before equal scores are ordered, not after."""
    return (seen, settings.changed(judged_only=False)) if settings.depth is None else (whole, settings)


def _cut_through(queries: RelevantRanks, depth: int | None) -> BoolArray:
    """Which queries have a group of equal scores of which a part stands within the depth and a part behind it."""
    if depth is None:
        return np.zeros(len(queries), dtype=np.bool_)
    start, last = queries.ties["start"], queries.ties["start"] + queries.ties["size"] - 1
    return np.asarray(queries.ties.count((start <= depth) & (last > depth)) > 0)


def _over_every_order(
    measure: Measure, queries: RelevantRanks, settings: Settings, near: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Mean, least and greatest value over all orders; deviations from a value `near` lose no digits."""
    near = np.nan_to_num(near)
    total, count = np.zeros(len(queries)), np.zeros(len(queries))
    low, high = np.full(len(queries), np.inf), np.full(len(queries), -np.inf)
    for rows, several in every_order(queries):
        values = measure.of(several.seen(settings))
        total += np.bincount(rows, weights=values - near[rows], minlength=len(queries))
        count += np.bincount(rows, minlength=len(queries))
        with np.errstate(invalid="ignore"):  # a measure may have no value
            np.minimum.at(low, rows, values)
            np.maximum.at(high, rows, values)
    return near + total / count, low, high


def _simulated(
    measure: Measure, queries: RelevantRanks, settings: Settings, near: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Mean and standard error over random orders; deviations from a value `near` lose no digits."""
    near = np.nan_to_num(near)
    total, squares, count = np.zeros(len(queries)), np.zeros(len(queries)), 0
    for several in random_orders(queries, RANDOM_ORDERS, settings.seed):
        values = measure.of(several.seen(settings)).reshape(-1, len(queries)) - near
        total += values.sum(axis=0)
        squares += (values * values).sum(axis=0)
        count += values.shape[0]
    mean = total / count
    return near + mean, np.sqrt(np.maximum(squares / count - mean * mean, 0.0) / (count - 1))


def worst_and_best(measure: Measure, whole: RelevantRanks, settings: Settings) -> tuple[FloatArray, FloatArray]:
    """The extremes over all orders of equal scores; NaN where none is proven to give them and orders are too many."""
    low, high = proven_extremes(measure, whole, settings)
    whole, settings = _condensed_first(whole, whole.seen(settings), settings)
    rows = np.flatnonzero(np.isnan(low) | np.isnan(high))
    rows = rows[order_counts(whole.take(rows)) <= MOST_ORDERS]
    if rows.size:
        _, low[rows], high[rows] = _over_every_order(measure, whole.take(rows), settings, np.zeros(rows.size))
    return (high, low) if measure.lower_is_better else (low, high)


def proven_extremes(measure: Measure, whole: RelevantRanks, settings: Settings) -> tuple[FloatArray, FloatArray]:
    """The lowest and the highest value that are proven without trying orders; NaN where none are."""
    whole, settings = _condensed_first(whole, whole.seen(settings), settings)
    items = all_items(whole)
    unpooled = settings.judged_only & ~items["judged"]
    worth = measure.worth(np.where(unpooled, np.nan, items["grade"]), settings)
    unjudged = float(measure.worth(np.array([np.nan]), settings)[0])
    tied = group_of(whole, items) >= 0
    unknown = measure.unproven(whole, settings) | (items.count(tied & np.isnan(worth + unjudged)) > 0)
    values = [
        measure.of(sorted_by_worth(whole, items, sign * np.nan_to_num(worth), sign * unjudged).seen(settings))
        for sign in (1.0, -1.0)
    ]
    low, high = (np.where(unknown, np.nan, each) for each in (np.minimum(*values), np.maximum(*values)))
    own = measure.extremes(whole, settings)
    if own is not None:
        low, high = (np.where(np.isnan(mine), each, mine) for mine, each in zip(own, (low, high), strict=True))
    return low, high
