"""The work on a part, wherever it runs: a file reduced, a file shared out to buckets, a bucket reduced."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from rankscope.inputs.blocks import RunBlock
from rankscope.inputs.run import Run
from rankscope.ranks.found import Found
from rankscope.ranks.grouping import Scattered, gather_rows
from rankscope.ranks.reduce import collect_rows
from rankscope.scale.buckets import BucketWriter, read_bucket
from rankscope.scale.part_ranks import PartFacts, PartRanks
from rankscope.scale.plan import ReductionPlan, problems_of
from rankscope.scale.run_parts import RunPart, run_of_part

WAITING = 256 << 20  # bytes of rows that wait to be written


def reduce_file(plan: ReductionPlan, part: RunPart) -> PartRanks:
    """The ranks of a file in which every query is whole; where it is not, rows are gathered if there are few enough."""
    run = run_of_part(part, plan.files, plan.name, plan.reading)
    found = plan.found()
    counted = _Counted(run)
    try:
        found = collect_rows(found, counted.run, gathers=False)
    except Scattered:
        if counted.rows > plan.rows_in_memory:
            return PartRanks(None, PartFacts(problems_of(plan)), scattered=True)
        found = _gathered(plan, run)
    return _ranks_of(plan, found, facts_of(plan, part, run, found))


class _Counted:
    """A run whose rows are counted while they are read."""

    def __init__(self, run: Run) -> None:
        self.rows = 0

        def blocks(counted: Run, problems: Any, rank: bool) -> Iterator[RunBlock]:
            for block in run.blocks(problems, rank):
                self.rows += len(block)
                yield block

        self.run = Run(run.name, blocks, run.source)


def _gathered(plan: ReductionPlan, run: Run) -> Found:
    found = plan.found()
    rows = run.blocks(found.problems, rank=found.settings.ties == "rank")
    for whole in gather_rows(rows):
        found.add(whole)
    return found


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
    """The ranks of the judged queries that were found."""
    rows = np.sort(np.fromiter(found.rows_of_query, np.int64, len(found.rows_of_query)))
    return PartRanks(found.assembled(_Facts(plan.name, facts), plan.qrels, rows), facts)


class _Facts:
    """A part as the assembly wants to know it; what is said of the whole run is said in the end."""

    digest = ""

    def __init__(self, name: str, facts: PartFacts) -> None:
        self.name, self.place, self.tag, self.gives_scores = name, name, facts.tag, facts.gives_scores


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
        """Write what was shared out."""
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
    """The ranks of the queries of a bucket."""
    found = plan.found()
    for whole in gather_rows(read_bucket(bucket.files, plan.files.labels, bucket.word)):
        found.add(whole)
    facts = PartFacts(found.problems, found.returned, occur=found.occur)
    return _ranks_of(plan, found, facts)
