"""The work on a part, wherever it runs: a file reduced, a file shared out to buckets, a bucket reduced.

Buckets hold whole queries and fit into memory: rows are written as they come, in the order they came, and read back
bucket by bucket. Which bucket a query belongs to depends on its id alone.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import polars as pl

from rankscope.core.arrays import IntArray
from rankscope.core.errors import InputError
from rankscope.core.files import atomic, made_folder
from rankscope.inputs.formats.columnar import read_frame
from rankscope.inputs.problems import Problems
from rankscope.inputs.run import Run
from rankscope.inputs.run_rows import RunBlock, RunRows, line_numbers
from rankscope.inputs.tables import SeriesIds, as_series
from rankscope.ranks.parts.plan import PartFacts, PartRanks, ReadRun, ReductionPlan, RunPart, run_of_part
from rankscope.ranks.query_blocks import QueryNumbers, Scattered, gather_rows
from rankscope.ranks.reduction import Found, collect_rows

WAITING = 256 << 20  # bytes of rows that wait to be written


def reduce_file(plan: ReductionPlan, part: RunPart) -> PartRanks:
    """The ranks of a file in which every query is whole; where it is not, rows are gathered if there are few enough."""
    run = run_of_part(part, plan.files, plan.name, plan.reading)
    found, read = plan.found(), 0

    def counted(of: Run, problems: Any, rank: bool) -> Iterator[RunBlock]:
        nonlocal read
        for block in run.blocks(problems, rank):
            read += len(block)
            yield block

    try:
        found = collect_rows(found, Run(run.name, counted, run.source), gathers=False)
    except Scattered:
        if read > plan.rows_in_memory:
            return PartRanks(None, PartFacts(Problems(plan.place)), scattered=True)
        found = plan.found()
        for whole in gather_rows(run.blocks(found.problems, rank=found.settings.ties == "rank")):
            found.add(whole)
    return _ranks_of(plan, found, facts_of(plan, part, run, found))


def facts_of(plan: ReductionPlan, part: RunPart, run: Run, found: Found) -> PartFacts:
    """What is known of a file, or of some of its rows, once they have been read."""
    source, name = plan.files.parts[part.number], plan.files.names[part.number]
    whole = plan.with_digest and part.begins_file
    return PartFacts(
        problems=found.problems,
        rows=found.returned,
        tag=run.tag,
        gives_scores=run.gives_scores,
        file=(part.number, name),
        occur=found.occur,
        digests={name: (source.size, source.digest)} if whole else {},
    )


def _ranks_of(plan: ReductionPlan, found: Found, facts: PartFacts) -> PartRanks:
    rows = np.sort(np.fromiter(found.rows_of_query, np.int64, len(found.rows_of_query)))
    part = ReadRun(plan.name, plan.name, facts.tag, facts.gives_scores)  # joining says what holds of the whole run
    return PartRanks(found.assembled(part, plan.qrels, rows), facts)


@dataclass
class SharedOut:
    """The files to which a part of the rows was shared out, by bucket, and how many rows each bucket got."""

    files: list[list[str]]
    rows: list[int]
    facts: PartFacts
    word: str


def share_out(plan: ReductionPlan, part: RunPart) -> SharedOut:
    """Write the rows of a part to the buckets of their queries."""
    run = run_of_part(part, plan.files, plan.name, plan.reading)
    found = plan.found()
    writer = BucketWriter(plan.folder / part.digest, plan.buckets, WAITING)
    words = ["row"]

    def noted(blocks: Iterable[RunBlock]) -> Iterator[RunBlock]:
        for block in blocks:
            words[0] = block.rows.word
            yield block

    writer.write(noted(run.blocks(found.problems, rank=found.settings.ties == "rank")))
    found.returned = sum(writer.rows)
    return SharedOut(writer.files, writer.rows, facts_of(plan, part, run, found), words[0])


class SharedForm:
    """What was shared out, in a file that is written when all of it is."""

    suffix = ".json"

    def read(self, file: Path) -> SharedOut | None:
        """What was shared out; None where that is not known, or a file of it is gone."""
        try:
            data = json.loads(file.read_text(encoding="utf-8"))
            shared = SharedOut(**{**data, "facts": PartFacts.from_data(data["facts"])})
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            return None
        folder = file.parent / file.stem
        return shared if all((folder / name).is_file() for names in shared.files for name in names) else None

    def write(self, result: SharedOut, stream: BinaryIO) -> None:
        data = {"files": result.files, "rows": result.rows, "facts": result.facts.to_data(), "word": result.word}
        stream.write(json.dumps(data, sort_keys=True).encode())


@dataclass(frozen=True)
class BucketFiles:
    """One bucket: its files, in the order of the parts they came from."""

    number: int
    digest: str
    files: tuple[Path, ...]
    word: str


def reduce_bucket(plan: ReductionPlan, bucket: BucketFiles) -> PartRanks:
    found = plan.found()
    for whole in gather_rows(read_bucket(bucket.files, plan.files.labels, bucket.word)):
        found.add(whole)
    return _ranks_of(plan, found, PartFacts(found.problems, found.returned, occur=found.occur))


# Buckets: the rows of a run shared out by their query, so that each bucket holds whole queries and fits into memory.

ROW_BYTES = 90  # of a row that waits to be written
BUCKET_SUFFIX = ".parquet"
MAKE_ANEW = "Run the command again: it makes this part anew."


def bucket_of(query: str, count: int) -> int:
    """Which of so many buckets a query belongs to, on every machine.

    >>> bucket_of("q1", 4), bucket_of("q2", 4)
    (2, 0)
    """
    return zlib.crc32(query.encode("utf-8", "surrogatepass")) % count


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
        numbers, buckets = QueryNumbers(), np.empty(0, dtype=np.int64)  # each query is hashed once
        for block in blocks:
            number = numbers.of(block.query)
            new = [bucket_of(query, self.count) for query in numbers.queries[buckets.size :]]
            buckets = np.concatenate([buckets, np.array(new, dtype=np.int64)])
            self._add(frame_of_block(block), buckets[number])
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
                name = f"b{number:04}-{len(self.files[number]):05}{BUCKET_SUFFIX}"
                with atomic(self.folder / name, "wb") as file:
                    pl.concat(pieces).write_parquet(file, compression="lz4", statistics=False)
                self.files[number].append(name)
                pieces.clear()
        self._held = 0


def frame_of_block(block: RunBlock) -> pl.DataFrame:
    columns = {
        "query": as_series(block.query),
        "item": as_series(block.rows.item),
        "score": pl.Series(block.rows.score),
        "line": pl.Series(line_numbers(block.rows.line)),
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
            raise InputError.of(str(path), ["a finished part was damaged or removed"], MAKE_ANEW) from None
        yield block_of_frame(frame, files, word)


def block_of_frame(frame: pl.DataFrame, files: tuple[str, ...] = (), word: str = "row") -> RunBlock:
    rows = RunRows(
        item=SeriesIds(frame.get_column("item").rechunk()),
        score=frame.get_column("score").to_numpy(),
        line=frame.get_column("line").to_numpy(),
        rank=frame.get_column("rank").to_numpy() if "rank" in frame.columns else None,
        word=word,
        files=files,
    )
    return RunBlock(SeriesIds(frame.get_column("query").rechunk()), rows)
