"""Grades of several assessors side by side: a row for each query and item, a column for each assessor."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations

import numpy as np

from rankscope.arrays import BoolArray, FloatArray, IntArray
from rankscope.errors import SettingError

Judged = Mapping[str, Mapping[str, float]]  # grades by query and item


@dataclass(frozen=True, eq=False)
class AssessorGrades:
    """What each assessor says of each pair of query and item; NaN where nothing is said.

    >>> marks = AssessorGrades.of({"ann": {"q1": {"a": 2, "b": 0}}, "bob": {"q1": {"a": 1}}})
    >>> marks.grades.tolist(), marks.levels.tolist(), marks.both("ann", "bob").tolist()
    ([[2.0, 1.0], [0.0, nan]], [0.0, 1.0, 2.0], [True, False])
    """

    assessors: tuple[str, ...]
    queries: tuple[str, ...]
    query: IntArray  # of each row, as a place among the queries
    items: tuple[str, ...]  # of each row
    grades: FloatArray  # rows x assessors
    classes: tuple[str, ...] | None = None  # of each query

    @classmethod
    def of(cls, judged: Mapping[str, Judged], classes: Mapping[str, str] | None = None) -> AssessorGrades:
        """From the grades of each assessor; a grade below 0 says that nobody judged, and is left out."""
        if len(judged) < 2:
            raise SettingError(f"agreement needs two assessors at least, got {', '.join(judged) or 'none'}")
        found: dict[str, dict[str, list[float]]] = {}
        for place, each in enumerate(judged.values()):
            for query, items in each.items():
                rows = found.setdefault(query, {})
                for item, grade in items.items():
                    if grade >= 0:
                        rows.setdefault(item, [np.nan] * len(judged))[place] = grade
        queries = tuple(query for query, rows in found.items() if rows)
        sizes = [len(found[query]) for query in queries]
        grades = [row for query in queries for row in found[query].values()]
        return cls(
            assessors=tuple(judged),
            queries=queries,
            query=np.repeat(np.arange(len(queries)), sizes),
            items=tuple(item for query in queries for item in found[query]),
            grades=np.array(grades, dtype=np.float64).reshape(-1, len(judged)),
            classes=None if classes is None else tuple(classes.get(query, "") for query in queries),
        )

    def __len__(self) -> int:
        return len(self.items)

    @cached_property
    def levels(self) -> FloatArray:
        """The grades that anybody gave, ascending."""
        return np.unique(self.grades[~np.isnan(self.grades)])

    @property
    def class_names(self) -> tuple[str, ...]:
        """The classes of queries, sorted; a query of the empty class has none."""
        return tuple(sorted({label for label in self.classes or () if label}))

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """Every two assessors who have judged something in common."""
        return [(one, other) for one, other in combinations(self.assessors, 2) if self.both(one, other).any()]

    def of_assessor(self, name: str) -> FloatArray:
        """The grades of one assessor, row by row."""
        return self.grades[:, self.assessors.index(name)]

    def both(self, one: str, other: str) -> BoolArray:
        """Which rows two assessors have judged."""
        return ~np.isnan(self.of_assessor(one)) & ~np.isnan(self.of_assessor(other))

    def places(self, name: str) -> IntArray:
        """The grades of one assessor as places among the levels; -1 where nothing is said."""
        grades = self.of_assessor(name)
        return np.where(np.isnan(grades), -1, np.searchsorted(self.levels, np.nan_to_num(grades)))

    def take(self, rows: BoolArray) -> AssessorGrades:
        """Some rows; queries stay, with or without rows."""
        items = tuple(self.items[row] for row in np.flatnonzero(rows).tolist())
        return replace(self, query=self.query[rows], items=items, grades=self.grades[rows])

    def select(self, assessors: Sequence[str]) -> AssessorGrades:
        """Some assessors."""
        columns = [self.assessors.index(name) for name in assessors]
        return replace(self, assessors=tuple(assessors), grades=self.grades[:, columns])

    def where(self, label: str) -> AssessorGrades:
        """The rows whose query is of one class."""
        labels = np.array(self.classes or [""] * len(self.queries), dtype=object)
        return self.take(np.asarray(labels[self.query] == label, dtype=np.bool_))

    def binary(self, least: float) -> AssessorGrades:
        """Relevant or not: 1 from the grade `least` on, else 0."""
        grades = np.where(np.isnan(self.grades), np.nan, (self.grades >= least).astype(np.float64))
        return replace(self, grades=grades)

    def judgements(self, name: str) -> dict[str, dict[str, float]]:
        """The grades of one assessor by query and item."""
        found: dict[str, dict[str, float]] = {}
        grades = self.of_assessor(name).tolist()
        for query, item, grade in zip(self.query.tolist(), self.items, grades, strict=True):
            if grade == grade:
                found.setdefault(self.queries[query], {})[item] = grade
        return found
