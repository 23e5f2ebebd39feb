"""What the parts of a reduction need to know, which rows each reads, and the work on one, wherever it runs.

A file is reduced, or shared out to buckets, and a bucket is reduced. Buckets hold whole queries and fit into memory:
rows are written as they come, in the order they came, and read back bucket by bucket. Which bucket a query belongs to
depends on its id alone.
"""

from __future__ import annotations

import hashlib
import io
import json
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import polars as pl

from rankscope.core.arrays import IntArray
from rankscope.core.digests import digest_of
from rankscope.core.errors import InputError, Problem
from rankscope.core.files import atomic, made_folder
from rankscope.inputs.formats import columnar
from rankscope.inputs.formats.columnar import PARQUET
from rankscope.inputs.parts import AlikeParts, PartFiles, format_of_part, part_blocks
from rankscope.inputs.problems import Problems
from rankscope.inputs.qrels import JudgedItems
from rankscope.inputs.reading import Reading
from rankscope.inputs.remote import is_remote
from rankscope.inputs.run import Run
from rankscope.inputs.run_rows import RunBlock, RunRows, line_numbers
from rankscope.inputs.sources import Source
from rankscope.inputs.tables import SeriesIds, as_series
from rankscope.ranks.query_blocks import QueryNumbers, Scattered, gather_rows
from rankscope.ranks.reduction import Found, collect_rows
from rankscope.ranks.relevant_ranks import FIXED_BY_REDUCTION, JudgementsInShort, RelevantRanks
from rankscope.ranks.storage import about_ranks, ranks_from_frame, ranks_to_frame, read_frame, write_frame
from rankscope.version import __version__


@dataclass(frozen=True)
class ReductionPlan:
    """The same for all parts; it travels to wherever they are worked on."""

    files: PartFiles
    name: str  # of the system
    reading: Reading
    nothing: Found  # a reduction that has not begun: what is judged, and the settings
    qrels: JudgementsInShort
    rows_in_memory: int  # so many may be gathered at once
    with_digest: bool = True
    folder: Path = Path()  # where buckets lie
    buckets: int = 0

    def found(self) -> Found:
        """A reduction that has not begun, for one part."""
        return self.nothing.fresh()

    @property
    def judged(self) -> JudgedItems:
        assert isinstance(self.nothing.judged, JudgedItems)
        return self.nothing.judged

    @property
    def place(self) -> str:
        """What messages call the run."""
        return self.files.name

    def about(self, work: str) -> dict[str, Any]:
        """What the result of any part depends on in addition to its own rows."""
        found = self.nothing
        junk = "" if found.junk is None else digest_of_judged(found.junk)
        return {
            "work": work,
            "version": __version__,
            "judged": digest_of_judged(self.judged),
            "junk": junk,
            "settings": {name: getattr(found.settings, name) for name in (*FIXED_BY_REDUCTION, "collection_size")},
            "reading": [self.reading.format, self.reading.encoding, self.reading.comments, self.reading.scores],
            "keep_scores": found.keep_scores,
            "digest": self.with_digest,
            "buckets": self.buckets,
        }


def digest_of_judged(judged: JudgedItems) -> str:
    """A name for judgements, from the ids and grades in them."""
    sha = hashlib.sha256("\n".join(judged.queries).encode("utf-8", "surrogatepass"))
    item = judged.item.kept()
    for column in (item.buffer, item.length, judged.offsets, judged.grade):
        sha.update(np.ascontiguousarray(column).data)
    return sha.hexdigest()


@dataclass(frozen=True)
class RunPart:
    """A file by its number, and which of its rows, where not all: the first, and how many."""

    number: int
    digest: str
    rows: tuple[int, int] | None = None

    @property
    def begins_file(self) -> bool:
        return self.rows is None or self.rows[0] == 0


def parts_of_files(
    files: PartFiles, reading: Reading, about: dict[str, Any], most_rows: int | None = None
) -> list[RunPart]:
    """A part for each file that holds anything; a Parquet file gives parts of about `most_rows`, where it has more.

    `about` is what their results depend on next to the file.
    """
    result = []
    for number, source in enumerate(files.parts):
        for rows in _portions_of_file(source, reading, most_rows) if source.size else ():
            own = {"file": files.names[number], "number": number, "stamp": source.stamp, "rows": rows}
            result.append(RunPart(number, digest_of({**about, **own}), rows))
    return result


def _portions_of_file(source: Source, reading: Reading, most_rows: int | None) -> list[tuple[int, int] | None]:
    if most_rows is None or is_remote(source.address) or format_of_part(source, reading) != PARQUET.name:
        return [None]
    groups = columnar.groups_of(source)
    return list(columnar.group_portions(groups, most_rows)) if sum(groups) > most_rows else [None]


def run_of_part(part: RunPart, files: PartFiles, name: str, reading: Reading) -> Run:
    """The rows of one part as a run; lines keep the number of their file."""

    def blocks(run: Run, problems: Problems, rank: bool) -> Iterator[RunBlock]:
        return part_blocks(run, files, part.number, reading, problems, rank, AlikeParts(), part.rows)

    return Run(name, blocks, files.parts[part.number])


@dataclass
class PartFacts:
    """What is known of rows that were read: how many, their tag, whether they have scores, and what is wrong."""

    problems: Problems
    rows: int = 0
    tag: str = ""
    gives_scores: bool = True
    file: tuple[int, str] | None = None  # number and name of the file that was read
    occur: bool = False  # as `Found` has it
    digests: dict[str, tuple[int, str]] = field(default_factory=dict)  # size and SHA-256 of files read whole, by name

    def to_data(self) -> dict[str, Any]:
        return {**asdict(self), "problems": problems_to_data(self.problems)}

    @classmethod
    def from_data(cls, data: dict[str, Any]) -> PartFacts:
        digests = {name: (int(size), str(digest)) for name, (size, digest) in data["digests"].items()}
        file = None if data["file"] is None else tuple(data["file"])
        return cls(**{**data, "problems": problems_from_data(data["problems"]), "digests": digests, "file": file})

    @classmethod
    def join(cls, parts: Iterable[PartFacts], place: str) -> PartFacts:
        whole = cls(Problems(place))
        for part in parts:
            whole.problems.take_over(part.problems)
            whole.rows += part.rows
            whole.tag = part.tag or whole.tag
            whole.gives_scores = whole.gives_scores and part.gives_scores
            whole.occur = whole.occur or part.occur
            whole.digests |= part.digests
        return whole


@dataclass
class ReadRun:
    """A run, or a part of one, that has been read, as the reduction speaks of it."""

    name: str
    place: str
    tag: str
    gives_scores: bool
    digest: str = ""


def problems_to_data(problems: Problems) -> dict[str, Any]:
    listed = {
        name: [[order, each.place, each.what] for order, each in getattr(problems, name)]
        for name in ("kept", "followers")
    }
    alike = {what: [count, order, first.place, first.what] for what, (count, order, first) in problems.alike.items()}
    return {**listed, "source": problems.source, "advice": problems.advice} | {
        "count": problems.count,
        "following": problems.following,
        "alike": alike,
    }


def problems_from_data(data: dict[str, Any]) -> Problems:
    """Problems from what `problems_to_data` gave.

    >>> problems = Problems("bm25.run")
    >>> problems.add("line 3", "is bad", order=3)
    >>> problems.add_alike("duplicates", "query q1", "item 'a'", order=4)
    >>> problems_from_data(problems_to_data(problems)) == problems
    True
    """
    listed = {
        name: [(order, Problem(place, what)) for order, place, what in data[name]] for name in ("kept", "followers")
    }
    alike = {
        what: (count, order, Problem(place, first)) for what, (count, order, place, first) in data["alike"].items()
    }
    return Problems(**{**data, **listed, "alike": alike})


@dataclass
class PartRanks:
    """The ranks of the judged queries among the rows of a part, and the facts about them.

    `scattered`: queries were not whole and too many rows to be gathered, so that nothing was ranked.
    """

    ranks: RelevantRanks | None
    facts: PartFacts
    scattered: bool = False

    def to_bytes(self) -> bytes:
        """As a Parquet file; equal results give equal bytes."""
        file = io.BytesIO()
        self.write(file)
        return file.getvalue()

    def write(self, file: BinaryIO) -> None:
        own = {"part": self.facts.to_data(), "scattered": self.scattered}
        if self.ranks is None:
            write_frame(pl.DataFrame({"query": pl.Series([], dtype=pl.String)}), own, file)
        else:
            write_frame(ranks_to_frame(self.ranks), {**about_ranks(self.ranks), **own}, file)

    @classmethod
    def from_bytes(cls, data: bytes) -> PartRanks:
        """From what `to_bytes` gave; a damaged file is an `InputError`."""
        frame, about = read_frame(data, Problems("part"))
        ranks = ranks_from_frame(frame, about) if "schema" in about else None
        return cls(ranks, PartFacts.from_data(about["part"]), about["scattered"])


class RanksForm:
    """Results of parts in files; what cannot be read counts as not there."""

    suffix = ".parquet"

    def read(self, file: Path) -> PartRanks | None:
        """The result in a file; None where there is none that is whole."""
        try:
            return PartRanks.from_bytes(file.read_bytes())
        except (OSError, InputError, ValueError, KeyError, TypeError, AttributeError, pl.exceptions.PolarsError):
            return None

    def write(self, result: PartRanks, stream: BinaryIO) -> None:
        result.write(stream)


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
            frame = columnar.read_frame(path)
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
