"""Performance over generality: GRiP, the cut p = r through the surface of recall, precision and G, and GRnP, r = n p.

G = log2(d/c) is varied in one of two ways, which a report must name: they answer different questions.
- `thinned`: within each query, keeping m = c (2^k - 1) random distractors; isolates generality. Recommended.
- `bins`: between queries, by round(G) of the full collection; confounds generality with the difficulty of classes.
Which distractors are hard for a class ranks alone do not tell: keeping the best-ranked ones of each query leaves the
head of its list as it is, and the curve level. A narrow domain comes from the features, `rank --distractors`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import polars as pl

from rankscope.arrays import BoolArray, FloatArray, IntArray
from rankscope.curves.curve import Curve, Region
from rankscope.curves.generality_tables import GeneralityTable, Members, Way, generality_table
from rankscope.curves.sizes import SLACK
from rankscope.curves.weighting import Weighting, mean_over, units_of, weights_of
from rankscope.ranks.relevant_ranks import RelevantRanks

SAYS = {
    "thinned": "random distractors left out within each query, exact means",
    "bins": "queries of the full collection by class size: generality and difficulty of classes are confounded",
}


@dataclass(frozen=True, eq=False)
class GeneralityCurve:
    """Precision and recall at scope n c over G. Where rankings were cut the truth lies from `recall` to `recall_high`.

    `spread` is the sd of the mean recall over thinnings: 0 where nothing is random, NaN where hits are interpolated.
    How the mean varies with the queries asked is told by `rankscope.statistics.intervals.generality_estimate`.
    """

    way: Way
    n: float
    index: FloatArray  # G: the level, or the middle of the bin
    mean_index: FloatArray  # mean G of the queries in the point
    recall: FloatArray
    recall_high: FloatArray
    spread: FloatArray
    chance: FloatArray  # mean generality: precision of a random order
    queries: IntArray  # n(k)
    cut: IntArray  # queries whose two ends differ, because their ranking ended too early
    full: BoolArray  # whether the point is the full collection at its own G
    name: str = ""
    weighting: Weighting = "per_query"
    members: Members = "constant"
    counted: int = 0  # queries with a relevant item: where members are constant, some of them may not be followed

    @property
    def precision(self) -> FloatArray:
        """p = r/n."""
        return self.recall / self.n

    @property
    def precision_high(self) -> FloatArray:
        """The upper end of precision."""
        return self.recall_high / self.n

    @property
    def gain(self) -> FloatArray:
        """E*: effectiveness 2 r/(1 + n) minus that of a random order, 2 n g/(1 + n); at n = 1 this is p - g."""
        return 2.0 * (self.recall - self.n * self.chance) / (1.0 + self.n)

    @property
    def note(self) -> str:
        """How G was varied, and who counts how much."""
        return f"{self.way}: {SAYS[self.way]}; {self.weighting}"

    def curve(self, axis: Literal["precision", "recall"] = "precision") -> Curve:
        """Precision, or recall for the axis on the right of GRnP, over G."""
        scale = self.n if axis == "precision" else 1.0
        more = {"high": self.recall_high / scale, "random": self.chance * self.n / scale}
        return Curve(
            x=self.index,
            y=self.recall / scale,
            name=self.name,
            x_name="G",
            y_name=axis,
            queries=self.queries,
            lower_bound=self.cut > 0,
            note=self.note,
            more=more,
        )

    def shading(self) -> Region:
        """From the random level up to the precision: at n = 1 this is E*."""
        return Region(
            x=self.index,
            low=self.chance,
            high=self.precision,
            name="E*" if self.n == 1 else "gain over random",
            note=self.note,
        )

    def to_polars(self) -> pl.DataFrame:
        """One row per level."""
        names = ("index", "mean_index", "precision", "recall", "precision_high", "recall_high", "spread")
        more = ("chance", "gain", "queries", "cut", "full")
        return pl.DataFrame({name: getattr(self, name) for name in (*names, *more)}, nan_to_null=True)

    def where(self, chosen: BoolArray) -> GeneralityCurve:
        """Some of the points."""
        names = [name for name, value in vars(self).items() if isinstance(value, np.ndarray)]
        return replace(self, **{name: getattr(self, name)[chosen] for name in names})


def grip(
    queries: RelevantRanks,
    way: Way = "thinned",
    levels: Sequence[int] | None = None,
    weighting: Weighting = "per_query",
    members: Members = "constant",
) -> GeneralityCurve:
    """Precision = recall at scope c over G: `grnp` with n = 1.

    >>> curve = grip(RelevantRanks.from_ranks([[1, 3, 10, 40]], collection=100))
    >>> curve.index.round(6).tolist(), curve.precision.round(6).tolist()
    ([1.0, 2.0, 3.0, 4.0, 4.643856], [0.780272, 0.697871, 0.584614, 0.502626, 0.5])
    """
    return grnp(queries, 1.0, way, levels, weighting, members)


def grnp(
    queries: RelevantRanks,
    n: float = 1.0,
    way: Way = "thinned",
    levels: Sequence[int] | None = None,
    weighting: Weighting = "per_query",
    members: Members = "constant",
) -> GeneralityCurve:
    """Precision and recall at scope n c over G; levels whose collection is smaller than that scope are left out.

    `levels` and `members` as for `generality_table`: the same queries at every level, or at each those that reach it.
    """
    return generality_curve(existing(generality_table(queries, n, way, levels, members)), weighting)


def existing(table: GeneralityTable) -> GeneralityTable:
    """Only the levels that have so large a scope; bins that have queries."""
    some = (~np.isnan(table.low)).any(axis=0)
    return table.where(some | ((2.0**table.index >= table.n * (1 - SLACK)) & (table.way != "bins")))


def random_line(index: FloatArray, n: float = 1.0, axis: Literal["precision", "recall"] = "precision") -> Curve:
    """The level of a random order over G: p = 2^-G, and r = n 2^-G."""
    return Curve(x=index, y=2.0**-index * (1.0 if axis == "precision" else n), name="random", x_name="G", y_name=axis)


def generality_curve(table: GeneralityTable, weighting: Weighting = "per_query") -> GeneralityCurve:
    """Means over the queries that have a value at a level; NaN where none has."""
    unit = units_of(table.queries, weighting)
    low, high, chance, own = (
        mean_over(each, unit) for each in (table.low, table.high, table.chance, -np.log2(table.chance))
    )
    return GeneralityCurve(
        way=table.way,
        n=table.n,
        index=table.index,
        mean_index=own.value,
        recall=low.value,
        recall_high=high.value,
        spread=_spread(table, unit),
        chance=chance.value,
        queries=low.queries,
        cut=(table.high > table.low + SLACK).sum(axis=0),
        full=table.full,
        name=table.queries.system,
        weighting=weighting,
        members=table.members,
        counted=table.counted,
    )


def _spread(table: GeneralityTable, unit: IntArray) -> FloatArray:
    """The sd of the mean over thinnings: each query is thinned by itself."""
    there = ~np.isnan(table.low)
    weight = np.stack([weights_of(each, unit) for each in there.T], axis=1) if there.size else np.zeros(there.shape)
    variance = np.sum(np.where(there, weight * weight * table.variance, 0.0), axis=0)
    return np.where(there.any(axis=0), np.sqrt(variance), np.nan)
