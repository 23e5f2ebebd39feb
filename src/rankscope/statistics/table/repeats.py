"""Systems that are the same under two names: found, so that no test is spent on them twice."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rankscope.statistics.table.score_table import ScoreTable


def repeats(tables: Sequence[ScoreTable]) -> dict[str, str]:
    """Each system whose values all equal those of an earlier one, with the name of that one.

    Two systems are left in any case: where all are equal, the second stays too.
    >>> table = ScoreTable.make({"A": [0.1, 0.2], "B": [0.3, 0.1], "C": [0.1, 0.2]})
    >>> repeats([table])
    {'C': 'A'}
    """
    names = tables[0].systems
    values = np.vstack([table.values for table in tables]).T
    filled = np.where(np.isnan(values), -np.inf, values + 0.0)  # no -0: equal values have equal bytes
    first: dict[bytes, str] = {}
    earliest = {name: first.setdefault(row.tobytes(), name) for name, row in zip(names, filled, strict=True)}
    same = {name: earlier for name, earlier in earliest.items() if earlier != name}
    if len(same) == len(names) - 1:
        same.pop(names[1])
    return same
