"""Rows of a run on their way to the reduction: blocks of them, made in the background while the one before is worked
on.

What the first rows tell is kept as they pass: whether their ranks contradict their scores (distances in place of
scores), or all scores are the same.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import numpy as np

from rankscope.core.arrays import FloatArray, IntArray, Lines
from rankscope.inputs.id_columns import IdColumn, join_columns
from rankscope.inputs.problems import Problems, place_of_line

if TYPE_CHECKING:
    from rankscope.inputs.run import Run


T = TypeVar("T")
NO_IDS = "queries have no ids in the file"  # how a note begins where they were numbered


@dataclass(frozen=True)
class RunRows:
    """Rows of a run without their queries: items, scores, the line each came from, ranks where they were asked for.

    `word` is what `line` counts: lines of a text file or rows of a table. Where no line was left out, `line` is a
    range, which costs nothing. `files` are the names of the files where there are several: `line` holds the number of
    the file too then.
    """

    item: IdColumn
    score: FloatArray
    line: Lines
    rank: IntArray | None = None
    word: str = "line"
    files: tuple[str, ...] = ()

    def __len__(self) -> int:
        return self.score.size

    def slice(self, start: int, stop: int) -> RunRows:
        """Rows from `start` up to `stop`."""
        return RunRows(
            item=self.item.slice(start, stop),
            score=self.score[start:stop],
            line=self.line[start:stop],
            rank=None if self.rank is None else self.rank[start:stop],
            word=self.word,
            files=self.files,
        )

    def take(self, rows: IntArray) -> RunRows:
        """Some rows, in the order given."""
        return RunRows(
            item=self.item.take(rows),
            score=self.score[rows],
            line=line_numbers(self.line)[rows],
            rank=None if self.rank is None else self.rank[rows],
            word=self.word,
            files=self.files,
        )

    def place(self, row: int) -> str:
        """Where a row stood: `line 17`, or `part-3.parquet, row 17`."""
        return place_of_line(int(self.line[row]), self.word, self.files)

    def places(self, one: int, other: int) -> str:
        if self.files:
            return f"{self.place(one)} and {self.place(other)}"
        return f"{self.word}s {self.line[one]} and {self.line[other]}"

    @staticmethod
    def join(parts: Sequence[RunRows]) -> RunRows:
        if len(parts) == 1:
            return parts[0]
        ranks = [part.rank for part in parts if part.rank is not None]
        return RunRows(
            item=join_columns([part.item for part in parts]),
            score=np.concatenate([part.score for part in parts]),
            line=_joined_lines([part.line for part in parts]),
            rank=np.concatenate(ranks) if len(ranks) == len(parts) else None,
            word=parts[0].word,
            files=parts[0].files,
        )


@dataclass(frozen=True)
class RunBlock:
    """Rows of a run with the query of each."""

    query: IdColumn
    rows: RunRows

    def __len__(self) -> int:
        return len(self.rows)

    def slice(self, start: int, stop: int) -> RunBlock:
        """Rows from `start` up to `stop`."""
        return RunBlock(self.query.slice(start, stop), self.rows.slice(start, stop))

    @staticmethod
    def join(blocks: Sequence[RunBlock]) -> RunBlock:
        if len(blocks) == 1:
            return blocks[0]
        query = join_columns([block.query for block in blocks])
        return RunBlock(query, RunRows.join([block.rows for block in blocks]))


def line_numbers(lines: Lines) -> IntArray:
    """Line numbers as an array."""
    return np.arange(lines.start, lines.stop, dtype=np.int64) if isinstance(lines, range) else lines


def lines_as_range(lines: IntArray) -> Lines:
    """Line numbers as a range, if none is left out.

    >>> lines_as_range(np.array([3, 4, 5])), lines_as_range(np.array([3, 5]))
    (range(3, 6), array([3, 5]))
    """
    first, last = (int(lines[0]), int(lines[-1])) if lines.size else (0, -1)
    return range(first, last + 1) if last - first + 1 == lines.size else lines


def _joined_lines(parts: list[Lines]) -> Lines:
    ranges = [part for part in parts if isinstance(part, range)]
    if len(ranges) == len(parts) and all(one.stop == other.start for one, other in pairwise(ranges)):
        return range(ranges[0].start, ranges[-1].stop)
    return np.concatenate([line_numbers(part) for part in parts])


@cache
def keep_freed_memory() -> None:
    """Let what one block has freed serve the next, for the rest of this process.

    The C library of Linux gives freed memory back to the system beyond a limit, twice the size of the largest array
    that it had mapped and saw freed; what is asked for again then comes page by page, which costs as much as reading
    a block does. An array of nearly the largest size that counts (32 MB), never written to, sets that limit.
    """
    np.empty((32 << 20) - (1 << 16), dtype=np.uint8)


def prefetch(items: Iterable[T], ahead: int = 2) -> Iterator[T]:
    """The same items in the same order, made in a thread of their own up to `ahead` in advance.

    An exception in the thread is raised here at its place; leaving early stops the thread.
    >>> list(prefetch(range(3)))
    [0, 1, 2]
    """
    waiting: queue.Queue[tuple[bool, object]] = queue.Queue(maxsize=ahead)
    stop = threading.Event()

    def put(entry: tuple[bool, object]) -> None:
        while not stop.is_set():
            try:
                waiting.put(entry, timeout=0.1)
                return
            except queue.Full:
                continue

    def work() -> None:
        try:
            for item in items:
                put((True, item))
                if stop.is_set():
                    return
            put((False, None))
        except BaseException as error:
            put((False, error))

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    try:
        while True:
            good, item = waiting.get()
            if good:
                yield item  # type: ignore[misc]
            elif isinstance(item, BaseException):
                raise item
            else:
                return
    finally:
        stop.set()
        thread.join()


ROWS_LOOKED_AT = 1 << 15  # rows of a beginning
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
        if self.rows >= ROWS_LOOKED_AT:
            return self
        count = 0 if rank is None else min(rank.size, ROWS_LOOKED_AT)
        if rank is None or not count:
            return self._replace(rows=self.rows + score.size)
        starts = query.slice(0, count).starts()
        segment = np.repeat(np.arange(starts.size), np.diff(starts, append=count))
        found = _count_contradictions(segment, rank[:count], score[:count])
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
        if read >= ROWS_LOOKED_AT:
            break
    found = Contradiction(run.first.queries, run.first.against, run.first.equal)
    return found if 2 * (found.against + found.equal) > found.queries else None


def _count_contradictions(segment: IntArray, rank: FloatArray, score: FloatArray) -> tuple[int, int, int, int]:
    """How many queries have ranks, how many contradict the scores, would contradict negated ones, and have equal ones.

    Ranks that go against the scores count where the lines do not go with the scores: two against one decide.
    """
    order = np.lexsort((rank, segment))
    count, rises, falls = _count_steps(segment[order], score[order], rank[order])
    _, up, down = _count_steps(segment, score, np.arange(rank.size))
    against = (rises > CLEARLY * falls) & (down <= CLEARLY * up)
    backwards = (falls > CLEARLY * rises) & (up <= CLEARLY * down)
    equal = (count > 0) & (rises + falls == 0)
    told = (int(np.count_nonzero(each)) for each in (count, against, backwards, equal))
    return tuple(told)  # type: ignore[return-value]


def _count_steps(
    segment: IntArray, score: FloatArray, place: IntArray | FloatArray
) -> tuple[IntArray, IntArray, IntArray]:
    """For each query, at how many of its rows the place goes on, and at how many of these the score rises and falls."""
    pair = (segment[1:] == segment[:-1]) & (place[1:] > place[:-1])
    query, before, after = segment[1:][pair], score[:-1][pair], score[1:][pair]
    size = int(segment.max(initial=-1)) + 1
    return (
        np.bincount(query, minlength=size),
        np.bincount(query[after > before], minlength=size),
        np.bincount(query[after < before], minlength=size),
    )
