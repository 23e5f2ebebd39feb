"""Where a reduction is worked on, in how much memory, and about how long it takes: nothing here changes a number."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from rankscope.core.errors import InputError
from rankscope.core.machine import memory_of, memory_text
from rankscope.core.settings import Settings
from rankscope.core.wording import how_many
from rankscope.inputs.parts import PartFiles, format_of_part
from rankscope.inputs.reading import Reading, reading_of
from rankscope.inputs.remote import is_remote
from rankscope.inputs.run import SMALL_FILE, Run
from rankscope.inputs.sources import COMPRESSED_SUFFIXES, Source
from rankscope.ranks.reduction import Progress, reduce
from rankscope.ranks.relevant_ranks import RelevantRanks

if TYPE_CHECKING:
    from rankscope.core.parts import Runner


HOME = "home"


def silent(_: str) -> None:
    """Tell nobody."""


@dataclass(frozen=True)
class Where:
    """`on`: home, processes:N, dask://HOST:PORT or spark. `memory`: for each part; None: half of what is free.

    `work`: a folder for finished parts, so that stopped work continues. `digest`: whether files are hashed, which reads
    them whole. `shuffle`: "auto" brings the rows of a query together where they are scattered, "none" counts them where
    they lie. `say` is told what is going to happen.
    """

    on: str | Runner = HOME
    memory: str | int | None = None
    work: str | Path | None = None
    digest: bool = True
    shuffle: Literal["auto", "none"] = "auto"
    say: Callable[[str], None] = field(default=silent, repr=False)


def reduce_where(
    qrels: Any,
    run: Any,
    settings: Settings | None = None,
    *,
    junk: Any = (),
    keep_scores: bool = False,
    reading: Reading | None = None,
    progress: Progress | None = None,
    where: Where | None = None,
    result: str | Path | None = None,
) -> RelevantRanks:
    """Ranks of all judged items of a run, as `ranks.reduce` gives them, bit for bit, for runs of any size.

    At home a run that fits into memory is reduced as a whole. `result` is the file that the ranks are to be saved in:
    finished parts lie next to it until the work has ended well.
    >>> reduce_where({"q": {"a": 1}}, {"q": {"x": 2.0, "a": 1.0}}).ranks
    array([2])
    """
    settings, where = settings or Settings(), where or Where()
    reading = reading or reading_of(comments=settings.comments, scores=settings.scores)
    run = Run.of(run, reading)
    files = files_of_run(run)
    if files is None or fits(files, reading, where):
        return reduce(qrels, run, settings, junk=junk, keep_scores=keep_scores, reading=reading, progress=progress)
    from rankscope.ranks.parts.reduction import reduce_in_parts

    return reduce_in_parts(
        qrels,
        run.name,
        files,
        settings,
        junk=junk,
        keep_scores=keep_scores,
        reading=reading,
        progress=progress,
        where=where,
        result=result,
    )


def files_of_run(run: Run) -> PartFiles | None:
    """The files of a run; None for what is no file that can be read again and again, or is rolled up as a whole."""
    source = None if run.rolled_up else run.source
    if source is None or isinstance(source, PartFiles):
        return source
    return None if source.address == "-" or source.part or source.is_folder else PartFiles.of_one(source)


def fits(files: PartFiles, reading: Reading, where: Where) -> bool:
    """Whether all is to be done here and at once; a file that cannot be read is told so there."""
    if where.on != HOME or where.shuffle == "none":
        return False
    if where.memory is None and files.size < SMALL_FILE:
        return True
    try:
        return size_of(files, reading).memory <= memory_of(where.memory)
    except InputError:
        return True


# How large a run is, and how long its reduction may take: said before the work begins.

BYTES_A_ROW = 270  # of memory, where all rows of a part are gathered
BYTES_AT_LEAST = 200 << 20  # of memory, for any part
PARQUET_ROW = 8  # stored bytes of a row, about
PACKED = 5  # how many times its size a packed text becomes
SECONDS_A_ROW = {"whole": 0.35e-6, "scattered": 1.0e-6, "counted": 1.5e-6}  # of one core; docs/performance.md
LONG = 60  # seconds; work beyond that is announced


@dataclass(frozen=True)
class Size:
    """How many rows a run has, about, and in how many files."""

    rows: int
    files: int

    @property
    def memory(self) -> int:
        """Bytes that it takes to gather all rows."""
        return BYTES_AT_LEAST + BYTES_A_ROW * self.rows

    def seconds(self, layout: str, cores: int) -> float:
        """How long the reduction takes, about."""
        return self.rows * SECONDS_A_ROW[layout] / cores


def size_of(files: PartFiles, reading: Reading) -> Size:
    """Rows as Parquet files tell them, and as the first lines of a text lead to expect."""
    return Size(sum(_rows(source, reading) for source in files.parts if source.size), len(files.parts))


def _rows(source: Source, reading: Reading) -> int:
    if format_of_part(source, reading) == "parquet":
        if is_remote(source.address):
            return source.size // PARQUET_ROW  # its footer would cost the whole file
        from rankscope.inputs.formats import columnar

        return sum(columnar.groups_of(source))
    head = source.head()
    lines = max(1, head.count(b"\n"))
    packed = PACKED if Path(source.name).suffix.lower() in COMPRESSED_SUFFIXES else 1
    return int(source.size * packed * lines / max(1, len(head)))


def rows_within(memory: int) -> int:
    """How many rows may be gathered in so much memory.

    >>> rows_within(1 << 30)
    3200098
    """
    return max(1, (memory - BYTES_AT_LEAST) // BYTES_A_ROW)


def in_time(seconds: float) -> str:
    """A time as people say it.

    >>> in_time(75), in_time(3600), in_time(7300)
    ('about 1 minute', 'about 1 hour', 'about 2 hours')
    """
    for length, word in ((86400, "day"), (3600, "hour"), (60, "minute"), (1, "second")):
        if seconds >= length:
            number = round(seconds / length)
            return f"about {number} {word}{'' if number == 1 else 's'}"
    return "about a second"


def announcement(name: str, size: Size, layout: str, parts: int, memory: int, seconds: float) -> str:
    """What is going to happen, in one line."""
    files = "1 file" if size.files == 1 else f"{size.files:,} files"
    how = {"whole": "by file", "scattered": "shared out by query", "counted": "counted where they lie"}[layout]
    number = "1 part" if parts == 1 else f"{parts:,} parts"
    time = f", {in_time(seconds)}" if seconds > LONG else ""
    return (
        f"{name}: about {how_many(size.rows, 'rows')} in {files}, {how} in {number} within {memory_text(memory)}{time}"
    )
