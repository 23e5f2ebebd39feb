"""How features are scaled before any method sees them: not at all, to mean 0 and sd 1, or to rows of length 1."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, cast, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankscope.arrays import FloatArray
from rankscope.catalogue import Catalogue

ScalingName = Literal["none", "standardise", "l2"]
SCALINGS = Catalogue.of_words("scaling", get_args(ScalingName))


@dataclass(frozen=True, eq=False)
class Scaling:
    """A scaling learnt from a collection, so that queries can be put where its items are.

    A feature that is the same for all items has no spread; it is moved to 0 and not divided.
    >>> Scaling.fitted("standardise", np.array([[1.0, 5.0], [3.0, 5.0]]))([[5.0, 6.0]])
    array([[3., 1.]])
    """

    name: ScalingName
    mean: FloatArray
    spread: FloatArray

    @classmethod
    def fitted(cls, name: ScalingName, matrix: NDArray[Any]) -> Scaling:
        """The scaling that fits the rows of a matrix."""
        name = cast(ScalingName, SCALINGS.find(name))
        width = matrix.shape[1]
        if name != "standardise":
            return cls(name, np.zeros(width), np.ones(width))
        spread = matrix.std(axis=0, dtype=np.float64)
        return cls(name, matrix.mean(axis=0, dtype=np.float64), np.where(spread > 0, spread, 1.0))

    def __call__(self, vectors: ArrayLike) -> NDArray[Any]:
        """Vectors as the scaled collection has them; rows of NaN and rows of zeros under `l2` stay."""
        rows = np.asarray(vectors)
        if self.name == "standardise":
            return (rows - self.mean) / self.spread
        return unit(rows) if self.name == "l2" else rows


def unit(rows: NDArray[Any]) -> NDArray[Any]:
    """Rows divided by their length; a row of zeros stays as it is.

    >>> unit(np.array([[3.0, 4.0], [0.0, 0.0]]))
    array([[0.6, 0.8],
           [0. , 0. ]])
    """
    length = np.sqrt(np.einsum("...j,...j->...", rows, rows, dtype=np.float64))[..., None]
    return (rows / np.where(length > 0, length, 1.0)).astype(rows.dtype if rows.dtype.kind == "f" else np.float64)
