"""Results of parts in files that hold arrays only."""

from __future__ import annotations

import io
from collections.abc import Mapping
from pathlib import Path
from typing import Any, BinaryIO, Generic, Protocol, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from rankscope.errors import InputError
from rankscope.inputs.arrays_in_files import Archive
from rankscope.ranks.ragged import Ragged

Arrays = dict[str, NDArray[Any]]


class OfArrays(Protocol):
    """What can be told by arrays alone."""

    def to_arrays(self) -> Arrays:
        """Arrays by name."""

    @classmethod
    def from_arrays(cls, arrays: Arrays) -> Self:
        """The same again; a `KeyError` where arrays are missing."""


T = TypeVar("T", bound=OfArrays)


class ArraysForm(Generic[T]):
    """Such results as .npz files."""

    suffix = ".npz"

    def __init__(self, kind: type[T]) -> None:
        self.kind = kind

    def read(self, file: Path) -> T | None:
        """The result in a file; None where there is none that is whole."""
        try:
            return self.kind.from_arrays(Archive.of(file).arrays())
        except (InputError, ValueError, KeyError):
            return None

    def write(self, result: T, stream: BinaryIO) -> None:
        """Write a result."""
        file = io.BytesIO()
        arrays: dict[str, Any] = result.to_arrays()
        np.savez(file, **arrays)
        stream.write(file.getvalue())


def lists_to_arrays(name: str, lists: Ragged) -> Arrays:
    """Lists as arrays, all under names that begin with this.

    >>> sorted(lists_to_arrays("hits", Ragged.of([[1], []], "item")))
    ['hits.item', 'hits.offsets']
    """
    return {f"{name}.offsets": lists.offsets} | {f"{name}.{each}": values for each, values in lists.columns.items()}


def lists_from_arrays(name: str, arrays: Mapping[str, NDArray[Any]]) -> Ragged:
    """The lists again."""
    columns = {each.partition(".")[2]: values for each, values in arrays.items() if each.startswith(f"{name}.")}
    return Ragged(columns.pop("offsets"), columns)
