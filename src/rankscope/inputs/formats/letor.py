"""LETOR text, as learning to rank keeps judgements: `grade qid:query 1:0.3 2:0.1 # item`."""

from __future__ import annotations

import re

import numpy as np
import polars as pl

from rankscope.inputs import texts
from rankscope.inputs.checks import Problems, shorten_value
from rankscope.inputs.formats.format import FileFormat, refusal
from rankscope.inputs.qrels import Qrels
from rankscope.inputs.reading import Reading
from rankscope.inputs.shapes.shape import HOLDS_JUDGEMENTS, Example, InputShape
from rankscope.inputs.sources import Source
from rankscope.inputs.tables import Table

LINE = re.compile(r"(\S+)\s+qid:(\S+)[^#]*#\s*(?:docid\s*=\s*)?([^\s;]+)")
BEGINNING = re.compile(rb"(?:\s*#[^\n]*\n)*\s*[-+.\de]+\s+qid:")
FORM = "A line is: grade qid:query features # item."
SHAPES = (
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


def recognises(head: bytes) -> bool:
    """A grade and `qid:`."""
    return BEGINNING.match(head) is not None


def read_qrels(source: Source, reading: Reading) -> Qrels:
    """Judgements from grade, query and the item behind the #."""
    return Qrels.from_source(source, lambda problems: _table(source, reading, problems))


def _table(source: Source, reading: Reading, problems: Problems) -> Table:
    rows, lines = [], []
    text = texts.whole(source, reading.encoding, problems).decode()
    for number, line in enumerate(text.split("\n"), 1):
        found = LINE.match(line.strip())
        if found is not None:
            rows.append(found.groups())
            lines.append(number)
        elif line.strip() and not line.lstrip().startswith("#"):
            problems.add(f"line {number}", f"has no item behind a #, got {shorten_value(line)}", FORM, number)
    schema = {"grade": pl.String, "query": pl.String, "item": pl.String}
    return Table(pl.DataFrame(rows, schema=schema, orient="row"), np.array(lines, dtype=np.int64), "line")


LETOR = FileFormat(
    name="letor",
    about="LETOR text, as learning to rank keeps judgements: `grade qid:query 1:0.3 2:0.1 # item`",
    suffixes=(),
    recognises=recognises,
    read_run=refusal("holds judgements for learning to rank (qid:), which are no run"),
    read_qrels=read_qrels,
    write_run=refusal("a run cannot be written as LETOR text", "Write TREC text, CSV or Parquet."),
    write_qrels=refusal("judgements are not written as LETOR text", "Write TREC text, CSV or Parquet."),
    shapes=SHAPES,
)
