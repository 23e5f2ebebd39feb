"""Items under numbers that say nothing: a secret permutation, since ids and the order of a folder give classes away."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property

ROUNDS = 6


@dataclass(frozen=True)
class ItemNumbers:
    """A permutation of 0 to count - 1 that only the key knows: a Feistel network, walked until it is back inside.

    >>> numbers = ItemNumbers(b"secret", 1000)
    >>> sorted(map(numbers.number, range(1000))) == list(range(1000))
    True
    >>> numbers.place(numbers.number(17))
    17
    """

    key: bytes
    count: int

    @cached_property
    def _half(self) -> int:
        """Bits of each half of the smallest even-sized number that holds all."""
        return max(1, (max(1, self.count - 1).bit_length() + 1) // 2)

    def number(self, place: int) -> int:
        """What pages call the item at a place of the collection."""
        self._need_inside(place)
        value = self._mixed(place, range(ROUNDS))
        while value >= self.count:
            value = self._mixed(value, range(ROUNDS))
        return value

    def place(self, number: int) -> int:
        """Which item a number means; `IndexError` where it means none."""
        self._need_inside(number)
        value = self._unmixed(number)
        while value >= self.count:
            value = self._unmixed(value)
        return value

    def _need_inside(self, value: int) -> None:
        if not 0 <= value < self.count:
            raise IndexError(f"there is no item {value}")

    def _mixed(self, value: int, rounds: range) -> int:
        left, right = value >> self._half, value & ((1 << self._half) - 1)
        for each in rounds:
            left, right = right, left ^ self._noise(each, right)
        return left << self._half | right

    def _unmixed(self, value: int) -> int:
        left, right = value >> self._half, value & ((1 << self._half) - 1)
        for each in reversed(range(ROUNDS)):
            left, right = right ^ self._noise(each, left), left
        return left << self._half | right

    def _noise(self, turn: int, value: int) -> int:
        text = turn.to_bytes(1, "big") + value.to_bytes(8, "big")
        mixed = hashlib.blake2b(text, digest_size=8, key=self.key[:64]).digest()
        return int.from_bytes(mixed, "big") & ((1 << self._half) - 1)
