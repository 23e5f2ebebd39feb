"""Class matrix: the mean of each system in each class as a number on a coloured tile."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from rankscope.arrays import FloatArray
from rankscope.graphs.axis import Axis
from rankscope.graphs.class_tables import ClassTable, class_table, named
from rankscope.graphs.describing import Systems
from rankscope.graphs.graph import Graph
from rankscope.graphs.kind import kind
from rankscope.statistics.cells import need_level

WHAT = "the class matrix"
DIFFERENCE = "difference"
MINUS = "\N{MINUS SIGN}"


@dataclass(frozen=True, eq=False)
class _Column:
    """Means of one column with the half widths of their intervals: of a system, or of the difference of two."""

    name: str
    mean: FloatArray
    half: FloatArray
    signed: bool = False


@kind("class-matrix")
def class_matrix_graph(systems: Systems, measure: str = "AP", largest: int = 10, level: float = 0.95) -> Graph:
    """Mean of each system in each class, with its interval; the darker, the larger.

    Two systems have a third column: second less first, query by query, blue where the second has more. The last row
    is of all queries shown.
    """
    need_level(level)
    shown = class_table(systems, measure, largest, WHAT)
    labels = [*shown.labels, ""] if shown.table.classes is not None else [""]
    sizes = [shown.size(label) for label in shown.labels] + [len(shown.table)]
    columns = _columns(shown, labels, level)
    names = ", ".join(shown.table.systems)
    graph = Graph(
        f"{measure} by class: {names}",
        Axis("system", domain=(0.5, len(columns) + 0.5), ticks=tuple(range(1, len(columns) + 1)),
             texts=tuple(each.name for each in columns)),
        Axis("class (queries)", domain=(-len(labels) - 0.5, -0.5), ticks=tuple(range(-1, -len(labels) - 1, -1)),
             texts=tuple(map(named, labels, sizes[-len(labels):])), rows=2.0),
        subtitle=_subtitle(shown, level),
        summary=f"Mean {measure} of {names} by class.",
    )  # fmt: skip
    scale = _Scale.of(columns)
    for number, column in enumerate(columns, 1):
        graph = _drawn(graph, number, column, scale, labels, sizes[-len(labels) :])
    return graph


def _subtitle(shown: ClassTable, level: float) -> str:
    first, *rest = shown.table.systems
    less = f"; {DIFFERENCE}: {rest[0]} less {first}" if len(rest) == 1 else ""
    return f"mean with {100 * level:g}% interval; {shown.shown}{less}"


def _columns(shown: ClassTable, labels: list[str], level: float) -> list[_Column]:
    values, names = shown.table.values, list(shown.table.systems)
    if len(names) == 2:
        values = np.column_stack([values, values[:, 1] - values[:, 0]])
        names.append(DIFFERENCE)
    known = np.array(shown.table.classes or ("",) * len(values), dtype=object)
    parts = [values[known == label] if label else values for label in labels]
    mean = np.stack([part.mean(axis=0) for part in parts])
    half = np.stack([half_widths(part, level) for part in parts])
    two = len(shown.table.systems) == 2
    return [_Column(name, mean[:, i], half[:, i], two and i == 2) for i, name in enumerate(names)]


def half_widths(values: FloatArray, level: float) -> FloatArray:
    """Half of the t interval of the mean of each column; NaN for one query.

    >>> half_widths(np.array([[0.1], [0.2], [0.3]]), 0.95).round(4).tolist()
    [0.2484]
    """
    count = len(values)
    if count < 2:
        return np.full(values.shape[1], np.nan)
    from scipy.special import stdtrit

    return np.asarray(float(stdtrit(count - 1, (1 + level) / 2)) * values.std(axis=0, ddof=1) / math.sqrt(count))


@dataclass(frozen=True)
class _Scale:
    """From which mean to which tiles are coloured, and how far differences go."""

    low: float
    high: float
    most: float

    @classmethod
    def of(cls, columns: list[_Column]) -> _Scale:
        plain = np.concatenate([each.mean for each in columns if not each.signed])
        signed = np.concatenate([np.zeros(1), *(np.abs(each.mean) for each in columns if each.signed)])
        return cls(float(plain.min()), float(plain.max()), float(signed.max()))

    def shade(self, column: _Column) -> FloatArray:
        """How much colour each tile has: a tenth at least for means, so that tiles are seen."""
        if column.signed:
            return column.mean / self.most if self.most else column.mean
        if self.high == self.low:
            return np.full_like(column.mean, 0.5)
        return 0.1 + 0.9 * (column.mean - self.low) / (self.high - self.low)


def _drawn(graph: Graph, x: float, column: _Column, scale: _Scale, labels: list[str], sizes: list[int]) -> Graph:
    mean, low, high = column.mean, column.mean - column.half, column.mean + column.half
    return graph.tiles(
        np.full(mean.size, float(x)),
        -np.arange(1.0, mean.size + 1),
        scale.shade(column),
        [written(each, column.signed) for each in mean.tolist()],
        ["one query" if math.isnan(each) else f"±{written(each)}" for each in column.half.tolist()],
        name=column.name,
        facts={
            "class": [label or "all" for label in labels],
            "mean": mean.tolist(),
            "low": low.tolist(),
            "high": high.tolist(),
            "queries": sizes,
        },
    )


def written(value: float, signed: bool = False) -> str:
    """A number on a tile: three decimals below 10, one below 100, none above; a true minus sign.

    >>> written(0.4567), written(-0.02), written(12.34), written(0.05, signed=True), written(-0.0001)
    ('0.457', '−0.020', '12.3', '+0.050', '0.000')
    """
    places = 3 if abs(value) < 10 else 1 if abs(value) < 100 else 0
    value = round(value, places) + 0.0  # no minus before a zero
    return (f"{value:+,.{places}f}" if signed else f"{value:,.{places}f}").replace("-", MINUS)
