"""Differences of all pairs of means, with simultaneous intervals and p values that hold for all pairs together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from rankscope.arrays import BoolArray, FloatArray, IntArray
from rankscope.errors import SettingError
from rankscope.statistics.pairs.studentised_range import StudentisedRange
from rankscope.statistics.table.cells import need_level, pair_numbers, plain_rows

MOST = 2_000  # means: two million pairs
NO_SPREAD = "no spread to measure differences by: there is no p value"


@dataclass(frozen=True)
class PairDifference:
    """Second minus first: the difference, its simultaneous interval, the adjusted p value."""

    first: str
    second: str
    difference: float
    low: float
    high: float
    p: float
    different: bool


@dataclass(frozen=True, eq=False)
class Comparisons:
    """All pairs of some means; `width` is how large a difference must be to count as real (W of Tukey and Kramer)."""

    measure: str
    test: str
    names: tuple[str, ...]
    means: FloatArray
    first: IntArray
    second: IntArray
    width: FloatArray
    p: FloatArray
    level: float = 0.95
    note: str = ""

    @property
    def difference(self) -> FloatArray:
        """Second minus first, for each pair."""
        return self.means[self.second] - self.means[self.first]

    @property
    def different(self) -> BoolArray:
        """Whether each difference is larger than its width; never where there is no width."""
        with np.errstate(invalid="ignore"):
            return np.asarray((np.abs(self.difference) > self.width) & np.isfinite(self.p))

    @property
    def pairs(self) -> tuple[PairDifference, ...]:
        """One value per pair."""
        return tuple(PairDifference(**row) for row in self.rows())  # type: ignore[arg-type]

    def pair(self, first: str, second: str) -> PairDifference:
        """One pair by its names, in the order in which they were compared."""
        wanted = {first, second}
        for found in self.pairs:
            if {found.first, found.second} == wanted:
                return found
        raise SettingError(f"no pair {first}, {second}. There are: {', '.join(self.names)}")

    def rows(self) -> list[dict[str, object]]:
        """One row per pair, in plain numbers."""
        difference = self.difference
        return plain_rows(
            {
                "first": [self.names[each] for each in self.first.tolist()],
                "second": [self.names[each] for each in self.second.tolist()],
                "difference": difference.tolist(),
                "low": (difference - self.width).tolist(),
                "high": (difference + self.width).tolist(),
                "p": self.p.tolist(),
                "different": self.different.tolist(),
            }
        )


def studentised_pairs(
    measure: str,
    test: str,
    names: Sequence[str],
    means: FloatArray,
    error: FloatArray,
    freedom: ArrayLike,
    level: float = 0.95,
    note: str = "",
) -> Comparisons:
    """All pairs by the studentised range of as many means as there are names.

    `error`: variance of the difference of each pair, halved; `freedom`: its degrees of freedom, one number or one per
    pair. Where there is no error or no degree of freedom, width and p are NaN and the note says so.
    """
    need_level(level)
    if len(names) > MOST:
        raise SettingError(f"{len(names):,} means are too many to compare in pairs: {MOST:,} at most, choose classes")
    first, second = pair_numbers(len(names))
    nu = np.broadcast_to(np.asarray(freedom, dtype=np.float64), first.shape)
    known = np.asarray((error > 0) & (nu > 0) & np.isfinite(error) & np.isfinite(nu))
    width, p = np.full(first.size, np.nan), np.full(first.size, np.nan)
    spread = np.sqrt(error[known])
    chance = StudentisedRange(max(len(names), 2))
    width[known] = chance.quantile(level, nu[known]) * spread
    one = float(nu[0]) if known.any() and np.ndim(freedom) == 0 else nu[known]
    p[known] = chance.tail(np.abs(means[second] - means[first])[known] / spread, one)
    missing = "" if known.all() else NO_SPREAD if not known.any() else _some(int((~known).sum()))
    said = "; ".join(part for part in (missing, note) if part)
    return Comparisons(
        measure=measure,
        test=test,
        names=tuple(names),
        means=means,
        first=first,
        second=second,
        width=width,
        p=p,
        level=level,
        note=said,
    )


def _some(count: int) -> str:
    return f"{count:,} {'pair has' if count == 1 else 'pairs have'} {NO_SPREAD}"
