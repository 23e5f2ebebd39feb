"""One run next to the frame of its judgements: ranks of its items, sums over pairs of hits, inferred AP.

AP's numerator S, the sum of precisions at relevant items, is a sum over pairs of relevant items, one above the other in
the list. From a sample it has no bias: a pair of two strata is drawn with the product of two probabilities, a pair of
one stratum with n (n - 1)/(N (N - 1)).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from rankscope.analysis.sampling.frame import Frame, Strata
from rankscope.analysis.sampling.intervals import Cell
from rankscope.core.arrays import BoolArray, FloatArray, IntArray
from rankscope.core.errors import InputError, Problem
from rankscope.inputs.run import Run
from rankscope.ranks.ragged import divide, sums_by

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
        return self.rank[self.frame.drawn]

    @cached_property
    def hit_stratum(self) -> IntArray:
        return self.frame.stratum[self.frame.drawn]

    @cached_property
    def hit_gain(self) -> FloatArray:
        return self.frame.grade[self.frame.drawn]

    @cached_property
    def hit_order(self) -> IntArray:
        """The relevant items drawn query by query, down the ranking: their places in the order of the frame."""
        return np.lexsort((self.hit_rank, self.frame.strata.query[self.hit_stratum]))

    @cached_property
    def hits(self) -> DrawnHits:
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
    found: list[tuple[list[Cell], list[Cell]]] = [([], []) for _ in range(int(query.max(initial=-1)) + 1)]
    for side in (0, 1):
        rows = zip(query.tolist(), *(each[side].tolist() for each in cells), strict=True)
        for number, size, judged, relevant in rows:
            if size:
                found[number][side].append((size, judged, relevant))
    return found


@dataclass(frozen=True, eq=False)
class DrawnHits:
    """The relevant items drawn: stratum, rank in one run (infinite where it has none), gain; by query, then by rank."""

    strata: Strata
    stratum: IntArray
    rank: FloatArray
    gain: FloatArray

    @classmethod
    def of(cls, strata: Strata, stratum: IntArray, rank: FloatArray, gain: FloatArray | None = None) -> DrawnHits:
        order = np.lexsort((rank, strata.query[stratum]))
        gains = np.ones(rank.size) if gain is None else gain
        return cls(strata, stratum[order], rank[order], gains[order])

    @property
    def query(self) -> IntArray:
        return self.strata.query[self.stratum]

    @property
    def weight(self) -> FloatArray:
        return self.strata.scale[self.stratum]


def precision_sums(hits: DrawnHits, factor: FloatArray | None = None) -> FloatArray:
    """S of each query: the sum over hits of (N_h/n_h)(1 + sum over hits above of v_t)/rank.

    v_t = N_t/n_t, for the stratum of the hit itself (N_h - 1)/(n_h - 1). `factor` (draws x hits) rescales each hit:
    then one row a draw.
    >>> strata = Strata(1, np.zeros(1, int), ("all",), np.array([10]), np.array([5]))
    >>> precision_sums(DrawnHits.of(strata, np.zeros(3, int), np.array([1.0, 4.0, np.inf]))).tolist()
    [3.625]
    """
    times = np.ones((1, hits.rank.size)) if factor is None else factor
    terms = relevant_above(hits, times)
    terms += 1.0
    terms *= times * hits.weight
    sums = sums_by_query(hits, terms / hits.rank)
    return sums[0] if factor is None else sums


def relevant_above(hits: DrawnHits, factor: FloatArray) -> FloatArray:
    """For how many relevant items the hits above each hit stand, one row a draw."""
    above = _sums_above(factor * hits.weight, hits.query)
    change = (hits.strata.pair_scale - hits.strata.scale)[hits.stratum]
    query = hits.strata.query
    order = np.argsort(query, kind="stable")
    place_in_query = np.empty(query.size, dtype=np.int64)  # of each stratum: 0, 1, and so on
    place_in_query[order] = np.arange(query.size) - np.searchsorted(query[order], query[order])
    place = place_in_query[hits.stratum]
    for each in np.unique(place[change != 0]).tolist():
        own = np.flatnonzero(place == each)
        above[:, own] += _sums_above(factor[:, own] * change[own], hits.query[own])
    return above


def weight_sums(hits: DrawnHits, factor: FloatArray) -> FloatArray:
    """The estimated number of relevant items of each query, one row a draw."""
    return sums_by_query(hits, factor * hits.weight)


def _sums_above(values: FloatArray, query: IntArray) -> FloatArray:
    """Sums of the values that stand before each in its query: above it, for hits are in order."""
    before = np.cumsum(values, axis=1)
    before -= values
    starts = np.unique(query, return_index=True)[1]
    before -= np.repeat(before[:, starts], np.diff(np.append(starts, query.size)), axis=1)
    return before


def sums_by_query(hits: DrawnHits, terms: FloatArray) -> FloatArray:
    """Sums over the hits of each query, one row a draw; 0 where a query has none."""
    queries = hits.strata.queries
    sums = np.zeros((len(terms), queries))
    if terms.shape[1]:
        present, first = np.unique(hits.query, return_index=True)
        sums[:, present] = np.add.reduceat(terms, first, axis=1)
    return sums


# Inferred AP of a stratified sample: xinfAP (Yilmaz, Kanoulas & Aslam 2008); with one stratum, infAP.

EPSILON = 1e-5


def inferred_ap(run: JudgedRun) -> FloatArray:
    """Of each query: the mean over relevant items of the expected precision there; NaN where none was drawn.

    A relevant item drawn from stratum h at rank k adds (N_h/n_h) [1/k + sum over t of (m_t/k)(r_t + e)/(n_t + 2e)],
    m_t items of t above it, n_t of them judged, r_t relevant. What the run does not rank adds nothing.
    """
    strata = run.frame.strata
    ranked = np.flatnonzero(np.isfinite(run.hit_rank))
    stratum, rank = run.hit_stratum[ranked], run.hit_rank[ranked]
    expected = (1.0 + _relevant_above(run, stratum, rank)) / rank
    sums = sums_by(strata.query[stratum], strata.scale[stratum] * expected, strata.queries)
    return divide(sums, strata.by_query(strata.scale * run.frame.found), nothing=np.nan)


def _relevant_above(run: JudgedRun, stratum: IntArray, rank: FloatArray) -> FloatArray:
    """How many relevant items are expected above each of these ranks, over the strata of its query."""
    frame = run.frame
    # Each hit next to each stratum of its query.
    query, query_of_stratum = frame.strata.query[stratum], frame.strata.query
    order = np.argsort(query_of_stratum, kind="stable")
    first = np.searchsorted(query_of_stratum[order], query)
    count = np.searchsorted(query_of_stratum[order], query, side="right") - first
    hit = np.repeat(np.arange(query.size), count)
    other = order[first[hit] + np.arange(hit.size) - np.repeat(np.cumsum(count) - count, count)]
    asked = _key(other, rank[hit])
    every = _counts_above(run, np.ones(frame.grade.size, dtype=bool), other, asked)
    judged = _counts_above(run, frame.is_judged, other, asked)
    relevant = _counts_above(run, frame.grade >= frame.rel, other, asked)
    share = (relevant + EPSILON) / (judged + 2 * EPSILON)
    return sums_by(hit, np.where(every > 0, every * share, 0.0), rank.size)


def _counts_above(run: JudgedRun, chosen: BoolArray, stratum: IntArray, asked: FloatArray) -> FloatArray:
    keep = np.flatnonzero(chosen & np.isfinite(run.rank))
    keys = np.sort(_key(run.frame.stratum[keep], run.rank[keep]))
    return (np.searchsorted(keys, asked) - np.searchsorted(keys, _key(stratum, 0.0))).astype(np.float64)


def _key(stratum: IntArray, rank: FloatArray | float) -> FloatArray:
    """One number that sorts by stratum, then by rank."""
    return stratum.astype(np.float64) * float(1 << 32) + rank
