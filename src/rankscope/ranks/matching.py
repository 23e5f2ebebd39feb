"""Find items by id inside a block of rows: which are judged, which occur twice. Hashes screen, ids decide.

A block's rows get one 64-bit key each (item and query together). A small table of slots, by the top bits of the key,
leaves only few rows to look at closely, and of those the ids themselves are compared: the result is exact.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from rankscope.arrays import IntArray
from rankscope.inputs.id_columns import Hashes, IdColumn

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
        """One key for each row, from the item and the number of its query."""
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
        near = [start + np.flatnonzero(marked[_slots(part, shift)]) for start, part in _parts(self.keys)]
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
        for start, part in _parts(keys):
            last[_slots(part, shift)] = np.arange(start, start + part.size, dtype=last.dtype)
        left = []
        for start, part in _parts(keys):
            stays = last[_slots(part, shift)]
            lost = np.flatnonzero(stays != np.arange(start, start + part.size, dtype=last.dtype))
            if bool((part[lost] == keys[stays[lost]]).any()):
                return True
            left.append(part[lost])
        keys = np.concatenate(left)
        keys *= SPREAD
    ordered = np.sort(keys)
    return bool((ordered[1:] == ordered[:-1]).any())


def _parts(keys: Hashes) -> Iterator[tuple[int, Hashes]]:
    """Hashes in portions that processor caches hold, each with the number of its first."""
    for start in range(0, keys.size, KEYS_AT_ONCE):
        yield start, keys[start : start + KEYS_AT_ONCE]


def _shift(slots: int) -> np.uint64:
    """How far to shift a key so that its top bits number so many slots, within what memory caches hold."""
    return np.uint64(64 - max(8, min(22, slots.bit_length())))


def _slots(keys: Hashes, shift: np.uint64) -> IntArray:
    return (keys >> shift).astype(np.int64)
