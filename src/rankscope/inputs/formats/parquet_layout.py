"""Is a file laid out as Parquet says? Asked before polars reads it, which ends the whole program where a damaged
number asks for more memory than there is.

Every size and count in the footer and in the page headers must fit into the file and fit together.
"""

from __future__ import annotations

import mmap
from collections.abc import Iterator
from typing import Any

from rankscope.inputs.expansion import ExpandedBytes
from rankscope.inputs.thrift import BadThriftError, ThriftReader

MAGIC = b"PAR1"
TAIL = 8
# numbers of fields in Parquet's structures
ROWS, GROUPS, NOTES = 3, 4, 5
COLUMNS, GROUP_ROWS = 1, 3
ELSEWHERE, COLUMN = 1, 3
VALUES, SIZE, FIRST_PAGE, DICTIONARY = 5, 7, 9, 11
PAGE_PLAIN, PAGE_SIZE = 2, 3
DATA, WORDS, DATA_2 = 5, 7, 8
PAGE_VALUES, PAGE_NULLS, LEVELS = 1, 2, (5, 6)
Struct = dict[int, Any]


def check(data: Any, expansion: ExpandedBytes) -> None:
    """Raise `ValueError` where the file cannot be what it says; `data` is bytes or a memory map."""
    footer, end = footer_of(data)
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
        _forget_pages(data)
    if rows != _whole(footer, ROWS):
        raise BadThriftError(f"it says {_whole(footer, ROWS)} rows, its parts have {rows}")


def _forget_pages(data: Any) -> None:
    """Let what was looked at of a memory map leave memory again."""
    if isinstance(data, mmap.mmap) and hasattr(mmap, "MADV_DONTNEED"):
        data.madvise(mmap.MADV_DONTNEED)


def footer_of(data: Any) -> tuple[Struct, int]:
    """What the file says of itself, and where that begins."""
    if len(data) < len(MAGIC) + TAIL or data[:4] != MAGIC or data[-4:] != MAGIC:
        raise BadThriftError("it does not begin and end with PAR1")
    length = int.from_bytes(data[-TAIL:-4], "little")
    start = len(data) - TAIL - length
    if start < len(MAGIC):
        raise BadThriftError(f"its footer is said to be {length} bytes long")
    return ThriftReader(data[start : len(data) - TAIL]).struct(), start


def group_rows(data: Any) -> list[int]:
    """How many rows each part of a checked file has."""
    return [_whole(group, GROUP_ROWS) for group in _structs(footer_of(data)[0], GROUPS)]


def notes_of(data: Any) -> dict[str, str]:
    """The notes next to the table: names and texts."""
    pairs = _structs(footer_of(data)[0], NOTES)
    return {_text(pair.get(1)): _text(pair.get(2)) for pair in pairs}


def _check_pages(data: Any, end: int, column: Struct, expansion: ExpandedBytes) -> None:
    """All pages of a column lie within it one behind the other, and have the values that it has."""
    first = min(_whole(column, name) for name in (FIRST_PAGE, DICTIONARY) if column.get(name, 0) or name == FIRST_PAGE)
    last = first + _whole(column, SIZE)
    if not len(MAGIC) <= first <= last <= end:
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


def _text(value: Any) -> str:
    if value is not None and not isinstance(value, bytes):
        raise BadThriftError("a note is no text")
    return (value or b"").decode()
