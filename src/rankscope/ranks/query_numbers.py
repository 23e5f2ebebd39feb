"""A number for each query, in the order they are first met, for rows whose queries come in any order."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankscope.arrays import BoolArray, IntArray
from rankscope.inputs.id_columns import Hashes, IdColumn, join_columns

FEW = 1 << 12  # rows whose queries may be asked by name
FEWEST_BITS, MOST_BITS = 10, 22  # of the slot that a query has by its hash


class QueryNumbers:
    """Each query has a slot by its hash; the id itself decides, and two queries that share one are asked by name.

    >>> from rankscope.inputs.id_columns import TextIds
    >>> numbers = QueryNumbers()
    >>> numbers.of(TextIds.of(["b", "a", "b"])), numbers.of(TextIds.of(["c", "a"])), numbers.queries
    (array([0, 1, 0], dtype=int32), array([2, 1], dtype=int32), ('b', 'a', 'c'))
    """

    def __init__(self) -> None:
        self._number_of: dict[str, int] = {}
        self._known: list[IdColumn] = []
        self._hash = np.empty(0, dtype=np.uint64)
        self._bits = FEWEST_BITS
        self._slot: NDArray[Any] = np.full(1 << FEWEST_BITS, -1, dtype=np.int32)  # half the memory: all rows are kept

    @property
    def queries(self) -> tuple[str, ...]:
        """All queries so far, in the order of their numbers."""
        return tuple(self._number_of)

    def of(self, query: IdColumn) -> IntArray:
        """The number of each row's query."""
        starts = query.starts()
        first = query.take(starts)
        hashes = first.hashes()
        number = self._by_slot(first, hashes)
        unknown = np.flatnonzero(number < 0)
        if unknown.size > FEW:
            _, one_each = np.unique(hashes[unknown], return_index=True)
            chosen = unknown[np.sort(one_each)]
            self._learn(first.take(chosen), hashes[chosen])
            number[unknown] = self._by_slot(first.take(unknown), hashes[unknown])
            unknown = unknown[number[unknown] < 0]
        if unknown.size:
            self._learn(first.take(unknown), hashes[unknown])
            number[unknown] = [self._number_of[name] for name in first.take(unknown).to_list()]
        return np.repeat(number, np.diff(starts, append=len(query)))

    def _by_slot(self, query: IdColumn, hashes: Hashes) -> IntArray:
        """Numbers of the queries that stand in the slot of their hash; -1 for the others."""
        number: IntArray = self._slot[self._slots(hashes)]
        there = np.flatnonzero(number >= 0)
        wrong = np.ones(number.size, dtype=np.bool_)
        wrong[there] = ~self._same(query, number, there)
        number[wrong] = -1
        return number

    def _same(self, query: IdColumn, number: IntArray, rows: IntArray) -> BoolArray:
        if not rows.size:
            return rows > 0
        return query.take(rows).equals(join_columns(self._known).take(number[rows]))

    def _slots(self, hashes: Hashes) -> IntArray:
        return (hashes >> np.uint64(64 - self._bits)).astype(np.int64)

    def _learn(self, query: IdColumn, hashes: Hashes) -> None:
        """Number the queries that are new, and give each a slot of its own if so many slots can be had."""
        new = {}
        for row, name in enumerate(query.to_list()):
            if name not in self._number_of:
                self._number_of[name] = len(self._number_of)
                new[row] = name
        rows = np.fromiter(new, dtype=np.int64, count=len(new))
        if not rows.size:
            return
        self._known = [join_columns([*self._known, query.take(rows).kept()])]
        self._hash = np.concatenate([self._hash, hashes[rows]])
        while self._crowded() and self._bits < MOST_BITS:
            self._bits += 1
        self._slot = np.full(1 << self._bits, -1, dtype=np.int32)
        self._slot[self._slots(self._hash)] = np.arange(self._hash.size)

    def _crowded(self) -> bool:
        return np.unique(self._slots(self._hash)).size < self._hash.size
