"""Scores of different systems brought to one scale, query by query, before they are fused.

The formulas are ranx's, so that results agree with it; a spread of 0 counts as 1e-9.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np

from rankscope.core.arrays import FloatArray
from rankscope.core.catalogue import Catalogue
from rankscope.measures.fusion.candidates import Candidates

Normalization = Callable[[Candidates], Candidates]
LEAST: Final = 1e-9


def min_max(lists: Candidates) -> Candidates:
    """(s - min) / (max - min).

    >>> from rankscope.inputs.run import Run
    >>> min_max(Candidates.of([Run.of({"q": {"a": 7.0, "b": 4.0, "c": 3.0}})])).scores.ravel().tolist()
    [1.0, 0.25, 0.0]
    """
    low, high = _extremes(lists)
    return lists.with_scores((lists.scores - low) / np.maximum(high - low, LEAST))


def min_max_inverted(lists: Candidates) -> Candidates:
    """(max - s) / (max - min): for distances, where the smallest is best."""
    low, high = _extremes(lists)
    return lists.with_scores((high - lists.scores) / np.maximum(high - low, LEAST))


def largest_is_one(lists: Candidates) -> Candidates:
    return lists.with_scores(lists.scores / np.maximum(_extremes(lists)[1], LEAST))


def sum_is_one(lists: Candidates) -> Candidates:
    """(s - min) / sum(s - min).

    >>> from rankscope.inputs.run import Run
    >>> sum_is_one(Candidates.of([Run.of({"q": {"a": 7.0, "b": 4.0, "c": 3.0}})])).scores.ravel().tolist()
    [0.8, 0.2, 0.0]
    """
    above = lists.scores - _extremes(lists)[0]
    return lists.with_scores(above / np.maximum(_by_query(lists, np.add, above, 0.0), LEAST))


def standard(lists: Candidates) -> Candidates:
    """(s - mean) / standard deviation, that of the whole list (n, not n - 1)."""
    count = np.maximum(lists.lengths[lists.query], 1)
    apart = lists.scores - _by_query(lists, np.add, lists.scores, 0.0) / count
    spread = np.sqrt(_by_query(lists, np.add, apart**2, 0.0) / count)
    return lists.with_scores(apart / np.maximum(spread, LEAST))


def by_place(lists: Candidates) -> Candidates:
    """1 - place / length of the list, places from 0 on."""
    shares = 1 - lists.places / np.maximum(lists.lengths[lists.query], 1)
    return lists.with_scores(np.where(lists.found, shares, np.nan))


def borda(lists: Candidates) -> Candidates:
    """1 - place / candidates; what a system did not find gets the mean of the places that are left.

    >>> from rankscope.inputs.run import Run
    >>> two = Candidates.of([Run.of({"q": {"a": 2.0, "b": 1.0}}), Run.of({"q": {"c": 5.0, "d": 4.0}})])
    >>> borda(two).scores[:, 0].tolist()
    [1.0, 0.75, 0.375, 0.375]
    """
    size = lists.sizes[lists.query][:, None]
    left = 0.5 - (lists.lengths[lists.query] - 1) / (2 * size)
    return lists.with_scores(np.where(lists.found, 1 - lists.places / size, left))


def as_given(lists: Candidates) -> Candidates:
    return lists


NORMALIZATIONS: Catalogue[Normalization] = Catalogue(
    "normalization",
    {
        "min-max": min_max,
        "min-max-inverted": min_max_inverted,
        "max": largest_is_one,
        "sum": sum_is_one,
        "zmuv": standard,
        "rank": by_place,
        "borda": borda,
        "none": as_given,
    },
)


def _extremes(lists: Candidates) -> tuple[FloatArray, FloatArray]:
    return _by_query(lists, np.minimum, lists.scores, np.inf), _by_query(lists, np.maximum, lists.scores, -np.inf)


def _by_query(lists: Candidates, how: np.ufunc, values: FloatArray, absent: float) -> FloatArray:
    """A sum or an extreme over the list of each query and system, repeated for all rows of the query."""
    starts = np.searchsorted(lists.query, np.arange(len(lists.queries)))
    reduced = how.reduceat(np.where(lists.found, values, absent), starts, axis=0)
    return np.asarray(reduced[lists.query], dtype=np.float64)
