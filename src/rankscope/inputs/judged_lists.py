"""Judgements of a dictionary, ready for look-up: prepared once, and used for as many runs as there are."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from rankscope.arrays import FloatArray, IntArray
from rankscope.inputs.plain_nested import PlainNested
from rankscope.lazily import once

MOST_GRADES = 64  # from the lowest to the highest of whole ones, if they are to be counted without sorting


@dataclass(frozen=True, eq=False)
class JudgedLists:
    """Judged items of each query, as they were given; `queries` are their ids in byte order.

    >>> from rankscope.inputs.plain_nested import plain_nested
    >>> made = JudgedLists.of(plain_nested({"q2": {"a": 1}, "q1": {"b": 0, "c": 2}}, "grade"))
    >>> made.queries, made.query_row
    (('q1', 'q2'), array([1, 0, 0]))
    """

    given: PlainNested
    queries: tuple[str, ...]
    row_of: dict[str, int] = field(repr=False)

    @classmethod
    def of(cls, given: PlainNested) -> JudgedLists:
        """Queries without a judged item are none."""
        full = given.answered()
        queries = tuple(sorted(full.queries))
        return cls(full, queries, dict(zip(queries, range(len(queries)), strict=True)))

    @property
    def grade(self) -> FloatArray:
        """The grade of each judgement, in the order they were given."""
        return self.given.values

    @once
    def query_row(self) -> IntArray:
        """The row of each judgement's query among `queries`."""
        rows = np.array([self.row_of[query] for query in self.given.queries], dtype=np.int64)
        return rows.repeat(self.given.lengths)

    @once
    def names(self) -> list[str]:
        """The item of each judgement."""
        return self.given.items()

    @once
    def levels(self) -> tuple[IntArray, FloatArray, IntArray]:
        """Query row, grade and how many items have it, ascending."""
        lowest = np.floor(self.grade.min(initial=0.0))
        distance = (self.grade - lowest).astype(np.int64)
        span = int(distance.max(initial=0)) + 1
        if 0 < span <= MOST_GRADES and (distance + lowest == self.grade).all():
            count = np.bincount(self.query_row * span + distance)
            there = count.nonzero()[0]
            return there // span, there % span + lowest, count[there]
        order = np.lexsort((self.grade, self.query_row))
        row, grade = self.query_row[order], self.grade[order]
        new = np.ones(row.size, dtype=np.bool_)
        new[1:] = (row[1:] != row[:-1]) | (grade[1:] != grade[:-1])
        return row[new], grade[new], np.diff(np.flatnonzero(new), append=row.size)
