"""Flatbuffers, as Arrow's messages are written in them, read without trusting an offset."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any


class BadFlatbufferError(ValueError):
    """An offset leads out of the bytes, or a vector does not fit into them."""


@dataclass(frozen=True)
class FlatTable:
    """A table at a place in some bytes; fields are known by their numbers, one that is not there has its default."""

    data: Any  # bytes
    place: int

    @classmethod
    def root(cls, data: bytes) -> FlatTable:
        """The table that the bytes begin with."""
        return cls(data, _number(data, "<I", 0))

    def _at(self, number: int) -> int:
        """Where a field stands, 0 where it does not."""
        known = self.place - _number(self.data, "<i", self.place)
        size = _number(self.data, "<H", known)
        offset = _number(self.data, "<H", known + 4 + 2 * number) if 4 + 2 * number + 2 <= size else 0
        return self.place + offset if offset else 0

    def number(self, field: int, form: str, default: int = 0) -> int:
        """A number of the form that `struct` knows."""
        place = self._at(field)
        return _number(self.data, form, place) if place else default

    def table(self, field: int) -> FlatTable | None:
        """A table within this one."""
        place = self._at(field)
        return FlatTable(self.data, place + _number(self.data, "<I", place)) if place else None

    def numbers(self, field: int, form: str) -> list[tuple[int, ...]]:
        """A vector of numbers or of structures of numbers."""
        start, count = self._vector(field, struct.calcsize(form))
        end = start + count * struct.calcsize(form)
        return list(struct.iter_unpack(form, self.data[start:end]))

    def tables(self, field: int) -> Iterator[FlatTable]:
        """A vector of tables."""
        start, count = self._vector(field, 4)
        for place in range(start, start + 4 * count, 4):
            yield FlatTable(self.data, place + _number(self.data, "<I", place))

    def _vector(self, field: int, size: int) -> tuple[int, int]:
        """Where the elements of a vector begin, and how many there are."""
        place = self._at(field)
        if not place:
            return 0, 0
        start = place + _number(self.data, "<I", place)
        count = _number(self.data, "<I", start)
        if count * size > len(self.data) - start - 4:
            raise BadFlatbufferError(f"a list of {count} values does not fit into {len(self.data)} bytes")
        return start + 4, count


def _number(data: bytes, form: str, place: int) -> int:
    if not 0 <= place <= len(data) - struct.calcsize(form):
        raise BadFlatbufferError("an offset leads out of the message")
    return int(struct.unpack_from(form, data, place)[0])
