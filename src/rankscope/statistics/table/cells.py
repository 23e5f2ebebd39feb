"""Cells of an experiment: the values of one system on the queries of one class, and which queries were left out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rankscope.arrays import FloatArray, IntArray
from rankscope.errors import SettingError
from rankscope.statistics.table.score_table import ScoreTable
from rankscope.validation import SHARE, check


@dataclass(frozen=True)
class LeftOut:
    """Queries that a test could not use: some system has no value there, or they belong to no class."""

    incomplete: int = 0
    unclassed: int = 0

    def __str__(self) -> str:
        parts = []
        if self.incomplete:
            parts.append(f"{_queries(self.incomplete)} left out: a system has no value there")
        if self.unclassed:
            parts.append(f"{_queries(self.unclassed)} left out: of no class")
        return "; ".join(parts)


@dataclass(frozen=True, eq=False)
class Design:
    """The queries that a test uses, complete and in classes; without classes all queries are one group named ''."""

    table: ScoreTable
    labels: tuple[str, ...]  # names of the classes
    group: IntArray  # the class of each query, as its number
    left_out: LeftOut

    @property
    def values(self) -> FloatArray:
        """One row per query, one column per system."""
        return self.table.values

    @property
    def size(self) -> IntArray:
        """How many queries each class has."""
        return np.bincount(self.group, minlength=len(self.labels)).astype(np.int64)

    @property
    def class_means(self) -> FloatArray:
        """The mean of each class (row) under each system (column)."""
        return np.stack([self.values[self.group == each].mean(axis=0) for each in range(len(self.labels))])

    def note(self, *words: str) -> str:
        """What must be said: the words given, then the queries left out."""
        return "; ".join(part for part in (*words, str(self.left_out)) if part)


def design_of(table: ScoreTable, by_class: bool = True, systems: int = 1) -> Design:
    """Complete queries of the table in their classes; `systems` is the least number of systems a test needs.

    A query without a class is left out where classes are known and wanted. No query at all is a `SettingError`.
    >>> made = design_of(ScoreTable.make({"A": [0.1, 0.2, float("nan")], "B": [0.3, 0.4, 0.5]}, ["x", "", "x"]))
    >>> made.table.queries, str(made.left_out)
    (('q1',), '1 query left out: a system has no value there; 1 query left out: of no class')
    """
    if len(table.systems) < systems:
        raise SettingError(f"this compares systems and needs {systems} at least, got {len(table.systems)}")
    whole = table.complete()
    incomplete = len(table) - len(whole)
    if by_class and whole.classes is not None:
        used = whole.take(np.flatnonzero(np.array(whole.classes, dtype=object) != ""))
        names, group = np.unique(np.array(used.classes, dtype=str), return_inverse=True)
        labels, number = tuple(names.tolist()), group.astype(np.int64)
    else:
        used, labels, number = whole, ("",), np.zeros(len(whole), dtype=np.int64)
    left_out = LeftOut(incomplete, len(whole) - len(used))
    if not len(used):
        raise SettingError(f"no query is left to compare systems on. {left_out or 'The table is empty'}")
    return Design(used, labels, number, left_out)


@dataclass(frozen=True, eq=False)
class Cells:
    """Number of queries, mean and standard deviation of each cell, class by class; a cell of one query has sd NaN."""

    systems: tuple[str, ...]
    labels: tuple[str, ...]
    samples: tuple[FloatArray, ...]

    @classmethod
    def of(cls, design: Design) -> Cells:
        """All systems on each class."""
        systems, labels, samples = [], [], []
        for number, label in enumerate(design.labels):
            rows = design.values[design.group == number]
            for column, system in enumerate(design.table.systems):
                systems.append(system)
                labels.append(label)
                samples.append(rows[:, column])
        return cls(tuple(systems), tuple(labels), tuple(samples))

    def __len__(self) -> int:
        return len(self.systems)

    @property
    def names(self) -> tuple[str, ...]:
        """System and class of each cell as one name."""
        return tuple(cell_name(*each) for each in zip(self.systems, self.labels, strict=True))

    @property
    def n(self) -> IntArray:
        """How many queries each cell has."""
        return np.array([each.size for each in self.samples], dtype=np.int64)

    @property
    def mean(self) -> FloatArray:
        """The mean of each cell."""
        return np.array([each.mean() for each in self.samples])

    @property
    def sd(self) -> FloatArray:
        """The unbiased standard deviation of each cell."""
        return np.array([each.std(ddof=1) if each.size > 1 else np.nan for each in self.samples])

    @property
    def residuals(self) -> FloatArray:
        """Every value minus the mean of its cell, cell by cell."""
        return np.concatenate([each - each.mean() for each in self.samples])

    @property
    def within(self) -> float:
        """Sum of squares within cells; what only rounding made is 0, so that constant scores have none."""
        residuals = self.residuals
        return clean(float(residuals @ residuals), np.concatenate(self.samples))

    def rows(self) -> list[dict[str, object]]:
        """One row per cell, in plain numbers."""
        columns = zip(self.systems, self.labels, self.n.tolist(), self.mean.tolist(), self.sd.tolist(), strict=True)
        return [dict(zip(("system", "class", "n", "mean", "sd"), each, strict=True)) for each in columns]


def cells_of(table: ScoreTable, by_class: bool = True) -> Cells:
    """The cells of a table: systems by classes, or systems alone.

    >>> cells_of(ScoreTable.make({"A": [0.1, 0.3], "B": [0.4, 0.4]})).rows()[0]
    {'system': 'A', 'class': '', 'n': 2, 'mean': 0.2, 'sd': 0.1414213562373095}
    """
    return Cells.of(design_of(table, by_class))


def cell_name(system: str, label: str) -> str:
    """What a cell is called.

    >>> cell_name("edges", "birds"), cell_name("edges", "")
    ('edges, birds', 'edges')
    """
    return f"{system}, {label}" if label else system


def clean(squares: float, values: FloatArray) -> float:
    """A sum of squares, or 0 where it is no more than rounding of the values."""
    return 0.0 if squares <= 1e-28 * (1.0 + float(values.ravel() @ values.ravel())) else squares


def need_level(level: float) -> None:
    """A level of confidence lies between 0 and 1; anything else is a `SettingError`."""
    check({"level": level}, level=SHARE)


def pair_numbers(count: int) -> tuple[IntArray, IntArray]:
    """First and second member of every pair, in order.

    >>> [each.tolist() for each in pair_numbers(3)]
    [[0, 0, 1], [1, 2, 2]]
    """
    first, second = np.triu_indices(count, 1)
    return first.astype(np.int64), second.astype(np.int64)


def plain_rows(columns: dict[str, Sequence[object]]) -> list[dict[str, object]]:
    """Columns as one dictionary per row."""
    return [dict(zip(columns, each, strict=True)) for each in zip(*columns.values(), strict=True)]


def _queries(count: int) -> str:
    return f"{count:,} {'query' if count == 1 else 'queries'}"
