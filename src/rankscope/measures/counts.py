"""Plain counts, summed over queries."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from rankscope.arrays import FloatArray
from rankscope.measures.measure import Measure
from rankscope.measures.worth import hits_first, judged_first
from rankscope.ranks.relevant_ranks import RelevantRanks
from rankscope.settings import Settings


class _Count(Measure):
    """Whole numbers; every query counts, with relevant items or without."""

    source = "trec_eval"
    summary = "sum"
    counts = True
    ordered = False

    def bounds(self) -> tuple[float, float]:
        """Counts have no end."""
        return 0.0, math.inf

    def defined(self, queries: RelevantRanks) -> Any:
        """All queries."""
        return np.ones(len(queries), dtype=np.bool_)

    def worth(self, grade: FloatArray, settings: Settings) -> FloatArray:
        """No item matters, wherever it stands."""
        return np.zeros(grade.shape)


@dataclass(frozen=True)
class NumQ(_Count):
    """How many queries are in the mean."""

    name = "num_q"
    aliases = ("NumQ",)
    formula = "1 per query"
    trec = "num_q"

    def bounds(self) -> tuple[float, float]:
        """One each."""
        return 1.0, 1.0

    def of(self, queries: RelevantRanks) -> FloatArray:
        """One each."""
        return np.ones(len(queries))

    def defined(self, queries: RelevantRanks) -> Any:
        """Queries with a relevant item."""
        return queries.relevant > 0


@dataclass(frozen=True)
class NumRet(_Count):
    """How many items were returned."""

    name = "num_ret"
    aliases = ("NumRet",)
    formula = "length of the list"
    trec = "num_ret"

    def of(self, queries: RelevantRanks) -> FloatArray:
        """The depth."""
        return queries.depth.astype(np.float64)

    def worth(self, grade: FloatArray, settings: Settings) -> FloatArray:
        """Where lists are cut and only judged items kept, these make the list long."""
        return judged_first(grade)


@dataclass(frozen=True)
class NumRel(_Count):
    """How many relevant items there are."""

    name = "num_rel"
    aliases = ("NumRel",)
    formula = "R"
    trec = "num_rel"

    rel: float = 1.0

    def of(self, queries: RelevantRanks) -> FloatArray:
        """Relevant items, found or not."""
        return queries.at(rel=self.rel).relevant.astype(np.float64)


@dataclass(frozen=True)
class NumRelRet(_Count):
    """How many relevant items were returned."""

    name = "num_rel_ret"
    aliases = ("NumRelRet",)
    formula = "v"
    trec = "num_rel_ret"

    rel: float = 1.0

    def of(self, queries: RelevantRanks) -> FloatArray:
        """Relevant items found."""
        return queries.at(rel=self.rel).found.astype(np.float64)

    def worth(self, grade: FloatArray, settings: Settings) -> FloatArray:
        """Hits first."""
        return hits_first(grade, self.rel)


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
        """Items judged not relevant first."""
        return np.where((grade >= 0) & (grade < self.rel), 1.0, 0.0)
