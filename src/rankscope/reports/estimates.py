"""Means with their bootstrap intervals, and how far each system is from the first, query by query."""

from __future__ import annotations

import inspect
import math
from dataclasses import dataclass

import numpy as np

from rankscope.arrays import FloatArray
from rankscope.measures.coverage_report import is_complete
from rankscope.measures.measure import Measure
from rankscope.measures.scores import GEOMETRIC_FLOOR, Column, Scores
from rankscope.reports.grid import numeric_columns
from rankscope.statistics.bootstrap import Intervals, bootstrap_means

EQUAL = 1e-9


@dataclass(frozen=True)
class Estimate:
    """A number and its interval; NaN where there is none."""

    value: float
    low: float = math.nan
    high: float = math.nan

    @property
    def has_interval(self) -> bool:
        """Whether chance was reckoned."""
        return not math.isnan(self.low)

    @property
    def leaves_out_zero(self) -> bool:
        """Whether the whole interval lies on one side of zero."""
        return self.has_interval and (self.low > EQUAL or self.high < -EQUAL)


@dataclass(frozen=True)
class Difference:
    """A system less the first one, over the queries that both have; who wins how many of them."""

    estimate: Estimate
    better: int
    worse: int
    equal: int
    lower_is_better: bool = False

    @property
    def side(self) -> str:
        """better or worse where the interval says so, else nothing."""
        if not self.estimate.leaves_out_zero:
            return ""
        return "worse" if (self.estimate.value > 0) == self.lower_is_better else "better"


@dataclass(frozen=True)
class MeasureRow:
    """One measure of all systems; `differences` are of the second, third, ... from the first."""

    asked: str
    measure: Measure
    means: tuple[Estimate, ...]
    differences: tuple[Difference, ...]

    @property
    def meaning(self) -> str:
        """What the measure says, in a sentence."""
        text = " ".join(inspect.cleandoc(type(self.measure).__doc__ or "").split("\n\n")[0].split())
        text = text.replace("`scope`", str(getattr(self.measure, "scope", ""))).replace("`", "")
        return text.replace("any of the first 1 items", "the first item")

    @property
    def lower_is_better(self) -> bool:
        """Whether a small number is a good one."""
        return self.measure.lower_is_better

    @property
    def best(self) -> int | None:
        """Which system is ahead; None if there is no choice."""
        values = [math.nan if self.measure.counts else each.value for each in self.means]
        known = [value for value in values if not math.isnan(value)]
        if len(values) < 2 or not known:
            return None
        return values.index(min(known) if self.lower_is_better else max(known))


@dataclass(frozen=True)
class Estimates:
    """All measures, and how the intervals were made."""

    rows: tuple[MeasureRow, ...]
    how: str
    unit: str = "queries"  # what was drawn

    def row(self, *wanted: str) -> MeasureRow | None:
        """The first of these measures that was computed."""
        return next((row for name in wanted for row in self.rows if row.asked == name), None)

    @property
    def main(self) -> MeasureRow | None:
        """The first measure asked for that has an interval."""
        return next((row for row in self.rows if row.means[0].has_interval), None)


def estimates_of(scores: Scores) -> Estimates:
    """Every measure that is a number, in the order asked for."""
    systems = scores.systems
    shown = [numeric_columns(system) for system in systems]
    queries = sorted({query for system in systems for query in system.ranks.queries}, key=str.encode)
    place = {query: row for row, query in enumerate(queries)}
    where = [np.array([place[query] for query in system.ranks.queries], dtype=np.int64) for system in systems]
    tables = [
        [_placed(column, rows, len(queries)) for column in columns] for columns, rows in zip(shown, where, strict=True)
    ]
    count = len(shown[0]) if shown else 0
    columns = [table[number] for table in tables for number in range(count)]
    columns += [table[number] - tables[0][number] for table in tables[1:] for number in range(count)]
    if not columns or not queries:
        return Estimates((), "")
    made = bootstrap_means(np.stack(columns, axis=1), classes=_classes(scores, queries), seed=scores.settings.seed)
    rows = tuple(_row(scores, shown, columns, made, number, count) for number in range(count))
    return Estimates(rows, _how(made), made.unit)


def _placed(column: Column, rows: np.ndarray[tuple[int], np.dtype[np.int64]], queries: int) -> FloatArray:
    """A value for each query of all systems; NaN where the summary does not count it."""
    placed = np.full(queries, np.nan)
    values = np.where(column.counted, column.values, np.nan)
    placed[rows] = np.log(np.maximum(values, GEOMETRIC_FLOOR)) if column.measure.summary == "geometric" else values
    return placed


def _row(
    scores: Scores, shown: list[list[Column]], columns: list[FloatArray], made: Intervals, number: int, count: int
) -> MeasureRow:
    systems = len(shown)
    means, differences = [], []
    for each in range(systems):
        means.append(_mean(shown[each][number], made, each * count + number, scores.settings.mean))
    for each in range(1, systems if _is_mean(shown[0][number], scores.settings.mean) else 1):
        place = (systems + each - 1) * count + number
        differences.append(_difference(columns[place], made, place, shown[0][number].measure.lower_is_better))
    return MeasureRow(shown[0][number].asked, shown[0][number].measure, tuple(means), tuple(differences))


def _is_mean(column: Column, mean: str) -> bool:
    return column.measure.summary == "mean" and mean == "macro"


def _mean(column: Column, made: Intervals, place: int, mean: str) -> Estimate:
    """The summary as every table shows it, with the interval where it is a mean over queries."""
    low, high = float(made.low[place]), float(made.high[place])
    if column.measure.summary == "geometric" and mean == "macro":
        return Estimate(column.summary, math.exp(low), math.exp(high))
    return Estimate(column.summary, low, high) if _is_mean(column, mean) else Estimate(column.summary)


def _difference(values: FloatArray, made: Intervals, place: int, lower_is_better: bool) -> Difference:
    known = values[~np.isnan(values)] * (-1 if lower_is_better else 1)
    better, worse = int((known > EQUAL).sum()), int((known < -EQUAL).sum())
    estimate = Estimate(float(made.mean[place]), float(made.low[place]), float(made.high[place]))
    return Difference(estimate, better, worse, known.size - better - worse, lower_is_better)


def _classes(scores: Scores, queries: list[str]) -> list[str] | None:
    """The class of each query where classes are what queries look for, so that those of one class hang together.

    Classes that were given to part the table by (`--by`) are kinds of queries, not a sample of classes.
    """
    if scores.by_class_wanted or not all(is_complete(system.ranks) for system in scores.systems):
        return None
    known: dict[str, str] = {}
    for system in scores.systems:
        if system.ranks.classes is None:
            return None
        known.update(zip(system.ranks.queries, system.ranks.classes, strict=True))
    return [known[query] for query in queries]


def _how(made: Intervals) -> str:
    drawn = (
        f"{made.units:,} classes drawn with replacement, and within each its queries, because queries of one class "
        "look for the same items"
        if made.unit == "classes"
        else f"{made.units:,} queries drawn with replacement"
    )
    return f"{made.level:.0%} intervals: percentile bootstrap, {drawn}; {made.resamples:,} resamples, seed {made.seed}."
