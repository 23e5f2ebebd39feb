"""Are files laid out as Parquet and Arrow say? Asked before polars reads them, which ends the whole program where a
damaged number asks for more memory than there is.

Every size, count and offset in footers, page headers and messages must fit into the file and fit together, and
packed buffers must not become more than is allowed. Footers are read here from Thrift's compact form and from
Flatbuffers, without trusting a byte.
"""

from __future__ import annotations

import mmap
import struct
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from rankscope.inputs.sources import ExpandedBytes

PARQUET_MAGIC = b"PAR1"
PARQUET_TAIL = 8
# numbers of fields in Parquet's structures
ROWS, GROUPS, NOTES = 3, 4, 5
COLUMNS, GROUP_ROWS = 1, 3
ELSEWHERE, COLUMN = 1, 3
VALUES, SIZE, FIRST_PAGE, DICTIONARY = 5, 7, 9, 11
PAGE_PLAIN, PAGE_SIZE = 2, 3
DATA, WORDS, DATA_2 = 5, 7, 8
PAGE_VALUES, PAGE_NULLS, LEVELS = 1, 2, (5, 6)
Struct = dict[int, Any]


def check_parquet(data: Any, expansion: ExpandedBytes) -> None:
    """Raise `ValueError` where the file cannot be what it says; `data` is bytes or a memory map."""
    footer, end = parquet_footer(data)
    rows = 0
    for group in _structs(footer, GROUPS):
        rows += _whole(group, GROUP_ROWS)
        for chunk in _structs(group, COLUMNS):
            column = _struct(chunk, COLUMN)
            if ELSEWHERE in chunk:
                raise BadThriftError("a column lies in another file")
            if _whole(column, VALUES) < _whole(group, GROUP_ROWS):
                raise BadThriftError("a column has fewer values than rows")
            _check_pages(data, end, column, expansion)
        # Let what was looked at of a memory map leave memory again.
        if isinstance(data, mmap.mmap) and hasattr(mmap, "MADV_DONTNEED"):
            data.madvise(mmap.MADV_DONTNEED)
    if rows != _whole(footer, ROWS):
        raise BadThriftError(f"it says {_whole(footer, ROWS)} rows, its parts have {rows}")


def parquet_footer(data: Any) -> tuple[Struct, int]:
    """What the file says of itself, and where that begins."""
    if len(data) < len(PARQUET_MAGIC) + PARQUET_TAIL or data[:4] != PARQUET_MAGIC or data[-4:] != PARQUET_MAGIC:
        raise BadThriftError("it does not begin and end with PAR1")
    length = int.from_bytes(data[-PARQUET_TAIL:-4], "little")
    start = len(data) - PARQUET_TAIL - length
    if start < len(PARQUET_MAGIC):
        raise BadThriftError(f"its footer is said to be {length} bytes long")
    return ThriftReader(data[start : len(data) - PARQUET_TAIL]).struct(), start


def parquet_group_rows(data: Any) -> list[int]:
    """How many rows each part of a checked file has."""
    return [_whole(group, GROUP_ROWS) for group in _structs(parquet_footer(data)[0], GROUPS)]


def parquet_notes(data: Any) -> dict[str, str]:
    """The notes next to the table: names and texts."""
    pairs = _structs(parquet_footer(data)[0], NOTES)
    return {_note_text(pair.get(1)): _note_text(pair.get(2)) for pair in pairs}


def _check_pages(data: Any, end: int, column: Struct, expansion: ExpandedBytes) -> None:
    """All pages of a column lie within it one behind the other, and have the values that it has."""
    first = min(_whole(column, name) for name in (FIRST_PAGE, DICTIONARY) if column.get(name, 0) or name == FIRST_PAGE)
    last = first + _whole(column, SIZE)
    if not len(PARQUET_MAGIC) <= first <= last <= end:
        raise BadThriftError(f"a column is said to lie at {first} to {last}")
    values = 0
    for page in _pages(data, first, last, expansion):
        values += page
    if values != _whole(column, VALUES):
        raise BadThriftError(f"a column should have {_whole(column, VALUES)} values, its pages have {values}")


def _pages(data: Any, first: int, last: int, expansion: ExpandedBytes) -> Iterator[int]:
    """How many values each page adds."""
    part = memoryview(data)[first:last]
    reader = ThriftReader(part)
    while reader.place < len(part):
        page = reader.struct()
        size, plain = _whole(page, PAGE_SIZE), _whole(page, PAGE_PLAIN)
        if size > len(part) - reader.place:
            raise BadThriftError(f"a page of {size} bytes does not fit into its column")
        reader.place += size
        if WORDS in page:
            expansion.add(plain + 8 * _whole(_struct(page, WORDS), PAGE_VALUES))
            continue
        about = _struct(page, DATA_2 if DATA_2 in page else DATA)
        levels = sum(_whole(about, name) for name in LEVELS) if DATA_2 in page else 0
        if levels > min(size, plain) or (DATA_2 in page and _whole(about, PAGE_NULLS) > _whole(about, PAGE_VALUES)):
            raise BadThriftError("a page has more levels than bytes")
        values = _whole(about, PAGE_VALUES)
        expansion.add(max(plain, 8 * values))
        yield values


def _structs(owner: Struct, name: int) -> list[Struct]:
    found = owner.get(name, [])
    if not isinstance(found, list) or not all(isinstance(each, dict) for each in found):
        raise BadThriftError("a list is not what it should be")
    return found


def _struct(owner: Struct, name: int) -> Struct:
    found = owner.get(name)
    if not isinstance(found, dict):
        raise BadThriftError("a part is missing")
    return found


def _whole(owner: Struct, name: int) -> int:
    found = owner.get(name)
    if not isinstance(found, int) or isinstance(found, bool) or found < 0:
        raise BadThriftError(f"a count or size must be a whole number from 0 on, got {found!r}")
    return found


def _note_text(value: Any) -> str:
    if value is not None and not isinstance(value, bytes):
        raise BadThriftError("a note is no text")
    return (value or b"").decode()


# Thrift's compact form, as Parquet's footers and page headers are written in it, read without trusting a byte.

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


ARROW_MAGIC = b"ARROW1"
ARROW_MARK = b"\xff\xff\xff\xff"
ARROW_HEAD, ARROW_TAIL = 8, 10
# numbers of fields in Arrow's tables, and of the kinds of messages
SCHEMA, DICTIONARIES, BATCHES = 1, 2, 3
KIND, CONTENT, BODY = 1, 2, 3
A_SCHEMA, A_DICTIONARY, A_BATCH = 1, 2, 3
FIELDS, CHILDREN, BATCH_IN_DICTIONARY = 1, 5, 1
LENGTH, NODES, BUFFERS, PACKED = 0, 1, 2, 3


class BadArrowError(ValueError):
    """The file cannot be what it says."""


def check_arrow(data: Any, expansion: ExpandedBytes) -> None:
    """Raise `ValueError` where the file or stream cannot be what it says; `data` is bytes or a memory map."""
    if data[: len(ARROW_MARK)] == ARROW_MARK:
        end = _check_messages(data, 0, len(data), expansion)
        if end < len(data) and any(data[end : end + 4096]):
            raise BadArrowError("something stands behind its end")
        return
    footer = _arrow_footer(data)
    schema = footer.table(SCHEMA)
    if schema is None:
        raise BadArrowError("it has no schema")
    _check_fields(schema, FIELDS)
    for part in (DICTIONARIES, BATCHES):
        for offset, size, _, body in footer.numbers(part, "<qiiq"):
            _check_message(data, offset, size, body, expansion)


def _arrow_footer(data: Any) -> FlatTable:
    if (
        len(data) < ARROW_HEAD + ARROW_TAIL
        or data[: len(ARROW_MAGIC)] != ARROW_MAGIC
        or data[-len(ARROW_MAGIC) :] != ARROW_MAGIC
    ):
        raise BadArrowError("it does not begin and end with ARROW1")
    length = int.from_bytes(data[-ARROW_TAIL : -len(ARROW_MAGIC)], "little", signed=True)
    start = len(data) - ARROW_TAIL - length
    if length < 8 or start < ARROW_HEAD:
        raise BadArrowError(f"its footer is said to be {length} bytes long")
    return FlatTable.root(bytes(data[start : start + length]))


def _check_messages(data: Any, place: int, end: int, expansion: ExpandedBytes) -> int:
    """All messages of a stream, one behind the other; where they end."""
    while place < end:
        size = int.from_bytes(data[place + 4 : place + 8], "little", signed=True)
        if data[place : place + 4] != ARROW_MARK or size == 0:
            return place + 8
        place += _check_message(data, place, size + 8, None, expansion)
    return place


def _check_message(data: Any, offset: int, size: int, body: int | None, expansion: ExpandedBytes) -> int:
    """One message and its body; how long they are together."""
    if size < 16 or offset < 0 or offset + size > len(data):
        raise BadArrowError(f"a message is said to lie at {offset} and to be {size} bytes long")
    start = offset + (8 if data[offset : offset + 4] == ARROW_MARK else 4)  # before Arrow 0.15 there was no mark
    inner = int.from_bytes(data[start - 4 : start], "little", signed=True)
    if not 8 <= inner <= offset + size - start:
        raise BadArrowError(f"a message of {size} bytes is said to be {inner} bytes long")
    message = FlatTable.root(bytes(data[start : start + inner]))
    length = message.number(BODY, "<q")
    if length < 0 or offset + size + length > len(data) or (body is not None and body != length):
        raise BadArrowError(f"the body of a message is said to be {length} bytes long")
    content = message.table(CONTENT)
    if content is not None:
        part = memoryview(data)[offset + size : offset + size + length]
        _check_content(message.number(KIND, "<B"), content, part, expansion)
    return size + length


def _check_content(kind: int, content: FlatTable, body: memoryview, expansion: ExpandedBytes) -> None:
    if kind == A_SCHEMA:
        _check_fields(content, FIELDS)
        return
    batch = content.table(BATCH_IN_DICTIONARY) if kind == A_DICTIONARY else content
    if kind not in (A_DICTIONARY, A_BATCH) or batch is None:
        raise BadArrowError(f"a message is of kind {kind}")
    before = expansion.plain
    for size in _plain_sizes(batch, body):
        expansion.add(size)
    most = 8 * (expansion.plain - before) + 1024  # a value takes a bit at least, where it is not missing always
    counts = [(batch.number(LENGTH, "<q"), 0), *batch.numbers(NODES, "<qq")]
    for count, nulls in counts:
        if not 0 <= nulls <= count <= most:
            raise BadArrowError(f"a column is said to have {count} values and {nulls} missing ones")


def _plain_sizes(batch: FlatTable, body: memoryview) -> Iterator[int]:
    """How long each buffer is when it is unpacked."""
    packed = batch.table(PACKED) is not None
    for offset, length in batch.numbers(BUFFERS, "<qq"):
        if offset < 0 or length < 0 or offset + length > len(body):
            raise BadArrowError(f"a buffer is said to lie at {offset} and to be {length} bytes long")
        if not packed or length == 0:
            yield length
            continue
        plain = int.from_bytes(body[offset : offset + 8], "little", signed=True) if length >= 8 else -2
        if plain < -1:
            raise BadArrowError(f"a packed buffer of {length} bytes is said to hold {plain}")
        yield length if plain == -1 else plain


def _check_fields(owner: FlatTable, number: int, depth: int = 0) -> None:
    """Columns within columns, but not without end."""
    if depth > DEEPEST:
        raise BadArrowError("columns are nested too deep")
    for each in owner.tables(number):
        _check_fields(each, CHILDREN, depth + 1)


# Flatbuffers, as Arrow's messages are written in them, read without trusting an offset.


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
