"""Blocks of a run in which every query is whole, with its items by id and its queries by number.

Hashes screen, ids decide: a block's rows get one 64-bit key each (item and query together). A small table of slots,
by the top bits of the key, leaves only few rows to look at closely, and of those the ids themselves are compared.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankscope.core.arrays import BoolArray, IntArray
from rankscope.inputs.id_columns import Hashes, IdColumn, join_columns
from rankscope.inputs.run_rows import RunBlock, RunRows


class Scattered(Exception):  # noqa: N818  (a signal between two functions here, no failure)
    """A query came back after another one had begun; `pending` are the rows read so far if no part came out yet."""

    def __init__(self, pending: list[RunBlock] | None) -> None:
        self.pending = pending


@dataclass(frozen=True, eq=False)
class WholeQueries:
    """Rows of whole queries. `segment` is the number of each row's query; a query may have lost all its rows."""

    rows: RunRows
    queries: tuple[str, ...]
    segment: IntArray
    keys: ItemKeys

    @classmethod
    def of(cls, rows: RunRows, queries: tuple[str, ...], segment: IntArray) -> WholeQueries:
        return cls(rows, queries, segment, ItemKeys.of(rows.item, segment))

    @cached_property
    def lengths(self) -> IntArray:
        return np.bincount(self.segment, minlength=len(self.queries)).astype(np.int64)

    def keep(self, chosen: BoolArray) -> WholeQueries:
        """Only some rows; a query without rows stays."""
        return WholeQueries.of(self.rows.take(np.flatnonzero(chosen)), self.queries, self.segment[chosen])


def whole_queries(blocks: Iterable[RunBlock]) -> Iterator[WholeQueries]:
    """Whole queries, as they come, one after the other; raises `Scattered` when a query comes back."""
    seen: set[str] = set()
    held: list[RunBlock] = []  # the last query of which may go on
    for block in blocks:
        if len(block) == 0:
            continue
        cut = 0
        if held and held[-1].query[-1] == block.query[0]:  # it goes on to where the next one begins
            starts = block.query.starts()
            cut = int(starts[1]) if starts.size > 1 else len(block)
        if held and cut < len(block):
            query = [*held, block.slice(0, cut)] if cut else held
            yield _one_after_the_other(RunBlock.join(query), seen, [*held, block])
            held = []
        held.append(block.slice(cut, len(block)) if 0 < cut < len(block) else block)
    if held:
        yield _one_after_the_other(RunBlock.join(held), seen, held)


def _one_after_the_other(block: RunBlock, seen: set[str], read: list[RunBlock]) -> WholeQueries:
    starts = block.query.starts()
    queries = tuple(block.query.take(starts).to_list())
    if len(set(queries)) < len(queries) or not seen.isdisjoint(queries):
        raise Scattered(None if seen else read)
    seen.update(queries)
    return WholeQueries.of(block.rows, queries, np.repeat(np.arange(starts.size), np.diff(starts, append=len(block))))


def gather_rows(blocks: Iterable[RunBlock]) -> Iterator[WholeQueries]:
    """All rows as one part, in the order they were given: for lines that are scattered."""
    numbers = QueryNumbers()
    parts: list[RunRows] = []
    segments: list[IntArray] = []
    keys: list[Hashes] = []
    for block in blocks:
        if len(block):
            segments.append(numbers.of(block.query))
            keys.append(ItemKeys.of(block.rows.item, segments[-1]).keys)
            parts.append(replace(block.rows, item=block.rows.item.kept()))
    if parts:
        rows = RunRows.join(parts)
        whole = WholeQueries(rows, numbers.queries, np.concatenate(segments), ItemKeys(rows.item, np.concatenate(keys)))
        for each in (parts, segments, keys):
            each.clear()
        yield whole


# Find items by id inside a block of rows: which are judged, which occur twice.

SORTED_AT_ONCE = 1 << 10
KEYS_AT_ONCE = 1 << 19
SLOTS_AT_LEAST = 1 << 16
SPREAD = np.uint64(0x9E3779B97F4A7C15)  # odd, so that distinct segments shift keys by distinct amounts


@dataclass(frozen=True)
class ItemKeys:
    """The rows of a block, ready for look-up."""

    item: IdColumn
    keys: Hashes

    @classmethod
    def of(cls, item: IdColumn, segment: IntArray) -> ItemKeys:
        return cls(item, keys_of(item.hashes(), segment))

    def repeated(self) -> tuple[IntArray, IntArray]:
        """Pairs of rows (earlier, later) that hold the same item of the same query, next neighbours only."""
        if not any_equal(self.keys):
            nothing = np.empty(0, dtype=np.int64)
            return nothing, nothing
        order = np.argsort(self.keys, kind="stable")
        same = np.flatnonzero(self.keys[order[1:]] == self.keys[order[:-1]])
        earlier, later = order[same], order[same + 1]
        equal = self.item.take(earlier).equals(self.item.take(later))
        return (earlier, later) if equal.all() else self._repeated_among_equal_keys(np.union1d(earlier, later))

    def _repeated_among_equal_keys(self, suspects: IntArray) -> tuple[IntArray, IntArray]:
        """The same when two different items share a key, and may stand between two that are equal."""
        latest: dict[tuple[int, str], int] = {}
        pairs = []
        for row, name in zip(suspects.tolist(), self._names(suspects), strict=True):
            if name in latest:
                pairs.append((latest[name], row))
            latest[name] = row
        earlier, later = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
        return earlier, later

    def _names(self, rows: IntArray) -> Iterator[tuple[int, str]]:
        """Key and id of rows, which together are one item of one query."""
        return zip(self.keys[rows].tolist(), self.item.take(rows).to_list(), strict=True)

    def find(self, item: IdColumn, keys: Hashes) -> tuple[IntArray, IntArray]:
        """Which rows hold the wanted items: (rows, index of the wanted item), in the order of the rows."""
        order = np.argsort(keys)
        ordered = keys[order]
        shift = _shift(max(SLOTS_AT_LEAST, 16 * keys.size))
        marked = np.zeros(1 << (64 - int(shift)), dtype=np.bool_)
        marked[_slots(keys, shift)] = True
        near = [start + np.flatnonzero(marked[_slots(part, shift)]) for start, part in _portions_of_keys(self.keys)]
        rows = np.concatenate([np.empty(0, dtype=np.int64), *near])
        place = np.searchsorted(ordered, self.keys[rows])
        hit = ordered[np.minimum(place, max(keys.size - 1, 0))] == self.keys[rows] if keys.size else rows < 0
        rows, wanted = rows[hit], order[place[hit]]
        equal = self.item.take(rows).equals(item.take(wanted))
        if not equal.all() or bool((ordered[1:] == ordered[:-1]).any()):
            return self._find_among_equal_keys(item, keys)
        return rows, wanted

    def _find_among_equal_keys(self, item: IdColumn, keys: Hashes) -> tuple[IntArray, IntArray]:
        """The same when two different ids share a key, which chance alone hardly ever brings about."""
        wanted = ItemKeys(item, keys)
        number_of = {name: number for number, name in enumerate(wanted._names(np.arange(keys.size)))}
        suspects = np.flatnonzero(np.isin(self.keys, keys))
        found = [
            (row, number_of[name])
            for row, name in zip(suspects.tolist(), self._names(suspects), strict=True)
            if name in number_of
        ]
        rows, numbers = np.array(found, dtype=np.int64).reshape(-1, 2).T
        return rows, numbers


def keys_of(hashes: Hashes, segment: IntArray) -> Hashes:
    """One key from an item's hash and its query's number."""
    keys = segment.astype(np.uint64)
    keys *= SPREAD
    keys += hashes
    return keys


def any_equal(keys: Hashes) -> bool:
    """Whether any key occurs twice, without sorting.

    Each key writes its number into a slot; the last one stays. A key that does not stay is equal to the one that does,
    or goes into the next round with other slots: equal keys always share a slot, so they stay together.
    >>> any_equal(np.array([3, 1, 3], dtype=np.uint64)), any_equal(np.array([3, 1, 2], dtype=np.uint64))
    (True, False)
    """
    while keys.size > SORTED_AT_ONCE:
        shift = _shift(2 * keys.size)
        last = np.empty(1 << (64 - int(shift)), dtype=np.int32 if keys.size < 1 << 31 else np.int64)
        for start, part in _portions_of_keys(keys):
            last[_slots(part, shift)] = np.arange(start, start + part.size, dtype=last.dtype)
        left = []
        for start, part in _portions_of_keys(keys):
            stays = last[_slots(part, shift)]
            lost = np.flatnonzero(stays != np.arange(start, start + part.size, dtype=last.dtype))
            if bool((part[lost] == keys[stays[lost]]).any()):
                return True
            left.append(part[lost])
        keys = np.concatenate(left)
        keys *= SPREAD
    ordered = np.sort(keys)
    return bool((ordered[1:] == ordered[:-1]).any())


def _portions_of_keys(keys: Hashes) -> Iterator[tuple[int, Hashes]]:
    """Hashes in portions that processor caches hold, each with the number of its first."""
    for start in range(0, keys.size, KEYS_AT_ONCE):
        yield start, keys[start : start + KEYS_AT_ONCE]


def _shift(slots: int) -> np.uint64:
    """How far to shift a key so that its top bits number so many slots, within what memory caches hold."""
    return np.uint64(64 - max(8, min(22, slots.bit_length())))


def _slots(keys: Hashes, shift: np.uint64) -> IntArray:
    return (keys >> shift).astype(np.int64)


# A number for each query, in the order they are first met, for rows whose queries come in any order.

FEW_QUERIES = 1 << 12  # rows whose queries may be asked by name
FEWEST_SLOT_BITS, MOST_SLOT_BITS = 10, 22  # of the slot that a query has by its hash


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
        self._bits = FEWEST_SLOT_BITS
        self._slot: NDArray[Any] = np.full(
            1 << FEWEST_SLOT_BITS, -1, dtype=np.int32
        )  # half the memory: all rows are kept

    @property
    def queries(self) -> tuple[str, ...]:
        return tuple(self._number_of)

    def of(self, query: IdColumn) -> IntArray:
        starts = query.starts()
        first = query.take(starts)
        hashes = first.hashes()
        number = self._by_slot(first, hashes)
        unknown = np.flatnonzero(number < 0)
        if unknown.size > FEW_QUERIES:
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
        if there.size:
            wrong[there] = ~query.take(there).equals(join_columns(self._known).take(number[there]))
        number[wrong] = -1
        return number

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
        while np.unique(self._slots(self._hash)).size < self._hash.size and self._bits < MOST_SLOT_BITS:
            self._bits += 1
        self._slot = np.full(1 << self._bits, -1, dtype=np.int32)
        self._slot[self._slots(self._hash)] = np.arange(self._hash.size)
