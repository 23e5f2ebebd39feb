"""What a fusion takes and gives: the items that several systems found, which are relevant, and the fused run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from rankscope.core.arrays import BoolArray, FloatArray, IntArray
from rankscope.core.display import Display
from rankscope.core.errors import InputError, Problem, ProblemReport
from rankscope.core.wording import how_many
from rankscope.inputs.run import Run

if TYPE_CHECKING:
    import polars as pl


# The items that several systems found for each query, with the score and the place that each system gave them.

ABSENT = -1


@dataclass(frozen=True, eq=False)
class Candidates:
    """One row for each query and item that some system found, those of a query together; one column a system.

    `scores` are NaN and `places`, counted from 0, are `ABSENT` where a system did not find the item. Items of equal
    score stand in trec_eval's order: the id that comes last in byte order first.
    >>> lists = Candidates.of([Run.of({"q": {"a": 2.0, "b": 1.0}}), Run.of({"q": {"b": 5.0}})])
    >>> lists.names(), lists.scores.tolist(), lists.places.tolist()
    ([('q', 'a'), ('q', 'b')], [[2.0, nan], [1.0, 5.0]], [[0, -1], [1, 0]])
    """

    queries: pl.Series
    ids: pl.Series
    query: IntArray
    item: IntArray
    scores: FloatArray
    places: IntArray

    @classmethod
    def of(cls, runs: Sequence[Run]) -> Candidates:
        """The lists of runs; a query that some of them lack is fused from the others."""
        import polars as pl

        rows = pl.concat([run.table().with_columns(system=pl.lit(place)) for place, run in enumerate(runs)])
        queries, ids = rows["query"].unique(maintain_order=True), rows["item"].unique().sort()
        system = rows["system"].to_numpy()
        keys = _codes(rows["query"], queries) * max(len(ids), 1) + _codes(rows["item"], ids)
        pairs, row = np.unique(keys, return_inverse=True)
        _refuse_repeated(runs, rows, system, row, len(pairs))
        scores = np.full((len(pairs), len(runs)), np.nan)
        scores[row, system] = rows["score"].to_numpy()
        query, item = np.divmod(pairs, max(len(ids), 1))
        return cls(queries=queries, ids=ids, query=query, item=item, scores=scores, places=places_of(query, scores))

    @property
    def found(self) -> BoolArray:
        """Which system found which item."""
        return ~np.isnan(self.scores)

    @property
    def sizes(self) -> IntArray:
        """How many items all systems together found for each query."""
        return np.bincount(self.query, minlength=len(self.queries))

    @property
    def lengths(self) -> IntArray:
        """How many items each system found: one row a query, one column a system."""
        starts = np.searchsorted(self.query, np.arange(len(self.queries)))
        return np.add.reduceat(self.found.astype(np.int64), starts, axis=0)

    def with_scores(self, scores: FloatArray) -> Candidates:
        """The same items with other scores, and the places that follow from them."""
        return replace(self, scores=scores, places=places_of(self.query, scores))

    def names(self) -> list[tuple[str, str]]:
        """Query and item of each row."""
        return list(zip(self.queries.gather(self.query), self.ids.gather(self.item), strict=True))


def places_of(query: IntArray, scores: FloatArray) -> IntArray:
    """Places from 0 on within each query, for each system; rows of a query stand together, ids ascending.

    >>> places_of(np.array([0, 0, 0, 1]), np.array([[1.0], [3.0], [3.0], [np.nan]])).ravel().tolist()
    [2, 1, 0, -1]
    """
    places = np.full(scores.shape, ABSENT, dtype=np.int64)
    for system, column in enumerate(scores.T):
        rows = np.flatnonzero(~np.isnan(column))
        order = rows[np.lexsort((-rows, -column[rows], query[rows]))]
        starts = np.searchsorted(query[order], query[order])
        places[order, system] = np.arange(len(order)) - starts
    return places


def _codes(values: pl.Series, among: pl.Series) -> IntArray:
    import polars as pl

    numbers = pl.DataFrame({"value": among, "code": np.arange(len(among))})
    found = values.to_frame("value").join(numbers, on="value", how="left", maintain_order="left")
    return found["code"].to_numpy()


def _refuse_repeated(runs: Sequence[Run], rows: pl.DataFrame, system: IntArray, row: IntArray, pairs: int) -> None:
    """Every item that one system lists twice for a query, of all runs at once."""
    keys, first, times = np.unique(system * pairs + row, return_index=True, return_counts=True)
    if len(keys) == len(system):
        return
    twice = rows[first[times > 1]].select("system", "query", "item").rows()
    problems: dict[int, list[Problem]] = {}
    for place, query, item in twice:
        problems.setdefault(place, []).append(Problem(f"query {query}", f"item {item} is listed twice"))
    raise InputError([ProblemReport(runs[place].place, each) for place, each in problems.items()])


# Fused scores as a run, with what was chosen for them.


@dataclass(frozen=True)
class FusionChoice:
    """What some queries were fused by, and on how many other queries that was chosen (0: it was given)."""

    method: str
    weights: tuple[float, ...]
    queries: tuple[str, ...]
    chosen_on: int = 0
    value: float = float("nan")  # the mean of the measure on the queries it was chosen on

    @property
    def sentence(self) -> str:
        """What some queries were fused by."""
        weights = f", weights {', '.join(f'{each:g}' for each in self.weights)}" if self.weights else ""
        chosen = f", chosen on {how_many(self.chosen_on, 'other query', 'other queries')}" if self.chosen_on else ""
        return f"{how_many(len(self.queries))} by {self.method}{weights}{chosen}"


class FusedRun(Run):
    """The run of a fusion; `choices` say what each part of the queries was fused by."""

    choices: tuple[FusionChoice, ...] = ()

    def display(self) -> Display:
        return self._display_of_rows(f"Fused run {self.name}", tuple(each.sentence for each in self.choices))


def fused_run(
    lists: Candidates, scores: FloatArray, name: str, choices: Sequence[FusionChoice] = (), depth: int | None = None
) -> FusedRun:
    """A run of the first `depth` items of each query, the best first.

    >>> lists = Candidates.of([Run.of({"q": {"a": 2.0, "b": 1.0}}), Run.of({"q": {"b": 5.0}})])
    >>> fused_run(lists, np.array([0.5, 0.7]), "both").table().rows()
    [('q', 'b', 0.7), ('q', 'a', 0.5)]
    """
    import polars as pl

    places = places_of(lists.query, scores[:, None])[:, 0]
    order = np.lexsort((places, lists.query))
    kept = order if depth is None else order[places[order] < depth]
    table = pl.DataFrame(
        {
            "query": lists.queries.gather(lists.query[kept]),
            "item": lists.ids.gather(lists.item[kept]),
            "score": scores[kept],
        }
    )
    run = FusedRun.from_frame(table, name)
    run.choices = tuple(choices)
    return run


# What methods that learn may look at: which found items of judged queries are relevant.


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
