"""Means with their intervals, in all and by class, and how far each system is from the first, as the tests judge it."""

from __future__ import annotations

import inspect
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from rankscope.analysis.statistics.bootstrap import ENOUGH
from rankscope.analysis.statistics.mean_intervals import mean_intervals
from rankscope.analysis.statistics.sampling_units import classes_are_targets
from rankscope.analysis.statistics.score_table import MOST_CLASSES, ScoreTable
from rankscope.core.arrays import FloatArray
from rankscope.core.errors import SettingError
from rankscope.core.wording import how_many
from rankscope.measures.direction import Side, best_first, tally
from rankscope.measures.evaluation.score_tables import numeric_columns
from rankscope.measures.evaluation.scores import Column, Scores
from rankscope.measures.measure import GEOMETRIC_FLOOR, Measure

if TYPE_CHECKING:
    from rankscope.analysis.comparison.compare import Compared, MeasureCompared
    from rankscope.analysis.comparison.pairwise import Comparison
    from rankscope.analysis.statistics.bootstrap import Intervals


SHUFFLED = 200_000_000  # values in all that the test in addition to the verdict shuffles, as far as the next two allow
FEWEST_PERMUTATIONS, MOST_PERMUTATIONS = 1_000, 10_000


@dataclass(frozen=True)
class Estimate:
    """A number and its interval; NaN where there is none."""

    value: float
    low: float = math.nan
    high: float = math.nan

    @property
    def has_interval(self) -> bool:
        """Whether chance was taken into account."""
        return not math.isnan(self.low)


@dataclass(frozen=True)
class Difference:
    """A system minus the first one, over the queries that both have; who wins how many of them.

    `side` is better or worse than the first where the corrected test says so, else nothing.
    """

    estimate: Estimate
    better: int
    worse: int
    equal: int
    side: Side = ""


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
        if len(values) < 2 or all(map(math.isnan, values)):
            return None
        return best_first(values, self.lower_is_better)[0]


@dataclass(frozen=True)
class Estimates:
    """All measures, and how the intervals were made."""

    rows: tuple[MeasureRow, ...]
    how: str  # intervals of means
    unit: str = "queries"  # what was drawn
    how_compared: str = ""  # intervals and tests of differences

    def row(self, *wanted: str) -> MeasureRow | None:
        """The first of these measures that was computed."""
        return next((row for name in wanted for row in self.rows if row.asked == name), None)

    @property
    def main(self) -> MeasureRow | None:
        """The first measure asked for that has an interval."""
        return next((row for row in self.rows if row.means[0].has_interval), None)


def compared_of(scores: Scores, baseline: str = "") -> Compared | None:
    """All systems compared; None where there is one, or one query, or where nothing is a plain mean over queries."""
    if len(scores.systems) < 2 or scores.settings.mean != "macro" or _queries(scores) < 2:
        return None
    from rankscope.analysis.comparison.compare import compare

    try:
        shuffled = permutations_for(_queries(scores) * len(scores.systems))
        return compare(scores, baseline=baseline or None, seed=scores.settings.seed, permutations=shuffled)
    except SettingError:
        return None


def permutations_for(values: int) -> int:
    """How many permutations Tukey's test draws of a table of so many values: of large ones fewer.

    >>> permutations_for(30 * 25), permutations_for(2_000 * 25), permutations_for(2_000 * 100)
    (10000, 4000, 1000)
    """
    return int(np.clip(SHUFFLED // max(values, 1) // 1000 * 1000, FEWEST_PERMUTATIONS, MOST_PERMUTATIONS))


def _queries(scores: Scores) -> int:
    return max(len(system.ranks) for system in scores.systems)


def estimates_of(scores: Scores, compared: Compared | None = None) -> Estimates:
    """Every measure that is a number, in the order asked for."""
    systems = scores.systems
    shown = [numeric_columns(system) for system in systems]
    queries = sorted({query for system in systems for query in system.ranks.queries}, key=str.encode)
    place = {query: row for row, query in enumerate(queries)}
    where = [np.array([place[query] for query in system.ranks.queries], dtype=np.int64) for system in systems]
    columns = [_placed(column, rows, len(queries)) for own, rows in zip(shown, where, strict=True) for column in own]
    if not columns or not queries:
        return Estimates((), "")
    classes = _classes(scores, queries) if classes_are_targets(scores) else None
    every, mean = [column for own in shown for column in own], scores.settings.mean
    bounds = np.array([_bounds(column) for column in every]).T
    intervals = mean_intervals(np.stack(columns, axis=1), classes, seed=scores.settings.seed, bounds=tuple(bounds))
    told = np.flatnonzero([mean == "macro" and column.measure.summary in ("mean", "geometric") for column in every])
    names = tuple(system.name for system in systems)
    rows = tuple(_row(shown, intervals, number, names, compared, mean) for number in range(len(shown[0])))
    how = intervals.take(told).told if told.size else ""
    return Estimates(rows, how, intervals.unit, _how_compared(compared))


def _bounds(column: Column) -> tuple[float, float]:
    """What a value can be, as intervals see it."""
    low, high = column.measure.bounds()
    if column.measure.summary != "geometric":
        return low, high
    return math.log(max(low, GEOMETRIC_FLOOR)), math.log(high)


def _placed(column: Column, rows: np.ndarray[tuple[int], np.dtype[np.int64]], queries: int) -> FloatArray:
    """A value for each query of all systems; NaN where the summary does not count it."""
    placed = np.full(queries, np.nan)
    values = np.where(column.counted, column.values, np.nan)
    placed[rows] = np.log(np.maximum(values, GEOMETRIC_FLOOR)) if column.measure.summary == "geometric" else values
    return placed


def _row(
    shown: list[list[Column]],
    intervals: Intervals,
    number: int,
    names: tuple[str, ...],
    compared: Compared | None,
    mean: str,
) -> MeasureRow:
    """One measure of all systems, and how far each is from the first."""
    first, count = shown[0][number], len(shown[0])
    means = [_mean(columns[number], intervals, each * count + number, mean) for each, columns in enumerate(shown)]
    tested = [one for one in compared.measures if one.measure == first.asked] if compared is not None else []
    differences = _differences(tested[0], [compared.stands_for(name) for name in names]) if compared and tested else ()
    return MeasureRow(first.asked, first.measure, tuple(means), differences)


def _differences(judged: MeasureCompared, names: list[str]) -> tuple[Difference, ...]:
    """Each system minus the first one; one that equals the first differs nowhere."""
    first, *others = names
    pairs = {pair.second: pair for pair in judged.pairs if pair.first == first}
    nowhere = Difference(Estimate(0.0), 0, 0, len(judged.table))
    return tuple(nowhere if name == first else _difference(judged, pairs[name]) for name in others)


def _difference(judged: MeasureCompared, pair: Comparison) -> Difference:
    better, worse, equal = tally(judged.differences(pair), judged.table.lower_is_better)
    side: Side = "" if not pair.better else "better" if pair.better == pair.second else "worse"
    estimate = Estimate(pair.difference, pair.low, pair.high)
    return Difference(estimate=estimate, better=better, worse=worse, equal=equal, side=side)


def _mean(column: Column, intervals: Intervals, place: int, mean: str) -> Estimate:
    """The summary as every table shows it, with the interval where it is a mean over queries."""
    low, high = float(intervals.low[place]), float(intervals.high[place])
    if column.measure.summary == "geometric" and mean == "macro":
        return Estimate(column.summary, math.exp(low), math.exp(high))
    is_mean = column.measure.summary == "mean" and mean == "macro"
    return Estimate(column.summary, low, high) if is_mean else Estimate(column.summary)


def _classes(scores: Scores, queries: list[str]) -> list[str]:
    known: dict[str, str] = {}
    for system in scores.systems:
        known.update(zip(system.ranks.queries, system.ranks.classes or (), strict=True))
    return [known[query] for query in queries]


def _how_compared(compared: Compared | None) -> str:
    """How intervals of differences were made, and over what their tests are corrected."""
    if compared is None:
        return ""
    from rankscope.analysis.statistics.deciding_test import DECIDING

    return (
        "Differences are paired, the same queries under both systems; their limits are those of the tests that decide "
        f"({DECIDING}), each at the level at which the correction held that pair; "
        f"{how_many(len(compared.main.units), compared.main.unit)}. Tests: "
        f"{str(compared.families).replace(chr(10), '; ')}."
    )


# Classes of queries as a table: on which kind of query is each system good?

CLASS_NOTE = (
    f"95 % intervals, of the queries of one class each: bounded in classes of fewer than {ENOUGH} (Student's t where "
    "the measure has no range), BCa in the others."
)


@dataclass(frozen=True)
class ClassMeans:
    """The mean of one measure on one class of queries, of each system."""

    label: str
    queries: int
    measure: str
    systems: tuple[str, ...]
    means: tuple[Estimate, ...]


def class_estimates(scores: Scores) -> list[ClassMeans]:
    """For each class and system the mean of the first measure with its interval, over the queries of the class.

    None where queries have no classes, or more than can be read.
    """
    try:
        table = ScoreTable.of(scores)
        names = table.class_names
    except SettingError:
        return []
    if not 1 < len(names) <= MOST_CLASSES:
        return []
    found = []
    for label in names:
        part = table.where(label)
        rows = mean_intervals(part.values, bounds=part.bounds).rows()
        means = tuple(Estimate(row["mean"], row["low"], row["high"]) for row in rows)
        found.append(
            ClassMeans(label=label, queries=len(part), measure=part.measure, systems=part.systems, means=means)
        )
    return found


def class_rows(scores: Scores) -> list[dict[str, object]]:
    """One row per class: how many queries, and each system's mean with its interval."""
    return [
        {
            "class": each.label,
            "queries": each.queries,
            **{f"{each.measure} of {name}": _text(mean) for name, mean in zip(each.systems, each.means, strict=True)},
        }
        for each in class_estimates(scores)
    ]


def _text(mean: Estimate) -> str:
    if math.isnan(mean.value):
        return "-"
    return f"{mean.value:.4f} [{mean.low:.4f}, {mean.high:.4f}]" if mean.has_interval else f"{mean.value:.4f}"
