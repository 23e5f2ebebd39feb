"""The micro mean: one ratio of sums over all queries that count; for AP that of all lists merged by score."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from rankscope.core.arrays import FloatArray
from rankscope.core.errors import SettingError
from rankscope.core.settings import Settings
from rankscope.core.wording import setting_value
from rankscope.inputs.qrels import Qrels
from rankscope.inputs.run import Run
from rankscope.measures.average_precision import AP
from rankscope.measures.evaluation.scores import Column
from rankscope.measures.measure import Measure
from rankscope.measures.precision_recall import P
from rankscope.measures.whole_list import SetP
from rankscope.ranks.ragged import in_order_sum
from rankscope.ranks.reduction import left_out_pairs, reduce, with_query_counted
from rankscope.ranks.relevant_ranks import RelevantRanks


def with_micro_mean(
    column: Column,
    queries: RelevantRanks,
    settings: Settings,
    qrels: Qrels | None,
    run: Run | None,
    junk: Iterable[tuple[str, str]] = (),
) -> Column:
    """The column with the micro mean as its summary; refused for measures that are no ratio."""
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
    if _order_moves_the_denominator(column.measure, settings):
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


def _order_moves_the_denominator(measure: Measure, settings: Settings) -> bool:
    if isinstance(measure, P) and measure.divisor == "deepest":
        return True
    return isinstance(measure, SetP) and settings.depth is not None and settings.judged_only


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
