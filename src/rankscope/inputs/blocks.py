"""A run on its way to the reduction: blocks of rows, made in the background while the one before is worked on."""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeAlias, TypeVar

import numpy as np
import polars as pl

from rankscope.arrays import FloatArray, IntArray

T = TypeVar("T")
Lines: TypeAlias = IntArray | range


@dataclass(frozen=True)
class RunBlock:
    """Rows of a run as columns: ids, scores, the line each came from, and the rank column where it was asked for.

    `word` is what `line` counts: lines of a text file or rows of a table. Where no line was left out, `line` is a
    range, which costs nothing.
    """

    query: pl.Series
    item: pl.Series
    score: FloatArray
    line: Lines
    rank: IntArray | None = None
    word: str = "line"

    def __len__(self) -> int:
        return len(self.query)

    def slice(self, start: int, stop: int) -> RunBlock:
        """Rows from `start` up to `stop`."""
        return RunBlock(
            query=self.query.slice(start, stop - start),
            item=self.item.slice(start, stop - start),
            score=self.score[start:stop],
            line=self.line[start:stop],
            rank=None if self.rank is None else self.rank[start:stop],
            word=self.word,
        )

    def take(self, rows: IntArray) -> RunBlock:
        """Some rows, in the order given."""
        return RunBlock(
            query=self.query.gather(rows),
            item=self.item.gather(rows),
            score=self.score[rows],
            line=numbers_of(self.line)[rows],
            rank=None if self.rank is None else self.rank[rows],
            word=self.word,
        )

    @staticmethod
    def join(blocks: list[RunBlock]) -> RunBlock:
        """Several blocks as one."""
        if len(blocks) == 1:
            return blocks[0]
        ranks = [block.rank for block in blocks if block.rank is not None]
        return RunBlock(
            query=pl.concat([block.query for block in blocks]),
            item=pl.concat([block.item for block in blocks]),
            score=np.concatenate([block.score for block in blocks]),
            line=_joined([block.line for block in blocks]),
            rank=np.concatenate(ranks) if len(ranks) == len(blocks) else None,
            word=blocks[0].word,
        )


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
