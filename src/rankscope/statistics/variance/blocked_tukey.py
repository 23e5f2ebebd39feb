"""Tukey's test on the error of the two-way analysis: systems on the same queries."""

from __future__ import annotations

import numpy as np

from rankscope.statistics.table.score_table import ScoreTable
from rankscope.statistics.variance.comparisons import Comparisons, studentised_pairs
from rankscope.statistics.variance.two_way import two_way


def blocked_tukey(table: ScoreTable, level: float = 0.95) -> Comparisons:
    """All pairs of systems; a query is a block. HSD = q sqrt(MSE/N) with (N-1)(k-1) degrees of freedom.

    >>> made = blocked_tukey(ScoreTable.make({"a": [0.7, 0.3, 0.2], "b": [0.5, 0.1, 0.0], "c": [0.0, 0.0, 0.2]}))
    >>> [round(pair.p, 4) for pair in made.pairs]
    [0.5095, 0.2244, 0.72]
    """
    measures = two_way(table)
    pairs = len(measures.systems) * (len(measures.systems) - 1) // 2
    error = np.full(pairs, measures.mse / measures.queries)
    return studentised_pairs(
        measures.measure, "Tukey on blocks", measures.systems, measures.means, error, measures.nu, level, measures.note
    )
