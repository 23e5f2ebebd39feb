"""Comparison intervals: means of systems class by class, drawn so that disjoint means different to Tukey's test."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rankscope.arrays import FloatArray
from rankscope.curves.curve import Curve
from rankscope.graphs.axis import Axis
from rankscope.graphs.graph import Graph
from rankscope.graphs.kind import kind
from rankscope.graphs.kinds.shared.class_tables import ClassTable, LargestOption, class_label, class_table
from rankscope.graphs.kinds.shared.describing import Systems, number
from rankscope.graphs.kinds.shared.score_values import LevelOption, MeasureOption
from rankscope.number_texts import how_many
from rankscope.statistics.table.cells import Cells, design_of

if TYPE_CHECKING:
    from rankscope.statistics.variance.comparison_intervals import ComparisonIntervals

WHAT = "the graph of comparison intervals"
GAP = 0.7  # rows between two classes
ROW = 0.9  # lines of text that one interval takes
LISTED = 3  # pairs that the subtitle names


@kind(
    "comparison-intervals",
    "means by class and system: disjoint means different",
    uses=("classes",),
    compares=True,
)
def comparison_intervals_graph(
    systems: Systems, measure: MeasureOption = "AP", largest: LargestOption = 10, level: LevelOption = 0.95
) -> Graph:
    """Means of each system in each class, with intervals to compare by eye: disjoint means different to Tukey's test.

    The intervals are those of Tukey and Kramer for all cells together; they are not confidence intervals of the means.
    Every query counts as independent, so the same queries under two systems differ more surely than it looks. No
    verdict rests on it: `compare` tests the differences of the same queries.
    """
    shown = class_table(systems, measure, largest, WHAT)
    cells = Cells.of(design_of(shown.table))
    result = _intervals(shown, level) if len(cells) > 1 else None
    half = np.full(len(cells), np.nan) if result is None else result.half
    names = shown.table.systems
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
        subtitle=_subtitle(shown, result, level),
        summary=_summary(shown, result, measure),
        conclusion=_conclusion(result),
    )
    for column, system in enumerate(names):
        graph = _drawn(graph, system, starts - column, shown, cells, half)
    if len(names) > 1:
        for start in starts[1:].tolist():
            graph = graph.rule(y=start + (1 + GAP) / 2, dashed=False)
    return graph


def _intervals(shown: ClassTable, level: float) -> ComparisonIntervals:
    from rankscope.statistics.variance.comparison_intervals import comparison_intervals

    return comparison_intervals(shown.table, level)


def _drawn(graph: Graph, system: str, y: FloatArray, shown: ClassTable, cells: Cells, half: FloatArray) -> Graph:
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


def _subtitle(shown: ClassTable, intervals: ComparisonIntervals | None, level: float) -> str:
    parts = [shown.shown]
    if intervals is None or np.isnan(intervals.half).all():
        return "; ".join([*parts, "no intervals: there is nothing to measure differences by"])
    parts.append(f"{100 * level:g}% comparison intervals, disjoint means different to Tukey's test of unpaired cells")
    wrong = intervals.disagreements
    if wrong:
        listed = ", ".join(f"{first} and {second}" for first, second in (_bracketed(pair) for pair in wrong[:LISTED]))
        more = f" and {len(wrong) - LISTED:,} more" if len(wrong) > LISTED else ""
        parts.append(f"but the test says otherwise of {listed}{more}")
    return "; ".join(parts)


def _bracketed(pair: tuple[str, str]) -> tuple[str, ...]:
    return tuple(f"({each})" for each in pair)


def _conclusion(intervals: ComparisonIntervals | None) -> str:
    """How many pairs of systems differ in how many classes, by Tukey's test of unpaired cells."""
    if intervals is None:
        return ""
    within = _within_classes(intervals)
    if not within:
        real = intervals.pairs.different
        return (
            f"By Tukey's test of unpaired cells {int(real.sum()):,} of {how_many(real.size, 'pairs')} of classes "
            "differ."
        )
    found = [label for label, real in within if real]
    told = (
        f"By Tukey's test of unpaired cells {len(found):,} of {how_many(len(within), 'pairs')} of systems in one "
        "class differ"
    )
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


def _summary(shown: ClassTable, intervals: ComparisonIntervals | None, measure: str) -> str:
    systems = ", ".join(shown.table.systems)
    if intervals is None:
        return f"Mean {measure} of {systems}."
    within = [real for _, real in _within_classes(intervals)]
    found = f"{sum(within)} of {how_many(len(within), 'pairs')} of one class differ by Tukey's test"
    return f"Mean {measure} of {systems} in each class; {found}."
