"""Buckets: the rows of a run shared out by their query, so that each bucket holds whole queries and fits into memory.

Rows are written as they come, in the order they came, and read back bucket by bucket. Which bucket a query belongs to
depends on its id alone.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import polars as pl

from rankscope.arrays import IntArray
from rankscope.errors import InputError
from rankscope.files import atomic, made_folder
from rankscope.inputs.blocks import RunBlock, RunRows, numbers_of
from rankscope.inputs.formats.frames import read_frame
from rankscope.inputs.series_ids import SeriesIds, as_series
from rankscope.ranks.query_numbers import QueryNumbers

ROW_BYTES = 90  # of a row that waits to be written
SUFFIX = ".parquet"
AGAIN = "Run the command again: it makes this part anew."


def bucket_of(query: str, count: int) -> int:
    """Which of so many buckets a query belongs to, on every machine.

    >>> bucket_of("q1", 4), bucket_of("q2", 4)
    (2, 0)
    """
    return zlib.crc32(query.encode("utf-8", "surrogatepass")) % count


@dataclass
class BucketNumbers:
    """The bucket of each row's query; each query is hashed once."""

    count: int
    numbers: QueryNumbers = field(default_factory=QueryNumbers)
    known: IntArray = field(default_factory=lambda: np.empty(0, dtype=np.int64))

    def of(self, block: RunBlock) -> IntArray:
        """The bucket of each row."""
        number = self.numbers.of(block.query)
        if new := [bucket_of(query, self.count) for query in self.numbers.queries[self.known.size :]]:
            self.known = np.concatenate([self.known, np.array(new, dtype=np.int64)])
        return self.known[number]


@dataclass
class BucketWriter:
    """Rows that wait in memory, and the files of each bucket written so far; at most `waiting` bytes wait."""

    folder: Path
    count: int
    waiting: int
    files: list[list[str]] = field(init=False)
    rows: list[int] = field(init=False)
    _pieces: list[list[pl.DataFrame]] = field(init=False)
    _held: int = 0

    def __post_init__(self) -> None:
        made_folder(self.folder)
        self.files = [[] for _ in range(self.count)]
        self.rows = [0] * self.count
        self._pieces = [[] for _ in range(self.count)]

    def write(self, blocks: Iterable[RunBlock]) -> None:
        """All rows of these blocks, in their order."""
        numbers = BucketNumbers(self.count)
        for block in blocks:
            self._add(frame_of_block(block), numbers.of(block))
            self._held += len(block)
            if self._held * ROW_BYTES > self.waiting:
                self._flush()
        self._flush()

    def _add(self, frame: pl.DataFrame, bucket: IntArray) -> None:
        order = np.argsort(bucket.astype(np.uint16), kind="stable")
        ends = np.cumsum(np.bincount(bucket, minlength=self.count))
        together = frame[order]
        for number, (start, end) in enumerate(zip([0, *ends[:-1].tolist()], ends.tolist(), strict=True)):
            if end > start:
                self._pieces[number].append(together[start:end])
                self.rows[number] += end - start

    def _flush(self) -> None:
        for number, pieces in enumerate(self._pieces):
            if pieces:
                name = f"b{number:04}-{len(self.files[number]):05}{SUFFIX}"
                with atomic(self.folder / name, "wb") as file:
                    pl.concat(pieces).write_parquet(file, compression="lz4", statistics=False)
                self.files[number].append(name)
                pieces.clear()
        self._held = 0


def frame_of_block(block: RunBlock) -> pl.DataFrame:
    """Rows as a bucket holds them."""
    columns = {
        "query": as_series(block.query),
        "item": as_series(block.rows.item),
        "score": pl.Series(block.rows.score),
        "line": pl.Series(numbers_of(block.rows.line)),
    }
    if block.rows.rank is not None:
        columns["rank"] = pl.Series(block.rows.rank)
    return pl.DataFrame(columns)


def read_bucket(paths: Sequence[Path], files: tuple[str, ...], word: str) -> Iterator[RunBlock]:
    """The rows of a bucket, in the order in which they were written; a damaged file is removed, to be made anew."""
    for path in paths:
        try:
            frame = read_frame(path)
        except InputError:
            path.unlink(missing_ok=True)
            raise InputError.of(str(path), ["a finished part was damaged or removed"], AGAIN) from None
        yield block_of_frame(frame, files, word)


def block_of_frame(frame: pl.DataFrame, files: tuple[str, ...] = (), word: str = "row") -> RunBlock:
    """Rows from what `frame_of_block` gave."""
    rows = RunRows(
        item=SeriesIds(frame.get_column("item").rechunk()),
        score=frame.get_column("score").to_numpy(),
        line=frame.get_column("line").to_numpy(),
        rank=frame.get_column("rank").to_numpy() if "rank" in frame.columns else None,
        word=word,
        files=files,
    )
    return RunBlock(SeriesIds(frame.get_column("query").rechunk()), rows)
