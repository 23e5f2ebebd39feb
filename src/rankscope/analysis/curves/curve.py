"""What a graph draws: points in the order they are joined, with what must be known of each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import polars as pl
from numpy.typing import NDArray

from rankscope.core.arrays import BoolArray, FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class Curve:
    """Points (x, y) in the order they are joined; NaN where a point does not exist.

    >>> import numpy as np
    >>> curve = Curve(np.array([0.5, 1.0]), np.array([1.0, 0.8]), x_name="recall", y_name="precision")
    >>> curve.to_polars().columns, len(curve)
    (['recall', 'precision'], 2)
    """

    x: FloatArray
    y: FloatArray
    name: str = ""
    x_name: str = "x"
    y_name: str = "y"
    error: FloatArray | None = None  # standard error of y over queries
    x_error: FloatArray | None = None  # and of x
    queries: IntArray | None = None  # how many queries are in each point
    interpolated: BoolArray | None = None  # whether some query has its hits interpolated between two scopes there
    lower_bound: BoolArray | None = None  # whether some ranking ended before it, so that the truth may lie higher
    note: str = ""
    more: Mapping[str, NDArray[Any]] = field(default_factory=dict)  # further columns: scope, a, ...

    def __post_init__(self) -> None:
        wrong = [name for name, column in self._columns().items() if column.shape != self.x.shape]
        if wrong:
            raise ValueError(f"every column needs one value for each point, but not so: {', '.join(wrong)}")

    def __len__(self) -> int:
        return self.x.size

    def to_polars(self) -> pl.DataFrame:
        """One row per point; null where there is none. A curve with a name has it in its first column."""
        table = pl.DataFrame(dict(self._columns()), nan_to_null=True)
        return table.insert_column(0, pl.lit(self.name).alias("curve")) if self.name else table

    def _columns(self) -> dict[str, NDArray[Any]]:
        columns = {
            self.x_name: self.x,
            self.y_name: self.y,
            "error": self.error,
            "x_error": self.x_error,
            "queries": self.queries,
            "interpolated": self.interpolated,
            "lower_bound": self.lower_bound,
            **self.more,
        }
        return {name: column for name, column in columns.items() if column is not None}


precision_recall_curve = partial(Curve, x_name="recall", y_name="precision")


@dataclass(frozen=True, eq=False)
class Region:
    """The area between two curves over the same x: what is possible, or what was gained over chance."""

    x: FloatArray
    low: FloatArray
    high: FloatArray
    name: str = ""
    note: str = ""

    def to_polars(self) -> pl.DataFrame:
        """One row per place: x, low, high."""
        return pl.DataFrame({"x": self.x, "low": self.low, "high": self.high}, nan_to_null=True)
