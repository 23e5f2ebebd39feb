"""The first grades of a ranking as a string, for reading by eye."""

from __future__ import annotations

import numpy as np

from rankscope.ranks.ragged import Ragged
from rankscope.ranks.relevant_ranks import RelevantRanks


def relevance_strings(queries: RelevantRanks, length: int = 10) -> list[str]:
    """One character per item: its grade (`>` above 9), `-` not in the pool, `.` in the pool but not judged.

    >>> relevance_strings(RelevantRanks.from_ranks([[1, 3]], depth=4))
    ['1-1-']
    """
    grid = np.full((len(queries), length), "-", dtype="U1")

    def put(items: Ragged, signs: np.ndarray[tuple[int], np.dtype[np.str_]]) -> None:
        near = items["rank"] <= length
        grid[items.row[near], items["rank"][near] - 1] = signs[near]

    grade = queries.judged["grade"]
    put(queries.judged, np.where(grade > 9, ">", np.minimum(grade, 9).astype(np.int64).astype("U1")))
    put(queries.pooled, np.full(queries.pooled.size, "."))
    shown = np.minimum(queries.depth, length).tolist()
    return ["".join(row[:end]) for row, end in zip(grid.tolist(), shown, strict=True)]
