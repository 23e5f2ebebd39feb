"""Is a file laid out as Arrow says? Asked before polars reads it, which ends the whole program where a damaged number
asks for more memory than there is.

Every offset and length in the footer and in the messages must lie within the file, and packed buffers must not become
more than is allowed.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rankscope.inputs.expansion import ExpandedBytes
from rankscope.inputs.flatbuffers import FlatTable

MAGIC = b"ARROW1"
MARK = b"\xff\xff\xff\xff"
HEAD, TAIL = 8, 10
DEEPEST = 64
# numbers of fields in Arrow's tables, and of the kinds of messages
SCHEMA, DICTIONARIES, BATCHES = 1, 2, 3
KIND, CONTENT, BODY = 1, 2, 3
A_SCHEMA, A_DICTIONARY, A_BATCH = 1, 2, 3
FIELDS, CHILDREN, BATCH_IN_DICTIONARY = 1, 5, 1
LENGTH, NODES, BUFFERS, PACKED = 0, 1, 2, 3


class BadArrowError(ValueError):
    """The file cannot be what it says."""


def check(data: Any, expansion: ExpandedBytes) -> None:
    """Raise `ValueError` where the file or stream cannot be what it says; `data` is bytes or a memory map."""
    if data[: len(MARK)] == MARK:
        end = _check_messages(data, 0, len(data), expansion)
        if end < len(data) and any(data[end : end + 4096]):
            raise BadArrowError("something stands behind its end")
        return
    footer = _footer(data)
    schema = footer.table(SCHEMA)
    if schema is None:
        raise BadArrowError("it has no schema")
    _check_fields(schema, FIELDS)
    for field in (DICTIONARIES, BATCHES):
        for offset, size, _, body in footer.numbers(field, "<qiiq"):
            _check_message(data, offset, size, body, expansion)


def _footer(data: Any) -> FlatTable:
    if len(data) < HEAD + TAIL or data[: len(MAGIC)] != MAGIC or data[-len(MAGIC) :] != MAGIC:
        raise BadArrowError("it does not begin and end with ARROW1")
    length = int.from_bytes(data[-TAIL : -len(MAGIC)], "little", signed=True)
    start = len(data) - TAIL - length
    if length < 8 or start < HEAD:
        raise BadArrowError(f"its footer is said to be {length} bytes long")
    return FlatTable.root(bytes(data[start : start + length]))


def _check_messages(data: Any, place: int, end: int, expansion: ExpandedBytes) -> int:
    """All messages of a stream, one behind the other; where they end."""
    while place < end:
        size = int.from_bytes(data[place + 4 : place + 8], "little", signed=True)
        if data[place : place + 4] != MARK or size == 0:
            return place + 8
        place += _check_message(data, place, size + 8, None, expansion)
    return place


def _check_message(data: Any, offset: int, size: int, body: int | None, expansion: ExpandedBytes) -> int:
    """One message and its body; how long they are together."""
    if size < 16 or offset < 0 or offset + size > len(data):
        raise BadArrowError(f"a message is said to lie at {offset} and to be {size} bytes long")
    start = offset + (8 if data[offset : offset + 4] == MARK else 4)  # before Arrow 0.15 there was no mark
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
