"""One system whose rankings lie in several files: read one behind the other, with the problems of all of them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from rankscope.arrays import Lines
from rankscope.errors import InputError
from rankscope.inputs.blocks import NO_IDS, RunBlock
from rankscope.inputs.checks import Problems, line_in_file
from rankscope.inputs.formats import known, of_file, read_run
from rankscope.inputs.part_files import PartFiles, part_files
from rankscope.inputs.reading import Reading
from rankscope.inputs.run import Run
from rankscope.inputs.sources import Source

SUFFIXES = tuple(suffix for each in known.KNOWN for suffix in each.suffixes)
NAMED_QUERY = "next to each response, one file for each query, or all in one file"
ONE_KIND = "All files of one system must be of one kind."


def run_of_parts(path: str | Path, reading: Reading) -> Run | None:
    """A run from a folder or pattern; None where the path is neither, or a folder with a form of its own."""
    files = files_of(path, reading)
    return None if files is None else run_of_files(files, reading)


def files_of(path: str | Path, reading: Reading) -> PartFiles | None:
    """The files of a folder or pattern; None for a single file, and for a folder that is one collection."""
    if os.path.isdir(path):
        from rankscope.inputs.formats.beir import recognises_folder

        if reading.format == "beir" or recognises_folder(Path(path)):
            return None
    return part_files(path, reading.max_ratio)


def run_of_files(files: PartFiles, reading: Reading) -> Run:
    """A run from several files in their order; every line keeps the number of its file."""

    def blocks(run: Run, problems: Problems, rank: bool) -> Iterator[RunBlock]:
        rows, alike = 0, AlikeParts()
        for number in range(len(files.parts)):
            for block in part_blocks(run, files, number, reading, problems, rank, alike):
                rows += len(block)
                yield block
        if not rows and not problems.any:
            problems.add("", "holds no rankings")

    run = Run(files.stem(SUFFIXES), blocks, files)
    run.ascending = reading.scores == "ascending"
    return run


class AlikeParts:
    """The files of one system must be in one format, and all have scores or none: the first one that is read tells."""

    def __init__(self) -> None:
        self.kinds: dict[str, str] = {}

    def refuse(self, what: str, kind: str, own: Problems) -> bool:
        """Whether a file is of another kind than the first; that is a problem then."""
        usual = self.kinds.setdefault(what, kind)
        if usual != kind:
            own.add("", f"{what} {kind}, where the first file {what} {usual}", ONE_KIND)
        return usual != kind


def part_blocks(
    run: Run,
    files: PartFiles,
    number: int,
    reading: Reading,
    problems: Problems,
    rank: bool,
    alike: AlikeParts,
    rows: tuple[int, int] | None = None,
) -> Iterator[RunBlock]:
    """The rows of one file, with its number in their lines; what is wrong with it is a problem of the whole.

    `rows` are some whole groups of a Parquet file.
    """
    source, name = files.begin(number), "" if files.alone else files.names[number]
    own = Problems(source.name)
    try:
        stamp = source.stamp
        if source.size and not alike.refuse("is", format_of_part(source, reading), own):
            part = read_part(source, reading, rows)
            part = part.negated() if reading.scores == "ascending" else part
            is_first = not run.first.rows
            for block in part.blocks(own, rank):
                run.first = part.first if is_first else run.first
                yield number_rows(block, files.labels, number)
            _refuse_numbers_again(run, part, own)
            note_part(run, part)
            alike.refuse("has", "scores" if part.gives_scores else "an order only", own)
        if source.stamp != stamp:
            own.add("", "changed while it was read", "Evaluate again when nobody writes to it.")
    except InputError as error:
        add_reports(error, own)
    source.release()
    problems.take_over(own, name, number)


def _refuse_numbers_again(run: Run, part: Run, own: Problems) -> None:
    """Queries that are numbered in several files would be one query here."""
    if all(any(note.startswith(NO_IDS) for note in each.notes) for each in (run, part)):
        own.add("", f"{NO_IDS}, and those of another file have the same numbers", f"Give ids: {NAMED_QUERY}.")


def note_part(run: Run, part: Run) -> None:
    """What is known of a run once one of its files has been read; the name of a file is no tag."""
    run.gives_scores = run.gives_scores and part.gives_scores
    run.notes |= part.notes
    run.tag = run.name if part.tag == part.name else part.tag or run.tag


def read_part(source: Source, reading: Reading, rows: tuple[int, int] | None = None) -> Run:
    """One of several files, or some rows of it, which may hold nothing."""
    if rows is None:
        part = read_run(source, reading)
    else:
        from rankscope.inputs.formats.parquet import PARQUET

        part = PARQUET.read_run(source, reading.only_for("score"), rows)
    part.is_part = True
    return part


def format_of_part(source: Source, reading: Reading) -> str:
    """The format of one of several files: given, or recognised."""
    return reading.format or of_file(source, reading.encoding).name


def unlike_files(files: PartFiles, reading: Reading) -> Problems:
    """The files that cannot be opened, or are not in the format of the others; all of them, before any is read."""
    problems, alike = Problems(files.name), AlikeParts()
    for number, source in enumerate(files.parts):
        own = Problems(source.name)
        try:
            if source.stamp[0]:
                alike.refuse("is", format_of_part(source, reading), own)
        except InputError as error:
            add_reports(error, own)
        problems.take_over(own, "" if files.alone else files.names[number], number)
    return problems


def add_reports(error: InputError, own: Problems) -> None:
    """What reading has raised, unless it raised the problems that are known already."""
    for report in error.reports if not own.any else ():
        for problem in report.problems:
            own.add(problem.place, problem.what, report.advice)


def number_rows(block: RunBlock, names: tuple[str, ...], number: int) -> RunBlock:
    """Rows that know which of several files they stand in."""
    return replace(block, rows=replace(block.rows, line=_shifted(block.rows.line, number), files=names))


def _shifted(lines: Lines, number: int) -> Lines:
    shift = line_in_file(number, 0)
    if isinstance(lines, range):
        return range(lines.start + shift, lines.stop + shift)
    return lines + shift
