"""Text tables without a header: the runs of MS MARCO, any text whose columns are given by their numbers, and LETOR
text, as learning to rank keeps judgements: `grade qid:query 1:0.3 2:0.1 # item`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import TextIO

import numpy as np
import polars as pl

from rankscope.core.caching import check_fork
from rankscope.core.errors import InputError
from rankscope.core.wording import mapping_advice
from rankscope.inputs import texts
from rankscope.inputs.column_map import ColumnMap, rename_in_tables
from rankscope.inputs.formats.delimited import SEPARATORS, HeaderRule, TableReader, first_line
from rankscope.inputs.formats.registry import (
    HOLDS_EITHER,
    HOLDS_JUDGEMENTS,
    HOLDS_RUN,
    Example,
    FileFormat,
    InputShape,
    refusal,
)
from rankscope.inputs.problems import Problems, shorten_value
from rankscope.inputs.qrels import Qrels
from rankscope.inputs.reading import Reading
from rankscope.inputs.run import Run
from rankscope.inputs.sources import Source
from rankscope.inputs.tables import Table

MSMARCO_ROW = re.compile(rb"([^\t\r\n]+)\t[^\t\r\n]+\t(\d+)\r?")
BLANKS = re.compile(rb"[ \t]+")
COMMENT_BEGIN = re.compile(rb"\s*#")
HEADERLESS_SUFFIXES = (".tsv", ".csv", ".run", ".trec", ".txt", ".res", ".input", ".results")
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
        found = [MSMARCO_ROW.fullmatch(line) for line in lines]
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

        return Run.from_tables(source.stem(HEADERLESS_SUFFIXES), read, source)

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
    check_fork()
    reader = NumberedReader(HeaderRule("", frozenset()), problems)
    blank: bool | None = None
    for block in texts.decoded_blocks(source, encoding, problems, inner_marks=True):
        if blank is None:
            first = next((line for line in block.split(b"\n") if line.strip() and not COMMENT_BEGIN.match(line)), b"")
            beginning = first.decode()
            width = max((int(name) for _, name in columns if name.isdecimal()), default=0)
            blank = all(
                beginning.count(each) + 1 < width <= len(beginning.split()) for each in SEPARATORS if each in beginning
            )
        lines = block.split(b"\n") if blank else []
        # A tab between the fields of a line; nothing of a comment.
        for number, line in enumerate(lines):
            lines[number] = b"" if comments and COMMENT_BEGIN.match(line) else BLANKS.sub(b"\t", line.strip())
        if table := reader.unquoted(b"\n".join(lines) if blank else block):
            yield table
    if not reader.names:
        problems.add("", "is empty")
        raise InputError([problems.report()])


LETOR_LINE = re.compile(r"(\S+)\s+qid:(\S+)[^#]*#\s*(?:docid\s*=\s*)?([^\s;]+)")
LETOR_BEGIN = re.compile(rb"(?:\s*#[^\n]*\n)*\s*[-+.\de]+\s+qid:")
LETOR_FORM = "A line is: grade qid:query features # item."
LETOR_SHAPES = (
    InputShape(
        name="LETOR or Quepid LTR",
        holds=HOLDS_JUDGEMENTS,
        about="Grade, query behind `qid:`, features, and behind a # the item, as RankLib and LETOR have it and Quepid "
        "exports it (LTR). Features are not read.",
        examples=(
            Example("quepid-ltr.txt", "3 qid:41 # p7 red shoes\n0 qid:41 # p9 red shoes\n", HOLDS_JUDGEMENTS),
            Example("letor.txt", "2 qid:10 1:0.03 2:0.66 #docid = GX029-35 inc = 1 prob = 0.1\n", HOLDS_JUDGEMENTS),
        ),
        format="letor",
    ),
)


def _letor_table(source: Source, reading: Reading, problems: Problems) -> Table:
    """Judgements from grade, query and the item behind the #."""
    rows, lines = [], []
    text = texts.whole_utf8(source, reading.encoding, problems).decode()
    for number, line in enumerate(text.split("\n"), 1):
        found = LETOR_LINE.match(line.strip())
        if found is not None:
            rows.append(found.groups())
            lines.append(number)
        elif line.strip() and not line.lstrip().startswith("#"):
            problems.add(f"line {number}", f"has no item behind a #, got {shorten_value(line)}", LETOR_FORM, number)
    schema = {"grade": pl.String, "query": pl.String, "item": pl.String}
    return Table(pl.DataFrame(rows, schema=schema, orient="row"), np.array(lines, dtype=np.int64), "line")


LETOR = FileFormat(
    name="letor",
    about="LETOR text, as learning to rank keeps judgements: `grade qid:query 1:0.3 2:0.1 # item`",
    suffixes=(),
    recognises=lambda head: LETOR_BEGIN.match(head) is not None,  # a grade and `qid:`
    read_run=refusal("holds judgements for learning to rank (qid:), which are no run"),
    read_qrels=lambda source, reading: Qrels.from_source(source, partial(_letor_table, source, reading)),
    write_run=refusal("a run cannot be written as LETOR text", "Write TREC text, CSV or Parquet."),
    write_qrels=refusal("judgements are not written as LETOR text", "Write TREC text, CSV or Parquet."),
    shapes=LETOR_SHAPES,
)
