"""Intervals around means that a reader may compare by eye: disjoint means different (Hochberg & Tamhane 1987).

They are not confidence intervals of the means: ordinary 95 % intervals that are disjoint mean p < 0.0056.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rankscope.arrays import FloatArray
from rankscope.statistics.table.cells import Cells, plain_rows
from rankscope.statistics.table.score_table import ScoreTable
from rankscope.statistics.variance.anova import anova
from rankscope.statistics.variance.comparisons import Comparisons
from rankscope.statistics.variance.tukey import tukey_of


@dataclass(frozen=True, eq=False)
class ComparisonIntervals:
    """Mean of each cell and half width u; `pairs` is the test that the picture stands for."""

    cells: Cells
    half: FloatArray
    pairs: Comparisons

    @property
    def low(self) -> FloatArray:
        """Lower ends."""
        return self.cells.mean - self.half

    @property
    def high(self) -> FloatArray:
        """Upper ends."""
        return self.cells.mean + self.half

    @property
    def disagreements(self) -> tuple[tuple[str, str], ...]:
        """Pairs whose intervals say something else than the test; none where all cells have as many queries."""
        pairs = self.pairs
        reach = self.half[pairs.first] + self.half[pairs.second]
        gap = np.abs(pairs.difference)
        with np.errstate(invalid="ignore"):
            wrong = ((gap > reach) != pairs.different) & (np.abs(gap - reach) > 1e-12) & np.isfinite(reach)
        chosen = np.flatnonzero(wrong)
        return tuple((pairs.names[pairs.first[i]], pairs.names[pairs.second[i]]) for i in chosen.tolist())

    @property
    def note(self) -> str:
        """What must be said of the test."""
        return self.pairs.note

    def rows(self) -> list[dict[str, object]]:
        """One row per cell, in plain numbers."""
        return plain_rows(
            {
                "system": self.cells.systems,
                "class": self.cells.labels,
                "n": self.cells.n.tolist(),
                "mean": self.cells.mean.tolist(),
                "low": self.low.tolist(),
                "high": self.high.tolist(),
            }
        )


def comparison_intervals(table: ScoreTable, level: float = 0.95, by_class: bool = True) -> ComparisonIntervals:
    """Comparison intervals of all cells, from the widths of Tukey and Kramer.

    >>> made = comparison_intervals(ScoreTable.make({"A": [0.1, 0.2, 0.3], "B": [0.3, 0.4, 0.5]}))
    >>> bool(np.isclose(2 * made.half[0], made.pairs.width[0]))
    True
    """
    result = anova(table, by_class)
    pairs = tukey_of(result, level)
    return ComparisonIntervals(result.cells, half_widths(pairs.width, len(result.cells)), pairs)


def half_widths(width: FloatArray, count: int) -> FloatArray:
    """u_i = [(k-1) sum_j W_ij - sum of all W] / ((k-1)(k-2)) for k cells; half of W for two.

    `width` has one entry per pair, in the order of `pair_numbers`.
    >>> half_widths(np.array([2.0, 2.0, 2.0]), 3).tolist()
    [1.0, 1.0, 1.0]
    """
    if count == 2:
        return np.repeat(width / 2, 2)
    square = np.zeros((count, count))
    square[np.triu_indices(count, 1)] = width
    each = (square + square.T).sum(axis=1)
    return np.asarray(((count - 1) * each - width.sum()) / ((count - 1) * (count - 2)))
