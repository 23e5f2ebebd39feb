"""Ranks of items by their ids: of every judged item in one run after the other, and the items that stand first."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from rankscope.core.arrays import BoolArray, FloatArray, IntArray
from rankscope.core.errors import InputError
from rankscope.core.settings import Settings
from rankscope.inputs.problems import Problems, raise_all
from rankscope.inputs.qrels import JudgedItems, Qrels
from rankscope.inputs.run import Run
from rankscope.ranks.query_blocks import WholeQueries
from rankscope.ranks.ragged import Ragged
from rankscope.ranks.reduction import Found, Progress, check_common, collect_rows, find_judged, nothing_found
from rankscope.ranks.ties import ScoredRows, ranks_of

ABSENT = 0  # the rank of an item that is not in the list


@dataclass(frozen=True, eq=False)
class ItemRanks:
    """Ranks of judged items (rows, by query in byte order of the ids) in several runs (columns); 0: not in the list."""

    queries: tuple[str, ...]
    runs: tuple[str, ...]
    query_row: IntArray
    item: tuple[str, ...]
    grade: FloatArray
    rank: IntArray
    answered: BoolArray  # queries in rows, runs in columns
    not_judged: tuple[int, ...]  # how many queries of each run have no judgements

    def take(self, rows: IntArray) -> ItemRanks:
        """Some of the items; queries without any stay."""
        item = tuple(self.item[row] for row in rows.tolist())
        return replace(self, query_row=self.query_row[rows], item=item, grade=self.grade[rows], rank=self.rank[rows])


def item_ranks(
    qrels: Qrels,
    runs: Mapping[str, Run],
    settings: Settings | None = None,
    junk: Iterable[tuple[str, str]] = (),
    progress: Progress | None = None,
) -> ItemRanks:
    """The rank of each judged item in each run, by name: ties, duplicates and junk as in `reduce`.

    Raises `InputError` with the problems of all runs.
    >>> runs = {"one": Run.of({"q": {"b": 3.0, "x": 2.0, "a": 1.0}}), "two": Run.of({"q": {"c": 1.0}})}
    >>> ranks = item_ranks(Qrels.of({"q": {"a": 1, "b": 0, "c": 2}}), runs)
    >>> ranks.item, ranks.rank.tolist()
    (('a', 'b', 'c'), [[3, 0], [1, 0], [0, 1]])
    """
    chosen = settings or Settings()
    begun = nothing_found(qrels, "", chosen, junk)
    judged = begun.judged
    assert isinstance(judged, JudgedItems)
    found: list[_ItemsFound] = []
    errors: list[InputError] = []
    for run in runs.values():
        nothing = _ItemsFound(judged, begun.junk, chosen, Problems(run.place), keep_scores=False)
        try:
            complete = collect_rows(nothing, run, progress)
            check_common(complete, qrels)
            assert isinstance(complete, _ItemsFound)
            found.append(complete)
        except InputError as error:
            errors.append(error)
    raise_all(errors)
    rank = np.stack([each.ranks for each in found], axis=1)
    if chosen.judged_only:
        rank = np.stack([_among_judged(column, judged) for column in rank.T], axis=1)
    if chosen.depth is not None:
        rank = np.where(rank <= chosen.depth, rank, ABSENT)
    return ItemRanks(
        queries=judged.queries,
        runs=tuple(runs),
        query_row=judged.query_row,
        item=tuple(judged.item.to_list()),
        grade=judged.grade,
        rank=rank,
        answered=np.stack([each.answered for each in found], axis=1),
        not_judged=tuple(len(each.not_judged) for each in found),
    )


@dataclass
class _ItemsFound(Found):
    """Keeps which judged item stands at which rank."""

    entries: list[IntArray] = field(default_factory=list)
    places: list[IntArray] = field(default_factory=list)

    def add(self, part: WholeQueries) -> None:
        judged = self.judged
        assert isinstance(judged, JudgedItems)
        part = self.settled(part)
        row_of = self._rows_of(part.queries, part.lengths)
        if len(part.rows) == 0:
            return
        scored = ScoredRows(self.sorting_scores(part.rows), part.segment, part.lengths)
        rows, entry = find_judged(part.keys, row_of, judged)
        rank, _ = ranks_of(rows, scored, part.rows.item, part.queries, self.settings.ties, self.settings.seed)
        self.entries.append(entry)
        self.places.append(rank)

    @property
    def ranks(self) -> IntArray:
        ranks = np.full(len(self.judged.grade), ABSENT, dtype=np.int64)
        for entry, rank in zip(self.entries, self.places, strict=True):
            ranks[entry] = rank
        return ranks

    @property
    def answered(self) -> BoolArray:
        there = np.zeros(len(self.judged.queries), dtype=np.bool_)
        there[list(self.rows_of_query)] = True
        return there


def _among_judged(rank: IntArray, judged: JudgedItems) -> IntArray:
    """Ranks counted over judged items only; those that are merely in the pool are not judged."""
    there = np.flatnonzero((rank != ABSENT) & (judged.grade >= 0))
    row = judged.query_row[there]
    order = np.lexsort((rank[there], row))
    condensed = np.full(rank.size, ABSENT, dtype=np.int64)
    condensed[there[order]] = Ragged.from_rows(row[order], len(judged.queries)).position
    return condensed


class FirstItem(NamedTuple):
    """An item of a ranking, and its grade; NaN where it was not judged."""

    id: str
    grade: float

    @property
    def judged(self) -> bool:
        """Whether somebody judged it; what was only pooled has a grade below 0."""
        return not math.isnan(self.grade) and self.grade >= 0


Lists = dict[str, list[FirstItem]]


def first_items(
    qrels: Qrels, run: Run, count: int, settings: Settings | None = None, junk: Iterable[tuple[str, str]] = ()
) -> Lists:
    """For each judged query of a run its first items, best first: without junk, ties and duplicates as in `reduce`.

    >>> judged = Qrels.of({"q": {"a": 1, "b": 0}})
    >>> first_items(judged, Run.of({"q": {"b": 3.0, "x": 2.0, "a": 1.0}}), 2)
    {'q': [FirstItem(id='b', grade=0.0), FirstItem(id='x', grade=nan)]}
    """
    chosen = settings or Settings()
    begun = nothing_found(qrels, run.place, chosen, junk)
    wanted = count if chosen.depth is None else min(count, chosen.depth)
    found = _FirstFound(begun.judged, begun.junk, chosen, begun.problems, keep_scores=False, count=wanted)
    complete = collect_rows(found, run)
    complete.problems.raise_if_any()
    assert isinstance(complete, _FirstFound)
    return complete.lists


@dataclass
class _FirstFound(Found):
    """Keeps the first rows of each query in the place of the judged ones."""

    count: int = 10
    lists: Lists = field(default_factory=dict)

    def add(self, part: WholeQueries) -> None:
        judged = self.judged
        assert isinstance(judged, JudgedItems)
        part = self.settled(part)
        row_of = self._rows_of(part.queries, part.lengths)
        if len(part.rows) == 0:
            return
        grade = np.full(len(part.rows), np.nan)
        rows, entry = find_judged(part.keys, row_of, judged)
        grade[rows] = judged.grade[entry]
        if self.settings.judged_only:
            kept = ~np.isnan(grade)
            part, grade = part.keep(kept), grade[kept]
        self._keep_first(part, grade, row_of)

    def _keep_first(self, part: WholeQueries, grade: FloatArray, row_of: IntArray) -> None:
        scored = ScoredRows(self.sorting_scores(part.rows), part.segment, part.lengths)
        # Rows of judged queries that score no less than the last that is wanted.
        places = np.minimum(scored.lengths, self.count)
        there = np.flatnonzero(places)
        limit = np.full(scored.lengths.size, np.inf)
        limit[there] = scored.score[scored.at(scored.starts[there] + places[there] - 1)]
        judged = row_of >= 0
        near = np.flatnonzero(judged[scored.segment] & (scored.score >= limit[scored.segment]))
        rank, _ = ranks_of(near, scored, part.rows.item, part.queries, self.settings.ties, self.settings.seed)
        chosen = rank <= self.count
        near, rank = near[chosen], rank[chosen]
        near = near[np.lexsort((rank, part.segment[near]))]
        items = part.rows.item.take(near).to_list()
        for segment, item, each in zip(part.segment[near].tolist(), items, grade[near].tolist(), strict=True):
            self.lists.setdefault(part.queries[segment], []).append(FirstItem(item, each))
