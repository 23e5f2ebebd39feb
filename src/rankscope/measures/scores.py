"""The result: one long table (system, query, class, measure, value), its summaries, and what must be said beside it."""

from __future__ import annotations

import html
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl

from rankscope.arrays import BoolArray, FloatArray
from rankscope.measures.measure import Measure
from rankscope.ranks.ragged import in_order_sum
from rankscope.ranks.relevant_ranks import RelevantRanks
from rankscope.settings import Settings

GEOMETRIC_FLOOR = 1e-5


@dataclass(frozen=True, eq=False)
class Column:
    """One measure of one system: a value per query, NaN where undefined, and which queries count in the summary.

    Under `ties="expected"` it also holds the worst and best order's values, and the error of a mean over random orders.
    """

    measure: Measure
    asked: str
    values: FloatArray
    counted: BoolArray
    summary: float
    worst: FloatArray | None = None
    best: FloatArray | None = None
    error: FloatArray | None = None
    words: list[str] | None = None  # for values that are no numbers: one per query
    word: str | None = None  # or one for the run
    extremes: tuple[float, float] | None = None  # summary of the worst and of the best order

    @property
    def averaged(self) -> int:
        """How many queries are in the summary."""
        return int(self.counted.sum())

    @property
    def floored(self) -> int:
        """For a geometric mean: how many queries stand at its floor."""
        return int((self.values[self.counted] <= GEOMETRIC_FLOOR).sum()) if self.measure.summary == "geometric" else 0


@dataclass(frozen=True, eq=False)
class SystemScores:
    """All measures of one system, with the rankings they were made from."""

    ranks: RelevantRanks
    columns: tuple[Column, ...]

    @property
    def name(self) -> str:
        """What the system is called."""
        return self.ranks.system

    @cached_property
    def status(self) -> list[str]:
        """What is to be known of each query: answered, missing, or no relevant (item judged)."""
        relevant = self.ranks.relevant > 0
        answered = self.ranks.answered
        return np.where(~relevant, "no relevant", np.where(answered, "answered", "missing")).tolist()


@dataclass(frozen=True)
class Coverage:
    """How many queries were judged, answered, and neither; how much is tied and unjudged."""

    judged: int
    answered: int
    missing: tuple[str, ...]
    no_relevant: tuple[str, ...]
    not_judged: tuple[str, ...]
    straddling_pairs: int
    tied_groups: int
    unjudged_share: float
    unjudged_at_10: float


@dataclass(frozen=True, eq=False)
class Scores:
    """What `evaluate` returns. `scores["bm25", "AP"]` is a mean; `to_polars()` the long table, one row per value.

    >>> from rankscope.measures.evaluate import evaluate
    >>> scores = evaluate({"q1": {"a": 1}, "q2": {"b": 1}}, {"q1": {"a": 2.0, "x": 1.0}}, ["RR"])
    >>> scores["RR"], scores.systems[0].status
    (0.5, ['answered', 'missing'])
    """

    systems: tuple[SystemScores, ...]
    settings: Settings = field(default_factory=Settings)

    @property
    def measures(self) -> tuple[str, ...]:
        """The measures as they were asked for."""
        return tuple(column.asked for column in self.systems[0].columns) if self.systems else ()

    def __getitem__(self, key: str | tuple[str, str]) -> float:
        """The summary of a measure: `scores["AP"]` with one system, else `scores["bm25", "AP"]`."""
        system, measure = key if isinstance(key, tuple) else (None, key)
        if system is None and len(self.systems) != 1:
            raise KeyError(f"there are {len(self.systems)} systems: write scores[system, {measure!r}]")
        for each in self.systems:
            for column in each.columns if system in (None, each.name) else ():
                if measure in (column.asked, str(column.measure)):
                    return column.summary
        raise KeyError(key)

    def to_polars(self) -> pl.DataFrame:
        """The long table: system, query, class, measure, value (null where undefined), status, counted."""
        frames = [_long(system, column) for system in self.systems for column in system.columns]
        return pl.concat(frames) if frames else pl.DataFrame()

    def to_pandas(self) -> Any:
        """The long table as a pandas frame."""
        try:
            import pandas as pd
        except ImportError:
            from rankscope.errors import MissingExtra

            raise MissingExtra("pandas", "pandas") from None
        return pd.DataFrame(self.to_polars().to_dict(as_series=False))

    def means(self) -> pl.DataFrame:
        """One row per system, one column per measure: the summaries."""
        return pl.DataFrame(
            [
                {"system": each.name, **{column.asked: column.summary for column in each.columns}}
                for each in self.systems
            ]
        )

    def by_class(self) -> pl.DataFrame:
        """Means within each class of queries: system, class, measure, mean, and how many queries it has."""
        rows = []
        for system in self.systems:
            labels = np.array(system.ranks.classes or [""] * len(system.ranks), dtype=object)
            for column in system.columns:
                for label in sorted(set(labels.tolist())):
                    chosen = column.counted & (labels == label)
                    mean = summarised(column.measure, column.values[chosen], "macro")
                    rows.append((system.name, label, column.asked, mean, int(chosen.sum())))
        schema = {
            "system": pl.String,
            "class": pl.String,
            "measure": pl.String,
            "mean": pl.Float64,
            "queries": pl.Int64,
        }
        return pl.DataFrame(rows, schema=schema, orient="row")

    def coverage(self) -> dict[str, Coverage]:
        """What must be said beside every number, per system."""
        return {system.name: _coverage(system) for system in self.systems}

    def warnings(self) -> list[str]:
        """The same in words, most important first; empty when there is nothing to say."""
        return [line for system in self.systems for line in _warnings(system, self.settings)]

    def __iter__(self) -> Iterator[SystemScores]:
        return iter(self.systems)

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{html.escape(name)}</th>" for name in ("system", *self.measures))
        body = "".join(
            f"<tr><td>{html.escape(each.name)}</td>"
            + "".join(f"<td>{c.summary:.4f}</td>" for c in each.columns)
            + "</tr>"
            for each in self.systems
        )
        notes = "".join(f"<li>{html.escape(line)}</li>" for line in self.warnings())
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table><ul>{notes}</ul>"


def summarised(measure: Measure, values: FloatArray, mean: str) -> float:
    """One number from the values of the queries that count; NaN where none does."""
    if measure.summary == "sum":
        return in_order_sum(values)
    if values.size == 0:
        return float("nan")
    if measure.summary == "geometric" or mean == "geometric":
        return float(np.exp(in_order_sum(np.log(np.maximum(values, GEOMETRIC_FLOOR))) / values.size))
    return in_order_sum(values) / values.size


def class_mean(measure: Measure, values: FloatArray, classes: Sequence[str]) -> float:
    """The mean over classes of the mean within each class."""
    if measure.summary == "sum":
        return in_order_sum(values)
    labels = np.array(classes, dtype=object)
    means = [summarised(measure, values[labels == label], "macro") for label in sorted(set(classes))]
    return float(np.mean(means)) if means else float("nan")


def _long(system: SystemScores, column: Column) -> pl.DataFrame:
    count = len(system.ranks)
    return pl.DataFrame(
        {
            "system": pl.Series([system.name] * count, dtype=pl.String),
            "query": pl.Series(system.ranks.queries, dtype=pl.String),
            "class": pl.Series(system.ranks.classes or [None] * count, dtype=pl.String),
            "measure": pl.Series([column.asked] * count, dtype=pl.String),
            "value": pl.Series(column.values, dtype=pl.Float64).fill_nan(None),
            "status": pl.Series(system.status, dtype=pl.String),
            "counted": pl.Series(column.counted, dtype=pl.Boolean),
        }
    )


def _coverage(system: SystemScores) -> Coverage:
    ranks, status = system.ranks, system.status
    return Coverage(
        judged=len(ranks),
        answered=int(ranks.answered.sum()),
        missing=tuple(query for query, there in zip(ranks.queries, ranks.answered.tolist(), strict=True) if not there),
        no_relevant=tuple(query for query, each in zip(ranks.queries, status, strict=True) if each == "no relevant"),
        not_judged=ranks.not_judged,
        straddling_pairs=ranks.straddling_pairs(),
        tied_groups=ranks.ties.size,
        unjudged_share=ranks.unjudged_share(),
        unjudged_at_10=ranks.unjudged_share(10),
    )


def _some(names: Sequence[str], most: int = 4) -> str:
    return ", ".join(names[:most]) + (", ..." if len(names) > most else "")


def _warnings(system: SystemScores, settings: Settings) -> list[str]:
    seen, lines = _coverage(system), []
    if seen.missing:
        fate = "count as 0" if settings.queries == "judged" else "are left out"
        lines.append(f"{len(seen.missing)} judged queries are missing from the run and {fate}: {_some(seen.missing)}")
    if seen.no_relevant:
        fate = "count as 0" if settings.no_relevant == "zero" else "are left out of means"
        lines.append(f"{len(seen.no_relevant)} queries have no relevant item and {fate}: {_some(seen.no_relevant)}")
    if seen.not_judged:
        lines.append(
            f"{len(seen.not_judged)} queries of the run are not judged and are ignored: {_some(seen.not_judged)}"
        )
    if seen.straddling_pairs:
        rule = {"expected": "the mean over all orders is shown"}.get(settings.ties, f"--ties {settings.ties} decides")
        lines.append(f"{seen.straddling_pairs} pairs of equal score are split by relevance: {rule}")
    if seen.unjudged_at_10 > 0:
        lines.append(f"{seen.unjudged_at_10:.0%} of the first 10 items are not judged and count as not relevant")
    for column in system.columns:
        if column.floored:
            lines.append(f"{column.asked}: {column.floored} queries stand at the floor of 1e-5")
    return [f"{system.name}: {line}" for line in lines]
