"""What the parts of a reduction are: what all of them need to know, which rows each reads, and what comes of each."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import polars as pl

from rankscope.core.digests import digest_of
from rankscope.core.errors import InputError, Problem
from rankscope.inputs.formats import columnar
from rankscope.inputs.formats.columnar import PARQUET
from rankscope.inputs.parts import AlikeParts, PartFiles, format_of_part, part_blocks
from rankscope.inputs.problems import Problems
from rankscope.inputs.qrels import JudgedItems
from rankscope.inputs.reading import Reading
from rankscope.inputs.remote import is_remote
from rankscope.inputs.run import Run
from rankscope.inputs.run_rows import RunBlock
from rankscope.inputs.sources import Source
from rankscope.ranks.reduction import Found
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
