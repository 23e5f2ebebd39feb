"""Columns of ids: what the reduction asks of them, whoever holds the texts; and ids that lie in a buffer of bytes.

Ids are compared as UTF-8 bytes. A hash only screens: wherever two hashes meet, the ids themselves are compared.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rankscope.core.arrays import BoolArray, IntArray

Hashes: TypeAlias = NDArray[np.uint64]

WORD = 8  # bytes that are compared at once
BEFORE = 24  # bytes that a buffer has before its text, so that words that end in it can be read
FILLER = b"x"  # what these are: nothing that a line could end with
_ALL = (1 << 64) - 1
FIRST_BYTES = np.array([(1 << 8 * count) - 1 for count in range(WORD)] + [_ALL], dtype=np.uint64)
_MIX = np.uint64(0x9E3779B97F4A7C15)
_MIX_AGAIN = np.uint64(0xD6E8FEB86659FD93)
_HALF = np.uint64(32)
SORTED_BY_WORDS = 8  # ids of more words than this are sorted one by one


class IdColumn(ABC):
    """A column of ids, none of them missing or empty."""

    @abstractmethod
    def __len__(self) -> int: ...

    @abstractmethod
    def __getitem__(self, row: int) -> str: ...

    @abstractmethod
    def slice(self, start: int, stop: int) -> Self:
        """Rows from `start` up to `stop`."""

    @abstractmethod
    def take(self, rows: IntArray) -> Self:
        """Some rows, in the order given."""

    @abstractmethod
    def to_list(self) -> list[str]:
        """The ids as Python texts."""

    @abstractmethod
    def hashes(self) -> Hashes:
        """A number for each id, equal for equal ids of columns of this kind."""

    @abstractmethod
    def starts(self) -> IntArray:
        """The rows that differ from the row before them, the first row included."""

    @abstractmethod
    def equals(self, other: Self) -> BoolArray:
        """Row by row, whether two columns of one length hold the same id."""

    @abstractmethod
    def like(self, ids: TextIds) -> Self:
        """Other ids as a column of this kind."""

    @abstractmethod
    def as_texts(self) -> TextIds:
        """The ids in a buffer."""

    @abstractmethod
    def kept(self) -> Self:
        """The same ids in as little memory as they need, for columns that stay."""

    @abstractmethod
    def joined(self, others: Sequence[Self]) -> Self:
        """This column and others of its kind behind it as one."""

    @abstractmethod
    def order(self, *first: IntArray) -> IntArray:
        """The rows in the order of other whole numbers, of the bytes of the ids where these are equal, and of rows."""


def join_columns(columns: Sequence[IdColumn]) -> IdColumn:
    """Several columns of one kind as one."""
    return columns[0] if len(columns) == 1 else columns[0].joined(columns[1:])


@dataclass(frozen=True, eq=False)
class TextIds(IdColumn):
    """Ids in a buffer of bytes, which has `BEFORE` bytes before the first id and a word behind the last.

    >>> ids = TextIds.of(["d1", "d2", "d2"])
    >>> ids[1], ids.starts(), ids.take(np.array([2, 0])).to_list()
    ('d2', array([0, 1]), ['d2', 'd1'])
    """

    buffer: NDArray[np.uint8]
    start: IntArray
    length: IntArray

    @classmethod
    def of(cls, ids: Sequence[str]) -> TextIds:
        whole = "".join(ids)
        text = whole.encode()
        lengths = [len(each) for each in ids] if len(text) == len(whole) else [len(each.encode()) for each in ids]
        length = np.array(lengths, dtype=np.int64)
        return cls(padded(text), BEFORE + np.cumsum(length) - length, length)

    @cached_property
    def _words(self) -> NDArray[np.uint64]:
        return words_at(self.buffer)

    def word(self, number: int, rows: Any = slice(None)) -> NDArray[np.uint64]:
        """The bytes of each id from `8 * number` on as one whole number, the first byte lowest; 0 behind the end."""
        left, place = self.length[rows], self.start[rows]
        if number:
            left = np.maximum(left - WORD * number, 0)
            place = place + WORD * number * (left > 0)
        found = self._words[place]
        found &= FIRST_BYTES[np.minimum(left, WORD)]
        return found

    @cached_property
    def words(self) -> int:
        """How many words the longest id has."""
        return -(-int(self.length.max(initial=0)) // WORD)

    def _longer(self, number: int) -> Any:
        """The rows that have so many words and one more: all of them as a slice, which costs nothing."""
        if int(self.length.min(initial=0)) > WORD * number:
            return slice(None)
        return np.flatnonzero(self.length > WORD * number)

    def __len__(self) -> int:
        return self.start.size

    def __getitem__(self, row: int) -> str:
        first = int(self.start[row])
        return self.buffer[first : first + int(self.length[row])].tobytes().decode()

    def slice(self, start: int, stop: int) -> TextIds:
        """Rows from `start` up to `stop`, of the same ids."""
        part = TextIds(self.buffer, self.start[start:stop], self.length[start:stop])
        if start == 0 and "_starts" in self.__dict__:
            part.__dict__["_starts"] = self._starts[: np.searchsorted(self._starts, stop)]
        return part

    def take(self, rows: IntArray) -> TextIds:
        return TextIds(self.buffer, self.start[rows], self.length[rows])

    def texts(self) -> list[bytes]:
        """The ids as bytes."""
        whole, ends = memoryview(self.buffer), (self.start + self.length).tolist()  # type: ignore[arg-type]
        return [bytes(whole[first:last]) for first, last in zip(self.start.tolist(), ends, strict=True)]

    def to_list(self) -> list[str]:
        return [each.decode() for each in self.texts()]

    def hashes(self) -> Hashes:
        """By words: each is mixed in by a multiplication."""
        mixed = self.length.astype(np.uint64)
        for number in range(self.words):
            rows = self._longer(number)
            part = mixed[rows]
            part ^= self.word(number, rows)
            part *= _MIX
            part ^= part >> _HALF
            mixed[rows] = part
        mixed *= _MIX_AGAIN
        return mixed

    def starts(self) -> IntArray:
        """The rows that differ from the row before them; looked for once."""
        return self._starts

    @cached_property
    def _starts(self) -> IntArray:
        changed = np.ones(len(self), dtype=np.bool_)
        changed[1:] = self.length[1:] != self.length[:-1]
        for number in range(self.words):
            word = self.word(number)
            changed[1:] |= word[1:] != word[:-1]
        return np.flatnonzero(changed)

    def equals(self, other: TextIds) -> BoolArray:
        """Whether the ids are the same, row by row."""
        same = self.length == other.length
        for number in range(min(self.words, other.words)):
            same &= self.word(number) == other.word(number)
        return same

    def like(self, ids: TextIds) -> TextIds:
        """Ids in a buffer, as these are."""
        return ids

    def as_texts(self) -> TextIds:
        return self

    def kept(self) -> TextIds:
        """In whole words: what lies between the ids in the buffer goes."""
        count = -(-self.length // WORD)
        place = np.cumsum(count) - count
        words = np.zeros(BEFORE // WORD + int(count.sum()) + 1, dtype=np.uint64)
        place += BEFORE // WORD
        for number in range(self.words):
            rows = self._longer(number)
            words[place[rows] + number] = self.word(number, rows)
        return TextIds(words.view(np.uint8), place * WORD, self.length.copy())

    def joined(self, others: Sequence[TextIds]) -> TextIds:
        """The ids of all, one column behind the other."""
        columns = [self, *others]
        length = np.concatenate([each.length for each in columns])
        if all(each.buffer is self.buffer for each in others):
            return TextIds(self.buffer, np.concatenate([each.start for each in columns]), length)
        shift = np.cumsum([0, *(each.buffer.size for each in columns[:-1])]).tolist()
        start = np.concatenate([each.start + more for each, more in zip(columns, shift, strict=True)])
        return TextIds(np.concatenate([each.buffer for each in columns]), start, length)

    def order(self, *first: IntArray) -> IntArray:
        """By words, the first byte of each highest; ids that have very many are sorted one by one.

        >>> TextIds.of(["b", "a", "ab"]).order(np.array([0, 1, 1])).tolist()
        [0, 1, 2]
        """
        if self.words > SORTED_BY_WORDS:
            texts, numbers = self.texts(), [each.tolist() for each in first]
            rows = sorted(range(len(self)), key=lambda row: (*(each[row] for each in numbers), texts[row]))
            return np.array(rows, dtype=np.int64)
        words = [self.word(number).byteswap() for number in range(self.words)]
        keys = (*first, *words, self.length)
        return np.arange(len(self)) if are_in_order(keys) else np.lexsort(keys[::-1])


def are_in_order(keys: Sequence[NDArray[Any]]) -> bool:
    """Whether rows are in the order of the first key, of the second where that is equal, and so on.

    >>> are_in_order([np.array([1, 1, 2]), np.array([3, 4, 0])]), are_in_order([np.array([1, 1]), np.array([4, 3])])
    (True, False)
    """
    open_pairs = np.ones(max(0, keys[0].size - 1), dtype=np.bool_)
    for key in keys:
        if (open_pairs & (key[1:] < key[:-1])).any():
            return False
        open_pairs &= key[1:] == key[:-1]
    return True


def padded(text: bytes) -> NDArray[np.uint8]:
    """Text as a buffer that words can be read from, before its beginning and up to its end."""
    return np.frombuffer(b"".join([FILLER * BEFORE, text, FILLER * WORD]), dtype=np.uint8)


def words_at(buffer: NDArray[np.uint8]) -> NDArray[np.uint64]:
    """The eight bytes from each place on as one whole number, the first byte lowest.

    >>> hex(words_at(np.arange(9, dtype=np.uint8))[1])
    '0x807060504030201'
    """
    return np.ndarray((buffer.size - WORD + 1,), dtype="<u8", buffer=buffer, strides=(1,))
