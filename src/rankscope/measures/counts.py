"""Plain counts, summed over queries, and two values that are words: the first grades as a string, and the run's tag."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from rankscope.core.arrays import FloatArray
from rankscope.core.settings import Settings
from rankscope.measures.measure import HitsFirst, JudgedFirst, Measure
from rankscope.ranks.ragged import Ragged
from rankscope.ranks.relevant_ranks import RelevantRanks


class _Count(Measure):
    """Whole numbers; every query counts, with relevant items or without."""

    source = "trec_eval"
    summary = "sum"
    counts = True
    ordered = False

    def bounds(self) -> tuple[float, float]:
        return 0.0, math.inf

    def defined(self, queries: RelevantRanks) -> Any:
        return np.ones(len(queries), dtype=np.bool_)

    def worth(self, grade: FloatArray, settings: Settings) -> FloatArray:
        return np.zeros(grade.shape)


@dataclass(frozen=True)
class NumQ(_Count):
    """How many queries are in the mean."""

    name = "num_q"
    aliases = ("NumQ",)
    formula = "1 per query"
    trec = "num_q"

    def bounds(self) -> tuple[float, float]:
        return 1.0, 1.0

    def of(self, queries: RelevantRanks) -> FloatArray:
        return np.ones(len(queries))

    def defined(self, queries: RelevantRanks) -> Any:
        return queries.relevant > 0


@dataclass(frozen=True)
class NumRet(JudgedFirst, _Count):  # where lists are cut and only judged items kept, these make the list long
    """How many items were returned."""

    name = "num_ret"
    aliases = ("NumRet",)
    formula = "length of the list"
    trec = "num_ret"

    def of(self, queries: RelevantRanks) -> FloatArray:
        return queries.depth.astype(np.float64)


@dataclass(frozen=True)
class NumRel(_Count):
    """How many relevant items there are."""

    name = "num_rel"
    aliases = ("NumRel",)
    formula = "R"
    trec = "num_rel"

    rel: float = 1.0

    def of(self, queries: RelevantRanks) -> FloatArray:
        return queries.at(rel=self.rel).relevant.astype(np.float64)


@dataclass(frozen=True)
class NumRelRet(HitsFirst, _Count):
    """How many relevant items were returned."""

    name = "num_rel_ret"
    aliases = ("NumRelRet",)
    formula = "v"
    trec = "num_rel_ret"

    rel: float = 1.0

    def of(self, queries: RelevantRanks) -> FloatArray:
        return queries.at(rel=self.rel).found.astype(np.float64)


@dataclass(frozen=True)
class NumNonrelJudgedRet(_Count):
    """How many items judged not relevant were returned."""

    name = "num_nonrel_judged_ret"
    formula = "returned items with 0 <= grade < rel"
    trec = "num_nonrel_judged_ret"

    rel: float = 1.0

    def of(self, queries: RelevantRanks) -> FloatArray:
        """Judged items found that are not relevant."""
        return queries.judged.count(queries.judged["grade"] < self.rel).astype(np.float64)

    def worth(self, grade: FloatArray, settings: Settings) -> FloatArray:
        return np.where((grade >= 0) & (grade < self.rel), 1.0, 0.0)


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
        return -math.inf, math.inf

    def of(self, queries: RelevantRanks) -> FloatArray:
        return np.full(len(queries), np.nan)

    def expected(self, queries: RelevantRanks) -> FloatArray | None:
        return self.of(queries)

    def defined(self, queries: RelevantRanks) -> Any:
        return np.ones(len(queries), dtype=np.bool_)


@dataclass(frozen=True)
class Relstring(_Words):
    """The grades of the first `scope` items as a string, for reading by eye: `-` not in the pool, `.` not judged."""

    name = "relstring"
    formula = "one character per item"
    trec_cut = "relstring"

    scope: int = 10

    def words(self, queries: RelevantRanks) -> list[str]:
        return relevance_strings(queries, self.scope)


@dataclass(frozen=True)
class Runid(_Words):
    """The tag that the run file gives itself."""

    name = "runid"
    formula = "the last field of a TREC run"
    trec = "runid"
    ordered = False

    def word(self, queries: RelevantRanks) -> str:
        return queries.tag
