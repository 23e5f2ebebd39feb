"""Experimental designs: cells of systems by classes, a balanced subset of unequal classes, variances that come out
below 0.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from rankscope.analysis.statistics.score_table import ScoreTable
from rankscope.core.arrays import FloatArray, IntArray
from rankscope.core.errors import SettingError
from rankscope.core.wording import how_many


@dataclass(frozen=True)
class LeftOut:
    """Queries that a test could not use: some system has no value there, or they belong to no class."""

    incomplete: int = 0
    unclassed: int = 0

    def __str__(self) -> str:
        parts = []
        if self.incomplete:
            parts.append(f"{how_many(self.incomplete)} left out: a system has no value there")
        if self.unclassed:
            parts.append(f"{how_many(self.unclassed)} left out: of no class")
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
        return self.table.values

    @property
    def size(self) -> IntArray:
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
        return tuple(cell_name(*each) for each in zip(self.systems, self.labels, strict=True))

    @property
    def n(self) -> IntArray:
        return np.array([each.size for each in self.samples], dtype=np.int64)

    @property
    def mean(self) -> FloatArray:
        return np.array([each.mean() for each in self.samples])

    @property
    def sd(self) -> FloatArray:
        return np.array([each.std(ddof=1) if each.size > 1 else np.nan for each in self.samples])

    @property
    def residuals(self) -> FloatArray:
        """Every value minus the mean of its cell, cell by cell."""
        return np.concatenate([each - each.mean() for each in self.samples])

    @property
    def within(self) -> float:
        """Sum of squares within cells; what only rounding made is 0, so that constant scores have none."""
        residuals = self.residuals
        return clean_squares(float(residuals @ residuals), np.concatenate(self.samples))

    def rows(self) -> list[dict[str, object]]:
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


def clean_squares(squares: float, values: FloatArray) -> float:
    """A sum of squares, or 0 where it is no more than rounding of the values."""
    return 0.0 if squares <= 1e-28 * (1.0 + float(values.ravel() @ values.ravel())) else squares


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


@dataclass(frozen=True, eq=False)
class BalancedSubset:
    """Numbers of the items chosen: `members` class by class, and `distractors` that belong to none of the classes."""

    classes: tuple[str, ...]
    each: int  # items of every class
    members: IntArray  # classes x each
    distractors: IntArray
    seed: int

    @property
    def queries(self) -> IntArray:
        """The members of all classes, ascending: each of them is a query."""
        return np.sort(self.members.ravel())

    @property
    def items(self) -> IntArray:
        return np.sort(np.concatenate([self.members.ravel(), self.distractors]))

    def rows(self) -> list[dict[str, object]]:
        return [{"class": label, "items": self.members[row].tolist()} for row, label in enumerate(self.classes)]


def balanced_subset(labels: Sequence[str], classes: int, distractors: int = 0, seed: int = 0) -> BalancedSubset:
    """The `classes` largest classes, drawn without replacement down to the smallest of them, and some distractors.

    `labels`: the class of each item, '' for none. Classes of one size come by name. Distractors are drawn from items
    of other classes and of none, which are irrelevant to all classes chosen.
    >>> made = balanced_subset(["a", "a", "a", "b", "b", "c", "", ""], classes=2, distractors=3)
    >>> made.classes, made.members.shape, made.distractors.tolist()
    (('a', 'b'), (2, 2), [5, 6, 7])
    """
    given = np.asarray(labels, dtype=str)
    names, number, size = np.unique(given, return_inverse=True, return_counts=True)
    order = [int(each) for each in np.argsort(-size, kind="stable") if names[each]]
    if not 1 <= classes <= len(order):
        raise SettingError(f"classes must be from 1 to {len(order)}, as many as there are, got {classes}")
    chosen = order[:classes]
    rest = np.flatnonzero(~np.isin(number, chosen))
    if not 0 <= distractors <= rest.size:
        raise SettingError(
            f"distractors must be from 0 to {rest.size:,}, the items outside the {classes} classes, got {distractors:,}"
        )
    chance = np.random.default_rng(seed)
    each = int(size[chosen[-1]])
    members = np.stack([np.sort(chance.permutation(np.flatnonzero(number == c))[:each]) for c in chosen])
    added = np.sort(chance.permutation(rest)[:distractors])
    return BalancedSubset(
        classes=tuple(str(names[c]) for c in chosen), each=each, members=members, distractors=added, seed=seed
    )


def never_below_zero(parts: Mapping[str, float]) -> tuple[dict[str, float], str]:
    """Each part, 0 in place of less, and the words that say which; NaN, a part that is not known, stays.

    >>> never_below_zero({"queries": 0.2, "classes": -0.1})
    ({'queries': 0.2, 'classes': 0.0}, 'the variance of classes comes out below 0 and counts as 0')
    """
    below = [name for name, value in parts.items() if value < 0]
    kept = {name: 0.0 if value < 0 else value for name, value in parts.items()}
    return kept, below_zero_note(below)


def below_zero_note(below: list[str]) -> str:
    """The sentence for the parts named; nothing where there is none.

    >>> below_zero_note(["queries", "classes"])
    'the variances of queries and classes come out below 0 and count as 0'
    """
    if not below:
        return ""
    if len(below) == 1:
        return f"the variance of {below[0]} comes out below 0 and counts as 0"
    return f"the variances of {' and '.join(below)} come out below 0 and count as 0"
