"""Tukey-Kramer: which cells differ, with one error rate for all pairs together."""

from __future__ import annotations

import numpy as np

from rankscope.statistics.table.cells import pair_numbers
from rankscope.statistics.table.score_table import ScoreTable
from rankscope.statistics.variance.anova import Anova, anova
from rankscope.statistics.variance.comparisons import Comparisons, studentised_pairs


def tukey(table: ScoreTable, level: float = 0.95, by_class: bool = True) -> Comparisons:
    """All pairs of cells: i and j differ where |m_i - m_j| > W_ij = q sqrt(MSE/2 (1/n_i + 1/n_j)).

    q is the quantile of the studentised range of all cells. Queries count as independent: see `blocked_tukey` for the
    same queries under every system.
    >>> made = tukey(ScoreTable.make({"A": [0.1, 0.2, 0.3], "B": [0.3, 0.4, 0.5]}))
    >>> round(made.pairs[0].difference, 6), round(made.pairs[0].p, 6)
    (0.2, 0.070484)
    """
    return tukey_of(anova(table, by_class), level)


def tukey_of(result: Anova, level: float = 0.95) -> Comparisons:
    """All pairs of an analysis of variance made before."""
    cells = result.cells
    first, second = pair_numbers(len(cells))
    inverse = 1.0 / cells.n
    error = np.full(first.size, result.mse) / 2 * (inverse[first] + inverse[second])
    return studentised_pairs(
        result.measure, "Tukey-Kramer", cells.names, cells.mean, error, result.nu, level, result.note
    )
