"""The items that stand first for each query of a run, in the order that its ranks were counted in."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from rankscope.arrays import FloatArray, IntArray
from rankscope.inputs.judged_items import JudgedItems
from rankscope.inputs.qrels import Qrels
from rankscope.inputs.run import Run
from rankscope.ranks.found import Found, find_judged
from rankscope.ranks.grouping import WholeQueries
from rankscope.ranks.reduce import collect_rows, nothing_found
from rankscope.ranks.ties import ScoredRows, ranks_of
from rankscope.settings import Settings


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
    found = _FirstFound(
        judged=begun.judged,
        junk=begun.junk,
        settings=chosen,
        problems=begun.problems,
        keep_scores=False,
        count=wanted,
    )
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
        """The first rows of a block of whole queries."""
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
        near = self._candidates(scored, row_of)
        rank, _ = ranks_of(near, scored, part.rows.item, part.queries, self.settings.ties, self.settings.seed)
        chosen = rank <= self.count
        near, rank = near[chosen], rank[chosen]
        near = near[np.lexsort((rank, part.segment[near]))]
        items = part.rows.item.take(near).to_list()
        for segment, item, each in zip(part.segment[near].tolist(), items, grade[near].tolist(), strict=True):
            self.lists.setdefault(part.queries[segment], []).append(FirstItem(item, each))

    def _candidates(self, scored: ScoredRows, row_of: IntArray) -> IntArray:
        """Rows of judged queries that score no less than the last that is wanted."""
        places = np.minimum(scored.lengths, self.count)
        there = np.flatnonzero(places)
        limit = np.full(scored.lengths.size, np.inf)
        limit[there] = scored.score[scored.at(scored.starts[there] + places[there] - 1)]
        judged = row_of >= 0
        return np.flatnonzero(judged[scored.segment] & (scored.score >= limit[scored.segment]))
