"""A large matrix in a file: where work goes to others, its path and digest go with it in place of the numbers."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankscope.errors import InputError
from rankscope.files import atomic
from rankscope.inputs.arrays_in_files import read_npy

ADVICE = "Features above 100 MB go to workers as a file: write the output into a folder that all workers reach"


@dataclass(frozen=True)
class KeptMatrix:
    """Where the matrix lies, or will lie once it is asked for, and the digest of its numbers."""

    path: Path
    digest: str

    def write(self, matrix: NDArray[Any]) -> None:
        """Write the file, unless it is there: it appears whole, and its name tells what is in it."""
        if not self.path.exists():
            with atomic(self.path, "wb") as stream:
                np.lib.format.write_array(stream, np.ascontiguousarray(matrix), allow_pickle=False)

    def read(self) -> NDArray[Any]:
        """The matrix, mapped from the file; an `InputError` where that is not there or is another one."""
        try:
            matrix = np.asarray(read_npy(self.path))
        except InputError as error:
            reason = error.reports[0].problems[0].what
            raise InputError.of(str(self.path), [f"a worker cannot read it: {reason}"], ADVICE) from None
        if matrix_digest(matrix) != self.digest:
            raise InputError.of(str(self.path), ["a worker finds other features there"], ADVICE)
        return matrix


def matrix_digest(values: NDArray[Any]) -> str:
    """SHA-256 of type, shape and values, equal on every machine.

    >>> matrix_digest(np.array([[0.0, 1.0]]))[:8]
    '4c56d06f'
    """
    matrix = np.ascontiguousarray(values, dtype=values.dtype.newbyteorder("<"))
    result = hashlib.sha256(f"{matrix.dtype.str} {matrix.shape}\n".encode())
    result.update(matrix.reshape(-1).view(np.uint8).data)
    return result.hexdigest()
