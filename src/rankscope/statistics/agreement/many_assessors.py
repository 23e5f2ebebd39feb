"""Coefficients of any number of assessors, from sums over queries; gaps are allowed but for Fleiss' kappa.

Each coefficient has two halves: what one query adds (`..._sums`, a row per query), and what follows from the sum of
some queries (`..._of`, sums in the last axis), so that thousands of resamples are one call.
"""

from __future__ import annotations

import numpy as np

from rankscope.arrays import FloatArray
from rankscope.measures.fractions import divide
from rankscope.ranks.ragged import column_sums_by
from rankscope.statistics.agreement.distances import quadratic
from rankscope.statistics.agreement.marks import AssessorGrades

METRICS = ("nominal", "ordinal", "interval")


def counts_of_rows(marks: AssessorGrades) -> FloatArray:
    """How many assessors give each grade, a row for each pair of query and item.

    >>> counts_of_rows(AssessorGrades.of({"ann": {"q": {"a": 1, "b": 0}}, "bob": {"q": {"a": 1}}})).tolist()
    [[0.0, 2.0], [1.0, 0.0]]
    """
    return (marks.grades[:, :, None] == marks.levels).sum(axis=1).astype(np.float64)


def marks_of_each_row(marks: AssessorGrades) -> int | None:
    """How many marks every row has; None where rows differ, or where it is one."""
    sizes = np.unique((~np.isnan(marks.grades)).sum(axis=1))
    return int(sizes[0]) if sizes.size == 1 and sizes[0] > 1 else None


def fleiss_sums(marks: AssessorGrades) -> FloatArray:
    """Of each query: its rows, the sum of the shares of agreeing pairs of assessors, and the marks of each grade."""
    counts = counts_of_rows(marks)
    size = counts.sum(axis=1)
    agreeing = divide((counts * (counts - 1)).sum(axis=1), size * (size - 1), nothing=0.0)
    return column_sums_by(marks.query, np.column_stack([np.ones_like(size), agreeing, counts]), len(marks.queries))


def fleiss_kappa_of(sums: FloatArray) -> FloatArray:
    """Fleiss' kappa (1971): (p - e)/(1 - e), p the mean share of agreeing pairs, e the sum of squared shares of grades.

    NaN where everybody gives one and the same grade to everything.
    """
    counts = sums[..., 2:]
    share = divide(counts, counts.sum(axis=-1, keepdims=True))
    expected = (share**2).sum(axis=-1)
    return divide(divide(sums[..., 1], sums[..., 0]) - expected, 1.0 - expected)


def coincidence_sums(marks: AssessorGrades) -> FloatArray:
    """Krippendorff's coincidences of each query, flat: each two marks of a row count 1/(marks of the row - 1)."""
    counts = counts_of_rows(marks)
    size, levels = counts.sum(axis=1), marks.levels.size
    together = counts[:, :, None] * counts[:, None, :]
    together[:, np.arange(levels), np.arange(levels)] -= counts
    shares = np.where(size[:, None, None] > 1, divide(together, size[:, None, None] - 1, nothing=0.0), 0.0)
    return column_sums_by(marks.query, shares.reshape(len(marks), levels * levels), len(marks.queries))


def krippendorff_alpha_of(sums: FloatArray, levels: FloatArray, metric: str = "nominal") -> FloatArray:
    """Krippendorff's alpha: 1 - (n - 1) sum o d/sum n n d, over coincidences o, their margins n and distances d.

    `metric`: nominal, ordinal (by how many marks lie between two grades) or interval (squared differences). NaN where
    all marks are equal, or where no row has two.
    """
    table = sums.reshape(*sums.shape[:-1], levels.size, levels.size)
    margin = table.sum(axis=-1)
    apart = _squared_distance(margin, levels, metric)
    expected = (margin[..., :, None] * margin[..., None, :] * apart).sum(axis=(-2, -1))
    return 1.0 - divide((margin.sum(axis=-1) - 1) * (table * apart).sum(axis=(-2, -1)), expected)


def _squared_distance(margin: FloatArray, levels: FloatArray, metric: str) -> FloatArray:
    if metric == "interval":
        return quadratic(levels)
    if metric == "nominal":
        return 1.0 - np.eye(levels.size)
    middle = np.cumsum(margin, axis=-1) - margin / 2  # how many marks lie below the middle of a grade
    found: FloatArray = (middle[..., :, None] - middle[..., None, :]) ** 2
    return found


def gwet_sums(marks: AssessorGrades) -> FloatArray:
    """Of each query: rows with two marks, their agreeing shares, rows with any, and their shares of each grade."""
    counts = counts_of_rows(marks)
    size = counts.sum(axis=1)
    several = (size > 1).astype(np.float64)
    agreeing = divide((counts * (counts - 1)).sum(axis=1), size * (size - 1), nothing=0.0)
    shares = divide(counts, size[:, None], nothing=0.0)
    return column_sums_by(marks.query, np.column_stack([several, agreeing, size > 0, shares]), len(marks.queries))


def gwet_ac1_of(sums: FloatArray) -> FloatArray:
    """Gwet's AC1 of many: (p - e)/(1 - e), e = sum P (1 - P)/(k - 1) over the mean shares P of k grades."""
    share = divide(sums[..., 3:], sums[..., 2:3])
    expected = divide((share * (1 - share)).sum(axis=-1), np.float64(share.shape[-1] - 1))
    return divide(divide(sums[..., 1], sums[..., 0]) - expected, 1.0 - expected)
