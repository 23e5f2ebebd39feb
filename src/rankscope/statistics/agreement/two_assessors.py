"""Coefficients of two assessors, from the table that counts their grades: a row for each of the first one's.

Every function takes tables in the last two axes, so that thousands of resampled tables are one call.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from rankscope.arrays import FloatArray
from rankscope.measures.fractions import divide
from rankscope.statistics.agreement.distances import DISTANCES
from rankscope.statistics.agreement.marks import AssessorGrades


def tables_by_query(marks: AssessorGrades, one: str, other: str) -> FloatArray:
    """How often each grade of one assessor meets each grade of another, for every query (first axis).

    >>> marks = AssessorGrades.of({"ann": {"q1": {"a": 1, "b": 0}}, "bob": {"q1": {"a": 1, "b": 1, "c": 0}}})
    >>> tables_by_query(marks, "ann", "bob").tolist()
    [[[0.0, 1.0], [0.0, 1.0]]]
    """
    size, both = marks.levels.size, marks.both(one, other)
    cell = (marks.query[both] * size + marks.places(one)[both]) * size + marks.places(other)[both]
    counts = np.bincount(cell, minlength=len(marks.queries) * size * size).astype(np.float64)
    return counts.reshape(len(marks.queries), size, size)


def raw_agreement(table: ArrayLike) -> FloatArray:
    """The share of pairs that get the same grade from both.

    >>> float(raw_agreement([[20, 5], [10, 15]]))
    0.7
    """
    counts = np.asarray(table, dtype=np.float64)
    return divide(np.trace(counts, axis1=-2, axis2=-1), counts.sum(axis=(-2, -1)))


def cohen_kappa(table: ArrayLike, levels: ArrayLike | None = None, distance: str = "nominal") -> FloatArray:
    """Cohen's kappa (1960), or weighted (1968): 1 - disagreement seen/disagreement expected of independent assessors.

    `distance` nominal, linear or quadratic in the values of the grades (`levels`; 0, 1, 2, ... unless given). NaN where
    both give one and the same grade to everything: then no disagreement was to be expected.
    >>> float(cohen_kappa([[20, 5], [10, 15]]).round(6))
    0.4
    """
    counts = np.asarray(table, dtype=np.float64)
    apart = DISTANCES[distance](_values(levels, counts.shape[-1]))
    rows, columns = counts.sum(axis=-1), counts.sum(axis=-2)
    seen = (counts * apart).sum(axis=(-2, -1)) * counts.sum(axis=(-2, -1))
    expected = np.einsum("...i,ij,...j->...", rows, apart, columns)
    return 1.0 - divide(seen, expected)


def overlap(table: ArrayLike) -> FloatArray:
    """Of what either calls relevant, the share that both do: |A and B|/|A or B|; tables of 0 and 1.

    >>> float(overlap([[30, 7], [4, 29]]))
    0.725
    """
    counts = np.asarray(table, dtype=np.float64)
    return divide(counts[..., 1, 1], counts.sum(axis=(-2, -1)) - counts[..., 0, 0])


def positive_agreement(table: ArrayLike) -> FloatArray:
    """What both call relevant against what each does: 2 |A and B|/(|A| + |B|); tables of 0 and 1.

    >>> float(positive_agreement([[30, 7], [4, 29]]).round(6))
    0.84058
    """
    counts = np.asarray(table, dtype=np.float64)
    return divide(2 * counts[..., 1, 1], counts[..., 1, :].sum(axis=-1) + counts[..., :, 1].sum(axis=-1))


def gwet_ac(table: ArrayLike, levels: ArrayLike | None = None, distance: str = "nominal") -> FloatArray:
    """Gwet's AC1 (2008), AC2 where the distance is not nominal: chance agreement from how evenly grades are used.

    With weights w = 1 - distance/largest distance, p the agreement so weighted, P the mean share of each of k grades
    and T the sum of all weights: e = T/(k (k - 1)) sum P (1 - P), and (p - e)/(1 - e). NaN for a single grade.
    >>> float(gwet_ac([[30, 7], [4, 29]]).round(6))
    0.685778
    """
    counts = np.asarray(table, dtype=np.float64)
    size = counts.shape[-1]
    apart = DISTANCES[distance](_values(levels, size))
    weight = 1.0 - apart / apart.max() if apart.max(initial=0.0) > 0 else np.ones_like(apart)
    total = counts.sum(axis=(-2, -1))
    share = divide(counts.sum(axis=-1) + counts.sum(axis=-2), 2 * total[..., None])
    spread = divide(weight.sum() * (share * (1 - share)).sum(axis=-1), np.float64(size * (size - 1)))
    seen = divide((counts * weight).sum(axis=(-2, -1)), total)
    return divide(seen - spread, 1.0 - spread)


def _values(levels: ArrayLike | None, size: int) -> FloatArray:
    """The values of the grades; 0, 1, 2, ... unless given."""
    return np.asarray(range(size) if levels is None else levels, dtype=np.float64)
