"""Values made fit for an analysis of variance: AP is bounded and skewed, its logit and its ranks are less so."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from rankscope.errors import SettingError
from rankscope.statistics.table.score_table import UNBOUNDED, ScoreTable

ROUNDED = 9  # decimals: floats that differ by less are ties


def logit(table: ScoreTable) -> ScoreTable:
    """The logit of (x (N-1) + .5)/N for N queries, which keeps 0 and 1 finite (Smithson & Verkuilen 2006).

    Only for measures between 0 and 1; NaN stays NaN.
    >>> made = logit(ScoreTable.make({"A": [0.0, 0.5, 1.0]}))
    >>> made.measure, made.values.round(4).ravel().tolist()
    ('logit AP', [-1.6094, 0.0, 1.6094])
    """
    there = table.values[~np.isnan(table.values)]
    if there.size and (there.min() < 0 or there.max() > 1):
        raise SettingError(
            f"the logit needs values from 0 to 1, but {table.measure} goes from {there.min():g} to {there.max():g}; "
            "use the rank transform"
        )
    count = len(table)
    share = (table.values * (count - 1) + 0.5) / count
    return replace(table, measure=f"logit {table.measure}", values=np.log(share) - np.log1p(-share), bounds=UNBOUNDED)


def rank_transform(table: ScoreTable) -> ScoreTable:
    """The rank of each value among all values of all systems, 1 for the smallest (Conover & Iman 1981).

    Equal values share the mean of their ranks; NaN stays NaN and takes no rank.
    >>> rank_transform(ScoreTable.make({"A": [0.1, 0.3], "B": [0.2, 0.3]})).values.tolist()
    [[1.0, 2.0], [3.5, 3.5]]
    """
    flat = table.values.round(ROUNDED).ravel()
    there = np.flatnonzero(~np.isnan(flat))
    _, number, size = np.unique(flat[there], return_inverse=True, return_counts=True)
    middle = np.cumsum(size) - (size - 1) / 2
    ranks = np.full(flat.size, np.nan)
    ranks[there] = middle[number]
    return replace(
        table,
        measure=f"rank of {table.measure}",
        values=ranks.reshape(table.values.shape),
        bounds=(1.0, float(there.size)),
    )
