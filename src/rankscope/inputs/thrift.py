"""Thrift's compact form, as Parquet's footers and page headers are written in it, read without trusting a byte."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

BOOLEANS = {1: True, 2: False}
BYTE, WHOLE, DOUBLE, BINARY, LISTS, MAP, STRUCT = 3, (4, 5, 6), 7, 8, (9, 10), 11, 12
DEEPEST = 64


class BadThriftError(ValueError):
    """The bytes are not what they should be."""


@dataclass
class ThriftReader:
    """A place in some bytes, from which structures are read as {number of the field: value}.

    >>> ThriftReader(bytes([0x15, 0x0E, 0x00])).struct()  # field 1, a whole number, 7
    {1: 7}
    """

    data: Any  # bytes, or a memory map
    place: int = 0
    depth: int = field(default=0, repr=False)

    def struct(self) -> dict[int, Any]:
        """One structure; fields of later versions are kept under their numbers too."""
        self.depth += 1
        if self.depth > DEEPEST:
            raise BadThriftError("structures are nested too deep")
        fields, number = {}, 0
        while head := self._byte():
            number = number + (head >> 4) if head >> 4 else self._signed()
            fields[number] = self._value(head & 15)
        self.depth -= 1
        return fields

    def _value(self, kind: int) -> Any:
        if kind in BOOLEANS:
            return BOOLEANS[kind]
        if kind in WHOLE:
            return self._signed()
        if kind == BINARY:
            return self._bytes(self._unsigned())
        if kind == STRUCT:
            return self.struct()
        if kind in LISTS:
            return self._list()
        if kind in (BYTE, DOUBLE):
            return self._bytes(1 if kind == BYTE else 8)
        raise BadThriftError(f"no kind of value has the number {kind}")

    def _list(self) -> list[Any]:
        head = self._byte()
        size, kind = head >> 4, head & 15
        if size == 15:
            size = self._unsigned()
        self._need(size)  # each value takes a byte at least
        return [self._byte() == 1 if kind in BOOLEANS else self._value(kind) for _ in range(size)]

    def _signed(self) -> int:
        number = self._unsigned()
        return (number >> 1) ^ -(number & 1)

    def _unsigned(self) -> int:
        number = 0
        for shift in range(0, 70, 7):
            byte = self._byte()
            number |= (byte & 127) << shift
            if byte < 128:
                return number
        raise BadThriftError("a number does not end")

    def _byte(self) -> int:
        self._need(1)
        self.place += 1
        return int(self.data[self.place - 1])

    def _bytes(self, size: int) -> bytes:
        self._need(size)
        self.place += size
        return bytes(self.data[self.place - size : self.place])

    def _need(self, size: int) -> None:
        if not 0 <= size <= len(self.data) - self.place:
            raise BadThriftError("it ends too early")
