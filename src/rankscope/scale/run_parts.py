"""Parts of a run that are read by themselves: a file, or some rows of a Parquet file."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from rankscope.digests import digest_of
from rankscope.inputs.blocks import RunBlock
from rankscope.inputs.checks import Problems
from rankscope.inputs.formats import parquet
from rankscope.inputs.formats.parquet import PARQUET
from rankscope.inputs.part_files import PartFiles
from rankscope.inputs.part_runs import AlikeParts, format_of_part, part_blocks
from rankscope.inputs.reading import Reading
from rankscope.inputs.remote import is_remote
from rankscope.inputs.run import Run
from rankscope.inputs.sources import Source


@dataclass(frozen=True)
class RunPart:
    """A file by its number, and which of its rows, where not all: the first, and how many."""

    number: int
    digest: str
    rows: tuple[int, int] | None = None

    @property
    def begins_file(self) -> bool:
        """Whether it is the first part of its file."""
        return self.rows is None or self.rows[0] == 0


def parts_of_files(
    files: PartFiles, reading: Reading, about: dict[str, Any], most_rows: int | None = None
) -> list[RunPart]:
    """A part for each file that holds anything; a Parquet file gives parts of about `most_rows`, where it has more.

    `about` is what their results depend on next to the file.
    """
    result = []
    for number, source in enumerate(files.parts):
        for rows in _portions(source, reading, most_rows) if source.size else ():
            own = {"file": files.names[number], "number": number, "stamp": source.stamp, "rows": rows}
            result.append(RunPart(number, digest_of({**about, **own}), rows))
    return result


def _portions(source: Source, reading: Reading, most_rows: int | None) -> list[tuple[int, int] | None]:
    if most_rows is None or is_remote(source.address) or format_of_part(source, reading) != PARQUET.name:
        return [None]
    groups = parquet.groups_of(source)
    return list(parquet.portions(groups, most_rows)) if sum(groups) > most_rows else [None]


def run_of_part(part: RunPart, files: PartFiles, name: str, reading: Reading) -> Run:
    """The rows of one part as a run; lines keep the number of their file."""

    def blocks(run: Run, problems: Problems, rank: bool) -> Iterator[RunBlock]:
        return part_blocks(run, files, part.number, reading, problems, rank, AlikeParts(), part.rows)

    return Run(name, blocks, files.parts[part.number])
