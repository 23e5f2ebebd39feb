"""CSV and TSV: a header that names an id; TSV also without one, as id and text, or id, title and text.

Rows of CSV may go over several lines in quotes. In TSV a line is a row, and quotes count only where they enclose a
whole field and are doubled inside.
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from rankscope.column_names import plain_name
from rankscope.inputs.checks import Problems, shorten_value
from rankscope.inputs.documents.record import ID, TEXT, TITLE, Record, record_of
from rankscope.inputs.reading import Reading
from rankscope.inputs.sources import Source
from rankscope.inputs.text_streams import LONGEST, TextPart, numbered_lines, text_blocks

WITHOUT_HEADER = {2: ("id", "text"), 3: ("id", "title", "text")}
ENCLOSED = re.compile(r'"(?:[^"]|"")*"')
EXPECTED = "A table begins with a header line: id,title,text."
KNOWN = frozenset((*ID, *TITLE, *TEXT))
Row = tuple[int, list[str]]


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
        return len(names) > 1 and bool(names & set(ID))

    def read(self, source: Source, name: str, reading: Reading, problems: Problems) -> Iterator[Record]:
        """A document from each row."""
        for line, row in self.rows(source, reading, problems, ID):
            record = record_of(line, row, problems)
            if record is not None:
                yield record

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
                    problems.add(f"line {line}", f"column {shorten_value(each)} is there twice", EXPECTED, line)
            return names
        if self.separator == "\t" and len(names) in WITHOUT_HEADER and not KNOWN & set(map(plain_name, names)):
            return list(WITHOUT_HEADER[len(names)])
        got = shorten_value(self.separator.join(names))
        problems.add(f"line {line}", f"must be a header with an id, got {got}", EXPECTED, line)
        return []


CSV = DelimitedDocuments("csv", "CSV: a header, then one document a row", (".csv",), ",")
TSV = DelimitedDocuments("tsv", "TSV: one document a line, with a header or as id and text", (".tsv", ".tab"), "\t")


def tsv_rows(blocks: Iterator[TextPart]) -> Iterator[Row]:
    """Lines cut at tabs.

    >>> list(tsv_rows(iter([TextPart(1, 'a\\t"x ""y"" z"\\nb\\t"so" it "goes"')])))
    [(1, ['a', 'x "y" z']), (2, ['b', '"so" it "goes"'])]
    """
    for line, text in numbered_lines(blocks):
        yield line, [_without_quotes(each) if each[:1] == '"' else each for each in text.split("\t")]


def _without_quotes(field: str) -> str:
    return field[1:-1].replace('""', '"') if ENCLOSED.fullmatch(field) else field


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
