"""One measure of one system as a column of values: which queries count, how their values become one number, and what
they are over all orders of equal scores.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from rankscope.core.arrays import BoolArray, FloatArray
from rankscope.core.errors import SettingError
from rankscope.core.peers import peer
from rankscope.core.settings import Settings
from rankscope.core.wording import setting_value
from rankscope.inputs.qrels import Qrels
from rankscope.inputs.run import Run
from rankscope.measures.evaluation.scores import Column
from rankscope.measures.measure import GEOMETRIC_FLOOR, Measure
from rankscope.ranks.ragged import in_order_sum
from rankscope.ranks.relevant_ranks import RelevantRanks
from rankscope.ranks.tie_orders import (
    MOST_ORDERS,
    RANDOM_ORDERS,
    all_items,
    every_order,
    group_of,
    order_counts,
    random_orders,
    sorted_by_worth,
)

if TYPE_CHECKING:
    from rankscope.measures.average_precision import AP

# One measure of one system as a column of values: in a peer's way, and over the orders of equal scores if asked.


def column_of(asked: Measure, whole: RelevantRanks, seen: RelevantRanks, settings: Settings) -> Column:
    """A measure's values, which queries count and the summary; under `ties="expected"` the extremes too."""
    measure = (asked if settings.compat is None else in_peers_way(asked, settings)).bind(seen)
    if settings.ties == "expected":
        return _over_all_orders(asked, measure, whole, seen, settings)
    counted = counted_queries(measure, seen, settings)
    values = measure.of(seen)
    if settings.no_relevant == "zero":
        values = _worst_where_nothing_is_relevant(values, measure, seen)
    return Column(
        measure=measure,
        asked=asked.written,
        values=values,
        counted=counted,
        summary=summary_of(measure, values, counted, seen, settings),
        words=measure.words(seen),
        word=measure.word(seen),
    )


def _over_all_orders(
    asked: Measure, measure: Measure, whole: RelevantRanks, seen: RelevantRanks, settings: Settings
) -> Column:
    """The mean over all orders of equal scores, its standard error, and the worst and the best of them."""
    counted = counted_queries(measure, seen, settings)
    mean, error = mean_over_orders(measure, whole, settings)
    found = [mean, *worst_and_best(measure, whole, settings)]
    if settings.no_relevant == "zero":
        found = [_worst_where_nothing_is_relevant(each, measure, seen) for each in found]
    values, worst, best = found
    summary = summary_of(measure, values, counted, seen, settings)
    unknown = bool((counted & np.isnan(worst) & ~np.isnan(values)).any())
    extremes = [np.nan if unknown else summary_of(measure, each, counted, seen, settings) for each in (worst, best)]
    return Column(
        measure=measure,
        asked=asked.written,
        values=values,
        counted=counted,
        summary=summary,
        worst=worst,
        best=best,
        error=error,
        words=measure.words(seen),
        word=measure.word(seen),
        extremes=(extremes[0], extremes[1]),
        summary_error=summary_error(measure, values, error, counted, seen, settings),
    )


def in_peers_way(measure: Measure, settings: Settings) -> Measure:
    """The measure with the parameters that a peer has fixed, unless they were written by hand."""
    if settings.compat is None:
        return measure
    habits = peer(settings.compat).measures.get(measure.name, {})
    plain = {each.name: each.default for each in fields(measure)}
    changed = {name: value for name, value in habits.items() if getattr(measure, name) == plain[name]}
    return replace(measure, **changed) if changed else measure


def counted_queries(measure: Measure, queries: RelevantRanks, settings: Settings) -> BoolArray:
    """Which queries are in the summary."""
    counted = np.ones(queries.depth.size, dtype=np.bool_)
    if settings.queries == "answered":
        counted &= queries.answered
    if settings.no_relevant == "skip":
        counted &= measure.defined(queries)
    return counted


def _worst_where_nothing_is_relevant(values: FloatArray, measure: Measure, queries: RelevantRanks) -> FloatArray:
    """The values with the worst there is (mostly 0) for queries without a relevant item."""
    return np.where(np.asarray(measure.defined(queries)), values, np.nan_to_num(values, nan=measure.worst))


def summary_of(
    measure: Measure, values: FloatArray, counted: BoolArray, queries: RelevantRanks, settings: Settings
) -> float:
    """One number for all queries that count."""
    if measure.name == "num_rel" and settings.trec_eval and settings.queries == "judged":
        return in_order_sum(queries.count_judged(least=np.nextafter(0, 1)).astype(np.float64))
    defined = counted if settings.no_relevant == "zero" else counted & ~np.isnan(values)
    if settings.mean == "class" and queries.classes is not None:
        return _class_mean(measure, values[defined], np.array(queries.classes, dtype=object)[defined])
    return measure.summarize(values[defined], settings.mean)


def _class_mean(measure: Measure, values: FloatArray, labels: NDArray[np.object_]) -> float:
    """The mean over classes of the mean within each class."""
    if measure.summary == "sum":
        return in_order_sum(values)
    means = [measure.summarize(values[labels == label], "macro") for label in sorted(set(labels.tolist()))]
    return float(np.mean(means)) if means else float("nan")


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
    defined = counted if settings.no_relevant == "zero" else counted & ~np.isnan(values)
    classes = None if queries.classes is None else np.array(queries.classes, dtype=object)[defined]
    weight = _weights(measure, values[defined], settings.mean, classes)
    return float(np.sqrt(((weight * error[defined]) ** 2).sum()))


def _weights(measure: Measure, values: FloatArray, mean: str, classes: NDArray[np.object_] | None) -> FloatArray:
    """By how much the summary moves with each value."""
    if measure.summary == "sum" or values.size == 0:
        return np.ones(values.size)
    if measure.summary == "geometric" or mean == "geometric":
        moves = measure.summarize(values, "geometric") / np.maximum(values, GEOMETRIC_FLOOR)
        return np.where(values > GEOMETRIC_FLOOR, moves, 0.0) / values.size
    if mean == "class" and classes is not None:
        _, number, count = np.unique(classes, return_inverse=True, return_counts=True)
        return 1.0 / (count.size * count[number])
    return np.full(values.size, 1.0 / values.size)


# The micro mean: one ratio of sums over all queries that count; for AP that of all lists merged by score.


def with_micro_mean(
    column: Column,
    queries: RelevantRanks,
    settings: Settings,
    qrels: Qrels | None,
    run: Run | None,
    junk: Iterable[tuple[str, str]] = (),
) -> Column:
    """The column with the micro mean as its summary; refused for measures that are no ratio."""
    from rankscope.measures.average_precision import AP

    measure = column.measure
    if measure.summary == "sum":
        return column
    parts = measure.ratio(queries)
    if parts is not None and settings.ties == "expected":
        return _micro_over_all_orders(column, parts[1], settings)
    if parts is not None:
        return replace(column, summary=_divided(parts[0][column.counted], parts[1][column.counted]))
    if isinstance(measure, AP) and qrels is not None and run is not None:
        counted = [query for query, inside in zip(queries.queries, column.counted.tolist(), strict=True) if inside]
        return replace(column, summary=_merged_ap(measure, qrels, run, settings, junk, counted))
    raise SettingError(f"{measure} has no micro mean; P, R, Rprec, success-like ratios and AP (from run files) have")


def _divided(top: FloatArray, bottom: FloatArray) -> float:
    total = in_order_sum(bottom)
    return in_order_sum(top) / total if total else float("nan")


def _micro_over_all_orders(column: Column, bottom: FloatArray, settings: Settings) -> Column:
    """Mean, error and extremes over the orders of equal scores, where these do not change the denominators."""
    from rankscope.measures.precision_recall import P
    from rankscope.measures.whole_list import SetP

    by_deepest = isinstance(column.measure, P) and column.measure.divisor == "deepest"
    by_judged = isinstance(column.measure, SetP) and settings.depth is not None and settings.judged_only
    if by_deepest or by_judged:
        asked = setting_value("ties", settings.ties)
        raise SettingError(f"the micro mean of {column.measure} has no mean over orders: leave {asked} out")
    counted, weight = column.counted, bottom[column.counted]

    def summed(values: FloatArray | None) -> float:
        inside = np.zeros(weight.size) if values is None else np.where(weight > 0, values[counted], 0.0)
        return _divided(inside * weight, weight)

    error = np.zeros(len(bottom)) if column.error is None else column.error
    spread = float(np.sqrt(((error[counted] * weight) ** 2).sum()))
    return replace(
        column,
        summary=summed(column.values),
        extremes=(summed(column.worst), summed(column.best)),
        summary_error=spread / float(weight.sum()) if weight.sum() else 0.0,
    )


def _merged_ap(
    measure: AP, qrels: Qrels, run: Run, settings: Settings, junk: Iterable[tuple[str, str]], queries: list[str]
) -> float:
    """AP of the one list that the lists of these queries make when merged by score; sensible only if scores can be
    compared.
    """
    refused = {"depth": settings.depth, "judged_only": settings.judged_only, "ties": settings.ties}
    if settings.ties not in ("rank", "expected"):
        del refused["ties"]
    if any(refused.values()):
        what = ", ".join(setting_value(name, value) for name, value in refused.items() if value)
        raise SettingError(f"the micro mean of {measure} merges whole lists by score: it cannot go with {what}")
    import polars as pl

    from rankscope.inputs.tables import SeriesIds
    from rankscope.ranks.reduction import left_out_pairs, reduce, with_query_counted

    pairs = [("all", f"{query}\0{item}") for query, item in left_out_pairs(qrels, junk, settings)]
    qrels = with_query_counted(qrels, settings)
    both = [pl.lit("all").alias("query"), (pl.col("query") + "\0" + pl.col("item")).alias("item")]
    inside = qrels.table.get_column("query").is_in(queries)
    judged, listed = qrels.table.filter(inside), run.table().filter(pl.col("query").is_in(queries))
    nothing = 0.0 if queries and settings.no_relevant == "zero" else float("nan")
    if not listed.height or not judged.height:
        return 0.0 if (judged.get_column("grade") >= measure.rel).any() else nothing
    merged = judged.with_columns(both)
    merged_qrels = Qrels(
        query=SeriesIds(merged.get_column("query")),
        item=SeriesIds(merged.get_column("item")),
        grade=merged.get_column("grade").to_numpy(),
        line=qrels.line[inside.to_numpy()],
        name=qrels.name,
        digest=qrels.digest,
        word=qrels.word,
        files=qrels.files,
    )
    merged_run = Run.from_frame(listed.with_columns(both), run.name)
    ranks = reduce(merged_qrels, merged_run, settings.changed(query_item="kept", scores="descending"), junk=pairs)
    value = float(measure.of(ranks)[0])
    return nothing if np.isnan(value) else value


# A measure over all orders of equal scores: the mean, exact or simulated, and the worst and the best value.


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
