"""One run next to the frame of its judgements: at which rank each item of the frame stands."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from rankscope.arrays import FloatArray, IntArray
from rankscope.errors import InputError, Problem
from rankscope.inputs.run import Run
from rankscope.sampling.frame import Frame
from rankscope.sampling.hit_pairs import DrawnHits
from rankscope.sampling.mid_p import Cell

if TYPE_CHECKING:
    import polars as pl

FIRST = 10  # ranks that decide most of AP and DCG


def ranking_table(run: Run) -> pl.DataFrame:
    """The ranking of a run (query, item, rank): by falling score, equal scores by falling id, as trec_eval has them.

    >>> ranking_table(Run.of({"q": {"a": 1.0, "b": 2.0, "c": 1.0}})).rows()
    [('q', 'b', 1), ('q', 'c', 2), ('q', 'a', 3)]
    """
    import polars as pl

    table = run.table().sort(["query", "score", "item"], descending=[False, True, True], maintain_order=True)
    twice = table.select("query", "item").is_duplicated()
    if twice.any():
        rows = table.filter(twice).select("query", "item").unique(maintain_order=True).rows()
        problems = [Problem(f"query {query}", f"item '{item}' is ranked twice") for query, item in rows[:100]]
        raise InputError.of(run.place, problems, total=len(rows))
    return table.select("query", "item", pl.int_range(1, pl.len() + 1).over("query").alias("rank"))


@dataclass(frozen=True, eq=False)
class JudgedRun:
    """Ranks of the frame's items in one run (infinite: not there), and of the run's items that are not listed in it."""

    name: str
    frame: Frame
    rank: FloatArray
    other_query: IntArray
    other_rank: FloatArray

    @classmethod
    def of(cls, name: str, frame: Frame, ranking: pl.DataFrame) -> JudgedRun:
        """From the run's table (query, item, rank)."""
        import polars as pl

        joined = frame.table.join(ranking, on=["query", "item"], how="left", maintain_order="left")
        rank = joined.get_column("rank").cast(pl.Float64).fill_null(np.inf).to_numpy()
        numbers = pl.DataFrame({"query": frame.queries}).with_row_index("number")
        others = ranking.join(frame.table, on=["query", "item"], how="anti").join(numbers, on="query")
        return cls(
            name=name,
            frame=frame,
            rank=rank,
            other_query=others.get_column("number").to_numpy().astype(np.int64),
            other_rank=others.get_column("rank").cast(pl.Float64).to_numpy(),
        )

    @cached_property
    def hit_rank(self) -> FloatArray:
        """Of the relevant items drawn, in the order of the frame."""
        found: FloatArray = self.rank[self.frame.drawn]
        return found

    @cached_property
    def hit_stratum(self) -> IntArray:
        """Likewise."""
        found: IntArray = self.frame.stratum[self.frame.drawn]
        return found

    @cached_property
    def hit_gain(self) -> FloatArray:
        """Likewise: the grades."""
        found: FloatArray = self.frame.grade[self.frame.drawn]
        return found

    @cached_property
    def hit_order(self) -> IntArray:
        """The relevant items drawn query by query, down the ranking: their places in the order of the frame."""
        return np.lexsort((self.hit_rank, self.frame.strata.query[self.hit_stratum]))

    @cached_property
    def hits(self) -> DrawnHits:
        """The relevant items drawn, in that order."""
        order, strata = self.hit_order, self.frame.strata
        return DrawnHits(strata, self.hit_stratum[order], self.hit_rank[order], self.hit_gain[order])

    @cached_property
    def is_judged_first(self) -> bool:
        """Whether the first ten ranks are judged in full, wherever their items could have been drawn."""
        first = self.rank <= FIRST
        return (
            bool(self.frame.strata.is_full[self.frame.stratum[first]].all()) and not self._sampled_others(FIRST).any()
        )

    @property
    def outside(self) -> float:
        """Which share of the first ten ranks lies outside of the frame: nothing there counts as relevant."""
        others = int((self.other_rank <= FIRST).sum()) - int(self._sampled_others(FIRST).sum())
        shown = others + int((self.rank <= FIRST).sum()) + int(self._sampled_others(FIRST).sum())
        return others / shown if shown else 0.0

    def cells(self, scope: int) -> tuple[IntArray, IntArray, IntArray]:
        """N, n and r of the cells of each stratum: rows inside the first `scope` ranks, and outside of them."""
        frame = self.frame
        inside = self.rank <= scope
        size = np.bincount(frame.stratum[inside], minlength=len(frame.strata)) + self._sampled_others(scope)
        judged = np.bincount(frame.stratum[inside & frame.is_judged], minlength=len(frame.strata))
        found = np.bincount(self.hit_stratum[self.hit_rank <= scope], minlength=len(frame.strata))
        return (
            np.stack([size, frame.strata.size - size]),
            np.stack([judged, frame.strata.judged - judged]),
            np.stack([found, frame.found - found]),
        )

    @cached_property
    def has_cells(self) -> bool:
        """Whether it is known which stratum each item of the run belongs to: all listed, or one open one a query."""
        open_strata = self.frame.strata.by_query((self.frame.unlisted > 0).astype(np.float64))
        return bool((open_strata <= 1).all())

    def _sampled_others(self, scope: int) -> IntArray:
        """Items within a scope that are not listed, as members of the one stratum of their query that lists not all."""
        frame = self.frame
        count = np.bincount(self.other_query[self.other_rank <= scope], minlength=len(frame.queries))
        return np.minimum(np.where(frame.unlisted > 0, count[frame.strata.query], 0), frame.unlisted)


def cells_by_query(query: IntArray, cells: tuple[IntArray, IntArray, IntArray]) -> list[tuple[list[Cell], list[Cell]]]:
    """Cells inside and outside, a pair of lists for each query."""
    found: list[tuple[list[Cell], list[Cell]]] = [([], []) for _ in range(int(query.max(initial=-1)) + 1)]
    for side in (0, 1):
        rows = zip(query.tolist(), *(each[side].tolist() for each in cells), strict=True)
        for number, size, judged, relevant in rows:
            if size:
                found[number][side].append((size, judged, relevant))
    return found
