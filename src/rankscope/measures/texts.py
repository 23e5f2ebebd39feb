"""Two values that are words: the first grades of a ranking as a string, and the run's tag."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from rankscope.arrays import FloatArray
from rankscope.measures.measure import Measure
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


class _Words(Measure):
    """A value that is not a number."""

    source = "trec_eval"
    summary = "none"

    def bounds(self) -> tuple[float, float]:
        """No number."""
        return -math.inf, math.inf

    def of(self, queries: RelevantRanks) -> FloatArray:
        """No number."""
        return np.full(len(queries), np.nan)

    def expected(self, queries: RelevantRanks) -> FloatArray | None:
        """No number either."""
        return self.of(queries)

    def defined(self, queries: RelevantRanks) -> Any:
        """All queries."""
        return np.ones(len(queries), dtype=np.bool_)


@dataclass(frozen=True)
class Relstring(_Words):
    """The grades of the first `scope` items as a string, for reading by eye: `-` not in the pool, `.` not judged."""

    name = "relstring"
    formula = "one character per item"
    trec_cut = "relstring"

    scope: int = 10

    def words(self, queries: RelevantRanks) -> list[str]:
        """One string per query."""
        return relevance_strings(queries, self.scope)


@dataclass(frozen=True)
class Runid(_Words):
    """The tag that the run file gives itself."""

    name = "runid"
    formula = "the last field of a TREC run"
    trec = "runid"
    ordered = False

    def word(self, queries: RelevantRanks) -> str:
        """The tag."""
        return queries.tag
