"""Games & Howell (1976): which cells differ where their spreads do, each pair with its own error and freedom."""

from __future__ import annotations

import numpy as np

from rankscope.errors import SettingError
from rankscope.statistics.table.cells import Cells, design_of, pair_numbers
from rankscope.statistics.table.score_table import ScoreTable
from rankscope.statistics.variance.comparisons import Comparisons, studentised_pairs


def games_howell(table: ScoreTable, level: float = 0.95, by_class: bool = True) -> Comparisons:
    """All pairs of cells by the studentised range; a pair's degrees of freedom are those of Welch's t test.

    A cell of one query has no variance: its pairs have no p value, and the note counts them.
    >>> made = games_howell(ScoreTable.make({"A": [0.1, 0.2, 0.3], "B": [0.3, 0.4, 0.5]}))
    >>> round(made.pairs[0].p, 6)
    0.070484
    """
    design = design_of(table, by_class)
    cells = Cells.of(design)
    if len(cells) < 2:
        raise SettingError("Games-Howell compares two groups at least: give two systems, or classes")
    first, second = pair_numbers(len(cells))
    own = cells.sd**2 / cells.n
    own[own <= 1e-28 * (1 + cells.mean**2)] = 0.0
    with np.errstate(invalid="ignore", divide="ignore"):
        part = own**2 / (cells.n - 1)
        freedom = (own[first] + own[second]) ** 2 / (part[first] + part[second])
    error = (own[first] + own[second]) / 2
    return studentised_pairs(
        design.table.measure, "Games-Howell", cells.names, cells.mean, error, freedom, level, design.note()
    )
