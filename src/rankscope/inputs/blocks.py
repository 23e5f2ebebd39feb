"""A run on its way to the reduction: blocks of rows, made in the background while the one before is worked on."""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import TypeVar

import numpy as np

from rankscope.arrays import FloatArray, IntArray, Lines
from rankscope.inputs.checks import place_of_line
from rankscope.inputs.id_columns import IdColumn, join_columns

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
            line=numbers_of(self.line)[rows],
            rank=None if self.rank is None else self.rank[rows],
            word=self.word,
            files=self.files,
        )

    def place(self, row: int) -> str:
        """Where a row stood: `line 17`, or `part-3.parquet, row 17`."""
        return place_of_line(int(self.line[row]), self.word, self.files)

    def places(self, one: int, other: int) -> str:
        """Where two rows stood."""
        if self.files:
            return f"{self.place(one)} and {self.place(other)}"
        return f"{self.word}s {self.line[one]} and {self.line[other]}"

    @staticmethod
    def join(parts: Sequence[RunRows]) -> RunRows:
        """Several as one."""
        if len(parts) == 1:
            return parts[0]
        ranks = [part.rank for part in parts if part.rank is not None]
        return RunRows(
            item=join_columns([part.item for part in parts]),
            score=np.concatenate([part.score for part in parts]),
            line=_joined([part.line for part in parts]),
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
        """Several blocks as one."""
        if len(blocks) == 1:
            return blocks[0]
        query = join_columns([block.query for block in blocks])
        return RunBlock(query, RunRows.join([block.rows for block in blocks]))


def numbers_of(lines: Lines) -> IntArray:
    """Line numbers as an array."""
    return np.arange(lines.start, lines.stop, dtype=np.int64) if isinstance(lines, range) else lines


def as_range(lines: IntArray) -> Lines:
    """Line numbers as a range, if none is left out.

    >>> as_range(np.array([3, 4, 5])), as_range(np.array([3, 5]))
    (range(3, 6), array([3, 5]))
    """
    first, last = (int(lines[0]), int(lines[-1])) if lines.size else (0, -1)
    return range(first, last + 1) if last - first + 1 == lines.size else lines


def _joined(parts: list[Lines]) -> Lines:
    ranges = [part for part in parts if isinstance(part, range)]
    if len(ranges) == len(parts) and all(one.stop == other.start for one, other in pairwise(ranges)):
        return range(ranges[0].start, ranges[-1].stop)
    return np.concatenate([numbers_of(part) for part in parts])


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
