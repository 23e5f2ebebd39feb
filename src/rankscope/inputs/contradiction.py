"""Ranks that contradict scores: distances in place of scores, or scores that are all the same."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from rankscope.arrays import FloatArray, IntArray
from rankscope.inputs.checks import Problems

if TYPE_CHECKING:
    from rankscope.inputs.id_columns import IdColumn
    from rankscope.inputs.run import Run

LOOKED_AT = 1 << 15  # rows of a beginning
CLEARLY = 3  # times as many scores that rise with the rank as fall, for both to run against each other


class Contradiction(NamedTuple):
    """In how many of the queries looked at ranks and scores run against each other, and in how many scores are equal.

    >>> str(Contradiction(20, 19, 0))
    'ranks and scores run against each other in 19 of 20 queries looked at'
    """

    queries: int
    against: int
    equal: int

    def __str__(self) -> str:
        said = {"ranks and scores run against each other": self.against, "all scores are equal": self.equal}
        told = [f"{what} in {count:,}" for what, count in said.items() if count]
        return f"{' and '.join(told)} of {self.queries:,} queries looked at"


class FirstRows(NamedTuple):
    """What the first rows of a run tell of its ranks and scores, as it is read: counts of rows and of queries.

    `backwards` are queries in which ranks and scores would run against each other if the smallest score were best.
    """

    rows: int = 0
    queries: int = 0
    against: int = 0
    backwards: int = 0
    equal: int = 0

    def and_these(self, query: IdColumn, score: FloatArray, rank: FloatArray | None) -> FirstRows:
        """With more rows, whole queries one behind the other; ranks of the first of them, or none."""
        if self.rows >= LOOKED_AT:
            return self
        count = 0 if rank is None else min(rank.size, LOOKED_AT)
        if rank is None or not count:
            return self._replace(rows=self.rows + score.size)
        starts = query.slice(0, count).starts()
        segment = np.repeat(np.arange(starts.size), np.diff(starts, append=count))
        found = _queries(segment, rank[:count], score[:count])
        return FirstRows(self.rows + count, *(one + other for one, other in zip(self[1:], found, strict=True)))

    def turned_round(self) -> FirstRows:
        """The same of negated scores."""
        return self._replace(against=self.backwards, backwards=self.against)


def contradiction_of(run: Run) -> Contradiction | None:
    """What the first rows tell; None where ranks go with the scores of most queries, or there are no ranks.

    Of a run that has not been read the beginning is.
    >>> distances = {"query": ["q", "q", "q"], "item": ["a", "b", "c"], "rank": [1, 2, 3], "score": [0.1, 0.4, 0.5]}
    >>> from rankscope.inputs.run import Run
    >>> contradiction_of(Run.of(distances))
    Contradiction(queries=1, against=1, equal=0)
    >>> contradiction_of(Run.of({**distances, "score": [3, 2, 1]}))
    """
    run = run.chunks or run
    read = 0
    for block in [] if run.plain is not None or run.first.rows else run.blocks(Problems(run.place)):
        read += len(block)
        if read >= LOOKED_AT:
            break
    found = Contradiction(run.first.queries, run.first.against, run.first.equal)
    return found if 2 * (found.against + found.equal) > found.queries else None


def _queries(segment: IntArray, rank: FloatArray, score: FloatArray) -> tuple[int, int, int, int]:
    """How many queries have ranks, how many contradict the scores, would contradict negated ones, and have equal ones.

    Ranks that go against the scores count where the lines do not go with the scores: two against one decide.
    """
    order = np.lexsort((rank, segment))
    count, rises, falls = _steps(segment[order], score[order], rank[order])
    _, up, down = _steps(segment, score, np.arange(rank.size))
    against = (rises > CLEARLY * falls) & (down <= CLEARLY * up)
    backwards = (falls > CLEARLY * rises) & (up <= CLEARLY * down)
    equal = (count > 0) & (rises + falls == 0)
    told = (int(np.count_nonzero(each)) for each in (count, against, backwards, equal))
    return tuple(told)  # type: ignore[return-value]


def _steps(segment: IntArray, score: FloatArray, place: IntArray | FloatArray) -> tuple[IntArray, IntArray, IntArray]:
    """For each query, at how many of its rows the place goes on, and at how many of these the score rises and falls."""
    pair = (segment[1:] == segment[:-1]) & (place[1:] > place[:-1])
    query, before, after = segment[1:][pair], score[:-1][pair], score[1:][pair]
    size = int(segment.max(initial=-1)) + 1
    return (
        np.bincount(query, minlength=size),
        np.bincount(query[after > before], minlength=size),
        np.bincount(query[after < before], minlength=size),
    )
