"""Arrays in .npy and .npz files, mapped into memory where they lie unpacked, and only those that are asked for.

What a file says of itself is held against its size before anything is made of it.
"""

from __future__ import annotations

import math
import sys
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from rankscope.core.errors import InputError
from rankscope.core.names import name_of
from rankscope.inputs.sources import ExpandedBytes, TooLargeError, expansion_advice

NPY_SUFFIX = ".npy"
LOCAL_HEADER = 30  # bytes before the name of a member
CHUNK = 16 << 20


def read_npy(path: str | Path) -> NDArray[Any]:
    """The array in a .npy file, mapped into memory; anything else is an `InputError`."""
    with _explained(path, "is no array of numbers or texts"):
        with open(path, "rb") as file:
            header = _ArrayHeader.read(file)
            size = file.seek(0, 2)
        header.need(size - header.length)
        return _readable(_mapped(path, header, 0))


@dataclass(frozen=True)
class Archive:
    """The arrays of a .npz file by their names; each is read when it is asked for.

    Those that lie unpacked, as `numpy.savez` leaves them, are mapped into memory.
    """

    path: Path
    names: tuple[str, ...]

    @classmethod
    def of(cls, path: str | Path) -> Archive:
        with _explained(path, "is no archive of plain arrays"), zipfile.ZipFile(path) as packed:
            # Raise where something stands before the archive: zip readers pass over it, numpy does not.
            with open(path, "rb") as file:
                if file.read(4) != (b"PK\3\4" if len(packed.filelist) else b"PK\5\6"):
                    raise ValueError("it does not begin as an archive does")
            found = [each.filename.removesuffix(NPY_SUFFIX) for each in packed.infolist()]
        twice = sorted(name for name, times in Counter(found).items() if times > 1)
        if twice:
            raise InputError.of(name_of(path), [f"has the array '{name}' twice" for name in twice])
        return cls(Path(path), tuple(found))

    def __contains__(self, name: object) -> bool:
        return name in self.names

    def array(self, name: str) -> NDArray[Any]:
        """One array; a damaged one is an `InputError`."""
        with (
            _explained(self.path, f"has no plain array '{name}'"),
            zipfile.ZipFile(self.path) as packed,
            open(self.path, "rb") as file,
        ):
            about = packed.getinfo(f"{name}{NPY_SUFFIX}" if f"{name}{NPY_SUFFIX}" in packed.NameToInfo else name)
            ExpandedBytes(about.compress_size).add(about.file_size)
            with packed.open(about) as member:
                header = _ArrayHeader.read(member)
                header.need(about.file_size - header.length)
                if about.compress_type != zipfile.ZIP_STORED or about.flag_bits & 1:
                    return _readable(header.filled(member))
            start = _start(file, about)
            # The archive knows a sum of the bytes, which mapping them would not look at.
            file.seek(start)
            left, found = about.file_size, 0
            while left > 0 and (chunk := file.read(min(CHUNK, left))):
                found, left = zlib.crc32(chunk, found), left - len(chunk)
            if left or found != about.CRC:
                raise ValueError("its check sum is wrong: the file is damaged")
            return _readable(_mapped(self.path, header, start))

    def arrays(self) -> dict[str, NDArray[Any]]:
        """All of them, in memory."""
        return {name: np.array(self.array(name)) for name in self.names}


@dataclass(frozen=True)
class _ArrayHeader:
    """What a .npy file says of its array before it."""

    shape: tuple[int, ...]
    fortran: bool
    dtype: np.dtype[Any]
    length: int

    @classmethod
    def read(cls, file: Any) -> _ArrayHeader:
        version = npy.read_magic(file)
        read = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
        if version not in ((1, 0), (2, 0)):
            raise ValueError(f"version {version[0]}.{version[1]} of the format is not known here")
        shape, fortran, dtype = read(file)
        if dtype.hasobject:
            raise ValueError("it holds Python objects, which are not read")
        return cls(shape, fortran, dtype, file.tell())

    def need(self, size: int) -> None:
        """Raise where the values would not be so many bytes."""
        wanted = math.prod(self.shape) * self.dtype.itemsize
        if min(self.shape, default=0) < 0 or wanted != size:
            raise ValueError(f"an array of shape {self.shape} takes {wanted} bytes, {size} are there")

    def filled(self, member: IO[bytes]) -> NDArray[Any]:
        """The array from the bytes that follow."""
        values = np.empty(math.prod(self.shape), dtype=self.dtype)
        place, view = 0, values.view(np.uint8).reshape(-1) if values.size and values.itemsize else np.empty(0, np.uint8)
        while chunk := member.read(CHUNK):
            view[place : place + len(chunk)] = np.frombuffer(chunk, np.uint8)
            place += len(chunk)
        return values.reshape(self.shape, order="F" if self.fortran else "C")


def _mapped(path: str | Path, header: _ArrayHeader, start: int) -> NDArray[Any]:
    order: Any = "F" if header.fortran else "C"
    if math.prod(header.shape) * header.dtype.itemsize == 0:
        return np.empty(header.shape, header.dtype, order)
    return np.memmap(path, header.dtype, "r", start + header.length, header.shape, order)


def _readable(array: NDArray[Any]) -> NDArray[Any]:
    """The array, unless its texts hold what is no character: Python would stumble over it later."""
    if array.dtype.kind == "U" and array.dtype.itemsize:
        codes = np.ascontiguousarray(array).reshape(-1).view(np.dtype(np.uint32).newbyteorder(array.dtype.byteorder))
        if bool(((codes > sys.maxunicode) | ((codes >= 0xD800) & (codes < 0xE000))).any()):
            raise ValueError("its texts hold what is no character")
    return array


def _start(file: IO[bytes], about: zipfile.ZipInfo) -> int:
    """Where the bytes of a member begin."""
    file.seek(about.header_offset)
    local = file.read(LOCAL_HEADER)
    name, extra = (int.from_bytes(local[place : place + 2], "little") for place in (26, 28))
    return about.header_offset + LOCAL_HEADER + name + extra


@contextmanager
def _explained(path: str | Path, what: str) -> Iterator[None]:
    """Whatever a damaged file makes the readers of numpy and zip stumble over is an `InputError` with the name."""
    try:
        yield
    except InputError:
        raise
    except TooLargeError as error:
        raise InputError.of(name_of(path), [f"{what}: {error}"], expansion_advice()) from None
    except Exception as error:
        reason = (str(error) or type(error).__name__).partition("\n")[0][:200]
        raise InputError.of(name_of(path), [f"{what}: {reason}"]) from None
