"""PyTerrier: result and qrels frames into ours and back, scores as `pt.Experiment` gives them, measures for it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Literal, NamedTuple

import numpy as np
import polars as pl

from rankscope.analysis.statistics.score_table import ScoreTable
from rankscope.core.caching import import_extra
from rankscope.core.errors import SettingError
from rankscope.inputs.qrels import Qrels
from rankscope.inputs.run import Run
from rankscope.measures.evaluation.evaluate import evaluate
from rankscope.measures.evaluation.scores import Scores
from rankscope.measures.notation import parse_measure


class ExperimentFrames(NamedTuple):
    """What `perquery="both"` gives."""

    averages: Any
    perquery: Any


def from_results(frame: Any, name: str = "") -> Run:
    """A run from what a transformer returns: qid, docno and score; where there is no score, rank."""
    return Run.of(frame, name=name)


def from_qrels(frame: Any) -> Qrels:
    """Judgements from `dataset.get_qrels()`: qid, docno, label."""
    return Qrels.of(frame)


def to_results(run: Any) -> Any:
    """A run as PyTerrier's results: qid, docno, score, and rank from 0; equal scores keep the order they came in.

    >>> to_results({"q1": {"a": 1.0, "b": 2.0}}).values.tolist()
    [['q1', 'b', 2.0, 0], ['q1', 'a', 1.0, 1]]
    """
    table = Run.of(run).table().rename({"query": "qid", "item": "docno"})
    first = pl.int_range(pl.len()).first().over("qid")
    ordered = table.sort(first, -pl.col("score"), maintain_order=True)
    return _pandas(ordered.with_columns(pl.int_range(pl.len()).over("qid").alias("rank")))


def to_qrels(qrels: Any) -> Any:
    """Judgements as PyTerrier's qrels: qid, docno, label, grades whole.

    >>> to_qrels({"q1": {"a": 1, "b": 0}}).values.tolist()
    [['q1', 'a', 1], ['q1', 'b', 0]]
    """
    given = Qrels.of(qrels)
    given.need_whole_grades("PyTerrier")
    return _pandas(given.table.select(qid="query", docno="item", label=pl.col("grade").cast(pl.Int64)))


def to_experiment(
    scores: Scores,
    perquery: bool | Literal["both"] = False,
    *,
    baseline: str | None = None,
    round: int | Mapping[str, int] | None = None,
) -> Any:
    """Scores as the frame that `pt.Experiment` returns: a row per system, or with `perquery` a row per value.

    With a `baseline`, by name, columns tell for how many queries each other system is better and worse, and the p-value
    of a paired t-test; `rankscope.compare` tells more. `round` to so many places, of all measures or by measure.
    >>> scores = evaluate({"q": {"a": 1}}, {"bm25": {"q": {"x": 2.0, "a": 1.0}}}, ["AP", "P@2"])
    >>> to_experiment(scores).to_dict("records")
    [{'name': 'bm25', 'AP': 0.5, 'P@2': 0.5}]
    >>> to_experiment(scores, perquery=True).values.tolist()
    [['bm25', 'q', 'AP', 0.5], ['bm25', 'q', 'P@2', 0.5]]
    """
    if perquery == "both":
        return ExperimentFrames(_averages(scores, baseline, round), _per_query(scores, round))
    return _per_query(scores, round) if perquery else _averages(scores, baseline, round)


def _averages(scores: Scores, baseline: str | None, round: int | Mapping[str, int] | None) -> Any:
    columns = scores.means().rename({"system": "name"})
    columns = columns.with_columns(pl.col(name).round(places) for name, places in _places(scores, round).items())
    frame = _pandas(columns)
    for name, values in _beside(scores, baseline).items() if baseline is not None else ():
        frame[name] = values
    return frame


def _beside(scores: Scores, baseline: str | None) -> dict[str, list[float | None]]:
    """Of each measure: better and worse queries than the baseline's, and the p-value of a paired t-test."""
    from scipy import stats

    names = [each.name for each in scores.systems]
    if baseline not in names:
        raise SettingError(f"baseline={baseline!r}: there is no such system. There are: {', '.join(names)}")
    columns: dict[str, list[float | None]] = {}
    for measure in scores.measures:
        table = ScoreTable.of(scores, measure).complete()
        base = table.values[:, [table.number(str(baseline))]]
        with np.errstate(invalid="ignore", divide="ignore"):
            p_value = stats.ttest_rel(table.values, base).pvalue
        found = {"+": (table.values > base).sum(axis=0), "-": (table.values < base).sum(axis=0), "p-value": p_value}
        for sign, values in found.items():
            columns[f"{measure} {sign}"] = [
                None if name == baseline else float(value) for name, value in zip(names, values, strict=True)
            ]
    return columns


def _per_query(scores: Scores, round: int | Mapping[str, int] | None) -> Any:
    """Name, qid, measure, value, of the queries that count, sorted by name and query."""
    long = scores.to_polars().filter(pl.col("counted") & pl.col("value").is_not_null())
    frame = long.select(name="system", qid="query", measure="measure", value="value")
    for measure, places in _places(scores, round).items():
        value = pl.when(measure=measure).then(pl.col("value").round(places)).otherwise("value")
        frame = frame.with_columns(value=value)
    order = {measure: place for place, measure in enumerate(scores.measures)}
    place = pl.col("measure").replace_strict(order, return_dtype=pl.Int64)
    return _pandas(frame.sort("name", "qid", place))


def _places(scores: Scores, round: int | Mapping[str, int] | None) -> dict[str, int]:
    """To how many places each measure is rounded."""
    if round is None:
        return {}
    given = dict.fromkeys(scores.measures, round) if isinstance(round, int) else dict(round)
    return {measure: places for measure, places in given.items() if measure in scores.measures}


def measure(text: str, **settings: Any) -> Any:
    """A measure of ours for `pt.Experiment(..., eval_metrics=[measure("nDCG(gain=exp)@10")])`, or for ir_measures.

    Settings are those of `rankscope.evaluate`: `measure("AP", ties="expected")`. Values are of the queries that count.
    """
    package = import_extra("ir_measures", "ir_measures", "peers")
    name = str(parse_measure(text))

    def values(qrels: Any, run: Any) -> Iterator[tuple[str, float]]:
        (system,) = evaluate(qrels, run, [text], **settings).systems
        (column,) = system.columns
        for query, value, counts in zip(system.ranks.queries, column.values, column.counted, strict=True):
            if counts and not np.isnan(value):
                yield query, float(value)

    return package.define(values, name=name, support_cutoff=False)


def _pandas(frame: pl.DataFrame) -> Any:
    package = import_extra("pandas", "pandas", "pandas")
    return package.DataFrame(frame.to_dict(as_series=False))
