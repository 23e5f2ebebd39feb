"""Tables without a header: the runs of MS MARCO, and any text whose columns are given by their numbers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import TextIO

import numpy as np
import polars as pl

from rankscope.errors import InputError
from rankscope.inputs import forks, texts
from rankscope.inputs.checks import Problems
from rankscope.inputs.column_map import ColumnMap, rename_in_tables
from rankscope.inputs.formats.delimited import SEPARATORS, HeaderRule, TableReader, first_line
from rankscope.inputs.qrels import Qrels
from rankscope.inputs.reading import Reading
from rankscope.inputs.run import Run
from rankscope.inputs.shapes.shape import HOLDS_EITHER, HOLDS_JUDGEMENTS, HOLDS_RUN, Example, InputShape
from rankscope.inputs.sources import Source
from rankscope.inputs.tables import Table
from rankscope.wording import mapping_advice

ROW = re.compile(rb"([^\t\r\n]+)\t[^\t\r\n]+\t(\d+)\r?")
BLANKS = re.compile(rb"[ \t]+")
HASH = re.compile(rb"\s*#")
SUFFIXES = (".tsv", ".csv", ".run", ".trec", ".txt", ".res", ".input", ".results")
MSMARCO_COLUMNS: ColumnMap = (("query", "1"), ("item", "2"), ("rank", "3"))
MSMARCO_SHAPE = InputShape(
    name="MS MARCO run",
    holds=HOLDS_RUN,
    about="Query, item and rank with tabs between them and no header, as Pyserini and Anserini write runs with "
    "--output-format msmarco; known by ranks that go up by one from 1. Judgements of MS MARCO (query, 0, item, "
    "grade) are TREC text.",
    examples=(Example("run.msmarco.tsv", "174249\t119821\t1\n174249\t8788\t2\n300674\t7067032\t1\n"),),
    format="msmarco",
)
NUMBERED_SHAPE = InputShape(
    name="Table without a header",
    holds=HOLDS_EITHER,
    about="Any text with tabs, commas, semicolons or blanks between columns, if their numbers are given.",
    examples=(
        Example("plain.txt", "q1 a 2.5\nq1 b 1.0\n", HOLDS_RUN, "query=1,item=2,score=3"),
        Example("plain.csv", "2,q1,a\n0,q1,b\n", HOLDS_JUDGEMENTS, "grade=1,query=2,item=3"),
    ),
    format="headerless",
)


@dataclass(frozen=True)
class Headerless:
    """A table whose columns are called by their numbers; `columns` say which is which where nobody else does."""

    name: str
    columns: ColumnMap = ()
    shapes: tuple[InputShape, ...] = ()
    suffixes: tuple[str, ...] = ()
    binary: bool = False
    has_parts: bool = False

    def recognises(self, head: bytes) -> bool:
        """Lines of three fields with tabs between them, the last a rank that goes up by one within a query from 1."""
        whole = head[: head.rfind(b"\n") + 1] or head
        lines = [line for line in whole.split(b"\n") if line.strip()][:1000]
        found = [ROW.fullmatch(line) for line in lines]
        rows = [(each[1], int(each[2])) for each in found if each]
        if not self.columns or not rows or len(rows) < len(lines) or rows[0][1] != 1:
            return False
        return all(rank == (last + 1 if query == other else 1) for (other, last), (query, rank) in pairwise(rows))

    def read_run(self, source: Source, reading: Reading) -> Run:
        """A run from the columns whose numbers are given."""

        def read(problems: Problems) -> Iterator[Table]:
            columns = reading.columns or self.columns
            tables = numbered_tables(source, problems, reading.encoding, columns, reading.comments)
            return rename_in_tables(tables, columns, problems)

        return Run.from_tables(source.stem(SUFFIXES), read, source)

    def read_qrels(self, source: Source, reading: Reading) -> Qrels:
        """Judgements from the columns whose numbers are given."""
        if not reading.columns:
            what = "has no header: is its last column a rank, of a run, or a grade?"
            said = "Of judgements say the numbers of columns: {}."
            raise InputError.of(source.name, [what], mapping_advice(said, "query=1,item=2,grade=3", "map_qrels"))

        def read(problems: Problems) -> Table:
            parts = list(numbered_tables(source, problems, reading.encoding, reading.columns, reading.comments))
            line = np.concatenate([each.line for each in parts])
            whole = Table(pl.concat([each.frame for each in parts]), line, "line")
            return next(rename_in_tables([whole], reading.columns, problems))

        return Qrels.from_source(source, read)

    def write_run(self, run: Run, file: TextIO) -> None:
        """Refused: it holds no scores."""
        advice = "Write TREC text, CSV or Parquet."
        raise InputError.of(
            run.place, [f"{self.name} holds an order and no scores, so runs are not written so"], advice
        )

    def write_qrels(self, qrels: Qrels, file: TextIO) -> None:
        """Refused: it holds no judgements."""
        raise InputError.of(qrels.name, [f"judgements are not written as {self.name}"], "Write TREC text or CSV.")


MSMARCO = Headerless("msmarco", MSMARCO_COLUMNS, (MSMARCO_SHAPE,))
NUMBERED = Headerless("headerless", (), (NUMBERED_SHAPE,))


class NumberedReader(TableReader):
    """Rows of a table without a header, its columns called 1, 2, 3 and so on."""

    def _learn(self, text: bytes, line: int) -> int:
        header = first_line(text).decode()
        self.separator = next((each for each in ("\t", ";", ",") if each in header), "\t")
        self.names = [str(number) for number in range(1, header.count(self.separator) + 2)]
        return 0


def numbered_tables(
    source: Source, problems: Problems, encoding: str, columns: ColumnMap = (), comments: bool = False
) -> Iterator[Table]:
    """All columns as text in portions; quotes are part of the text.

    Blanks separate where nothing else does, or nothing else makes as many columns as are numbered; then lines that
    begin with # may be `comments`.
    """
    forks.check()
    reader = NumberedReader(HeaderRule("", frozenset()), problems)
    blank: bool | None = None
    for block in texts.decoded_blocks(source, encoding, problems, inner_marks=True):
        if blank is None:
            first = next((line for line in block.split(b"\n") if line.strip() and not HASH.match(line)), b"")
            blank = _is_blank(first.decode(), max((int(name) for _, name in columns if name.isdecimal()), default=0))
        lines = b"\n".join(_fields_apart(line, comments) for line in block.split(b"\n")) if blank else block
        if table := reader.unquoted(lines):
            yield table
    if not reader.names:
        problems.add("", "is empty")
        raise InputError([problems.report()])


def _is_blank(first: str, width: int) -> bool:
    """Whether blanks separate, by the first line and by how many columns there must be."""
    there = [each for each in SEPARATORS if each in first]
    return all(first.count(each) + 1 < width <= len(first.split()) for each in there)


def _fields_apart(line: bytes, comments: bool) -> bytes:
    """The fields of a line with a tab between them; nothing of a comment."""
    return b"" if comments and HASH.match(line) else BLANKS.sub(b"\t", line.strip())
