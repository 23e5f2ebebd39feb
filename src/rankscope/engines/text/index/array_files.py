"""Arrays in files: written in pieces, with a checksum of what was written; read by mapping, or piece by piece."""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, Final

import numpy as np

from rankscope.digests import CHUNK, FileDigest
from rankscope.engines.text.index.columns import Numbers
from rankscope.errors import InputError
from rankscope.files import atomic

HEADER: Final = 128  # bytes, so that it can be written anew when the length is known
SHAPE: Final = re.compile(rb"'descr': '([<|][iu][1248])'.*'shape': \((\d{1,18}),\)")


class ArrayWriter:
    """Writes an array of numbers piece by piece; how many there are is known at the end."""

    def __init__(self, file: BinaryIO, dtype: np.dtype[Any]) -> None:
        self.file, self.dtype, self.length, self.checksum = file, dtype, 0, 0
        file.write(b"\0" * HEADER)

    def write(self, numbers: Numbers) -> None:
        """Add some numbers at the end."""
        data = np.ascontiguousarray(numbers, dtype=self.dtype).tobytes()
        self.file.write(data)
        self.checksum = zlib.crc32(data, self.checksum)
        self.length += len(numbers)

    def finish(self) -> FileDigest:
        """Write the header, and say what was written."""
        header = _header(self.dtype, self.length)
        self.file.seek(0)
        self.file.write(header)
        size = HEADER + self.length * self.dtype.itemsize
        return FileDigest(size, _joined_checksum(header, self.checksum))


class TotalsWriter:
    """Writes counts as running totals, from 0: where each of many things begins, and where one more would begin."""

    def __init__(self, writer: ArrayWriter) -> None:
        self.writer, self.total = writer, 0
        writer.write(np.zeros(1, dtype=np.int64))

    def write(self, counts: Numbers) -> None:
        """Add what these begin after."""
        totals = self.total + np.cumsum(counts, dtype=np.int64)
        self.writer.write(totals)
        self.total = int(totals[-1]) if len(totals) else self.total


@contextmanager
def array_writer(path: Path, dtype: np.dtype[Any], records: dict[str, FileDigest]) -> Iterator[ArrayWriter]:
    """An array to be written in pieces; when the block ends well, its digest stands under its name."""
    with atomic(path, "wb") as file:
        writer = ArrayWriter(file, dtype)
        yield writer
        records[path.name] = writer.finish()


def write_array(path: Path, numbers: Numbers, records: dict[str, FileDigest]) -> None:
    """Write a whole array."""
    with array_writer(path, numbers.dtype, records) as writer:
        writer.write(numbers)


def map_array(path: Path, record: FileDigest) -> Numbers:
    """An array that stays in its file and is read where it is used; one of another size is an `InputError`."""
    try:
        found = path.stat().st_size
        if found != record.size:
            raise InputError.of(str(path), [f"has {found} bytes in place of {record.size}: the index is damaged"])
        with path.open("rb") as file:
            header = file.read(HEADER)
        match = SHAPE.search(header)
        if match is None or header != _header(dtype := np.dtype(match[1].decode()), length := int(match[2])):
            raise InputError.of(str(path), ["holds no whole numbers: the index is damaged"])
        if HEADER + length * dtype.itemsize != record.size:
            raise InputError.of(str(path), [f"does not hold {length} numbers: the index is damaged"])
        return np.memmap(path, dtype, "r", HEADER, (length,)) if length else np.empty(0, dtype)
    except OSError as error:
        raise InputError.of(str(path), [f"cannot be read: {error.strerror}"]) from None


def read_slice(numbers: Numbers, start: int, stop: int) -> Numbers:
    """A part of an array; of one in a file it is read, so that the file does not fill the memory."""
    if not isinstance(numbers, np.memmap) or numbers.filename is None:
        return numbers[start:stop]
    offset = HEADER + start * numbers.itemsize
    return np.fromfile(numbers.filename, dtype=numbers.dtype, count=max(stop - start, 0), offset=offset)


def _header(dtype: np.dtype[Any], length: int) -> bytes:
    """The header of numpy's own format, with spaces up to a fixed length."""
    shown = f"{{'descr': '{np.lib.format.dtype_to_descr(dtype)}', 'fortran_order': False, 'shape': ({length},), }}"
    magic = np.lib.format.magic(1, 0)
    room = HEADER - len(magic) - 2
    return magic + room.to_bytes(2, "little") + shown.ljust(room - 1).encode("latin1") + b"\n"


def _joined_checksum(header: bytes, checksum: int) -> int:
    """A checksum of header and data that needs no second look at the data."""
    return zlib.crc32(checksum.to_bytes(4, "little"), zlib.crc32(header))


def digest_of_array(path: Path) -> FileDigest:
    """The digest that `ArrayWriter` would have given for a file."""
    with path.open("rb") as file:
        header, checksum, size = file.read(HEADER), 0, HEADER
        while piece := file.read(CHUNK):
            checksum, size = zlib.crc32(piece, checksum), size + len(piece)
    return FileDigest(size, _joined_checksum(header, checksum))
