"""How large a run is, and how long its reduction may take: said before the work begins."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from rankscope.inputs.part_files import PartFiles
from rankscope.inputs.part_runs import format_of_part
from rankscope.inputs.reading import Reading
from rankscope.inputs.remote import is_remote
from rankscope.inputs.sources import COMPRESSED_SUFFIXES, Source
from rankscope.number_texts import how_many
from rankscope.running.memory import in_words

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
        from rankscope.inputs.formats import parquet

        return sum(parquet.groups_of(source))
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
    return f"{name}: about {how_many(size.rows, 'rows')} in {files}, {how} in {number} within {in_words(memory)}{time}"
