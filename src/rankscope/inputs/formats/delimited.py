"""CSV and TSV with a header line.

Rows are split at full speed where no quote stands in the text; else by Python's csv module, with strict quotes.
"""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TextIO

import numpy as np
import polars as pl

from rankscope.core.arrays import IntArray
from rankscope.core.caching import check_fork
from rankscope.core.columns import GRADE, ITEM, KNOWN, LIKELY, QUERY, RANK, SCORE, likely_names, loose_name, plain_name
from rankscope.core.errors import InputError
from rankscope.core.wording import mapping_advice
from rankscope.inputs import texts
from rankscope.inputs.column_map import ColumnMap, rename_in_tables
from rankscope.inputs.formats import trec
from rankscope.inputs.formats.registry import (
    HOLDS_EITHER,
    HOLDS_JUDGEMENTS,
    Example,
    InputShape,
    refuse_ids,
    with_whole_numbers,
)
from rankscope.inputs.lines import form_of, map_of_form
from rankscope.inputs.problems import Problems, shorten_value
from rankscope.inputs.qrels import Qrels
from rankscope.inputs.reading import Reading
from rankscope.inputs.run import Run
from rankscope.inputs.sources import Source, without_marks
from rankscope.inputs.tables import Table, find_column
from rankscope.inputs.texts import not_packed
from rankscope.inputs.values import DECIMAL_COMMA, DECIMAL_COMMA_ADVICE, parse_number

SEPARATORS = (",", "\t", ";")
NEWLINE = 10
BYTES_LOOKED_AT = 1 << 16  # bytes
LINE = re.compile(rb"[^\r\n]+")
LIKELY_NAMES = frozenset(name for names in LIKELY.values() for name in names)
RATING = "rating"  # Quepid's name, and its habit to leave it empty


@dataclass(frozen=True)
class Delimited:
    """One format by its separator; all of them are read alike, by the header's own separator."""

    name: str
    suffixes: tuple[str, ...]
    separator: str
    shapes: tuple[InputShape, ...] = ()
    binary: bool = False
    has_parts: bool = False

    def recognises(self, head: bytes) -> bool:
        """A header that names a query and an item column, or what only a table without its header looks like."""
        first = first_line(head).decode(errors="ignore")
        separator = _separator(first)
        return (separator == "\t") == (self.separator == "\t") and _is_table(first, separator)

    def read_run(self, source: Source, reading: Reading) -> Run:
        """A run from a table with a query, an item and a score or rank column."""

        def read(problems: Problems) -> Iterator[Table]:
            tables = read_delimited_tables(
                source, problems, reading.encoding, "query,item,score", known_names(reading.columns)
            )
            return rename_in_tables(tables, reading.columns, problems)

        return Run.from_tables(source.stem(self.suffixes), read, source)

    def read_qrels(self, source: Source, reading: Reading) -> Qrels:
        """Judgements from a table with a query, an item and a grade column; BEIR calls them score."""
        expected = "query,item,grade (BEIR: query-id, corpus-id, score)"

        def read(problems: Problems) -> Table:
            known = known_names(reading.columns)
            table = read_delimited_table(source, problems, reading.encoding, expected, known, judged=True)
            return without_unrated(next(rename_in_tables([table], reading.columns, problems)))

        return Qrels.from_source(source, read)

    def write_run(self, run: Run, file: TextIO) -> None:
        """Write query, item, score in the order given."""
        self._write(run.table(), run.place, file)

    def write_qrels(self, qrels: Qrels, file: TextIO) -> None:
        """Write query, item, grade in the order given, whole grades without a point."""
        self._write(with_whole_numbers(qrels.table, "grade"), qrels.name, file)

    def _write(self, table: pl.DataFrame, place: str, file: TextIO) -> None:
        refuse_ids(table, place, {"holds a NUL": r"\x00"}, self.name.upper())
        # The csv module does not see carriage returns before Python 3.13, nor marks that a reader drops.
        unseen = any(table.get_column(name).str.contains("[\r\ufeff]").any() for name in ("query", "item"))
        quoting: Literal[0, 2] = csv.QUOTE_NONNUMERIC if unseen else csv.QUOTE_MINIMAL
        writer = csv.writer(file, delimiter=self.separator, lineterminator="\n", quoting=quoting)
        writer.writerow(table.columns)
        writer.writerows(table.iter_rows())


TABLE_SHAPE = InputShape(
    name="CSV",
    holds=HOLDS_EITHER,
    about="A header with commas or semicolons, and a column each for the query, the item and the score, rank or grade. "
    f"Names that are known, in any case: query: {', '.join(QUERY)}; item: {', '.join(ITEM)}; score: "
    f"{', '.join(SCORE)}; rank: {', '.join(RANK)}; grade: {', '.join(GRADE)}. Of several the first in this order is "
    "taken. Others are taken where they are the only one of their kind (blanks and hyphens count as _): query: "
    f"{', '.join(LIKELY['query'])}; item: {', '.join(LIKELY['item'])}; score: {', '.join(LIKELY['score'])}; rank: "
    f"{', '.join(LIKELY['rank'])}; grade: {', '.join(LIKELY['grade'])}. Any other name is mapped.",
    examples=(
        Example("run.csv", "query,item,score\nq1,a,2.5\nq1,b,1.0\n"),
        Example("shop.csv", "Search term;Product ID;Position\nred shoes;p7;1\nred shoes;p2;2\n"),
        Example(
            "judged.csv",
            "such,artikel,note\nrote Schuhe,p7,3\n",
            HOLDS_JUDGEMENTS,
            "query=such,item=artikel,grade=note",
        ),
    ),
    format="csv",
)
TSV_SHAPE = InputShape(
    name="TSV",
    holds=HOLDS_EITHER,
    about="The same with tabs.",
    examples=(Example("qrels.tsv", "query-id\tcorpus-id\tscore\nq1\ta\t1\n", HOLDS_JUDGEMENTS),),
    format="tsv",
)
CSV = Delimited("csv", (".csv",), ",", shapes=(TABLE_SHAPE,))
TSV = Delimited("tsv", (".tsv", ".tab"), "\t", shapes=(TSV_SHAPE,))


def known_names(columns: ColumnMap) -> frozenset[str]:
    """Words of which a header must hold one; none where columns were named, for then any header will do."""
    return frozenset() if columns else KNOWN | LIKELY_NAMES


def read_delimited_table(
    source: Source,
    problems: Problems,
    encoding: str = "utf-8",
    expected: str = "query,item,score",
    known: frozenset[str] = KNOWN,
    judged: bool = False,
) -> Table:
    """The whole table at once; see `read_tables`."""
    parts = list(read_delimited_tables(source, problems, encoding, expected, known, judged))
    return Table(pl.concat([part.frame for part in parts]), np.concatenate([part.line for part in parts]), "line")


def read_delimited_tables(
    source: Source,
    problems: Problems,
    encoding: str = "utf-8",
    expected: str = "query,item,score",
    known: frozenset[str] = KNOWN,
    judged: bool = False,
) -> Iterator[Table]:
    """All columns as text, with their lines, in portions; a row with another number of fields than the header is a
    problem, but for a query alone in a table of ratings: `judged`.

    A file that is empty or has no header (one that holds no word we know) raises, and the message says what header is
    expected. Blank lines are skipped. From the first quote on, what is left comes as one portion: a row in quotes may
    go on for as long as it likes.
    """
    check_fork()
    reader = TableReader(HeaderRule(expected, known), problems, judged)
    blocks = texts.decoded_blocks(source, encoding, problems, inner_marks=True)
    for block in blocks:
        if b'"' in block:
            yield reader.quoted(b"".join([block, *blocks]).decode())
        elif table := reader.unquoted(block):
            yield table
    if not reader.names:
        problems.add("", "is empty", f"A table begins with a header line: {expected}.")
        raise InputError([problems.report()])


def first_line(text: bytes) -> bytes:
    """The first line that is not empty."""
    found = LINE.search(text)
    return found.group() if found else b""


def _is_table(first: str, separator: str) -> bool:
    fields = _fields(first, separator)
    plain = set(map(plain_name, fields))
    if all(plain & set(strong) or likely_names(role, fields) for role, strong in (("query", QUERY), ("item", ITEM))):
        return True
    if separator not in first or first.startswith("#"):
        return False
    words = first.encode().split()
    if len(words) == 3 and separator != "\t" and parse_number(words[2].decode().replace(",", ".")) is not None:
        return False  # query item grade, with a comma in an id or a number
    return len(words) < 4 or (len(fields) > 1 and all(parse_number(each.decode()) is None for each in words))


def _fields(line: str, separator: str) -> list[str]:
    try:
        return next(csv.reader([line], delimiter=separator, strict=True), [])
    except csv.Error:
        return []


def _separator(header: str) -> str:
    """The one that shows most words we know, or else most fields."""

    def found(separator: str) -> tuple[int, int]:
        fields = _fields(header, separator)
        return sum(plain_name(field) in KNOWN or loose_name(field) in LIKELY_NAMES for field in fields), len(fields)

    return max(SEPARATORS, key=found)


@dataclass(frozen=True)
class HeaderRule:
    """What the first line should be, for messages, and the words of which it must hold one, if there are any."""

    expected: str
    known: frozenset[str]

    def check(self, names: list[str], line: int, problems: Problems, rows: Sequence[list[str]] = ()) -> None:
        """Raise where it is no header, or names a column twice; `rows` are the first, this one among them."""
        times = Counter(names)
        wrong = [f"column {shorten_value(name)} is there twice" for name, number in times.items() if number > 1]
        if self.known and not any({plain_name(name), loose_name(name)} & self.known for name in names):
            wrong = [f"must be the header, got {shorten_value(','.join(names))}"]
            problems.advise(self._other_names(names, rows or [names]))
        for what in wrong:
            problems.add(f"line {line}", what, f"A table begins with a header line: {self.expected}.", line)
        if wrong:
            raise InputError([problems.report()])

    def _other_names(self, names: list[str], rows: Sequence[list[str]]) -> str:
        """How a header of other names, or a table without one, is read; nothing for what cannot be mapped."""
        if not self.expected.startswith("query,item"):
            return ""
        if all(parse_number(name) is None for name in names):
            said = "If these are names of columns, say which is which: {}."
            return mapping_advice(said, f"query={names[0]},item=...")
        judged = self.expected.startswith("query,item,grade")
        layout = trec.QRELS_LINE if judged else trec.RUN_LINE
        alike = [row for row in rows if len(row) == len(names)]
        form = form_of(alike, (layout.fields, *layout.shorter)) or ("query", "item", "grade" if judged else "score")
        said = "Of a table without a header say the numbers of columns: {}."
        return mapping_advice(said, map_of_form(form), layout.map_name)


class TableReader:
    """Rows from one block of lines after the other; the first line that is not empty is the header."""

    def __init__(self, header: HeaderRule, problems: Problems, judged: bool = False) -> None:
        self.header, self.problems, self.judged = header, problems, judged
        self.names: list[str] = []
        self.separator = ""
        self.lines = 0  # before the next block

    def unquoted(self, block: bytes) -> Table | None:
        """A text without a quote: each line is a row, so numpy counts and polars splits. None before the header."""
        text = without_marks(block).replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        characters = np.frombuffer(text if text.endswith(b"\n") else text + b"\n", np.uint8)
        ends = np.flatnonzero(characters == NEWLINE)
        before, self.lines = self.lines, self.lines + ends.size
        length = np.diff(ends, prepend=-1)  # its end included
        rows = np.flatnonzero(length > 1)
        if not self.names and rows.size:
            rows = rows[self._learn(text, before + int(rows[0]) + 1) :]
        if not self.names:
            return None
        fields = np.diff(np.searchsorted(np.flatnonzero(characters == ord(self.separator)), ends), prepend=0) + 1
        good = fields[rows] == len(self.names)
        alone = self._is_alone(fields[rows])
        for line in rows[~good & ~alone].tolist():
            found = bytes(characters[ends[line] - length[line] + 1 : ends[line]]).decode().split(self.separator)
            self._complain(before + line + 1, found)
        keep = np.zeros(ends.size, dtype=np.bool_)
        keep[rows[good]] = True
        body = characters[np.repeat(keep, length)].tobytes()
        queries = [bytes(characters[ends[row] - length[row] + 1 : ends[row]]).decode() for row in rows[alone].tolist()]
        unrated = [[query] + [""] * (len(self.names) - 1) for query in queries]  # all but the query is empty
        more = pl.DataFrame(unrated, schema=dict.fromkeys(self.names, pl.String), orient="row")
        frame = pl.concat([_split(body, self.separator, self.names), more])
        return Table(frame, before + np.concatenate([rows[good], rows[alone]]) + 1, "line")

    def _learn(self, text: bytes, line: int) -> int:
        """The names of the columns, and how many lines they take; text that begins with this line."""
        header = first_line(text).decode()
        self.separator = _separator(header)
        self.names = header.split(self.separator)
        first = text[:BYTES_LOOKED_AT].rpartition(b"\n")[0].decode(errors="replace").split("\n")
        self.header.check(self.names, line, self.problems, [each.split(self.separator) for each in first if each])
        return 1

    def _is_alone(self, fields: IntArray | int) -> Any:
        """Whether rows hold a query alone, as Quepid writes one without ratings."""
        rates = any(RATING in plain_name(name) for name in self.names)
        return (fields == 1) & (self.judged and rates and len(self.names) > 1)

    def quoted(self, text: str) -> Table:
        """All that is left, from a line with quotes on, in which a row may go over several lines."""
        self.separator = self.separator or _separator(first_line(text.encode()).decode())
        records = _records(text, self.separator, self.lines, self.problems)
        if not self.names:
            line, self.names = next(records, (1, [""]))
            self.header.check(self.names, line, self.problems)
        rows, lines = [], []
        for line, fields in records:
            if len(fields) == len(self.names) or self._is_alone(len(fields)):
                rows.append(fields + [""] * (len(self.names) - len(fields)))
                lines.append(line)
            else:
                self._complain(line, fields)
        frame = pl.DataFrame(rows, schema=dict.fromkeys(self.names, pl.String), orient="row")
        return Table(frame, np.array(lines, dtype=np.int64), "line")

    def _complain(self, line: int, fields: list[str]) -> None:
        """A row of too many or too few fields; the comma in a number makes two of one."""
        count, wanted = len(fields), len(self.names)
        what = f"has {count} field{'' if count == 1 else 's'}, but the header has {wanted}"
        split = [place for place, name in enumerate(self.names) if plain_name(name) in (*SCORE, *GRADE)]
        number = ",".join(fields[split[0] : split[0] + 2]) if split and self.separator == "," else ""
        if count == wanted + 1 and DECIMAL_COMMA.fullmatch(number):
            what += f": is {number} one number, with a decimal comma?"
            self.problems.advise(DECIMAL_COMMA_ADVICE)
        self.problems.add(f"line {line}", what, order=line)


def without_unrated(table: Table) -> Table:
    """Judgements without the rows whose grade was left empty next to others that have one, as Quepid writes them."""
    name = find_column(table.frame, GRADE)
    if name is None or RATING not in plain_name(name) or table.frame.schema[name] != pl.String:
        return table
    rated = (table.frame.get_column(name).str.strip_chars() != "").fill_null(False)
    lost = int((~rated).sum())
    if not lost:
        return table
    kept = replace(table, frame=table.frame.filter(rated), line=table.line[rated.to_numpy()])
    return kept.noted((f"{lost:,} row{'' if lost == 1 else 's'} without a rating left out",))


def _split(body: bytes, separator: str, names: list[str]) -> pl.DataFrame:
    schema = dict.fromkeys(names, pl.String)
    if not body:
        return pl.DataFrame(schema=schema)
    text, skipped = not_packed(body)
    table = pl.read_csv(text, has_header=False, skip_lines=skipped, separator=separator, quote_char=None, schema=schema)
    return table.fill_null("")


def _records(text: str, separator: str, before: int, problems: Problems) -> Iterator[tuple[int, list[str]]]:
    """The rows with the line each begins in, behind so many before; a row whose quotes are wrong is a problem."""
    begins = True

    def lines() -> Iterator[str]:
        """Without marks where rows begin; inside of quotes they are part of a name."""
        nonlocal begins
        for each in io.StringIO(text, newline=""):
            row, begins = without_marks(each.encode()).decode() if begins else each, False
            yield row

    reader = csv.reader(lines(), delimiter=separator, strict=True)
    while True:
        line, begins = before + reader.line_num + 1, True
        try:
            fields = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            what = f"has wrong quotes ({error})"
            advice = 'A field that holds a quote is written in quotes, its own quotes doubled: "5"" disk".'
            problems.add(f"line {line}", what, advice, line)
        else:
            if fields:
                yield line, fields
