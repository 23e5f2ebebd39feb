"""What must be known of the features of a whole collection before any part of it is ranked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from rankscope.engines.nearest.sums import is_whole, parts


@dataclass(frozen=True)
class Values:
    """The least and the largest of all features, and whether all are whole numbers; exact up to 2^53.

    >>> import numpy as np
    >>> Values.join([Values.of(np.array([[1, 2]])), Values.of(np.array([[-3.0, 0.5]]))])
    Values(least=-3.0, most=2.0, whole=False)
    """

    least: float
    most: float
    whole: bool

    @classmethod
    def of(cls, matrix: NDArray[Any]) -> Values:
        """Of a table that is not empty; it is read in parts."""
        some = [matrix[part] for part in parts(*matrix.shape)]
        least, most = min(float(part.min()) for part in some), max(float(part.max()) for part in some)
        return cls(least, most, is_whole(matrix))

    @classmethod
    def join(cls, several: Sequence[Values]) -> Values:
        """Of all parts of a collection."""
        return cls(
            least=min(each.least for each in several),
            most=max(each.most for each in several),
            whole=all(each.whole for each in several),
        )

    @property
    def peak(self) -> float:
        """The largest absolute value."""
        return max(self.most, -self.least)
