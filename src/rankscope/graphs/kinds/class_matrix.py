"""Class matrix: the mean of each system in each class as a number on a coloured tile."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from rankscope.arrays import FloatArray
from rankscope.graphs.axis import Axis
from rankscope.graphs.graph import Graph
from rankscope.graphs.kind import kind
from rankscope.graphs.kinds.shared.class_tables import ClassTable, LargestOption, class_label, class_table
from rankscope.graphs.kinds.shared.describing import Systems
from rankscope.graphs.kinds.shared.score_values import LevelOption, MeasureOption
from rankscope.measures.direction import turn
from rankscope.number_texts import decimal_text, how_many
from rankscope.statistics.intervals.bootstrap import SHORT
from rankscope.statistics.intervals.mean_intervals import mean_intervals
from rankscope.statistics.table.score_table import ScoreTable

WHAT = "the class matrix"
DIFFERENCE = "difference"
OF_TESTS = "limits of the tests that decide"
MINUS = "\N{MINUS SIGN}"


@dataclass(frozen=True, eq=False)
class _MatrixColumn:
    """Means of one column with their intervals: of a system, or of the difference of two."""

    name: str
    mean: FloatArray
    low: FloatArray
    high: FloatArray
    signed: bool = False
    ways: tuple[str, ...] = ()  # which interval each mean has


@kind(
    "class-matrix",
    "means by class and system as numbers on coloured tiles",
    uses=("classes",),
    compares=True,
    width="full",
)
def class_matrix_graph(
    systems: Systems, measure: MeasureOption = "AP", largest: LargestOption = 10, level: LevelOption = 0.95
) -> Graph:
    """Mean of each system in each class, with its interval; the darker, the larger.

    Colours go from the lowest to the highest value that the measure can have. Two systems have a third column: second
    minus first, query by query, with the limits of the tests that decide; it is coloured where these leave out 0, blue
    where the second has more. Intervals within a class are of its queries. The last row is of all queries shown, with
    the intervals of `compare`.
    """
    shown = class_table(systems, measure, largest, WHAT)
    labels = [*shown.labels, ""] if shown.table.classes is not None else [""]
    sizes = [shown.size(label) if label else len(shown.table) for label in labels]
    columns = _columns(shown, labels, level)
    scale = _Scale.of(columns, shown.table.bounds)
    names = ", ".join(shown.table.systems)
    graph = Graph(
        f"{measure} by class: {names}",
        _system_axis(columns),
        _class_axis(labels, sizes),
        subtitle=f"{_subtitle(shown, columns, level)}; {scale.words}",
        summary=f"Mean {measure} of {names} by class.",
        conclusion=_conclusion(shown, columns, labels),
    )
    for number, column in enumerate(columns, 1):
        graph = _drawn(graph, number, column, scale, labels, sizes)
    return graph


def _conclusion(shown: ClassTable, columns: list[_MatrixColumn], labels: list[str]) -> str:
    """Which system has the best mean in how many classes; of one system the easiest and the hardest class."""
    inside = [row for row, label in enumerate(labels) if label]
    means = np.stack([each.mean[inside] for each in columns if not each.signed])
    if not inside:
        return ""
    sign = turn(shown.table.lower_is_better)
    if len(means) == 1:
        best, worst = (int(end(sign * means[0])) for end in (np.argmax, np.argmin))
        ends = [f"{labels[inside[each]]} ({decimal_text(float(means[0, each]))})" for each in (best, worst)]
        return f"The best mean is that of class {ends[0]}, the worst that of {ends[1]}."
    ahead = [columns[each].name for each in np.argmax(sign * means, axis=0).tolist()]
    wins = sorted(((ahead.count(name), name) for name in dict.fromkeys(ahead)), key=lambda each: -each[0])
    told = [f"{name} has the best mean in {count} of {how_many(len(inside), 'classes')}" for count, name in wins[:2]]
    rest = f", {len(wins) - 2} others in the rest" if len(wins) > 2 else ""
    return f"{', '.join([told[0], *(each.replace(' has the best mean', '') for each in told[1:])])}{rest}."


def _system_axis(columns: list[_MatrixColumn]) -> Axis:
    count = len(columns)
    texts = tuple(each.name for each in columns)
    return Axis("system", domain=(0.5, count + 0.5), ticks=tuple(range(1, count + 1)), texts=texts)


def _class_axis(labels: list[str], sizes: list[int]) -> Axis:
    count = len(labels)
    ticks = tuple(range(-1, -count - 1, -1))
    texts = tuple(map(class_label, labels, sizes))
    return Axis("class (queries)", domain=(-count - 0.5, -0.5), ticks=ticks, texts=texts, rows=2.0)


def _subtitle(shown: ClassTable, columns: list[_MatrixColumn], level: float) -> str:
    first, *rest = shown.table.systems
    less = f"; {DIFFERENCE}: {rest[0]} minus {first}" if len(rest) == 1 else ""
    ways = [SHORT[way] for way in ("bounded", "t", "bca") if any(way in column.ways for column in columns)]
    kinds = f" ({', '.join(ways)}{f'; {DIFFERENCE}: {OF_TESTS}' if less else ''})" if ways else ""
    return f"mean with {100 * level:g}% interval{kinds}; {shown.shown}{less}"


def _columns(shown: ClassTable, labels: list[str], level: float) -> list[_MatrixColumn]:
    """Means with their intervals and, of two systems, differences with their limits: of each class, then of all."""
    table = shown.table
    parts = [table.where(label) for label in labels if label]
    made = [mean_intervals(part.values, level=level, bounds=table.bounds) for part in parts]
    classes = table.labels if shown.by_unit else None
    made.append(mean_intervals(table.values, classes, level=level, bounds=table.bounds))
    mean, low, high = (np.stack([getattr(each, name) for each in made]) for name in ("mean", "low", "high"))
    columns = [
        _MatrixColumn(name, mean[:, i], low[:, i], high[:, i], ways=tuple(each.ways[i] for each in made))
        for i, name in enumerate(table.systems)
    ]
    if len(columns) != 2:
        return columns
    low, high = np.array([_limits(part, level) for part in parts] + [_limits_of_all(shown, level)]).T
    return [*columns, _MatrixColumn(DIFFERENCE, mean=mean[:, 1] - mean[:, 0], low=low, high=high, signed=True)]


def _limits(part: ScoreTable, level: float) -> tuple[float, float]:
    """Of the mean difference in one class: those of the tests that decide; none of one query or equal differences."""
    if len(part) < 2:
        return math.nan, math.nan
    from rankscope.statistics.pairs.pair_test import limits_within
    from rankscope.statistics.pairs.trust import decide_limits

    low, high = limits_within(*decide_limits(part.values[:, 1] - part.values[:, 0], level), part.difference_bounds)
    return float(low[0]), float(high[0])


def _limits_of_all(shown: ClassTable, level: float) -> tuple[float, float]:
    """Of the mean difference of all queries shown, as `compare` makes them."""
    from rankscope.statistics.verdicts.compare import compare

    pairs = compare([shown.table], by_unit=shown.by_unit, level=level).main.pairs
    return (pairs[0].low, pairs[0].high) if pairs else (math.nan, math.nan)


@dataclass(frozen=True)
class _Scale:
    """From which mean to which tiles are coloured, and how far differences go; nearly equal means look alike."""

    low: float
    high: float
    most: float  # 0 without differences

    @classmethod
    def of(cls, columns: list[_MatrixColumn], bounds: tuple[float, float]) -> _Scale:
        """Over what the measure can be; where that has no end, from 0 to the mean farthest out."""
        plain = np.concatenate([each.mean for each in columns if not each.signed])
        signed = np.concatenate([np.zeros(1), *(np.abs(each.mean) for each in columns if each.signed)])
        low = bounds[0] if math.isfinite(bounds[0]) else min(0.0, float(plain.min()))
        high = bounds[1] if math.isfinite(bounds[1]) else max(0.0, float(plain.max()))
        return cls(low, high, float(signed.max()))

    @property
    def words(self) -> str:
        """What colours say."""
        plain = f"colour: means from {tile_text(self.low)} to {tile_text(self.high)}"
        return f"{plain}, differences whose own limits leave out 0" if self.most else plain

    def shade(self, column: _MatrixColumn) -> FloatArray:
        """How much colour each tile has: a tenth at least for means, so that tiles are seen."""
        if column.signed:
            shown = (column.low > 0) | (column.high < 0)
            return np.where(shown, column.mean / (self.most or 1.0), 0.0)
        return 0.1 + 0.9 * (column.mean - self.low) / ((self.high - self.low) or 1.0)


def _drawn(graph: Graph, x: float, column: _MatrixColumn, scale: _Scale, labels: list[str], sizes: list[int]) -> Graph:
    mean, low, high = column.mean, column.low, column.high
    return graph.tiles(
        np.full(mean.size, float(x)),
        -np.arange(1.0, mean.size + 1),
        scale.shade(column),
        [tile_text(each, column.signed) for each in mean.tolist()],
        [_reach(*each) for each in zip(mean.tolist(), low.tolist(), high.tolist(), strict=True)],
        name=column.name,
        facts={
            "class": [label or "all" for label in labels],
            "mean": mean.tolist(),
            "low": low.tolist(),
            "high": high.tolist(),
            "queries": sizes,
            "kind of interval": [SHORT.get(way, "none") for way in column.ways] or [OF_TESTS] * mean.size,
        },
    )


def _reach(mean: float, low: float, high: float) -> str:
    """An interval on a tile: by its half width where it lies evenly around the mean.

    >>> _reach(0.5, 0.25, 0.75), _reach(0.5, 0.3, 0.6), _reach(0.5, math.nan, math.nan)
    ('±0.250', '0.300 to 0.600', 'no interval')
    """
    if math.isnan(low):
        return "no interval"
    even = math.isclose(mean - low, high - mean, abs_tol=1e-9)
    return f"±{tile_text(high - mean)}" if even else f"{tile_text(low)} to {tile_text(high)}"


def tile_text(value: float, signed: bool = False) -> str:
    """A number on a tile: three decimals below 10, one below 100, none above; a true minus sign.

    >>> tile_text(0.4567), tile_text(-0.02), tile_text(12.34), tile_text(0.05, signed=True), tile_text(-0.0001)
    ('0.457', '−0.020', '12.3', '+0.050', '0.000')
    """
    places = 3 if abs(value) < 10 else 1 if abs(value) < 100 else 0
    value = round(value, places) + 0.0  # no minus before a zero
    return (f"{value:+,.{places}f}" if signed else f"{value:,.{places}f}").replace("-", MINUS)
