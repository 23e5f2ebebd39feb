"""Which queries count, and how their values become one number."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np
import polars as pl

from rankscope.arrays import BoolArray, FloatArray
from rankscope.errors import SettingError
from rankscope.inputs.qrels import Qrels
from rankscope.inputs.run import Run
from rankscope.measures.average_precision import AP
from rankscope.measures.counts import NumRel
from rankscope.measures.measure import Measure
from rankscope.measures.scores import Column, class_mean, summarised
from rankscope.ranks.ragged import in_order_sum
from rankscope.ranks.reduce import left_out_pairs, reduce, with_query_counted
from rankscope.ranks.relevant_ranks import RelevantRanks
from rankscope.settings import Settings


def counted_queries(measure: Measure, queries: RelevantRanks, settings: Settings) -> BoolArray:
    """Which queries are in the summary."""
    counted = np.ones(len(queries), dtype=np.bool_)
    if settings.queries == "answered":
        counted &= queries.answered
    if settings.no_relevant == "skip":
        counted &= np.asarray(measure.defined(queries))
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
    if isinstance(measure, NumRel) and settings.trec_eval and settings.queries == "judged":
        return in_order_sum(queries.count_judged(least=np.nextafter(0, 1)).astype(np.float64))
    defined = counted if settings.no_relevant == "zero" else counted & ~np.isnan(values)
    if settings.mean == "class" and queries.classes is not None:
        return class_mean(measure, values[defined], np.array(queries.classes, dtype=object)[defined].tolist())
    return summarised(measure, values[defined], settings.mean)


def with_micro_mean(
    column: Column,
    queries: RelevantRanks,
    settings: Settings,
    qrels: Qrels | None,
    run: Run | None,
    junk: Iterable[tuple[str, str]] = (),
) -> Column:
    """The ratio of sums; for AP the AP of all lists merged by score."""
    measure = column.measure
    if measure.summary == "sum":
        return column
    parts = measure.ratio(queries)
    if parts is not None:
        top, bottom = (in_order_sum(part[column.counted]) for part in parts)
        return replace(column, summary=top / bottom if bottom else float("nan"))
    if isinstance(measure, AP) and qrels is not None and run is not None:
        return replace(column, summary=_merged_ap(measure, qrels, run, settings, junk))
    raise SettingError(f"{measure} has no micro mean; P, R, Rprec, success-like ratios and AP (from run files) have")


def _merged_ap(measure: AP, qrels: Qrels, run: Run, settings: Settings, junk: Iterable[tuple[str, str]]) -> float:
    """AP of the one list that all lists make when merged by score; sensible only if scores can be compared."""
    refused = [f"--{name.replace('_', '-')}" for name in ("depth", "judged_only") if getattr(settings, name)]
    if refused or settings.ties in ("rank", "expected"):
        what = ", ".join([*refused, *([f"--ties {settings.ties}"] if settings.ties in ("rank", "expected") else [])])
        raise SettingError(f"the micro mean of {measure} merges whole lists by score: it cannot go with {what}")
    pairs = [("all", f"{query}\0{item}") for query, item in left_out_pairs(qrels, junk, settings)]
    qrels = with_query_counted(qrels, settings)
    judged = set(qrels.table.get_column("query").unique().to_list())
    both = [pl.lit("all").alias("query"), (pl.col("query") + "\0" + pl.col("item")).alias("item")]
    rows = run.table().filter(pl.col("query").is_in(list(judged)))
    merged_run = Run.from_frame(rows.with_columns(both), run.name)
    merged_qrels = Qrels(qrels.table.with_columns(both), qrels.line, qrels.name, qrels.digest, qrels.word)
    return float(measure.of(reduce(merged_qrels, merged_run, settings.changed(query_item="kept"), junk=pairs))[0])
