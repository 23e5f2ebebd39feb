"""Several files that are one input, a folder of parts or a quoted pattern: one system, or judgements, in many parts.

Files are taken in byte order of their names below the folder. Names that begin with a dot or an underscore are notes
of the programs that wrote the folder (`_SUCCESS`, `.part-0.crc`) and are passed over. Every line keeps the number of
its file, and the problems of all files are told together.
"""

from __future__ import annotations

import glob
import hashlib
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from rankscope.core.errors import InputError
from rankscope.core.names import name_of, one_line, visible
from rankscope.inputs.formats import registry
from rankscope.inputs.formats.registry import format_of_file, read_qrels, read_run
from rankscope.inputs.problems import Problems, line_in_file
from rankscope.inputs.qrels import Qrels
from rankscope.inputs.reading import Reading
from rankscope.inputs.remote import is_remote, remote_files, shown_address
from rankscope.inputs.run import Run
from rankscope.inputs.run_rows import NO_IDS, RunBlock
from rankscope.inputs.sources import MAX_RATIO, Source, without_suffix

PATTERN_SIGNS = ("*", "?", "[")


@dataclass
class PartFiles:
    """The files in their order; it answers what a `Source` answers about a single one.

    >>> PartFiles("runs/bm25-*.parquet", (Source("runs/bm25-0.parquet"),), ("bm25-0.parquet",)).name
    'bm25-*.parquet'
    """

    path: str
    parts: tuple[Source, ...]
    names: tuple[str, ...]
    alone: bool = False  # a single file, whose lines need no name in front
    _reading: int = field(default=0, init=False, repr=False)

    @property
    def name(self) -> str:
        """What messages and provenance call all of them."""
        return _name_of_files(self.address)

    def stem(self, suffixes: Sequence[str] = ()) -> str:
        """A system's name: that of the folder, or what stands before the first sign of a pattern.

        >>> PartFiles("runs/bm25-*.parquet", (), ()).stem(), PartFiles("runs/dense/*.gz", (), ()).stem()
        ('bm25', 'dense')
        """
        if not is_pattern(self.path):
            return without_suffix(self.name if is_remote(self.path) else name_of(os.path.abspath(self.path)), suffixes)
        name = name_of(self.address)
        fixed = name[: min((name.find(sign) for sign in PATTERN_SIGNS if sign in name), default=0)]
        return fixed.rstrip("-_.=") or name_of(_fixed_folder(self.path)) or "run"

    @property
    def address(self) -> str:
        """Where they are, in words that tell them apart from others."""
        return shown_address(self.path) if is_remote(self.path) else self.path

    @property
    def digest(self) -> str:
        """SHA-256 of the lines `name size sha256` of all files."""
        return digest_of_files(
            [(name, each.size, each.digest) for name, each in zip(self.names, self.parts, strict=True)]
        )

    @classmethod
    def of_one(cls, source: Source) -> PartFiles:
        """A single file as the only one."""
        return cls(source.address, (source,), (source.name,), alone=True)

    @property
    def labels(self) -> tuple[str, ...]:
        """What stands before the lines of each file in messages: nothing where there is only one."""
        return () if self.alone else self.names

    @property
    def size(self) -> int:
        return sum(each.size for each in self.parts)

    @property
    def share(self) -> float:
        """How much of the files has been read, from 0 to 1."""
        if not self.parts:
            return 1.0
        return (self._reading + self.parts[self._reading].share) / len(self.parts)

    def begin(self, number: int) -> Source:
        """The file that is being read from now on."""
        self._reading = number
        return self.parts[number]


def digest_of_files(files: Sequence[tuple[str, int, str]]) -> str:
    """The digest of several files, from the name, size and digest of each, in byte order of names.

    >>> digest_of_files([("b", 1, "0f"), ("a", 2, "ff")]) == hashlib.sha256(b"a 2 ff\\nb 1 0f\\n").hexdigest()
    True
    """
    lines = sorted((os.fsencode(name), size, digest) for name, size, digest in files)
    text = b"".join(name + f" {size} {digest}\n".encode() for name, size, digest in lines)
    return hashlib.sha256(text).hexdigest()


def is_pattern(path: str | Path) -> bool:
    """Whether a path is the pattern of several files, and not the name of one.

    >>> is_pattern("runs/bm25-*.parquet"), is_pattern("bm25.run")
    (True, False)
    """
    text = str(path)
    return any(sign in text for sign in PATTERN_SIGNS) and not os.path.lexists(text)


def part_files(path: str | Path, max_ratio: float = MAX_RATIO) -> PartFiles | None:
    """The files of a folder or pattern; None where the path is a single file. Where there is none, an `InputError`."""
    text = str(path)
    if is_remote(text):
        return _remote_part_files(text, max_ratio)
    if is_pattern(text):
        found, folder = sorted(glob.glob(text, recursive=True)), _fixed_folder(text)
    elif text != "-" and os.path.isdir(text):
        found, folder = [os.path.join(top, name) for top, _, names in os.walk(text) for name in names], text
    else:
        return None
    named = sorted((os.fsencode(os.path.relpath(each, folder)), each) for each in found if os.path.isfile(each))
    kept = [(os.fsdecode(name), each) for name, each in named if not _is_note(os.fsdecode(name))]
    if not kept:
        what = "no file fits this pattern" if is_pattern(text) else "is a folder without files (nor a qrels/test.tsv)"
        raise InputError.of(_name_of_files(text), [what], f"Looked for {visible(text)}")
    sources = tuple(Source(each, max_ratio=max_ratio) for _, each in kept)
    return PartFiles(text, sources, tuple(one_line(name) for name, _ in kept))


def _name_of_files(path: str) -> str:
    """The last part of a path, with the folder before it where it begins like a pattern.

    >>> _name_of_files("runs/bm25"), _name_of_files("runs/bm25/*.run")
    ('bm25', 'bm25/*.run')
    """
    name = name_of(path.rstrip("/")) or "."
    folder = name_of(os.path.dirname(path.rstrip("/")))
    return f"{folder}/{name}" if name.startswith(PATTERN_SIGNS) and folder else name


def _remote_part_files(url: str, max_ratio: float) -> PartFiles | None:
    found = remote_files(url, max_ratio)
    if found is None:
        return None
    kept = sorted((pair for pair in found if not _is_note(pair[0])), key=lambda pair: os.fsencode(pair[0]))
    if not kept:
        raise InputError.of(shown_address(url), ["no file fits this address"])
    return PartFiles(url, tuple(source for _, source in kept), tuple(one_line(name) for name, _ in kept))


def _is_note(name: str) -> bool:
    return any(part.startswith((".", "_")) for part in name.split(os.sep))


def _fixed_folder(pattern: str) -> str:
    """The folders before the first sign of a pattern."""
    shown = shown_address(pattern) if is_remote(pattern) else pattern
    before = shown[: min(shown.find(sign) for sign in PATTERN_SIGNS if sign in shown)]
    return os.path.dirname(before) or "."


# One system whose rankings lie in several files: read one behind the other, with the problems of all of them.

RUN_SUFFIXES = tuple(suffix for each in registry.KNOWN for suffix in each.suffixes)
NAMED_QUERY = "next to each response, one file for each query, or all in one file"
ONE_KIND = "All files of one system must be of one kind."


def run_of_parts(path: str | Path, reading: Reading) -> Run | None:
    """A run from a folder or pattern; None where the path is neither, or a folder with a form of its own."""
    files = files_of_input(path, reading)
    return None if files is None else run_of_files(files, reading)


def files_of_input(path: str | Path, reading: Reading) -> PartFiles | None:
    """The files of a folder or pattern; None for a single file, and for a folder that is one collection."""
    if os.path.isdir(path):
        from rankscope.inputs.formats.benchmarks import is_beir_folder

        if reading.format == "beir" or is_beir_folder(Path(path)):
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

    run = Run(files.stem(RUN_SUFFIXES), blocks, files)
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
    with _own_problems(problems, source, name, number) as own:
        stamp = source.stamp
        if source.size and not alike.refuse("is", format_of_part(source, reading), own):
            part = read_part(source, reading, rows)
            part = part.negated() if reading.scores == "ascending" else part
            is_first = not run.first.rows
            for block in part.blocks(own, rank):
                run.first = part.first if is_first else run.first
                yield number_rows(block, files.labels, number)
            # Queries that are numbered in several files would be one query here.
            if all(any(note.startswith(NO_IDS) for note in each.notes) for each in (run, part)):
                own.add("", f"{NO_IDS}, and those of another file have the same numbers", f"Give ids: {NAMED_QUERY}.")
            run.gives_scores = run.gives_scores and part.gives_scores
            run.notes |= part.notes
            run.tag = run.name if part.tag == part.name else part.tag or run.tag  # the name of a file is no tag
            alike.refuse("has", "scores" if part.gives_scores else "an order only", own)
        if source.stamp != stamp:
            own.add("", "changed while it was read", "Evaluate again when nobody writes to it.")
    source.release()


@contextmanager
def _own_problems(problems: Problems, source: Source, name: str, number: int) -> Iterator[Problems]:
    """Problems of one file, which become those of the whole; what is raised was told, or is told now."""
    own = Problems(source.name)
    try:
        yield own
    except InputError as error:
        for report in error.reports if not own.any else ():
            for problem in report.problems:
                own.add(problem.place, problem.what, report.advice)
    problems.take_over(own, name, number)


def read_part(source: Source, reading: Reading, rows: tuple[int, int] | None = None) -> Run:
    """One of several files, or some rows of it, which may hold nothing."""
    if rows is None:
        part = read_run(source, reading)
    else:
        from rankscope.inputs.formats.columnar import PARQUET

        part = PARQUET.read_run(source, reading.only_for("score"), rows)
    part.is_part = True
    return part


def format_of_part(source: Source, reading: Reading) -> str:
    """The format of one of several files: given, or recognised."""
    return reading.format or format_of_file(source, reading.encoding).name


def unlike_files(files: PartFiles, reading: Reading) -> Problems:
    """The files that cannot be opened, or are not in the format of the others; all of them, before any is read."""
    problems, alike = Problems(files.name), AlikeParts()
    for number, source in enumerate(files.parts):
        with _own_problems(problems, source, "" if files.alone else files.names[number], number) as own:
            if source.stamp[0]:
                alike.refuse("is", format_of_part(source, reading), own)
    return problems


def number_rows(block: RunBlock, names: tuple[str, ...], number: int) -> RunBlock:
    """Rows that know which of several files they stand in."""
    lines, shift = block.rows.line, line_in_file(number, 0)
    moved = range(lines.start + shift, lines.stop + shift) if isinstance(lines, range) else lines + shift
    return replace(block, rows=replace(block.rows, line=moved, files=names))


# Judgements that lie in several files: one behind the other, with the problems of all of them.


def qrels_of_parts(path: str | Path, reading: Reading) -> Qrels | None:
    """Judgements from a folder or pattern; None where the path is neither, or a folder with a form of its own."""
    files = files_of_input(path, reading)
    if files is None:
        return None
    parts = _read_qrels_of_parts(files, reading)
    return replace(
        parts[0],
        query=parts[0].query.as_texts().joined([each.query.as_texts() for each in parts[1:]]),
        item=parts[0].item.as_texts().joined([each.item.as_texts() for each in parts[1:]]),
        grade=np.concatenate([each.grade for each in parts]),
        line=np.concatenate([each.line for each in parts]),
        name=files.name,
        digest=files.digest,
        files=files.names,
    )


def _read_qrels_of_parts(files: PartFiles, reading: Reading) -> list[Qrels]:
    """The judgements of each file that has any; one error for all that is wrong with any."""
    problems, alike, parts = Problems(files.name), AlikeParts(), []
    for number, (source, name) in enumerate(zip(files.parts, files.names, strict=True)):
        with _own_problems(problems, source, name, number) as own:
            if source.size and not alike.refuse("is", format_of_part(source, reading), own):
                part = read_qrels(source, reading)
                parts.append(replace(part, line=part.line + line_in_file(number, 0)))
    if not parts and not problems.any:
        problems.add("", "holds no judgements")
    problems.raise_if_any()
    return parts
