"""What a band is: a mean curve over queries with limits at each point, and what the limits promise."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import ArrayLike

from rankscope.arrays import BoolArray, FloatArray, IntArray
from rankscope.curves.curve import Curve, Region


@dataclass(frozen=True, eq=False)
class Band:
    """Means with limits; NaN where a point has fewer than two queries. Limits are raw: they may leave the bounds.

    t promises each point for itself; bonferroni and sup-t promise the whole curve at once. All show how the mean
    varies with the queries asked, not what another collection would do.
    """

    x: FloatArray
    mean: FloatArray
    sd: FloatArray  # unbiased, between queries
    low: FloatArray
    high: FloatArray
    critical: FloatArray  # standard errors to each side; one number, but where points have other numbers of queries
    count: IntArray  # queries with a value, at each point
    effective: FloatArray  # as how many independent queries these count
    queries: int
    how: str
    level: float = 0.95
    resamples: int = 0  # 0: nothing was drawn
    seed: int = 0
    unit: str = "queries"
    units: int = 0
    note: str = ""
    name: str = ""
    x_name: str = "x"
    y_name: str = "mean"
    bounds: tuple[float, float] = (0.0, 1.0)

    def __len__(self) -> int:
        return self.x.size

    @property
    def simultaneous(self) -> bool:
        """Whether the level is that of the whole curve."""
        return self.how != "t"

    @property
    def exists(self) -> bool:
        """Whether any point has limits."""
        return bool(np.isfinite(self.low).any())

    @property
    def error(self) -> FloatArray:
        """The standard error of each mean: sd over the root of the effective sample."""
        return self.sd / np.sqrt(np.where(self.effective > 0, self.effective, np.nan))

    def drawn(self) -> Region:
        """The limits as a graph shows them, kept within what a value can be."""
        return Region(self.x, np.clip(self.low, *self.bounds), np.clip(self.high, *self.bounds), self.name, self.note)

    def curve(self) -> Curve:
        """The mean curve."""
        return Curve(
            self.x, self.mean, self.name, self.x_name, self.y_name, error=self.error, queries=self.count, note=self.note
        )  # fmt: skip

    def holds(self, curve: ArrayLike) -> BoolArray:
        """At which points a curve lies within the limits; not where there are none.

        >>> from rankscope.statistics.bands import band
        >>> band([[0.2, 0.1], [0.4, 0.3], [0.6, 0.2]], [0, 1], how="t").holds([0.5, 0.9])
        array([ True, False])
        """
        given = np.asarray(curve, dtype=np.float64)
        return np.asarray((self.low <= given) & (given <= self.high))

    def rows(self) -> list[dict[str, float]]:
        """One row per point, in plain numbers."""
        return self.to_polars().with_columns(pl.col(pl.Float64).fill_null(float("nan"))).rows(named=True)

    def to_polars(self) -> pl.DataFrame:
        """One row per point; null where there is no number."""
        names = ("mean", "sd", "low", "high", "critical", "effective")
        columns = {self.x_name: self.x, **{name: getattr(self, name) for name in names}, "queries": self.count}
        return pl.DataFrame(columns, nan_to_null=True)
