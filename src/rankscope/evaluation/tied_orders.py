"""A measure over all orders of equal scores: the mean, exact or simulated, and the worst and the best value."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from rankscope.arrays import BoolArray, FloatArray
from rankscope.measures.measure import Measure
from rankscope.ranks.expectation import group_of
from rankscope.ranks.orders import all_items, random_orders, sorted_by_worth
from rankscope.ranks.relevant_ranks import RelevantRanks
from rankscope.settings import Settings

RANDOM_ORDERS = 1000


def seen_of(ranks: RelevantRanks, settings: Settings) -> RelevantRanks:
    """The rankings as far as they count: cut at the depth, then without what is not judged."""
    cut = ranks.cut(settings.depth)
    if not settings.judged_only:
        return cut
    return replace(cut.condensed(), provenance={**cut.provenance, "condensed": True})


def mean_over_orders(
    measure: Measure, whole: RelevantRanks, settings: Settings
) -> tuple[FloatArray, FloatArray | None]:
    """The mean of each query over all orders, and its standard error; None where every value is exact.

    Exact where there is a closed form and no group of equal scores goes on behind the depth; else the mean of seeded
    random orders.
    """
    seen = seen_of(whole, settings)
    exact = measure.expected(seen)
    simulated = _has_ties(whole) if exact is None else _cut_through(whole, settings.depth)
    values = measure.of(seen) if exact is None else exact
    rows = np.flatnonzero(simulated)
    if rows.size == 0:
        return values, None
    values, error = values.copy(), np.zeros(len(whole))
    values[rows], error[rows] = _simulated(measure, whole.take(rows), settings, values[rows])
    return values, error


def _has_ties(queries: RelevantRanks) -> BoolArray:
    return np.asarray(queries.ties.lengths > 0)


def _cut_through(queries: RelevantRanks, depth: int | None) -> BoolArray:
    """Which queries have a group of equal scores of which a part stands within the depth and a part behind it."""
    if depth is None:
        return np.zeros(len(queries), dtype=np.bool_)
    start, last = queries.ties["start"], queries.ties["start"] + queries.ties["size"] - 1
    return np.asarray(queries.ties.count((start <= depth) & (last > depth)) > 0)


def _simulated(
    measure: Measure, queries: RelevantRanks, settings: Settings, near: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Mean and standard error over random orders; deviations from a value `near` lose no digits."""
    near = np.nan_to_num(near)
    total, squares, count = np.zeros(len(queries)), np.zeros(len(queries)), 0
    for several in random_orders(queries, RANDOM_ORDERS, settings.seed):
        values = measure.of(seen_of(several, settings)).reshape(-1, len(queries)) - near
        total += values.sum(axis=0)
        squares += (values * values).sum(axis=0)
        count += values.shape[0]
    mean = total / count
    return near + mean, np.sqrt(np.maximum(squares / count - mean * mean, 0.0) / (count - 1))


def worst_and_best(measure: Measure, whole: RelevantRanks, settings: Settings) -> tuple[FloatArray, FloatArray]:
    """The extremes over all orders of equal scores; NaN where no order is proven to give them."""
    if settings.depth is None:
        whole, settings = seen_of(whole, settings), settings.changed(judged_only=False)
    items = all_items(whole)
    unpooled = settings.judged_only & ~items["judged"]
    worth = measure.worth(np.where(unpooled, np.nan, items["grade"]), settings)
    unjudged = float(measure.worth(np.array([np.nan]), settings)[0])
    tied = group_of(whole, items) >= 0
    unknown = measure.unproven(whole, settings) | (items.count(tied & np.isnan(worth + unjudged)) > 0)
    values = [
        measure.of(seen_of(sorted_by_worth(whole, items, sign * np.nan_to_num(worth), sign * unjudged), settings))
        for sign in (1.0, -1.0)
    ]
    low, high = (np.where(unknown, np.nan, each) for each in (np.minimum(*values), np.maximum(*values)))
    own = measure.extremes(whole, settings)
    if own is not None:
        low, high = (np.where(np.isnan(mine), each, mine) for mine, each in zip(own, (low, high), strict=True))
    return (high, low) if measure.lower_is_better else (low, high)
