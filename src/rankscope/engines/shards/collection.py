"""The rows of a collection that lies in several files, read where they are needed: a path travels, not the numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankscope.arrays import IntArray
from rankscope.errors import InputError
from rankscope.inputs.arrays_in_files import read_npy
from rankscope.names import name_of
from rankscope.ranks.ragged import offsets_of

ADVICE = "Features go to workers as files: all workers must reach them, and nobody may change them meanwhile."


@dataclass(frozen=True, eq=False)
class RowFile:
    """Some rows, in an .npy file or in the memory of this process; `stamp` tells whether the file was changed."""

    rows: int
    path: Path | None = None
    array: NDArray[Any] | None = None
    stamp: tuple[int, int] = (0, 0)

    @classmethod
    def of(cls, array: NDArray[Any], path: Path | None = None) -> RowFile:
        """An array, which is mapped from the file where one is named."""
        if path is None:
            return cls(rows=len(array), array=array)
        return cls(rows=len(array), path=path, stamp=_stamp(path))

    @property
    def name(self) -> str:
        """What messages call it."""
        return name_of(self.path) if self.path is not None else "features"

    def table(self, width: int, kind: np.dtype[Any]) -> NDArray[Any]:
        """The rows, mapped; an `InputError` where others are there."""
        if self.array is not None:
            return self.array
        assert self.path is not None
        found = read_npy(self.path)
        if found.shape != (self.rows, width) or found.dtype != kind:
            raise InputError.of(self.name, ["holds other features than before"], ADVICE)
        return found

    def is_unchanged(self) -> bool:
        """Whether the file is the one that was there when the work began."""
        return self.path is None or _stamp(self.path) == self.stamp


def _stamp(path: Path) -> tuple[int, int]:
    try:
        about = path.stat()
    except OSError:
        return -1, -1
    return about.st_size, about.st_mtime_ns


@dataclass(frozen=True, eq=False)
class StoredRows:
    """Rows of several files, one file behind the other.

    >>> halves = (RowFile.of(np.array([[0], [1]])), RowFile.of(np.array([[2], [3], [4]])))
    >>> whole = StoredRows(halves, width=1, kind=np.dtype(np.int64))
    >>> whole.rows(1, 3).ravel(), whole.rows_at(np.array([4, 0])).ravel()
    (array([1, 2]), array([4, 0]))
    """

    files: tuple[RowFile, ...]
    width: int
    kind: np.dtype[Any]

    @cached_property
    def offsets(self) -> IntArray:
        """Where each file begins, and where the last one ends."""
        return offsets_of(np.array([each.rows for each in self.files], dtype=np.int64))

    def __len__(self) -> int:
        return int(self.offsets[-1])

    def rows(self, first: int, stop: int) -> NDArray[Any]:
        """A range of rows; mapped where it lies in one file."""
        tables = [
            file.table(self.width, self.kind)[max(0, first - begin) : stop - begin]
            for file, begin in zip(self.files, self.offsets[:-1].tolist(), strict=True)
            if begin < stop and begin + file.rows > first
        ]
        if not tables:
            return np.empty((0, self.width), dtype=self.kind)
        return tables[0] if len(tables) == 1 else np.concatenate(tables)

    def rows_at(self, numbers: IntArray) -> NDArray[Any]:
        """Some rows, in memory."""
        result = np.empty((numbers.size, self.width), dtype=self.kind)
        owner = np.searchsorted(self.offsets, numbers, side="right") - 1
        for number in np.unique(owner).tolist():
            mine = owner == number
            result[mine] = self.files[number].table(self.width, self.kind)[numbers[mine] - self.offsets[number]]
        return result

    def changed(self) -> Sequence[str]:
        """The names of the files that were changed or removed."""
        return [each.name for each in self.files if not each.is_unchanged()]
