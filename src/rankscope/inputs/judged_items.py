"""Judgements in the form the reduction needs."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from rankscope.arrays import BoolArray, FloatArray, IntArray
from rankscope.inputs.checks import Problems, place_of_line, shorten_value
from rankscope.inputs.id_columns import Hashes, IdColumn, TextIds
from rankscope.inputs.qrels import Qrels
from rankscope.wording import setting_value


@dataclass(frozen=True)
class JudgedItems:
    """One segment of items per query, queries in byte order, no item twice.

    >>> judged = JudgedItems.of(Qrels.of({"q2": {"a": 1}, "q1": {"b": 2, "a": 0}}))
    >>> judged.queries, judged.offsets, judged.item.to_list(), judged.grade
    (('q1', 'q2'), array([0, 2, 3]), ['a', 'b', 'a'], array([0., 2., 1.]))
    """

    queries: tuple[str, ...]
    offsets: IntArray
    item: TextIds
    grade: FloatArray
    _like: dict[type[IdColumn], tuple[IdColumn, Hashes]] = field(default_factory=dict, repr=False, compare=False)

    @classmethod
    def of(cls, qrels: Qrels, duplicates: str = "error", without: Iterable[tuple[str, str]] = ()) -> JudgedItems:
        """Sort, and settle duplicates as asked; `without` are (query, item) pairs to leave out."""
        queries, number = numbered_in_order(qrels.query)
        item = qrels.item.as_texts()
        rows = item.order(number)
        left_out = set(without)
        if left_out:
            rows = rows[_stays(qrels, rows, left_out)]
        rows = _without_duplicates(rows, number, item, qrels, duplicates)
        present, count = np.unique(number[rows], return_counts=True)
        return cls(
            queries=tuple(queries[each] for each in present.tolist()),
            offsets=np.concatenate([[0], np.cumsum(count)]).astype(np.int64),
            item=item.take(rows),
            grade=qrels.grade[rows],
        )

    @cached_property
    def row_of(self) -> dict[str, int]:
        """The row of each query."""
        return {each: row for row, each in enumerate(self.queries)}

    def like(self, ids: IdColumn) -> tuple[IdColumn, Hashes]:
        """The items as a column of the same kind as another, and their hashes, for look-up in it."""
        kind = type(ids)
        if kind not in self._like:
            items = ids.like(self.item)
            self._like[kind] = items, items.hashes()
        return self._like[kind]

    @cached_property
    def query_row(self) -> IntArray:
        """The query row of each judgement."""
        return np.repeat(np.arange(len(self.queries)), np.diff(self.offsets))


def numbered_in_order(ids: IdColumn) -> tuple[list[str], IntArray]:
    """The distinct ids in byte order, and the number of each row's.

    >>> numbered_in_order(TextIds.of(["q2", "q2", "q1"]))
    (['q1', 'q2'], array([1, 1, 0]))
    """
    starts = ids.starts()
    names = ids.take(starts).to_list()
    distinct = sorted(set(names))
    number_of = {name: number for number, name in enumerate(distinct)}
    numbers = np.array([number_of[name] for name in names], dtype=np.int64)
    return distinct, np.repeat(numbers, np.diff(starts, append=len(ids)))


def _stays(qrels: Qrels, rows: IntArray, left_out: set[tuple[str, str]]) -> BoolArray:
    pairs = zip(qrels.query.take(rows).to_list(), qrels.item.take(rows).to_list(), strict=True)
    return np.array([pair not in left_out for pair in pairs], dtype=np.bool_)


def _without_duplicates(rows: IntArray, number: IntArray, item: TextIds, qrels: Qrels, policy: str) -> IntArray:
    """One row for each query and item, of rows in their order."""
    same = number[rows[1:]] == number[rows[:-1]]
    same &= item.take(rows[1:]).equals(item.take(rows[:-1]))
    if not same.any():
        return rows
    if policy == "error":
        _complain(rows[:-1][same], rows[1:][same], qrels)
    group = np.concatenate([[0], np.cumsum(~same)])
    if policy == "best":
        rows = rows[np.lexsort((-qrels.grade[rows], group))]
    chosen = np.concatenate([group[1:] != group[:-1], [True]])
    return rows[chosen] if policy == "last" else rows[np.concatenate([[True], chosen[:-1]])]


def _complain(earlier: IntArray, later: IntArray, qrels: Qrels) -> None:
    best = setting_value("duplicates", "best")
    once = f"Judge an item once per query, or choose {best}, first or last."
    problems = Problems(qrels.name, [once, "Files of subtopics are for measures of diversity, as alpha_nDCG@10."])
    before = dict(zip(later.tolist(), earlier.tolist(), strict=True))

    def what(row: int) -> str:
        name, first = shorten_value(qrels.item[row]), before[row]
        before_it = place_of_line(int(qrels.line[first]), qrels.word, qrels.files)
        grades = f"{qrels.grade[first]:g} in {before_it} and {qrels.grade[row]:g} here"
        return f"query {qrels.query[row]}: item {name} is judged twice, {grades}"

    problems.add_rows(later, qrels.line, qrels.word, what, qrels.files)
    problems.raise_if_any()
