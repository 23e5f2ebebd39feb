"""Files that hold a document or a topic in each row: CSV and TSV, JSON lines, Parquet.

TSV needs no header for id and text, or id, title and text. Rows of CSV may go over several lines in quotes. In TSV a
line is a row, and quotes count only where they enclose a whole field and are doubled inside.
"""

from __future__ import annotations

import csv
import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, Final, TypeVar

import polars as pl

from rankscope.core.columns import plain_name
from rankscope.inputs.documents.registry import (
    DOCUMENT_ID,
    TEXT_NAMES,
    TITLE_NAMES,
    TOPIC_ID,
    DocumentReader,
    DocumentRecord,
    TopicReader,
    TopicRecord,
    document_of,
    topic_of,
)
from rankscope.inputs.formats import columnar
from rankscope.inputs.formats.columnar import PARQUET
from rankscope.inputs.formats.columnar_layouts import PARQUET_MAGIC
from rankscope.inputs.problems import Problems, shorten_value
from rankscope.inputs.reading import Reading
from rankscope.inputs.sources import Source
from rankscope.inputs.texts import LONGEST, TextPart, numbered_lines, text_blocks

# CSV and TSV: a header that names an id; TSV also without one, as id and text, or id, title and text.

WITHOUT_HEADER = {2: ("id", "text"), 3: ("id", "title", "text")}
ENCLOSED = re.compile(r'"(?:[^"]|"")*"')
HEADER_ADVICE = "A table begins with a header line: id,title,text."
KNOWN_NAMES = frozenset((*DOCUMENT_ID, *TITLE_NAMES, *TEXT_NAMES))
Row = tuple[int, list[str]]
Record = TypeVar("Record", DocumentRecord, TopicRecord)


@dataclass(frozen=True)
class DelimitedDocuments:
    """One of the two formats."""

    name: str
    about: str
    suffixes: tuple[str, ...]
    separator: str
    word: str = "line"
    single: bool = False

    def recognises(self, head: bytes) -> bool:
        """A header that names an id."""
        first = head.lstrip(b"\r\n").split(b"\n", 1)[0].decode(errors="ignore")
        names = {plain_name(each.strip('"')) for each in first.split(self.separator)}
        return len(names) > 1 and bool(names & set(DOCUMENT_ID))

    def read(self, source: Source, name: str, reading: Reading, problems: Problems) -> Iterator[DocumentRecord]:
        """A document from each row."""
        return _records(self.rows(source, reading, problems, DOCUMENT_ID), document_of, problems)

    def rows(
        self, source: Source, reading: Reading, problems: Problems, ids: Sequence[str]
    ) -> Iterator[tuple[int, dict[str, str]]]:
        """The rows by the names of their columns; a row with another number of fields is a problem."""
        lines = text_blocks(source, reading.encoding, problems)
        found = tsv_rows(lines) if self.separator == "\t" else csv_rows(lines, self.separator, problems)
        first = next(found, None)
        if first is None:
            problems.add("", "is empty")
            return
        names, rest = self._header(first, ids, problems), found
        if names != first[1]:
            rest = chain([first], found)
        for line, fields in rest:
            if len(fields) == len(names):
                yield line, {name: text for name, text in zip(names, fields, strict=True) if text}
            elif names:
                what = f"has {len(fields)} field{'' if len(fields) == 1 else 's'}, but {len(names)} are expected"
                problems.add(f"line {line}", what, order=line)

    def _header(self, first: Row, ids: Sequence[str], problems: Problems) -> list[str]:
        """The names of the columns: the first row, or the usual ones where it is none."""
        line, names = first
        if {plain_name(each) for each in names} & set(ids):
            for each, times in Counter(names).items():
                if times > 1:
                    problems.add(f"line {line}", f"column {shorten_value(each)} is there twice", HEADER_ADVICE, line)
            return names
        if self.separator == "\t" and len(names) in WITHOUT_HEADER and not KNOWN_NAMES & set(map(plain_name, names)):
            return list(WITHOUT_HEADER[len(names)])
        got = shorten_value(self.separator.join(names))
        problems.add(f"line {line}", f"must be a header with an id, got {got}", HEADER_ADVICE, line)
        return []


def _records(
    rows: Iterable[tuple[int, Mapping[str, Any]]],
    make: Callable[[int, Mapping[str, Any], Problems, str], Record | None],
    problems: Problems,
    word: str = "line",
) -> Iterator[Record]:
    """The documents or topics that rows make; what makes none is a problem."""
    for number, row in rows:
        record = make(number, row, problems, word)
        if record is not None:
            yield record


CSV_DOCUMENTS = DelimitedDocuments("csv", "CSV: a header, then one document a row", (".csv",), ",")
TSV_DOCUMENTS = DelimitedDocuments(
    "tsv", "TSV: one document a line, with a header or as id and text", (".tsv", ".tab"), "\t"
)


def tsv_rows(blocks: Iterator[TextPart]) -> Iterator[Row]:
    """Lines cut at tabs.

    >>> list(tsv_rows(iter([TextPart(1, 'a\\t"x ""y"" z"\\nb\\t"so" it "goes"')])))
    [(1, ['a', 'x "y" z']), (2, ['b', '"so" it "goes"'])]
    """
    for line, text in numbered_lines(blocks):
        yield (
            line,
            [
                each[1:-1].replace('""', '"') if each[:1] == '"' and ENCLOSED.fullmatch(each) else each
                for each in text.split("\t")
            ],
        )


def csv_rows(blocks: Iterator[TextPart], separator: str, problems: Problems) -> Iterator[Row]:
    """Rows as Python's csv module reads them, with the line each begins in."""
    lines = (line for block in blocks for line in block.text.splitlines(keepends=True))
    reader = csv.reader(lines, delimiter=separator, strict=True)
    while True:
        line = reader.line_num + 1
        before = csv.field_size_limit(LONGEST)  # a limit of the whole process: its own is too small for a text
        try:
            fields = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            advice = 'A field that holds a quote is written in quotes, its own quotes doubled: "5"" disk".'
            problems.add(f"line {line}", f"has wrong quotes ({error})", advice, line)
            continue
        finally:
            csv.field_size_limit(before)
        if fields:
            yield line, fields


# JSON lines: one object a line with an id, and texts under any names.

JSON_LINE_ADVICE = "Each line holds one object."


def is_json_lines(head: bytes) -> bool:
    return head.lstrip()[:1] == b"{"


def json_objects(source: Source, reading: Reading, problems: Problems) -> Iterator[tuple[int, dict[str, Any]]]:
    """The objects with their lines; a line that is none is a problem."""
    for line, text in numbered_lines(text_blocks(source, reading.encoding, problems)):
        try:
            value = json.loads(text)
        except json.JSONDecodeError as error:
            problems.add(f"line {line}", f"is not JSON: {error.msg} (column {error.colno})", JSON_LINE_ADVICE, line)
            continue
        except (ValueError, RecursionError) as error:
            problems.add(f"line {line}", f"is not JSON that can be read: {error}", JSON_LINE_ADVICE, line)
            continue
        if isinstance(value, dict):
            yield line, value
        else:
            problems.add(f"line {line}", f"must be an object, got {shorten_value(value)}", JSON_LINE_ADVICE, line)


JSON_DOCUMENTS = DocumentReader(
    name="jsonl",
    about="JSON lines: one object a line, with id, title and text",
    suffixes=(".jsonl", ".ndjson", ".json"),
    read=lambda source, _, reading, problems: _records(json_objects(source, reading, problems), document_of, problems),
    recognises=is_json_lines,
)


# Parquet tables with an id column, and texts in any others.

ROWS_AT_ONCE: Final = 10_000


def _parquet_rows(source: Source, problems: Problems) -> Iterator[tuple[int, dict[str, Any]]]:
    frames = _parquet_frames(source, problems)
    return enumerate(chain.from_iterable(frame.iter_rows(named=True) for frame in frames), 1)


def _parquet_frames(source: Source, problems: Problems) -> Iterator[pl.DataFrame]:
    """The rows in portions; columns of numbers and of text alone."""
    if not source.begins_with(PARQUET_MAGIC):  # packed, or standard input
        yield _flat_columns(columnar.read_columnar_table(source, PARQUET, problems).frame)
        return
    groups = columnar.checked_groups(source, problems)
    table = pl.scan_parquet(source.path, glob=False, hive_partitioning=False)
    for start, count in _portions(groups):
        yield _flat_columns(PARQUET.attempt(problems, table.slice(start, count).collect))


def _portions(groups: list[int]) -> Iterator[tuple[int, int]]:
    """Where portions begin and how many rows they have, none across two groups.

    >>> list(_portions([3, 25_000]))
    [(0, 3), (3, 10000), (10003, 10000), (20003, 5000)]
    """
    begin = 0
    for rows in groups:
        for start in range(begin, begin + rows, ROWS_AT_ONCE):
            yield start, min(ROWS_AT_ONCE, begin + rows - start)
        begin += rows


def _flat_columns(frame: pl.DataFrame) -> pl.DataFrame:
    columnar.refuse_reduction(frame, Problems("documents"))
    usable = [name for name, kind in frame.schema.items() if kind == pl.String or kind.is_numeric()]
    texts = [name for name, kind in frame.schema.items() if isinstance(kind, pl.Categorical | pl.Enum)]
    return frame.select(*usable, *(pl.col(name).cast(pl.String) for name in texts))


PARQUET_DOCUMENTS = DocumentReader(
    name="parquet",
    about="Parquet: a table with id, title and text",
    suffixes=(".parquet", ".pq"),
    read=lambda source, name, _, problems: _records(_parquet_rows(source, problems), document_of, problems, "row"),
    recognises=PARQUET.recognises,
    word="row",
)


# TSV, as `id TAB text` or with a header, and CSV with a header.


@dataclass(frozen=True)
class DelimitedTopics:
    """One of the two formats."""

    name: str
    about: str
    table: DelimitedDocuments
    word: str = "line"

    def recognises(self, head: bytes) -> bool:
        """A header that names an id; for TSV also a tab in the first line."""
        first = head.lstrip(b"\r\n").split(b"\n", 1)[0].decode(errors="ignore")
        names = [plain_name(each.strip('"')) for each in first.split(self.table.separator)]
        return len(names) > 1 and (self.table.separator == "\t" or bool(set(names) & set(TOPIC_ID)))

    def read(self, source: Source, reading: Reading, problems: Problems) -> Iterator[TopicRecord]:
        """A topic from each row."""
        return _records(self.table.rows(source, reading, problems, TOPIC_ID), topic_of, problems)


CSV_TOPICS = DelimitedTopics("csv", "CSV with a header: an id and texts", CSV_DOCUMENTS)
TSV_TOPICS = DelimitedTopics("tsv", "TSV: an id, a tab and the text; or with a header", TSV_DOCUMENTS)


# Topics in JSON lines, one object a line, as BEIR's queries.jsonl; and in Parquet tables.


JSON_TOPICS = TopicReader(
    name="jsonl",
    about="JSON lines with an id and texts, as BEIR's queries.jsonl",
    read=lambda source, reading, problems: _records(json_objects(source, reading, problems), topic_of, problems),
    recognises=is_json_lines,
)
PARQUET_TOPICS = TopicReader(
    name="parquet",
    about="Parquet tables with an id and texts",
    read=lambda source, _, problems: _records(_parquet_rows(source, problems), topic_of, problems, "row"),
    recognises=PARQUET.recognises,
    word="row",
)
