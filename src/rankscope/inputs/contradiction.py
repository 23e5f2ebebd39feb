"""Ranks that contradict scores: distances in place of scores, or scores that are all the same."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rankscope.arrays import FloatArray, IntArray
from rankscope.errors import InputError
from rankscope.inputs.blocks import RunBlock
from rankscope.inputs.checks import Problems
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


def contradiction_of(run: Run) -> Contradiction | None:
    """What the first rows of a run tell; None where ranks go with the scores of most queries, or there are no ranks.

    >>> distances = {"query": ["q", "q", "q"], "item": ["a", "b", "c"], "rank": [1, 2, 3], "score": [0.1, 0.4, 0.5]}
    >>> contradiction_of(Run.of(distances))
    Contradiction(queries=1, against=1, equal=0)
    >>> contradiction_of(Run.of({**distances, "score": [3, 2, 1]}))
    """
    run = run.chunks or run
    if run.plain is not None or not run.lists_ranks:
        return None
    problems = Problems(run.place)
    try:
        first = _first_rows(run, problems)
    except InputError:  # no rank column
        return None
    if first is None or first.rows.rank is None or problems.any or not run.gives_scores:
        return None
    starts = first.query.starts()
    segment = np.repeat(np.arange(starts.size), np.diff(starts, append=len(first)))
    found = _looked_at(segment, first.rows.rank, first.rows.score)
    return found if 2 * (found.against + found.equal) > found.queries else None


def _first_rows(run: Run, problems: Problems) -> RunBlock | None:
    blocks: list[RunBlock] = []
    for block in run.blocks(problems, rank=True):
        blocks.append(block.slice(0, LOOKED_AT - sum(map(len, blocks))))
        if sum(map(len, blocks)) == LOOKED_AT:
            break
    return RunBlock.join(blocks) if blocks else None


def _looked_at(segment: IntArray, rank: IntArray, score: FloatArray) -> Contradiction:
    """Ranks that go against scores count where the lines do not go with the scores: two against one decide."""
    order = np.lexsort((rank, segment))
    count, rises, falls = _steps(segment[order], score[order], rank[order])
    _, up, down = _steps(segment, score, np.arange(rank.size))
    equal = (count > 0) & (rises + falls == 0)
    against = (rises > CLEARLY * falls) & (down <= CLEARLY * up)
    return Contradiction(*(int(np.count_nonzero(each)) for each in (count, against, equal)))


def _steps(segment: IntArray, score: FloatArray, place: IntArray) -> tuple[IntArray, IntArray, IntArray]:
    """For each query, at how many of its rows the place goes on, and at how many of these the score rises and falls."""
    pair = (segment[1:] == segment[:-1]) & (place[1:] > place[:-1])
    query, before, after = segment[1:][pair], score[:-1][pair], score[1:][pair]
    size = int(segment.max(initial=-1)) + 1
    return (
        np.bincount(query, minlength=size),
        np.bincount(query[after > before], minlength=size),
        np.bincount(query[after < before], minlength=size),
    )
