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
from rankscope.inputs.formats.delimited import SEPARATORS, HeaderRule, TableReader
from rankscope.inputs.qrels import Qrels
from rankscope.inputs.reading import Reading
from rankscope.inputs.run import Run
from rankscope.inputs.shapes.shape import HOLDS_EITHER, HOLDS_JUDGEMENTS, HOLDS_RUN, Example, InputShape
from rankscope.inputs.sources import Source
from rankscope.inputs.tables import Table
from rankscope.wording import mapping_value

ROW = re.compile(rb"([^\t\r\n]+)\t[^\t\r\n]+\t(\d+)\r?")
BLANKS = re.compile(rb"[ \t]+")
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
            tables = numbered_tables(source, problems, reading.encoding)
            return rename_in_tables(tables, reading.columns or self.columns, problems)

        return Run.from_tables(source.stem((".tsv", ".txt")), read, source)

    def read_qrels(self, source: Source, reading: Reading) -> Qrels:
        """Judgements from the columns whose numbers are given."""
        if not reading.columns:
            what = "has no header: is its last column a rank, of a run, or a grade?"
            advice = f"Of judgements say the numbers of columns: {mapping_value('query=1,item=2,grade=3')}."
            raise InputError.of(source.name, [what], advice)

        def read(problems: Problems) -> Table:
            parts = list(numbered_tables(source, problems, reading.encoding))
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

    def _learn(self, header: str, line: int) -> int:
        self.separator = next((each for each in ("\t", ";", ",") if each in header), "\t")
        self.names = [str(number) for number in range(1, header.count(self.separator) + 2)]
        return 0


def numbered_tables(source: Source, problems: Problems, encoding: str) -> Iterator[Table]:
    """All columns as text in portions; blanks separate where nothing else does. Quotes are part of the text."""
    forks.check()
    reader = NumberedReader(HeaderRule("", frozenset()), problems)
    blank: bool | None = None
    for block in texts.decoded_blocks(source, encoding, problems, inner_marks=True):
        if blank is None:
            first = next((line for line in block.split(b"\n") if line.strip()), b"")
            blank = not any(each.encode() in first for each in SEPARATORS)
        lines = b"\n".join(BLANKS.sub(b"\t", line.strip()) for line in block.split(b"\n")) if blank else block
        if table := reader.unquoted(lines):
            yield table
    if not reader.names:
        problems.add("", "is empty")
        raise InputError([problems.report()])
