"""Performance over generality: GRiP, the cut p = r through the surface of recall, precision and G, and GRnP, r = n p.

G = log2(d/c) is varied in one of three ways, which a report must name: they answer different questions.
- `thinned`: within each query, keeping m = c (2^k - 1) random distractors; isolates generality. Recommended.
- `bins`: between queries, by round(G) of the full collection; confounds generality with the difficulty of classes.
- `hard`: within each query, keeping the m best-ranked distractors (a narrow domain); never to be mixed with `thinned`.
  No m distractors leave fewer hits than these, so it is the lower end of all thinnings; and as the head of the list
  stays, hits at scopes up to m stay what they are in the full collection: only the random level changes.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Literal, get_args

import numpy as np
import polars as pl

from rankscope.arrays import BoolArray, FloatArray, IntArray
from rankscope.curves.curve import Curve, Region
from rankscope.curves.sizes import SLACK, counted, generality_index, known_sizes
from rankscope.curves.thinned_recall import Keeping, hits_with_nearest, recall_when_kept
from rankscope.curves.thinning import expected_hits
from rankscope.curves.weighting import Mean, Weighting, mean_over, units_of, weights_of
from rankscope.errors import MeasureError
from rankscope.ranks.relevant_ranks import RelevantRanks

Way = Literal["thinned", "bins", "hard"]
KEEPING: dict[str, Keeping] = {"thinned": expected_hits, "hard": hits_with_nearest, "bins": hits_with_nearest}
FEW = 5  # a point of fewer queries is drawn hollow
SAYS = {
    "thinned": "random distractors left out within each query, exact means",
    "bins": "queries of the full collection by class size: generality and difficulty of classes are confounded",
    "hard": "only the best-ranked distractors kept within each query",
}


@dataclass(frozen=True, eq=False)
class GeneralityCurve:
    """Precision and recall at scope n c over G. Where rankings were cut the truth lies from `recall` to `recall_high`.

    `error` is the standard error over queries, `spread` the sd of the mean over thinnings (0 where nothing is random,
    NaN where hits are interpolated); both are of recall and, divided by n, of precision.
    """

    way: Way
    n: float
    index: FloatArray  # G: the level, or the middle of the bin
    mean_index: FloatArray  # mean G of the queries in the point
    recall: FloatArray
    recall_high: FloatArray
    error: FloatArray
    spread: FloatArray
    chance: FloatArray  # mean generality: precision of a random order
    queries: IntArray  # n(k)
    units: IntArray  # n of the standard error: queries, or classes
    cut: IntArray  # queries whose two ends differ, because their ranking ended too early
    full: BoolArray  # whether the point is the full collection at its own G
    name: str = ""
    weighting: Weighting = "per_query"

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
        """E*: effectiveness 2 r/(1 + n) less that of a random order, 2 n g/(1 + n); at n = 1 this is p - g."""
        return 2.0 * (self.recall - self.n * self.chance) / (1.0 + self.n)

    @property
    def hollow(self) -> BoolArray:
        """Points of so few queries that they are drawn hollow."""
        return self.queries < FEW

    @property
    def note(self) -> str:
        """How G was varied, and who counts how much."""
        return f"{self.way}: {SAYS[self.way]}; {self.weighting}"

    def curve(self, axis: Literal["precision", "recall"] = "precision") -> Curve:
        """Precision, or recall for the axis on the right of GRnP, over G."""
        scale = self.n if axis == "precision" else 1.0
        more = {"high": self.recall_high / scale, "random": self.chance * self.n / scale, "hollow": self.hollow}
        return Curve(
            self.index, self.recall / scale, self.name, "G", axis, error=self.error / scale, queries=self.queries,
            lower_bound=self.cut > 0, note=self.note, more=more,
        )  # fmt: skip

    def shading(self) -> Region:
        """From the random level up to the precision: at n = 1 this is E*."""
        return Region(self.index, self.chance, self.precision, "E*" if self.n == 1 else "gain over random", self.note)

    def to_polars(self) -> pl.DataFrame:
        """One row per level."""
        names = ("index", "mean_index", "precision", "recall", "precision_high", "recall_high", "error", "spread")
        more = ("chance", "gain", "queries", "cut", "full", "hollow")
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
) -> GeneralityCurve:
    """Precision = recall at scope c over G: `grnp` with n = 1.

    >>> curve = grip(RelevantRanks.from_ranks([[1, 3, 10, 40]], collection=100))
    >>> curve.index.round(6).tolist(), curve.precision.round(6).tolist()
    ([1.0, 2.0, 3.0, 4.0, 4.643856], [0.780272, 0.697871, 0.584614, 0.502626, 0.5])
    """
    return grnp(queries, 1.0, way, levels, weighting)


def grnp(
    queries: RelevantRanks,
    n: float = 1.0,
    way: Way = "thinned",
    levels: Sequence[int] | None = None,
    weighting: Weighting = "per_query",
) -> GeneralityCurve:
    """Precision and recall at scope n c over G; levels whose collection is smaller than that scope are left out.

    Levels are G = 1, 2, ... as far as some query reaches, or those given; queries with d < c 2^k are not in level k.
    The full collection is added at its own G where all queries share one. Bins are those that have queries.
    """
    points = generality_points(queries, n, way, levels, weighting)
    exists = (points.queries > 0) | ((2.0**points.index >= n * (1 - SLACK)) & (way != "bins"))
    return points.where(exists)


def random_line(index: FloatArray, n: float = 1.0, axis: Literal["precision", "recall"] = "precision") -> Curve:
    """The level of a random order over G: p = 2^-G, and r = n 2^-G."""
    return Curve(index, 2.0**-index * (1.0 if axis == "precision" else n), "random", "G", axis)


def generality_points(
    queries: RelevantRanks, n: float, way: Way, levels: Sequence[int] | None, weighting: Weighting
) -> GeneralityCurve:
    """All points, NaN where no query has the scope; `grnp` leaves those out, the surface keeps its grid."""
    if way not in get_args(Way):
        raise MeasureError(f"way must be one of {', '.join(get_args(Way))}, got {way!r}")
    if not 0 < n < math.inf:
        raise MeasureError(f"n > 0 is needed, got {n!r}")
    queries = counted(queries)
    known_sizes(queries, "a graph over generality")
    unit = units_of(queries, weighting)
    points = _bins(queries, n, levels, unit) if way == "bins" else _levels(queries, n, levels, unit, KEEPING[way])
    columns = {
        each.name: np.array([getattr(point, each.name) for point in points], dtype=_TYPES[str(each.type)])
        for each in fields(_Point)
    }
    return GeneralityCurve(way=way, n=n, name=queries.system, weighting=weighting, **columns)


_TYPES: dict[str, type[np.generic]] = {"float": np.float64, "int": np.int64, "bool": np.bool_}


@dataclass(frozen=True)
class _Point:
    """One point of a curve over generality, fields as there."""

    index: float
    mean_index: float
    recall: float
    recall_high: float
    error: float
    spread: float
    chance: float
    queries: int
    units: int
    cut: int
    full: bool


def _levels(
    queries: RelevantRanks, n: float, levels: Sequence[int] | None, unit: IntArray, keeping: Keeping
) -> list[_Point]:
    """One point for each G = k, and one for the full collection where all queries have the same G."""
    index = generality_index(queries)
    if levels is None:
        levels = range(1, math.floor(index.max(initial=0.0) + SLACK) + 1)
    if any(level < 0 or level != int(level) for level in levels):
        raise MeasureError(f"levels of G must be whole numbers from 0, got {list(levels)}")
    points = [
        _point(queries, queries.relevant * (2 ** int(level) - 1), n, unit, keeping, float(level)) for level in levels
    ]
    own = float(index[0]) if index.size and np.ptp(index) <= SLACK else math.nan
    if math.isnan(own) or any(abs(level - own) <= SLACK for level in levels):
        return points
    return [*points, _point(queries, queries.collection - queries.relevant, n, unit, keeping, own, full=True)]


def _bins(queries: RelevantRanks, n: float, levels: Sequence[int] | None, unit: IntArray) -> list[_Point]:
    """One point for each round(G) of the full collection."""
    number = np.floor(generality_index(queries) + 0.5 + SLACK).astype(np.int64)
    everything = queries.collection - queries.relevant
    return [
        _point(
            queries.take(rows := np.flatnonzero(number == each)), everything[rows], n,
            np.unique(unit[rows], return_inverse=True)[1], hits_with_nearest, float(each), full=True,
        )
        for each in (np.unique(number).tolist() if levels is None else levels)
    ]  # fmt: skip


def _point(
    queries: RelevantRanks,
    kept: IntArray,
    n: float,
    unit: IntArray,
    keeping: Keeping,
    index: float,
    full: bool = False,
) -> _Point:
    """Mean recall at scope n c over the queries that have so many distractors and so large a scope."""
    possible = kept <= queries.collection - queries.relevant
    some, kept, unit = queries.take(np.flatnonzero(possible)), kept[possible], unit[possible]
    recall = recall_when_kept(some, kept, n, keeping)
    there = ~np.isnan(recall.low)
    generality = np.where(there, some.relevant / (some.relevant + kept), np.nan)
    low, high, chance, own = (_mean(each, unit) for each in (recall.low, recall.high, generality, -np.log2(generality)))
    weight = weights_of(there, unit)
    variance = np.sum(np.where(there, weight * weight * recall.variance, 0.0))
    spread = math.sqrt(variance) if there.any() else math.nan
    cut = int((recall.high > recall.low + SLACK).sum())
    return _Point(
        index, float(own.value[0]), float(low.value[0]), float(high.value[0]), float(low.error[0]), spread,
        float(chance.value[0]), int(low.queries[0]), int(low.units[0]), cut, full,
    )  # fmt: skip


def _mean(values: FloatArray, unit: IntArray) -> Mean:
    return mean_over(values[:, None], unit)
