"""Means of precision-recall curves: radial, which respects that precision and recall depend; boxes, to compare with.

All points of one relevant scope a lie on the line p = r/a, and so does their radial mean.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from rankscope.analysis.curves.curve import (
    SLACK,
    Curve,
    Weighting,
    generality_index,
    known_sizes,
    mean_over,
    mean_steps,
    precision_recall_curve,
    units_of,
    whole_scopes,
    with_relevant_items,
)
from rankscope.analysis.curves.precision_recall import points_at_hits
from rankscope.analysis.curves.scope import RELEVANT_SCOPES, bounded_at, hits_at, relevant_scopes
from rankscope.core.arrays import FloatArray, IntArray
from rankscope.core.errors import MeasureError
from rankscope.core.validation import COUNT, Number, check, rule_of
from rankscope.ranks.ragged import divide
from rankscope.ranks.relevant_ranks import RelevantRanks

By = Literal["exact", "bins"]


@dataclass(frozen=True, eq=False)
class GeneralityGroup:
    """Queries of equal generality: of one class size in one collection size, or of one bin of the index G."""

    name: str
    index: float  # G: of all its queries, or the middle of the bin
    rows: IntArray


@dataclass(frozen=True, eq=False)
class RadialCurve:
    """The radial mean of one group; different groups are never joined into one curve."""

    group: GeneralityGroup
    curve: Curve


def generality_groups(queries: RelevantRanks, by: By = "exact", width: float = 1.0) -> tuple[GeneralityGroup, ...]:
    """Queries of equal generality, easiest first; those without relevant items are in none.

    `exact` wants the same c and d; `bins` the same round(G/width), halves rounded up.
    """
    by, width = check(locals(), by=rule_of(By), width=Number(above=0)).values()
    index = generality_index(queries, "radial averaging")
    rows = np.flatnonzero(queries.relevant > 0)
    if by == "bins":
        key = np.floor(index[rows] / width + 0.5 + SLACK).astype(np.int64)
        bins = np.unique(key)
        return tuple(GeneralityGroup(f"G = {each * width:g}", float(each * width), rows[key == each]) for each in bins)
    pairs = np.stack([queries.collection[rows], queries.relevant[rows]], axis=1)
    kinds, kind = np.unique(pairs, axis=0, return_inverse=True)
    groups = [
        GeneralityGroup(f"c = {c}, d = {d}", float(index[rows[kind == number][0]]), rows[kind == number])
        for number, (d, c) in enumerate(kinds.tolist())
    ]
    return tuple(sorted(groups, key=lambda group: group.index))


def radial_mean(
    queries: RelevantRanks, a: ArrayLike = RELEVANT_SCOPES, weighting: Weighting = "per_query", name: str = ""
) -> Curve:
    """The radial mean of these queries as one group, regardless of their generality, at the given relevant scopes.

    r(a) = mean of V(a)/c, p(a) = r(a)/a; hits are interpolated where a c is not whole, and flagged.
    >>> curve = radial_mean(RelevantRanks.from_ranks([[1, 2, 3, 5], [1, 2, 4, 7, 11, 30]]), [0.25, 1.0])
    >>> curve.x.tolist(), curve.y.tolist(), curve.interpolated.tolist()
    ([0.25, 0.625], [1.0, 0.625], [True, False])
    """
    queries = with_relevant_items(queries)
    given = relevant_scopes(a)
    here = hits_at(queries, given)
    mean = mean_over(here.hits / queries.relevant[:, None], units_of(queries, weighting))
    return precision_recall_curve(
        x=mean.value,
        y=mean.value / given,
        name=name or queries.system,
        error=mean.error / given,
        x_error=mean.error,
        queries=mean.queries,
        interpolated=here.interpolated,
        lower_bound=here.lower_bound,
        note=weighting,
        more={"a": given},
    )


def radial_curves(
    queries: RelevantRanks,
    by: By = "exact",
    width: float = 1.0,
    scopes: ArrayLike | None = None,
    weighting: Weighting = "per_query",
) -> tuple[RadialCurve, ...]:
    """One radial mean for each group of equal generality, easiest first.

    Exact groups have points at a = s/c for the given scopes, or for every scope to the end of the longest ranking;
    bins at a = 2^(k/2) from 1/least c to the least d/c of the group.
    """
    known_sizes(queries, "radial averaging")
    curves = []
    for group in generality_groups(queries, by, width):
        members = queries.take(group.rows)
        if by == "exact":
            curve = radial_lattice(members, scopes, weighting, group.name)
        else:
            curve = radial_mean(members, doubling_grid(members), weighting, group.name)
        curves.append(RadialCurve(group, curve))
    return tuple(curves)


def doubling_grid(queries: RelevantRanks) -> FloatArray:
    """Relevant scopes 2^(k/2) that exist for every query: 1/least c <= a <= least d/c."""
    lowest = -2.0 * np.log2(queries.relevant.min())
    highest = 2.0 * np.log2((queries.collection / queries.relevant).min())
    return 2.0 ** (np.arange(np.ceil(lowest - SLACK), np.floor(highest + SLACK) + 1) / 2.0)


def radial_lattice(
    queries: RelevantRanks,
    scopes: ArrayLike | None = None,
    weighting: Weighting = "per_query",
    name: str = "",
) -> Curve:
    """The radial mean of queries of one class size: every a = s/c is a whole scope, nothing is interpolated.

    At the given scopes, or at every one to the end of the longest ranking.
    >>> curve = radial_lattice(RelevantRanks.from_ranks([[1, 2], [2, 5]]), [1, 2])
    >>> curve.x.tolist(), curve.y.tolist(), curve.more["a"].tolist()
    ([0.25, 0.75], [0.5, 0.75], [0.5, 1.0])
    """
    queries = with_relevant_items(queries)
    sizes = np.unique(queries.relevant)
    if sizes.size > 1:
        raise MeasureError(f"one class size is needed, got {sizes[0]} to {sizes[-1]}: use radial_mean")
    given = whole_scopes(queries, scopes)
    relevant = int(sizes.max(initial=1))
    mean = mean_steps(queries, units_of(queries, weighting), np.ones(len(queries)), given)
    a, recall, error = given / relevant, mean.value / relevant, mean.error / relevant
    return precision_recall_curve(
        x=recall,
        y=recall / a,
        name=name or queries.system,
        error=error / a,
        x_error=error,
        queries=mean.queries,
        interpolated=np.zeros(given.size, dtype=np.bool_),
        lower_bound=bounded_at(queries, given),
        note=weighting,
        more={"a": a, "scope": given},
    )


def mean_along_rays(queries: RelevantRanks, a: ArrayLike, weighting: Weighting = "per_query") -> Curve:
    """Radial mean of interpolated curves: where each curve, falling as recall grows, meets the line p = r/a.

    For comparison with means at constant recall (`mean_at_recall_levels`) or precision (`mean_at_precision_levels`) of
    the same curves. These lie on or above the points of their query; the mean of the points is `radial_mean`.
    >>> curve = mean_along_rays(RelevantRanks.from_ranks([[1, 3], [2, 8]]), [1.0])
    >>> curve.x.tolist(), curve.y.tolist()
    ([0.5833333333333333], [0.5833333333333333])
    """
    queries = with_relevant_items(queries)
    given = relevant_scopes(a)
    points = points_at_hits(queries)
    recall = np.zeros((len(queries), given.size))
    for column, scope in enumerate(given.tolist()):
        np.maximum.at(recall[:, column], points.row, np.minimum(points["recall"], scope * points["precision"]))
    mean = mean_over(recall, units_of(queries, weighting))
    return precision_recall_curve(
        x=mean.value,
        y=mean.value / given,
        name=queries.system,
        error=mean.error / given,
        x_error=mean.error,
        queries=mean.queries,
        note=f"{weighting}, of interpolated curves",
        more={"a": given},
    )


def precision_boxes(queries: RelevantRanks, boxes: int = 10) -> Curve:
    """Mean recall of the points at hits in each box of precision (lo, hi]; y is the middle of the box.

    For comparison only. Queries without a point in a box are not in its mean, which therefore strays further from the
    radial mean than that of whole curves, `mean_at_precision_levels`, and to either side.
    """
    return _boxed(queries, boxes, axis="precision", mean_of="recall")


def recall_boxes(queries: RelevantRanks, boxes: int = 10) -> Curve:
    """Mean precision of the points at hits in each box of recall (lo, hi]; x is the middle of the box.

    For comparison only, as `precision_boxes`; of whole curves it is `mean_at_recall_levels`.
    """
    return _boxed(queries, boxes, axis="recall", mean_of="precision")


def _boxed(queries: RelevantRanks, boxes: int, axis: str, mean_of: str) -> Curve:
    """Per query the mean of its points in each box, then the mean over the queries that have any there."""
    boxes = check(locals(), boxes=COUNT)["boxes"]
    queries = with_relevant_items(queries)
    points = points_at_hits(queries)
    box = np.ceil(points[axis] * boxes - SLACK).astype(np.int64) - 1
    cell = points.row * boxes + box
    cells = len(queries) * boxes
    total = np.bincount(cell, weights=points[mean_of], minlength=cells)
    means = divide(total, np.bincount(cell, minlength=cells)).reshape(len(queries), boxes)
    mean = mean_over(means, np.arange(len(queries)))
    low = np.arange(boxes) / boxes
    middle = low + 0.5 / boxes
    more = {"low": low, "high": np.arange(1, boxes + 1) / boxes}
    x, y = (middle, mean.value) if axis == "recall" else (mean.value, middle)
    error, x_error = (mean.error, None) if axis == "recall" else (None, mean.error)
    return precision_recall_curve(
        x=x,
        y=y,
        name=queries.system,
        error=error,
        x_error=x_error,
        queries=mean.queries,
        note=f"{axis} boxes, for comparison only",
        more=more,
    )
