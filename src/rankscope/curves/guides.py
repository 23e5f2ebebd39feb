"""What stands behind a precision-recall curve: scope lines, the ideal system, and the region that can be reached.

HS01 and S04 print the borders of the region as p = r/c and p = d r/c; they are p = c r and p = (c/d) r.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from rankscope.arrays import FloatArray
from rankscope.curves.curve import Curve, Region
from rankscope.errors import MeasureError
from rankscope.measures.random_level import harmonic

SERIES_BELOW = 0.01  # below this generality the area comes from its series: the closed form loses digits
POINTS = 200


def scope_line(
    a: float | None = None, *, scope: int | None = None, relevant: int | None = None, points: int = 50
) -> Curve:
    """All (recall, precision) of one relevant scope a, or of a scope for so many relevant items: p = r/a.

    >>> line = scope_line(scope=8, relevant=4, points=3)
    >>> line.x.tolist(), line.y.tolist()
    ([0.0, 0.5, 1.0], [0.0, 0.25, 0.5])
    """
    if (a is None) == (scope is None or relevant is None):
        raise MeasureError("a scope line needs either a relevant scope a, or scope and relevant")
    slope = scope / relevant if scope is not None and relevant else a
    if slope is None or not 0 < slope < math.inf:
        raise MeasureError(f"relevant scope > 0 is needed, got {slope}")
    recall = np.linspace(0.0, min(1.0, slope), points)
    name = f"a = {slope:g}" if scope is None else f"scope {scope}"
    return Curve(x=recall, y=recall / slope, name=name, x_name="recall", y_name="precision")


def ideal_curve(relevant: int, collection: int) -> Curve:
    """The Total Recall Ideal System (TRIS): along p = 1 to (1, 1), then down r = 1 to (1, g) at s = d.

    Its points stand at scopes 1 to c, then at doublings of c, and at d.
    """
    _check(relevant, collection)
    doublings = relevant * 2 ** np.arange(1, 1 + max(0, math.ceil(math.log2(collection / relevant))))
    scope = np.concatenate([np.arange(1, relevant + 1), doublings[doublings < collection], [collection]])
    scope = np.unique(scope)
    hits = np.minimum(scope, relevant)
    return Curve(
        x=hits / relevant,
        y=hits / scope,
        name="ideal",
        x_name="recall",
        y_name="precision",
        more={"scope": scope, "hits": hits},
    )


def highest_precision(recall: ArrayLike, relevant: int) -> FloatArray:
    """The border to the left and above: p <= min(1, c r), because a scope holds at least one item."""
    return np.minimum(1.0, relevant * np.asarray(recall, dtype=np.float64))


def lowest_precision(recall: ArrayLike, generality: float, tight: bool = True) -> FloatArray:
    """The border to the right and below: p >= g r, or the tight p >= g r/(1 - g + g r) of the worst ranking.

    >>> lowest_precision([0.25, 1.0], 0.2, tight=False), lowest_precision([0.25, 1.0], 0.2).round(6)
    (array([0.05, 0.2 ]), array([0.058824, 0.2     ]))
    """
    given = generality * np.asarray(recall, dtype=np.float64)
    if not tight:
        return given
    return np.divide(given, 1.0 - generality + given, out=np.ones_like(given), where=(generality < 1) | (given > 0))


def accessible_region(relevant: int, collection: int, tight: bool = True, points: int = POINTS) -> Region:
    """Where points with at least one hit can lie, from r = 1/c to 1; shade the tight one (Boyd et al. 2012)."""
    _check(relevant, collection)
    recall = np.linspace(1.0 / relevant, 1.0, points) if relevant > 1 else np.ones(1)
    low = lowest_precision(recall, relevant / collection, tight)
    note = "only recalls of whole hits exist; there is no point at recall 0 but precision 0"
    return Region(
        x=recall, low=low, high=highest_precision(recall, relevant), name=f"c = {relevant}, d = {collection}", note=note
    )


def minimum_area(generality: float) -> float:
    """The least area under a continuous precision-recall curve: 1 + (1 - g) ln(1 - g)/g; 1 where all is relevant.

    >>> round(minimum_area(0.2), 6)
    0.107426
    """
    if not 0 < generality <= 1:
        raise MeasureError(f"0 < generality <= 1 is needed, got {generality!r}")
    if generality == 1:
        return 1.0
    if generality < SERIES_BELOW:
        return math.fsum(generality**k / (k * (k + 1)) for k in range(1, 10))
    return 1.0 + (1.0 - generality) * math.log1p(-generality) / generality


def minimum_average_precision(relevant: int, collection: int) -> float:
    """AP of the worst ranking, all irrelevant items first: (1/c) sum over i of i/(i + e).

    >>> round(minimum_average_precision(4, 20), 6)
    0.131957
    """
    _check(relevant, collection)
    distractors = collection - relevant
    if relevant > 1_000_000:
        return 1.0 - distractors * (harmonic(collection) - harmonic(distractors)) / relevant
    hit = np.arange(1, relevant + 1)
    return math.fsum(hit / (hit + distractors)) / relevant


def _check(relevant: int, collection: int) -> None:
    if not 1 <= relevant <= collection:
        raise MeasureError(f"1 <= relevant <= collection is needed, got {relevant} and {collection}")
