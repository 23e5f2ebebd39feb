"""What methods that learn may look at: which found items of judged queries are relevant."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rankscope.arrays import BoolArray, FloatArray, IntArray
from rankscope.fusion.candidates import ABSENT, Candidates


@dataclass(frozen=True, eq=False)
class Training:
    """Lists, which of their rows are relevant, how many relevant items each query has, and which queries may count."""

    lists: Candidates
    relevant: BoolArray
    wanted: IntArray
    queries: BoolArray

    @property
    def count(self) -> int:
        """How many queries may count."""
        return int(self.queries.sum())

    def of_system(self, system: int) -> tuple[IntArray, IntArray, BoolArray]:
        """Query, place and relevance of the rows of one system that may count."""
        places = self.lists.places[:, system]
        rows = (places != ABSENT) & self.queries[self.lists.query]
        return self.lists.query[rows], places[rows], self.relevant[rows]

    def hits_at(self, system: int) -> tuple[FloatArray, FloatArray]:
        """How many lists are relevant at each place, and how many reach it."""
        _, places, relevant = self.of_system(system)
        reach = np.bincount(places).astype(np.float64)
        hits = np.bincount(places[relevant], minlength=len(reach)).astype(np.float64)
        return hits, reach

    def average_precision(self, system: int) -> float:
        """The mean average precision of one system over the queries that may count."""
        query, places, relevant = self.of_system(system)
        order = np.lexsort((places, query))
        query, places, relevant = query[order], places[order], relevant[order]
        passed = np.cumsum(relevant)
        starts = np.searchsorted(query, query)
        within = passed - passed[starts] + relevant[starts]
        sums = np.bincount(query, weights=relevant * within / (places + 1), minlength=len(self.queries))
        each = sums / np.maximum(self.wanted, 1)
        return float(each[self.queries].mean()) if self.count else 0.0
