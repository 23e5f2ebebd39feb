"""Graphs by class of queries: the class matrix on coloured tiles, and comparison intervals by Tukey's test."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, TypeAlias

import numpy as np

from rankscope.analysis.curves.curve import Curve
from rankscope.analysis.statistics.bootstrap import SHORT
from rankscope.analysis.statistics.design import Cells, design_of
from rankscope.analysis.statistics.mean_intervals import mean_intervals
from rankscope.analysis.statistics.sampling_units import drawn_by_class
from rankscope.analysis.statistics.score_table import ScoreTable
from rankscope.core.arrays import FloatArray
from rankscope.core.errors import SettingError
from rankscope.core.wording import decimal_text, how_many
from rankscope.measures.direction import turn
from rankscope.reports.graphs.graph import Axis, Graph
from rankscope.reports.graphs.kinds import Option, kind
from rankscope.reports.graphs.systems import LevelOption, MeasureOption, Systems, counted_systems, number, score_values

if TYPE_CHECKING:
    from rankscope.analysis.statistics.multiple_comparisons import ComparisonIntervals


# Class matrix: the mean of each system in each class as a number on a coloured tile.

CLASS_MATRIX = "the class matrix"
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
    shown = class_table(systems, measure, largest, CLASS_MATRIX)
    labels = [*shown.labels, ""] if shown.table.classes is not None else [""]
    sizes = [shown.size(label) if label else len(shown.table) for label in labels]
    columns = _columns(shown, labels, level)
    scale = _Scale.of(columns, shown.table.bounds)
    names = ", ".join(shown.table.systems)
    titles = tuple(each.name for each in columns)
    across = Axis("system", domain=(0.5, len(titles) + 0.5), ticks=tuple(range(1, len(titles) + 1)), texts=titles)
    count = len(labels)
    ticks = tuple(range(-1, -count - 1, -1))
    texts = tuple(map(class_label, labels, sizes))
    first, *rest = shown.table.systems
    less = f"; {DIFFERENCE}: {rest[0]} minus {first}" if len(rest) == 1 else ""
    ways = [SHORT[way] for way in ("bounded", "t", "bca") if any(way in column.ways for column in columns)]
    kinds = f" ({', '.join(ways)}{f'; {DIFFERENCE}: {OF_TESTS}' if less else ''})" if ways else ""
    graph = Graph(
        f"{measure} by class: {names}",
        across,
        Axis("class (queries)", domain=(-count - 0.5, -0.5), ticks=ticks, texts=texts, rows=2.0),
        subtitle=f"mean with {100 * level:g}% interval{kinds}; {shown.shown}{less}; {scale.words}",
        summary=f"Mean {measure} of {names} by class.",
        conclusion=_matrix_conclusion(shown, columns, labels),
    )
    for place, column in enumerate(columns, 1):
        graph = _with_tiles(graph, place, column, scale, labels, sizes)
    return graph


def _matrix_conclusion(shown: ClassTable, columns: list[_MatrixColumn], labels: list[str]) -> str:
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
    from rankscope.analysis.comparison.compare import compare

    pairs = compare([shown.table], by_unit=shown.by_unit, level=level).main.pairs
    of_all = (pairs[0].low, pairs[0].high) if pairs else (math.nan, math.nan)
    low, high = np.array([_limits(part, level) for part in parts] + [of_all]).T
    return [*columns, _MatrixColumn(DIFFERENCE, mean=mean[:, 1] - mean[:, 0], low=low, high=high, signed=True)]


def _limits(part: ScoreTable, level: float) -> tuple[float, float]:
    """Of the mean difference in one class: those of the tests that decide; none of one query or equal differences."""
    if len(part) < 2:
        return math.nan, math.nan
    from rankscope.analysis.statistics.deciding_test import decide_limits
    from rankscope.analysis.statistics.paired_tests import limits_within

    low, high = limits_within(*decide_limits(part.values[:, 1] - part.values[:, 0], level), part.difference_bounds)
    return float(low[0]), float(high[0])


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
        plain = f"colour: means from {tile_text(self.low)} to {tile_text(self.high)}"
        return f"{plain}, differences whose own limits leave out 0" if self.most else plain

    def shade(self, column: _MatrixColumn) -> FloatArray:
        """How much colour each tile has: a tenth at least for means, so that tiles are seen."""
        if column.signed:
            shown = (column.low > 0) | (column.high < 0)
            return np.where(shown, column.mean / (self.most or 1.0), 0.0)
        return 0.1 + 0.9 * (column.mean - self.low) / ((self.high - self.low) or 1.0)


def _with_tiles(
    graph: Graph, x: float, column: _MatrixColumn, scale: _Scale, labels: list[str], sizes: list[int]
) -> Graph:
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


# Comparison intervals: means of systems class by class, drawn so that disjoint means different to Tukey's test.

COMPARISON_INTERVALS = "the graph of comparison intervals"
GAP = 0.7  # rows between two classes
ROW = 0.9  # lines of text that one interval takes
LISTED = 3  # pairs that the subtitle names
TUKEY = "By Tukey's test of unpaired cells"


@kind("comparison-intervals", "means by class and system: disjoint means different", uses=("classes",), compares=True)
def comparison_intervals_graph(
    systems: Systems, measure: MeasureOption = "AP", largest: LargestOption = 10, level: LevelOption = 0.95
) -> Graph:
    """Means of each system in each class, with intervals to compare by eye: disjoint means different to Tukey's test.

    The intervals are those of Tukey and Kramer for all cells together; they are not confidence intervals of the means.
    Every query counts as independent, so the same queries under two systems differ more surely than it looks. No
    verdict rests on it: `compare` tests the differences of the same queries.
    """
    shown = class_table(systems, measure, largest, COMPARISON_INTERVALS)
    cells = Cells.of(design_of(shown.table))
    from rankscope.analysis.statistics.multiple_comparisons import comparison_intervals

    result = comparison_intervals(shown.table, level) if len(cells) > 1 else None
    half = np.full(len(cells), np.nan) if result is None else result.half
    names = shown.table.systems
    summary = f"Mean {measure} of {', '.join(names)}"
    if result is not None:
        within = [real for _, real in _within_classes(result)]
        pairs = how_many(len(within), "pairs")
        summary += f" in each class; {sum(within)} of {pairs} of one class differ by Tukey's test"
    step = len(names) + (GAP if len(names) > 1 else 0.0)
    starts: FloatArray = -step * np.arange(len(shown.labels), dtype=np.float64)
    middles = starts - (len(names) - 1) / 2
    ticks = tuple(float(each) for each in middles)
    texts = tuple(class_label(label, shown.size(label)) for label in shown.labels)
    domain = (float(starts[-1]) - len(names) + 0.3, 0.7)
    graph = Graph(
        f"{measure} by class" if shown.table.classes is not None else f"{measure}, system by system",
        Axis("mean", measure),
        Axis("class (queries)", domain=domain, ticks=ticks, texts=texts, rows=ROW),
        subtitle=_intervals_subtitle(shown, result, level),
        summary=f"{summary}.",
        conclusion=_intervals_conclusion(result),
    )
    for column, system in enumerate(names):
        graph = _with_intervals(graph, system, starts - column, shown, cells, half)
    if len(names) > 1:
        for start in starts[1:].tolist():
            graph = graph.rule(y=start + (1 + GAP) / 2, dashed=False)
    return graph


def _with_intervals(
    graph: Graph, system: str, y: FloatArray, shown: ClassTable, cells: Cells, half: FloatArray
) -> Graph:
    """One system: an interval and its middle in each class; without an interval the middle is hollow."""
    place = {each: row for row, each in enumerate(zip(cells.systems, cells.labels, strict=True))}
    rows = np.array([place[system, label] for label in shown.labels])
    mean, reach = cells.mean[rows], half[rows]
    facts = {
        "class": [label or "all" for label in shown.labels],
        "queries": cells.n[rows].tolist(),
        "from": (mean - reach).tolist(),
        "to": (mean + reach).tolist(),
    }
    whole = float(shown.table.values[:, shown.table.number(system)].mean())
    graph = graph.spans(y, mean - reach, mean + reach, system)
    return graph.points(Curve(mean, y), system, f"mean {number(whole)}", open=np.isnan(reach), facts=facts)


def _intervals_subtitle(shown: ClassTable, intervals: ComparisonIntervals | None, level: float) -> str:
    parts = [shown.shown]
    if intervals is None or np.isnan(intervals.half).all():
        return "; ".join([*parts, "no intervals: there is nothing to measure differences by"])
    parts.append(f"{100 * level:g}% comparison intervals, disjoint means different to Tukey's test of unpaired cells")
    wrong = intervals.disagreements
    if wrong:
        listed = ", ".join(f"({first}) and ({second})" for first, second in wrong[:LISTED])
        more = f" and {len(wrong) - LISTED:,} more" if len(wrong) > LISTED else ""
        parts.append(f"but the test says otherwise of {listed}{more}")
    return "; ".join(parts)


def _intervals_conclusion(intervals: ComparisonIntervals | None) -> str:
    """How many pairs of systems differ in how many classes, by Tukey's test of unpaired cells."""
    if intervals is None:
        return ""
    within = _within_classes(intervals)
    if not within:
        real = intervals.pairs.different
        return f"{TUKEY} {int(real.sum()):,} of {how_many(real.size, 'pairs')} of classes differ."
    found = [label for label, real in within if real]
    told = f"{TUKEY} {len(found):,} of {how_many(len(within), 'pairs')} of systems in one class differ"
    where = f", in {how_many(len(set(found)), 'classes')}." if found else "."
    return f"{told}{where} It decides nothing: tests of the same queries do."


def _within_classes(intervals: ComparisonIntervals) -> list[tuple[str, bool]]:
    """The class of each pair of cells that share one, and whether they differ."""
    labels, pairs = intervals.cells.labels, intervals.pairs
    return [
        (labels[first], bool(real))
        for first, second, real in zip(pairs.first.tolist(), pairs.second.tolist(), pairs.different, strict=True)
        if labels[first] == labels[second]
    ]


# One measure of some systems by class, as the graphs of classes show it: the largest classes, best ones first.

ALL_QUERIES = "all queries"
LargestOption: TypeAlias = Annotated[int, Option("how many classes, the largest ones", least=1)]


@dataclass(frozen=True, eq=False)
class ClassTable:
    """The queries shown, their classes from the best to the worst, and how many classes there are."""

    table: ScoreTable
    labels: tuple[str, ...]
    classes: int
    left_out: int  # queries that some system does not have, or of no class
    by_unit: bool = False  # whether the class is the sampling unit

    @property
    def shown(self) -> str:
        count = how_many(len(self.table))
        if self.table.classes is None:
            words = count
        elif len(self.labels) == self.classes:
            words = f"{count} in {how_many(self.classes, 'class', 'classes')}"
        else:
            words = f"{count} in the {len(self.labels)} largest of {how_many(self.classes, 'classes')}"
        return words + (f", {self.left_out:,} left out" if self.left_out else "")

    def size(self, label: str) -> int:
        return len(self.table) if self.table.classes is None else self.table.classes.count(label)


def class_table(systems: Systems, measure: str, largest: int, what: str) -> ClassTable:
    """The measure for the queries that all systems have, in their largest classes; without classes, of all queries.

    Classes of one size come by name. Classes must be known to all systems to count.
    """
    chosen_systems = counted_systems(systems, what)
    table = score_values(chosen_systems, measure, what)
    shown = table.complete()
    labels: tuple[str, ...] = ("",)
    classes, others = 1, 0
    if shown.classes is not None:
        names = shown.class_names
        size = {label: shown.classes.count(label) for label in names}
        chosen = sorted(names, key=lambda label: -size[label])[:largest]
        place = np.isin(np.array(shown.classes, dtype=object), np.array(chosen, dtype=object))
        shown = shown.take(np.flatnonzero(place))
        mean = {label: float(shown.where(label).gains.mean()) for label in chosen}
        labels = tuple(sorted(chosen, key=lambda label: -mean[label]))
        classes, others = len(names), sum(size.values()) - len(shown)
    if not len(shown):
        raise SettingError(f"{what}: the systems share no query with a value and a class")
    left_out = len(table) - len(shown) - others
    return ClassTable(shown, labels, classes, left_out, by_unit=drawn_by_class(chosen_systems))


def class_label(label: str, count: int) -> str:
    """A class with its number of queries.

    >>> class_label("birds", 12), class_label("", 40)
    ('birds (12)', 'all queries (40)')
    """
    return f"{label or ALL_QUERIES} ({count:,})"
