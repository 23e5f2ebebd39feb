"""What a band is: a mean curve over queries with limits at each point, and what the limits promise."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import ArrayLike

from rankscope.arrays import BoolArray, FloatArray, IntArray
from rankscope.curves.curve import Curve, Region
from rankscope.number_texts import how_many
from rankscope.statistics.intervals.deciding import FEW

CAUTION = "may not hold where few units decide"


@dataclass(frozen=True, eq=False)
class Band:
    """Means with limits; NaN where a point has fewer than two sampling units.

    The way `t` promises each point by itself, all others the whole curve at once. Limits by an unseen unit stay within
    the bounds and lie unlike on both sides; those of the other ways are raw and may leave the bounds. All show how the
    mean varies with the queries asked, not what another collection would do.
    """

    x: FloatArray
    mean: FloatArray
    sd: FloatArray  # unbiased, between queries
    error: FloatArray  # standard error of the mean, between sampling units
    low: FloatArray
    high: FloatArray
    critical: FloatArray  # standard errors to each side; NaN where limits are not made of them
    count: IntArray  # queries with a value, at each point
    effective: FloatArray  # as how many independent queries these count
    deciding: FloatArray  # by how many sampling units the mean is decided
    queries: int
    how: str
    level: float = 0.95
    resamples: int = 0  # 0: nothing was drawn
    seed: int = 0
    unit: str = "queries"
    units: int = 0
    cut: int = 0  # rankings that end before the last relevant item: means are lower bounds
    name: str = ""
    x_name: str = "x"
    y_name: str = "mean"
    bounds: tuple[FloatArray | float, FloatArray | float] = (0.0, 1.0)  # what a value can be

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
    def few(self) -> BoolArray:
        """Which points rest on few units: fewer than 5 decide."""
        return np.asarray((self.count > 0) & (self.deciding < FEW))

    @property
    def note(self) -> str:
        """What must be said with the numbers.

        >>> from rankscope.statistics.intervals.bands import band
        >>> band([[0.2, 0.1]] * 9 + [[0.2, 0.9]], how="bonferroni").note
        '1 of 2 points rests on few queries (fewer than 5 decide); may not hold where few units decide'
        """
        return "; ".join(filter(None, [*self._missing(), self.rests_on_few, self._caution(), self._lower_bounds()]))

    @property
    def rests_on_few(self) -> str:
        """How many points rest on few units, in words; empty where none does."""
        some = int(self.few.sum())
        if not self.exists or not some:
            return ""
        verb = "rests" if some == 1 else "rest"
        return f"{some} of {how_many(len(self), 'points')} {verb} on few {self.unit} (fewer than {FEW} decide)"

    def _missing(self) -> Iterator[str]:
        """Where there is no band, and where not all queries count, or not all of them as one."""
        there = np.isfinite(self.low)
        if not there.any():
            yield f"no band: two {self.unit} at least are needed"
        elif not there.all():
            yield f"no band at {how_many(int((~there).sum()), 'points')} with fewer than two {self.unit}"
        if self.count.size and np.ptp(self.count) > 0:
            yield f"{int(self.count.min()):,} to {how_many(int(self.count.max()), 'queries')} at a point"
        if there.any() and self.unit == "classes":
            low, high = float(self.effective[there].min()), float(self.effective[there].max())
            yield f"queries count as {low:,.0f} to {high:,.0f} independent ones"

    def _caution(self) -> str:
        if not self.exists or self.how not in ("bonferroni", "sup-t"):
            return ""
        others = "Bonferroni" if self.few.all() else "the other points"
        return f"critical value that of {others}; {CAUTION}" if self.how == "sup-t" and self.few.any() else CAUTION

    def _lower_bounds(self) -> str:
        cut = "1 ranking ends" if self.cut == 1 else f"{self.cut:,} rankings end"
        return f"lower bounds: {cut} before the last relevant item" if self.cut else ""

    def drawn(self) -> Region:
        """The limits as a graph shows them, kept within what a value can be."""
        return Region(
            x=self.x,
            low=np.clip(self.low, *self.bounds),
            high=np.clip(self.high, *self.bounds),
            name=self.name,
            note=self.note,
        )

    def curve(self) -> Curve:
        """The mean curve."""
        return Curve(
            x=self.x,
            y=self.mean,
            name=self.name,
            x_name=self.x_name,
            y_name=self.y_name,
            error=self.error,
            queries=self.count,
            note=self.note,
        )

    def holds(self, curve: ArrayLike) -> BoolArray:
        """At which points a curve lies within the limits; not where there are none.

        >>> from rankscope.statistics.intervals.bands import band
        >>> band([[0.2, 0.1], [0.4, 0.3], [0.6, 0.2]], [0, 1], how="t").holds([0.5, 0.9])
        array([ True, False])
        """
        given = np.asarray(curve, dtype=np.float64)
        return np.asarray((self.low <= given) & (given <= self.high))

    def rows(self) -> list[dict[str, float]]:
        """One row per point, in plain numbers."""
        return self.to_polars().with_columns(pl.col(pl.Float64).fill_null(float("nan"))).rows(named=True)

    def to_polars(self) -> pl.DataFrame:
        """One row per point; null where there is not a number."""
        names = ("mean", "sd", "low", "high", "critical", "effective", "deciding", "few")
        columns = {self.x_name: self.x, **{name: getattr(self, name) for name in names}, "queries": self.count}
        return pl.DataFrame(columns, nan_to_null=True)
